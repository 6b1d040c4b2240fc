import { describe, expect, it } from 'vitest';
import type { SourceFile } from '../../../../../src/import/files/source-file.ts';
import { readSubmissions, secSubmissionsJson } from '../../../../../src/import/formats/sec/filing-dates.ts';
import { readData, recording, testData } from '../../../../support/repository.ts';
import {
  documentOf,
  readTogether,
  submissionColumns,
  table,
  trade,
} from '../../../../support/sec-documents.ts';
import { readAll, refuses, sourceFile } from '../../../../support/source-file.ts';

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
const submissions = (day = '15-MAY-2023', form = '4') =>
  sourceFile(
    'SUBMISSION.tsv',
    table(submissionColumns, `${number}|${day}|11-MAY-2023|||${form}|0001493761|Turtle Beach Corp|HEAR`),
  );
const submission = sourceFile(
  'full.txt',
  `<SEC-DOCUMENT>\nACCESSION NUMBER: ${number}\nCONFORMED SUBMISSION TYPE: 4\nFILED AS OF DATE: 20230515\n<DOCUMENT>\n${documentOf().slice(22)}`,
);
const document = (name = `${number}.xml`, form = '4', siblings = [sourceFile('x.txt', 'x')]) =>
  sourceFile(name, documentOf({ form }), { siblings });
