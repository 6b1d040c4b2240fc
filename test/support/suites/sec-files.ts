import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Filing, leadOwner } from '../../../src/domain/insider/filing.ts';
import { combinedFiling, conflictingFields } from '../../../src/domain/insider/merge-filings.ts';
import { allBytes } from '../../../src/import/files/source-file.ts';
import { sourceFiles } from '../../../src/import/files/walk.ts';
import { type FilingRecords, readTogether } from '../sec-documents.ts';

/** The folder of the real ownership documents in a data folder. */
function documentsIn(data: string): string {
  return join(data, 'sec/ownership-xml');
}

/** A record of a table, by column. */
type Cells = Readonly<Record<string, string>>;

/** What the hand-made index says of each document. */
function indexRows(data: string): readonly Cells[] {
  return parse(readFileSync(join(data, 'sec/ownership-xml-INDEX.csv')), { columns: true });
}

/** How many trades of each code there are, as the index writes it: `M:2 S:1`. */
const codesOf = (filings: readonly Filing[]) => {
  const counts = new Map<string, number>();
  for (const { transactionCode } of filings) {
    const code = transactionCode ?? '';
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return [...counts]
    .map(([code, count]) => `${code}:${count}`)
    .sort()
    .join(' ');
};

/** A day after all documents, for those without a date. */
const filedOn = '2026-11-01';

/** The text of an element, and of its `<value>`, read by regular expressions alone. */
const inner = (text: string, name: string) =>
  new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1] ?? '';
const valueIn = (text: string, name: string) => inner(inner(text, name), 'value').trim() || null;
const plain = (text: string | null) => text?.replaceAll('&amp;', '&').replaceAll('&quot;', '"') ?? null;

/** The trades of a document, by regular expressions alone. */
function naiveTrades(text: string): readonly Partial<Record<keyof Filing, unknown>>[] {
  const counts = { nonDerivative: 0, derivative: 1000 };
  return [...text.matchAll(/<(nonDerivative|derivative)Transaction>([\s\S]*?)<\/\1Transaction>/g)].map(
    ([, kind = '', block = '']) => {
      counts[kind as keyof typeof counts] += 1;
      return {
        row: counts[kind as keyof typeof counts],
        transactionCode: inner(block, 'transactionCode'),
        transactionDate: valueIn(block, 'transactionDate')?.slice(0, 10),
        acquiredDisposed: valueIn(block, 'transactionAcquiredDisposedCode'),
        shares: valueIn(block, 'transactionShares'),
        pricePerShare: valueIn(block, 'transactionPricePerShare'),
        sharesOwnedAfter: valueIn(block, 'sharesOwnedFollowingTransaction'),
        ownership: valueIn(block, 'directOrIndirectOwnership'),
        securityTitle: plain(valueIn(block, 'securityTitle')),
      };
    },
  );
}

/** What the documents of a folder contain, counted without asof. */
type DocumentCounts = {
  readonly documents: number;
  readonly trades: number;
  /** Documents that state the 10b5-1 checkbox: more than this many. */
  readonly checkboxes: number;
  /** Documents that a full submission dates. */
  readonly dated: number;
};

