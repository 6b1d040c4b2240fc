import { describe, expect, test } from 'vitest';
import { Problem } from '../../src/errors/problem.ts';
import type { Field } from '../../src/operations/field.ts';
import { operations } from '../../src/operations/index.ts';
import type { ParamTexts } from '../../src/operations/param.ts';
import { ping } from '../../src/operations/ping.ts';
import { curve, yields } from '../../src/operations/rates/yields.ts';
import { observations } from '../../src/operations/series/observations.ts';
import { seriesSearch, seriesShow } from '../../src/operations/series/series.ts';
import { envelopeToWire } from '../../src/operations/wire.ts';
import { createService, owner } from '../../src/service/service.ts';
import type { Store } from '../../src/store/store.ts';
import { gdp, newGdpStore, requiredBy } from '../support/example-stores.ts';
import { free, serviceOf } from '../support/service.ts';

const path = await newGdpStore();
const { ask, problemOf } = serviceOf(path);

/** An answer as the service sends it. */
const asJson: typeof ask = async (operation, texts, setting) =>
  envelopeToWire(await ask(operation, texts, setting), operation.fields);

describe('the service answers with exactly the fields of the contract', () => {
  const requestId = expect.stringMatching(/^req_[0-9a-f]{32}$/);
  const page = { request_id: requestId, status: 'ok', has_more: false };

  test('to ping', async () => {
    expect(await asJson(ping, [], { principal: free })).toStrictEqual({
      ...page,
      object: 'ping',
      results_count: 1,
      results: [
        {
          status: 'ok',
          message: 'the store answers',
          plan: 'free',
          monthly_limit: 10000,
          rate_per_minute: 30,
          vintage_access: false,
          daily_limit: 500,
          daily_used: null,
          monthly_used: null,
        },
      ],
    });
    expect((await ask(ping)).results[0]).toMatchObject({
      plan: 'owner',
      monthly_limit: 2147483647,
      rate_per_minute: 2147483647,
      vintage_access: true,
    });
  });

  const gdpSeries = {
    id: 'GDP',
    title: 'Gross Domestic Product',
    units: 'Billions of Dollars',
    observation_count: 1,
    last_updated: '2015-02-27T00:00:00Z',
    source: 'BEA',
    frequency: 'Q',
    seasonal_adjustment: 'SAAR',
    first_vintage: '2015-01-30T00:00:00Z',
    last_vintage: '2015-02-27T00:00:00Z',
    covered_to: '2015-03-15T00:00:00Z',
    vintage_kind: 'exact',
  };

  test('to a search of series and to the description of one', async () => {
    const answer = { ...page, results_count: 1, results: [gdpSeries] };
    const found = [{ ...gdpSeries, matched: 'id' }];
    expect(await asJson(seriesSearch, [['q', 'gd']])).toStrictEqual({
      ...answer,
      object: 'series_list',
      results: found,
    });
    expect(await asJson(seriesShow, [gdp])).toStrictEqual({
      ...answer,
      object: 'series',
      results: [{ ...gdpSeries, description_changes: [] }],
    });
  });

  const observation = (value: string, day: string) => ({
    date: '2014-10-01T00:00:00Z',
    value,
    as_of_date: `${day}T00:00:00Z`,
    series_id: 'GDP',
    unit: 'Billions of Dollars',
    frequency: 'Q',
    source: 'BEA',
  });
  const series = { id: 'GDP', title: 'Gross Domestic Product', frequency: 'Q' };
  const vintage = (day: string | null) => ({
    as_of_date: day && `${day}T00:00:00Z`,
    vintage_kind: day === null ? '' : 'exact',
  });

  test.each<[string, ParamTexts, object]>([
    [
      'without as_of',
      [],
      {
        results: [observation('17701.30', '2015-02-27')],
        results_count: 1,
        vintage: vintage('2015-02-27'),
      },
    ],
    [
      'with as_of',
      [['as_of', '2015-02-26']],
      {
        as_of: '2015-02-26',
        series,
        results: [observation('17710.7', '2015-01-30')],
        results_count: 1,
        vintage: vintage('2015-01-30'),
        covered_to: '2015-02-26T00:00:00Z',
      },
    ],
    [
      'before the first vintage',
      [['as_of', '2015-01-29']],
      {
        as_of: '2015-01-29',
        series,
        results: [],
        results_count: 0,
        vintage: vintage(null),
        covered_to: '2015-01-29T00:00:00Z',
      },
    ],
    [
      'without a first release',
      [['release', 'first']],
      { results: [], results_count: 0, vintage: { ...vintage(null), vintage_kind: 'exact' } },
    ],
  ])('to observations %s', async (_, given, expected) => {
    expect(await asJson(observations, [gdp, ...given])).toStrictEqual({
      ...page,
      object: 'observation_series',
      covered_to: '2015-03-15T00:00:00Z',
      ...expected,
    });
  });

  const point = (day: string, maturity: string, rate: string, type = 'PAR') => ({
    trade_date: `${day}T00:00:00Z`,
    maturity,
    rate,
    curve_type: type,
    source: 'Federal Reserve H.15',
  });
  const wednesday = [point('2026-01-14', '1M', '3.9'), point('2026-01-14', '10Y', '4.20')];
  const friday = [point('2026-01-16', '1M', '3.8'), point('2026-01-16', '10Y', '4.30')];

  const tuesday = [
    point('2026-01-20', '1M', '3.7'),
    point('2026-01-20', '2Y', '3.5'),
    point('2026-01-20', '10Y', '4.40'),
  ];

  // The store has a curve of Tuesday, 20 January 2026, which is not known before that day.
  test.each<[string, ParamTexts, string, readonly object[], string | null]>([
    ['of a day', [['date', '2026-01-14']], '2026-01-15', wednesday, '2026-01-16'],
    ['of a day without one', [['date', '2026-01-15']], '2026-01-15', [], '2026-01-16'],
    ['of today, which is the newest', [], '2026-01-15', wednesday, '2026-01-16'],
    ['of today, which has one', [], '2026-01-16', friday, '2026-01-16'],
    ['of a later day', [], '2026-01-20', tuesday, '2026-01-20'],
    [
      'of inflation-protected securities',
      [['curve_type', 'TIPS']],
      '2026-01-16',
      [point('2026-01-14', '5Y', '1.5', 'TIPS')],
      '2026-01-14',
    ],
    ['before there was any', [], '2026-01-12', [], null],
  ])('to the curve %s', async (_, given, today, results, coveredTo) => {
    expect(await asJson(curve, given, { now: `${today}T23:59:59Z` })).toStrictEqual({
      ...page,
      object: 'yield_curve',
      covered_to: coveredTo === null ? null : `${coveredTo}T00:00:00Z`,
      results,
      results_count: results.length,
    });
  });

  test('to yields', async () => {
    expect(await asJson(yields, [['to', '2026-01-15']])).toStrictEqual({
      ...page,
      object: 'yield_series',
      covered_to: '2026-01-16T00:00:00Z',
      results: wednesday,
      results_count: 2,
    });
  });

  test('and with rows that have the declared fields in their order', async () => {
    for (const operation of operations) {
      const { results } = await ask(operation, requiredBy(operation), { now: '2026-01-20T12:00:00Z' });
      expect(results.length).toBeGreaterThan(0);
      const fields: readonly Field[] = operation.fields;
      for (const row of results) {
        const declared = fields.filter(({ name, occasional }) => occasional !== true || name in row);
        expect(Object.keys(row)).toEqual(declared.map(({ name }) => name));
      }
    }
  });
});

