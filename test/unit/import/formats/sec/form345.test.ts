import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recognise } from '../../../../../src/import/formats/recognise.ts';
import { tempFolder } from '../../../../support/folders.ts';
import {
  a,
  b,
  filingsIn,
  notesIn,
  readPaths,
  readSet,
  submission,
  submissionColumns,
  table,
  trade,
  tradeColumns,
  whole,
  without,
} from '../../../../support/sec-tables.ts';
import { tempFile } from '../../../../support/temp-files.ts';
import { zipOf } from '../../../../support/zip-writer.ts';

describe('a data set of the SEC', () => {
  it('gives one record per trade, joined from its tables', async () => {
    const [filing] = filingsIn(await readSet());
    expect(filing).toEqual({
      filingId: a,
      accessionNumber: a,
      row: 1001,
      formType: '4',
      filedOn: '2026-06-02',
      acceptedAt: null,
      originalFiledOn: null,
      periodOfReport: '2026-06-01',
      issuerCik: '0001878313',
      issuerName: 'MAIA Biotechnology, Inc.',
      ticker: 'MAIA',
      owners: [
        {
          cik: '0001913257',
          name: 'Vitoc Vlad',
          isDirector: true,
          isOfficer: true,
          isTenPercent: true,
          officerTitle: 'CEO',
        },
        {
          cik: '0001913199',
          name: 'Smith Stan',
          isDirector: true,
          isOfficer: false,
          isTenPercent: false,
          officerTitle: null,
        },
      ],
      is10b51: null,
      isDerivative: true,
      securityTitle: 'Common Stock',
      transactionDate: '2026-06-01',
      transactionCode: 'P',
      acquiredDisposed: 'A',
      shares: '4',
      pricePerShare: '1.3877',
      sharesOwnedAfter: '976121.0',
      ownership: 'D',
    });
  });

  it('numbers the trades of each filing by their keys, in any order of rows', async () => {
    const places = filingsIn(await readSet()).map(({ filingId, row, shares }) => [filingId, row, shares]);
    expect(places.sort()).toEqual([
      [b, 1, '1'],
      [a, 1, '2'],
      [a, 1001, '4'],
      [a, 2, '3'],
    ]);
  });

  it('gives the same records from a folder, a zip archive, and tables typed one by one', async () => {
    const folder = tempFolder(whole);
    const archive = join(
      tempFolder({ 'q.zip': zipOf(Object.entries(whole).map(([name, content]) => ({ name, content }))) }),
      'q.zip',
    );
    const expected = filingsIn(await readPaths(folder));
    expect(expected).toHaveLength(4);
    expect(filingsIn(await readPaths(archive))).toEqual(expected);
    const tables = Object.keys(whole)
      .sort()
      .map((name) => join(folder, name));
    expect(filingsIn(await readPaths(...tables))).toEqual(expected);
    expect(filingsIn(await readPaths(join(folder, 'NONDERIV_TRANS.tsv')))).toEqual(
      expected.filter(({ isDerivative }) => !isDerivative),
    );
  });

  it('takes each table from its own folder', async () => {
    const other = table(submissionColumns, submission(a).replace('02-JUN', '03-JUN'), submission(b));
    const folder = tempFolder({
      ...Object.fromEntries(Object.entries(whole).map(([name, content]) => [`2026q2/${name}`, content])),
      ...Object.fromEntries(Object.entries(whole).map(([name, content]) => [`2026q3/${name}`, content])),
      '2026q3/SUBMISSION.tsv': other,
    });
    const days = new Set<string>();
    for (const quarter of ['2026q2', '2026q3']) {
      for (const { filingId, filedOn } of filingsIn(await readPaths(join(folder, quarter)))) {
        if (filingId === a) days.add(`${quarter} ${filedOn}`);
      }
    }
    expect([...days]).toEqual(['2026q2 2026-06-02', '2026q3 2026-06-03']);
  });

  it.each([
    ['NONDERIV_TRANS.tsv', 'the data set has no table NONDERIV_TRANS: its trades in shares are unknown', 1],
    ['DERIV_TRANS.tsv', 'the data set has no table DERIV_TRANS: its derivative trades are unknown', 3],
    [
      'REPORTINGOWNER.tsv',
      'the data set has no table REPORTINGOWNER: the owners are unknown, so no trade counts towards a cluster',
      4,
    ],
  ])('without %s has a note, and gives the other records', async (name, note, count) => {
    const records = await readSet(without(name));
    expect(notesIn(records)).toEqual([note]);
    expect(filingsIn(records)).toHaveLength(count);
    if (name === 'REPORTINGOWNER.tsv')
      expect(filingsIn(records).every(({ owners }) => owners.length === 0)).toBe(true);
  });

  it('without SUBMISSION is refused, because it has no filing dates', async () => {
    await expect(readSet(without('SUBMISSION.tsv'))).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringMatching(
        /DERIV_TRANS\.tsv: the table SUBMISSION, which has the filing dates, is not beside it$/,
      ),
    });
  });

  it('ignores holdings, footnotes, signatures, the metadata, the readme and a note', async () => {
    const records = await readSet({
      ...whole,
      'NONDERIV_HOLDING.tsv': table('ACCESSION_NUMBER|NONDERIV_HOLDING_SK|SECURITY_TITLE', `${a}|1|x`),
      'DERIV_HOLDING.tsv': table('ACCESSION_NUMBER|DERIV_HOLDING_SK|SECURITY_TITLE', `${a}|1|x`),
      'FOOTNOTES.tsv': table('ACCESSION_NUMBER|FOOTNOTE_ID|FOOTNOTE_TXT', `${a}|F1|x`),
      'OWNER_SIGNATURE.tsv': table(
        'ACCESSION_NUMBER|OWNERSIGNATURENAME|OWNERSIGNATUREDATE',
        `${a}|x|02-JUN-2026`,
      ),
      'FORM_345_metadata.json':
        '{"@context": "http://www.w3.org/ns/csvw", "tables": [{"url": "DERIV_TRANS.tsv"}]}',
      'FORM_345_readme.htm': '<html><body>The data sets</body></html>',
      'NOTE.txt': 'In the Form 345 layout.',
    });
    expect(filingsIn(records)).toHaveLength(4);
    expect(notesIn(records)).toEqual([]);
    expect(records.size).toBe(11);
  });

  it('has the 10b5-1 checkbox if SUBMISSION has its column', async () => {
    const submissions = table(
      `${submissionColumns}|AFF10B5ONE`,
      `${submission(a)}|true`,
      `${submission(b)}|`,
    );
    const records = await readSet({ ...whole, 'SUBMISSION.tsv': submissions });
    const stated = new Map(filingsIn(records).map(({ filingId, is10b51 }) => [filingId, is10b51]));
    expect([stated.get(a), stated.get(b)]).toEqual([true, null]);
  });

  it('may quote cells that contain quotes, tabs or line ends', async () => {
    const submissions = table(
      submissionColumns,
      submission(a, '"the ""Form 4"""'),
      submission(b, 'a 5" pipe').replace('MAIA Biotechnology, Inc.', '"A ""B""\nC\tD"'),
    );
    const records = await readSet({ ...whole, 'SUBMISSION.tsv': submissions });
    const names = new Map(filingsIn(records).map(({ filingId, issuerName }) => [filingId, issuerName]));
    expect([names.get(a), names.get(b)]).toEqual(['MAIA Biotechnology, Inc.', 'A "B" C D']);
  });

  it('takes a cell that only begins with a quoted word literally', async () => {
    const submissions = table(submissionColumns, submission(a).replace('MAIA', '"M"'), submission(b));
    const records = await readSet({ ...whole, 'SUBMISSION.tsv': submissions });
    const names = new Map(filingsIn(records).map(({ filingId, issuerName }) => [filingId, issuerName]));
    expect(names.get(a)).toBe('"M" Biotechnology, Inc.');
  });

  it('keeps impossible trades as stated, with a note that counts them and names the first', async () => {
    const days = ['03-JUN-2026', '04-JUN-2026', '05-JUN-0022', '06-JUN-2026', '07-JUN-2026'];
    const trades = table(
      tradeColumns,
      trade(b, 1),
      ...days.map((day, index) => trade(a, index + 1, '1', day)),
    );
    const records = await readSet({ ...whole, 'NONDERIV_TRANS.tsv': trades });
    expect(
      filingsIn(records)
        .filter(({ filingId, isDerivative }) => filingId === a && !isDerivative)
        .map(({ transactionDate }) => transactionDate),
    ).toEqual(['2026-06-03', '2026-06-04', '0022-06-05', '2026-06-06', '2026-06-07']);
    expect(notesIn(records)).toEqual([
      `5 impossible trades are kept as stated and count towards no cluster: ${a} row 1, dated 2026-06-03, after its filing on 2026-06-02; ${a} row 2, dated 2026-06-04, after its filing on 2026-06-02; ${a} row 3, dated 0022-06-05, before insiders had to report (1934-06-06); and 2 more`,
    ]);
  });
});

describe('a table of another data set', () => {
  it('is not recognised as one of insider trades', async () => {
    const file = await tempFile(
      'INFOTABLE.tsv',
      table('ACCESSION_NUMBER|INFOTABLE_SK|NAMEOFISSUER', `${a}|1|x`),
    );
    await expect(recognise(file)).rejects.toThrow(
      'this looks like a table of an SEC data set, but not of the Insider Transactions Data Sets',
    );
  });
});
