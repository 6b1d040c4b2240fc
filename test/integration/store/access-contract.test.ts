import { describe, expect, it } from 'vitest';
import { newKey } from '../../../src/server/keys/gate.ts';
import { openAccess } from '../../../src/store/open.ts';
import { onEveryEngine } from '../../support/engines.ts';

const now = new Date('2026-01-15T12:00:00Z');

onEveryEngine((engine) => {
  describe('an access store', () => {
    it('returns keys, oldest first, and usage as they were saved', async () => {
      const store = await openAccess(engine.newAccessAddress(), { counting: false });
      const older = newKey({ name: 'Ada', plan: 'pro', now }).stored;
      const newer = newKey({ name: 'Ben', plan: 'free', now: new Date(now.getTime() + 1) }).stored;
      await store.addKey(newer);
      await store.addKey(older);
      expect(await store.keys()).toEqual([older, newer]);
      const usage = [{ keyId: older.id, window: 'day', began: now, count: 3 }] as const;
      await store.saveUsage(usage);
      await store.saveUsage([{ ...usage[0], count: 4 }]);
      expect(await store.usage()).toEqual([{ ...usage[0], count: 4 }]);
      await store.close();
    });

    it("keeps the time of a key's first revocation and returns nothing for an unknown id", async () => {
      const store = await openAccess(engine.newAccessAddress(), { counting: false });
      const { stored } = newKey({ name: 'Ada', plan: 'pro', now });
      await store.addKey(stored);
      const { hash: _hash, ...record } = stored;
      const revoked = { ...record, revokedAt: '2026-02-01T00:00:00.000Z' };
      expect(await store.revokeKey(stored.id, revoked.revokedAt)).toEqual(revoked);
      expect(await store.revokeKey(stored.id, '2026-03-01T00:00:00.000Z')).toEqual(revoked);
      expect(await store.revokeKey('k_00000000', '2026-03-01T00:00:00.000Z')).toBeUndefined();
      await store.close();
    });

    it('has a version that grows with every change of keys by any connection, but not with counts', async () => {
      const address = engine.newAccessAddress();
      const store = await openAccess(address, { counting: true });
      const start = await store.version();
      await store.saveUsage([{ keyId: 'k', window: 'day', began: now, count: 3 }]);
      expect(await store.version()).toBe(start);
      await store.addKey(newKey({ name: 'Ada', plan: 'pro', now }).stored);
      const own = await store.version();
      expect(own).toBeGreaterThan(start);
      const other = await openAccess(address, { counting: false });
      await other.addKey(newKey({ name: 'Ben', plan: 'pro', now }).stored);
      expect(await store.version()).toBeGreaterThan(own);
      await other.close();
      await store.close();
    });
  });
});
