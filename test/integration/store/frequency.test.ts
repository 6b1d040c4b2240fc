import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../support/arbitrary.ts';
import { asAsofCsv } from '../../support/encodings.ts';
import { onEveryEngine, sqlite } from '../../support/engines.ts';
import { asOf, emptyModel, importInto, type ModelStatement, statementsOf } from '../../support/knowledge.ts';
import {
  allStatements,
  type Files,
  facts,
  failureOf,
  type ImportFlags,
  importFiles,
  observationsIn,
  reading,
} from '../../support/scratch-store.ts';

/** One import: files, and the flags that they need. */
type Step = readonly [Files, ImportFlags?];

const metadata = (frequency: string): Step => [{ 'metadata.csv': `series_id,frequency\nX,${frequency}\n` }];

const stated = (...lines: readonly string[]): Step => [
  { 'facts.csv': facts(...lines.map((line) => `X ${line}`)) },
];

const panel = (day: string, ...rows: readonly string[]): Step => [
  { [`${day}.csv`]: `date,X,Y\n${rows.join('\n')}\n` },
];

const together = (...steps: readonly Step[]): Step => [
  Object.fromEntries(
    steps.flatMap(([files], i) => Object.entries(files).map(([name, text]) => [`${i}/${name}`, text])),
  ),
];

async function importAll(steps: readonly Step[], path = sqlite.newAddress()): Promise<string> {
  for (const [files, flags] of steps) await importFiles(path, files, { merge: true, ...flags });
  return path;
}

/** The frequency of X and its values as `date value`, oldest first. */
async function shown(path: string): Promise<readonly string[]> {
  return reading(path, async (view) => {
    const series = await view.series.find('X');
    const rows = await observationsIn(view, { seriesId: 'X', limit: 1000 });
    const values = rows.map(({ date, value }) => `${date} ${value}`).reverse();
    return [series?.frequency ?? 'no such series', ...values];
  });
}

function* ordersOf<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length < 2) yield items;
  else
    for (const [i, first] of items.entries())
      for (const rest of ordersOf(items.filter((_, j) => j !== i))) yield [first, ...rest];
}

