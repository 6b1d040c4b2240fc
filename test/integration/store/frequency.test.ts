import { describe, expect, test } from 'vitest';
import { casesOf, ordersOf } from '../../support/arbitrary.ts';
import { onEveryEngine, sqlite } from '../../support/engines.ts';
import {
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

/** An import as the cases below write it: a stated frequency, statements about X, or rows of a table. */
function stepOf(text: string): Step {
  const [, kind, day = '', rows = ''] = /^(panel|whole) (\S+): (.*)$/.exec(text) ?? [];
  const lines = `${rows.replaceAll(' ', '\n')}\n`;
  if (kind === 'panel') return [{ [`${day}.csv`]: `date,X,Y\n${lines}` }];
  if (kind === 'whole') return [{ 'x.csv': `observation_date,X\n${lines}` }, { asOf: day, complete: true }];
  if (/^[A-Z]+$/.test(text)) return [{ 'metadata.csv': `series_id,frequency\nX,${text}\n` }];
  return [{ 'facts.csv': facts(...text.split(', ').map((line) => `X ${line}`)) }];
}

const stepsOf = (text: string) => text.split(' | ').map(stepOf);

/** Cases of three lines: a title, the imports in any order, and what they come to. */
const stepCases = (text: string) =>
  casesOf(text).map(([title, steps, expected]) => [title, stepsOf(steps), expected] as const);

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
async function shown(path: string): Promise<string> {
  return reading(path, async (view) => {
    const series = await view.series.find('X');
    const rows = await observationsIn(view, { seriesId: 'X', limit: 1000 });
    const values = rows.map(({ date, value }) => `${date} ${value}`).reverse();
    return [series?.frequency ?? 'no such series', ...values].join(', ');
  });
}

describe('dates move to the first day of their period, whenever its length becomes known', () => {
  const cases = stepCases(`
# a stated quarter
  2020-03-31 2020-05-01 1 | 2020-05-17 2020-08-01 2 | Q
  Q, 2020-01-01 1, 2020-04-01 2
# a stated month
  2020-03-31 2020-05-01 1 | 2020-05-17 2020-08-01 2 | M
  M, 2020-03-01 1, 2020-05-01 2
# a stated half-year and year are no less periods
  2020-12-31 2021-05-01 1, 2020-06-30 2021-05-01 2 | SA
  SA, 2020-01-01 2, 2020-07-01 1
# weeks and days stay as they are
  2020-03-06 2020-05-01 1, 2020-03-13 2020-05-01 2 | W
  W, 2020-03-06 1, 2020-03-13 2
# a panel whose column has quarters only
  panel 2020-07-01: 2020-01-01,,1 2020-02-01,,2 2020-03-01,7,3 2020-06-01,8,4 | 2020-04-01 2020-08-01 9
  Q, 2020-01-01 7, 2020-04-01 9
# month ends of which nothing says what they end stay
  2020-02-29 2020-05-01 1 | 2020-03-31 2020-05-01 2 | 2020-04-30 2020-05-01 3
  M, 2020-02-29 1, 2020-03-31 2, 2020-04-30 3
# month ends that first look like quarters
  2020-03-31 2020-09-01 1, 2020-06-30 2020-09-01 2 | 2020-07-31 2020-09-01 3
  M, 2020-03-31 1, 2020-06-30 2, 2020-07-31 3
# month ends and another date
  2020-03-31 2020-09-01 1, 2020-04-30 2020-09-01 2 | 2020-05-29 2020-09-01 3
  M, 2020-03-31 1, 2020-04-30 2, 2020-05-29 3
# first days of months, three months apart, stay and imply quarters
  2020-02-01 2020-09-01 1 | 2020-05-01 2020-09-01 2
  Q, 2020-02-01 1, 2020-05-01 2
# a calendar year, by its first or its last day
  2019-01-01 2021-05-01 1 | 2020-12-31 2021-05-01 2 | A
  A, 2019-01-01 1, 2020-01-01 2
# fiscal years keep the date of the publisher
  1975-06-30 1980-01-15 332.3, 1976-06-30 1980-01-15 371.8 | 1977-09-30 1980-01-15 409.2 | A
  A, 1975-06-30 332.3, 1976-06-30 371.8, 1977-09-30 409.2
# a calendar year beside a fiscal year
  2019-12-31 2021-05-01 1 | 2020-09-30 2021-05-01 2 | A
  A, 2019-01-01 1, 2020-09-30 2
# one date implies no frequency
  2020-02-29 2020-09-01 1
  , 2020-02-29 1
# a quarter stated on different days of it by different vintages
  2020-03-01 2020-05-01 1 | 2020-01-01 2020-06-01 2 | Q
  Q, 2020-01-01 2
# a quarter stated on two of its days at once, as one number
  2020-03-01 2020-05-01 1 | 2020-01-01 2020-05-01 1.0 | Q
  Q, 2020-01-01 1.0
# a complete vintage lists a period by any of its days
  2020-01-01 2020-05-01 1, 2020-02-01 2020-05-01 2 | whole 2020-06-01: 2020-01-31,3 2020-04-30,4 | M
  M, 2020-01-01 3, 2020-04-01 4
  `);

  test.each(cases)('%s: in every order of import, and in one import', async (_, steps, expected) => {
    const inOne = [[together(...steps)], [together(...[...steps].reverse())]];
    const haveFlags = steps.some(([, flags]) => flags !== undefined);
    for (const order of [...ordersOf(steps), ...(haveFlags ? [] : inOne)])
      expect(await shown(await importAll(order))).toBe(expected);
  });

  onEveryEngine((engine) => {
    const [, steps, expected] = cases.at(-1) ?? ['', [], ''];
    test.each([...ordersOf(steps)].map((order) => [order]))('also a complete vintage %#', async (order) => {
      expect(await shown(await importAll(order, engine.newAddress()))).toBe(expected);
    });
  });
});

describe('contradictory frequencies or dates make the import fail, in every order', () => {
  const messages: Readonly<Record<string, RegExp>> = {
    frequencies: /X frequency: "[MQ]", against "[MQ]"/,
    values:
      /X 2020-0[13]-01 as of 2020-05-01: ([12]|withdrawn), against ([12]|withdrawn) for 2020-0[13]-01, in one period of the frequency Q$/,
  };
  const cases = stepCases(`
# two stated frequencies
  Q | M
  frequencies
# a stated one and one that a panel implies
  M | panel 2020-07-01: 2020-02-01,,1 2020-03-01,7,3 2020-06-01,8,4 2020-05-01,,1
  frequencies
# two that panels imply
  panel 2020-06-01: 2020-02-01,7,1 2020-03-01,7,3 | panel 2020-07-01: 2020-02-01,,1 2020-03-01,7,3 2020-06-01,8,4
  frequencies
# two dates of one period with different values on one day
  2020-01-01 2020-05-01 1 | 2020-03-01 2020-05-01 2 | Q
  values
# a value and a withdrawal on two dates of one period on one day
  2020-01-01 2020-05-01 1 | 2020-03-01 2020-05-01 | Q
  values
  `);
  const late: (typeof cases)[number] = [
    'dates that conflict once metadata is imported with more statements',
    [
      stepOf('2020-01-01 2020-05-01 1, 2020-03-01 2020-05-01 2'),
      together(...stepsOf('Q | 2020-04-01 2020-06-01 5')),
    ],
    'values',
  ];

  test.each([...cases, late])('%s', async (_, steps, name) => {
    const message = messages[name] ?? '';
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
    ['in one file', '2020-01-01 2020-05-01 1, 2020-03-01 2020-05-01 2'],
    ['in two files', '2020-01-01 2020-05-01 1 | 2020-03-01 2020-05-01 2'],
  ])('--replace does not choose between two new values of one period and day %s', async (_, steps) => {
    const path = await importAll(stepsOf('Q'));
    const before = await sqlite.digest(path);
    const [files] = together(...stepsOf(steps));
    await expect(importFiles(path, files, { replace: true, merge: true })).rejects.toMatchObject({
      detail: expect.stringMatching(
        /X 2020-03-01 as of 2020-05-01: 2, against 1 for 2020-01-01, in one period of the frequency Q$/,
      ),
      hints: [
        'both values are new: import one file after the other with --replace, or remove one value',
        'a period has one value: remove a row, or state another frequency in a metadata file',
      ],
    });
    expect(await sqlite.digest(path)).toEqual(before);
  });

  test('--replace is offered for another value of one date alone, and not of two dates of a period', async () => {
    const path = await importAll(stepsOf('Q | 2020-02-03 2020-05-01 1, 2020-03-01 2020-05-01 1'));
    const refusalOf = (rows: string) => importFiles(path, stepOf(rows)[0]);
    await expect(refusalOf('2020-03-01 2020-05-01 2')).rejects.toMatchObject({
      list: [expect.stringMatching(/: X 2020-01-01 as of 2020-05-01: 2, against 1$/)],
      hints: ['--replace accepts the new ones'],
    });
    await expect(refusalOf('2020-03-31 2020-05-01 2')).rejects.toMatchObject({
      list: [
        expect.stringMatching(/: X 2020-03-31 as of 2020-05-01: 2, against 1 for 2020-02-03, in one period/),
      ],
      hints: ['a period has one value: remove a row, or state another frequency in a metadata file'],
    });
  });

  test('--replace takes a new value for another date of the same period and day', async () => {
    const path = await importAll(stepsOf('Q | 2020-01-01 2020-05-01 1'));
    await importFiles(path, stepOf('2020-03-01 2020-05-01 2')[0], { replace: true });
    expect(await shown(path)).toBe('Q, 2020-01-01 2');
  });

  onEveryEngine((engine) => {
    test('--replace accepts the new frequency and moves the dates', async () => {
      const path = await importAll(stepsOf('2020-03-31 2020-05-01 1 | Q'), engine.newAddress());
      expect(await shown(path)).toBe('Q, 2020-01-01 1');
      await importFiles(path, stepOf('M')[0], { replace: true });
      expect(await shown(path)).toBe('M, 2020-03-01 1');
    });
  });
});
