import { describe, expect, it } from 'vitest';
import { recognise } from '../../../../../src/import/formats/recognise.ts';
import { secSubmissionsJson } from '../../../../../src/import/formats/sec/submissions-json.ts';
import { textHead } from '../../../../../src/import/readers/csv.ts';
import { documentOf, readTogether, trade } from '../../../../support/sec-documents.ts';
import { refusalOf, sourceFile } from '../../../../support/source-file.ts';

const number = '0000929638-23-001482';
const columns = {
  accessionNumber: ['0000929638-23-009999', number],
  filingDate: ['2023-08-01', '2023-05-15'],
  reportDate: ['', '2023-05-11'],
  acceptanceDateTime: ['2023-08-01T20:00:00.000Z', '2023-05-15T23:15:00.000Z'],
  form: ['10-Q', '4'],
  primaryDocument: ['q2.htm', 'xslF345X04/wk-form4_1684192500.xml'],
};
const company = (recent: object = columns, cik: unknown = '1493761') =>
  sourceFile('CIK0001493761.json', JSON.stringify({ cik, name: 'x', filings: { recent, files: [] } }));
const tableHeader =
  'ACCESSION_NUMBER\tFILING_DATE\tPERIOD_OF_REPORT\tDATE_OF_ORIG_SUB\tDOCUMENT_TYPE\tISSUERCIK\tISSUERNAME\tISSUERTRADINGSYMBOL';
const table = (day = '15-MAY-2023', form = '4') =>
  sourceFile(
    'SUBMISSION.tsv',
    `${tableHeader}\n${number}\t${day}\t11-MAY-2023\t\t${form}\t0001493761\tTurtle Beach Corp\tHEAR\n`,
  );
const submission = sourceFile(
  'full.txt',
  `<SEC-DOCUMENT>\nACCESSION NUMBER: ${number}\nCONFORMED SUBMISSION TYPE: 4\nFILED AS OF DATE: 20230515\n<DOCUMENT>\n${documentOf().slice(22)}`,
);
const document = (name = `${number}.xml`, form = '4', siblings = [sourceFile('x.txt', 'x')]) =>
  sourceFile(name, documentOf({ form }), { siblings });
const first = async (file: ReturnType<typeof document>, ...others: ReturnType<typeof document>[]) => {
  const records = (await readTogether([file, ...others])).get(file.name);
  return { ...records?.filings[0], notes: records?.notes };
};
const undated = /: the document does not state its filing date$/;

