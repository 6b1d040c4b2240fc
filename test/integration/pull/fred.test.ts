import { afterEach, describe, expect, it } from 'vitest';
import type { PullOptions } from '../../../src/pull/options.ts';
import { pull } from '../../../src/pull/pull.ts';
import { scratchFolder } from '../../support/folders.ts';
import { type LoopbackFred, loopbackFred, loopbackKey } from '../../support/pull/loopback-fred.ts';
import { newStorePath } from '../../support/scratch-store.ts';

const folder = scratchFolder();
let fred: LoopbackFred;

afterEach(() => fred.close());

describe('pulling GDP', () => {
  it('works', async () => {
    fred = await loopbackFred();
    const store = newStorePath(folder);
    const options: PullOptions = {
      store,
      settings: { fred: { url: fred.url, key: loopbackKey } },
      clock: () => new Date('2025-01-20T15:00:00Z'),
      timing: { now: () => 0, sleep: async () => undefined },
    };
    console.log(JSON.stringify(await pull({ ...options, request: { fred: ['GDP'] } }), null, 1));
    console.log(JSON.stringify(await pull(options), null, 1));
    console.log(fred.requests);
    expect(1).toBe(1);
  });
});
