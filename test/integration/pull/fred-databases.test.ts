import { describe, expect, it } from 'vitest';
import { addAlias, removeAlias } from '../../../src/maintenance/series.ts';
import type { PullOptions } from '../../../src/pull/options.ts';
import { scratchFolder } from '../../support/folders.ts';
import {
  archiveOf,
  loopbackStLouis,
  notFoundPage,
  pageOf,
  panelOf,
  publish,
  realArchive,
  unlink,
} from '../../support/pull/loopback-files.ts';
import { contentOf, puller } from '../../support/pull/pulling.ts';
import { dataPath, readData, testData } from '../../support/repository.ts';
import {
  allStatements,
  facts,
  importFiles,
  importPaths,
  newStorePath,
  observationsIn,
  reading,
} from '../../support/scratch-store.ts';

// The real archive has 2015-01 too, but none of the months from then to 2020-04.
const archive = 'historical-vintages-of-fred-md-2020-04-to-2020-05.zip';

/** The months of files, dated by their last days, by series. */
const vintagesOf = (store: string, seriesId = 'INDPRO') =>
  reading(store, async (view) => {
    const page = await view.series.vintages({ seriesId, limit: 1000 });
    return (page?.rows ?? []).map(({ asOfDate, kind }) => `${asOfDate} ${kind}`).reverse();
  });

/** A St. Louis Fed with the real archive, the files of June and July 2020, and that of August as the newest. */
async function august2020(options: Partial<PullOptions> = {}) {
  const server = await loopbackStLouis();
  publish(server, archive, realArchive, 'Historical Vintages of FRED-MD (.zip 32 MB)');
  publish(server, 'monthly/2020-06-md.csv', panelOf('2020-06'), '2020-06.csv');
  publish(server, 'monthly/2020-07-md.csv', panelOf('2020-07'));
  publish(server, 'monthly/2020-08-md.csv', panelOf('2020-08'), 'current.csv');
  return { server, ...puller(server, { request: { 'fred-md': [] }, ...options }) };
}

const endsOfMonths = ['2015-01-31', '2020-04-30', '2020-05-31', '2020-06-30', '2020-07-31'].map(
  (day) => `${day} sampled`,
);

