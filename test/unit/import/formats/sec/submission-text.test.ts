import { describe, expect, it } from 'vitest';
import { secSubmissionText } from '../../../../../src/import/formats/sec/ownership.ts';
import { textHead } from '../../../../../src/import/readers/csv.ts';
import { documentOf, readTogether, trade } from '../../../../support/sec-documents.ts';
import { refusalOf, sourceFile } from '../../../../support/source-file.ts';

const header = [
  '<SEC-DOCUMENT>0000929638-23-001482.txt : 20230515',
  '<SEC-HEADER>0000929638-23-001482.hdr.sgml : 20230515',
  '<ACCEPTANCE-DATETIME>20230515191500',
  'ACCESSION NUMBER:\t\t0000929638-23-001482',
  'CONFORMED SUBMISSION TYPE:\t4',
  'CONFORMED PERIOD OF REPORT:\t20230511',
  'FILED AS OF DATE:\t\t20230515',
  '</SEC-HEADER>',
].join('\n');
const body = (document: string) =>
  `<DOCUMENT>\n<TYPE>4\n<TEXT>\n<XML>\n${document}\n</XML>\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>`;
const submission = (document = documentOf()) => `${header}\n${body(document)}`;
const read = async (content: string | Buffer, options = {}) => {
  const records = (await readTogether([sourceFile('filing.txt', content)], options)).get('filing.txt');
  if (records === undefined) throw new Error('nothing was read');
  return records;
};

describe('a full submission', () => {
  it.each([
    ['as EDGAR keeps it', submission()],
    ['with Windows line ends', submission().replaceAll('\n', '\r\n')],
    ['indented', submission().replaceAll('\n', '\n    ')],
    [
      'with a signature around it',
      `-----BEGIN PRIVACY-ENHANCED MESSAGE-----\nMIC-Info: x\n\n${submission()}`,
    ],
    [
      'with an exhibit',
      `${submission()}\n<DOCUMENT>\n<TYPE>EX-24\n<TEXT>\nPower of attorney\n</TEXT>\n</DOCUMENT>`,
    ],
  ])('%s has its accession number, its filing date and the second of its acceptance', async (_, content) => {
    const { filings, notes } = await read(content);
    expect(notes).toEqual([]);
    expect(filings).toHaveLength(1);
    expect(filings[0]).toMatchObject({
      filingId: '0000929638-23-001482',
      accessionNumber: '0000929638-23-001482',
      filedOn: '2023-05-15',
      acceptedAt: '2023-05-15T23:15:00Z',
      formType: '4',
      ticker: 'HEAR',
      shares: '5000',
    });
  });

  it('may lack the time of acceptance', async () => {
    const { filings } = await read(submission().replace(/<ACCEPTANCE.*\n/, ''));
    expect(filings[0]?.acceptedAt).toBeNull();
  });

  it('decodes its document as UTF-8', async () => {
    const content = submission(documentOf({ tables: trade({ securityTitle: '<value>Aktie “ä”</value>' }) }));
    expect((await read(content)).filings[0]?.securityTitle).toBe('Aktie “ä”');
  });

  it('is dated by its header before --filed-on, with a note', async () => {
    const { filings, notes } = await read(submission(), { filedOn: '2023-06-01' });
    expect(filings[0]?.filedOn).toBe('2023-05-15');
    expect(notes).toEqual(['filed on 2023-05-15 according to the SEC; --filed-on 2023-06-01 is ignored']);
  });

  const shares = documentOf({ tables: trade({ transactionShares: '<value>x</value>' }) });
  it.each<[string, string, string]>([
    [
      'without a filing date',
      submission().replace(/FILED AS.*\n/, ''),
      ', column "FILED AS OF DATE": the SGML header lacks this line',
    ],
    [
      'without a number',
      submission().replace('ACCESSION NUMBER', 'NUMBER'),
      ', column "ACCESSION NUMBER": the SGML header lacks this line',
    ],
    [
      'with an invalid day',
      submission().replace('\t20230515', '\t20230532'),
      ', row 7, column "FILED AS OF DATE": "20230532": not a date of the form YYYYMMDD',
    ],
    [
      'of another form than its document',
      submission(documentOf({ form: '4/A' })),
      ', column "documentType": the document states form 4/A, but the header 4',
    ],
    ['without XML', `${header}\n<DOCUMENT>\n<TEXT>\nFORM 4\n`, ': the submission has no ownership XML'],
    [
      'of two documents',
      submission(documentOf() + documentOf().slice(22)),
      ': the submission has two ownership documents',
    ],
    [
      'that is cut short',
      submission().slice(0, -200),
      ': the submission is cut short: its ownership XML does not end',
    ],
    [
      'with an invalid document, on its line in the file',
      submission(shares),
      ', row 24, column "transactionShares": "x": not a number',
    ],
    ['without a header', documentOf(), ', column "ACCESSION NUMBER": the SGML header lacks this line'],
  ])('%s is refused', async (_, content, detail) => {
    expect(await refusalOf(secSubmissionText, sourceFile('filing.txt', content))).toContain(
      `filing.txt${detail}`,
    );
  });

  it.each([
    [submission(), true],
    [`<SEC-HEADER>\nCONFORMED SUBMISSION TYPE: 3/A\n`, true],
    [submission().replace('TYPE:\t4', 'TYPE:\t10-K'), false],
    [documentOf(), false],
  ])('is recognised by how it begins and its form (%#)', (head, expected) => {
    expect(secSubmissionText.recognise(textHead(head, 'a.txt'))).toBe(expected);
  });
});