describe('dates move to the first day of their period, whenever its length becomes known', () => {
  const endAndMiddle = [stated('2020-03-31 2020-05-01 1'), stated('2020-05-17 2020-08-01 2')];
  const ofQuarters = ['2020-01-01,,1', '2020-02-01,,2', '2020-03-01,7,3', '2020-06-01,8,4'];

  test.each<[string, readonly Step[], readonly string[]]>([
    ['a stated quarter', [...endAndMiddle, metadata('Q')], ['Q', '2020-01-01 1', '2020-04-01 2']],
    ['a stated month', [...endAndMiddle, metadata('M')], ['M', '2020-03-01 1', '2020-05-01 2']],
    [
      'a stated half-year and year are no less periods',
      [stated('2020-12-31 2021-05-01 1', '2020-06-30 2021-05-01 2'), metadata('SA')],
      ['SA', '2020-01-01 2', '2020-07-01 1'],
    ],
    [
      'weeks and days stay as they are',
      [stated('2020-03-06 2020-05-01 1', '2020-03-13 2020-05-01 2'), metadata('W')],
      ['W', '2020-03-06 1', '2020-03-13 2'],
    ],
    [
      'a panel whose column has quarters only',
      [panel('2020-07-01', ...ofQuarters), stated('2020-04-01 2020-08-01 9')],
      ['Q', '2020-01-01 7', '2020-04-01 9'],
    ],
    [
      'month ends of which nothing says what they end stay',
      ['2020-02-29', '2020-03-31', '2020-04-30'].map((day, i) => stated(`${day} 2020-05-01 ${i + 1}`)),
      ['M', '2020-02-29 1', '2020-03-31 2', '2020-04-30 3'],
    ],
    [
      'month ends that first look like quarters',
      [stated('2020-03-31 2020-09-01 1', '2020-06-30 2020-09-01 2'), stated('2020-07-31 2020-09-01 3')],
      ['M', '2020-03-31 1', '2020-06-30 2', '2020-07-31 3'],
    ],
    [
      'month ends and another date',
      [stated('2020-03-31 2020-09-01 1', '2020-04-30 2020-09-01 2'), stated('2020-05-29 2020-09-01 3')],
      ['M', '2020-03-31 1', '2020-04-30 2', '2020-05-29 3'],
    ],
    [
      'first days of months, three months apart, stay and imply quarters',
      [stated('2020-02-01 2020-09-01 1'), stated('2020-05-01 2020-09-01 2')],
      ['Q', '2020-02-01 1', '2020-05-01 2'],
    ],
    [
      'a calendar year, by its first or its last day',
      [stated('2019-01-01 2021-05-01 1'), stated('2020-12-31 2021-05-01 2'), metadata('A')],
      ['A', '2019-01-01 1', '2020-01-01 2'],
    ],
    [
      'fiscal years keep the date of the publisher',
      [
        stated('1975-06-30 1980-01-15 332.3', '1976-06-30 1980-01-15 371.8'),
        stated('1977-09-30 1980-01-15 409.2'),
        metadata('A'),
      ],
      ['A', '1975-06-30 332.3', '1976-06-30 371.8', '1977-09-30 409.2'],
    ],
    [
      'a calendar year beside a fiscal year',
      [stated('2019-12-31 2021-05-01 1'), stated('2020-09-30 2021-05-01 2'), metadata('A')],
      ['A', '2019-01-01 1', '2020-09-30 2'],
    ],
    ['one date implies no frequency', [stated('2020-02-29 2020-09-01 1')], ['', '2020-02-29 1']],
    [
      'a quarter stated on different days of it by different vintages',
      [stated('2020-03-01 2020-05-01 1'), stated('2020-01-01 2020-06-01 2'), metadata('Q')],
      ['Q', '2020-01-01 2'],
    ],
    [
      'a quarter stated on two of its days at once, as one number',
      [stated('2020-03-01 2020-05-01 1'), stated('2020-01-01 2020-05-01 1.0'), metadata('Q')],
      ['Q', '2020-01-01 1.0'],
    ],
    [
      'a complete vintage lists a period by any of its days',
      [
        stated('2020-01-01 2020-05-01 1', '2020-02-01 2020-05-01 2'),
        [
          { 'download.csv': 'observation_date,X\n2020-01-31,3\n2020-04-30,4\n' },
          { asOf: '2020-06-01', complete: true },
        ],
        metadata('M'),
      ],
      ['M', '2020-01-01 3', '2020-04-01 4'],
    ],
  ])('%s: in every order of import, and in one import', async (_, steps, expected) => {
    const inOne = [[together(...steps)], [together(...[...steps].reverse())]];
    const haveFlags = steps.some(([, flags]) => flags !== undefined);
    for (const order of [...ordersOf(steps), ...(haveFlags ? [] : inOne)])
      expect(await shown(await importAll(order))).toEqual(expected);
  });

  onEveryEngine((engine) => {
    test('with a stated frequency, statements about days are statements about periods, in any order of import', async () => {
      const day = fc
        .integer({ min: 0, max: 400 })
        .map((n) => new Date(Date.UTC(2019, 10, 15 + n)).toISOString().slice(0, 10));
      const asOfDay = fc.constantFrom('2021-01-05', '2021-02-05', '2021-03-05');
      const months = { M: 1, Q: 3, SA: 6 } as const;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ date: day, asOf: asOfDay }), { minLength: 1, maxLength: 14 }),
          fc.constantFrom('M', 'Q', 'SA'),
          fc.integer({ min: 0, max: 3 }),
          fc.integer({ min: 1, max: 3 }),
          async (stamps, frequency, place, cuts) => {
            // One value for each period and day of statement, so that nothing contradicts.
            const said = stamps.map(({ date, asOf: known }): ModelStatement => {
              const month = periodOf(date, months[frequency]).slice(5, 7);
              const value = Number(month) % 4 === 0 ? null : `${month}.${known.slice(6, 7)}`;
              return { series: 'X', date, asOf: known, value };
            });
            const steps = Array.from({ length: cuts }, (_, cut) => said.filter((_, i) => i % cuts === cut))
              .filter((part) => part.length > 0)
              .map((part): Step => [asAsofCsv(part)[0]?.files ?? {}]);
            const path = await importAll(steps.toSpliced(place, 0, metadata(frequency)), engine.newAddress());
            const moved = said.map((item) => ({ ...item, date: periodOf(item.date, months[frequency]) }));
            const known = importInto(emptyModel, moved).after;
            await reading(path, async (view) => {
              expect(await observationsIn(view, { seriesId: 'X', limit: 1000 })).toEqual(asOf(known, 'X'));
              const statements = await allStatements(view, 'X');
              expect(statements.map(({ date, asOf: t, value }) => [date, t, value])).toEqual(
                statementsOf(known, 'X').map(({ date, asOf: t, value }) => [date, t, value]),
              );
            });
          },
        ),
        { numRuns: runs(30, engine) },
      );
    });
  });
});