describe('the filing date of a document', () => {
  it.each([
    ['the SEC’s list of the company’s filings', company(), '2023-05-15T23:15:00Z'],
    [
      'a further part of such a list',
      sourceFile('CIK0001493761-submissions-001.json', JSON.stringify(columns)),
      '2023-05-15T23:15:00Z',
    ],
    ['the table SUBMISSION of a data set', table(), null],
    ['the header of the full submission', submission, null],
  ])('is found in %s that is imported with it', async (_, list, acceptedAt) => {
    expect(await first(document(), list)).toMatchObject({ filedOn: '2023-05-15', acceptedAt, notes: [] });
  });

  it('is found in a file beside it that is not imported', async () => {
    const file = document(undefined, undefined, [company()]);
    expect(await first(file)).toMatchObject({ filedOn: '2023-05-15', acceptedAt: '2023-05-15T23:15:00Z' });
  });

  it('is taken from several lists that agree, with the acceptance time of the one that has it', async () => {
    expect(await first(document(), table(), company())).toMatchObject({
      filedOn: '2023-05-15',
      acceptedAt: '2023-05-15T23:15:00Z',
    });
  });

  it('is found by the document name, together with the accession number', async () => {
    expect(await first(document('wk-form4_1684192500.xml'), company())).toMatchObject({
      accessionNumber: number,
      filedOn: '2023-05-15',
    });
  });

  const named = (name: string) => ({ ...columns, primaryDocument: ['q2.htm', name] });
  it.each([
    ['another name', document('wk-form4_1684192501.xml'), company()],
    ['a name that any document may have', document('doc4.xml'), company(named('doc4.xml'))],
    ['another form', document('wk-form4_1684192500.xml', '4/A'), company()],
    [
      'another period',
      document('wk-form4_1684192500.xml'),
      company({ ...columns, reportDate: ['', '2023-05-10'] }),
    ],
    ['the list of another company', document('wk-form4_1684192500.xml'), company(columns, 320193)],
    ['another number', document('0000929638-23-001483.xml'), company()],
  ])('is not found by %s', async (_, file, list) => {
    await expect(readTogether([file, list])).rejects.toMatchObject({
      detail: expect.stringMatching(undated),
    });
  });

  it('is required when no file has it, with hints on how to state it', async () => {
    await expect(readTogether([document()])).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringMatching(undated),
      hints: [
        'pass --filed-on D, for documents that were all filed on that day',
        `or import it with a file that lists ${number}: the SEC’s submissions file of the company (CIK….json), or the table SUBMISSION of a data set`,
        'or import the full submission from EDGAR (.txt), whose header has the date',
      ],
    });
  });

  it('from a list overrides --filed-on, with a note', async () => {
    const records = await readTogether([document(), company()], { filedOn: '2023-05-16' });
    expect(records.get(`${number}.xml`)?.filings[0]?.filedOn).toBe('2023-05-15');
    expect(records.get(`${number}.xml`)?.notes).toEqual([
      'filed on 2023-05-15 according to the SEC; --filed-on 2023-05-16 is ignored',
    ]);
  });

  const stating = (tables: string, more = '') =>
    sourceFile('doc4.xml', documentOf({ tables, more }), { siblings: [] });
  const flagged = (day: string) => `the filing date ${day} given by --filed-on`;
  it.each<[string, ReturnType<typeof stating>, string, string]>([
    [
      'before its period',
      stating(trade()),
      '2023-05-10',
      `doc4.xml, column "periodOfReport": "2023-05-11": later than ${flagged('2023-05-10')}`,
    ],
    [
      'before one of its trades',
      stating(trade() + trade({ transactionDate: '<value>2023-05-14</value>' })),
      '2023-05-13',
      `doc4.xml, column "transactionDate": "2023-05-14": later than ${flagged('2023-05-13')}`,
    ],
    [
      'before what it amends',
      stating(trade(), '<dateOfOriginalSubmission>2023-05-15</dateOfOriginalSubmission>'),
      '2023-05-14',
      `doc4.xml, column "dateOfOriginalSubmission": "2023-05-15": later than ${flagged('2023-05-14')}`,
    ],
  ])('of --filed-on is refused when it is %s', async (_, file, filedOn, detail) => {
    await expect(readTogether([file], { filedOn })).rejects.toMatchObject({
      kind: 'bad-input',
      detail,
      hints: [
        '--filed-on is the day on which the SEC accepted the document; import documents of other days separately',
        expect.stringContaining('it with a list of the SEC that dates it'),
      ],
    });
  });

  it('of --filed-on may be the date of the trade', async () => {
    const read = await readTogether([stating(trade())], { filedOn: '2023-05-11' });
    expect(read.get('doc4.xml')?.filings[0]?.filedOn).toBe('2023-05-11');
  });

  it('from a list is accepted before the date of a trade, with a note', async () => {
    const late = trade({ transactionDate: '<value>2032-05-11</value>' });
    const file = sourceFile(`${number}.xml`, documentOf({ tables: late }));
    const read = await readTogether([file, company()], { filedOn: '2023-05-15' });
    expect(read.get(file.name)).toMatchObject({
      filings: [{ filedOn: '2023-05-15', transactionDate: '2032-05-11' }],
      notes: [
        `1 impossible trade is kept as stated and counts towards no cluster: ${number} row 1, dated 2032-05-11, after its filing on 2023-05-15`,
      ],
    });
  });

  const twice = {
    ...columns,
    accessionNumber: ['0000929638-23-001483', number],
    form: ['4', '4'],
    reportDate: ['2023-05-11', '2023-05-11'],
    primaryDocument: ['wk-form4_1684192500.xml', 'wk-form4_1684192500.xml'],
  };
  it.each([
    [
      'two lists differ',
      document(),
      [company(), table('16-MAY-2023')],
      `"${number}": CIK0001493761.json states form 4, filed on 2023-05-15, but SUBMISSION.tsv states form 4, filed on 2023-05-16`,
    ],
    [
      'a list differs from the header of its submission',
      submission,
      [company({ ...columns, filingDate: ['2023-08-01', '2023-05-16'] })],
      `full.txt: "${number}": full.txt states form 4, filed on 2023-05-15, but CIK0001493761.json states form 4, filed on 2023-05-16`,
    ],
    [
      'the list says another form',
      document(),
      [table('15-MAY-2023', '4/A')],
      `, column "documentType": form 4, but SUBMISSION.tsv lists ${number} as form 4/A`,
    ],
    [
      'its name could be of two filings',
      document('wk-form4_1684192500.xml'),
      [company(twice)],
      `: by its name, form and period it could be 0000929638-23-001483 or ${number} (CIK0001493761.json)`,
    ],
  ])('is refused when %s', async (_, file, lists, detail) => {
    await expect(readTogether([file, ...lists])).rejects.toMatchObject({
      detail: expect.stringContaining(detail),
    });
  });
});

describe('a list of filings by the SEC', () => {
  it('has a note on how many filings it dates', async () => {
    const records = await readTogether([company()]);
    expect(records.get('CIK0001493761.json')).toEqual({
      filings: [],
      notes: ['dates 1 ownership filing; it has no trades itself'],
    });
  });

  it.each<[string, object, string]>([
    ['without a list', { ...columns, filingDate: undefined }, ', column "filingDate": this list is missing'],
    [
      'with lists of different lengths',
      { ...columns, filingDate: ['2023-05-15'] },
      ', column "filingDate": 1 entries, but accessionNumber has 2',
    ],
    [
      'with an invalid day',
      { ...columns, filingDate: ['2023-08-01', '15.5.2023'] },
      ', row 2, column "filingDate": "15.5.2023": not in the form that the SEC uses',
    ],
    [
      'with an invalid time',
      { ...columns, acceptanceDateTime: ['', 'noon'] },
      ', row 2, column "acceptanceDateTime": "noon": not in the form that the SEC uses',
    ],
    [
      'with a number instead of a text',
      { ...columns, form: [10, '4'] },
      ', row 1, column "form": "10": not a text',
    ],
  ])('%s is refused', async (_, recent, detail) => {
    expect(await refusalOf(secSubmissionsJson, company(recent))).toContain(`CIK0001493761.json${detail}`);
  });

  it('without its filings is refused', async () => {
    const file = sourceFile('a.json', '{"filings":{}}');
    expect(await refusalOf(secSubmissionsJson, file)).toContain(
      'column "filings": the list of recent filings',
    );
  });

  it('is recognised among other JSON', async () => {
    expect((await recognise(company())).kind).toBe('sec-submissions-json');
    expect(secSubmissionsJson.recognise(textHead(JSON.stringify(columns), 'a.json'))).toBe(true);
    expect(secSubmissionsJson.recognise(textHead('{"filings":[],"accessionNumber":"x"}', 'a.json'))).toBe(
      false,
    );
  });
});
