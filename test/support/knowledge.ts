/** A statement as a test makes it: on day `asOf`, the value of `series` for `date` was this text, or was withdrawn (null). */
export type Said = {
  readonly series: string;
  readonly date: string;
  readonly asOf: string;
  readonly value: string | null;
};

/** What is known of a date: its value, and since when it has been that. */
export type Known = { readonly date: string; readonly value: string; readonly asOfDate: string };

/** Two statements that cannot both be true: what was held, and what came. */
export type Contradiction = { readonly said: Said; readonly held: string | null };

/**
 * Everything that was ever said, in a plain list with one entry for each series, date and day; every question goes
 * through all of it. Written from the rulings alone: it shares nothing with the store that it judges.
 */
export type Knowledge = { readonly said: readonly Said[]; readonly complete: readonly Vintage[] };

/** A vintage that speaks for all dates of its series. */
export type Vintage = { readonly series: string; readonly asOf: string };

/** Nothing was said yet. */
export const nothing: Knowledge = { said: [], complete: [] };

/** What is known after an import that says all this, in this order, and what contradicts what was known before. */
export function told(
  before: Knowledge,
  news: readonly Said[],
  {
    replace = false,
    complete = [],
  }: { readonly replace?: boolean; readonly complete?: readonly Vintage[] } = {},
): { readonly after: Knowledge; readonly contradictions: readonly Contradiction[] } {
  const said = [...before.said];
  const contradictions: Contradiction[] = [];
  for (const item of news) {
    const at = said.findIndex(
      ({ series, date, asOf }) => series === item.series && date === item.date && asOf === item.asOf,
    );
    const held = said[at];
    if (held === undefined) said.push(item);
    else if (isSame(held.value, item.value)) said[at] = fuller(held, item);
    else if (replace) said[at] = item;
    else contradictions.push({ said: item, held: held.value });
  }
  return { after: { said, complete: [...before.complete, ...complete] }, contradictions };
}

/** Every statement about a series, by date and then day, those included that a complete vintage makes without a word. */
export function statementsOf({ said, complete }: Knowledge, series: string): readonly Said[] {
  const own = said.filter((item) => item.series === series);
  const dates = new Set(own.map(({ date }) => date));
  const unsaid: Said[] = [];
  for (const { asOf } of complete.filter((vintage) => vintage.series === series)) {
    for (const date of dates) {
      const all = [...own, ...unsaid];
      if (all.some((item) => item.date === date && item.asOf === asOf)) continue;
      unsaid.push({ series, date, asOf, value: null });
    }
  }
  return [...own, ...unsaid].sort((a, b) => compare(a.date, b.date) || compare(a.asOf, b.asOf));
}

/** What was known of each date of a series on a day, newest date first. */
export function asOf(knowledge: Knowledge, series: string, day = '9999-12-31'): readonly Known[] {
  const statements = statementsOf(knowledge, series).filter((item) => item.asOf <= day);
  const dates = [...new Set(statements.map(({ date }) => date))].sort().reverse();
  return dates.flatMap((date) => {
    const history = statements.filter((item) => item.date === date);
    const last = history.at(-1);
    if (last === undefined || last.value === null) return [];
    let first = history.length - 1;
    while (first > 0 && isSame(history[first - 1]?.value ?? null, last.value)) first -= 1;
    const begun = history[first];
    return begun === undefined || begun.value === null
      ? []
      : [{ date, value: begun.value, asOfDate: begun.asOf }];
  });
}

/** Each date's first published value, as far as it was known on a day: of dates later than any of the first vintage. */
export function firstReleases(knowledge: Knowledge, series: string, day = '9999-12-31'): readonly Known[] {
  const statements = statementsOf(knowledge, series);
  const firstVintage = vintagesOf(knowledge, series)[0] ?? '';
  const recorded = asOf(knowledge, series, firstVintage)[0]?.date ?? '';
  const dates = [...new Set(statements.map(({ date }) => date))].sort().reverse();
  return dates.flatMap((date) => {
    const first = statements.find((item) => item.date === date && item.value !== null);
    if (first === undefined || first.value === null || first.asOf > day || date <= recorded) return [];
    return [{ date, value: first.value, asOfDate: first.asOf }];
  });
}

/** Every change of one date's number, oldest first. */
export function revisionsOf(
  knowledge: Knowledge,
  series: string,
  date: string,
): readonly { readonly asOfDate: string; readonly value: string | null }[] {
  const statements = statementsOf(knowledge, series).filter((item) => item.date === date);
  return statements.flatMap(({ asOf, value }, i) =>
    isSame(statements[i - 1]?.value ?? null, value) ? [] : [{ asOfDate: asOf, value }],
  );
}

/** What each day of publication changed, newest first. */
export function vintageCounts(knowledge: Knowledge, series: string) {
  const statements = statementsOf(knowledge, series);
  const kinds = statements.map(({ date, asOf, value }, i) => {
    const before = statements[i - 1];
    const known = before?.date === date ? before.value : null;
    const kind = isSame(known, value)
      ? 'none'
      : known === null
        ? 'added'
        : value === null
          ? 'withdrawn'
          : 'revised';
    return { asOf, kind };
  });
  return [...vintagesOf(knowledge, series)].reverse().map((asOfDate) => {
    const count = (kind: string) => kinds.filter((one) => one.asOf === asOfDate && one.kind === kind).length;
    return { asOfDate, added: count('added'), revised: count('revised'), withdrawn: count('withdrawn') };
  });
}

/** The days on which anything was said of a series, oldest first. */
export function vintagesOf(knowledge: Knowledge, series: string): readonly string[] {
  return [...new Set(statementsOf(knowledge, series).map((item) => item.asOf))].sort();
}

/** Whether two values are one number (`1.5` and `1.50`, `0` and `-0`), or both withdrawn. */
function isSame(a: string | null, b: string | null): boolean {
  return a === null || b === null ? a === b : scaled(a) === scaled(b);
}

/** A decimal text times 10^20, exactly. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + fraction.padEnd(20, '0'));
  return text.startsWith('-') ? -size : size;
}

/** The longer text of two of one number; of two equally long ones the lesser, so that neither order wins. */
function fuller(held: Said, given: Said): Said {
  const [a, b] = [held.value ?? '', given.value ?? ''];
  if (a.length !== b.length) return a.length > b.length ? held : given;
  return a <= b ? held : given;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
