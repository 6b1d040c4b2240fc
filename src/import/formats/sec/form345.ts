import {
  type Filing,
  filingOf,
  impossibilityOf,
  mostTrades,
  type ReportingOwner,
  rowOf,
  type StatedDate,
  type Trade,
} from '../../../domain/insider/filing.ts';
import { monthNamed, parseDay } from '../../../domain/values/date.ts';
import { addTo, entryOf } from '../../../domain/values/groups.ts';
import type { Problem } from '../../../errors/problem.ts';
import { once, refusal, type SourceFile } from '../../files/source-file.ts';
import { readCsvBody } from '../../readers/csv.ts';
import { placesOf, type TableRow, tableRow } from '../../readers/rows.ts';
import type { Batch, ImportFormat } from '../format.ts';
import {
  notesOnImpossible,
  parseStatedDate,
  readTrade,
  secForms,
  type TradeNames,
  tickerOf,
} from './values.ts';

/** The tables of a data set, each with a column that only it has. */
const columnOf = {
  SUBMISSION: 'DOCUMENT_TYPE',
  REPORTINGOWNER: 'RPTOWNERCIK',
  NONDERIV_TRANS: 'NONDERIV_TRANS_SK',
  DERIV_TRANS: 'DERIV_TRANS_SK',
  NONDERIV_HOLDING: 'NONDERIV_HOLDING_SK',
  DERIV_HOLDING: 'DERIV_HOLDING_SK',
  FOOTNOTES: 'FOOTNOTE_ID',
  OWNER_SIGNATURE: 'OWNERSIGNATURENAME',
} as const;

type TableName = keyof typeof columnOf;

type TradeTable = 'NONDERIV_TRANS' | 'DERIV_TRANS';

const unknownWithout: Partial<Record<TableName, string>> = {
  NONDERIV_TRANS: 'its trades in shares are unknown',
  DERIV_TRANS: 'its derivative trades are unknown',
  REPORTINGOWNER: 'the owners are unknown, so no trade counts towards a cluster',
};

/** The SEC's quarterly Insider Transactions Data Sets; trades need SUBMISSION and REPORTINGOWNER. */
export const secForm345: ImportFormat = {
  kind: 'sec-form345',
  summary: [
    'Insider Transactions Data Set of the SEC',
    ' (zip or folder of TSV: SUBMISSION, NONDERIV_TRANS …)',
  ],
  source: 'SEC',
  recognise: ({ text, name }) => tableIn(text) !== undefined || isDescription(text, name),
  read: readMember,
};

function tableIn(head: string): TableName | undefined {
  const [line = ''] = head.replace(/^\uFEFF/, '').split('\n', 1);
  const columns = line.split('\t').map((name) => name.trim());
  if (!columns.includes('ACCESSION_NUMBER')) return undefined;
  return names.find((table) => columns.includes(columnOf[table]));
}

const names = Object.keys(columnOf) as readonly TableName[];

