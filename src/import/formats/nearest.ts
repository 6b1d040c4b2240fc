import { counted } from '../../errors/wording.ts';
import { cellsIn, linesOf } from '../readers/text-table.ts';
import type { ImportFormat } from './format.ts';

/** Why a file is not of a format, and what to do about it. */
type Nearest = { readonly reason: string; readonly hints: readonly string[] };

/** The first rows of a table, header first. */
type Rows = readonly (readonly string[])[];

/** What keeps a table from being of a format, and the way out. */
type TableFault = {
  /** The kind of the format, or the table without the fault, which a format recognises. */
  readonly like: string | Rows;
  readonly fault: string;
  readonly wayOut: string;
};

/** The rows that are examined; a header can be as far below notes as `mostNotes`. */
const mostRows = 80;
const mostNotes = 60;

const enoughJson = 8000;

/** The format that a table or a JSON file would be of without one fault, and that fault; undefined for other files. */
export function nearestTo(head: string, name: string, formats: readonly ImportFormat[]): Nearest | undefined {
  const json = nearJson.find(({ matches }) => matches.test(head.slice(0, enoughJson)));
  if (json !== undefined) return { reason: json.reason, hints: [json.wayOut] };
  const lines = linesOf(head, mostRows).filter((line) => line.trim() !== '');
  const tables = [',', ';', '\t'].map((separator) => lines.map((line) => cellsIn(line, separator)));
  const faults = [
    ...separatorFaults(lines),
    ...tables.filter(isTable).flatMap((rows) => faultsOfTables.map((find) => find(rows))),
  ];
  for (const found of faults) {
    const format = found && formatLike(found.like, name, formats);
    if (found === undefined || format === undefined) continue;
    const { kind, summary } = format;
    return { reason: `like ${kind} (${summary[0]}), but ${found.fault}`, hints: [found.wayOut] };
  }
  return undefined;
}

/** The format of a kind, or the only one that recognises a table as comma-separated or tab-separated text. */
function formatLike(
  like: TableFault['like'],
  name: string,
  formats: readonly ImportFormat[],
): ImportFormat | undefined {
  if (typeof like === 'string') return formats.find(({ kind }) => kind === like);
  for (const separator of [',', '\t']) {
    const text = like.map((row) => row.map(quoted).join(separator)).join('\n');
    const [format, other] = formats.filter((candidate) => candidate.recognise(`${text}\n`, name));
    if (format !== undefined && other === undefined) return format;
  }
  return undefined;
}

