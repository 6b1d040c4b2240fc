import { describe, expect, it } from 'vitest';
import {
  a,
  b,
  owner,
  ownerColumns,
  readSet,
  submission,
  submissionColumns,
  table,
  trade,
  tradeColumns,
  whole,
} from '../../../../support/sec-tables.ts';

describe('a data set of the SEC', () => {
  const trades = whole['NONDERIV_TRANS.tsv'] ?? '';
  const submissions = whole['SUBMISSION.tsv'] ?? '';
  const owners = whole['REPORTINGOWNER.tsv'] ?? '';
  it.each<[string, string, string, string]>([
    [
      'with a trade of an unknown filing',
      'NONDERIV_TRANS.tsv',
      table(tradeColumns, trade(a, 1), trade('0001878313-26-000099', 2)),
      ', row 3, column "ACCESSION_NUMBER": "0001878313-26-000099": the table SUBMISSION does not have this filing',
    ],
    [
      'with a filing without an owner',
      'REPORTINGOWNER.tsv',
      table(ownerColumns, owner(a)),
      ', row 3, column "ACCESSION_NUMBER": "0001878313-26-000061": the table REPORTINGOWNER has no owner of this filing',
    ],
    [
      'with a repeated key',
      'NONDERIV_TRANS.tsv',
      table(tradeColumns, trade(a, 1), trade(b, 1), trade(a, 1)),
      ', row 4, column "NONDERIV_TRANS_SK": "1": this trade appears twice',
    ],
    [
      'with a key in words',
      'NONDERIV_TRANS.tsv',
      trades.replace('\t9\t', '\tx\t'),
      ', row 4, column "NONDERIV_TRANS_SK": "x": not a whole number',
    ],
    [
      'with more trades than a form has',
      'NONDERIV_TRANS.tsv',
      table(tradeColumns, ...Array.from({ length: 1001 }, (_, key) => trade(a, key))),
      ', row 1002, column "NONDERIV_TRANS_SK": "1000": the filing has more than 1000 trades',
    ],
    [
      'with shares in words',
      'NONDERIV_TRANS.tsv',
      table(tradeColumns, trade(a, 1, '1,000')),
      ', row 2, column "TRANS_SHARES": "1,000": not a number',
    ],
    [
      'with a day that does not exist',
      'NONDERIV_TRANS.tsv',
      table(tradeColumns, trade(a, 1, '1', '31-JUN-2026')),
      ', row 2, column "TRANS_DATE": "31-JUN-2026": not a date of the form DD-MON-YYYY',
    ],
    [
      'without the date of a trade',
      'NONDERIV_TRANS.tsv',
      table(tradeColumns, trade(a, 1, '1', '')),
      ', row 2, column "TRANS_DATE": a date of the form DD-MON-YYYY is missing',
    ],
    [
      'with a column missing',
      'NONDERIV_TRANS.tsv',
      trades.replace('TRANS_SHARES', 'SHARES'),
      ', row 1, column "TRANS_SHARES": this column is missing',
    ],
    [
      'with a repeated column',
      'NONDERIV_TRANS.tsv',
      trades.replace('TRANS_SHARES', 'TRANS_CODE'),
      ', row 1, column "TRANS_CODE": this column appears twice',
    ],
    [
      'with a table cut short',
      'NONDERIV_TRANS.tsv',
      trades.slice(0, -30),
      ', row 4: 4 cells, but the header has 10; is the file truncated?',
    ],
    [
      'with an ownership of neither kind',
      'NONDERIV_TRANS.tsv',
      trades.replaceAll('\tD\n', '\tB\n'),
      ', row 2, column "DIRECT_INDIRECT_OWNERSHIP": "B": not D or I',
    ],
    [
      'with a repeated filing',
      'SUBMISSION.tsv',
      table(submissionColumns, submission(a), submission(a)),
      `, row 3, column "ACCESSION_NUMBER": "${a}": this filing appears twice`,
    ],
    [
      'without a filing date',
      'SUBMISSION.tsv',
      submissions.replace('02-JUN-2026', ''),
      ', row 2, column "FILING_DATE": a date of the form DD-MON-YYYY is missing',
    ],
    [
      'with an impossible filing date',
      'SUBMISSION.tsv',
      submissions.replace('02-JUN-2026', '02-JUN-0026'),
      ', row 2, column "FILING_DATE": "02-JUN-0026": not a date of the form DD-MON-YYYY',
    ],
    [
      'with an invalid accession number',
      'SUBMISSION.tsv',
      submissions.replace(a, '0001878313-26-62'),
      ', row 2, column "ACCESSION_NUMBER": "0001878313-26-62": not an accession number',
    ],
    [
      'with another form',
      'SUBMISSION.tsv',
      submissions.replace('\t4\t', '\t144\t'),
      ', row 2, column "DOCUMENT_TYPE": "144": not one of the forms',
    ],
    [
      'with another role',
      'REPORTINGOWNER.tsv',
      owners.replace('Director,', 'Boss,'),
      ', row 2, column "RPTOWNER_RELATIONSHIP": "Boss,Officer,TenPercentOwner": not a list of Director',
    ],
    [
      'with an open quote',
      'SUBMISSION.tsv',
      submissions.replace('MAIA B', '"MAIA B'),
      ', row 2: a quote opens here and is never closed',
    ],
    [
      'with a zero byte',
      'SUBMISSION.tsv',
      submissions.replace('MAIA B', '\0MAIA B'),
      ', row 2: "\\u0000MAIA Biotechnology, Inc.": this is not UTF-8 text',
    ],
  ])('is refused %s', async (_, name, content, detail) => {
    await expect(readSet({ ...whole, [name]: content })).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringContaining(detail),
    });
  });

  it('is refused with two tables SUBMISSION in one folder', async () => {
    const reading = readSet({ ...whole, 'SUBMISSION2.tsv': submissions });
    await expect(reading).rejects.toThrow(
      /SUBMISSION2\.tsv: a second table SUBMISSION beside .*SUBMISSION\.tsv; keep/,
    );
  });

  it('is refused with a line that does not end', async () => {
    const reading = readSet({ ...whole, 'SUBMISSION.tsv': submissions + 'x'.repeat(300_000) });
    await expect(reading).rejects.toThrow('row 4: 1 cell, but the header has');
  });
});