/** Tells whether a file describes a data set: the SEC's metadata and readme, or a person's note. */
function isDescription(head: string, name: string): boolean {
  if (/^\s*\{/.test(head)) return head.includes('"http://www.w3.org/ns/csvw"') && head.includes('_TRANS.tsv');
  return (
    /^(?:FORM_345_)?(?:readme|note)s?\.(?:html?|txt|md)$/i.test(name) && /form[ _]?345/i.test(head + name)
  );
}

/** Tells whether a file begins as the table SUBMISSION, which has the filing dates. */
export function holdsSubmissionTable(head: string): boolean {
  return tableIn(head) === 'SUBMISSION';
}

async function* readMember(file: SourceFile): AsyncGenerator<Batch> {
  const head = (await file.head()).toString();
  const table = tableIn(head);
  if (table === undefined && !isDescription(head, file.name))
    throw refusal(file, {}, 'not a table of the Insider Transactions Data Sets');
  if (table === undefined) return;
  if (table === 'SUBMISSION') yield* aboutDataSet(file);
  if (table !== 'NONDERIV_TRANS' && table !== 'DERIV_TRANS') return;
  const impossible: Filing[] = [];
  for await (const filings of readTrades(file, table, await dataSetAround(file))) {
    impossible.push(...filings.filter((filing) => impossibilityOf(filing) !== undefined));
    yield { filings };
  }
  yield { notes: notesOnImpossible(impossible) };
}

async function* aboutDataSet(file: SourceFile): AsyncGenerator<Batch> {
  await submissionsIn(file);
  const present = await tablesBeside(file);
  const notes = Object.entries(unknownWithout)
    .filter(([table]) => !present.has(table as TableName))
    .map(([table, unknown]) => `the data set has no table ${table}: ${unknown}`);
  yield { notes };
}

async function dataSetAround(file: SourceFile): Promise<DataSet> {
  const beside = await tablesBeside(file);
  const submission = beside.get('SUBMISSION');
  if (submission === undefined) {
    const reason = 'the table SUBMISSION, which has the filing dates, is not beside it';
    throw refusal(file, {}, reason, ['import the whole archive or folder of the data set']);
  }
  const owner = beside.get('REPORTINGOWNER');
  return {
    submissions: await submissionsIn(submission),
    ...(owner !== undefined && { owners: await ownersIn(owner) }),
  };
}

async function tablesBeside(file: SourceFile): Promise<ReadonlyMap<TableName, SourceFile>> {
  const found = new Map<TableName, SourceFile>();
  for (const sibling of await file.siblings()) {
    if (!/\.(?:tsv|txt)$/i.test(sibling.name)) continue;
    const table = tableIn((await sibling.head()).toString());
    if (table === undefined) continue;
    const other = found.get(table);
    if (other !== undefined && (table === 'SUBMISSION' || table === 'REPORTINGOWNER'))
      throw refusal(
        sibling,
        {},
        `a second table ${table} beside ${other.path}; keep each data set in a separate folder or archive`,
      );
    found.set(table, sibling);
  }
  return found;
}

type DataSet = {
  readonly submissions: ReadonlyMap<string, Submission>;
  readonly owners?: ReadonlyMap<string, readonly ReportingOwner[]>;
};

const tradeNames: TradeNames = {
  securityTitle: 'SECURITY_TITLE',
  transactionCode: 'TRANS_CODE',
  acquiredDisposed: 'TRANS_ACQUIRED_DISP_CD',
  shares: 'TRANS_SHARES',
  pricePerShare: 'TRANS_PRICEPERSHARE',
  sharesOwnedAfter: 'SHRS_OWND_FOLWNG_TRANS',
  ownership: 'DIRECT_INDIRECT_OWNERSHIP',
};

const tradeColumns = ['ACCESSION_NUMBER', 'TRANS_DATE', ...Object.values(tradeNames)];

async function* readTrades(
  file: SourceFile,
  table: TradeTable,
  { submissions, owners }: DataSet,
): AsyncGenerator<readonly Filing[]> {
  const key = columnOf[table];
  const places = await placesInFilings(file, key);
  const isDerivative = table === 'DERIV_TRANS';
  for await (const rows of readTable(file, [...tradeColumns, key])) {
    yield rows.map((row): Filing => {
      const accessionNumber = row.required('ACCESSION_NUMBER', secForms.accession);
      const unknown = (reason: string): Problem => row.refusal('ACCESSION_NUMBER', reason);
      const submission = submissions.get(accessionNumber);
      if (submission === undefined)
        throw unknown('the table SUBMISSION does not have this filing, so its filing date is unknown');
      const known = owners?.get(accessionNumber);
      if (owners !== undefined && known === undefined)
        throw unknown('the table REPORTINGOWNER has no owner of this filing');
      const place = places.get(accessionNumber)?.get(row.required(key, tableKey)) ?? 0;
      const trade = readTrade(row, tradeNames, {
        row: rowOf(isDerivative, place),
        isDerivative,
        transactionDate: row.required('TRANS_DATE', tableDate),
      });
      return filingOf({ ...submission, owners: known ?? [] }, trade);
    });
  }
}

const tableKey = [
  (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
  'a whole number',
] as const;

/** Returns the position of each trade in its filing; keys ascend as in the document, unlike rows. */
async function placesInFilings(
  file: SourceFile,
  key: string,
): Promise<ReadonlyMap<string, ReadonlyMap<number, number>>> {
  const keys = new Map<string, number[]>();
  for await (const rows of readTable(file, ['ACCESSION_NUMBER', key])) {
    for (const row of rows) {
      const own = entryOf(keys, row.required('ACCESSION_NUMBER', secForms.accession), () => []);
      const value = row.required(key, tableKey);
      if (own.includes(value)) throw row.refusal(key, 'this trade appears twice');
      if (own.push(value) > mostTrades)
        throw row.refusal(key, `the filing has more than ${mostTrades} trades, but the form has 30 lines`);
    }
  }
  const places = new Map<string, ReadonlyMap<number, number>>();
  for (const [accessionNumber, own] of keys) {
    own.sort((a, b) => a - b);
    places.set(accessionNumber, new Map(own.map((value, index) => [value, index + 1])));
  }
  return places;
}

type Submission = Omit<Filing, keyof Trade | 'owners'> & { readonly accessionNumber: string };

const submissionColumns = [
  'ACCESSION_NUMBER',
  'FILING_DATE',
  'PERIOD_OF_REPORT',
  'DATE_OF_ORIG_SUB',
  'DOCUMENT_TYPE',
  'ISSUERCIK',
  'ISSUERNAME',
  'ISSUERTRADINGSYMBOL',
] as const;

const ownerColumns = [
  'ACCESSION_NUMBER',
  'RPTOWNERCIK',
  'RPTOWNERNAME',
  'RPTOWNER_RELATIONSHIP',
  'RPTOWNER_TITLE',
] as const;

const tableDate = [parseTableDate, 'a date of the form DD-MON-YYYY'] as const;

/** Reads the filings of a SUBMISSION table by accession number, once a file; throws for a repeated one. */
export const submissionsIn = once(readSubmissions);

const ownersIn = once(readOwners);

async function readSubmissions(file: SourceFile): Promise<ReadonlyMap<string, Submission>> {
  const submissions = new Map<string, Submission>();
  for await (const rows of readTable(file, submissionColumns)) {
    for (const row of rows) {
      const accessionNumber = row.required('ACCESSION_NUMBER', secForms.accession);
      if (submissions.has(accessionNumber))
        throw row.refusal('ACCESSION_NUMBER', 'this filing appears twice');
      submissions.set(accessionNumber, {
        filingId: accessionNumber,
        accessionNumber,
        formType: row.required('DOCUMENT_TYPE', secForms.form),
        // A real day, unlike a date that a filer states.
        filedOn: row.required('FILING_DATE', [(text) => parseDay(parseTableDate(text) ?? ''), tableDate[1]]),
        acceptedAt: null,
        originalFiledOn: row.maybe('DATE_OF_ORIG_SUB', tableDate),
        periodOfReport: row.maybe('PERIOD_OF_REPORT', tableDate),
        issuerCik: row.required('ISSUERCIK', secForms.cik),
        issuerName: row.text('ISSUERNAME'),
        ticker: tickerOf(row.cell('ISSUERTRADINGSYMBOL')),
        is10b51: row.maybe('AFF10B5ONE', secForms.flag),
      });
    }
  }
  return submissions;
}

async function readOwners(file: SourceFile): Promise<ReadonlyMap<string, readonly ReportingOwner[]>> {
  const owners = new Map<string, ReportingOwner[]>();
  for await (const rows of readTable(file, ownerColumns)) {
    for (const row of rows) {
      const roles = row.maybe('RPTOWNER_RELATIONSHIP', ownerRoles) ?? new Set();
      addTo(owners, row.required('ACCESSION_NUMBER', secForms.accession), {
        cik: row.required('RPTOWNERCIK', secForms.cik),
        name: row.required('RPTOWNERNAME', secForms.ownerName),
        isDirector: roles.has('director'),
        isOfficer: roles.has('officer'),
        isTenPercent: roles.has('tenpercentowner'),
        officerTitle: row.text('RPTOWNER_TITLE'),
      });
    }
  }
  return owners;
}

const knownRoles = ['director', 'officer', 'tenpercentowner', 'other'];

const ownerRoles = [
  (text: string) => {
    const roles = text.split(/[,;]/).map((role) => role.replace(/\s+/g, '').toLowerCase());
    return roles.every((role) => knownRoles.includes(role)) ? new Set(roles) : undefined;
  },
  'a list of Director, Officer, TenPercentOwner and Other',
] as const;

/**
 * Reads a tab-separated table, in batches; throws for missing or repeated columns and other widths.
 * Cells may be quoted as in CSV; a cell that only begins with a quoted word is literal.
 */
async function* readTable(
  file: SourceFile,
  required: readonly string[],
): AsyncGenerator<readonly TableRow[]> {
  const form = { quotes: 'loose', mayBeEmpty: true } as const;
  const body = readCsvBody(file, (header) => placesOf(file, header, { required }), form);
  for await (const { header, rows } of body)
    yield Array.from(rows, (record) => tableRow(file, record, header));
}

/** Parses `31-JUL-2024`. */
export function parseTableDate(text: string): StatedDate | undefined {
  const [, day, name = '', year] = /^(\d{2})-([A-Z]{3})-(\d{4})$/i.exec(text) ?? [];
  return parseStatedDate(`${year}-${String(monthNamed(name)).padStart(2, '0')}-${day}`);
}
