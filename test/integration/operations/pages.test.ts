import { beforeAll, describe, expect, test } from 'vitest';
import { embeddedClient } from '../../../src/client/open.ts';
import { calendar } from '../../../src/operations/calendar/calendar.ts';
import type { Row } from '../../../src/operations/envelope.ts';
import { insiderClusters } from '../../../src/operations/insiders/clusters.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import { yields } from '../../../src/operations/rates/yields.ts';
import { observations, revisions } from '../../../src/operations/series/observations.ts';
import { seriesSearch } from '../../../src/operations/series/series.ts';
import { vintages } from '../../../src/operations/series/vintages.ts';
import { beforeTheLapse } from '../../support/calendars.ts';
import { day, folder, known, latest, names, newPagedStore, trades } from '../../support/example-stores.ts';
import { filing, owner } from '../../support/filings.ts';
import { ask, everyPage, problemOf } from '../../support/http-service.ts';
import {
  facts,
  importFiles,
  importFilings,
  importSightings,
  newStorePath,
  withStore,
} from '../../support/scratch-store.ts';
import { textsOf } from '../../support/service-double.ts';

let path = '';
beforeAll(async () => {
  path = await newPagedStore();
});

/** All pages; expects each to have a cursor exactly where more rows follow. */
async function allPages(operation: Operation, query: string, limit: number) {
  const pages = await everyPage((cursor) =>
    ask(path, operation, [...textsOf(`${query}&limit=${limit}`), ...cursor]),
  );
  for (const { results, results_count, ...page } of pages) {
    expect(results_count).toBe(results.length);
    expect(page.has_more).toBe(Object.hasOwn(page, 'next_cursor'));
  }
  return pages.map(({ results }) => results);
}

test.each<[Operation, rows: number | undefined, count: number]>([
  [observations, undefined, 2],
  [observations, 1, 2],
  [observations, 5, 5],
  [observations, Number.POSITIVE_INFINITY, latest.length],
  // The limit counts dates, whose rows a page never parts.
  [revisions, 5, 4],
])('a page of $name that is read on, up to %d rows, has %d', async (operation, rows, count) => {
  const texts = textsOf('id=GDP&limit=2');
  const { results } = await withStore(path, (store) => embeddedClient(store).ask(operation, texts, { rows }));
  expect(results).toHaveLength(count);
});

const rate = (row: Row) => `${String(row.trade_date).slice(0, 10)} ${row.maturity} ${row.rate}`;
const id = (row: Row) => String(row.id);
const counts = (row: Row) => `${row.as_of_date} +${row.added} ~${row.revised} -${row.withdrawn}`;

const allRates = [...trades]
  .reverse()
  .flatMap((date, i) => [`${date} 1M 1.${2 - i}`, `${date} 2Y 2.${2 - i}`, `${date} 10Y 3.${2 - i}`]);
const allIds = [...names, 'DFII10', 'DGS10', 'DGS1MO', 'DGS2', 'T10Y2Y'].sort();

describe('pages of every size give the same rows, in the order of the contract', () => {
  test.each<[string, Operation, query: string, (row: Row) => string, readonly string[]]>([
    ['observations', observations, 'id=GDP', day, latest],
    ['observations as of a day', observations, 'id=GDP&as_of=2020-12-31', day, known],
    ['of a range', observations, 'id=GDP&from=2020-02-01&to=2020-06-15', day, latest.slice(2, 7)],
    ['first releases', observations, 'id=GDP&release=first', day, known.slice(0, 7)],
    ['no observations', observations, 'id=GDP&to=2019-01-01', day, []],
    [
      'vintages',
      vintages,
      'id=GDP',
      counts,
      ['2021-01-01 +0 ~7 -0', '2020-12-01 +7 ~0 -0', '2020-02-01 +1 ~0 -0'],
    ],
    ['all series', seriesSearch, '', id, allIds],
    ['series by id', seriesSearch, 'q=gdp', id, ['CPIGDP', 'GDP', 'GDPC1']],
    ['series by title', seriesSearch, 'q=gro&match=title', id, ['A1', 'CPI', 'GDPC1']],
    ['series by two words', seriesSearch, 'q=tr GROSS&match=title', id, ['CPI']],
    ['series, ids first', seriesSearch, 'q=gdp&match=any', id, ['CPIGDP', 'GDP', 'GDPC1', 'A2']],
    ['the best first', seriesSearch, 'q=gdp gross&match=words', id, ['GDPC1', 'GDP', 'A2', 'CPI', 'A1']],
    ['rates', yields, '', rate, allRates],
    ['of one maturity', yields, 'maturity=2Y', rate, allRates.filter((row) => row.includes('2Y'))],
    ['rates of a range', yields, 'from=2020-01-03&to=2020-01-05', rate, allRates.slice(3, 6)],
    ['real rates', yields, 'curve_type=TIPS', rate, ['2020-01-02 10Y 0.1']],
  ])('%s', async (_, operation, query, show, expected) => {
    for (const limit of [1, 2, 3, 7, 1000]) {
      const pages = await allPages(operation, query, limit);
      expect(pages.flat().map(show)).toEqual(expected);
      expect(pages).toHaveLength(Math.max(1, Math.ceil(expected.length / limit)));
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    }
  });

  test('and a page holds a hundred rows without a limit, which may change on the way', async () => {
    const many = newStorePath(folder);
    const lines = Array.from(
      { length: 106 },
      (_, i) => `S${String(i).padStart(3, '0')} 2020-01-01 2020-02-01 1`,
    );
    await importFiles(many, { 'facts.csv': facts(...lines) });
    const first = await ask(many, seriesSearch);
    expect([first.results_count, first.has_more]).toEqual([100, true]);
    const next = await ask(many, seriesSearch, `limit=5&cursor=${first.next_cursor}`);
    expect([next.results.map(id), next.has_more]).toEqual([['S100', 'S101', 'S102', 'S103', 'S104'], true]);
    const last = await ask(many, seriesSearch, `cursor=${next.next_cursor}`);
    expect([last.results.map(id), last.has_more]).toEqual([['S105'], false]);
  });
});