describe('contradictory frequencies or dates make the import fail, in every order', () => {
  const frequencies = /X frequency: "[MQ]", against "[MQ]"/;
  const values =
    /X 2020-01-01 as of 2020-05-01: (two dates of one period: )?([12]|withdrawn), against ([12]|withdrawn)/;
  const quarters = ['2020-02-01,,1', '2020-03-01,7,3', '2020-06-01,8,4'];
  const first = stated('2020-01-01 2020-05-01 1');

  test.each<[string, readonly Step[], RegExp]>([
    ['two stated frequencies', [metadata('Q'), metadata('M')], frequencies],
    [
      'a stated one and one that a panel implies',
      [metadata('M'), panel('2020-07-01', ...quarters, '2020-05-01,,1')],
      frequencies,
    ],
    [
      'two that panels imply',
      [panel('2020-06-01', '2020-02-01,7,1', '2020-03-01,7,3'), panel('2020-07-01', ...quarters)],
      frequencies,
    ],
    [
      'two dates of one period with different values on one day',
      [first, stated('2020-03-01 2020-05-01 2'), metadata('Q')],
      values,
    ],
    [
      'a value and a withdrawal on two dates of one period on one day',
      [first, stated('2020-03-01 2020-05-01'), metadata('Q')],
      values,
    ],
    [
      'dates that conflict once metadata is imported with more statements',
      [
        stated('2020-01-01 2020-05-01 1', '2020-03-01 2020-05-01 2'),
        together(metadata('Q'), stated('2020-04-01 2020-06-01 5')),
      ],
      values,
    ],
  ])('%s', async (_, steps, message) => {
    for (const order of ordersOf(steps)) {
      const path = await importAll(order.slice(0, -1));
      const before = await sqlite.digest(path);
      expect(before).toBeDefined();
      const failure = await failureOf(importAll(order.slice(-1), path));
      expect(failure).toMatch(/^1 conflict; nothing was imported:/);
      expect(failure).toMatch(message);
      expect(await sqlite.digest(path)).toEqual(before);
    }
    const atOnce = sqlite.newAddress();
    expect(await failureOf(importAll([together(...steps)], atOnce))).toMatch(message);
    expect(await sqlite.digest(atOnce)).toBeUndefined();
  });

  test.each([
    ['in one file', [stated('2020-01-01 2020-05-01 1', '2020-03-01 2020-05-01 2')]],
    ['in two files', [first, stated('2020-03-01 2020-05-01 2')]],
  ])('--replace does not choose between two new values of one period and day %s', async (_, steps) => {
    const path = await importAll([metadata('Q')]);
    const before = await sqlite.digest(path);
    const [files] = together(...steps);
    await expect(importFiles(path, files, { replace: true, merge: true })).rejects.toMatchObject({
      detail: expect.stringMatching(/X 2020-01-01 as of 2020-05-01: 2, against 1$/),
      hints: ['both values are new: import one file after the other with --replace, or remove one value'],
    });
    expect(await sqlite.digest(path)).toEqual(before);
  });

  test('--replace takes a new value for another date of the same period and day', async () => {
    const path = await importAll([metadata('Q'), first]);
    await importFiles(path, stated('2020-03-01 2020-05-01 2')[0], { replace: true });
    expect(await shown(path)).toEqual(['Q', '2020-01-01 2']);
  });

  onEveryEngine((engine) => {
    test('--replace accepts the new frequency and moves the dates', async () => {
      const steps = [stated('2020-03-31 2020-05-01 1'), metadata('Q')];
      const path = await importAll(steps, engine.newAddress());
      expect(await shown(path)).toEqual(['Q', '2020-01-01 1']);
      await importFiles(path, metadata('M')[0], { replace: true });
      expect(await shown(path)).toEqual(['M', '2020-03-01 1']);
    });
  });
});

function periodOf(day: string, months: number): string {
  const month = Number(day.slice(5, 7)) - 1;
  return `${day.slice(0, 5)}${String(month - (month % months) + 1).padStart(2, '0')}-01`;
}