/** Tests of real ownership documents in a data folder. */
export function ownershipDocumentsSuite(data: string, counts: DocumentCounts): void {
  describe('a folder of real ownership documents', () => {
    const index = indexRows(data);
    const documents = documentsIn(data);
    let records: ReadonlyMap<string, FilingRecords> = new Map();
    beforeAll(async () => {
      records = await readTogether(await sourceFiles([documents]), { filedOn });
    });

    it('is read completely', () => {
      expect(index).toHaveLength(counts.documents);
      expect([...records.keys()].sort()).toEqual(index.map(({ file }) => file).sort());
    });

    it('gives each trade as the text of its document states it', () => {
      let trades = 0;
      for (const [file, { filings }] of records) {
        const expected = naiveTrades(readFileSync(join(documents, file), 'utf8'));
        const ordered = expected.toSorted((a, b) => Number(a.row) - Number(b.row));
        expect(filings, file).toMatchObject(ordered);
        trades += filings.length;
      }
      expect(trades).toBe(counts.trades);
    });

    it('gives each filing as the index describes it', () => {
      for (const { file = '', accession, ...row } of index) {
        const filings = records.get(file)?.filings ?? [];
        const derivatives = filings.filter(({ isDerivative }) => isDerivative).length;
        expect([file, filings.length - derivatives, derivatives, codesOf(filings)]).toEqual([
          file,
          Number(row.nd),
          Number(row.dv),
          row.codes,
        ]);
        for (const {
          formType,
          periodOfReport,
          issuerName,
          issuerCik,
          ticker,
          owners,
          ...filing
        } of filings) {
          const names = owners.map(({ name }) => name).join('; ');
          expect([file, formType, periodOfReport, issuerName ?? '', issuerCik, ticker, names]).toEqual([
            file,
            ...[row.doc, row.period?.slice(0, 10), row.issuer, row.cik, row.sym, row.owners],
          ]);
          if (accession !== '') expect([file, filing.accessionNumber]).toEqual([file, accession]);
        }
      }
    });

    it('gives the 10b5-1 checkbox where the text of a document has it', () => {
      const meaning: Readonly<Record<string, boolean>> = { 0: false, false: false, 1: true, true: true };
      const stated = { true: 0, false: 0, null: 0 };
      for (const [file, { filings }] of records) {
        const text = inner(readFileSync(join(documents, file), 'utf8'), 'aff10b5One');
        const expected = text === '' ? null : meaning[text];
        for (const { is10b51 } of filings) expect([file, is10b51]).toEqual([file, expected]);
        stated[`${filings[0]?.is10b51 ?? null}`] += 1;
      }
      expect(stated.true + stated.false).toBeGreaterThan(counts.checkboxes);
    });

    it('dates a filing by the header of its full submission', () => {
      const expected: readonly (readonly [string, string, string])[] = [
        ['000089924322035394__0000899243-22-035394.txt', '2022-11-08', '2022-11-09T01:18:10Z'],
        ['000092189525001190__0000921895-25-001190.txt', '2025-04-28', '2025-04-28T20:37:35Z'],
        ['000161071726000146__test.txt', '2026-04-17', '2026-04-17T23:26:28Z'],
        ['000179056523000009__ownership-doc.txt', '2023-07-31', '2023-07-31T23:21:15Z'],
        ['000138746725000038__multi_standard_acquisition.xml', '2025-03-18', '2025-03-19T00:14:08Z'],
        // The document with a full submission beside it.
        ['000089924322035394__doc4.xml', '2022-11-08', '2022-11-09T01:18:10Z'],
      ];
      for (const [file, day, second] of expected) {
        const [filing] = records.get(file)?.filings ?? [];
        expect([file, filing?.filedOn, filing?.acceptedAt]).toEqual([file, day, second]);
      }
      const dated = [...records.values()].filter(({ filings }) =>
        filings.some((filing) => filing.filedOn !== filedOn),
      );
      expect(dated).toHaveLength(counts.dated);
    });

    it('gives the same filing from a document and from its full submission', () => {
      const one = records.get('000089924322035394__doc4.xml')?.filings ?? [];
      const other = records.get('000089924322035394__0000899243-22-035394.txt')?.filings ?? [];
      expect([one.length, other.length]).toEqual([9, 9]);
      for (const [place, filing] of one.entries()) {
        const twin = other[place];
        if (twin === undefined) throw new Error('no twin');
        expect([twin.filingId, twin.row]).toEqual([filing.filingId, filing.row]);
        expect(conflictingFields(filing, twin)).toEqual([]);
        expect(combinedFiling(filing, twin)).toEqual(twin);
      }
    });

    it('keeps odd statements as they are and notes them', () => {
      const notes = (file: string) => records.get(file)?.notes ?? [];
      const nameless = 'its accession number is unknown, because its file name does not have it';
      const first = (file: string) => records.get(file)?.filings[0];
      // An issuer without a name, an owner without a CIK (both commented out), dates with an offset, no price.
      expect(first('01d2f212943e__should_fail.xml')).toMatchObject({ issuerName: null, ticker: 'CVGW' });
      expect(first('9f89d37912c1__xml_error.xml')?.owners).toMatchObject([
        { cik: null, name: 'GALLIGAN JOSEPH J' },
      ]);
      expect(notes('9f89d37912c1__xml_error.xml')).toEqual([
        nameless,
        'the CIK of GALLIGAN JOSEPH J is not stated; trades of such an owner count towards no cluster',
      ]);
      expect(first('a1ddb077d325__xml_timestamp.xml')).toMatchObject({
        transactionDate: '2021-09-30',
        periodOfReport: '2021-09-30',
      });
      expect(
        records.get('69002cb4cfce__xml_no_price.xml')?.filings.map((filing) => filing.pricePerShare),
      ).toEqual([null, null, null]);
      expect(first('000138746725000038__multi_standard_acquisition.xml')?.issuerName).toBe(
        'ALPHA & OMEGA SEMICONDUCTOR Ltd',
      );
      const said = [...records].filter(([, { notes }]) => notes.includes(nameless)).map(([file]) => file);
      expect(said.sort()).toEqual(
        index
          .filter(({ accession, file = '' }) => accession === '' && !/\d{18}/.test(file))
          .map(({ file }) => file)
          .sort(),
      );
    });
  });
}

