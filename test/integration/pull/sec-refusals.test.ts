import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../support/folders.ts';
import {
  type LoopbackSec,
  listOf,
  loopbackContact,
  loopbackSec,
  throttlePage,
  undeclaredPage,
} from '../../support/pull/loopback-sec.ts';
import { endings, pullAt } from '../../support/pull/pulling.ts';
import { recording } from '../../support/recordings.ts';
import { newStorePath } from '../../support/scratch-store.ts';

const folder = scratchFolder();
const instant = '2026-02-03T17:00:00Z';
const page = '<!DOCTYPE html><html><head><title>Page not found</title></head></html>';

function optionsFor({ url }: LoopbackSec, contact: string | undefined = loopbackContact) {
  return { store: newStorePath(folder), settings: { sec: { url, contact } }, request: { sec: ['cik 1'] } };
}

async function withList() {
  const server = await loopbackSec();
  server.files['/submissions/CIK0000000001.json'] = listOf('1', [], []);
  return server;
}

describe('what the SEC refuses', () => {
  it('with the page that its threshold is exceeded stops all requests for ten minutes, and says when to come back', async () => {
    const server = await withList();
    server.trouble = () => throttlePage;
    const options = { ...optionsFor(server), cacheFolder: scratchFolder(), retries: 3 };
    const { stops } = await pullAt(instant, options);
    expect(stops).toMatchObject([
      { source: 'sec', problem: { kind: 'rate-limit-exceeded', retryAfter: 600 } },
    ]);
    expect(stops[0]?.problem.detail).toMatch(/try again in 600 s, at 2026-02-03T17:10:00Z/);
    expect(stops[0]?.problem.hints).toContain('--max-wait 600 waits for it');
    expect(server.asked.length).toBe(1);
    server.trouble = () => undefined;
    // Another process of this user asks nothing before the pause is over.
    const early = await pullAt('2026-02-03T17:05:00Z', options);
    expect(early.stops[0]?.problem.kind).toBe('rate-limit-exceeded');
    expect(server.asked.length).toBe(1);
    expect((await pullAt('2026-02-03T17:10:01Z', options)).stops).toEqual([]);
    expect(server.asked.length).toBe(2);
  });

  it('again after a wait names a --max-wait that is long enough for both', async () => {
    const server = await withList();
    server.trouble = (number) => (number < 2 ? throttlePage : undefined);
    const { stops } = await pullAt(instant, { ...optionsFor(server), maxWait: 700 });
    expect(stops[0]?.problem.hints).toEqual(['--max-wait 1200 waits for it']);
    const other = await withList();
    other.trouble = (number) => (number < 2 ? throttlePage : undefined);
    expect((await pullAt(instant, { ...optionsFor(other), maxWait: 1200 })).stops).toEqual([]);
  });

  it('is asked for again after the ten minutes if the user allows that wait', async () => {
    const server = await withList();
    server.trouble = (number) => (number === 0 ? throttlePage : undefined);
    const { stops, waited } = await pullAt(instant, { ...optionsFor(server), maxWait: 700 });
    expect(stops).toEqual([]);
    expect(waited).toBeGreaterThanOrEqual(600_000);
    expect(server.asked.length).toBe(2);
  });

  it.each([403, 200])(
    'with the page about undeclared tools and the status %i is about the contact',
    async (status) => {
      const server = await withList();
      server.trouble = () => ({ ...undeclaredPage, status });
      const { stops } = await pullAt(instant, { ...optionsFor(server), retries: 3 });
      expect(stops).toMatchObject([{ problem: { kind: 'unauthorized' } }]);
      expect(stops[0]?.problem.detail).toBe('the SEC does not accept the contact that asof sends');
      expect(server.asked.length).toBe(1);
    },
  );

  it.each([
    [403, page, 'bad-answer'],
    [404, page, 'bad-answer'],
    [429, '', 'rate-limit-exceeded'],
    [503, recording('sec/getcurrent-503.json').response.body, 'service-unavailable'],
  ])('with HTTP %i and no text that asof knows is no missing file', async (status, body, kind) => {
    const server = await withList();
    server.trouble = () => ({ status, body });
    const summary = await pullAt(instant, optionsFor(server));
    const problems = [...summary.subjects, ...summary.stops].map(({ problem }) => problem?.kind);
    expect(problems).toContain(kind);
    expect(problems).not.toContain('not-found');
  });

  it('once with 503 is asked for again', async () => {
    const server = await withList();
    server.trouble = (number) => (number === 0 ? { status: 503, body: page } : undefined);
    const summary = await pullAt(instant, { ...optionsFor(server), retries: 1 });
    expect(endings(summary)).toEqual(['cik 1 nothing-new']);
  });
});

describe('the contact for the SEC', () => {
  it('goes out with each request', async () => {
    const server = await withList();
    await pullAt(instant, optionsFor(server));
    expect([...server.agents]).toEqual([expect.stringContaining(loopbackContact)]);
  });

  it('is needed: without one nothing is asked, and the message says how to set it', async () => {
    const server = await withList();
    const { stops } = await pullAt(instant, {
      ...optionsFor(server),
      settings: { sec: { url: server.url } },
    });
    expect(stops[0]?.problem.kind).toBe('unauthorized');
    expect(stops[0]?.problem.hints.join()).toMatch(/asof config set sec_contact .*ASOF_SEC_CONTACT/s);
    expect(server.asked).toEqual([]);
  });

  it.each(['Max Muster', 'max@', 'Máx max@example.com', 'Max\r\nX-Other: 1 max@example.com'])(
    '%j is refused without being repeated, and nothing is asked',
    async (contact) => {
      const server = await withList();
      const { stops } = await pullAt(instant, optionsFor(server, contact));
      expect(stops[0]?.problem.kind).toBe('bad-input');
      expect(`${stops[0]?.problem.detail} ${stops[0]?.problem.hints}`).not.toContain(contact);
      expect(server.asked).toEqual([]);
    },
  );
});

describe('requests to the SEC', () => {
  it('are at most eight a second', async () => {
    const server = await loopbackSec();
    const { waited } = await pullAt(instant, {
      ...optionsFor(server),
      request: { sec: Array.from({ length: 17 }, (_, i) => `cik ${i + 1}`) },
    });
    // The loopback knows none of the CIKs; each is one request.
    expect(server.asked.length).toBe(17);
    expect(waited).toBeGreaterThanOrEqual(2000);
  });
});
