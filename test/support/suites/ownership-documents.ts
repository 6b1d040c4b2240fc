import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Filing, leadOwner } from '../../../src/domain/insider/filing.ts';
import { combinedFiling, conflictingFields } from '../../../src/domain/insider/merge-filings.ts';
import { sourceFiles } from '../../../src/import/files/walk.ts';
import { type FilingRecords, readTogether } from '../sec-documents.ts';
import { codesOf, documentsIn, indexRows } from '../sec-real.ts';

/** A day after all documents, for those without a date. */
const filedOn = '2026-11-01';

/** The text of an element, and of its `<value>`, read by regular expressions alone. */
const inner = (text: string, name: string) =>
  new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1] ?? '';
const valueIn = (text: string, name: string) => inner(inner(text, name), 'value').trim() || null;
const plain = (text: string | null) => text?.replaceAll('&amp;', '&').replaceAll('&quot;', '"') ?? null;

/** The trades of a document as `row code date A/D shares price after ownership title`, by regular expressions alone. */
function naiveTrades(text: string): unknown[][] {
  const counts = { nonDerivative: 0, derivative: 1000 };
  return [...text.matchAll(/<(nonDerivative|derivative)Transaction>([\s\S]*?)<\/\1Transaction>/g)].map(
    ([, kind = '', block = '']) => {
      counts[kind as keyof typeof counts] += 1;
      return [
        counts[kind as keyof typeof counts],
        inner(block, 'transactionCode'),
        valueIn(block, 'transactionDate')?.slice(0, 10),
        valueIn(block, 'transactionAcquiredDisposedCode'),
        valueIn(block, 'transactionShares'),
        valueIn(block, 'transactionPricePerShare'),
        valueIn(block, 'sharesOwnedFollowingTransaction'),
        valueIn(block, 'directOrIndirectOwnership'),
        plain(valueIn(block, 'securityTitle')),
      ];
    },
  );
}

const tradeOf = (filing: Filing) => [
  filing.row,
  filing.transactionCode,
  filing.transactionDate,
  filing.acquiredDisposed,
  filing.shares,
  filing.pricePerShare,
  filing.sharesOwnedAfter,
  filing.ownership,
  filing.securityTitle,
];

/** What the documents of a folder contain, counted without asof. */
export type DocumentCounts = {
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
        const ordered = expected.sort(([a], [b]) => Number(a) - Number(b));
        expect([file, filings.map(tradeOf)]).toEqual([file, ordered]);
        trades += filings.length;
      }
      expect(trades).toBe(counts.trades);
    });

    it('gives each filing as the index describes it', () => {
      for (const row of index) {
        const { file = '' } = row;
        const filings = records.get(file)?.filings ?? [];
        expect([file, filings.filter((filing) => !filing.isDerivative).length]).toEqual([
          file,
          Number(row.nd),
        ]);
        expect([file, filings.filter((filing) => filing.isDerivative).length]).toEqual([
          file,
          Number(row.dv),
        ]);
        expect([file, codesOf(filings)]).toEqual([file, row.codes]);
        for (const filing of filings) {
          expect([file, filing.formType]).toEqual([file, row.doc]);
          expect([file, filing.periodOfReport]).toEqual([file, row.period?.slice(0, 10)]);
          expect([file, filing.issuerName ?? '']).toEqual([file, row.issuer]);
          expect([file, filing.issuerCik, filing.ticker]).toEqual([file, row.cik, row.sym]);
          expect([file, filing.owners.map(({ name }) => name).join('; ')]).toEqual([file, row.owners]);
          if (row.accession !== '') expect([file, filing.accessionNumber]).toEqual([file, row.accession]);
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

    it('leads joint filings by the first officer or director', () => {
      const lead = (file: string) => {
        const [filing] = records.get(file)?.filings ?? [];
        return filing && leadOwner(filing)?.name;
      };
      // None of the three funds is officer or director, and of the other three only the person is a director.
      expect(lead('c137c9dc919c__form4_sample.xml')).toBe('Fund 1 Investments, LLC');
      expect(lead('f32559ebcfe9__000120919123029527_form4.xml')).toBe('TANG KEVIN C');
    });
  });
}
