import { parseDay } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import { cellsIn, type FileHead, linesOf, separatorIn, textHead } from '../readers/csv.ts';
import { isWorkbook, readSheets } from '../readers/xlsx.ts';
import type { ImportFormat } from './format.ts';
import { fredApi, fredSeries } from './fred/api.ts';
import { fredDownloads } from './fred/downloads.ts';
import { answerFormats, answerHead, metadataCsv } from './own/answers.ts';
import { asofCsv } from './own/facts.ts';
import { panelFormats } from './panels.ts';
import { rtdsm } from './rtdsm.ts';
import { secForm345 } from './sec/form345.ts';
import { secOwnershipXml, secSubmissionText } from './sec/ownership.ts';
import { secSubmissionsJson } from './sec/submissions-json.ts';
import { h15Csv, treasuryCsv, treasuryXml } from './treasury.ts';

/** The formats that `asof import` reads, in the order of the help. */
export const formats: readonly ImportFormat[] = [
  asofCsv,
  metadataCsv,
  ...answerFormats,
  fredApi,
  fredSeries,
  ...fredDownloads,
  ...panelFormats,
  rtdsm,
  ...treasuryCsv,
  treasuryXml,
  h15Csv,
  secForm345,
  secOwnershipXml,
  secSubmissionText,
  secSubmissionsJson,
];

/** The refusal of a file that no format recognises. */
export class UnknownFile extends Problem {}

/** Returns the format that is `chosen` or recognises the file; throws for an empty or unknown file. */
export async function recognise(file: SourceFile, chosen?: ImportFormat): Promise<ImportFormat> {
  const bytes = await file.head();
  if (bytes.length === 0) throw refusal(file, {}, 'the file is empty (0 bytes)');
  if (chosen !== undefined) return chosen;
  const head = await headOf(file, bytes);
  const [format, other] = formats.filter((candidate) => candidate.recognise(head));
  if (format === undefined) throw unrecognised(file, head);
  if (other === undefined) return format;
  throw refusal(file, {}, `could be ${format.kind} or ${other.kind}`, ['pass --kind KIND']);
}

/** Finds a format by kind; throws a Problem that lists the kinds. */
export function formatOfKind(kind: string): ImportFormat {
  const format = formats.find((candidate) => candidate.kind === kind);
  if (format !== undefined) return format;
  throw new Problem('bad-input', `unknown kind of file ${JSON.stringify(kind)}`, {
    field: 'kind',
    hints: [`the kinds are ${formats.map((known) => known.kind).join(', ')}`],
  });
}

async function headOf(file: SourceFile, bytes: Buffer): Promise<FileHead> {
  const { name } = file;
  if (bytes.toString('latin1', 0, 4) === 'PAR1')
    return { ...textHead('PAR1', name), columns: await parquetColumns(file) };
  if (isWorkbook(bytes) && /\.xlsx?$/i.test(name))
    return { ...textHead(headText(bytes), name), sheets: await readSheets(file, 'heads') };
  return textHead(headText(bytes), name);
}

