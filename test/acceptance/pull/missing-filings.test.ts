import { describe, expect, it, vi } from 'vitest';
import { addDays, utcDay } from '../../../src/domain/series/date.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { ended, newHome } from '../../support/pull/homes.ts';
import {
  type LoopbackFiling,
  listOf,
  loopbackContact,
  loopbackSec,
  noSuchKey,
} from '../../support/pull/loopback-sec.ts';
import type { Trouble } from '../../support/pull/loopback-treasury.ts';
import { reading } from '../../support/scratch-store.ts';

// The pace of requests is that of a real pull.
vi.setConfig({ testTimeout: 120_000 });

const begun = addDays(utcDay(new Date()), -60);
const filings = Array.from({ length: 30 }, (_, i): LoopbackFiling => {
  const filedOn = addDays(begun, i);
  const accessionNumber = `0000000001-${filedOn.slice(2, 4)}-${String(i + 1).padStart(6, '0')}`;
  return { accessionNumber, form: '4', filedOn, accepted: `${filedOn}T16:30:00`, cik: '1' };
});
const bad = filings[7]?.accessionNumber ?? '';
const numbers = filings.map(({ accessionNumber }) => accessionNumber);

onEveryEngine((engine) => {
  async function company() {
    const server = await loopbackSec();
    server.files['/submissions/CIK0000000001.json'] = listOf('1', filings, []);
    server.addFilings('1', filings);
    const env = { ASOF_SEC_URL: server.url, ASOF_SEC_CONTACT: loopbackContact };
    const store = engine.newAddress();
    const home = newHome(() => ({ ...env, ASOF_STORE: store }));
    const stored = async () => {
      const trades = await reading(store, (view) => view.filings.page({ limit: 1000 }));
      return trades.map(({ accessionNumber }) => accessionNumber).sort();
    };
    const left = async () =>
      (await home.asof(['pull', '--list', '--columns', 'left', '--no-header', '-q'])).out.trim();
    const breakFiling = (trouble: Trouble) => {
      server.trouble = (_, path) => (path.endsWith(`/${bad}.txt`) ? trouble : undefined);
    };
    return { server, home, stored, left, breakFiling };
  }

  describe('asof pull sec --quiet', () => {
    it('says with 8 which filing the SEC lists and does not give, until the SEC gives it', async () => {
      const { server, home, stored, left, breakFiling } = await company();
      breakFiling(noSuchKey);
      const first = await home.asof(['pull', 'sec', '--cik', '1', '-q', '--retries', '1']);
      expect(first).toMatchObject({ code: 8, out: '' });
      expect(first.err).toMatch(
        new RegExp(
          `^asof: the SEC does not give all of cik 1; the rest is stored:\n  filing ${bad}: the SEC lists it and does not have it; asked for since \\d{4}-\\d\\d-\\d\\d\n      asof pull asks for it again, for 30 days since it first failed\n$`,
        ),
      );
      // Once in its turn, and once more.
      expect(server.asked.length).toBe(1 + filings.length + 1);
      expect(await stored()).toEqual(numbers.filter((number) => number !== bad));
      expect(await left()).toBe(`filing ${bad} (the SEC lists it and does not have it)`);
      expect(await home.asof(['pull', '-q', '--retries', '0'])).toMatchObject({ code: 8 });
      breakFiling(undefined);
      expect(await home.asof(['pull', '-q'])).toEqual({ code: 0, out: '', err: '' });
      expect(await stored()).toEqual(numbers);
      expect(await left()).toBe('""');
    });
  });

  it('asof pull sec that is killed while a filing is wrong comes to the whole', async () => {
    const { server, home, stored, left, breakFiling } = await company();
    for (const [kill, at] of [3, 12, 27, 31].entries()) {
      breakFiling(kill % 2 === 0 ? noSuchKey : { status: 200, body: '' });
      const from = server.asked.length;
      const child = home.start(['pull', 'sec', '--cik', '1', '-q', '--retries', '0']);
      const end = ended(child);
      while (child.exitCode === null && server.asked.length < from + at)
        await new Promise((resolve) => setTimeout(resolve, 3));
      child.kill('SIGKILL');
      await end;
    }
    expect(await home.asof(['pull', 'sec', '--cik', '1', '-q', '--retries', '0'])).toMatchObject({ code: 8 });
    expect(await left()).toContain(bad);
    breakFiling(undefined);
    expect(await home.asof(['pull', '-q'])).toEqual({ code: 0, out: '', err: '' });
    expect(await stored()).toEqual(numbers);
    const asked = server.asked.length;
    expect(await home.asof(['pull', '-q'])).toMatchObject({ code: 0 });
    expect(server.asked.length - asked).toBe(1);
  });
});
