import type { RequestListener } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { asof, linesOf } from '../../support/command.ts';
import { type Folder, newFolder } from '../../support/folders.ts';
import { envelope, problem, reply, serve } from '../../support/service-double.ts';

let folder: Folder;
let env: Readonly<Record<string, string>>;

beforeEach(() => {
  folder = newFolder();
  env = { ASOF_CONFIG_DIR: folder.path('mine') };
});

const run = (line: string, more: Readonly<Record<string, string>> = {}) =>
  asof(line.split(' '), { env: { ...env, ...more } });

/** An observation from a service that does not keep the order of the contract. */
function observation(date: string, value: string) {
  return {
    date: `${date}T00:00:00Z`,
    value,
    as_of_date: '2020-01-01T00:00:00Z',
    series_id: 'GDP',
    unit: '',
    frequency: 'Q',
    source: '',
  };
}

describe('a service that sends its rows in another order', () => {
  it('has its rows sorted by --sort asc', async () => {
    const dates = ['2014-04-01', '2014-10-01', '2014-01-01', '2014-07-01'];
    const { url } = await serve((request, response) => {
      const begin = Number(new URL(request.url ?? '', 'http://x').searchParams.get('cursor') ?? 0);
      const rows = dates.slice(begin, begin + 2).map((date) => observation(date, '1'));
      const more = begin === 0 ? { has_more: true, next_cursor: '2' } : {};
      reply(response, 200, envelope('observation_series', rows, more));
    });
    const { out } = await run(`obs GDP --sort asc --columns date --no-header --base-url ${url}`);
    expect(linesOf(out)).toEqual([...dates].sort());
  });

  const years = ['2011-01-01', '2012-01-01', '2013-01-01', '2014-01-01', '2015-01-01'];
  /** Serves these dates in this order, at most two on a page, each with another value. */
  const serving = (dates: readonly string[]) =>
    serve((request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://x');
      const begin = Number(searchParams.get('cursor') ?? 0);
      const end = begin + Math.min(2, Number(searchParams.get('limit')));
      const rows = dates.slice(begin, end).map((date) => observation(date, date.slice(2, 4)));
      const more = end < dates.length ? { has_more: true, next_cursor: `${end}` } : {};
      reply(response, 200, envelope('observation_series', rows, more));
    });

  it.each([
    ['', 5],
    ['--limit 2', 2],
    ['--limit 3', 3],
    ['--limit 9', 5],
    ['--limit 3 --sort asc', 3],
  ])('whose oldest observation comes first still gives the newest: obs GDP %s', async (flags, count) => {
    const [rising, falling] = await Promise.all([serving(years), serving(years.toReversed())]);
    const ask = (url: string) => run(`obs GDP ${flags} --base-url ${url}`.replace('  ', ' '));
    const [found, expected] = [await ask(rising.url), await ask(falling.url)];
    expect(found).toEqual(expected);
    const newest = years.toReversed().slice(0, count);
    expect(
      linesOf(found.out)
        .slice(1)
        .map((line) => line.slice(0, 10)),
    ).toEqual(flags.includes('asc') ? newest.reverse() : newest);
  });

  it('may have more rows than the limit, but gets no cursor for them', async () => {
    const { url } = await serving(years);
    const { has_more, next_cursor, results_count } = JSON.parse(
      (await run(`obs GDP --limit 2 --json --base-url ${url}`)).out,
    );
    expect({ has_more, next_cursor, results_count }).toEqual({
      has_more: true,
      next_cursor: undefined,
      results_count: 2,
    });
  });

  it.each([
    ['newest first', ['2015-01-01', '2014-01-01', '2014-01-01', '2013-01-01']],
    ['oldest first', ['2013-01-01', '2014-01-01', '2014-01-01', '2015-01-01']],
  ])('that repeats a date on the next page, %s, is refused', async (_, dates) => {
    const { url } = await serving(dates);
    const { code, err } = await run(`obs GDP --base-url ${url}`);
    expect([code, err]).toEqual([8, expect.stringContaining('the service gives 2014-01-01 again')]);
  });

  it('is asked for the newest curve on or before a day', async () => {
    const days = ['2024-12-20', '2024-12-23', '2024-12-24', '2024-12-26'];
    const point = (day: string) => ({
      trade_date: `${day}T00:00:00Z`,
      maturity: '10Y',
      rate: '4.5',
      curve_type: 'PAR',
      source: '',
    });
    const { url } = await serve((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      if (pathname.endsWith('/curve'))
        return reply(response, 200, envelope('yield_curve', [point(String(searchParams.get('date')))]));
      const [from, to] = [searchParams.get('from') ?? '', searchParams.get('to') ?? '9'];
      const found = days.filter((day) => from <= day && day <= to);
      found.reverse();
      const rows = found.slice(0, Number(searchParams.get('limit'))).map(point);
      const more = rows.length < found.length ? { has_more: true, next_cursor: 'x' } : {};
      return reply(response, 200, envelope('yield_series', rows, more));
    });
    const { code, out, err } = await run(
      `curve --on-or-before --date 2024-12-25 --columns trade_date --no-header --base-url ${url}`,
    );
    expect([code, out, err]).toEqual([
      0,
      '2024-12-24\n',
      'asof: no curve on 2024-12-25; this is 2024-12-24\n',
    ]);
  });
});

