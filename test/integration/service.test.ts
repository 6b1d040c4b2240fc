import { describe, expect, it } from 'vitest';
import { Problem } from '../../src/errors/problem.ts';
import type { Envelope } from '../../src/operations/envelope.ts';
import type { Field } from '../../src/operations/field.ts';
import type { ParamTexts } from '../../src/operations/param.ts';
import { ping } from '../../src/operations/ping.ts';
import { curve, yields } from '../../src/operations/rates/yields.ts';
import { observations, revisions } from '../../src/operations/series/observations.ts';
import { seriesSearch, seriesShow } from '../../src/operations/series/series.ts';
import { samplePath } from '../../src/platform/installation.ts';
import { envelopeWriter } from '../../src/server/written-envelope.ts';
import { createService, newRequestId, owner } from '../../src/service/service.ts';
import { openStore, writing } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { folder, gdp, newGdpStore, requiredBy } from '../support/example-stores.ts';
import { askedService, free } from '../support/http-service.ts';
import { operations } from '../support/operations.ts';
import { changedStore, facts, importFiles, newStorePath } from '../support/scratch-store.ts';
import { textsOf } from '../support/service-double.ts';

const path = await newGdpStore();
const { ask, problemOf } = askedService(path);

/** An answer as the service sends it. */
const asJson: typeof ask = async (operation, texts, setting) =>
  JSON.parse(envelopeWriter(operation.fields)(await ask(operation, texts, setting)).join(''));

