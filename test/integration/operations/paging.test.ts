import { beforeAll, describe, expect, test } from 'vitest';
import type { Row } from '../../../src/operations/envelope.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import type { ParamTexts } from '../../../src/operations/param.ts';
import { yields } from '../../../src/operations/rates/yields.ts';
import { observations } from '../../../src/operations/series/observations.ts';
import { seriesSearch } from '../../../src/operations/series/series.ts';
import { day, folder, known, latest, names, newPagedStore, trades } from '../../support/example-stores.ts';
import { facts, importFiles, newStorePath } from '../../support/scratch-store.ts';
import { ask } from '../../support/service.ts';

/** All pages; expects each to have a cursor exactly where more rows follow. */
async function allPages(
  path: string,
  operation: Operation,
  given: ParamTexts,
  limit: number,
): Promise<Row[][]> {
  const pages: Row[][] = [];
  let cursor: string | undefined;
  do {
    const page = await ask(path, operation, [
      ...given,
      ['limit', String(limit)],
      ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
    ]);
    pages.push([...page.results]);
    expect(page.results_count).toBe(page.results.length);
    expect(page.has_more).toBe(Object.hasOwn(page, 'next_cursor'));
    cursor = page.next_cursor;
  } while (cursor !== undefined && pages.length < 100);
  return pages;
}

const rate = (row: Row) => `${String(row.trade_date).slice(0, 10)} ${row.maturity} ${row.rate}`;
const id = (row: Row) => String(row.id);

const allRates = [...trades]
  .reverse()
  .flatMap((date, i) => [`${date} 1M 1.${2 - i}`, `${date} 2Y 2.${2 - i}`, `${date} 10Y 3.${2 - i}`]);

let path = '';
beforeAll(async () => {
  path = await newPagedStore();
});

describe('pages of every size give the same rows, in the order of the contract', () => {
  test.each<[string, Operation, ParamTexts, (row: Row) => string, readonly string[]]>([
    ['observations', observations, [['id', 'GDP']], day, latest],
    [
      'observations as of a day',
      observations,
      [
        ['id', 'GDP'],
        ['as_of', '2020-12-31'],
      ],
      day,
      known,
    ],
    [
      'observations in a range',
      observations,
      [
        ['id', 'GDP'],
        ['from', '2020-02-01'],
        ['to', '2020-06-15'],
      ],
      day,
      latest.slice(2, 7),
    ],
    [
      'first releases',
      observations,
      [
        ['id', 'GDP'],
        ['release', 'first'],
      ],
      day,
      known.slice(0, 7),
    ],
    [
      'no observations',
      observations,
      [
        ['id', 'GDP'],
        ['to', '2019-01-01'],
      ],
      day,
      [],
    ],
    ['all series', seriesSearch, [], id, [...names, 'DFII10', 'DGS10', 'DGS1MO', 'DGS2', 'T10Y2Y'].sort()],
    ['series by id', seriesSearch, [['q', 'gdp']], id, ['CPIGDP', 'GDP', 'GDPC1']],
    [
      'series by title',
      seriesSearch,
      [
        ['q', 'gro'],
        ['match', 'title'],
      ],
      id,
      ['A1', 'CPI', 'GDPC1'],
    ],
    [
      'series by two words',
      seriesSearch,
      [
        ['q', 'tr GROSS'],
        ['match', 'title'],
      ],
      id,
      ['CPI'],
    ],
    [
      'series by either, ids first',
      seriesSearch,
      [
        ['q', 'gdp'],
        ['match', 'any'],
      ],
      id,
      ['CPIGDP', 'GDP', 'GDPC1', 'A2'],
    ],
    [
      'series by words, the best first',
      seriesSearch,
      [
        ['q', 'gdp gross'],
        ['match', 'words'],
      ],
      id,
      ['GDPC1', 'GDP', 'A2', 'CPI', 'A1'],
    ],
    ['rates', yields, [], rate, allRates],
    [
      'rates of one maturity',
      yields,
      [['maturity', '2Y']],
      rate,
      allRates.filter((row) => row.includes('2Y')),
    ],
    [
      'rates in a range',
      yields,
      [
        ['from', '2020-01-03'],
        ['to', '2020-01-05'],
      ],
      rate,
      allRates.slice(3, 6),
    ],
    ['real rates', yields, [['curve_type', 'TIPS']], rate, ['2020-01-02 10Y 0.1']],
  ])('%s', async (_, operation, given, show, expected) => {
    for (const limit of [1, 2, 3, 7, 1000]) {
      const pages = await allPages(path, operation, given, limit);
      expect(pages.flat().map(show)).toEqual(expected);
      expect(pages.map((page) => page.length)).toEqual(sizes(expected.length, limit));
    }
  });

  test('without a limit, a page holds a hundred rows', async () => {
    const many = newStorePath(folder);
    const lines = Array.from(
      { length: 101 },
      (_, i) => `S${String(i).padStart(3, '0')} 2020-01-01 2020-02-01 1`,
    );
    await importFiles(many, { 'facts.csv': facts(...lines) });
    const first = await ask(many, seriesSearch, []);
    expect([first.results_count, first.has_more]).toEqual([100, true]);
    const last = await ask(many, seriesSearch, [['cursor', first.next_cursor ?? '']]);
    expect([last.results.map(id), last.has_more]).toEqual([['S100'], false]);
  });

  test('a search by words begins again when the data changed since its first page', async () => {
    const changing = await newPagedStore();
    const words = [
      ['q', 'gross'],
      ['match', 'words'],
      ['limit', '1'],
    ] as const;
    const first = await ask(changing, seriesSearch, words);
    const next = [...words, ['cursor', first.next_cursor ?? '']] as const;
    expect((await ask(changing, seriesSearch, next)).results).toHaveLength(1);
    await importFiles(changing, { 'more.csv': facts('NEW 2020-01-01 2020-02-01 1') });
    await expect(ask(changing, seriesSearch, next)).rejects.toMatchObject({
      detail: 'the data changed since the first page; start again',
      field: 'cursor',
    });
  });

  test('the size of a page may change on the way', async () => {
    const first = await ask(path, observations, [
      ['id', 'GDP'],
      ['limit', '2'],
    ]);
    const rest = await ask(path, observations, [
      ['limit', '5'],
      ['cursor', first.next_cursor ?? ''],
      ['id', 'GDP'],
    ]);
    expect(rest.results.map(day)).toEqual(latest.slice(2, 7));
  });
});

/** The number of rows in each page: full pages, then the rest; one empty page where there are no rows. */
function sizes(count: number, limit: number): readonly number[] {
  if (count === 0) return [0];
  return Array.from({ length: Math.ceil(count / limit) }, (_, i) => Math.min(limit, count - i * limit));
}
