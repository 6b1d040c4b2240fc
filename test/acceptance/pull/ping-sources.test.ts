import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Home, newHome } from '../../support/pull/homes.ts';
import { loopbackContact, undeclaredPage } from '../../support/pull/loopback-sec.ts';
import { fredWorld, secWorld, treasuryWorld, type World } from '../../support/pull/worlds.ts';
import { reply, serve } from '../../support/service-double.ts';

vi.setConfig({ testTimeout: 60_000 });

let worlds: readonly World[] = [];
let home: Home;

beforeEach(async () => {
  worlds = [await fredWorld(), await treasuryWorld(), await secWorld()];
  home = newHome(() => Object.assign({}, ...worlds.map(({ env }) => env)));
});

afterEach(async () => {
  for (const world of worlds) await world.close();
});

const asked = () => worlds.map(({ times }) => times.length);

async function ping(env: Readonly<Record<string, string>> = {}, ...flags: readonly string[]) {
  const { code, out, err } = await home.asof(['ping', '--sources', '--json', ...flags], env);
  const rows: Record<string, unknown>[] = JSON.parse(out).results;
  return { code, err, rows, keys: rows.map(({ answers, key }) => [answers, key]) };
}

describe('asof ping --sources', () => {
  it('asks each source once, and says whether it answers, takes the key, and what the pace allows', async () => {
    const started = Date.now();
    const { code, err, rows, keys } = await ping();
    expect([code, err, asked()]).toEqual([0, '', [1, 1, 1]]);
    expect(keys).toEqual([
      [true, 'works'],
      [true, 'not needed'],
      [true, 'works'],
    ]);
    // FRED takes 100 requests a minute, and this was the first.
    expect(rows[0]).toMatchObject({ source: 'fred', followed: 0, requests_in_minute: 99, problem: null });
    for (const { next_request: next } of rows) {
      expect(Date.parse(String(next))).toBeGreaterThan(started);
      expect(Date.parse(String(next))).toBeLessThan(Date.now() + 1000);
    }
  });

  it('counts for the pace, and names the number of things that the store follows', async () => {
    await home.asof(['pull', 'fred', 'SMALL']);
    const pulled = worlds[0]?.times.at(-1) ?? 0;
    const { rows } = await ping();
    expect(rows.map(({ followed }) => followed)).toEqual([1, 0, 0]);
    // FRED takes two requests a second.
    expect((worlds[0]?.times.at(-1) ?? 0) - pulled).toBeGreaterThan(450);
  });

  it('tells a missing key from one that is refused, and asks nothing without one', async () => {
    const none = await ping({ FRED_API_KEY: '', ASOF_SEC_CONTACT: '' });
    expect([none.code, none.keys, asked()]).toEqual([
      0,
      [
        [null, 'missing'],
        [true, 'not needed'],
        [null, 'missing'],
      ],
      [0, 1, 0],
    ]);
    const refused = await ping({ FRED_API_KEY: 'f'.repeat(32) });
    expect([refused.code, refused.keys[0]]).toEqual([4, [true, 'refused']]);
    expect(refused.err).toContain('FRED does not take the key');
    expect(JSON.stringify(refused)).not.toContain('f'.repeat(32));
  });

  it('ends with 4 for a missing key of a source that the store follows', async () => {
    await home.asof(['pull', 'fred', 'SMALL']);
    const { code, err } = await ping({ FRED_API_KEY: '' });
    expect([code, err]).toEqual([4, expect.stringContaining('no key for FRED')]);
  });

  it('says that the SEC does not take the contact, and that a contact is none', async () => {
    const { url } = await serve((_, response) => reply(response, 403, undeclaredPage.body));
    const refused = await ping({ ASOF_SEC_URL: url });
    expect([refused.code, refused.keys[2]]).toEqual([4, [true, 'refused']]);
    const bad = await ping({ ASOF_SEC_CONTACT: 'Jane' });
    expect([bad.code, bad.keys[2], asked()[2]]).toEqual([2, [null, 'refused'], 0]);
    expect(JSON.stringify([refused, bad])).not.toContain(loopbackContact);
  });

  it.each([
    ['throttled', 6, /too many requests|asks for a pause|HTTP 429/],
    ['refused with a page', 6, /answered 403|asks for a pause|HTTP 403/],
    ['half an answer', 0, /^$/],
    ['silent', 7, /no answer within 1 s/],
  ] as const)(
    'on a day on which all are %s ends with %i after one request each',
    async (how, code, reason) => {
      for (const world of worlds) world.spoil(how);
      const { code: ended, rows } = await ping({}, '--timeout', '1');
      // Half an answer of Treasury or the SEC shows that they answer; FRED says in each answer whether it takes the
      // key.
      expect(ended).toBe(how === 'half an answer' ? 8 : code);
      for (const { source, problem } of rows)
        if (how !== 'half an answer' || source === 'fred')
          expect(problem).toMatch(how === 'half an answer' ? /not JSON or broke off/ : reason);
      expect(asked()).toEqual([1, 1, 1]);
    },
  );

  it('asks nothing while a pause lasts, and says when the next request may go', async () => {
    for (const world of worlds) world.spoil('throttled');
    await ping();
    for (const world of worlds) world.spoil(undefined);
    const before = Date.now();
    const { code, rows } = await ping();
    expect([code, asked()]).toEqual([6, [1, 1, 1]]);
    expect(rows.map(({ answers, key }) => [answers, key])).toEqual([
      [null, 'unknown'],
      [null, 'not needed'],
      [null, 'unknown'],
    ]);
    const waits = rows.map(({ next_request: next }) => (Date.parse(String(next)) - before) / 1000);
    expect(waits.map((seconds) => Math.ceil(seconds / 60))).toEqual([1, 1, 10]);
    expect(rows[2]?.requests_in_minute).toBe(0);
    rmSync(join(home.path, '.cache'), { recursive: true });
    expect((await ping()).code).toBe(0);
  });

  it('without a network ends with 7, and names each address', async () => {
    const urls = Object.fromEntries(worlds.map(({ urlVariable }) => [urlVariable, 'http://127.0.0.1:9']));
    const { code, keys, err } = await ping(urls);
    expect([code, keys.map(([answers]) => answers)]).toEqual([7, [false, false, false]]);
    expect(err).toContain('cannot reach http://127.0.0.1:9');
    expect(asked()).toEqual([0, 0, 0]);
  });

  it('writes a table, a file and chosen columns, and takes no --base-url', async () => {
    const file = join(home.path, 'sources.csv');
    const columns = ['--columns', 'source,key'];
    expect(await home.asof(['ping', '--sources', '-o', file, ...columns])).toEqual({
      code: 0,
      out: '',
      err: '',
    });
    const table = await home.asof(['ping', '--sources', '-f', 'table', ...columns, '--no-color']);
    expect(table.out.replace(/ +/g, ' ')).toMatch(
      /source key ?\n(.*\n)?fred works ?\ntreasury not needed ?\nsec works/,
    );
    expect(home.contents()).toContain('source,key\nfred,works\ntreasury,not needed\nsec,works\n');
    const both = await home.asof(['ping', '--sources', '--base-url', 'http://127.0.0.1:9']);
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('leave out --base-url')]);
  });
});
