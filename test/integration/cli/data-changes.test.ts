import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { asof, type Ended, linesOf, statements } from '../../support/command.ts';
import { type Folder, newFolder } from '../../support/folders.ts';
import { hook } from '../../support/hooked-clients.ts';
import { type Running, startService } from '../../support/modes.ts';
import { serve } from '../../support/service-double.ts';

vi.setConfig({ testTimeout: 60_000 });

vi.mock('../../../src/client/open.ts', async (original) =>
  (await import('../../support/hooked-clients.ts')).hookedClients(original),
);

const folder: Folder = newFolder();
const store = folder.path('store.db');
let service: Running;
let imports = 0;
/** The import that is running: only one may write at a time. */
let importing: Promise<void> = Promise.resolve();

/** Imports a new month of each series, known before every as-of date in the commands. */
function importMore(ids: readonly string[] = ['ONE', 'TWO']): Promise<void> {
  importing = importing.then(() => importNext(ids));
  return importing;
}

async function importNext(ids: readonly string[]): Promise<void> {
  imports += 1;
  const date = new Date(Date.UTC(2000, imports, 1)).toISOString().slice(0, 10);
  const lines = ids.map((id) => `${id},${date},2015-01-01,${imports}.5`);
  const file = folder.write('more.csv', statements(lines));
  const { code, err } = await asof(['import', file, '--store', store]);
  if (code !== 0) throw new Error(err);
}

beforeAll(async () => {
  await importMore();
  service = await startService({ openStore: () => openStore(store) });
});
beforeEach(() => {
  hook.beforeRequest = async () => undefined;
});
afterAll(async () => {
  await service.stop();
});

/** The ETag that a service sends with an answer. */
type Tags = 'its own' | 'none' | 'a new one each time';

/** A proxy of the service that calls `before` before it forwards a request. */
async function through(before: (path: string) => Promise<void>, tags: Tags = 'its own') {
  const { url, asked } = await serve(async (request, response) => {
    const { url: path = '', headers } = request;
    await before(path);
    const tag = tags === 'its own' ? headers['if-none-match'] : undefined;
    const answer = await fetch(service.url + path, {
      headers: { 'x-api-key': service.key, ...(tag !== undefined && { 'if-none-match': tag }) },
    });
    const etag =
      tags === 'its own' ? answer.headers.get('etag') : tags === 'none' ? null : `"${asked.length}"`;
    response
      .writeHead(answer.status, { 'content-type': 'application/json', ...(etag !== null && { etag }) })
      .end(await answer.text());
  });
  return { url, asked };
}

const remote = (line: string, url: string) =>
  asof([...line.split(' '), '--base-url', url, '--retries', '0'], { env: { ASOF_API_KEY: service.key } });
const embedded = (line: string) => asof([...line.split(' '), '--store', store]);

/** Runs a command, and calls `before` before each of its requests. */
type Run = (line: string, before: (path: string) => Promise<void>) => Promise<Ended>;

const runs: readonly (readonly [mode: string, run: Run])[] = [
  [
    'embedded',
    async (line, before) => {
      hook.beforeRequest = before;
      const ended = await embedded(line);
      hook.beforeRequest = async () => undefined;
      return ended;
    },
  ],
  ['remote', async (line, before) => remote(line, (await through(before)).url)],
];

const lines = [
  'diff ONE 2016-01-31 2016-02-29',
  'panel ONE TWO --as-of 2016-01-31 --wide',
  'panel ONE TWO --wide',
  'panel ONE TWO --as-of-each month-end --from 2016-01-01 --to 2016-03-31 --wide --beyond repeat',
];

/** Matches the requests for values, from which the answer is made. */
const values = /\/observations|\/revisions|\/v1\/panel/;

describe.each(runs)('an import between two requests (%s)', (_, run) => {
  it.each(lines)('makes %s read everything again, from the state after the import', async (line) => {
    let asked = 0;
    const { code, out } = await run(line, async (path) => {
      if (values.test(path)) asked += 1;
      if (values.test(path) && asked === 2) await importMore();
    });
    expect([code, out]).toEqual([0, (await embedded(line)).out]);
    // Two requests, of which the second came after the import, and then both again.
    expect(asked).toBeGreaterThanOrEqual(4);
  });

  it.each(lines)('before every request makes %s end with 8 and write nothing', async (line) => {
    let asked = 0;
    const { code, out, err } = await run(line, async (path) => {
      if (!values.test(path)) return;
      asked += 1;
      await importMore();
    });
    expect([code, out]).toEqual([8, '']);
    expect(err).toContain('the data changed while it was being read');
    // The note about coverage is printed once.
    expect(new Set(linesOf(err)).size).toBe(linesOf(err).length);
    expect(asked).toBeGreaterThanOrEqual(8);
  });

  it('is noticed even if it does not change the first answer', async () => {
    let asked = 0;
    const { code, out } = await run('panel ONE TWO --wide', async (path) => {
      if (values.test(path)) asked += 1;
      if (values.test(path) && asked === 2) await importMore(['TWO']);
    });
    expect([code, out]).toEqual([0, (await embedded('panel ONE TWO --wide')).out]);
    // A service is also asked for the first answer again, for its new tag, and at the end whether the tag is the same.
    expect(asked).toBe(run === runs[0]?.[1] ? 4 : 7);
  });

  it('costs no request where none happens, except the check of a service', async () => {
    let asked = 0;
    const { code } = await run('diff ONE 2016-01-31 2016-02-29', async (path) => {
      if (values.test(path)) asked += 1;
    });
    expect([code, asked]).toEqual([0, run === runs[0]?.[1] ? 2 : 3]);
  });
});

describe('a service whose tags do not show changes', () => {
  it.each([
    ['none', 2],
    ['a new one each time', 4],
  ] as const)('is trusted (%s)', async (tags, requests) => {
    const { url, asked } = await through(async () => undefined, tags);
    const line = 'diff ONE 2016-01-31 2016-02-29';
    const { code, out } = await remote(line, url);
    expect([code, out, asked.length]).toEqual([0, (await embedded(line)).out, requests]);
  });

  it('leads to exit 6 if the last check is one request too many', async () => {
    let asked = 0;
    const { url } = await serve(async (request, response) => {
      asked += 1;
      const answer = await fetch(service.url + request.url, { headers: { 'x-api-key': service.key } });
      const tooMany = request.headers['if-none-match'] !== undefined;
      response
        .writeHead(tooMany ? 429 : answer.status, { 'content-type': 'application/json', etag: '"1"' })
        .end(await answer.text());
    });
    const { code, out } = await remote('diff ONE 2016-01-31 2016-02-29', url);
    expect([code, out, asked]).toEqual([6, '', 3]);
  });
});
