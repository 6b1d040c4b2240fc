import { describe, expect, it } from 'vitest';
import { Gate } from '../../../src/server/keys/gate.ts';
import { shippedPlans } from '../../../src/server/keys/plans.ts';
import { isDatabase, shownAddress } from '../../../src/store/address.ts';
import { openAccess } from '../../../src/store/open.ts';
import { asof } from '../../support/command.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { newFolder } from '../../support/folders.ts';

/** The moment at which commands of tests run. */
const now = Date.parse('2026-03-15T12:00:00Z');

const folder = newFolder();

/** The same place; of a database with a password, which a trusting server does not check. */
function withPassword(address: string): string {
  if (!isDatabase(address)) return address;
  const url = new URL(address);
  url.password = 'hunter2';
  return url.href;
}

onEveryEngine((engine) => {
  /** The rows that a command about keys prints, without their ids. */
  async function rows(address: string, ...line: readonly string[]): Promise<readonly string[]> {
    const { code, out } = await asof(['keys', ...line, '--csv', '--access', address]);
    expect(code).toBe(0);
    return out
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.replace(/^k_[0-9a-f]{8},/, ''));
  }

  async function create(address: string, ...flags: readonly string[]) {
    const { code, out, err } = await asof(['keys', 'create', '--name', 'Ada', '--access', address, ...flags]);
    expect(code).toBe(0);
    return { secret: out.trim(), id: /k_[0-9a-f]{8}/.exec(err)?.[0] ?? '' };
  }

  describe('keys', () => {
    it('end after the last day that was named, in UTC', async () => {
      const address = engine.newAccessAddress();
      const { secret } = await create(address, '--expires', '2026-03-31');
      const store = await openAccess(address, { counting: true });
      const gate = await Gate.open(store, shippedPlans);
      const lastMoment = Date.parse('2026-03-31T23:59:59.999Z');
      expect((await gate.admit(secret, lastMoment)).plan.name).toBe('free');
      await expect(gate.admit(secret, lastMoment + 1)).rejects.toThrow('invalid API key');
      await store.close();
      expect((await rows(address, 'list'))[0]).toMatch(
        /^Ada,free,.{4},2026-03-15T12:00:00.000Z,,2026-04-01T00:00:00.000Z,$/,
      );
    });

    it('get a new secret, which is shown once, and keep the old one for a while', async () => {
      const address = engine.newAccessAddress();
      const { secret: first, id } = await create(address);
      const { code, out, err } = await asof(['keys', 'rotate', id, '--overlap', '2d', '--access', address]);
      expect([code, err]).toEqual([
        0,
        `asof: key ${id} of 'Ada' has a new secret (it is shown only once); the old one is valid until 2026-03-17T12:00:00.000Z\n`,
      ]);
      const second = out.trim();
      expect(second).toMatch(/^asof_live_sk_[A-Za-z0-9_-]{43}$/);
      expect(second).not.toBe(first);
      const store = await openAccess(address, { counting: true });
      const gate = await Gate.open(store, shippedPlans);
      const inTwoDays = now + 2 * 86_400_000;
      for (const secret of [first, second]) expect((await gate.admit(secret, inTwoDays - 1)).keyId).toBe(id);
      await expect(gate.admit(first, inTwoDays)).rejects.toThrow('invalid API key');
      expect((await gate.admit(second, inTwoDays)).keyId).toBe(id);
      await store.close();
    });

    it('without an overlap have one secret at once', async () => {
      const address = engine.newAccessAddress();
      const { secret, id } = await create(address);
      await asof(['keys', 'rotate', id, '--overlap', '0', '--access', address]);
      const store = await openAccess(address, { counting: true });
      await expect((await Gate.open(store, shippedPlans)).admit(secret, now)).rejects.toThrow(
        'invalid API key',
      );
      await store.close();
    });

    it('with two secrets get no third, and both stay valid', async () => {
      const address = engine.newAccessAddress();
      const { secret: first, id } = await create(address);
      const rotate = (...flags: readonly string[]) =>
        asof(['keys', 'rotate', id, '--access', address, ...flags]);
      const second = (await rotate('--overlap', '2d')).out.trim();
      const third = await rotate('--overlap', '30d');
      expect([third.code, third.out, third.err]).toEqual([
        2,
        '',
        `asof: key ${id} of 'Ada' has two secrets until 2026-03-17T12:00:00.000Z, and may have no third\n      asof keys rotate ${id} --overlap 0d gives it a new one and ends both at once\n`,
      ]);
      const store = await openAccess(address, { counting: true });
      const gate = await Gate.open(store, shippedPlans);
      for (const secret of [first, second]) expect((await gate.admit(secret, now)).keyId).toBe(id);
      const last = await rotate('--overlap', '0d');
      expect(last.err).toContain('every older one is refused from now on');
      for (const secret of [first, second])
        await expect(gate.admit(secret, now)).rejects.toThrow('invalid API key');
      expect((await gate.admit(last.out.trim(), now)).keyId).toBe(id);
      // Now it has one secret, and may be rotated with an overlap again.
      expect((await rotate('--overlap', '2d')).code).toBe(0);
      await store.close();
    });

    it('that do not exist are noted with the name of the store, without its password', async () => {
      const address = engine.newAccessAddress();
      await (await openAccess(address, { counting: false })).close();
      const { code, err } = await asof(['keys', 'list', '--csv', '--access', withPassword(address)]);
      expect([code, err]).toEqual([0, `asof: there are no keys in ${shownAddress(address)}\n`]);
    });

    it('of plans that are not known have no limits, which is said', async () => {
      const address = engine.newAccessAddress();
      const plans = folder.write(
        'plans.json',
        '[{"name":"desk","monthly_limit":900,"daily_limit":30,"rate_per_minute":5,"vintage_access":true}]',
      );
      await create(address, '--plan', 'desk', '--plans', plans);
      const usage = (...flags: readonly string[]) =>
        asof(['keys', 'usage', '--csv', '--access', address, ...flags]);
      const unknown = await usage();
      expect(unknown.out).toMatch(/,desk,,0,,0,\n$/);
      expect(unknown.err).toBe(
        'asof: no limits for desk: the plans are free, pro; name the file of the service with --plans\n',
      );
      expect((await usage('--plans', plans)).out).toMatch(/,desk,,0,30,0,900\n$/);
      const line = ['keys', 'usage', '--csv', '--access', address];
      const inVariable = await asof(line, { env: { ASOF_PLANS: plans } });
      expect([inVariable.out, inVariable.err]).toEqual([expect.stringMatching(/,desk,,0,30,0,900\n$/), '']);
    });

    it('that are unknown or revoked get no new secret', async () => {
      const address = engine.newAccessAddress();
      const { id } = await create(address);
      await asof(['keys', 'revoke', id, '--access', address]);
      for (const one of [id, 'k_00000000']) {
        const { code, out, err } = await asof(['keys', 'rotate', one, '--access', address]);
        expect([code, out, err]).toEqual([3, '', expect.stringContaining(`no valid key '${one}' in`)]);
      }
    });

    it('show when they were used last and how much of their quotas, in this day and this month', async () => {
      const address = engine.newAccessAddress();
      const { secret } = await create(address, '--plan', 'pro');
      expect(await rows(address, 'usage')).toEqual(['Ada,pro,,0,50000,0,1000000']);
      const store = await openAccess(address, { counting: true });
      const gate = await Gate.open(store, shippedPlans);
      // One request of the month before, two of this month, one of them today.
      for (const at of ['2026-02-28T23:59:59Z', '2026-03-01T00:00:00Z', '2026-03-15T11:58:30Z'])
        await gate.admit(secret, Date.parse(at));
      await gate.save();
      await store.close();
      expect(await rows(address, 'usage')).toEqual(['Ada,pro,2026-03-15T11:58:00.000Z,1,50000,2,1000000']);
    });
  });
});

it('keys usage shows nothing, and makes nothing, where there is no access store', async () => {
  const { code, out } = await asof(['keys', 'usage', '--csv', '--access', '/nowhere/at/all/access.db']);
  expect([code, out]).toEqual([0, 'id,name,plan,last_used,day,day_limit,month,month_limit\n']);
});