const first = async (file: SourceFile, ...others: SourceFile[]) => {
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
    ['the table SUBMISSION of a data set', submissions(), null],
    ['the header of the full submission', submission, null],
  ])('is found in %s that is imported with it', async (_, list, acceptedAt) => {
    expect(await first(document(), list)).toMatchObject({ filedOn: '2023-05-15', acceptedAt, notes: [] });
  });

  it('is found in a file beside it that is not imported', async () => {
    const file = document(undefined, undefined, [company()]);
    expect(await first(file)).toMatchObject({ filedOn: '2023-05-15', acceptedAt: '2023-05-15T23:15:00Z' });
  });

  it('is taken from several lists that agree, with the acceptance time of the one that has it', async () => {
    expect(await first(document(), submissions(), company())).toMatchObject({
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
  it.each<[string, SourceFile, string, string]>([
    ['its period', stating(trade()), '2023-05-10', 'column "periodOfReport": "2023-05-11"'],
    [
      'one of its trades',
      stating(trade() + trade({ transactionDate: '<value>2023-05-14</value>' })),
      '2023-05-13',
      'column "transactionDate": "2023-05-14"',
    ],
    [
      'what it amends',
      stating(trade(), '<dateOfOriginalSubmission>2023-05-15</dateOfOriginalSubmission>'),
      '2023-05-14',
      'column "dateOfOriginalSubmission": "2023-05-15"',
    ],
  ])('of --filed-on is refused when it is before %s', async (_, file, filedOn, place) => {
    await expect(readTogether([file], { filedOn })).rejects.toMatchObject({
      kind: 'bad-input',
      detail: `doc4.xml, ${place}: later than the filing date ${filedOn} given by --filed-on`,
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
        `1 impossible trade kept as stated, counted towards no cluster: ${number} row 1, dated 2032-05-11, after its filing on 2023-05-15`,
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
  const states = (file: string, day: string) => `${file} states form 4, filed on ${day}`;
  it.each([
    [
      `"${number}": ${states('CIK0001493761.json', '2023-05-15')}, but ${states('SUBMISSION.tsv', '2023-05-16')}`,
      document(),
      [company(), submissions('16-MAY-2023')],
    ],
    [
      `full.txt: "${number}": ${states('full.txt', '2023-05-15')}, but ${states('CIK0001493761.json', '2023-05-16')}`,
      submission,
      [company({ ...columns, filingDate: ['2023-08-01', '2023-05-16'] })],
    ],
    [
      `, column "documentType": form 4, but SUBMISSION.tsv lists ${number} as form 4/A`,
      document(),
      [submissions('15-MAY-2023', '4/A')],
    ],
    [
      `: by its name, form and period it could be 0000929638-23-001483 or ${number} (CIK0001493761.json)`,
      document('wk-form4_1684192500.xml'),
      [company(twice)],
    ],
  ])('is refused when files contradict each other: %s', async (detail, file, lists) => {
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

  refuses(secSubmissionsJson, 'CIK0001493761.json', {
    ', column "filingDate": this field is missing': company({ ...columns, filingDate: undefined }),
    ', column "filingDate": 1 entries, but accessionNumber has 2': company({
      ...columns,
      filingDate: ['2023-05-15'],
    }),
    ', row 2, column "filingDate": "15.5.2023": not in the form that the SEC uses': company({
      ...columns,
      filingDate: ['2023-08-01', '15.5.2023'],
    }),
    ', row 2, column "acceptanceDateTime": "noon": not in the form that the SEC uses': company({
      ...columns,
      acceptanceDateTime: ['', 'noon'],
    }),
    ', row 1, column "form": "10": not a text': company({ ...columns, form: [10, '4'] }),
    ', column "recent": this field is missing': '{"filings":{}}',
  });
});

const recorded = (name: string) =>
  sourceFile('CIK.json', recording(`sec/submissions-${name}.json`).response.body);
const acceptedAt = async (file: ReturnType<typeof sourceFile>, accession: string) =>
  (await readSubmissions(file)).find(({ accessionNumber }) => accessionNumber === accession)?.acceptedAt;

/** A list of forms with their filing dates and times of acceptance. */
const listed = (...filings: readonly (readonly [form: string, filed: string, accepted: string])[]) =>
  company({
    accessionNumber: filings.map((_, i) => `0000310522-26-00000${i}`),
    form: filings.map(([form]) => form),
    filingDate: filings.map(([, filed]) => filed),
    acceptanceDateTime: filings.map(([, , accepted]) => accepted),
  });
const firstAccepted = async (file: SourceFile) => (await readSubmissions(file))[0]?.acceptedAt;

describe('the time of acceptance in a list of filings', () => {
  it('is the same from lists of two days that state it in two zones', async () => {
    const instants = {
      '0002102148-25-000002': '2025-12-19T21:21:39Z',
      '0002062526-25-000004': '2025-10-15T20:35:33Z',
      '0000310522-25-000496': '2025-10-14T17:02:01Z',
    };
    for (const day of ['08Feb2026', '05Mar2026']) {
      const filings = await readSubmissions(recorded(`0000310522-${day}`));
      const accepted = filings.map((filing) => [filing.accessionNumber, filing.acceptedAt]);
      expect(Object.fromEntries(accepted)).toMatchObject(instants);
    }
  });

  it('agrees with the header of the filing, which is in Eastern time', async () => {
    const { body } = recording('sec/filing-0000320193-22-000061.json').response;
    expect(body).toContain('<ACCEPTANCE-DATETIME>20220506183057');
    expect(await acceptedAt(recorded('0000320193-05Mar2026'), '0000320193-22-000061')).toBe(
      '2022-05-06T22:30:57Z',
    );
  });

  it.each(['0000789019-03Feb2026', '0001796129-20Jun2026'])(
    'in the list %s is on the filing date in Washington, for every ownership form',
    async (name) => {
      const washington = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' });
      const filings = await readSubmissions(recorded(name));
      expect(filings.length).toBeGreaterThan(100);
      for (const { acceptedAt: accepted, filedOn } of filings)
        expect(washington.format(new Date(accepted ?? ''))).toBe(filedOn);
    },
  );

  it('in the list of another publisher’s test is UTC', async () => {
    const list = sourceFile(
      'CIK.json',
      readData(testData, 'sec/submissions-json/cik1835632_submissions.json'),
    );
    expect(await acceptedAt(list, '0001835632-25-000091')).toBe('2025-04-24T22:59:24Z');
  });

  const noon = ['4', '2026-03-03', '2026-03-03T17:00:00.000Z'] as const;
  it.each([
    [
      'before EDGAR opens in Washington',
      [['4', '2026-03-03', '2026-03-04T01:10:00.000Z']],
      '2026-03-04T01:10:00Z',
    ],
    [
      'so early that UTC would be at night',
      [['4', '2026-03-03', '2026-03-03T08:10:00.000Z']],
      '2026-03-03T13:10:00Z',
    ],
    [
      'of an annual report after 17:30 Eastern',
      [noon, ['10-K', '2026-03-03', '2026-03-03T20:10:00.000Z']],
      '2026-03-03T17:00:00Z',
    ],
  ] as const)('is in the zone that one filing shows, accepted %s', async (_, filings, instant) => {
    expect(await firstAccepted(listed(...filings))).toBe(instant);
  });

  it('is left out, with a note, if the times fit both zones', async () => {
    expect(await firstAccepted(listed(noon))).toBeNull();
    expect((await readAll(secSubmissionsJson, listed(noon))).notes).toContain(
      'its times of acceptance can be UTC or Eastern time, and are left out',
    );
  });

  it('of what the SEC posts itself at night is no evidence', async () => {
    const night = ['EFFECT', '2026-03-02', '2026-03-03T00:15:00.000Z'] as const;
    expect(await firstAccepted(listed(noon, night))).toBeNull();
  });
});