describe('the service answers with exactly the fields of the contract', () => {
  const requestId = expect.stringMatching(/^req_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  const page = { request_id: requestId, status: 'ok', has_more: false };

  it('to ping', async () => {
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
    const most = { monthly_limit: 2147483647, rate_per_minute: 2147483647 };
    const own = { plan: 'owner', vintage_access: true, ...most };
    expect((await ask(ping)).results[0]).toMatchObject(own);
  });

  it('to a search of series and to the description of one', async () => {
    const series = {
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
      vintage_meaning: 'publication',
    };
    const answer = { ...page, results_count: 1 };
    const found = { ...answer, object: 'series_list', results: [{ ...series, matched: 'id' }] };
    expect(await asJson(seriesSearch, [['q', 'gd']])).toStrictEqual(found);
    const shown = { ...answer, object: 'series', results: [{ ...series, description_changes: [] }] };
    expect(await asJson(seriesShow, [gdp])).toStrictEqual(shown);
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
  const known = (day: string) => ({
    as_of: day,
    series: { id: 'GDP', title: 'Gross Domestic Product', frequency: 'Q' },
    covered_to: `${day}T00:00:00Z`,
  });
  const vintage = (day: string) => ({ as_of_date: `${day}T00:00:00Z`, vintage_kind: 'exact' });

  it.each([
    ['', { vintage: vintage('2015-02-27') }, [observation('17701.30', '2015-02-27')]],
    [
      'as_of=2015-02-26',
      { ...known('2015-02-26'), vintage: vintage('2015-01-30') },
      [observation('17710.7', '2015-01-30')],
    ],
    ['as_of=2015-01-29', { ...known('2015-01-29'), vintage: { as_of_date: null, vintage_kind: '' } }, []],
    ['release=first', { vintage: { as_of_date: null, vintage_kind: 'exact' } }, []],
  ])('to observations with the query %j', async (query, more, results) => {
    expect(await asJson(observations, [gdp, ...textsOf(query)])).toStrictEqual({
      ...page,
      object: 'observation_series',
      covered_to: '2015-03-15T00:00:00Z',
      ...more,
      results,
      results_count: results.length,
    });
  });

  const point = (day: string, maturity: string, rate: string, type = 'PAR') => ({
    trade_date: `2026-01-${day}T00:00:00Z`,
    maturity,
    rate,
    curve_type: type,
    source: 'Federal Reserve H.15',
  });
  const wednesday = [point('14', '1M', '3.9'), point('14', '10Y', '4.20')];
  const friday = [point('16', '1M', '3.8'), point('16', '10Y', '4.30')];
  const tuesday = [point('20', '1M', '3.7'), point('20', '2Y', '3.5'), point('20', '10Y', '4.40')];

  // The store has a curve of Tuesday, 20 January 2026, which is not known before that day.
  it.each<[string, string, string, readonly object[], string | null]>([
    ['of a day', 'date=2026-01-14', '2026-01-15', wednesday, '2026-01-16'],
    ['of a day without one', 'date=2026-01-15', '2026-01-15', [], '2026-01-16'],
    ['of today, which is the newest', '', '2026-01-15', wednesday, '2026-01-16'],
    ['of today, which has one', '', '2026-01-16', friday, '2026-01-16'],
    ['of a later day', '', '2026-01-20', tuesday, '2026-01-20'],
    ['of TIPS', 'curve_type=TIPS', '2026-01-16', [point('14', '5Y', '1.5', 'TIPS')], '2026-01-14'],
    ['before there was any', '', '2026-01-12', [], null],
  ])('to the curve %s', async (_, query, today, results, coveredTo) => {
    expect(await asJson(curve, textsOf(query), { now: `${today}T23:59:59Z` })).toStrictEqual({
      ...page,
      object: 'yield_curve',
      covered_to: coveredTo === null ? null : `${coveredTo}T00:00:00Z`,
      results,
      results_count: results.length,
    });
  });

  it('to yields', async () => {
    expect(await asJson(yields, [['to', '2026-01-15']])).toStrictEqual({
      ...page,
      object: 'yield_series',
      covered_to: '2026-01-16T00:00:00Z',
      results: wednesday,
      results_count: 2,
    });
  });

  it('and with rows that have the declared fields in their order', async () => {
    await writing(path, async (writer) => {
      const record = { source: 'fred', name: 'GDP', since: '', bookmark: '', left: '' };
      await writer.follow({ ...record, upTo: undefined, lastRun: undefined });
      await writer.commit();
    });
    // Without these, the answers are about the days before now.
    const more: Readonly<Record<string, ParamTexts>> = {
      calendar: [['from', '2015-01-01']],
      due: [['every', 'true']],
    };
    for (const operation of operations) {
      const { results } = await ask(operation, [...requiredBy(operation), ...(more[operation.name] ?? [])], {
        now: '2026-01-20T12:00:00Z',
      });
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
  it.each(['as_of=2015-01-30', 'release=first'])('of a plan without vintage access for %s', async (query) => {
    const texts = [gdp, ...textsOf(query)];
    const refused = await problemOf(observations, texts, { principal: free });
    expect([refused.kind, refused.status]).toEqual(['plan-upgrade-required', 403]);
    expect(refused.detail).toMatch(/ask the operator/);
    const billingUrl = 'https://example.org/billing';
    const billed = await problemOf(observations, texts, { principal: free, billingUrl });
    expect(billed.detail).toContain(billingUrl);
    expect((await ask(observations, [gdp], { principal: free })).results_count).toBe(1);
  });

  it.each([
    ['id=NONE&as_of=2015-01-30&limit=0', 400],
    ['id=NONE&as_of=2015-01-30&cursor=x', 400],
    ['id=NONE&as_of=2015-01-30', 403],
    ['id=NONE', 404],
  ])('first for its parameters, then for its plan, then for the data: %s', async (query, status) => {
    const refused = await problemOf(observations, textsOf(query), { principal: free });
    expect(refused.status).toBe(status);
  });

  it('with the problem document of the contract', async () => {
    const problem = await problemOf(observations, textsOf('id=A/B&as_of=x'));
    expect(problem.toDocument('asof://local/errors')).toStrictEqual({
      type: 'asof://local/errors/validation-error',
      title: 'Validation Error',
      status: 400,
      detail: "invalid 'as_of' date: use YYYY-MM-DD format",
      instance: '/v1/series/A%2FB/observations',
      request_id: expect.stringMatching(/^req_[0-9a-f]{32}$/),
      field: 'as_of',
    });
    const unknown = (await problemOf(seriesShow, [['id', 'X']])).toDocument('https://a.example/errors');
    expect(unknown).toMatchObject({
      ...{ type: 'https://a.example/errors/not-found', title: 'Not Found', status: 404 },
      ...{ detail: "series 'X' not found", instance: '/v1/series/X' },
    });
    expect(unknown).not.toHaveProperty('field');
  });

  it('with an internal error that hides the cause, if it has a bug', async () => {
    const read = () => Promise.reject(new TypeError('secret'));
    const broken: Store = { address: path, read, close: async () => undefined };
    const problem = await createService({ store: broken })
      .answer(seriesShow, [gdp], owner)
      .catch((error: unknown) => error);
    if (!(problem instanceof Problem)) throw new Error('it answered');
    expect(problem.toDocument('e')).toMatchObject({ type: 'e/internal-error', status: 500 });
    expect(JSON.stringify(problem.toDocument('e'))).not.toContain('secret');
    expect(problem.cause).toBeInstanceOf(TypeError);
  });
});

it('an answer comes from the state that it names, even if an import commits before the facts are read', async () => {
  const own = newStorePath(folder);
  await importFiles(own, { 'a.csv': facts('GDP 2014-07-01 2014-10-30 1', 'GDP 2014-10-01 2015-01-30 2') });
  const store = await openStore(own);
  let reads = 0;
  const service = createService({
    store: changedStore(store, (view) => ({
      series: {
        async observations(query) {
          reads += 1;
          if (reads === 1) await importFiles(own, { 'b.csv': facts('GDP 2014-10-01 2015-02-27 3') });
          return view.series.observations(query);
        },
      },
    })),
  });
  const newest = async () => {
    const requestId = newRequestId(new Date());
    const request = { operation: observations, texts: [gdp], principal: owner, requestId };
    const { state, envelope } = await service.reply(request, () => false);
    return { state, value: envelope?.results[0]?.value };
  };
  const before = await service.state();
  expect(await newest()).toEqual({ state: before, value: '2' });
  const after = await service.state();
  expect(await newest()).toEqual({ state: after, value: '3' });
  expect(after).not.toBe(before);
  await store.close();
});

it('request ids are unique UUIDs of version 7, which sort by the time of the requests', async () => {
  const ids = Array.from({ length: 3000 }, (_, i) => newRequestId(new Date(1_700_000_000_000 + i)));
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  expect([...ids].sort()).toEqual(ids);
  expect(Number.parseInt(ids[7]?.slice(4, 16) ?? '', 16)).toBe(1_700_000_000_007);
  const now = new Date();
  expect(new Set(Array.from({ length: 3000 }, () => newRequestId(now))).size).toBe(3000);
  const { request_id } = await ask(ping, [], { now: '2026-01-15T12:00:00.990Z' });
  expect(Number.parseInt(request_id.slice(4, 16), 16)).toBe(Date.parse('2026-01-15T12:00:00.990Z'));
});

describe('a page of revisions', () => {
  /** All pages of the revisions of a series. */
  async function pagesOf(store: string, query: string): Promise<readonly Envelope[]> {
    const service = askedService(store);
    const pages = [await service.ask(revisions, textsOf(query))];
    for (let cursor = pages[0]?.next_cursor; cursor !== undefined; cursor = pages.at(-1)?.next_cursor)
      pages.push(await service.ask(revisions, textsOf(`${query}&cursor=${cursor}`)));
    return pages;
  }

  it('has whole dates and at most 1000 rows, and all pages have what each date has alone', async () => {
    const pages = await pagesOf(samplePath(), 'id=GDP&limit=364');
    expect(pages.length).toBeGreaterThan(1);
    for (const { results, has_more } of pages) {
      expect(results.length).toBeLessThanOrEqual(1000);
      // No page is short without need: the next date, of about 40 rows, had no room.
      if (has_more) expect(results.length).toBeGreaterThan(900);
    }
    const rows = pages.flatMap(({ results }) => results);
    const dates = [...new Set(rows.map(({ date }) => String(date)))];
    expect(dates).toEqual([...dates].sort().reverse());
    const sample = askedService(samplePath());
    for (const date of [dates[0], dates[25], dates[26], dates[60], dates.at(-1)]) {
      const alone = await sample.ask(revisions, textsOf(`id=GDP&date=${date}`));
      expect(rows.filter((row) => row.date === date)).toEqual(alone.results);
    }
    const observed = await sample.ask(observations, textsOf('id=GDP&limit=1000'));
    expect(observed.results.filter(({ date }) => !dates.includes(String(date)))).toEqual([]);
  });

  it('has one date alone if that has more rows', async () => {
    const days = Array.from({ length: 1100 }, (_, i) => new Date(Date.UTC(2020, 1, 1 + i)).toISOString());
    const lines = days.map((day, i) => `NFCI 2020-01-03 ${day.slice(0, 10)} ${i}`);
    const others = ['NFCI 2020-01-10 2020-02-01 1', 'NFCI 2019-12-27 2020-02-01 1'];
    const own = newStorePath(folder);
    await importFiles(own, { 'facts.csv': facts(...lines, ...others) });
    const pages = await pagesOf(own, 'id=NFCI');
    expect(pages.map(({ results }) => [results[0]?.date, results.length])).toEqual([
      ['2020-01-10', 1],
      ['2020-01-03', 1100],
      ['2019-12-27', 1],
    ]);
  });
});
