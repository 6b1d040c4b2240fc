import { expect } from 'vitest';
import { days, seriesIds } from './arbitrary.ts';
import { allStatements, observationsIn, reading } from './scratch-store.ts';
/** A statement of a test: at `asOf`, the value of `series` for `date` was this text, or was withdrawn (null). */
export type ModelStatement = {
  readonly series: string;
  readonly date: string;
  readonly asOf: string;
  readonly value: string | null;
};

/** The known value of a date, and the vintage since which it is known. */
export type KnownValue = { readonly date: string; readonly value: string; readonly asOfDate: string };

/** A statement that contradicts the value known before. */
export type Contradiction = { readonly said: ModelStatement; readonly held: string | null };

/**
 * The naive model of a store: a plain list of all statements, one for each series, date and vintage, which every answer
 * goes through. It is written from the contract alone and shares no code with the store that it checks.
 */
export type NaiveModel = { readonly said: readonly ModelStatement[]; readonly complete: readonly Vintage[] };

/** A complete vintage, which withdraws the dates that it does not list. */
export type Vintage = { readonly series: string; readonly asOf: string };

/** The model of an empty store. */
export const emptyModel: NaiveModel = { said: [], complete: [] };

/** Imports statements in this order; returns the model afterwards and the contradictions to the model before. */
export function importInto(
  before: NaiveModel,
  news: readonly ModelStatement[],
  {
    replace = false,
    complete = [],
  }: { readonly replace?: boolean; readonly complete?: readonly Vintage[] } = {},
): { readonly after: NaiveModel; readonly contradictions: readonly Contradiction[] } {
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

/** Every statement about a series, by date and vintage, including the withdrawals by complete vintages. */
export function statementsOf({ said, complete }: NaiveModel, series: string): readonly ModelStatement[] {
  const own = said.filter((item) => item.series === series);
  const dates = new Set(own.map(({ date }) => date));
  const unsaid: ModelStatement[] = [];
  for (const { asOf } of complete.filter((vintage) => vintage.series === series)) {
    for (const date of dates) {
      const all = [...own, ...unsaid];
      if (all.some((item) => item.date === date && item.asOf === asOf)) continue;
      unsaid.push({ series, date, asOf, value: null });
    }
  }
  return [...own, ...unsaid].sort((a, b) => compare(a.date, b.date) || compare(a.asOf, b.asOf));
}

/** The known value of each date of a series as of a day, newest date first. */
export function asOf(knowledge: NaiveModel, series: string, day = '9999-12-31'): readonly KnownValue[] {
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

/** The first value of each date that is later than all dates of the first vintage, as of a day. */
export function firstReleases(
  knowledge: NaiveModel,
  series: string,
  day = '9999-12-31',
): readonly KnownValue[] {
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

/** The changes of the value of one date, oldest first. */
export function revisionsOf(
  knowledge: NaiveModel,
  series: string,
  date: string,
): readonly { readonly date: string; readonly asOf: string; readonly value: string | null }[] {
  const statements = statementsOf(knowledge, series).filter((item) => item.date === date);
  return statements.flatMap(({ asOf, value }, i) =>
    isSame(statements[i - 1]?.value ?? null, value) ? [] : [{ date, asOf, value }],
  );
}

/** The numbers of changes of each vintage, newest first. */
function vintageCounts(knowledge: NaiveModel, series: string) {
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

/** The vintages of a series, oldest first. */
function vintagesOf(knowledge: NaiveModel, series: string): readonly string[] {
  return [...new Set(statementsOf(knowledge, series).map((item) => item.asOf))].sort();
}

/** Whether two values are equal numbers (`1.5` and `1.50`, `0` and `-0`), or both are withdrawn. */
function isSame(a: string | null, b: string | null): boolean {
  return a === null || b === null ? a === b : scaled(a) === scaled(b);
}

/** A decimal text times 10^20, exactly. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + fraction.padEnd(20, '0'));
  return text.startsWith('-') ? -size : size;
}

/** The longer of two texts of one number; of equally long ones the lesser, so that the order does not matter. */
function fuller(held: ModelStatement, given: ModelStatement): ModelStatement {
  const [a, b] = [held.value ?? '', given.value ?? ''];
  if (a.length !== b.length) return a.length > b.length ? held : given;
  return a <= b ? held : given;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Every day on which an answer can change, and days around it. */
const askedDays = [
  ...new Set([...days, '2019-12-30', '2020-02-14', '2020-06-29', '2022-07-01', '2025-12-30']),
];

/** Expects that a store answers like the naive model, for every date and every as-of date. */
export async function expectKnowledge(path: string, knowledge: NaiveModel): Promise<void> {
  await reading(path, async (view) => {
    for (const seriesId of seriesIds) {
      const everything = { seriesId, limit: 1000 };
      expect(await observationsIn(view, everything)).toEqual(asOf(knowledge, seriesId));
      expect(await observationsIn(view, { ...everything, firstRelease: true })).toEqual(
        firstReleases(knowledge, seriesId),
      );
      for (const day of askedDays) {
        const found = await observationsIn(view, { ...everything, asOf: day });
        expect(found).toEqual(asOf(knowledge, seriesId, day));
        expect(found.every(({ asOfDate }) => asOfDate <= day)).toBe(true);
        expect(await observationsIn(view, { ...everything, asOf: day, firstRelease: true })).toEqual(
          firstReleases(knowledge, seriesId, day),
        );
      }
      const listed = (await view.series.vintages(everything))?.rows ?? [];
      // How they came about depends on the format that was drawn.
      expect(listed.map(({ kind: _, ...counts }) => counts)).toEqual(vintageCounts(knowledge, seriesId));
      const statements = statementsOf(knowledge, seriesId);
      for (const date of new Set(statements.map((statement) => statement.date))) {
        const revised = (await view.series.history({ seriesId, from: date, to: date }))?.rows ?? [];
        expect(revised).toEqual(revisionsOf(knowledge, seriesId, date));
      }
      const every = (await view.series.history({ seriesId }))?.rows ?? [];
      const dates = [...new Set(statements.map(({ date }) => date))].sort().reverse();
      expect(every).toEqual(dates.flatMap((date) => revisionsOf(knowledge, seriesId, date)));
      const valued = statements.filter(({ value }) => value !== null).map(({ date }) => date);
      expect((await view.series.vintages(everything))?.firstDate).toBe(valued.sort()[0]);
      const stated = await allStatements(view, seriesId);
      expect(stated.map(({ kind: _, ...statement }) => statement)).toEqual(
        statements.map(({ date, asOf: day, value }) => ({ seriesId, date, asOf: day, value })),
      );
      const series = await view.series.find(seriesId);
      const vintages = vintagesOf(knowledge, seriesId);
      expect(
        series && [series.observationCount, series.firstVintage, series.lastVintage, series.coveredTo],
      ).toEqual(
        vintages.length === 0
          ? undefined
          : [asOf(knowledge, seriesId).length, vintages[0], vintages.at(-1), vintages.at(-1)],
      );
    }
  });
}
