import { parseDay } from '../domain/values/date.ts';

const names = {
  series: ['series', 'as-of', 'from', 'to', 'date', 'hide'],
  curve: ['date', 'vs', 'type'],
  clusters: ['as-of', 'ticker', 'min-insiders', 'days', 'from', 'to', 'open'],
} as const;

type View = keyof typeof names;

type StateName = (typeof names)[View][number];

/** The state of the page, as in its address. */
export type PageState = { readonly view: View } & { readonly [K in StateName]?: string };

/** New texts for parts of a state; an empty text removes a part. */
export type StateChange = { readonly [K in StateName]?: string };

const days: readonly StateName[] = ['as-of', 'from', 'to', 'date', 'vs'];

/** The choices of some parts; `hide` may have several. */
const choices: { readonly [K in StateName]?: readonly string[] } = {
  type: ['PAR', 'TIPS'],
  hide: ['latest', 'first'],
};

/** Reads the state in the query of an address; leaves out wrong parts, and returns their faults. */
export function stateIn(search: string): { readonly state: PageState; readonly faults: readonly string[] } {
  const given = new URLSearchParams(search);
  const viewText = given.get('view') ?? 'series';
  const view: View = Object.hasOwn(names, viewText) ? (viewText as View) : 'series';
  const faults = view === viewText ? [] : [`there is no page '${viewText}'`];
  const entries = names[view].flatMap((name) => {
    const text = given.get(name)?.trim() ?? '';
    if (text === '') return [];
    const fault = faultOf(name, text) ?? faultOfRange(name, text, given.get('from')?.trim() ?? '');
    if (fault === undefined) return [[name, text] as const];
    faults.push(fault);
    return [];
  });
  return { state: { view, ...Object.fromEntries(entries) }, faults };
}

function faultOf(name: StateName, text: string): string | undefined {
  if (days.includes(name))
    return parseDay(text) === undefined
      ? `${name} is '${text}', which is no date: dates are YYYY-MM-DD`
      : undefined;
  const known = choices[name];
  const wrong =
    known && text.split(',').find((one) => !known.includes(one) && !known.includes(one.toUpperCase()));
  return wrong === undefined ? undefined : `${name} is '${wrong}', and can be ${known?.join(' or ')}`;
}

function faultOfRange(name: StateName, to: string, from: string): string | undefined {
  return name === 'to' && parseDay(from) !== undefined && to < from
    ? `to is ${to}, before from, which is ${from}`
    : undefined;
}

/** Returns the query for a state, with parts in a fixed order. */
export function searchOf(state: PageState): string {
  const given = new URLSearchParams();
  if (state.view !== 'series') given.set('view', state.view);
  for (const name of names[state.view]) {
    const text = state[name];
    if (text !== undefined && text !== '') given.set(name, text);
  }
  const text = String(given);
  return text === '' ? '?' : `?${text}`;
}

/** Changes parts of a state; an empty text removes a part. */
export function changed(state: PageState, change: StateChange): PageState {
  const entries = Object.entries({ ...state, ...change }).filter(([, text]) => text !== '');
  return { view: state.view, ...Object.fromEntries(entries) };
}

/** Formats a command of asof for a shell, without flags that have no value. */
export function commandLine(
  words: readonly string[],
  flags: { readonly [name: string]: string | undefined },
): string {
  const given = Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return value === '' ? [name] : [name, value];
  });
  return ['asof', ...words, ...given].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w.,:@%+=/-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
