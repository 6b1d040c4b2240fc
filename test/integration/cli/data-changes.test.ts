import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { openStore } from '../../../src/store/open.ts';
import { asof, type Ended, linesOf, statements } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { type Running, startService } from '../../support/modes.ts';
import { proxyOf, serve } from '../../support/service-double.ts';

type Before = (path: string) => Promise<void>;

/** Called before each request to an embedded client. */
const hook = vi.hoisted(() => ({ before: (async () => undefined) as Before }));

vi.mock('../../../src/client/open.ts', async (original) => {
  const opening = await original<typeof import('../../../src/client/open.ts')>();
  const openEmbedded: typeof opening.openEmbedded = async (...asked) => {
    const client = await opening.openEmbedded(...asked);
    const ask: Client['ask'] = async (operation, given, options) => {
      await hook.before(operation.path);
      return client.ask(operation, given, options);
    };
    return { ...client, ask };
  };
  return { ...opening, openEmbedded };
});

const folder = newFolder();
const store = folder.path('store.db');
let service: Running;
let imports = 0;
/** How many months of each series were imported. */
const imported = { ONE: 0, TWO: 0 };
/** The import that is running: only one may write at a time. */
let importing: Promise<void> = Promise.resolve();

/** Imports a new month of each series, known before every as-of date in the commands. */
function importMore(ids: readonly (keyof typeof imported)[] = ['ONE', 'TWO']): Promise<void> {
  importing = importing.then(async () => {
    imports += 1;
    const date = new Date(Date.UTC(2000, imports, 1)).toISOString().slice(0, 10);
    const file = folder.write(
      'more.csv',
      statements(ids.map((id) => `${id},${date},2015-01-01,${imports}.5`)),
    );
    const { code, err } = await asof(['import', file, '--store', store]);
    if (code !== 0) throw new Error(err);
    for (const id of ids) imported[id] += 1;
  });
  return importing;
}

beforeAll(async () => {
  await importMore();
  service = await startService({ openStore: () => openStore(store) });
});
afterAll(() => service.stop());

const remote = (line: string, url: string) =>
  asof([...line.split(' '), '--base-url', url, '--retries', '0'], { env: { ASOF_API_KEY: service.key } });
const embedded = (line: string) => asof([...line.split(' '), '--store', store]);

/** Runs a command, and calls `before` before each of its requests. */
type Run = (line: string, before: Before) => Promise<Ended>;

const runs: readonly (readonly [mode: string, run: Run])[] = [
  [
    'embedded',
    async (line, before) => {
      hook.before = before;
      return embedded(line).finally(() => {
        hook.before = async () => undefined;
      });
    },
  ],
  ['remote', async (line, before) => remote(line, (await proxyOf(service, before)).url)],
];

const diff = 'diff ONE 2016-01-31 2016-02-29';
const panel = 'panel ONE TWO --wide';
const lines = [
  diff,
  'panel ONE TWO --as-of 2016-01-31 --wide',
  'panel ONE TWO --as-of-each month-end --from 2016-01-01 --to 2016-03-31 --wide --beyond repeat',
];

folder.write('plan.txt', 'one.csv obs ONE\npanel.csv panel ONE TWO --wide\ntwo.csv obs TWO\n');
const out = folder.path('snap');
const snapshot = `snapshot ${folder.path('plan.txt')} --out ${out} --as-of 2016-01-31 -q`;
/** The number of months in each file of the snapshot. */
const months = () =>
  ['one', 'panel', 'two'].map((name) => linesOf(folder.read(`snap/${name}.csv`)).length - 1);

/** Matches the requests for values, from which the answer is made. */
const values = /\/observations|\/history|\/revisions|\/v1\/panel/;

describe.each(runs)('an import between two requests (%s)', (mode, run) => {
  /** Runs a command with work before the requests for values, and counts these. */
  async function interrupted(line: string, work: (number: number) => Promise<void> | void) {
    let asked = 0;
    const ended = await run(line, async (path) => {
      if (!values.test(path)) return;
      asked += 1;
      await work(asked);
    });
    return { ...ended, asked };
  }
  const importAt = (place: number, ids?: readonly ['TWO']) => (number: number) =>
    number === place ? importMore(ids) : undefined;

  it.each(lines)('makes %s read everything again, from the state after the import', async (line) => {
    const { code, out, asked } = await interrupted(line, importAt(2));
    expect([code, out]).toEqual([0, (await embedded(line)).out]);
    // Two requests, of which the second came after the import, and then both again.
    expect(asked).toBeGreaterThanOrEqual(4);
  });

  // One request for the first line, two for the panel, one for the last.
  it.each([2, 4])('before request %i makes all lines of a snapshot run again', async (place) => {
    const { code, err, asked } = await interrupted(snapshot, importAt(place));
    const { ONE, TWO } = imported;
    expect([code, err, months()]).toEqual([0, '', [ONE, TWO, TWO]]);
    expect(asked).toBeGreaterThanOrEqual(8);
    expect((await embedded(`verify ${out}`)).code).toBe(0);
  });

  it.each(lines.slice(0, 2))('before every request makes %s end with 8 and write nothing', async (line) => {
    const { code, out, err, asked } = await interrupted(line, () => importMore());
    expect([code, out]).toEqual([8, '']);
    expect(err).toContain('the data changed while asof was reading them');
    // The note about coverage is printed once.
    expect(new Set(linesOf(err)).size).toBe(linesOf(err).length);
    expect(asked).toBeGreaterThanOrEqual(8);
  });

  it('before every request makes a snapshot end with 8, and stay as it was', async () => {
    const before = months();
    const { code, err } = await interrupted(snapshot, () => importMore());
    expect([code, err]).toEqual([
      8,
      `asof: the data changed while asof was reading them (try again when the import is done); ${out} is unchanged\n`,
    ]);
    expect(months()).toEqual(before);
    expect(readdirSync(folder.path('.')).filter((name) => /^\.snap\.\d/.test(name)).length).toBeLessThan(3);
  });

  it('is noticed even if it does not change the first answer', async () => {
    const { code, out, asked } = await interrupted(panel, importAt(2, ['TWO']));
    expect([code, out]).toEqual([0, (await embedded(panel)).out]);
    // A service is also asked for the first answer again, for its new tag, and at the end whether the tag is the same.
    expect(asked).toBe(mode === 'embedded' ? 4 : 7);
  });

  it('costs no request where none happens, except the check of a service', async () => {
    const { code, asked } = await interrupted(diff, () => undefined);
    expect([code, asked]).toEqual([0, mode === 'embedded' ? 2 : 3]);
  });
});

it.each<readonly [code: number, requests: number, what: string, tagOf: (asked: number) => object]>([
  [0, 2, 'sends no tags', () => ({})],
  [0, 4, 'sends a new tag each time', (asked) => ({ etag: `"${asked}"` })],
  [6, 3, 'has no request left for the last check', () => ({ etag: '"1"' })],
])('a diff ends with %i after %i requests where the service %s', async (code, requests, _, tagOf) => {
  const { url, asked } = await serve(async ({ url: path, headers }, response) => {
    const answer = await fetch(service.url + path, { headers: { 'x-api-key': service.key } });
    const isRefused = code === 6 && headers['if-none-match'] !== undefined;
    response
      .writeHead(isRefused ? 429 : answer.status, {
        'content-type': 'application/json',
        ...tagOf(asked.length),
      })
      .end(await answer.text());
  });
  const ended = await remote(diff, url);
  const expected = code === 0 ? (await embedded(diff)).out : '';
  expect([ended.code, ended.out, asked.length]).toEqual([code, expected, requests]);
});