test('the vintages of a series that never had a value have no first date', async () => {
  const empty = newStorePath(folder);
  await importFiles(empty, { 'facts.csv': facts('X 2020-01-01 2020-02-01') });
  const { results, coverage } = await ask(empty, vintages, 'id=X');
  const times = { released_at: null, known_since: '2020-02-02T12:00:00Z' };
  const counted = { added: 0, revised: 0, withdrawn: 0, vintage_kind: 'exact', ...times };
  expect(results).toEqual([{ as_of_date: '2020-02-01', ...counted }]);
  expect(coverage?.first_date).toBeNull();
});

describe('a cursor', () => {
  const first = async (operation: Operation, query: string, of = path) =>
    (await ask(of, operation, `${query}&limit=1`)).next_cursor ?? '';

  test.each<[string, Operation, string, Operation, string]>([
    ['another series', observations, 'id=GDP', observations, 'id=CPI'],
    ['another knowledge date', observations, 'id=GDP', observations, 'id=GDP&as_of=2020-12-31'],
    ['another range', observations, 'id=GDP', observations, 'id=GDP&from=2020-01-01'],
    ['another search', seriesSearch, 'q=gdp', seriesSearch, 'q=a'],
    ['another operation', seriesSearch, '', yields, ''],
    ['another maturity', yields, 'maturity=2Y', yields, 'maturity=10Y'],
  ])('of %s is refused', async (_, asked, query, operation, other) => {
    const cursor = await first(asked, query);
    expect(cursor).not.toBe('');
    const problem = await problemOf(path, operation, `${other}&cursor=${cursor}`);
    expect([problem.status, problem.field, problem.kind]).toEqual([400, 'cursor', 'validation-error']);
    expect(problem.detail).toMatch(/^invalid 'cursor': /);
  });

  test('with any one character changed is refused', async () => {
    const cursor = await first(observations, 'id=GDP');
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const [at, old] of [...cursor].entries()) {
      const digit = digits[(digits.indexOf(old) + 17) % 64] ?? 'A';
      const changed = `${cursor.slice(0, at)}${digit}${cursor.slice(at + 1)}`;
      const problem = await problemOf(path, observations, `id=GDP&cursor=${changed}`);
      expect([problem.status, problem.field]).toEqual([400, 'cursor']);
    }
  });

  test.each([
    ['nothing', ''],
    ['no base64url', 'a+b/c=='],
    ['no JSON', 'AAAA'],
    ['an object', Buffer.from('{"a":1}').toString('base64url')],
    ['a list of too little', Buffer.from('["x"]').toString('base64url')],
    ['keys that are no texts', Buffer.from('["x",[1]]').toString('base64url')],
    ['a version that is no number', Buffer.from('["x",["2020-01-01"],"1"]').toString('base64url')],
    ['a megabyte', 'A'.repeat(2 ** 20)],
  ])('that is %s is refused', async (_, cursor) => {
    const asked = [
      [observations, 'id=GDP'],
      [seriesSearch, ''],
      [yields, ''],
    ] as const;
    for (const [operation, query] of asked) {
      const problem = await problemOf(path, operation, [...textsOf(query), ['cursor', cursor]]);
      expect([problem.status, problem.field]).toEqual([400, 'cursor']);
    }
  });

  test('has no as-of date that could be read or changed', async () => {
    const cursor = await first(observations, 'id=GDP&as_of=2020-12-31');
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('2020-12-31');
  });

  test('of a series outlives imports about others and what is known, and no change of its own', async () => {
    const next = `id=GDP&cursor=${await first(observations, 'id=GDP')}`;
    const other = facts('CPI 2020-01-01 2021-06-01 9', 'NEW 2020-01-01 2021-06-01 9');
    const again = facts('GDP 2020-01-01 2020-02-01 1');
    const changes = {
      'a new value': facts('GDP 2020-01-01 2021-06-01 9'),
      'a new statement of a known value': facts('GDP 2020-01-01 2021-06-01 1'),
      'a fuller text of a known statement': facts('GDP 2020-01-01 2020-02-01 1.000'),
    };
    for (const [change, lines] of Object.entries(changes)) {
      const changing = await newPagedStore();
      await importFiles(changing, { 'other.csv': other, 'again.csv': again });
      expect((await ask(changing, observations, next)).results.map(day)).toEqual(latest.slice(1));
      await importFiles(changing, { 'change.csv': lines });
      const refused = { kind: 'data-changed', status: 400, field: 'cursor' };
      expect(await problemOf(changing, observations, next), change).toMatchObject(refused);
    }
  });

  test('of vintages outlives an import about another series, and no calendar that gives other times', async () => {
    const timed = newStorePath(folder);
    const statements = beforeTheLapse.entries
      .slice(0, 5)
      .map(({ day }, i) => `PAYEMS 2025-01-01 ${day} ${i}`);
    await importFiles(timed, { 'facts.csv': facts(...statements) });
    const { next_cursor: cursor } = await ask(timed, vintages, 'id=PAYEMS&limit=2');
    const next = `id=PAYEMS&limit=2&cursor=${cursor}`;
    await importFiles(timed, { 'facts.csv': facts('CPI 2020-01-01 2021-06-01 9') });
    const { results } = await ask(timed, vintages, next);
    expect(results).toMatchObject([{ released_at: null }, { released_at: null }]);
    await importSightings(timed, [beforeTheLapse]);
    expect(await problemOf(timed, vintages, next)).toMatchObject({ kind: 'data-changed', field: 'cursor' });
  });

  test('of the calendar of today ends at midnight, and that as of a day does not', async () => {
    const planned = newStorePath(folder);
    await importSightings(planned, [beforeTheLapse]);
    const [before, after] = [{ now: '2025-09-15T23:59:00Z' }, { now: '2025-09-16T12:30:00Z' }];
    for (const asOf of ['', '&as_of=2025-09-15']) {
      const query = `from=2025-09-01&limit=2${asOf}`;
      const { next_cursor: cursor, results } = await ask(planned, calendar, query, before);
      expect(results.map(({ date }) => String(date).slice(0, 10))).toEqual(['2025-09-05', '2025-10-03']);
      const next = `${query}&cursor=${cursor}`;
      const days = (await ask(planned, calendar, next, before)).results.map(({ date }) => date);
      expect(days.map((date) => String(date).slice(0, 10))).toEqual(['2025-11-07', '2025-12-05']);
      if (asOf !== '')
        expect((await ask(planned, calendar, next, after)).results.map(({ date }) => date)).toEqual(days);
      else
        expect(await problemOf(planned, calendar, next, after)).toMatchObject({
          ...{ kind: 'data-changed', field: 'cursor' },
        });
    }
  });

  const bought = (issuerCik: string, filedOn: string) =>
    ['1', '2', '3'].map((cik) =>
      filing({ filingId: `${issuerCik}${cik}`, issuerCik, filedOn, owners: [owner({ cik })] }),
    );

  test.each<[Operation, string]>([
    [vintages, 'id=GDP'],
    [seriesSearch, 'q=gross&match=words'],
    [insiderClusters, 'min_insiders=3'],
  ])('of $name is refused once the data have changed', async (operation, query) => {
    const changing = await newPagedStore();
    await importFilings(changing, [...bought('1', '2026-01-02'), ...bought('2', '2026-01-02')]);
    const next = `${query}&limit=1&cursor=${await first(operation, query, changing)}`;
    expect((await ask(changing, operation, next)).results).toHaveLength(1);
    await importFiles(changing, { 'more.csv': facts('GDP 2020-01-01 2021-06-01 9') });
    expect(await problemOf(changing, operation, next)).toMatchObject({
      ...{ kind: 'data-changed', field: 'cursor' },
      detail: 'the data changed since the first page; start again',
    });
  });
});
