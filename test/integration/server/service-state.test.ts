import { describe, expect, it } from 'vitest';
import { observations } from '../../../src/operations/index.ts';
import { createService, newRequestId, owner } from '../../../src/service/service.ts';
import { openStore } from '../../../src/store/open.ts';
import { facts, importFiles, newStorePath, scratchFolder } from '../../support/scratch-store.ts';

const given = [['id', 'GDP']] as const;

async function newStore() {
  const path = newStorePath(scratchFolder());
  await importFiles(path, { 'a.csv': facts('GDP 2014-07-01 2014-10-30 1', 'GDP 2014-10-01 2015-01-30 2') });
  return { path, store: await openStore(path) };
}

describe('an answer', () => {
  it('is of one state of knowledge, also when an import lands while it is read', async () => {
    const { path, store } = await newStore();
    let imports = 0;
    const service = createService({
      store: {
        ...store,
        // Between the look at the series and the look at its values.
        async observations(query) {
          imports += 1;
          if (imports === 1)
            await importFiles(path, {
              'b.csv':
                'series_id,title,units,frequency,seasonal_adjustment,source\nGDP,Product,Dollars,Q,SA,BEA\n',
            });
          return store.observations(query);
        },
      },
    });
    const { results } = await service.answer(observations, given, owner);
    expect(results.map(({ unit }) => unit)).toEqual(['Dollars', 'Dollars']);
    expect(imports).toBe(2);
    await store.close();
  });

  it('is refused when imports never cease', async () => {
    const { store } = await newStore();
    let revision = 0;
    const info = async () => {
      revision += 1;
      return { path: '', sample: false, revision };
    };
    const service = createService({ store: { ...store, info } });
    await expect(service.answer(observations, given, owner)).rejects.toThrow(
      'the data changed while it was being read',
    );
    await store.close();
  });
});

describe('a request id', () => {
  it('is a UUID of version 7: unique, and in the order of time', () => {
    const ids = Array.from({ length: 3000 }, (_, i) => newRequestId(new Date(1_700_000_000_000 + i)));
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
    const now = new Date();
    expect(new Set(Array.from({ length: 3000 }, () => newRequestId(now))).size).toBe(3000);
  });
});
