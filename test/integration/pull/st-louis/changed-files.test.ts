import { describe, expect, it } from 'vitest';
import { monthEnd } from '../../../../src/domain/values/date.ts';
import {
  archiveOf,
  loopbackStLouis,
  panelOf,
  publish,
  unlink,
} from '../../../support/pull/loopback-files.ts';
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

describe('a month of FRED-MD that is published twice', () => {
  const first = 'monthly/2020-08-md.csv';
  const corrected = 'monthly/2020-rev-08-md.csv';
  const august = panelOf('2020-08', { revised: 1 });

  it('counts as corrected from the end of the month, if the correction came in its month', async () => {
    const { server, pull, vintages } = await summer2020();
    await pull('2020-08-10T12:00:00Z');
    publish(server, corrected, august, '2020-08, corrected');
    expect(await pull('2020-08-20T12:00:00Z')).toMatchObject({
      notes: ['the file of 2020-08 has changed; what it says now counts from 2020-08-20 on'],
    });
    publish(server, 'monthly/2020-09-md.csv', panelOf('2020-09'), '2020-09');
    expect(await pull('2020-09-20T12:00:00Z')).toMatchObject({
      ...{ ends: ['FRED-MD pulled'], notes: [] },
      asked: ['page', corrected, 'monthly/2020-09-md.csv'],
    });
    const expected = ['2020-08-10 fetched', '2020-08-20 fetched', '2020-08-31 sampled', '2020-09-20 fetched'];
    expect((await vintages()).slice(2)).toEqual(expected);
    const full = await pull('2020-09-20T13:00:00Z', { full: true });
    expect([full.ends, full.notes]).toEqual([['FRED-MD pulled'], []]);
    expect((await vintages()).slice(2)).toEqual(expected);
  });

  it.each([
    ['under a name of its own', corrected, []],
    [
      'under the same name',
      first,
      [
        'the file of 2020-08 has changed since it was stored; what it says now is left out, because later files follow it',
      ],
    ],
  ])(
    '%s after its month counts from the day of the download on, also with --full',
    async (_, name, notes) => {
      const { server, pull, vintages } = await summer2020();
      await pull('2020-09-01T12:00:00Z');
      publish(server, name, august, '2020-08, again');
      await pull('2020-09-03T12:00:00Z');
      publish(server, 'monthly/2020-09-md.csv', panelOf('2020-09'), '2020-09');
      await pull('2020-09-20T12:00:00Z');
      const expected = ['2020-08-31 sampled', '2020-09-03 fetched', '2020-09-20 fetched'];
      expect((await vintages()).slice(2)).toEqual(expected);
      const full = await pull('2020-09-20T13:00:00Z', { full: true });
      expect([full.ends, full.notes]).toEqual([['FRED-MD pulled'], notes]);
      expect((await vintages()).slice(2)).toEqual(expected);
    },
  );
});

describe('a store that pulls FRED-MD twice a month', () => {
  it('has each month once by its end and once by its download, through new names and archives', async () => {
    const server = await loopbackStLouis();
    const months = Array.from({ length: 18 }, (_, i) =>
      new Date(Date.UTC(2020, 5 + i, 1)).toISOString().slice(0, 7),
    );
    const archiveIn = (from: string, to: string) => `historical-vintages-of-fred-md-${from}-to-${to}.zip`;
    publish(
      server,
      archiveIn('2020-04', '2020-05'),
      archiveOf({ '2020-04.csv': panelOf('2020-04'), '2020-05.csv': panelOf('2020-05') }),
      'archive',
    );
    const { store, pull } = puller(server, { request: { 'fred-md': [] } });
    publish(server, 'monthly/2020-06-md.csv', panelOf('2020-06'), 'current.csv');
    await pull('2020-06-15T12:00:00Z');
    for (const [i, month] of months.entries()) {
      if (i === 0) continue;
      // On the first of the month the page still has the file of the month before.
      const early = await pull(`${month}-01T12:00:00Z`);
      expect([early.ends, early.notes, early.subjects[0]?.counts]).toEqual([
        ['FRED-MD pulled'],
        [],
        { new_vintages: 1, new_series: 0 },
      ]);
      unlink(server, 'current.csv');
      const before = months[i - 1] ?? '';
      publish(server, `monthly/${before}-md.csv`, panelOf(before), before);
      publish(server, `monthly/${month}-md.csv`, panelOf(month), 'current.csv');
      if (month === '2021-01') {
        const old = months.filter((one) => one < month);
        unlink(server, 'archive');
        const members = old.map((one) => [`${one}-md.csv`, panelOf(one)]);
        publish(server, archiveIn('2020-04', '2020-12'), archiveOf(Object.fromEntries(members)), 'archive');
        for (const one of old) {
          unlink(server, one);
          delete server.files[`monthly/${one}-md.csv`];
        }
      }
      const late = await pull(`${month}-15T12:00:00Z`);
      expect([late.ends, late.notes, late.asked]).toEqual([
        ['FRED-MD pulled'],
        [],
        ['page', `monthly/${month}-md.csv`],
      ]);
      expect((await pull(`${month}-16T12:00:00Z`)).ends).toEqual(['FRED-MD nothing-new']);
    }
    const page = await reading(store, (view) => view.series.vintages({ seriesId: 'INDPRO', limit: 1000 }));
    const ended = ['2020-04', '2020-05', ...months.slice(0, -1)].map(
      (month) => `${monthEnd(`${month}-01`)} sampled`,
    );
    const downloaded = months.map((month) => `${month}-15 fetched`);
    expect((page?.rows ?? []).map(({ asOfDate, kind }) => `${asOfDate} ${kind}`).sort()).toEqual(
      [...ended, ...downloaded].sort(),
    );
  });
});

describe('a file of FRED-MD that contradicts the store', () => {
  const archive = 'historical-vintages-of-fred-md-2020-04-to-2020-05.zip';
  const members = (revised: number) =>
    archiveOf({ '2020-04.csv': panelOf('2020-04', { revised }), '2020-05.csv': panelOf('2020-05') });

  it.each([
    [
      'a file of its own',
      'monthly/2020-07-md.csv',
      '2020-07',
      ['page', 'monthly/2020-07-md.csv', 'monthly/2020-08-md.csv'],
    ],
    ['an archive', archive, '2020-04', ['page', archive, 'monthly/2020-08-md.csv']],
  ])(
    'in %s is compared and named again in every run, until --replace takes it',
    async (_, name, month, asked) => {
      const { server, pull: pullSince, vintages } = await summer2020();
      publish(server, archive, members(0), 'archive');
      const pull = (instant: string, options = {}) => pullSince(instant, { since: undefined, ...options });
      await pull('2020-08-10T12:00:00Z');
      const before = await vintages();
      publish(server, name, name === archive ? members(1) : panelOf(month, { revised: 1 }));
      const first = await pull('2020-08-10T13:00:00Z', { full: true });
      const list = first.subjects[0]?.problem?.list ?? [];
      expect([first.ends, list.length]).toEqual([['FRED-MD conflict: bad-answer'], 6]);
      for (const hour of [14, 15]) {
        const again = await pull(`2020-08-10T${hour}:00:00Z`);
        expect([again.ends, again.asked]).toEqual([['FRED-MD conflict: bad-answer'], asked]);
        expect(again.subjects[0]?.problem?.list).toEqual(list);
      }
      expect(await vintages()).toEqual(before);
      await pull('2020-08-10T16:00:00Z', { full: true, replace: true });
      expect((await pull('2020-08-10T17:00:00Z')).ends).toEqual(['FRED-MD nothing-new']);
    },
  );
});
