import { type Batch, type Format, refusal, type SourceFile } from '../format.ts';
import { ownersIn, submissionsIn } from './tables.ts';
import { type DataSet, readTrades, type TradeTable } from './trades.ts';
import { columnsOf } from '../../readers/tsv.ts';
import { newImpossibleTrades } from './notes.ts';

/** The tables of a data set, by the columns that only they have beside ACCESSION_NUMBER. */
const tables = {
  SUBMISSION: 'DOCUMENT_TYPE',
  REPORTINGOWNER: 'RPTOWNERCIK',
  NONDERIV_TRANS: 'NONDERIV_TRANS_SK',
  DERIV_TRANS: 'DERIV_TRANS_SK',
  NONDERIV_HOLDING: 'NONDERIV_HOLDING_SK',
  DERIV_HOLDING: 'DERIV_HOLDING_SK',
  FOOTNOTES: 'FOOTNOTE_ID',
  OWNER_SIGNATURE: 'OWNERSIGNATURENAME',
} as const;

type Table = keyof typeof tables;

const tradeTables: Partial<Record<Table, TradeTable>> = {
  NONDERIV_TRANS: { key: 'NONDERIV_TRANS_SK' },
  DERIV_TRANS: { key: 'DERIV_TRANS_SK' },
};

/** Without which a data set says less than it could, and what is then unknown. */
const lossOf: Partial<Record<Table, string>> = {
  NONDERIV_TRANS: 'its trades in shares are not known',
  DERIV_TRANS: 'its derivative trades are not known',
  REPORTINGOWNER: 'nobody is named as the owner, so that no trade counts for clusters',
};

/**
 * The SEC's quarterly Insider Transactions Data Sets: tables that lie together in one zip archive or folder.
 * The tables of trades are read beside SUBMISSION and REPORTINGOWNER; the others hold no trade.
 */
export const secForm345: Format = {
  kind: 'sec-form345',
  summary: 'Insider Transactions Data Sets of the SEC (zip or folder of TSV: SUBMISSION, NONDERIV_TRANS …)',
  source: 'SEC',
  whole: false,
  takesAsOf: false,
  recognise: (head, name) => tableIn(head) !== undefined || isDescription(head, name),
  read: readMember,
};

/** Which table a file begins as. */
function tableIn(head: string): Table | undefined {
  const columns = columnsOf(head);
  if (!columns.includes('ACCESSION_NUMBER')) return undefined;
  return names.find((table) => columns.includes(tables[table]));
}

const names = Object.keys(tables) as readonly Table[];

/** Whether a file is what lies in a data set besides its tables: the SEC's metadata and readme, or a person's note on it. */
function isDescription(head: string, name: string): boolean {
  if (/^\s*\{/.test(head)) return head.includes('"http://www.w3.org/ns/csvw"') && head.includes('_TRANS.tsv');
  return (
    /^(?:FORM_345_)?(?:readme|note)s?\.(?:html?|txt|md)$/i.test(name) && /form[ _]?345/i.test(head + name)
  );
}

/** Whether a file begins as the table SUBMISSION, which dates filings. */
export function holdsSubmissionTable(head: string): boolean {
  return tableIn(head) === 'SUBMISSION';
}

async function* readMember(file: SourceFile): AsyncGenerator<Batch> {
  const head = (await file.head()).toString();
  const table = tableIn(head);
  if (table === undefined && !isDescription(head, file.name))
    throw refusal(file, {}, 'it begins as no table of the Insider Transactions Data Sets');
  if (table === undefined) return;
  const trades = tradeTables[table];
  if (table === 'SUBMISSION') yield* aboutDataSet(file);
  if (trades === undefined) return;
  const impossible = newImpossibleTrades();
  for await (const filings of readTrades(file, trades, await dataSetAround(file))) {
    for (const filing of filings) impossible.see(filing);
    yield { filings };
  }
  yield { notes: impossible.notes() };
}

/** Checks the table of filings by itself, and says what its data set lacks. */
async function* aboutDataSet(file: SourceFile): AsyncGenerator<Batch> {
  await submissionsIn(file);
  const present = await tablesBeside(file);
  const notes = Object.entries(lossOf)
    .filter(([table]) => !present.has(table as Table))
    .map(([table, loss]) => `the data set has no table ${table}: ${loss}`);
  yield { notes };
}

async function dataSetAround(file: SourceFile): Promise<DataSet> {
  const beside = await tablesBeside(file);
  const submission = beside.get('SUBMISSION');
  if (submission === undefined) {
    const reason = 'the table SUBMISSION, which says when each filing was filed, does not lie beside it';
    throw refusal(file, {}, reason, ['import the whole archive or folder of the data set']);
  }
  const owner = beside.get('REPORTINGOWNER');
  return {
    submissions: await submissionsIn(submission),
    ...(owner !== undefined && { owners: await ownersIn(owner) }),
  };
}

/** The tables that lie in the same archive or folder; two of one kind are refused. */
async function tablesBeside(file: SourceFile): Promise<ReadonlyMap<Table, SourceFile>> {
  const found = new Map<Table, SourceFile>();
  for (const sibling of await file.siblings()) {
    if (!/\.(?:tsv|txt)$/i.test(sibling.name)) continue;
    const table = tableIn((await sibling.head()).toString());
    if (table === undefined) continue;
    const other = found.get(table);
    if (other !== undefined && (table === 'SUBMISSION' || table === 'REPORTINGOWNER'))
      throw refusal(
        sibling,
        {},
        `a second table ${table} beside ${other.path}; keep data sets in folders or archives of their own`,
      );
    found.set(table, sibling);
  }
  return found;
}
