import { describe, expect, it } from 'vitest';
import { loopbackStLouis, panelOf, publish } from '../../../support/pull/loopback-files.ts';
import { puller } from '../../../support/pull/pulling.ts';
import { reading } from '../../../support/scratch-store.ts';

/** A St. Louis Fed that links the files of June to August 2020, and a store that pulls from it. */
async function summer2020() {
  const server = await loopbackStLouis();
  for (const month of ['2020-06', '2020-07', '2020-08'])
    publish(server, `monthly/${month}-md.csv`, panelOf(month), month);
  const { store, pull } = puller(server, { request: { 'fred-md': [] }, since: '2020-06-01' });
  const vintages = () =>
    reading(store, async (view) => {
      const page = await view.series.vintages({ seriesId: 'INDPRO', limit: 1000 });
      return (page?.rows ?? []).map(({ asOfDate, kind }) => `${asOfDate} ${kind}`).reverse();
    });
  return { server, store, pull, vintages };
}

describe('a newest file of FRED-MD that cannot be read', () => {
  it('counts from the day on which it can be read, before its month has ended', async () => {
    const { server, pull, vintages } = await summer2020();
    publish(server, 'monthly/2020-08-md.csv', panelOf('2020-08').replace(',PAYEMS', ''));
    expect((await pull('2020-08-10T12:00:00Z')).ends).toEqual(['FRED-MD left: bad-answer']);
    publish(server, 'monthly/2020-08-md.csv', panelOf('2020-08'));
    expect(await pull('2020-08-12T12:00:00Z')).toMatchObject({
      ends: ['FRED-MD pulled'],
      asked: ['page', 'monthly/2020-08-md.csv'],
      followed: [{ left: '' }],
    });
    expect(await vintages()).toEqual(['2020-06-30 sampled', '2020-07-31 sampled', '2020-08-12 fetched']);
  });
});
