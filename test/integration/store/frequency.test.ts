import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../support/arbitrary.ts';
import { asAsofCsv } from '../../support/encodings.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { asOf, emptyModel, importInto, type ModelStatement, statementsOf } from '../../support/knowledge.ts';
import {
  allStatements,
  facts,
  failureOf,
  type ImportFlags,
  importFiles,
  observationsIn,
  reading,
} from '../../support/scratch-store.ts';

onEveryEngine((engine) => {
  /** One import: the content of a file, or of several by name. */
  type Step = { readonly files: Readonly<Record<string, string>>; readonly flags?: ImportFlags };

  const metadata = (frequency: string): Step => ({
    files: { 'metadata.csv': `series_id,frequency\nX,${frequency}\n` },
  });

  const stated = (...lines: readonly string[]): Step => ({
    files: { 'facts.csv': facts(...lines.map((line) => `X ${line}`)) },
  });

  const panel = (day: string, ...rows: readonly string[]): Step => ({
    files: { [`${day}.csv`]: `date,X,Y\n${rows.join('\n')}\n` },
  });

  const together = (...steps: readonly Step[]): Step => ({
    files: Object.fromEntries(
      steps.flatMap(({ files }, i) => Object.entries(files).map(([name, text]) => [`${i}/${name}`, text])),
    ),
  });

  async function importAll(steps: readonly Step[]): Promise<string> {
    const path = engine.newAddress();
    for (const { files, flags } of steps) await importFiles(path, files, { merge: true, ...flags });
    return path;
  }

  /** The frequency of X and its values as `date value`, oldest first. */
  async function shown(path: string): Promise<readonly string[]> {
    return reading(path, async (view) => {
      const series = await view.series.find('X');
      const rows = await observationsIn(view, { seriesId: 'X', limit: 1000 });
      return [
        series?.frequency ?? 'no such series',
        ...rows.map(({ date, value }) => `${date} ${value}`).reverse(),
      ];
    });
  }

  function* ordersOf<T>(items: readonly T[]): Generator<readonly T[]> {
    if (items.length < 2) yield items;
    for (const [i, first] of items.entries()) {
      if (items.length < 2) return;
      for (const rest of ordersOf(items.filter((_, j) => j !== i))) yield [first, ...rest];
    }
  }

  describe('dates move to the first day of their period, whenever its length becomes known', () => {
    test.each<[string, readonly Step[], readonly string[]]>([
      [
        'a stated quarter',
        [stated('2020-03-31 2020-05-01 1'), stated('2020-05-17 2020-08-01 2'), metadata('Q')],
        ['Q', '2020-01-01 1', '2020-04-01 2'],
      ],
      [
        'a stated month',
        [stated('2020-03-31 2020-05-01 1'), stated('2020-05-17 2020-08-01 2'), metadata('M')],
        ['M', '2020-03-01 1', '2020-05-01 2'],
      ],
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
        [
          panel('2020-07-01', '2020-01-01,,1', '2020-02-01,,2', '2020-03-01,7,3', '2020-06-01,8,4'),
          stated('2020-04-01 2020-08-01 9'),
        ],
        ['Q', '2020-01-01 7', '2020-04-01 9'],
      ],
      [
        'month ends of which nothing says what they end stay',
        [
          stated('2020-02-29 2020-05-01 1'),
          stated('2020-03-31 2020-05-01 2'),
          stated('2020-04-30 2020-05-01 3'),
        ],
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
    ])('%s: in every order of import, and in one import', async (_, steps, expected) => {
      for (const order of [...ordersOf(steps), [together(...steps)], [together(...[...steps].reverse())]]) {
        expect(await shown(await importAll(order))).toEqual(expected);
      }
    });

    test('with a stated frequency, statements about days are statements about periods, in any order of import', async () => {
      const day = fc.integer({ min: 0, max: 400 }).map((n) => dayAfter('2019-11-15', n));
      const months = { M: 1, Q: 3, SA: 6 } as const;
      await fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.record({ date: day, asOf: fc.constantFrom('2021-01-05', '2021-02-05', '2021-03-05') }),
            {
              minLength: 1,
              maxLength: 14,
            },
          ),
          fc.constantFrom('M', 'Q', 'SA'),
          fc.integer({ min: 0, max: 3 }),
          fc.integer({ min: 1, max: 3 }),
          async (stamps, frequency, place, cuts) => {
            // One value for each period and day of statement, so that nothing contradicts.
            const said = stamps.map(({ date, asOf: known }): ModelStatement => {
              const period = periodOf(date, months[frequency]);
              const value =
                Number(period.slice(5, 7)) % 4 === 0 ? null : `${period.slice(5, 7)}.${known.slice(6, 7)}`;
              return { series: 'X', date, asOf: known, value };
            });
            const steps = Array.from({ length: cuts }, (_, cut) => said.filter((_, i) => i % cuts === cut))
              .filter((part) => part.length > 0)
              .map((part): Step => asAsofCsv(part)[0] ?? { files: {} });
            const at = Math.min(place, steps.length);
            const path = await importAll([...steps.slice(0, at), metadata(frequency), ...steps.slice(at)]);
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

    test('a complete vintage lists a period by any of its days', async () => {
      const download = (...rows: readonly string[]): Step => ({
        files: { 'download.csv': `observation_date,X\n${rows.join('\n')}\n` },
        flags: { asOf: '2020-06-01', complete: true },
      });
      const steps = [
        stated('2020-01-01 2020-05-01 1', '2020-02-01 2020-05-01 2'),
        download('2020-01-31,3', '2020-04-30,4'),
        metadata('M'),
      ];
      for (const order of ordersOf(steps)) {
        expect(await shown(await importAll(order))).toEqual(['M', '2020-01-01 3', '2020-04-01 4']);
      }
    });
  });

  describe('contradictory frequencies or dates make the import fail, in every order', () => {
    test.each<[string, readonly Step[], RegExp]>([
      ['two stated frequencies', [metadata('Q'), metadata('M')], /X frequency: "[MQ]", against "[MQ]"/],
      [
        'a stated one and one that a panel implies',
        [
          metadata('M'),
          panel('2020-07-01', '2020-02-01,,1', '2020-03-01,7,3', '2020-06-01,8,4', '2020-05-01,,1'),
        ],
        /X frequency: "[MQ]", against "[MQ]"/,
      ],
      [
        'two that panels imply',
        [
          panel('2020-06-01', '2020-02-01,7,1', '2020-03-01,7,3'),
          panel('2020-07-01', '2020-02-01,,1', '2020-03-01,7,3', '2020-06-01,8,4'),
        ],
        /X frequency: "[MQ]", against "[MQ]"/,
      ],
      [
        'two dates of one period with different values on one day',
        [stated('2020-01-01 2020-05-01 1'), stated('2020-03-01 2020-05-01 2'), metadata('Q')],
        /X 2020-01-01 as of 2020-05-01: (two dates of one period: )?[12], against [12]/,
      ],
      [
        'a value and a withdrawal on two dates of one period on one day',
        [stated('2020-01-01 2020-05-01 1'), stated('2020-03-01 2020-05-01'), metadata('Q')],
        /X 2020-01-01 as of 2020-05-01: (two dates of one period: )?(1|withdrawn), against (1|withdrawn)/,
      ],
      [
        'dates that conflict once metadata is imported with more statements',
        [
          stated('2020-01-01 2020-05-01 1', '2020-03-01 2020-05-01 2'),
          together(metadata('Q'), stated('2020-04-01 2020-06-01 5')),
        ],
        /X 2020-01-01 as of 2020-05-01: (two dates of one period: )?[12], against [12]/,
      ],
    ])('%s', async (_, steps, message) => {
      for (const order of ordersOf(steps)) {
        const path = engine.newAddress();
        for (const { files } of order.slice(0, -1)) await importFiles(path, files, { merge: true });
        const before = await engine.digest(path);
        expect(before).toBeDefined();
        const last = order.at(-1)?.files ?? {};
        const failure = await failureOf(importFiles(path, last, { merge: true }));
        expect(failure).toMatch(/^1 conflict; nothing was imported:/);
        expect(failure).toMatch(message);
        expect(await engine.digest(path)).toEqual(before);
      }
      const atOnce = engine.newAddress();
      expect(await failureOf(importFiles(atOnce, together(...steps).files, { merge: true }))).toMatch(
        message,
      );
      expect(await engine.digest(atOnce)).toBeUndefined();
    });

    test.each([
      ['in one file', [stated('2020-01-01 2020-05-01 1', '2020-03-01 2020-05-01 2')]],
      ['in two files', [stated('2020-01-01 2020-05-01 1'), stated('2020-03-01 2020-05-01 2')]],
    ])('--replace does not choose between two new values of one period and day %s', async (_, steps) => {
      const path = await importAll([metadata('Q')]);
      const before = await engine.digest(path);
      const named = steps.flatMap(({ files }, i) =>
        Object.values(files).map((content) => [`${i}.csv`, content] as const),
      );
      const failure = importFiles(path, Object.fromEntries(named), { replace: true, merge: true });
      await expect(failure).rejects.toMatchObject({
        detail: expect.stringMatching(/X 2020-01-01 as of 2020-05-01: 2, against 1$/),
        hints: ['both values are new: import one file after the other with --replace, or remove one value'],
      });
      expect(await engine.digest(path)).toEqual(before);
    });

    test('--replace takes a new value for another date of the same period and day', async () => {
      const path = await importAll([metadata('Q'), stated('2020-01-01 2020-05-01 1')]);
      await importFiles(path, stated('2020-03-01 2020-05-01 2').files, { replace: true });
      expect(await shown(path)).toEqual(['Q', '2020-01-01 2']);
    });

    test('--replace accepts the new frequency and moves the dates', async () => {
      const path = await importAll([stated('2020-03-31 2020-05-01 1'), metadata('Q')]);
      expect(await shown(path)).toEqual(['Q', '2020-01-01 1']);
      await importFiles(path, metadata('M').files, { replace: true });
      expect(await shown(path)).toEqual(['M', '2020-03-01 1']);
    });
  });

  function dayAfter(day: string, count: number): string {
    return new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10);
  }

  function periodOf(day: string, months: number): string {
    const month = Number(day.slice(5, 7)) - 1;
    return `${day.slice(0, 5)}${String(month - (month % months) + 1).padStart(2, '0')}-01`;
  }
});