describe('the service refuses a request', () => {
  test.each(['GDPX', 'gdp', '', 'GDP ', "O'X", '../GDP', '%'])('about the unknown series %j', async (id) => {
    for (const operation of [seriesShow, observations]) {
      const problem = await problemOf(operation, [['id', id]]);
      expect([problem.kind, problem.status, problem.detail]).toEqual([
        'not-found',
        404,
        `series '${id}' not found`,
      ]);
      expect(problem.field).toBeUndefined();
    }
  });

  test.each<[string, ParamTexts]>([
    ['as_of', [['as_of', '2015-01-30']]],
    ['first releases', [['release', 'first']]],
  ])('for %s on a plan without vintage access', async (_, given) => {
    const refused = await problemOf(observations, [gdp, ...given], { principal: free });
    expect([refused.kind, refused.status]).toEqual(['plan-upgrade-required', 403]);
    expect(refused.detail).toMatch(/ask the operator/);
    const billingUrl = 'https://example.org/billing';
    const billed = await problemOf(observations, [gdp, ...given], { principal: free, billingUrl });
    expect(billed.detail).toContain(billingUrl);
    expect((await ask(observations, [gdp], { principal: free })).results_count).toBe(1);
  });

  test('first for its parameters, then for its plan, then for the data', async () => {
    const statusOf = async (given: ParamTexts) =>
      (await problemOf(observations, given, { principal: free })).status;
    expect(
      await statusOf([
        ['id', 'NONE'],
        ['as_of', '2015-01-30'],
        ['limit', '0'],
      ]),
    ).toBe(400);
    expect(
      await statusOf([
        ['id', 'NONE'],
        ['as_of', '2015-01-30'],
        ['cursor', 'x'],
      ]),
    ).toBe(400);
    expect(
      await statusOf([
        ['id', 'NONE'],
        ['as_of', '2015-01-30'],
      ]),
    ).toBe(403);
    expect(await statusOf([['id', 'NONE']])).toBe(404);
  });

  test('with the problem document of the contract', async () => {
    const problem = await problemOf(observations, [
      ['id', 'A/B'],
      ['as_of', 'x'],
    ]);
    expect(problem.toDocument('asof://local/errors')).toStrictEqual({
      type: 'asof://local/errors/validation-error',
      title: 'Validation Error',
      status: 400,
      detail: "invalid 'as_of' date: use YYYY-MM-DD format",
      instance: '/v1/series/A%2FB/observations',
      request_id: expect.stringMatching(/^req_[0-9a-f]{32}$/),
      field: 'as_of',
    });
    expect((await problemOf(seriesShow, [['id', 'X']])).toDocument('https://a.example/errors')).toMatchObject(
      {
        type: 'https://a.example/errors/not-found',
        title: 'Not Found',
        instance: '/v1/series/X',
      },
    );
  });

  test('with an internal error that hides the cause, if it has a bug', async () => {
    const broken: Store = {
      address: path,
      read: () => Promise.reject(new TypeError('secret')),
      close: async () => undefined,
    };
    const problem = await createService({ store: broken })
      .answer(seriesShow, [gdp], owner)
      .catch((error: unknown) => error);
    if (!(problem instanceof Problem)) throw new Error('it answered');
    expect(problem.toDocument('e')).toMatchObject({ type: 'e/internal-error', status: 500 });
    expect(JSON.stringify(problem.toDocument('e'))).not.toContain('secret');
    expect(problem.cause).toBeInstanceOf(TypeError);
  });
});

test('request ids are unique UUIDs of version 7, which sort in the order of the requests', async () => {
  const ids: string[] = [];
  for (let ms = 0; ms < 20; ms += 1) {
    const now = new Date(Date.parse('2026-01-15T12:00:00.990Z') + ms).toISOString();
    ids.push((await ask(ping, [], { now })).request_id);
  }
  expect(ids).toEqual([...ids].sort());
  const again = await Promise.all(ids.map(() => ask(ping, [])));
  expect(new Set(again.map(({ request_id }) => request_id)).size).toBe(20);
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  expect(Number.parseInt(ids[0]?.slice(4, 16) ?? '', 16)).toBe(Date.parse('2026-01-15T12:00:00.990Z'));
});
