import { describe, expect, it } from 'vitest';
import { Gate } from '../../../src/server/keys/gate.ts';
import { shippedPlans } from '../../../src/server/keys/plans.ts';
import { isDatabase, shownAddress } from '../../../src/store/address.ts';
import { openAccess } from '../../../src/store/open.ts';
import { asof, transcript } from '../../support/command.ts';
import { onEveryEngine, sqlite } from '../../support/engines.ts';
import { newFolder } from '../../support/folders.ts';

/** The moment at which commands of tests run. */
const now = Date.parse('2026-03-15T12:00:00Z');

const keys = (address: string, line: string) => asof(['keys', ...line.split(' '), '--access', address]);

async function create(address: string, flags = '') {
  const { code, out, err } = await keys(address, `create --name Ada${flags}`);
  expect(code).toBe(0);
  return { secret: out.trim(), id: /k_[0-9a-f]{8}/.exec(err)?.[0] ?? '' };
}

/** The gate of a service with these keys, while `work` runs. */
async function withGate(address: string, work: (gate: Gate) => Promise<void>): Promise<void> {
  const store = await openAccess(address, { counting: true });
  await work(await Gate.open(store, shippedPlans));
  await store.close();
}

onEveryEngine((engine) => {
  it('a key that is rotated has two secrets for a while, and gets no third', async () => {
    const address = engine.newAccessAddress();
    const { secret: first, id } = await create(address);
    const rotated = await keys(address, `rotate ${id} --overlap 2d`);
    expect(rotated.err).toBe(
      `asof: key ${id} of 'Ada' has a new secret (it is shown only once); the old one is valid until 2026-03-17T12:00:00.000Z\n`,
    );
    expect(rotated.out).toMatch(/^asof_live_sk_[A-Za-z0-9_-]{43}\n$/);
    const second = rotated.out.trim();
    expect(await keys(address, `rotate ${id} --overlap 30d`)).toEqual({
      code: 2,
      out: '',
      err: `asof: key ${id} of 'Ada' has two secrets until 2026-03-17T12:00:00.000Z, and may have no third\n      asof keys rotate ${id} --overlap 0d gives it a new one and ends both at once\n`,
    });
    await withGate(address, async (gate) => {
      const inTwoDays = now + 2 * 86_400_000;
      for (const secret of [first, second]) expect((await gate.admit(secret, inTwoDays - 1)).keyId).toBe(id);
      await expect(gate.admit(first, inTwoDays)).rejects.toThrow('invalid API key');
      const last = await keys(address, `rotate ${id} --overlap 0d`);
      expect(last.err).toContain('every older one is refused from now on');
      for (const secret of [first, second])
        await expect(gate.admit(secret, now)).rejects.toThrow('invalid API key');
      expect((await gate.admit(last.out.trim(), now)).keyId).toBe(id);
      // Now it has one secret, and may be rotated with an overlap again.
      expect((await keys(address, `rotate ${id} --overlap 2d`)).code).toBe(0);
    });
  });

  it('keys that do not exist are noted with the name of the store, without its password', async () => {
    const address = engine.newAccessAddress();
    await (await openAccess(address, { counting: false })).close();
    const url = isDatabase(address) ? new URL(address) : undefined;
    // A trusting server does not check it.
    if (url !== undefined) url.password = 'hunter2';
    const { code, err } = await keys(url?.href ?? address, 'list --csv');
    expect([code, err]).toEqual([0, `asof: there are no keys in ${shownAddress(address)}\n`]);
  });
});

describe('a key', () => {
  it('ends after the last day that was named, in UTC', async () => {
    const address = sqlite.newAccessAddress();
    const { secret } = await create(address, ' --expires 2026-03-31');
    await withGate(address, async (gate) => {
      const lastMoment = Date.parse('2026-03-31T23:59:59.999Z');
      expect((await gate.admit(secret, lastMoment)).plan.name).toBe('free');
      await expect(gate.admit(secret, lastMoment + 1)).rejects.toThrow('invalid API key');
    });
    expect((await keys(address, 'list --csv')).out.split('\n')[1]).toMatch(
      /^k_[0-9a-f]{8},Ada,free,.{4},2026-03-15T12:00:00.000Z,,2026-04-01T00:00:00.000Z,$/,
    );
  });

  it('that is unknown or revoked gets no new secret', async () => {
    const address = sqlite.newAccessAddress();
    const { id } = await create(address);
    expect((await keys(address, `revoke ${id}`)).err).toBe(
      `asof: key ${id} of 'Ada' was revoked at 2026-03-15T12:00:00.000Z\n`,
    );
    const unknown = { code: 3, out: '', err: expect.stringContaining("no key 'k_00000000' in") };
    expect(await keys(address, 'revoke k_00000000')).toEqual(unknown);
    for (const one of [id, 'k_00000000']) {
      const err = expect.stringContaining(`no valid key '${one}' in`);
      expect(await keys(address, `rotate ${one}`)).toEqual({ code: 3, out: '', err });
    }
  });

  it('shows when it was used last and how much of its quotas, in this day and this month', async () => {
    const address = sqlite.newAccessAddress();
    const { secret, id } = await create(address, ' --plan pro');
    const usage = async () => (await keys(address, 'usage --csv')).out.split('\n')[1];
    expect(await usage()).toBe(`${id},Ada,pro,,0,50000,0,1000000`);
    await withGate(address, async (gate) => {
      // One request of the month before, two of this month, one of them today.
      for (const at of ['2026-02-28T23:59:59Z', '2026-03-01T00:00:00Z', '2026-03-15T11:58:30Z'])
        await gate.admit(secret, Date.parse(at));
      await gate.save();
    });
    expect(await usage()).toBe(`${id},Ada,pro,2026-03-15T11:58:00.000Z,1,50000,2,1000000`);
  });
});

describe('asof keys', () => {
  const folder = newFolder();
  const plan = {
    name: 'desk',
    monthly_limit: 900,
    daily_limit: 30,
    rate_per_minute: 5,
    vintage_access: true,
  };
  const plans = folder.write('plans.json', JSON.stringify([plan]));
  const access = folder.path('access.db');

  transcript(
    `
    # shows nothing, and makes nothing, where there is no access store
    $ asof keys usage --csv --access /nowhere/at/all/access.db
    id,name,plan,last_used,day,day_limit,month,month_limit
    ! asof: there are no keys: there is no file /nowhere/at/all/access.db

    # says that plans which are not known have no limits
    $ asof keys create --name Ada --plan desk --access ${access}
    ! asof: --plan "desk": the plans are free, pro
    [exit 2]
    $ asof keys create --name Ada --plan desk --plans ${plans} --access ${access}
    asof_live_sk_…
    ! asof: key k_… of 'Ada' on the plan desk (it is shown only once)
    $ asof keys usage --csv --access ${access}
    id,name,plan,last_used,day,day_limit,month,month_limit
    k_…,Ada,desk,,0,,0,
    ! asof: no limits for desk: the plans are free, pro; name the file of the service with --plans
    $ asof keys usage --csv --access ${access} --plans ${plans}
    id,name,plan,last_used,day,day_limit,month,month_limit
    k_…,Ada,desk,,0,30,0,900
    `,
    () => ({}),
  );

  it('takes the file of plans of ASOF_PLANS', async () => {
    const line = ['keys', 'usage', '--csv', '--access', access];
    const { out, err } = await asof(line, { env: { ASOF_PLANS: plans } });
    expect([out, err]).toEqual([expect.stringMatching(/,desk,,0,30,0,900\n$/), '']);
  });
});
