import { describe, expect, it } from 'vitest';
import { archiveOf, loopbackStLouis, panelOf, publish } from '../../../support/pull/loopback-files.ts';
import { puller } from '../../../support/pull/pulling.ts';
import { observationsIn, reading } from '../../../support/scratch-store.ts';

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

describe('a file of FRED-MD that changed after it was stored in its month', () => {
  const changed = panelOf('2020-08', { revised: 1 });

  /** A store with the file of August as of its 12th, and a server with a changed one and that of September. */
  async function autumn2020() {
    const summer = await summer2020();
    await summer.pull('2020-08-12T12:00:00Z');
    publish(summer.server, 'monthly/2020-08-md.csv', changed);
    publish(summer.server, 'monthly/2020-09-md.csv', panelOf('2020-09'), '2020-09');
    return summer;
  }

  const note =
    'the file of 2020-08 has changed since it was stored; what it says now is left out, because later files follow it';
  const before = ['2020-06-30 sampled', '2020-07-31 sampled', '2020-08-12 fetched'];

  it('does not count from the end of its month, also with --full', async () => {
    const { store, pull, vintages } = await autumn2020();
    expect(await pull('2020-09-26T12:00:00Z')).toMatchObject({ ends: ['FRED-MD pulled'], notes: [note] });
    expect(await vintages()).toEqual([...before, '2020-09-26 fetched']);
    // The figure of July in the file that was stored on August 12.
    const july = await reading(store, (view) =>
      observationsIn(view, {
        seriesId: 'INDPRO',
        asOf: '2020-09-01',
        from: '2020-07-01',
        to: '2020-07-01',
        limit: 1,
      }),
    );
    expect(july).toMatchObject([{ value: '2524.6800', asOfDate: '2020-08-12' }]);
    expect((await pull('2020-09-27T12:00:00Z', { full: true })).notes).toContain(note);
    expect((await vintages()).slice(0, 4)).toEqual([...before, '2020-09-26 fetched']);
  });

  it('does not count from the end of its month in an archive', async () => {
    const { server, pull, vintages } = await autumn2020();
    const archive = 'historical-vintages-of-fred-md-2020-06-to-2020-08.zip';
    publish(server, archive, archiveOf({ '2020-08.csv': changed }), 'Historical (.zip)');
    expect(await pull('2020-09-26T12:00:00Z')).toMatchObject({ ends: ['FRED-MD pulled'], notes: [note] });
    expect(await vintages()).toEqual([...before, '2020-09-26 fetched']);
  });

  it('does not count from the end of its month if --full finds the change', async () => {
    const { server, pull, vintages } = await summer2020();
    await pull('2020-08-12T12:00:00Z');
    publish(server, 'monthly/2020-08-md.csv', changed);
    await pull('2020-09-03T12:00:00Z', { full: true });
    expect(await vintages()).toEqual([...before, '2020-09-03 fetched']);
  });
});
