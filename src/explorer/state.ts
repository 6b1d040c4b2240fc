import { latestDay, parseDay } from '../domain/values/date.ts';
import { lineOf, listed } from '../errors/wording.ts';

const names = {
  series: ['series', 'as-of', 'units', 'log', 'range', 'from', 'to', 'date', 'with', 'vintages', 'hide'],
  curve: ['date', 'vs', 'type'],
  clusters: ['as-of', 'ticker', 'min-insiders', 'days', 'from', 'to', 'sort', 'open'],
} as const;

type View = keyof typeof names;

type StateName = (typeof names)[View][number];

/** The state of the page, as in its address. */
export type PageState = { readonly view: View } & { readonly [K in StateName]?: string };

/** New texts for parts of a state; an empty text removes a part. */
export type StateChange = { readonly [K in StateName]?: string };

const days: readonly StateName[] = ['as-of', 'from', 'to', 'date', 'vs'];

/** The transformations on show, by FRED's names, and their buttons. */
export const unitChoices = [
  ['lin', 'Level'],
  ['chg', 'Change'],
  ['pch', '% change'],
  ['pc1', '% from a year ago'],
  ['pca', '% annual rate'],
] as const;

/** The years on show, counted from the newest date; the third is usual. */
export const ranges = [
  ['5y', '5Y'],
  ['10y', '10Y'],
  ['20y', '20Y'],
  ['max', 'Max'],
] as const;

/** The choices of some parts; `hide` may have several. */
const choices: { readonly [K in StateName]?: readonly string[] } = {
  type: ['PAR', 'TIPS'],
  units: unitChoices.map(([name]) => name),
  range: ranges.map(([name]) => name),
  log: ['on'],
  vintages: ['all'],
  hide: ['latest', 'first', 'recessions'],
};

/** Reads the state in the query of an address; leaves out wrong parts, and returns their faults. */
export function stateIn(search: string): { readonly state: PageState; readonly faults: readonly string[] } {
  const given = new URLSearchParams(search);
  const partOf = (name: string) => given.get(name)?.trim() ?? '';
  const viewText = given.get('view') ?? 'series';
  const view: View = Object.hasOwn(names, viewText) ? (viewText as View) : 'series';
  const faults = view === viewText ? [] : [`there is no page '${viewText}'`];
  const entries = names[view].flatMap((name) => {
    const text = partOf(name);
    const fault = text === '' ? undefined : faultOf(name, text, partOf('from'));
    if (fault !== undefined) faults.push(fault);
    return text === '' || fault !== undefined ? [] : [[name, text] as const];
  });
  return { state: { view, ...Object.fromEntries(entries) }, faults };
}

function faultOf(name: StateName, text: string, from: string): string | undefined {
  if (days.includes(name) && parseDay(text) === undefined)
    return `${name} is '${text}', which is no date: dates are YYYY-MM-DD`;
  // A day may have begun already in another time zone.
  if (name === 'as-of' && text > latestDay(new Date())) return `as-of is ${text}, which has not come yet`;
  if (name === 'to' && parseDay(from) !== undefined && text < from)
    return `to is ${text}, before from, which is ${from}`;
  const known = choices[name];
  const wrong =
    known && text.split(',').find((one) => !known.includes(one) && !known.includes(one.toUpperCase()));
  return wrong === undefined ? undefined : `${name} is '${wrong}', and can be ${listed(known ?? [], 'or')}`;
}

/** Returns the query for a state, with parts in a fixed order. */
export function searchOf(state: PageState): string {
  const given = new URLSearchParams();
  if (state.view !== 'series') given.set('view', state.view);
  for (const name of names[state.view]) {
    const text = state[name];
    if (text !== undefined && text !== '') given.set(name, text);
  }
  return `?${given}`;
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
  const given = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value].filter((word) => word !== ''),
  );
  return lineOf(['asof', ...words, ...given]);
}
