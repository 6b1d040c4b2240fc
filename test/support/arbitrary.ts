import fc from 'fast-check';
import type { Engine } from './engines.ts';
import type { ModelStatement } from './knowledge.ts';

/** The series of the generated statements. */
export const seriesIds = ['GDP', 'CPI', 'X1'];
/** Their dates: first days of months. */
const dates = ['2020-01-01', '2020-02-01', '2020-03-01', '2020-04-01', '2020-05-01'];
/** Their vintages. */
export const days = [
  '2019-12-31',
  '2020-02-15',
  '2020-02-16',
  '2020-06-30',
  '2021-01-01',
  '2024-02-29',
  '2025-12-31',
];
/** The texts of some numbers; null is a withdrawal. */
const texts = [['1.5', '1.50', '01.5'], ['0', '-0', '0.00'], ['2'], ['-3.25', '-03.250'], [null]];

/** An index of `texts`. */
const numbers = fc.integer({ min: 0, max: texts.length - 1 });
const keys = fc.record({
  series: fc.constantFrom(...seriesIds),
  date: fc.constantFrom(...dates),
  asOf: fc.constantFrom(...days),
});
const spellings = fc.integer({ min: 0, max: 2 });

/** Statements without contradictions, some of them repeated, each with the number of the import that makes it. */
export const agreeing = fc
  .uniqueArray(
    fc.record({
      key: keys,
      number: numbers,
      copies: fc.array(fc.record({ piece: fc.nat(), spelling: spellings }), { minLength: 1, maxLength: 3 }),
    }),
    { selector: ({ key }) => Object.values(key).join(' '), minLength: 1, maxLength: 40 },
  )
  .map((items) =>
    items.flatMap(({ key, number, copies }) =>
      copies.map(({ piece, spelling }) => ({ piece, said: { ...key, value: textOf(number, spelling) } })),
    ),
  );

function textOf(number: number, spelling: number): string | null {
  const spelled = texts[number] ?? [];
  return spelled[spelling % spelled.length] ?? null;
}

/** Statements without repetitions: the last of repeated ones. */
export function onePerKey(said: readonly ModelStatement[]): readonly ModelStatement[] {
  return [...new Map(said.map((item) => [`${item.series} ${item.date} ${item.asOf}`, item])).values()];
}

/**
 * The number of runs of a property; PROPERTY_RUNS multiplies it for a longer search. The engines share their rules and
 * most statements, so a quarter of the runs serves an engine that is slow to make stores.
 */
export function runs(usual: number, engine?: Engine): number {
  const own = engine === undefined || engine.name === 'SQLite' ? usual : Math.ceil(usual / 4);
  return own * Number(process.env.PROPERTY_RUNS ?? 1);
}

/** The items in each order. */
export function* ordersOf<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length < 2) yield items;
  else
    for (const [i, first] of items.entries())
      for (const rest of ordersOf(items.filter((_, j) => j !== i))) yield [first, ...rest];
}

/** Statements about one date that may contradict each other, in imports of one or two files. */
export const contradicting = fc.array(
  fc.array(
    fc
      .record({ key: keys, number: numbers, spelling: spellings, file: fc.integer({ min: 0, max: 1 }) })
      .map(({ key, number, spelling, file }) => ({
        file,
        said: { ...key, date: dates[0] ?? '', value: textOf(number, spelling) },
      })),
    { minLength: 1, maxLength: 12 },
  ),
  { minLength: 2, maxLength: 5 },
);

/** Cases of three lines: a title after `# `, what is given, and what is expected. */
export function casesOf(
  text: string,
): readonly (readonly [title: string, given: string, expected: string])[] {
  return [...text.matchAll(/^# (.*)\n {2}(.*)\n {2}(.*)$/gm)].map(
    ([, title = '', given = '', expected = '']) => [title, given, expected] as const,
  );
}
