import { describe, expect, it } from 'vitest';
import { observations } from '../../../src/operations/series/observations.ts';
import { createService, newRequestId, owner } from '../../../src/service/service.ts';
import { openStore } from '../../../src/store/open.ts';
import { changedStore } from '../../support/changed-store.ts';
import { scratchFolder } from '../../support/folders.ts';
import { facts, importFiles, newStorePath } from '../../support/scratch-store.ts';

const given = [['id', 'GDP']] as const;

async function newStore() {
  const path = newStorePath(scratchFolder());
  await importFiles(path, { 'a.csv': facts('GDP 2014-07-01 2014-10-30 1', 'GDP 2014-10-01 2015-01-30 2') });
  return { path, store: await openStore(path) };
}

describe('an answer', () => {
  it('comes from the state that it names, even if an import commits before the facts are read', async () => {
    const { path, store } = await newStore();
    let imports = 0;
    const importMore = async () => {
      imports += 1;
      if (imports === 1) await importFiles(path, { 'b.csv': facts('GDP 2014-10-01 2015-02-27 3') });
    };
    const service = createService({
      store: changedStore(store, (view) => ({
        series: {
          async observations(query) {
            await importMore();
            return view.series.observations(query);
          },
        },
      })),
    });
    const newest = async () => {
      const requestId = newRequestId(new Date());
      const request = { operation: observations, texts: given, principal: owner, requestId };
      const { state, envelope } = await service.reply(request, () => false);
      return { state, value: envelope?.results[0]?.value };
    };
    const before = await service.state();
    expect(await newest()).toEqual({ state: before, value: '2' });
    const after = await service.state();
    expect(await newest()).toEqual({ state: after, value: '3' });
    expect(after).not.toBe(before);
    await store.close();
  });
});

describe('a request id', () => {
  it('is a unique UUID of version 7 that sorts by time', () => {
    const ids = Array.from({ length: 3000 }, (_, i) => newRequestId(new Date(1_700_000_000_000 + i)));
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
    const now = new Date();
    expect(new Set(Array.from({ length: 3000 }, () => newRequestId(now))).size).toBe(3000);
  });
});
