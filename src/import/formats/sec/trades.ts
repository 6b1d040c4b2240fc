import {
  type Filing,
  filingOf,
  mostTrades,
  type ReportingOwner,
  rowOf,
  type Trade,
} from '../../../domain/insider/filing.ts';
import type { Problem } from '../../../errors/problem.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { readTable } from '../../readers/tsv.ts';
import { accession, cellReader, type Submission } from './tables.ts';
import { acquiredOrDisposed, directOrIndirect, parseAmount, parseTableDate } from './values.ts';

/** A table of trades, by the column that numbers its rows. */
export type TradeTable = { readonly key: 'NONDERIV_TRANS_SK' | 'DERIV_TRANS_SK' };

/** The other tables of a data set; `owners` is absent if their table is missing. */
export type DataSet = {
  readonly submissions: ReadonlyMap<string, Submission>;
  readonly owners?: ReadonlyMap<string, readonly ReportingOwner[]>;
};

const tradeColumns = [
  'ACCESSION_NUMBER',
  'SECURITY_TITLE',
  'TRANS_DATE',
  'TRANS_CODE',
  'TRANS_SHARES',
  'TRANS_PRICEPERSHARE',
  'TRANS_ACQUIRED_DISP_CD',
  'SHRS_OWND_FOLWNG_TRANS',
  'DIRECT_INDIRECT_OWNERSHIP',
] as const;

/** The trades of a table in batches, in its order; a trade whose filing is not in SUBMISSION is refused. */
export async function* readTrades(
  file: SourceFile,
  { key }: TradeTable,
  { submissions, owners }: DataSet,
): AsyncGenerator<readonly Filing[]> {
  const places = await placesInFilings(file, key);
  const isDerivative = key === 'DERIV_TRANS_SK';
  for await (const rows of readTable(file, [...tradeColumns, key])) {
    yield rows.map((row): Filing => {
      const cells = cellReader(file, row);
      const accessionNumber = cells.required(...accession);
      const unknown = (reason: string): Problem =>
        refusal(file, { row: row.row, column: 'ACCESSION_NUMBER', value: accessionNumber }, reason);
      const submission = submissions.get(accessionNumber);
      if (submission === undefined)
        throw unknown('the table SUBMISSION does not have this filing, so its filing date is unknown');
      const known = owners?.get(accessionNumber);
      if (owners !== undefined && known === undefined)
        throw unknown('the table REPORTINGOWNER has no owner of this filing');
      const place = places.get(accessionNumber)?.get(cells.required(key, parseKey, keyText)) ?? 0;
      const number = (column: string): string | null => cells.maybe(column, parseAmount, 'a number');
      const trade: Trade = {
        row: rowOf(isDerivative, place),
        isDerivative,
        securityTitle: cells.text('SECURITY_TITLE'),
        transactionDate: cells.required('TRANS_DATE', parseTableDate, 'a date of the form DD-MON-YYYY'),
        transactionCode: cells.text('TRANS_CODE'),
        acquiredDisposed: cells.maybe('TRANS_ACQUIRED_DISP_CD', acquiredOrDisposed, 'A or D'),
        shares: number('TRANS_SHARES'),
        pricePerShare: number('TRANS_PRICEPERSHARE'),
        sharesOwnedAfter: number('SHRS_OWND_FOLWNG_TRANS'),
        ownership: cells.maybe('DIRECT_INDIRECT_OWNERSHIP', directOrIndirect, 'D or I'),
      };
      return filingOf({ ...submission, owners: known ?? [] }, trade);
    });
  }
}

const keyText = 'a whole number';

function parseKey(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * The position of each trade in its filing, by its key. Keys ascend in the order of the document; the rows of the table
 * have another order, and those of one filing are not always adjacent.
 */
async function placesInFilings(
  file: SourceFile,
  key: TradeTable['key'],
): Promise<ReadonlyMap<string, ReadonlyMap<number, number>>> {
  const keys = new Map<string, number[]>();
  for await (const rows of readTable(file, ['ACCESSION_NUMBER', key])) {
    for (const row of rows) {
      const cells = cellReader(file, row);
      const accessionNumber = cells.required(...accession);
      const own = keys.get(accessionNumber) ?? [];
      keys.set(accessionNumber, own);
      const value = cells.required(key, parseKey, keyText);
      const place = { row: row.row, column: key, value: String(value) };
      if (own.includes(value)) throw refusal(file, place, 'this trade appears twice');
      if (own.push(value) > mostTrades)
        throw refusal(
          file,
          place,
          `the filing has more than ${mostTrades} trades, but the form has 30 lines`,
        );
    }
  }
  const places = new Map<string, ReadonlyMap<number, number>>();
  for (const [accessionNumber, own] of keys) {
    own.sort((a, b) => a - b);
    places.set(accessionNumber, new Map(own.map((value, index) => [value, index + 1])));
  }
  return places;
}
