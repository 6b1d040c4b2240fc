import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Plan } from '../../../../src/server/keys/plans.ts';
import { openStore } from '../../../../src/store/open.ts';
import { asof, linesOf, statements } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import { type Running, startService, unlimited } from '../../../support/modes.ts';
import { importFiles } from '../../../support/scratch-store.ts';
import { proxyOf, reply } from '../../../support/service-double.ts';

vi.setConfig({ testTimeout: 60_000 });

const folder = newFolder();
const store = folder.path('store.db');
const dayOf = (month: number, day: number) => new Date(Date.UTC(2015, month, day)).toISOString().slice(0, 10);
let service: Running;

beforeAll(async () => {
  // Each month is published on the 15th of the next; MUCH revises the month before on the 20th as well. Each quarter
  // comes out on the 28th of the month after it, and is revised on the 28th of the next two.
  const lines = Array.from({ length: 60 }, (_, i) => [
    `CALM,${dayOf(i, 1)},${dayOf(i + 1, 15)},${i}.5`,
    `MUCH,${dayOf(i, 1)},${dayOf(i + 1, 15)},${i}.5`,
    `MUCH,${dayOf(i, 1)},${dayOf(i + 1, 20)},${i}.75`,
    ...(i % 3 === 0 ? [2, 3, 4] : []).map(
      (later) => `QUARTER,${dayOf(i, 1)},${dayOf(i + later + 1, 28)},${i}.${later}`,
    ),
  ]);
  await importFiles(store, { 'facts.csv': statements(lines.flat()) });
  service = await startService({ openStore: () => openStore(store) });
});
afterAll(() => service.stop());

/** The description of a service without the questions of several series, as that of another service. */
function withoutPanels(description: string): string {
  const { paths, ...others } = JSON.parse(description);
  const { '/v1/panel': _, '/v1/observations': _observations, '/v1/diff': _diff, ...contract } = paths;
  return JSON.stringify({ ...others, paths: contract });
}

/** A proxy of the service, without panels unless asked for, that answers some paths with something else. */
async function inFront({
  lacks = /^$/,
  instead = (response: ServerResponse) =>
    reply(response, 404, 'nothing here', { 'content-type': 'text/plain' }),
  panels = false,
  of = service,
  changed = (text: string, _path: string) => text,
} = {}) {
  let [underWay, atOnce] = [0, 0];
  const double = await proxyOf(
    of,
    (path, _number, response) => {
      if (lacks.test(path)) return instead(response);
      underWay += 1;
      atOnce = Math.max(atOnce, underWay);
    },
    (text, path) => {
      underWay -= 1;
      return path === '/v1/openapi.json' && !panels ? withoutPanels(text) : changed(text, path);
    },
  );
  const asked = (words = '') =>
    double.asked
      .map(({ url = '' }) => url)
      .filter((path) => path.includes(words) && !path.includes('openapi'));
  return { url: double.url, asked, atOnce: () => atOnce };
}

const days = '--as-of-each month-end --from 2015-01-01 --to 2019-12-31';
const each = `panel CALM MUCH ${days}`;

const remote = (line: string, url: string, key = service.key) =>
  asof([...line.split(' '), '--base-url', url, '--retries', '0'], { env: { ASOF_API_KEY: key } });
const embedded = (line: string) => asof([...line.split(' '), '--store', store]);

/** Expects that a service writes the rows that the store has. */
async function expectSame(line: string, url: string, key?: string): Promise<void> {
  const { code, out } = await remote(line, url, key);
  expect([code, out]).toEqual([0, (await embedded(line)).out]);
}

