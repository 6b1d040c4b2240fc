import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Filing } from '../../../../../src/domain/insider/filing.ts';
import { filing, owner as filingOwner } from '../../../../support/filings.ts';
import { tempFolder } from '../../../../support/folders.ts';
import {
  a,
  b,
  filingsIn,
  notesIn,
  ownerColumns,
  ownerRecord,
  readPaths,
  readSet,
  submissionColumns,
  submissionRecord,
  table,
  tradeColumns,
  tradeRecord,
  whole,
  without,
} from '../../../../support/sec-documents.ts';
import { cutText, zipOf } from '../../../../support/source-file.ts';

/** A value of each filing of a data set, by accession number. */
const byFiling = async <K extends keyof Filing>(files: Readonly<Record<string, string>>, key: K) =>
  new Map(filingsIn(await readSet(files)).map((filing) => [filing.filingId, filing[key]]));

describe('a data set of the SEC', () => {
  it('gives one record per trade, joined from its tables', async () => {
    const [first] = filingsIn(await readSet());
    expect(first).toEqual(
      filing({
        filingId: a,
        row: 1001,
        filedOn: '2026-06-02',
        periodOfReport: '2026-06-01',
        owners: [
          filingOwner({
            cik: '0001913257',
            name: 'Vitoc Vlad',
            isOfficer: true,
            isTenPercent: true,
            officerTitle: 'CEO',
          }),
          filingOwner(),
        ],
        isDerivative: true,
        transactionDate: '2026-06-01',
        shares: '4',
        pricePerShare: '1.3877',
        sharesOwnedAfter: '976121.0',
      }),
    );
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
    const other = table(
      submissionColumns,
      submissionRecord(a).replace('02-JUN', '03-JUN'),
      submissionRecord(b),
    );
    const sets = { '2026q2': whole, '2026q3': { ...whole, 'SUBMISSION.tsv': other } };
    const folder = tempFolder(
      Object.fromEntries(
        Object.entries(sets).flatMap(([quarter, files]) =>
          Object.entries(files).map(([file, content]) => [`${quarter}/${file}`, content]),
        ),
      ),
    );
    const days = async (quarter: string) =>
      new Set(
        filingsIn(await readPaths(join(folder, quarter))).map(
          ({ filingId, filedOn }) => `${filingId} ${filedOn}`,
        ),
      );
    expect(await days('2026q2')).toEqual(new Set([`${a} 2026-06-02`, `${b} 2026-06-02`]));
    expect(await days('2026q3')).toEqual(new Set([`${a} 2026-06-03`, `${b} 2026-06-02`]));
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
      `${submissionRecord(a)}|true`,
      `${submissionRecord(b)}|`,
    );
    const stated = await byFiling({ ...whole, 'SUBMISSION.tsv': submissions }, 'is10b51');
    expect([stated.get(a), stated.get(b)]).toEqual([true, null]);
  });

  it('may quote cells that contain quotes, tabs or line ends', async () => {
    const submissions = table(
      submissionColumns,
      submissionRecord(a, '"the ""Form 4"""'),
      submissionRecord(b, 'a 5" pipe').replace('MAIA Biotechnology, Inc.', '"A ""B""\nC\tD"'),
    );
    const names = await byFiling({ ...whole, 'SUBMISSION.tsv': submissions }, 'issuerName');
    expect([names.get(a), names.get(b)]).toEqual(['MAIA Biotechnology, Inc.', 'A "B" C D']);
  });

  it('takes a cell that only begins with a quoted word literally', async () => {
    const submissions = table(
      submissionColumns,
      submissionRecord(a).replace('MAIA', '"M"'),
      submissionRecord(b),
    );
    const names = await byFiling({ ...whole, 'SUBMISSION.tsv': submissions }, 'issuerName');
    expect(names.get(a)).toBe('"M" Biotechnology, Inc.');
  });

  it('keeps impossible trades as stated, with a note that counts them and names the first', async () => {
    const days = ['03-JUN-2026', '04-JUN-2026', '05-JUN-0022', '06-JUN-2026', '07-JUN-2026'];
    const trades = table(
      tradeColumns,
      tradeRecord(b, 1),
      ...days.map((day, index) => tradeRecord(a, index + 1, '1', day)),
    );
    const records = await readSet({ ...whole, 'NONDERIV_TRANS.tsv': trades });
    expect(
      filingsIn(records)
        .filter(({ filingId, isDerivative }) => filingId === a && !isDerivative)
        .map(({ transactionDate }) => transactionDate),
    ).toEqual(['2026-06-03', '2026-06-04', '0022-06-05', '2026-06-06', '2026-06-07']);
    expect(notesIn(records)).toEqual([
      `5 impossible trades kept as stated, counted towards no cluster: ${a} row 1, dated 2026-06-03, after its filing on 2026-06-02; ${a} row 2, dated 2026-06-04, after its filing on 2026-06-02; ${a} row 3, dated 0022-06-05, before insiders had to report (1934-06-06); and 2 more`,
    ]);
  });

  const trades = whole['NONDERIV_TRANS.tsv'] ?? '';
  const submissions = whole['SUBMISSION.tsv'] ?? '';
  const owners = whole['REPORTINGOWNER.tsv'] ?? '';
  const traded = (...records: string[]) => table(tradeColumns, ...records);
  const noDay = 'a date of the form DD-MON-YYYY';
  const faults: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    NONDERIV_TRANS: {
      'row 3, column "ACCESSION_NUMBER": "0001878313-26-000099": the table SUBMISSION does not have this filing, so its filing date is unknown':
        traded(tradeRecord(a, 1), tradeRecord('0001878313-26-000099', 2)),
      'row 4, column "NONDERIV_TRANS_SK": "1": this trade appears twice': traded(
        tradeRecord(a, 1),
        tradeRecord(b, 1),
        tradeRecord(a, 1),
      ),
      'row 4, column "NONDERIV_TRANS_SK": "x": not a whole number': trades.replace('\t9\t', '\tx\t'),
      'row 1002, column "NONDERIV_TRANS_SK": "1000": the filing has more than 1000 trades, but the form has 30 lines':
        traded(...Array.from({ length: 1001 }, (_, key) => tradeRecord(a, key))),
      'row 2, column "TRANS_SHARES": "1,000": not a number': traded(tradeRecord(a, 1, '1,000')),
      [`row 2, column "TRANS_DATE": "31-JUN-2026": not ${noDay}`]: traded(
        tradeRecord(a, 1, '1', '31-JUN-2026'),
      ),
      [`row 2, column "TRANS_DATE": ${noDay} is missing here`]: traded(tradeRecord(a, 1, '1', '')),
      'row 1, column "TRANS_SHARES": this column is missing': trades.replace('TRANS_SHARES', 'SHARES'),
      'row 4: 4 cells, but the header has 10; is the file truncated, or is this a footer?': trades.slice(
        0,
        -30,
      ),
      'row 2, column "DIRECT_INDIRECT_OWNERSHIP": "B": not D or I': trades.replaceAll('\tD\n', '\tB\n'),
    },
    REPORTINGOWNER: {
      'row 3, column "ACCESSION_NUMBER": "0001878313-26-000061": the table REPORTINGOWNER has no owner of this filing':
        table(ownerColumns, ownerRecord(a)),
      'row 2, column "RPTOWNER_RELATIONSHIP": "Boss,Officer,TenPercentOwner": not a list of Director, Officer, TenPercentOwner and Other':
        owners.replace('Director,', 'Boss,'),
    },
    SUBMISSION: {
      [`row 3, column "ACCESSION_NUMBER": "${a}": this filing appears twice`]: table(
        submissionColumns,
        submissionRecord(a),
        submissionRecord(a),
      ),
      [`row 2, column "FILING_DATE": ${noDay} is missing here`]: submissions.replace('02-JUN-2026', ''),
      [`row 2, column "FILING_DATE": "02-JUN-0026": not ${noDay}`]: submissions.replace(
        '02-JUN-2026',
        '02-JUN-0026',
      ),
      'row 2, column "ACCESSION_NUMBER": "0001878313-26-62": not an accession number': submissions.replace(
        a,
        '0001878313-26-62',
      ),
      'row 2, column "DOCUMENT_TYPE": "144": not one of the forms 3, 4, 5, 3/A, 4/A and 5/A':
        submissions.replace('\t4\t', '\t144\t'),
      'row 2: a quote opens here and is never closed': submissions.replace('MAIA B', '"MAIA B'),
      'row 4: 1 cell, but the header has 9; is the file truncated, or is this a footer?':
        submissions + 'x'.repeat(300_000),
    },
  };
  const cases = Object.entries(faults).flatMap(([name, contents]) =>
    Object.entries(contents).map(([reason, content]) => [name, reason, content] as const),
  );
  it.each(cases)('is refused for its table %s, %s', async (name, reason, content) => {
    await expect(readSet({ ...whole, [`${name}.tsv`]: content })).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringMatching(cutText(`…, ${reason}`)),
    });
  });

  it('is refused with two tables SUBMISSION in one folder', async () => {
    const reading = readSet({ ...whole, 'SUBMISSION2.tsv': submissions });
    await expect(reading).rejects.toThrow(
      /SUBMISSION2\.tsv: a second table SUBMISSION beside .*SUBMISSION\.tsv; keep/,
    );
  });
});
