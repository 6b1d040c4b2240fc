import { describe, expect, test } from 'vitest';
import { operations } from '../../../src/operations/index.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import type { ParamTexts } from '../../../src/operations/param.ts';
import { curve, yields } from '../../../src/operations/rates/yields.ts';
import { observations } from '../../../src/operations/series/observations.ts';
import { seriesSearch } from '../../../src/operations/series/series.ts';
import { gdp, newGdpStore, requiredBy } from '../../support/example-stores.ts';
import { serviceOf } from '../../support/service.ts';

const { ask, problemOf } = serviceOf(await newGdpStore());

describe('parameters that break a rule are a validation error that names the field', () => {
  const dateRule = (name: string) => `invalid '${name}' date: use YYYY-MM-DD format`;
  const limitRule = (text: string) =>
    `invalid 'limit' ${JSON.stringify(text)}: use an integer from 1 to 1000`;

  const badDates = [
    '01/30/2015',
    '2015-1-30',
    '2015-01-30T00:00:00Z',
    '2024-02-30',
    '2023-02-29',
    '1900-02-29',
    '2015-13-01',
    '2015-00-10',
    '2015-01-00',
    '1599-12-31',
    '3000-01-01',
    '',
    ' 2015-01-30',
    '2015-01-30\n',
    'today',
    '２０１５-01-30',
  ];
  const dateParams: readonly (readonly [Operation, string])[] = [
    [observations, 'as_of'],
    [observations, 'from'],
    [observations, 'to'],
    [curve, 'date'],
    [yields, 'from'],
    [yields, 'to'],
  ];

  test.each(
    dateParams.flatMap(([operation, name]) => badDates.map((text) => [operation, name, text] as const)),
  )('$name %s=%j', async (operation, name, text) => {
    const problem = await problemOf(operation, [...requiredBy(operation), [name, text]]);
    expect([problem.status, problem.field, problem.detail]).toEqual([400, name, dateRule(name)]);
  });

  test('a search for 32 words is one', async () => {
    const asked: ParamTexts = [
      ['q', 'gdp '.repeat(32)],
      ['match', 'words'],
    ];
    await expect(ask(seriesSearch, asked)).resolves.toMatchObject({ results: [{ id: 'GDP' }] });
  });

  test("the contract's search by a part of the id takes any text", async () => {
    await expect(ask(seriesSearch, [['q', 'gdp '.repeat(33)]])).resolves.toMatchObject({ results: [] });
  });

  test.each(['2024-02-29', '2000-02-29', '1600-01-01', '2015-01-30'])('%s is a date', async (text) => {
    for (const [operation, name] of dateParams) {
      await expect(ask(operation, [...requiredBy(operation), [name, text]])).resolves.toMatchObject({
        status: 'ok',
      });
    }
  });

  test.each<[string, Operation, ParamTexts, string, string | RegExp]>([
    ...['0', '1001', '-1', '1.5', '1e2', '', 'ten', ' 5', '0x10', '99999999999999999999'].flatMap((text) =>
      [observations, seriesSearch, yields].map(
        (operation): [string, Operation, ParamTexts, string, string] => [
          `a limit of ${JSON.stringify(text)}`,
          operation,
          [['limit', text]],
          'limit',
          limitRule(text),
        ],
      ),
    ),
    ...operations.flatMap((operation) =>
      ['asof', 'As_of', '__proto__', 'toString', ''].map(
        (name): [string, Operation, ParamTexts, string, RegExp] => [
          `the unknown ${JSON.stringify(name)}`,
          operation,
          [[name, '2015-01-30']],
          name,
          new RegExp(`^unknown parameter '${name}'`),
        ],
      ),
    ),
    [
      'as_of twice',
      observations,
      [
        ['as_of', '2015-01-30'],
        ['as_of', '2015-01-30'],
      ],
      'as_of',
      /more than once/,
    ],
    [
      'the id of the path once more',
      observations,
      [
        ['id', 'GDP'],
        ['id', 'UNRATE'],
      ],
      'id',
      /^unknown parameter 'id': use as_of, release, from, to/,
    ],
    ...['title', 'any', 'words'].map((match): [string, Operation, ParamTexts, string, string] => [
      `a search by ${match} for more words than a person types`,
      seriesSearch,
      [
        ['q', 'gdp-'.repeat(33)],
        ['match', match],
      ],
      'q',
      "invalid 'q': use at most 32 words",
    ]),
    [
      'limit twice',
      seriesSearch,
      [
        ['limit', '1'],
        ['limit', '2'],
      ],
      'limit',
      /more than once/,
    ],
    [
      'from after to',
      observations,
      [
        ['from', '2015-02-01'],
        ['to', '2015-01-31'],
      ],
      'from',
      /'from' 2015-02-01 is after 'to' 2015-01-31/,
    ],
    [
      'from after to',
      yields,
      [
        ['to', '2015-01-31'],
        ['from', '2015-02-01'],
      ],
      'from',
      /'from' 2015-02-01 is after 'to' 2015-01-31/,
    ],
    ['another release', observations, [['release', 'last']], 'release', /use first/],
    ['another match', seriesSearch, [['match', 'ID']], 'match', /use id, title, any or words/],
    ['another curve type', curve, [['curve_type', 'par']], 'curve_type', /use PAR or TIPS/],
    ['no curve type', yields, [['curve_type', '']], 'curve_type', /use PAR or TIPS/],
    ['another maturity', yields, [['maturity', '10y']], 'maturity', /10Y/],
    [
      'a maturity that the curve lacks',
      yields,
      [
        ['maturity', '2Y'],
        ['curve_type', 'TIPS'],
      ],
      'maturity',
      /TIPS has 5Y, 7Y, 10Y, 20Y, 30Y/,
    ],
  ])('%s: $name', async (_, operation, given, field, detail) => {
    const problem = await problemOf(operation, [...requiredBy(operation), ...given]);
    expect([problem.kind, problem.status, problem.field]).toEqual(['validation-error', 400, field]);
    expect(problem.detail).toMatch(detail);
  });

  test.each([
    ['2026-01-15T09:59:59.999Z', '2026-01-15', '2026-01-16'],
    ['2026-01-15T10:00:00.000Z', '2026-01-16', '2026-01-17'],
    ['2025-12-31T23:59:59.999Z', '2026-01-01', '2026-01-02'],
  ])('at %s the day %s has begun somewhere, and %s has not', async (now, begun, future) => {
    const given = (day: string): ParamTexts => [gdp, ['as_of', day]];
    expect((await ask(observations, given(begun), { now })).as_of).toBe(begun);
    const problem = await problemOf(observations, given(future), { now });
    expect([problem.status, problem.field]).toEqual([400, 'as_of']);
    expect(problem.detail).toContain(future);
  });

  test('from may equal to, and either may be in the future', async () => {
    const given: ParamTexts = [gdp, ['from', '2014-10-01'], ['to', '2014-10-01']];
    expect((await ask(observations, given)).results_count).toBe(1);
    expect((await ask(observations, [gdp, ['to', '2999-12-31']])).results_count).toBe(1);
  });
});
