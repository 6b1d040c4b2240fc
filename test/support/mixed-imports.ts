import fc from 'fast-check';
import { agreeing, onePerKey, seriesIds } from './arbitrary.ts';
import {
  asAlfredWide,
  asAsofCsv,
  asClippedFredApi,
  asDatedPanel,
  asFredApi,
  asFredCsv,
  type Encoded,
} from './encodings.ts';
import { type ImportFlags, importFiles } from './scratch-store.ts';
import { documentOf, trade } from './sec-documents.ts';

const encodings = [asAsofCsv, asAlfredWide, asFredCsv, asDatedPanel, asFredApi, asClippedFredApi];

/** Metadata of some fields of some series; two files never contradict each other. */
const metadata: fc.Arbitrary<Encoded> = fc
  .record({
    ids: fc.subarray([...seriesIds, 'ONLY'], { minLength: 1 }),
    fields: fc.subarray(['title', 'units', 'seasonal_adjustment', 'covered_to', 'vintage_kind'], {
      minLength: 1,
    }),
  })
  .map(({ ids, fields }) => {
    const rows = ids.map((id) => [id, ...fields.map((field) => said(id, field))].join(','));
    return { files: { 'metadata.csv': `series_id,${fields.join(',')}\n${rows.join('\n')}\n` }, flags: {} };
  });

function said(id: string, field: string): string {
  if (field === 'covered_to') return '2026-01-02';
  return field === 'vintage_kind' ? 'sampled' : `${field} of ${id}`;
}

/** Rates of some days, with the same numbers in every file and texts of their own. */
const rates: fc.Arbitrary<Encoded> = fc
  .record({
    days: fc.subarray(['2015-01-02', '2015-01-05', '2015-01-06', '2015-01-07'], { minLength: 2 }),
    digits: fc.constantFrom(1, 2, 3),
  })
  .map(({ days, digits }) => {
    const rows = days.map((day) => `${day},${(2).toFixed(digits)},${(1.5).toFixed(digits)}`);
    return { files: { 'par.csv': `Date,"1 Mo","10 Yr"\n${rows.join('\n')}\n` }, flags: {} };
  });

/** Filings of purchases; the documents of one filing state the same, or one states less. */
const filings: fc.Arbitrary<Encoded> = fc
  .record({ number: fc.constantFrom(1, 2, 3), hasTicker: fc.boolean() })
  .map(({ number, hasTicker }) => {
    const symbol = hasTicker ? '<issuerTradingSymbol>HEAR</issuerTradingSymbol>' : '';
    const issuer = `<issuerCik>1493761</issuerCik><issuerName>Turtle Beach Corp</issuerName>${symbol}`;
    const tables = trade({ transactionShares: `<value>${number}00</value>` });
    return {
      files: { [`0000000001-26-00000${number}.xml`]: documentOf({ issuer, tables }) },
      flags: { filedOn: '2026-01-05' },
    };
  });

/** Imports of every kind, which agree with each other in any order. */
export const mixedImports: fc.Arbitrary<readonly Encoded[]> = fc
  .record({
    statements: agreeing,
    formats: fc.array(fc.constantFrom(...encodings), { minLength: 1, maxLength: 4 }),
    others: fc.array(fc.oneof(metadata, rates, filings), { maxLength: 5 }),
    order: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
  })
  .map(({ statements, formats, others, order }) => {
    const pieces = formats.flatMap((encode, piece) => {
      const own = statements.filter((item) => item.piece % formats.length === piece);
      return own.length === 0 ? [] : encode(onePerKey(own.map((item) => item.said)));
    });
    return [...pieces, ...others]
      .map((item, i) => ({ item, at: order[i] ?? i }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  });

/** Imports into a store as the generated imports need it. */
export function importMixed(address: string, { files, flags }: Encoded, more: ImportFlags = {}) {
  return importFiles(address, files, { merge: true, projections: true, ...flags, ...more });
}