describe('over a service', () => {
  it.each([
    each,
    `${each} --wide --json`,
    `${each} --last 3 --json`,
    `${each} --last 2 --lag 1 --wide --with-dates`,
    `${each} --units pch --digits 2 --known-before-each`,
    `${each} --frequency q --aggregate eop`,
    `panel CALM:pch MUCH much:chg ${days} --digits 2 --wide`,
    `panel CALM:qoq MUCH ${days}`,
    `${each} --beyond repeat`,
    `${each} --beyond fail`,
    `${each} --max-age 5`,
    `${each} --exact`,
    'panel * --as-of-each month-end --from 2014-12-01 --to 2021-12-31',
    'panel * --as-of-each month-end --from 2014-12-01 --to 2021-12-31 --lag 1 --sort asc',
    'panel CALM NONE --as-of-each quarter-end --from 2015-01-01 --to 2019-12-31',
    'panel calm much --as-of-each business-day --from 2015-01-01 --to 2016-12-31 --wide',
    'panel CALM MUCH --as-of 2017-03-16 --wide',
    'panel * --known-before 2017-03-16 --csv',
    'diff MUCH 2017-03-16 2018-03-16',
    'revisions MUCH --date 2016-01-01',
    'vintages MUCH --limit 10',
  ])('%s writes the same', async (line) => {
    // A failure of a service ends with the id of its request.
    const without = (text: string) => text.replace(/^ +request req_\w+\n/gm, '').replace(/req_\w+/g, 'req_');
    const { code, out, err } = await embedded(line);
    for (const panels of [true, false]) {
      const found = await remote(line, (await inFront({ panels })).url);
      expect([found.code, without(found.out), without(found.err)]).toEqual([
        code,
        without(out),
        without(err),
      ]);
    }
  });

  it.each([each, 'diff MUCH 2017-03-16 2018-03-16', 'panel CALM MUCH --as-of 2017-03-16'])(
    '%s --dry-run says how many requests it takes at most, and makes fewer',
    async (line) => {
      const [dry, wet] = [await inFront(), await inFront()];
      const { code, out, err } = await remote(`${line} --dry-run`, dry.url);
      expect([code, out]).toEqual([0, '']);
      const most = Number(/takes at most (\d+) requests/.exec(err)?.[1]);
      await expectSame(line, wet.url);
      expect(wet.asked().length).toBeLessThanOrEqual(most);
    },
  );

  it('without panels, one of 2 series on 60 days takes few requests, some at once', async () => {
    const { url, asked, atOnce } = await inFront();
    await expectSame(each, url);
    // For each series its vintages and its history, and one of them again, to see whether the data changed.
    expect(asked()).toHaveLength(5);
    expect([2, 3, 4]).toContain(atOnce());
  });

  it('gets the units of one series as a parameter beside its id, which every service with panels knows', async () => {
    const { url, asked } = await inFront({ panels: true });
    await expectSame(`panel CALM:pch MUCH much:pch ${days} --digits 1 --wide`, url);
    // The first is asked again, to see whether the data changed.
    const sent = asked('/v1/panel')
      .map((path) => new URL(path, url).searchParams)
      .slice(0, 2);
    expect(sent.map((one) => ['ids', 'units', 'digits'].map((name) => one.get(name)))).toEqual([
      ['CALM,MUCH', 'pch', '1'],
      ['MUCH', null, null],
    ]);
  });

  it('that lacks the vintages and a description, the panel is the same', async () => {
    const { url } = await inFront({ lacks: /\/vintages|openapi/ });
    await expectSame('panel QUARTER MUCH --as-of-each quarter-end --from 2015-01-01 --to 2017-12-31', url);
  });

  it.each([
    ['revisions', /\/revisions/, ''],
    ['the vintages', /\/vintages/, ' --max-age 5'],
  ])('that lacks %s which the panel needs, the panel fails and says so', async (_, lacks, flags) => {
    const { url } = await inFront({ lacks });
    const { code, out, err } = await remote(`panel QUARTER ${days}${flags}`, url);
    expect([code, out, err]).toEqual([8, '', expect.stringContaining('has no /v1/series/QUARTER/')]);
  });

  it.each([
    ['the vintages', /\/vintages/],
    ['revisions', /\/revisions/],
  ])('behind a proxy that answers for %s with a page of HTML, the panel fails', async (_, lacks) => {
    const instead = (response: ServerResponse) =>
      reply(response, 200, '<!doctype html>', { 'content-type': 'text/html' });
    const { url } = await inFront({ lacks, instead });
    const { code, err } = await remote(`panel QUARTER MUCH ${days}`, url);
    expect([code, err]).toEqual([8, expect.stringContaining('an HTML page')]);
  });

  it('that lacks the vintages, --dry-run counts the requests for coverage too', async () => {
    const line = 'panel CALM MUCH --as-of-each month-end --from 2015-03-01 --to 2015-08-31';
    const { url, asked } = await inFront({ lacks: /\/vintages/ });
    const dry = await inFront({ lacks: /\/vintages/ });
    const { err } = await remote(`${line} --dry-run`, dry.url);
    await expectSame(line, url);
    expect(asked().length).toBeLessThanOrEqual(Number(/takes at most (\d+) requests/.exec(err)?.[1]));
    // One of them is asked again, to see whether the data changed.
    const described = asked().filter((path) => /^\/v1\/series\/\w+$/.test(path));
    expect([...new Set(described)].sort()).toEqual(['/v1/series/CALM', '/v1/series/MUCH']);
  });

  it('that lacks vintages and history, as-of dates are refused, and why', async () => {
    const { url, asked } = await inFront({ lacks: /\/(vintages|revisions)/ });
    const line = 'panel CALM --as-of-each day --from 2015-01-01 --to 2019-12-31';
    const { code, out, err } = await remote(line, url);
    expect([code, out]).toEqual([8, '']);
    expect(err).toContain('has no /v1/series/CALM/revisions');
    expect(asked().length).toBeLessThan(4);
  });

  it.each<[string, Partial<Plan>, number]>([
    ['quota is used up', { dailyLimit: 3 }, 6],
    ['plan has no vintages', { vintageAccess: false }, 5],
    ['plan allows too few rows for a panel at once', { maxRows: 100 }, 0],
  ])('whose %s, the panel ends as it should', async (_, plan, code) => {
    const other = await startService({
      openStore: () => openStore(store),
      plan: { ...unlimited, name: 'other', ...plan },
    });
    try {
      const { url } = await inFront({ of: other, panels: plan.dailyLimit === undefined });
      const ended = await remote(`${each} -v`, url, other.key);
      expect([ended.code, ended.out]).toEqual([code, code === 0 ? (await embedded(each)).out : '']);
      if (code !== 6) return;
      expect(linesOf(ended.err).filter((line) => /: 429, /.test(line)).length).toBeLessThanOrEqual(4);
      expect(ended.err.match(/daily limit of 3 requests exceeded/g)).toHaveLength(1);
    } finally {
      await other.stop();
    }
  });
});