/** How many filings and derivative trades the quarter of a folder holds, counted without asof. */
type DataSetCounts = { readonly filings: number; readonly trades: number };

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
        return {
          accessionNumber: row.ACCESSION_NUMBER,
          filedOn: day(filing?.FILING_DATE),
          issuerCik: filing?.ISSUERCIK,
          issuerName: filing?.ISSUERNAME,
          formType: filing?.DOCUMENT_TYPE,
          originalFiledOn: filing?.DATE_OF_ORIG_SUB ? day(filing.DATE_OF_ORIG_SUB) : null,
          transactionCode: row.TRANS_CODE,
          transactionDate: day(row.TRANS_DATE),
          shares: row.TRANS_SHARES || null,
          pricePerShare: row.TRANS_PRICEPERSHARE || null,
          sharesOwnedAfter: row.SHRS_OWND_FOLWNG_TRANS || null,
          ownership: row.DIRECT_INDIRECT_OWNERSHIP,
        };
      });
      expect([submissions.size, expected.length]).toEqual([counts.filings, counts.trades]);
      const filings = records.get('DERIV_TRANS.tsv')?.filings ?? [];
      expect(filings).toMatchObject(expected);
      expect(new Set(filings.map(({ filingId, row }) => `${filingId} ${row}`)).size).toBe(counts.trades);
      expect(records.get('SUBMISSION.tsv')?.notes).toEqual([
        'the data set has no table NONDERIV_TRANS: its trades in shares are unknown',
        'the data set has no table REPORTINGOWNER: the owners are unknown, so no trade counts towards a cluster',
      ]);
      expect(records.get('DERIV_TRANS.tsv')?.notes).toEqual([
        expect.stringMatching(/^3 impossible trades kept as stated/),
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
        const stated = {
          accessionNumber: accession,
          filedOn: day(row?.FILING_DATE),
          formType: row?.DOCUMENT_TYPE,
          periodOfReport: day(row?.PERIOD_OF_REPORT),
          issuerCik: row?.ISSUERCIK,
          issuerName: row?.ISSUERNAME,
          ticker: row?.ISSUERTRADINGSYMBOL,
        };
        expect(filings).toMatchObject(filings.map(() => stated));
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
      const august = purchases.filter(({ transactionDate }) => transactionDate === '2022-08-01');
      expect(new Set(august.map((filing) => leadOwner(filing)?.cik)).size).toBe(10);
    });
  });
}