async function parquetColumns(file: SourceFile): Promise<readonly string[]> {
  const { readParquet } = await import('../readers/parquet.ts');
  try {
    const { columns } = await readParquet(file);
    return columns.map(({ name }) => name);
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

/** Decodes a head without a byte-order mark or a cut last character; binary content byte by byte. */
function headText(head: Buffer): string {
  try {
    if (!head.includes(0)) return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
  } catch {
    // Not UTF-8.
  }
  return head.toString('latin1');
}

type Diagnosis = { readonly reason: string; readonly hints: readonly string[] };

function unrecognised(file: SourceFile, head: FileHead): Problem {
  const { reason, hints } = inWorkbook(head) ??
    unsupported(head) ??
    nearest(head) ?? {
      reason: `not a format that asof reads; it starts with ${firstLine(head.text)}`,
      hints: ['`asof help formats` shows the formats; --kind KIND reads the file as one of them'],
    };
  return new UnknownFile('bad-input', refusal(file, {}, reason).detail, { hints });
}

function inWorkbook({ sheets = [] }: FileHead): Diagnosis | undefined {
  for (const { head } of sheets) {
    const like = formats.find((format) => format.recognise(head));
    if (like === undefined) continue;
    // Lines of JSON include the joint filers.
    const isAnswer = answerFormats.includes(like);
    const wayOut = isAnswer ? 'export it with -f ndjson, which has all digits' : 'save the sheet as CSV';
    return { reason: `like ${like.kind}, but in a workbook`, hints: [wayOut] };
  }
  return undefined;
}

function firstLine(text: string): string {
  const line = text.split(/[\r\n]+/).find((candidate) => candidate.trim() !== '') ?? '';
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);
}

/** The columns of a statement; a table with two of them resembles asof's own CSV. */
const statementColumns = ['series_id', 'date', 'as_of_date', 'value'];

/** A day as asof reads it, or a period as people and programs write it. */
const date = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ][\d:.]+Z?)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})$/;
const period =
  /^(?:\d{4}[-/.: ]?[QMqm]?\d{1,2}|[QMqm]?\d{1,2}[-/. ]\d{4}|(?:19|20)\d\d|\d{8}|(?:\d{1,2}[- ])?[A-Z][a-z]{2,8}[-. ]'?\d{2,4})$/;

function isWhen(cell: string): boolean {
  return date.test(cell) || period.test(cell);
}

/** Finds the format that a table of figures resembles, and the difference, if any. */
function nearest({ text, name }: FileHead): Diagnosis | undefined {
  const like = ({ kind, summary }: ImportFormat, fault: string, wayOut: string): Diagnosis => ({
    reason: `like ${kind} (${summary[0]}), but ${fault}`,
    hints: [wayOut],
  });
  const lines = linesOf(text, 20).filter((line) => line.trim() !== '');
  for (const [separator, called] of [['|', '|'] as const, [/ +/, 'blanks'] as const]) {
    const format = formatSeparatedBy(separator, lines, name);
    if (format !== undefined)
      return like(format, `its cells are separated by ${called}`, 'save it with commas between the cells');
  }
  const rows = lines.map((line) => cellsIn(line, separatorIn(lines[0] ?? '')));
  const [[first = '', ...others] = []] = rows;
  const missing = statementColumns.filter((column) => ![first, ...others].includes(column));
  if (missing.length <= 2)
    return like(
      asofCsv,
      `it has no column ${missing.join(', ')}`,
      `name or add the columns ${statementColumns.join(',')}; as_of_date is the day on which the value of a line became known`,
    );
  const dated = rows.filter((row) => row.some(isWhen) && hasNumber(row));
  if (others.length > 0 && !isWhen(first) && others.every(isWhen))
    return dated.length > 1
      ? like(
          formatOfKind('alfred-wide'),
          'its columns name vintage dates without a series',
          'name the columns by series and vintage date, such as GDPC1_20150130',
        )
      : like(
          formatOfKind('plain-csv'),
          'its dates are in the header',
          'turn the table, so that each row has a date and each column a series',
        );
  if (dated.length < 2) return undefined;
  return like(
    formatOfKind('plain-csv'),
    `its first line is ${firstLine(text)}`,
    'begin the file with the names of the columns: Date, then the id of each series, such as Date,GDP',
  );
}

/** Finds the format of a table with another separator, if its lines have numbers. */
function formatSeparatedBy(
  separator: string | RegExp,
  lines: readonly string[],
  name: string,
): ImportFormat | undefined {
  const rows = lines.map((line) => line.trim().split(separator));
  if (!rows.slice(1).some(hasNumber)) return undefined;
  const heads = [',', '\t'].map((joint) => textHead(rows.map((row) => row.join(joint)).join('\n'), name));
  return formats.find((format) => heads.some((head) => format.recognise(head)));
}

function hasNumber(row: readonly string[]): boolean {
  return row.length > 1 && row.some((cell) => /^-?[\d.,]*\d$/.test(cell.trim()));
}

/** Answers without importable content: their JSON objects, their columns, and what to import instead. */
const answersWithout: readonly {
  readonly objects: readonly string[];
  readonly columns: readonly string[];
  /** Recognises columns without fixed names. */
  readonly isLike?: (columns: readonly string[]) => boolean;
  readonly lacks: string;
  readonly wayOut: string;
}[] = [
  {
    objects: ['yield_curve_comparison', 'yield_spread'],
    columns: ['vs_rate change_bps', 'trade_date spread_bps'],
    lacks: 'the rates of each day',
    wayOut: '`asof yields`',
  },
  {
    objects: ['yield_table'],
    columns: ['trade_date 10Y'],
    lacks: 'the type and the source of its curve',
    wayOut: '`asof yields` without --wide',
  },
  {
    objects: ['insider_clusters', 'insider_cluster_explanation', 'insider_cluster_signals'],
    columns: ['ticker cluster_size', 'verdict accession_number'],
    lacks: 'filings',
    wayOut: '`asof insider filings -f ndjson`',
  },
  {
    // In CSV, the last two are like statements; in lines of JSON or Parquet they are observations and panels.
    objects: [],
    columns: [
      'as_of_date added revised withdrawn',
      'old new kind',
      'vs_value',
      'value as_of_date unit',
      'value as_of_date as_of',
    ],
    // Values as of several days have one column for each day.
    isLike: ([first, second, day = '']) =>
      first === 'date' && second === 'series_id' && parseDay(day) !== undefined,
    lacks: 'vintages',
    wayOut: '`asof facts`',
  },
];

/** Kinds of files that asof does not read: their beginnings and descriptions. */
const unsupportedFiles: readonly (readonly [beginning: RegExp, description: string])[] = [
  [
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html|head)\b/is,
    'a web page, perhaps an error or login page saved instead of the file; download it again',
  ],
  [
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<!doctype\b/is,
    'XML with a document type declaration (DOCTYPE), which could include other files; remove the declaration',
  ],
  [
    /^\s*\{\s*"object"\s*:\s*"[a-z_]+"|^\s*\{.*"request_id"\s*:\s*"req_/s,
    'output of asof without vintages; import the output of `asof facts`',
  ],
  [
    /^(?:\{")?as_of[",\t](?!.*\bvalue\b)/,
    'output of asof without vintages; import the output of `asof facts`',
  ],
  [
    /^\s*(?:-----BEGIN PRIVACY-ENHANCED MESSAGE-----|<(?:SEC|IMS)-(?:DOCUMENT|HEADER)>)/,
    'a submission to the SEC, but not of form 3, 4 or 5',
  ],
  [
    /^\s*(?:<\?xml[^>]*>\s*)?<(?:edgarSubmission|XML|DOCUMENT|TYPE)\b/,
    'a part of a submission to the SEC, but not an ownership document',
  ],
  [/^ACCESSION_NUMBER\t/, 'a table of an SEC data set, but not of the Insider Transactions Data Sets'],
  [
    /^\s*\{(?=.*"entityName"\s*:).*"facts"\s*:/s,
    'the facts of a company; asof reads the SEC’s submissions (CIK….json) and ownership documents',
  ],
  [
    /^\s*\{(?!.*"filings"\s*:).*"accessionNumber"\s*:\s*\[/s,
    'a part of a list of filings of the SEC; save the whole answer (CIK….json)',
  ],
  [/^\s*\{.*"error_message"\s*:/s, 'an error response of the FRED API; request it again'],
  [
    /^\s*\{(?!.*"observations"\s*:).*"(?:vintage_dates|release_dates|releases|sources|categories|tags|elements)"\s*:\s*[[{]/s,
    'a response of the FRED API, but not of series/observations, which has the figures, or series',
  ],
  [
    /^\s*(?:<\?xml[^>]*>\s*)?<(?:vintage_dates|releases?|release_dates|sources?|categories|tags)\b[^>]*realtime_start/,
    'a response of the FRED API in XML, but not of series/observations or series',
  ],
  [
    /^\s*(?:\[\s*)?\{(?=[^}]*"date"\s*:)(?=[^}]*"value"\s*:)/,
    'observations of the FRED API without the whole answer around them; save that, or the figures as CSV with the columns date,value',
  ],
  [
    /^\s*\{(?:\s*"BEAAPI"\s*:|.*"Results"\s*:\s*\{\s*"series"\s*:)/s,
    'an answer of the API of another agency; save its figures as CSV with the columns series_id,date,as_of_date,value',
  ],
  [
    /^\s*(?:<\?xml[^>]*>\s*)?<feed\b.*DailyTreasury/s,
    'a feed of the Treasury, but not of the daily par or real yield curve',
  ],
  [/^version https:\/\/git-lfs\.github\.com\//, 'a Git LFS pointer, not the file itself; run `git lfs pull`'],
  [/^PK/, 'an Office document, but not a workbook of a known kind'],
  [/^%PDF-/, 'a PDF document; save its table as CSV'],
  [/^\xd0\xcf\p{Cc}\xe0/u, 'an old Word file, or an old Excel file that is not named .xls'],
  [/^SQLite format 3/, 'a SQLite database, perhaps a store of asof; stores cannot be imported'],
  [/^PAR1/, 'a Parquet file; save it as CSV'],
  [/^(?:\p{Cc}\x8b|\x28\xb5\x2f\xfd|\xfd7zXZ|7z\xbc\xaf|BZh|Rar!)/u, 'a compressed file; unpack it first'],
  [/^.{257}ustar/s, 'a tar archive; unpack it and import the folder'],
];

function unsupported(head: FileHead): Diagnosis | undefined {
  const { object, columns } = answerHead(head);
  const answer = answersWithout.find(({ objects, columns: known, isLike }) =>
    object === undefined
      ? known.some((names) => names.split(' ').every((name) => columns.includes(name))) || isLike?.(columns)
      : objects.includes(object),
  );
  const description =
    answer === undefined
      ? unsupportedFiles.find(([beginning]) => beginning.test(head.text))?.[1]
      : `output of asof without ${answer.lacks}; import the output of ${answer.wayOut}`;
  return description === undefined ? undefined : { reason: `this looks like ${description}`, hints: [] };
}