describe('asof pull fred-md', () => {
  it('reads the archive that the page links, the files since then and the newest file', async () => {
    const { store, pull } = await august2020();
    expect(await pull('2020-08-10T12:00:00Z')).toMatchObject({
      ends: ['FRED-MD pulled'],
      asked: ['page', archive, 'monthly/2020-06-md.csv', 'monthly/2020-07-md.csv', 'monthly/2020-08-md.csv'],
      subjects: [{ counts: { new_vintages: 6, new_series: 12 } }],
      followed: [{ name: 'FRED-MD', upTo: '2020-08-10', left: '' }],
    });
    expect(await vintagesOf(store)).toEqual([...endsOfMonths, '2020-08-10 fetched']);
    expect(await pull('2020-08-11T12:00:00Z', { request: undefined })).toMatchObject({
      ends: ['FRED-MD nothing-new'],
      asked: ['page', 'monthly/2020-08-md.csv'],
    });
    // Real personal income of March 2020 in the files of April and May, as the St. Louis Fed published them.
    const income = (asOf: string) =>
      reading(store, (view) =>
        observationsIn(view, { seriesId: 'RPI', asOf, from: '2020-03-01', to: '2020-03-01', limit: 1 }),
      );
    expect(await income('2020-05-30')).toMatchObject([{ value: '16919.28', asOfDate: '2020-04-30' }]);
    expect(await income('2020-05-31')).toMatchObject([{ value: '16929.33', asOfDate: '2020-05-31' }]);
  });

  it('stores what an import of the files stores, once their months have ended', async () => {
    const { store, pull } = await august2020();
    await pull('2020-09-02T12:00:00Z');
    const imported = newStorePath(scratchFolder());
    await importPaths(imported, [dataPath(testData, 'macro/fred-md/fred-md-vintages.zip')]);
    const months = ['2020-06', '2020-07', '2020-08'];
    await importFiles(imported, Object.fromEntries(months.map((month) => [`${month}.csv`, panelOf(month)])));
    for (const id of ['INDPRO', 'PAYEMS', 'RPI', 'FEDFUNDS'])
      expect(await contentOf(store, id)).toEqual(await contentOf(imported, id));
    expect((await contentOf(store, 'PAYEMS')).vintages).toHaveLength(6);
  });

  it('dates the file of a month that goes on by the day of the download, and by its end when that has come', async () => {
    const { store, pull } = await august2020();
    await pull('2020-08-10T12:00:00Z');
    expect((await pull('2020-08-31T12:00:00Z')).ends).toEqual(['FRED-MD pulled']);
    expect((await vintagesOf(store)).slice(-2)).toEqual(['2020-08-10 fetched', '2020-08-31 sampled']);
    expect((await pull('2020-09-01T12:00:00Z')).asked).toEqual(['page', 'monthly/2020-08-md.csv']);
    expect(await vintagesOf(store)).toHaveLength(7);
  });

  it('counts a newest file that has changed from the day of the download on, and says so', async () => {
    const { server, store, pull } = await august2020();
    await pull('2020-08-10T12:00:00Z');
    publish(server, 'monthly/2020-08-md.csv', panelOf('2020-08', { revised: 1 }));
    // The month has ended: nobody says whether the file changed before.
    expect(await pull('2020-09-03T12:00:00Z')).toMatchObject({
      ends: ['FRED-MD pulled'],
      notes: ['the file of 2020-08 has changed; what it says now counts from 2020-09-03 on'],
    });
    expect((await vintagesOf(store)).slice(-2)).toEqual(['2020-08-10 fetched', '2020-09-03 fetched']);
    const valueOn = async (asOf: string) =>
      (
        await reading(store, (view) =>
          observationsIn(view, { seriesId: 'INDPRO', asOf, from: '2020-07-01', to: '2020-07-01', limit: 1 }),
        )
      )[0]?.value;
    expect([await valueOn('2020-09-02'), await valueOn('2020-09-03')]).toEqual(['2524.6800', '2525.6800']);
  });

  it('leaves a second change on one day to the next day', async () => {
    const { server, store, pull } = await august2020();
    await pull('2020-08-10T08:00:00Z');
    publish(server, 'monthly/2020-08-md.csv', panelOf('2020-08', { revised: 1 }));
    expect((await pull('2020-08-10T12:00:00Z')).ends).toEqual(['FRED-MD conflict: bad-answer']);
    expect((await pull('2020-08-11T12:00:00Z')).ends).toEqual(['FRED-MD pulled']);
    expect((await vintagesOf(store)).slice(-2)).toEqual(['2020-08-10 fetched', '2020-08-11 fetched']);
  });

  it('takes the corrected file of a month after the plain one, as known on the day of the download', async () => {
    const { server, store, pull } = await august2020();
    unlink(server, 'current.csv');
    publish(server, 'monthly/2020-rev-08-md.csv', panelOf('2020-08', { revised: 1 }), 'current.csv');
    const { asked } = await pull('2020-09-05T12:00:00Z');
    expect(asked.slice(-2)).toEqual(['monthly/2020-08-md.csv', 'monthly/2020-rev-08-md.csv']);
    expect((await vintagesOf(store)).slice(-2)).toEqual(['2020-08-31 sampled', '2020-09-05 fetched']);
    expect((await pull('2020-09-06T12:00:00Z')).ends).toEqual(['FRED-MD nothing-new']);
  });

  it('goes on with the months since the last run, with and without links, and reads no archive again', async () => {
    const { server, store, pull } = await august2020();
    await pull('2020-08-10T12:00:00Z');
    unlink(server, 'current.csv');
    const grown = archive.replace('2020-05', '2020-06');
    unlink(server, 'Historical Vintages of FRED-MD (.zip 32 MB)');
    publish(server, grown, archiveOf({ 'FRED-MD_2020m06.csv': panelOf('2020-06') }), 'Historical (.zip)');
    publish(server, 'monthly/2020-10-md.csv', panelOf('2020-10'), 'current.csv');
    expect(await pull('2020-10-08T12:00:00Z')).toMatchObject({
      ends: ['FRED-MD left: bad-answer'],
      notes: ['the St. Louis Fed has no file of fred-md of 2020-09'],
      asked: ['page', ...['08', '09', 'rev-09', '10'].map((month) => `monthly/2020-${month}-md.csv`)],
    });
    expect((await vintagesOf(store)).slice(-2)).toEqual(['2020-08-31 sampled', '2020-10-08 fetched']);
  });

  it.each([
    ['2020-04-01', ['2020-04-30 sampled', '2020-05-31 sampled'], archive],
    ['2020-06-01', ['2020-06-30 sampled'], 'monthly/2020-06-md.csv'],
  ])('begins with --since %s, in later runs too', async (since, first, asked) => {
    const { store, pull } = await august2020({ since });
    expect((await pull('2020-08-10T12:00:00Z')).asked[1]).toBe(asked);
    expect((await vintagesOf(store)).slice(0, first.length)).toEqual(first);
    await pull('2020-08-12T12:00:00Z', { since: undefined, full: true });
    expect((await vintagesOf(store)).slice(0, first.length)).toEqual(first);
  });

  it('names what a file of the past says otherwise with --full, keeps what is stored, and takes it with --replace', async () => {
    const { server, store, pull } = await august2020();
    await pull('2020-09-02T12:00:00Z');
    const before = await contentOf(store, 'PAYEMS');
    publish(server, 'monthly/2020-07-md.csv', panelOf('2020-07', { revised: 1 }));
    expect((await pull('2020-09-03T12:00:00Z')).ends).toEqual(['FRED-MD nothing-new']);
    const full = await pull('2020-09-04T12:00:00Z', { full: true });
    expect(full.ends).toEqual(['FRED-MD conflict: bad-answer']);
    expect(full.subjects[0]?.problem?.list).toContain(
      'fred-md of 2020-07: PAYEMS 2020-06-01 as of 2020-07-31: 2625.5700, against 2624.5700',
    );
    expect((await contentOf(store, 'PAYEMS')).statements).toEqual(before.statements);
    expect((await pull('2020-09-05T12:00:00Z', { full: true, replace: true })).ends).toEqual([
      'FRED-MD pulled',
    ]);
    const after = await contentOf(store, 'PAYEMS');
    expect(after.statements).toContainEqual(
      expect.objectContaining({ date: '2020-06-01', asOf: '2020-07-31', value: '2625.5700' }),
    );
  });

  it('leaves out the series that the store has from another source, and says so once', async () => {
    const { store, pull } = await august2020();
    await importFiles(store, { 'PAYEMS_20200110.csv': 'DATE,PAYEMS_20200110\n2019-11-01,1\n2019-12-01,2\n' });
    const before = await contentOf(store, 'PAYEMS');
    expect((await pull('2020-08-10T12:00:00Z')).notes).toEqual([
      expect.stringMatching(/^left out, because the store has them from .*: PAYEMS$/),
    ]);
    expect(await contentOf(store, 'PAYEMS')).toEqual(before);
    expect(await vintagesOf(store)).toHaveLength(6);
  });

  it('says which alias has the id of a series of the panel, and stores nothing until it is removed', async () => {
    const { store, pull } = await august2020();
    await importFiles(store, { 'own.csv': facts('RUC 2019-11-01 2020-01-10 1') });
    await addAlias(store, 'PAYEMS', 'RUC');
    expect(await pull('2020-08-10T12:00:00Z')).toMatchObject({
      ends: ['FRED-MD failed: bad-input'],
      said: 'PAYEMS is an alias of RUC: no series can take this id',
      hints: ['`asof series alias --rm PAYEMS` removes the alias'],
    });
    expect(await vintagesOf(store)).toEqual([]);
    await removeAlias(store, 'PAYEMS');
    expect((await pull('2020-08-10T12:00:00Z')).ends).toEqual(['FRED-MD pulled']);
  });

  it('leaves a file that it cannot read for later runs, and reads the rest', async () => {
    const { server, store, pull } = await august2020();
    publish(server, 'monthly/2020-07-md.csv', panelOf('2020-07').replace('PAYEMS', ''));
    const first = await pull('2020-08-10T12:00:00Z');
    expect(first).toMatchObject({ ends: ['FRED-MD left: bad-answer'], kind: 'bad-answer' });
    expect(first.followed[0]?.left).toMatch(/^fred-md of 2020-07 \(row 2: 3 cells, but the header has 2/);
    expect(await vintagesOf(store)).toEqual([
      ...endsOfMonths.filter((line) => !line.startsWith('2020-07')),
      '2020-08-10 fetched',
    ]);
    expect((await pull('2020-08-11T12:00:00Z')).ends).toEqual(['FRED-MD left: bad-answer']);
    publish(server, 'monthly/2020-07-md.csv', panelOf('2020-07'));
    expect(await pull('2020-08-12T12:00:00Z')).toMatchObject({ ends: ['FRED-MD pulled'] });
    expect(await vintagesOf(store)).toEqual([...endsOfMonths, '2020-08-10 fetched']);
  });

  it('takes the corrected file of a month of the past if the plain one cannot be read', async () => {
    const { server, store, pull } = await august2020();
    // As in August 2026, when the first file had one name too few.
    publish(server, 'monthly/2020-07-md.csv', panelOf('2020-07').replace(',PAYEMS', ''));
    publish(server, 'monthly/2020-rev-07-md.csv', panelOf('2020-07'));
    expect(await pull('2020-08-10T12:00:00Z')).toMatchObject({
      ends: ['FRED-MD pulled'],
      followed: [{ left: '' }],
    });
    expect(await vintagesOf(store)).toEqual([...endsOfMonths, '2020-08-10 fetched']);
  });

  it('leaves out a member of an archive that it cannot read, with a note', async () => {
    const { server, store, pull } = await august2020();
    const members = {
      '2020-04.csv': 'sasdate\n',
      'FRED-MD_2020m05.csv': panelOf('2020-05'),
      'read me.txt': '',
    };
    publish(server, archive, archiveOf(members));
    const { ends, notes } = await pull('2020-08-10T12:00:00Z');
    expect([ends, notes]).toEqual([
      ['FRED-MD pulled'],
      [expect.stringMatching(/^fred-md of 2020-04 is left out: /)],
    ]);
    expect((await vintagesOf(store))[0]).toBe('2020-05-31 sampled');
  });

  it.each([
    [
      'a newest file without a month',
      { 'monthly/current.csv': 'current.csv' },
      /has changed: it has a link that does not state its month/,
    ],
    [
      'no newest file',
      { 'quarterly/2020-08-qd.csv': 'current.csv' },
      /has changed: it has no link to the newest file of fred-md/,
    ],
    [
      'a newest file of another site',
      { 'https://example.org/fred-md/monthly/2020-08-md.csv': 'current.csv' },
      /no link/,
    ],
    [
      'a newest file of a month to come',
      { 'monthly/2020-09-md.csv': 'current.csv' },
      /a file of 2020-09, and today is 2020-08-10/,
    ],
  ])('refuses a page with %s, and stores nothing', async (_, links, reason) => {
    const { server, pull } = await august2020();
    const media = '/-/media/project/frbstl/stlouisfed/research/fred-md';
    server.links = Object.fromEntries(
      Object.entries(links).map(([path, text]) => [
        path.startsWith('http') ? path : `${media}/${path}`,
        text,
      ]),
    );
    const { ends, said, followed } = await pull('2020-08-10T12:00:00Z');
    expect([ends, said]).toEqual([['FRED-MD failed: bad-answer'], expect.stringMatching(reason)]);
    expect(followed.filter(({ bookmark }) => bookmark !== '')).toEqual([]);
  });

  it('takes the month of a file from the text of its link if the address has none', async () => {
    const { server, store, pull } = await august2020();
    unlink(server, 'current.csv');
    publish(server, 'monthly/current.csv', panelOf('2020-08'), 'Monthly data, 2020-08 (current.csv)');
    await pull('2020-08-10T12:00:00Z');
    expect((await vintagesOf(store)).at(-1)).toBe('2020-08-10 fetched');
  });

  it.each([
    ['a web page', notFoundPage],
    ['an answer of another kind', { status: 200, body: '{}', type: 'application/json' }],
    ['no byte', { status: 200, body: '', type: 'text/csv' }],
  ])(
    'that gets %s for the newest file tries again, stores no part of it, and is whole in the next run',
    async (_, reply) => {
      const { server, store, pull } = await august2020({ retries: 2 });
      server.trouble = (_, what) => (what === 'monthly/2020-08-md.csv' ? reply : undefined);
      const failed = await pull('2020-08-10T12:00:00Z');
      expect([failed.ends, failed.asked.length]).toEqual([['FRED-MD failed: bad-answer'], 7]);
      expect(await vintagesOf(store)).toEqual(endsOfMonths);
      server.trouble = () => undefined;
      expect((await pull('2020-08-10T13:00:00Z')).ends).toEqual(['FRED-MD pulled']);
      expect(await vintagesOf(store)).toEqual([...endsOfMonths, '2020-08-10 fetched']);
    },
  );

  it.each([
    ['with a renamed row of codes', (text: string) => text.replace('Transform:', 'tcode'), /like plain-csv/],
    [
      'with a renamed column of dates',
      (text: string) => text.replace('sasdate', 'date'),
      /is not fred-md of 2020-08/,
    ],
    ['of another month', () => panelOf('2020-06'), /the last row with figures is of 2020-05/],
    ['with rows after its month', () => panelOf('2020-10'), /the last row with figures is of 2020-09/],
    ['with a text in place of a figure', (text: string) => text.replace(/\d+\.\d+/, 'n.a.'), /"n\.a\."/],
  ])('stores nothing of a newest file %s', async (_, changed, reason) => {
    const { server, store, pull } = await august2020();
    publish(server, 'monthly/2020-08-md.csv', changed(panelOf('2020-08')));
    const { ends, said, followed } = await pull('2020-08-10T12:00:00Z');
    expect(ends[0]).toMatch(/^FRED-MD (?:failed|left): bad-answer$/);
    expect(`${said} ${followed[0]?.left}`).toMatch(reason);
    expect(await vintagesOf(store)).toEqual(endsOfMonths);
  });

  it('stores nothing of a file that is cut anywhere, though the server says that it is whole', async () => {
    const { server, store, pull } = await august2020({ since: '2020-08-01' });
    await importFiles(store, { 'x.csv': facts('X 2020-01-01 2020-02-01 1') });
    const text = panelOf('2020-08');
    for (let size = 0; size < text.length; size += 32) {
      publish(server, 'monthly/2020-08-md.csv', text.slice(0, size));
      expect([size, (await pull('2020-08-10T12:00:00Z')).kind]).toEqual([size, 'bad-answer']);
      expect(await vintagesOf(store)).toEqual([]);
    }
    publish(server, 'monthly/2020-08-md.csv', text);
    expect((await pull('2020-08-10T12:00:00Z')).ends).toEqual(['FRED-MD pulled']);
  });

  it('stores nothing of an archive that is cut at any kilobyte, though the server says that it is whole', async () => {
    const { server, pull } = await august2020();
    for (let size = 0; size < realArchive.length; size += 1024) {
      publish(server, archive, realArchive.subarray(0, size));
      const { ends, followed } = await pull('2020-08-10T12:00:00Z');
      expect([size, ends, followed[0]?.bookmark ?? '']).toEqual([size, ['FRED-MD failed: bad-answer'], '']);
    }
  });

  it('refuses names of single series', async () => {
    const { pull } = await august2020();
    await expect(pull('2020-08-10T12:00:00Z', { request: { 'fred-md': ['PAYEMS'] } })).rejects.toThrow(
      'fred-md comes as a whole, not by "PAYEMS"',
    );
  });
});

describe('asof pull fred-qd', () => {
  it('reads the quarterly files of the page, and no monthly ones', async () => {
    const { server, store, pull } = await august2020({ request: { 'fred-qd': [] } });
    publish(
      server,
      'quarterly/2021-04-qd.csv',
      readData(testData, 'macro/fred-qd/fredqd.csv'),
      'current.csv',
    );
    expect(await pull('2021-05-03T12:00:00Z')).toMatchObject({
      ends: ['FRED-QD pulled'],
      asked: ['page', 'quarterly/2021-04-qd.csv'],
    });
    const imported = newStorePath(scratchFolder());
    await importFiles(imported, { '2021-04.csv': readData(testData, 'macro/fred-qd/fredqd.csv').toString() });
    expect(await contentOf(store, 'GDPC1')).toEqual(await contentOf(imported, 'GDPC1'));
    expect(await vintagesOf(store, 'GDPC1')).toEqual(['2021-04-30 sampled']);
  });

  it('leaves out the columns that FRED-MD has, which is monthly', async () => {
    const { server, store, pull } = await august2020();
    const quarterly = `sasdate,INDPRO,GDPC1\nfactors,0,0\ntransform,5,5\n3/1/2020,1,2\n6/1/2020,1,2\n`;
    publish(server, 'quarterly/2020-08-qd.csv', quarterly, 'current.csv');
    await pull('2020-08-10T12:00:00Z', { request: { 'fred-md': [], 'fred-qd': [] } });
    expect(await vintagesOf(store, 'GDPC1')).toEqual(['2020-08-10 fetched']);
    expect(await vintagesOf(store)).toHaveLength(6);
    const dates = await reading(store, async (view) =>
      (await allStatements(view, 'INDPRO')).filter(({ value }) => value === '1'),
    );
    expect(dates).toEqual([]);
  });
});

describe('a page of links', () => {
  it('is read with addresses in any form', async () => {
    const { server, pull } = await august2020({ since: '2020-08-01' });
    server.trouble = (_, what) =>
      what === 'page'
        ? {
            status: 200,
            body: pageOf({}).replace(
              '</body>',
              "<A class=x\n HREF='https://www.stlouisfed.org/-/media/project/frbstl/stlouisfed/research/fred-md/monthly/2020-08-md.csv?a=1&amp;b=2'><span>current</span>.csv</A></body>",
            ),
            type: 'text/html',
          }
        : undefined;
    expect((await pull('2020-08-10T12:00:00Z')).ends).toEqual(['FRED-MD pulled']);
  });
});

/** A St. Louis Fed that links the files of some months, and a store that pulls from it. */
async function linking(months: readonly string[], options: Partial<PullOptions> = {}) {
  const server = await loopbackStLouis();
  for (const month of months) publish(server, `monthly/${month}-md.csv`, panelOf(month), month);
  return { server, ...puller(server, { request: { 'fred-md': [] }, ...options }) };
}

describe('a month of FRED-MD without a file', () => {
  it('is asked for again in later runs, because servers send a page in an outage too', async () => {
    const { server, store, pull } = await linking(['2020-06', '2020-08'], { since: '2020-06-01' });
    expect(await pull('2020-08-10T12:00:00Z')).toMatchObject({
      ends: ['FRED-MD left: bad-answer'],
      notes: ['the St. Louis Fed has no file of fred-md of 2020-07'],
      followed: [{ left: 'fred-md of 2020-07 (the answer is a web page, not a file)' }],
    });
    const again = await pull('2020-08-11T12:00:00Z');
    expect(again.ends).toEqual(['FRED-MD left: bad-answer']);
    expect(again.asked).toEqual([
      'page',
      ...['07', 'rev-07', '08'].map((month) => `monthly/2020-${month}-md.csv`),
    ]);
    publish(server, 'monthly/2020-07-md.csv', panelOf('2020-07'));
    expect(await pull('2020-08-12T12:00:00Z')).toMatchObject({
      ends: ['FRED-MD pulled'],
      followed: [{ left: '' }],
    });
    expect(await vintagesOf(store)).toEqual([
      '2020-06-30 sampled',
      '2020-07-31 sampled',
      '2020-08-10 fetched',
    ]);
  });

  it('is taken from its corrected file in a later run', async () => {
    const { server, store, pull } = await linking(['2020-06', '2020-08'], { since: '2020-06-01' });
    await pull('2020-08-10T12:00:00Z');
    publish(server, 'monthly/2020-rev-07-md.csv', panelOf('2020-07'));
    expect((await pull('2020-08-12T12:00:00Z')).ends).toEqual(['FRED-MD pulled']);
    expect(await vintagesOf(store)).toContain('2020-07-31 sampled');
  });

  it('is given up after a month, with a note', async () => {
    const { pull } = await linking(['2020-06', '2020-08'], { since: '2020-06-01' });
    await pull('2020-08-10T12:00:00Z');
    const { ends, notes } = await pull('2020-09-10T12:00:00Z');
    expect(ends).toEqual(['FRED-MD pulled']);
    expect(notes[0]).toMatch(/^fred-md of 2020-07: .*; given up after 30 days, --full asks again$/);
  });
});

describe('the history of FRED-MD', () => {
  const archived = (from: string, to: string, ...months: readonly string[]) =>
    [
      `historical-vintages-of-fred-md-${from}-to-${to}.zip`,
      archiveOf(Object.fromEntries(months.map((month) => [`${month}.csv`, panelOf(month)]))),
    ] as const;

  it('takes single files for months that archives lack, and names months without any', async () => {
    const { server, store, pull } = await linking(['2020-08']);
    publish(server, ...archived('2020-01', '2020-03', '2020-01', '2020-03'), 'first (.zip)');
    publish(server, ...archived('2020-05', '2020-06', '2020-05'), 'second (.zip)');
    for (const month of ['2020-02', '2020-06', '2020-07'])
      publish(server, `monthly/${month}-md.csv`, panelOf(month));
    expect(await pull('2020-08-10T12:00:00Z')).toMatchObject({
      ends: ['FRED-MD left: bad-answer'],
      notes: ['the St. Louis Fed has no file of fred-md of 2020-04'],
      followed: [{ left: 'fred-md of 2020-04 (the answer is a web page, not a file)' }],
    });
    expect(await vintagesOf(store)).toEqual([
      ...['01-31', '02-29', '03-31', '05-31', '06-30', '07-31'].map((day) => `2020-${day} sampled`),
      '2020-08-10 fetched',
    ]);
  });

  it('has a newest file once that an archive has too', async () => {
    const { server, store, pull } = await linking(['2020-08']);
    publish(server, ...archived('2020-07', '2020-08', '2020-07', '2020-08'), 'archive (.zip)');
    expect((await pull('2020-09-01T12:00:00Z')).ends).toEqual(['FRED-MD pulled']);
    expect(await vintagesOf(store)).toEqual(['2020-07-31 sampled', '2020-08-31 sampled']);
  });

  it('begins with the first linked file if the page links no archive, and says so', async () => {
    const { store, pull } = await linking(['2020-07', '2020-08']);
    expect(await pull('2020-08-10T12:00:00Z')).toMatchObject({
      ends: ['FRED-MD pulled'],
      notes: ['the page of the St. Louis Fed links no archive of fred-md: the history begins with 2020-07'],
    });
    expect(await vintagesOf(store)).toEqual(['2020-07-31 sampled', '2020-08-10 fetched']);
  });

  it('is refused with an archive whose months nobody states, unless --since begins after it', async () => {
    const { server, pull } = await linking(['2020-07', '2020-08']);
    publish(server, 'historical_fred-md.zip', realArchive, 'Historical Vintages of FRED-MD, 1999 to 2014');
    expect(await pull('2020-08-10T12:00:00Z')).toMatchObject({
      ends: ['FRED-MD failed: bad-answer'],
      said: expect.stringMatching(
        /an archive of fred-md that does not state its months: .*\/historical_fred-md\.zip$/,
      ),
      hints: [
        'asof pull fred-md --since 2020-07-01 begins with what the other links state',
        'the page may have changed; a newer asof may read it',
      ],
    });
    const since = await pull('2020-08-10T12:00:00Z', { since: '2020-07-01' });
    expect(since.ends).toEqual(['FRED-MD pulled']);
  });
});
