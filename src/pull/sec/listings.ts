import type { FormType } from '../../domain/insider/filing.ts';
import { type Day, dayOf, monthEnd, parseDay } from '../../domain/series/date.ts';
import { refusal, type SourceFile } from '../../import/files/source-file.ts';
import { accessionIn, parseCik, parseForm } from '../../import/formats/sec/values.ts';
import {
  isJsonObject,
  listField,
  readJsonObject,
  textField,
  type UncheckedObject,
} from '../../import/readers/json.ts';

/** A page of older filings, as the list of filings states it. */
export type OlderPage = {
  /** `CIK0000789019-submissions-001.json`. */
  readonly name: string;
  /** The last filing date on it. */
  readonly to: Day;
  /** The number of filings on it; undefined if the list does not say. */
  readonly count: number | undefined;
  /** All that the list states about it; another text means that the page has changed. */
  readonly stated: string;
};

/** The older pages of a filer's list of filings; refused if they are not where asof looks for them. */
export async function olderPages(file: SourceFile, cik: string): Promise<readonly OlderPage[]> {
  const { filings } = await readJsonObject(file);
  if (!isJsonObject(filings)) throw refusal(file, { column: 'filings' }, 'this field is missing');
  return listField(file, filings, 'files').map((page, index) => {
    const row = index + 1;
    const name = textField(file, page, 'name', row);
    if (!/^CIK\d{10}-submissions-\d+\.json$/.test(name) || !name.startsWith(`CIK${cik}-`))
      throw refusal(file, { row, column: 'name', value: name }, 'not the name of a page of its filings');
    const day = (column: string): Day => {
      const value = textField(file, page, column, row);
      const found = parseDay(value);
      if (found === undefined)
        throw refusal(file, { row, column, value }, 'not a date of the form YYYY-MM-DD');
      return found;
    };
    const [from, to] = [day('filingFrom'), day('filingTo')];
    const count = typeof page.filingCount === 'number' ? page.filingCount : undefined;
    return { name, to, count, stated: [from, to, count ?? ''].join(' ') };
  });
}

/**
 * The CIK of the filer that has a ticker now, in the SEC's table of tickers (`company_tickers.json`); undefined if
 * none has it.
 */
export async function cikOfTicker(file: SourceFile, ticker: string): Promise<string | undefined> {
  const rows = Object.values(await readJsonObject(file));
  if (rows.length === 0) throw refusal(file, {}, 'the table of tickers is empty');
  // The SEC writes classes of shares with a hyphen: BRK-B.
  const wanted = ticker.toUpperCase().replace(/[./]/g, '-');
  const found = rows.find((row): row is UncheckedObject => {
    if (isJsonObject(row) && typeof row.ticker === 'string') return row.ticker.toUpperCase() === wanted;
    throw refusal(file, {}, 'an entry of the table of tickers has no ticker');
  });
  if (found === undefined) return undefined;
  const cik = parseCik(String(found.cik_str));
  if (cik === undefined)
    throw refusal(file, { column: 'cik_str', value: String(found.cik_str) }, 'not a CIK');
  return cik;
}

/** A quarterly data set that the SEC's page links to. */
export type DataSetLink = {
  readonly quarter: string;
  readonly from: Day;
  readonly to: Day;
  readonly path: string;
};

/**
 * The links to quarterly Insider Transactions Data Sets on the page, oldest first; the folders that they lead to
 * change.
 */
export function dataSetLinks(page: string): readonly DataSetLink[] {
  const links = new Map<string, DataSetLink>();
  for (const [, href = ''] of page.matchAll(/href\s*=\s*["']([^"'<>\s]+)["']/gi)) {
    const [, path, year, digit] =
      /^(?:https:\/\/www\.sec\.gov)?(\/[\w./-]*?(\d{4})q([1-4])_form345\.zip)$/i.exec(href) ?? [];
    const month = (Number(digit) - 1) * 3 + 1;
    const from = dayOf(Number(year), month, 1);
    const last = dayOf(Number(year), month + 2, 1);
    if (path === undefined || from === undefined || last === undefined) continue;
    const quarter = `${year}q${digit}`;
    links.set(quarter, { quarter, from, to: monthEnd(last), path });
  }
  return [...links.values()].sort((a, b) => (a.from < b.from ? -1 : 1));
}

/** A filing that an index of the SEC names, and where its full submission is. */
export type IndexedFiling = {
  readonly accessionNumber: string;
  readonly formType: FormType;
  /** The path of the full submission: `/Archives/edgar/data/935036/0001269847-20-000022.txt`. */
  readonly path: string;
};

/**
 * The ownership filings of the form index of a day, by accession number; refused if they are all of other days. The index lists a filing once for the issuer and once
 * for each owner; the first line counts. Columns are of fixed width in Latin-1, the width of the first differs
 * between years, and form types may hold blanks.
 */
export async function filingsInIndex(file: SourceFile, day: Day): Promise<readonly IndexedFiling[]> {
  // Latin-1, so that a column of the text is a column of the file; names of filers are not read.
  const lines = (await file.bytes()).toString('latin1').split(/\r?\n/);
  const header = lines.findIndex((line) =>
    /^Form Type +Company Name +CIK +Date Filed +File Name\s*$/.test(line),
  );
  const rule = lines.findIndex((line) => /^-{40,}\s*$/.test(line));
  if (header < 0 || rule < header) throw refusal(file, {}, 'it does not have the columns of a form index');
  const company = (lines[header] ?? '').indexOf('Company Name');
  const filings = new Map<string, IndexedFiling>();
  const dates = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (index <= rule || line.trim() === '') continue;
    const [, date = '', path = ''] =
      /\s\d{1,10} +(\d{4}-?\d{2}-?\d{2}) +(edgar\/data\/\S+\.txt)\s*$/.exec(line) ?? [];
    const accessionNumber = accessionIn(path);
    if (accessionNumber === undefined)
      throw refusal(file, { row: index + 1, value: line.trim() }, 'not a line of a form index');
    const formType = parseForm(line.slice(0, company).trim());
    if (formType !== undefined) dates.add(date.replaceAll('-', ''));
    if (formType !== undefined && !filings.has(accessionNumber))
      filings.set(accessionNumber, { accessionNumber, formType, path: `/Archives/${path}` });
  }
  const [other] = dates;
  if (other !== undefined && !dates.has(day.replaceAll('-', '')))
    throw refusal(file, { column: 'Date Filed', value: other }, `this index is not of ${day}`);
  return [...filings.values()].sort((a, b) => (a.accessionNumber < b.accessionNumber ? -1 : 1));
}
