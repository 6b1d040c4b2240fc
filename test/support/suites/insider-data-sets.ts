import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { leadOwner } from '../../../src/domain/insider/filing.ts';
import { allBytes } from '../../../src/import/files/source-file.ts';
import { sourceFiles } from '../../../src/import/files/walk.ts';
import { dataPath, readData } from '../repository.ts';
import { readTogether } from '../sec-documents.ts';
import { type Cells, codesOf, documentsIn, indexRows } from '../sec-real.ts';

/** How many filings and derivative trades the quarter of a folder holds, counted without asof. */
export type DataSetCounts = { readonly filings: number; readonly trades: number };

/** Tests of real insider data sets in a data folder. */
export function insiderDataSetsSuite(data: string, counts: DataSetCounts): void {
  const sec = join(data, 'sec');
  const documents = documentsIn(data);
  const quarter = join(sec, 'form345/2024q3_form345_partial.zip');

  describe('a real insider data set', () => {
    let tables: ReadonlyMap<string, readonly Cells[]> = new Map();
    const table = (name: string) => tables.get(name) ?? [];
    beforeAll(async () => {
      const members = (await sourceFiles([quarter])).filter(({ name }) => name.endsWith('.tsv'));
      const contents = await Promise.all(members.map((file) => allBytes(file)));
      tables = new Map(
        members.map(({ name }, place) => [
          name,
          parse(contents[place] ?? '', { columns: true, delimiter: '\t', relax_quotes: true }),
        ]),
      );
    });
    const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
    const day = (text = '') => {
      const [dd, month = '', yyyy] = text.split('-');
      return `${yyyy}-${String(months.indexOf(month) + 1).padStart(2, '0')}-${dd}`;
    };

    it('of 2024Q3 gives every derivative trade, dated by its filing, and notes the missing tables', async () => {
      const records = await readTogether(await sourceFiles([quarter]));
      const submissions = new Map(table('SUBMISSION.tsv').map((row) => [row.ACCESSION_NUMBER, row]));
      const expected = table('DERIV_TRANS.tsv').map((row) => {
        const filing = submissions.get(row.ACCESSION_NUMBER);
        return [
          row.ACCESSION_NUMBER,
          day(filing?.FILING_DATE),
          filing?.ISSUERCIK,
          filing?.ISSUERNAME,
          filing?.DOCUMENT_TYPE,
          filing?.DATE_OF_ORIG_SUB ? day(filing.DATE_OF_ORIG_SUB) : null,
          row.TRANS_CODE,
          day(row.TRANS_DATE),
          row.TRANS_SHARES || null,
          row.TRANS_PRICEPERSHARE || null,
          row.SHRS_OWND_FOLWNG_TRANS || null,
          row.DIRECT_INDIRECT_OWNERSHIP,
        ];
      });
      expect([submissions.size, expected.length]).toEqual([counts.filings, counts.trades]);
      const filings = records.get('DERIV_TRANS.tsv')?.filings ?? [];
      const found = filings.map((filing) => [
        filing.accessionNumber,
        filing.filedOn,
        filing.issuerCik,
        filing.issuerName,
        filing.formType,
        filing.originalFiledOn,
        filing.transactionCode,
        filing.transactionDate,
        filing.shares,
        filing.pricePerShare,
        filing.sharesOwnedAfter,
        filing.ownership,
      ]);
      expect(found).toEqual(expected);
      expect(new Set(filings.map(({ filingId, row }) => `${filingId} ${row}`)).size).toBe(counts.trades);
      expect(records.get('SUBMISSION.tsv')?.notes).toEqual([
        'the data set has no table NONDERIV_TRANS: its trades in shares are unknown',
        'the data set has no table REPORTINGOWNER: the owners are unknown, so no trade counts towards a cluster',
      ]);
      expect(records.get('DERIV_TRANS.tsv')?.notes).toEqual([
        expect.stringMatching(/^3 impossible trades are kept as stated/),
      ]);
    });

    it('of 2024Q3 dates the XML documents that it lists, and agrees with them', async () => {
      const listed = new Map(table('SUBMISSION.tsv').map((row) => [row.ACCESSION_NUMBER, row]));
      const both = indexRows(data).filter(({ accession }) => listed.has(accession));
      expect(both).toHaveLength(8);
      const derivative = table('DERIV_TRANS.tsv');
      const paths = both.map(({ file = '' }) => join(documents, file));
      const records = await readTogether(await sourceFiles([quarter, ...paths]));
      for (const { file = '', accession } of both) {
        const row = listed.get(accession);
        const filings = records.get(file)?.filings ?? [];
        expect(filings.length).toBeGreaterThan(0);
        for (const filing of filings) {
          expect([
            filing.accessionNumber,
            filing.filedOn,
            filing.formType,
            filing.periodOfReport,
            filing.issuerCik,
            filing.issuerName,
            filing.ticker,
          ]).toEqual([
            accession,
            day(row?.FILING_DATE),
            row?.DOCUMENT_TYPE,
            day(row?.PERIOD_OF_REPORT),
            row?.ISSUERCIK,
            row?.ISSUERNAME,
            row?.ISSUERTRADINGSYMBOL,
          ]);
        }
        // What the table has of derivative trades the documents have as well.
        expect([file, filings.filter(({ isDerivative }) => isDerivative).length]).toEqual([
          file,
          derivative.filter((trade) => trade.ACCESSION_NUMBER === accession).length,
        ]);
      }
    });

    it('of one issuer gives its purchases, by ten insiders', async () => {
      const records = await readTogether(await sourceFiles([join(sec, 'form345-maia-reencoded')]));
      const filings = records.get('NONDERIV_TRANS.tsv')?.filings ?? [];
      expect(filings).toHaveLength(146);
      expect(codesOf(filings)).toBe('G:1 J:2 M:2 P:141');
      expect(new Set(filings.map(({ filingId }) => filingId)).size).toBe(104);
      const purchases = filings.filter(({ transactionCode }) => transactionCode === 'P');
      expect(purchases.every(({ acquiredDisposed }) => acquiredDisposed === 'A')).toBe(true);
      expect(filings[0]).toMatchObject({
        filingId: '0001878313-26-000062',
        filedOn: '2026-06-02',
        ticker: 'MAIA',
        owners: [
          {
            cik: '0001913257',
            name: 'Vitoc Vlad',
            isDirector: true,
            isOfficer: true,
            isTenPercent: true,
            officerTitle: 'Chief Executive Officer',
          },
        ],
        transactionDate: '2026-06-01',
        shares: '72700.0',
        pricePerShare: '1.3877',
        sharesOwnedAfter: '976121.0',
        ownership: 'D',
      });
      const august = purchases.filter(({ transactionDate }) => transactionDate === '2022-08-01');
      expect(new Set(august.map((filing) => leadOwner(filing)?.cik)).size).toBe(10);
    });

    it('of one company lists its filings', async () => {
      const path = dataPath(sec, 'submissions-json/cik1835632_submissions.json');
      const records = await readTogether(await sourceFiles([path]));
      const count = readData(sec, 'submissions-json/cik1835632_submissions.json')
        .toString('utf8')
        .match(/"core_type": \[[^\]]*\]/)?.[0]
        .match(/"[345](?:\/A)?"/g)?.length;
      expect(count).toBe(396);
      expect(records.get('cik1835632_submissions.json')?.notes).toEqual([
        `dates ${count} ownership filings; it has no trades itself`,
      ]);
    });
  });
}