describe('over a service that offers panels', () => {
  it('one of 2 series on 60 days takes a request, their descriptions, and a check', async () => {
    const [dry, wet] = [await inFront({ panels: true }), await inFront({ panels: true })];
    const { err } = await remote(`${each} --dry-run`, dry.url);
    expect([err, dry.asked('panel')]).toEqual(['asof: this panel takes at most 4 requests\n', []]);
    await expectSame(each, wet.url);
    const panel = '/v1/panel?ids=CALM%2CMUCH&as_of_each=month-end&from=2015-01-31&to=2019-12-31&beyond=empty';
    expect(wet.asked()).toEqual([panel, '/v1/series/CALM', '/v1/series/MUCH', panel]);
  });

  it('days without a rhythm that are too many for an address are asked for as a range', async () => {
    // Every ninth day: 812 days over 20 years.
    const all = Array.from({ length: 812 }, (_, i) => dayOf(-168, 1 + 9 * i));
    const file = folder.write('days.csv', `day\n${all.join('\n')}\n`);
    const { url, asked } = await inFront({ panels: true });
    await expectSame(`join ${file} --on day CALM MUCH --with-dates --with-age`, url);
    const range = 'as_of_each=day&from=2001-01-01&to=2020-12-26';
    // The second time to see whether the data changed.
    expect(asked('/v1/panel')).toEqual([expect.stringContaining(range), expect.stringContaining(range)]);
  });

  type Cells = Readonly<Record<string, string | null>>;
  const ofMay = ({ series_id: id, as_of: day = '' }: Cells) => id === 'CALM' && day?.startsWith('2016-05');
  const late = { as_of_date: '2016-06-15T00:00:00Z' };

  it.each<readonly [string, (row: Cells) => readonly Cells[]]>([
    ['lacks a row', (row) => (ofMay(row) ? [] : [row])],
    ['shows what was not known yet', (row) => [ofMay(row) ? { ...row, ...late } : row]],
    ['has a value without a date', (row) => [ofMay(row) ? { ...row, date: null } : row]],
    ['has a day twice', (row) => (ofMay(row) ? [row, row] : [row])],
    ['has no rows', () => []],
  ])('and whose panel %s, the series are asked one by one', async (_, changed) => {
    const { url, asked } = await inFront({
      panels: true,
      changed(text, path) {
        // The answer to the check that nothing changed is empty.
        if (text === '' || !path.startsWith('/v1/panel')) return text;
        const answer = JSON.parse(text);
        const results = answer.results.flatMap(changed);
        return JSON.stringify({ ...answer, results, results_count: results.length });
      },
    });
    await expectSame(each, url);
    expect(asked('/vintages').length).toBeGreaterThan(1);
  });

  it('a description that cannot be had is no failure', async () => {
    const { url } = await inFront({ lacks: /^\/v1\/series\/\w+$/, panels: true });
    await expectSame(each, url);
    expect((await remote(`${each} -v`, url)).err).toContain('no description of CALM');
  });
});