function quoted(cell: string): string {
  return /[",;\t]/.test(cell) ? `"${cell.replaceAll('"', '')}"` : cell;
}

function isTable(rows: Rows): boolean {
  return rows.filter((row) => row.length > 1).length > 1;
}

/** The separators that other programs write between cells. */
function separatorFaults(lines: readonly string[]): readonly TableFault[] {
  const readings = [
    { by: '|', rows: lines.map((line) => line.split('|').map((cell) => cell.trim())) },
    { by: 'blanks', rows: lines.map((line) => line.trim().split(/ +/)) },
  ];
  return readings
    .filter(({ rows }) => isTable(rows) && hasFigures(rows))
    .map(({ by, rows }) => ({
      like: rows,
      fault: `its cells are separated by ${by}`,
      wayOut: 'save it with commas between the cells',
    }));
}

/** Whether most rows below the first have a number beside their first cell. */
function hasFigures([, ...rows]: Rows): boolean {
  const withFigures = rows.filter((row) => row.slice(1).some((cell) => /^-?[\d.,]*\d$/.test(cell)));
  return withFigures.length * 2 > rows.length;
}

/** A day as asof reads it, or the period that a person or program may write for it. */
const date = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ][\d:.]+Z?)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})$/;
const period =
  /^(?:\d{4}[-/.: ]?[QMqm]?\d{1,2}|[QMqm]?\d{1,2}[-/. ]\d{4}|(?:19|20)\d\d|\d{8}|(?:\d{1,2}[- ])?[A-Z][a-z]{2,8}[-. ]'?\d{2,4})$/;

/** The names that columns of dates have. */
const dateName = /^(?:.*[_ ])?(?:date|dates|day|month|quarter|year|period|time|timestamp|datum|fecha)$/i;
const dateNames = ['observation_date', 'Date', 'DATE', 'date'] as const;

function isWhen(cell: string | undefined): boolean {
  return cell !== undefined && (date.test(cell) || period.test(cell));
}

/** Whether the cells below the header are dates, in most rows that have a cell there. */
function holdsDates([, ...rows]: Rows, column: number): boolean {
  const cells = rows.map((row) => row[column] ?? '').filter((cell) => cell !== '');
  return cells.length > 0 && cells.filter(isWhen).length * 2 > cells.length;
}

/** What to look for in a table, in this order. */
const faultsOfTables: readonly ((rows: Rows) => TableFault | undefined)[] = [
  function noHeader(rows) {
    const [first = []] = rows;
    if (!isWhen(first[0]) || first.length < 2 || !hasFigures([first, ...rows])) return undefined;
    const names = first.slice(1).map((_, i) => `A${i + 1}`);
    const example = first.length === 2 ? 'date,value' : `Date,${names.join(',').slice(0, 40)}`;
    return {
      like: 'plain-csv',
      fault: 'it has no header',
      wayOut: `add a first line that names the columns, such as ${example}`,
    };
  },
  function notesAbove(rows) {
    const at = rows.findIndex(
      (row, i) => i > 0 && i <= mostNotes && row.length > 1 && !isWhen(row[0]) && isWhen(rows[i + 1]?.[0]),
    );
    if (at < 0) return undefined;
    return {
      like: rows.slice(at),
      fault: `${counted(at, 'line is', 'lines are')} above its header`,
      wayOut: 'delete the lines above the names of the columns',
    };
  },
  function datesNotFirst(rows) {
    const [header = []] = rows;
    const at = header.findIndex((name, i) => i > 0 && dateName.test(name) && holdsDates(rows, i));
    if (at < 0 || holdsDates(rows, 0)) return undefined;
    return {
      like: rows.map((row) => [row[at] ?? '', ...row.filter((_, i) => i !== at)]),
      fault: `its dates are in column ${at + 1} (${JSON.stringify(header[at])})`,
      wayOut: 'make the dates the first column',
    };
  },
  ...dateNames.map((wanted) => (rows: Rows) => {
    const [[name, ...others] = [], ...below] = rows;
    if (name === undefined || name === wanted || name === 'sasdate' || isWhen(name) || !holdsDates(rows, 0))
      return undefined;
    return {
      like: [[wanted, ...others], ...below],
      fault:
        name === '' ? 'its first column has no name' : `its first column is named ${JSON.stringify(name)}`,
      wayOut: `name the first column ${wanted}`,
    };
  }),
  function datesAcross(rows) {
    const [[name = '', ...across] = []] = rows;
    if (isWhen(name) || across.length < 2 || !across.every(isWhen) || holdsDates(rows, 0)) return undefined;
    return {
      like: 'plain-csv',
      fault: 'its dates are in the header',
      wayOut: 'turn the table, so that each row has a date and each column a series',
    };
  },
  function vintagesWithoutSeries(rows) {
    const [[name = '', ...vintages] = []] = rows;
    const [first = ''] = vintages;
    if (isWhen(name) || first === '' || !vintages.every((text) => date.test(text))) return undefined;
    if (!holdsDates(rows, 0)) return undefined;
    const example = /^\d{4}-\d\d-\d\d$/.test(first) ? first.replaceAll('-', '') : '20150130';
    return {
      like: 'alfred-wide',
      fault: 'its columns name vintage dates without a series',
      wayOut: `name the columns by series and vintage date, such as GDPC1_${example}`,
    };
  },
  function withoutTransforms([header = [], ...below]) {
    if (!/^sasdate$/i.test(header[0] ?? '') || below.length === 0) return undefined;
    return {
      like: 'fred-md',
      fault: 'the row "Transform:" below its header is missing',
      wayOut: 'use the file as its publisher has it, or name the first column Date and pass --as-of',
    };
  },
  function otherColumns([header = [], ...below]) {
    const wanted = header.map((name) => statementNames.find(({ like }) => like.test(name))?.name ?? name);
    const renamed = header.filter((name, i) => name !== wanted[i]);
    if (renamed.length === 0 || new Set(wanted).size < wanted.length) return undefined;
    const names = wanted.filter((name, i) => name !== header[i]);
    const [columns, are] = renamed.length === 1 ? ['column', 'is'] : ['columns', 'are'];
    return {
      like: [wanted, ...below],
      fault: `its ${columns} for ${names.join(', ')} ${are} named ${renamed.map((name) => JSON.stringify(name)).join(', ')}`,
      wayOut: `name the ${columns} ${names.join(', ')}`,
    };
  },
  function withoutAsOf([header = []]) {
    const isLong = ['series_id', 'date', 'value'].every((name) => header.includes(name));
    if (header.includes('as_of_date') || !isLong) return undefined;
    return {
      like: 'asof-csv',
      fault: 'it has no column as_of_date',
      wayOut: 'add a column as_of_date: the day on which the value of the line became known',
    };
  },
  function namesThatAreNoIds(rows) {
    const [[first = '', ...names] = [], ...below] = rows;
    const wrong = names.find(
      (name) => name === '' || /[^A-Za-z0-9 &:.%_+()-]/.test(name) || name.length > 80,
    );
    if (wrong === undefined || !holdsDates(rows, 0)) return undefined;
    return {
      like: [[first, ...names.map((_, i) => `A${i + 1}`)], ...below],
      fault: wrong === '' ? 'a column has no name' : `the column ${JSON.stringify(wrong)} is not a series id`,
      wayOut: 'name each column by the id of its series, such as GDP',
    };
  },
];

/** The columns of asof's own CSV, and how other programs call them. */
const statementNames: readonly { readonly name: string; readonly like: RegExp }[] = [
  {
    name: 'series_id',
    like: /^(?:series|series[ _]?id|seriesid|variable|indicator|ticker|mnemonic|symbol|id|code)$/i,
  },
  {
    name: 'date',
    like: /^(?:date|observation_date|obs_date|ref_?date|reference_(?:date|period)|period|time)$/i,
  },
  {
    name: 'as_of_date',
    like: /^(?:as_of_date|as_?of|vintage|vintage_?date|release_?date|published(?:_on)?|publication_?date|known_(?:on|from)|realtime_start)$/i,
  },
  { name: 'value', like: /^(?:value|obs_value|figure|level|observation)$/i },
];

/** JSON that is almost what an API answers. */
const nearJson: readonly { readonly matches: RegExp; readonly reason: string; readonly wayOut: string }[] = [
  {
    matches: /^\s*\[\s*\{[^}]*"date"\s*:[^}]*"value"\s*:|^\s*\[\s*\{[^}]*"value"\s*:[^}]*"date"\s*:/,
    reason: 'like fred-api (FRED API observations), but a list of observations without the answer around it',
    wayOut:
      'save the whole answer of the API, from its first { on, or the list as CSV with the columns date,value',
  },
  {
    matches: /^\s*\{[^}]*"date"\s*:[^}]*"value"\s*:[^}]*\}\s*\n\s*\{/,
    reason: 'like fred-api (FRED API observations), but one observation a line',
    wayOut: 'save the whole answer of the API, or the lines as CSV with the columns date,value',
  },
  {
    matches: /^\s*\{(?![\s\S]*"realtime_start")[\s\S]*"observations"\s*:\s*\[/,
    reason: 'like fred-api (FRED API observations), but without realtime_start and realtime_end',
    wayOut: 'save the answer of the API as it is, or the observations as CSV with the columns date,value',
  },
  {
    matches: /^\s*\{[\s\S]*"entityName"\s*:[\s\S]*"facts"\s*:/,
    reason: 'like sec-submissions-json (list of filings of a company), but it has the company’s facts',
    wayOut: 'asof reads the SEC’s submissions (CIK….json) and ownership documents',
  },
  {
    matches: /^\s*\{[\s\S]*"accessionNumber"\s*:\s*\[(?![\s\S]*"filings"\s*:)/,
    reason: 'like sec-submissions-json (list of filings of a company), but only a part of the answer',
    wayOut: 'save the whole answer of the SEC (CIK….json)',
  },
  {
    matches: /^\s*\{[\s\S]*"Results"\s*:\s*\{\s*"series"\s*:|^\s*\{\s*"BEAAPI"\s*:/,
    reason: 'like fred-api (FRED API observations), but an answer of the API of another agency',
    wayOut: 'save its figures as CSV with the columns series_id,date,as_of_date,value',
  },
];