describe('a service that lacks an extension of asof', () => {
  const bare = {
    id: 'GDP',
    title: 'Gross Domestic Product',
    units: '',
    observation_count: 1,
    last_updated: '2015-01-30T00:00:00Z',
    source: '',
  };
  const plain: RequestListener = (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://x');
    if (pathname === '/v1/series') return reply(response, 200, envelope('series_list', [bare]));
    if (pathname === '/v1/series/GDP/observations')
      return reply(response, 200, envelope('observation_series', [observation('2014-10-01', '1')]));
    return problem(response, 404, 'not-found', 'no such endpoint');
  };

  it('is still searched by id, and fields that it lacks are empty', async () => {
    const { url } = await serve(plain);
    const { code, out } = await run(
      `series search domestic --match id --columns id,covered_to --no-header --base-url ${url}`,
    );
    // A service that searches otherwise than by id gives other series.
    expect([code, out]).toEqual([8, '']);
    const found = await run(
      `series search gdp --match id --columns id,covered_to --no-header --base-url ${url}`,
    );
    expect([found.code, found.out]).toEqual([0, 'GDP,\n']);
  });

  it('is not searched by words, and the refusal names what it has', async () => {
    const { url } = await serve(plain);
    const { code, out, err } = await run(`series search domestic --base-url ${url}`);
    expect([code, out]).toEqual([8, '']);
    expect(err).toContain("does not announce the parameter 'match'");
    expect(err).toContain('this service has only match=id');
  });

  it('is not asked for first releases', async () => {
    const { url } = await serve(plain);
    const { code, out, err } = await run(`obs GDP --first-release --base-url ${url}`);
    expect([code, out, err]).toEqual([
      8,
      '',
      expect.stringContaining("does not announce the parameter 'release'"),
    ]);
  });

  it.each([
    ['yields', '/v1/treasury/yields'],
    ['insider clusters --explain', '/v1/insider/clusters/explanations'],
    ['insider clusters --signals', '/v1/insider/clusters/signals'],
  ])('is reported to lack an endpoint: asof %s', async (line, path) => {
    const { url } = await serve(plain);
    const { code, out, err } = await run(`${line} --base-url ${url}`);
    expect([code, out, err]).toEqual([
      8,
      '',
      expect.stringContaining(`the service at ${url} has no ${path}\n`),
    ]);
  });

  it('keeps the days of revisions where it does not say when its record begins', async () => {
    const { url } = await serve((request, response) =>
      request.url?.includes('/revisions') === true
        ? reply(response, 200, envelope('revision_series', [observation('2014-10-01', '1')]))
        : reply(response, 200, envelope('series', [bare])),
    );
    const line = 'revisions GDP --date 2014-10-01 --columns value,days --no-header';
    expect((await run(`${line} --base-url ${url}`)).out).toBe('1,0\n');
  });
});

describe('data that changes between two pages', () => {
  it.each([
    [1, 0],
    [9, 8],
  ])(
    'is requested again while nothing is written, three times at most (changed %i times: exit %i)',
    async (changes, code) => {
      let changed = 0;
      const { url } = await serve((request, response) => {
        const { searchParams } = new URL(request.url ?? '', 'http://x');
        if (!searchParams.has('cursor'))
          return reply(
            response,
            200,
            envelope('observation_series', [observation('2014-10-01', `${changed}`)], {
              has_more: true,
              next_cursor: 'x',
            }),
          );
        changed += 1;
        if (changed <= changes)
          return problem(
            response,
            400,
            'validation-error',
            'the data changed since the first page; start again',
            { field: 'cursor' },
          );
        return reply(
          response,
          200,
          envelope('observation_series', [observation('2014-07-01', `${changes}`)]),
        );
      });
      const file = folder.path('out.csv');
      const ended = await run(`obs GDP --columns value --no-header -o ${file} --base-url ${url}`);
      expect(ended.code).toBe(code);
      expect(folder.has('out.csv') ? linesOf(folder.read('out.csv')) : undefined).toEqual(
        code === 0 ? [`${changes}`, `${changes}`] : undefined,
      );
      expect(changed).toBe(code === 0 ? 2 : 4);
    },
  );
});
