import { Problem } from '../../errors/problem.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import { cellsIn, type FileHead, linesOf, separatorIn, textHead } from '../readers/csv.ts';
import { isWorkbook, readSheets } from '../readers/xlsx.ts';
import { alfredReleaseDates, beaReleaseDates, fredDates } from './calendar/dates.ts';
import { icsCalendar } from './calendar/ics.ts';
import type { ImportFormat } from './format.ts';
import { fredApi, fredSeries } from './fred/api.ts';
import { fredDownloads } from './fred/downloads.ts';
import { answerFormats, answerHead, metadataCsv } from './own/answers.ts';
import { asofCsv } from './own/facts.ts';
import { datedPanel, fredMd, fredQd, plainCsv } from './panels.ts';
import { rtdsm, swissWorkbook } from './real-time-workbooks.ts';
import { ecbLog, ecbVintage } from './sdmx/ecb.ts';
import { eurostatTableFile } from './sdmx/eurostat.ts';
import { oecdRevisions } from './sdmx/oecd.ts';
import { secSubmissionsJson } from './sec/filing-dates.ts';
import { secForm345 } from './sec/form345.ts';
import { secOwnershipXml, secSubmissionText } from './sec/ownership.ts';
import { h15Csv, treasuryCsv, treasuryXml } from './treasury.ts';

/** The formats that `asof import` reads, in the order of the help. */
export const formats: readonly ImportFormat[] = [
  asofCsv,
  metadataCsv,
  ...answerFormats,
  fredApi,
  fredSeries,
  ...fredDownloads,
  ...[fredMd, fredQd, datedPanel, plainCsv, rtdsm],
  ...[ecbLog, ecbVintage, eurostatTableFile, oecdRevisions],
  swissWorkbook,
  ...treasuryCsv,
  treasuryXml,
  h15Csv,
  secForm345,
  secOwnershipXml,
  secSubmissionText,
  secSubmissionsJson,
  ...[icsCalendar, beaReleaseDates, fredDates(), alfredReleaseDates],
];

/** The refusal of a file that no format recognises. */
export class UnknownFile extends Problem {}

/** Returns the format that is `chosen` or recognises the file; throws for an empty or unknown file. */
export async function recognise(file: SourceFile, chosen?: ImportFormat): Promise<ImportFormat> {
  const bytes = await file.head();
  if (bytes.length === 0) throw refusal(file, {}, 'the file is empty (0 bytes)');
  // JSON and XML may have such line ends, and Parquet and workbooks such bytes.
  const isTable = !/^(?:\s*[{[<]|PAR1|PK)/.test(bytes.toString('latin1', 0, 100)) && !bytes.includes(0);
  if (isTable && bytes.includes('\r') && !bytes.includes('\n'))
    throw refusal(file, {}, 'its lines end in CR alone, as programs of old Macs write them', [
      'save it with the line ends LF or CRLF',
    ]);
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
  const all = [...hints, ...publishedCalendars(file)];
  return new UnknownFile('bad-input', refusal(file, {}, reason).detail, { hints: all, refusal: { reason } });
}

/** Says where a calendar is that a file should be by its name. */
function publishedCalendars({ name }: SourceFile): readonly string[] {
  if (/release_dates.*\.json$/i.test(name))
    return ['the dates of the BEA are at https://apps.bea.gov/API/signup/release_dates.json'];
  if (!/\.ics$/i.test(name)) return [];
  return [
    'the calendar of the BLS is at https://www.bls.gov/schedule/news_release/bls.ics, which refuses many programs: a browser gets it',
    'that of the BEA is at https://www.bea.gov/news/schedule/ics/online-calendar-subscription.ics',
  ];
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

const date = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ][\d:.]+Z?)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})$/;

/** Finds the format that a table of figures resembles, and what it lacks. */
function nearest({ text }: FileHead): Diagnosis | undefined {
  const lines = linesOf(text, 20).filter((line) => line.trim() !== '');
  const rows = lines.map((line) => cellsIn(line, separatorIn(lines[0] ?? '')));
  const missing = statementColumns.filter((column) => rows[0]?.includes(column) !== true);
  if (missing.length <= 2)
    return {
      reason: `like asof-csv (statements), but it has no column ${missing.join(', ')}`,
      hints: [
        `name or add the columns ${statementColumns.join(',')}; as_of_date is the day on which the value of a line became known`,
      ],
    };
  const isNumber = (cell: string) => /^-?[\d.,]*\d$/.test(cell);
  const dated = rows.filter((row) => row.some((cell) => date.test(cell)) && row.some(isNumber));
  if (dated.length < 2) return undefined;
  return {
    reason: `like plain-csv (figures by date), but its first line is ${firstLine(text)}`,
    hints: [
      'begin the file with the names of the columns: Date, then the id of each series, such as Date,GDP',
    ],
  };
}

/** Answers without importable content: their JSON objects, columns of their tables, and what to import instead. */
const answersWithout: readonly (readonly [objects: RegExp, columns: readonly string[], what: string])[] = [
  [
    /^yield_/,
    ['vs_rate change_bps', 'trade_date spread_bps', 'trade_date 10Y'],
    'the type and the source of each rate; import the output of `asof yields` without --wide',
  ],
  [
    /^insider_/,
    ['ticker cluster_size', 'verdict accession_number'],
    'filings; import the output of `asof insider filings -f ndjson`',
  ],
  [
    /^release_/,
    ['date name status certainty', 'date release name status'],
    'looks at calendars; import the calendars themselves',
  ],
  [
    /./,
    // Observations and panels: in CSV they are like statements.
    ['as_of_date added withdrawn', 'old new kind', 'vs_value', 'as_of_date unit', 'value as_of_date as_of'],
    'vintages; import the output of `asof facts`',
  ],
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
    /^\s*\{.*"request_id"\s*:\s*"req_|^(?:\{")?as_of[",\t](?!.*\bvalue\b)/s,
    'output of asof without vintages; import the output of `asof facts`',
  ],
  [
    /^\s*(?:-----BEGIN PRIVACY|<(?:SEC|IMS)-|(?:<\?xml[^>]*>\s*)?<edgarSubmission\b|ACCESSION_NUMBER\t|\{.*"(?:entityName|accessionNumber)"\s*:)/s,
    'a file of the SEC, but not a form 3, 4 or 5, a list of filings (CIK….json) or an Insider Transactions Data Set',
  ],
  [
    /^KEY,FREQ,.*,TIME_PERIOD,OBS_VALUE\b(?!.*,VALID_FROM)/,
    'data of the ECB without their history; request them with includeHistory=true',
  ],
  [/^\s*\{.*"error_message"\s*:/s, 'an error response of the FRED API; request it again'],
  [
    /^\s*(?:\{(?!.*"observations"\s*:).*"(?:vintage_dates|release_dates|releases|sources|categories|tags|elements)"\s*:\s*[[{]|(?:<\?xml[^>]*>\s*)?<\w+\b[^>]*realtime_start)/s,
    'a response of the FRED API, but not of series/observations, which has the figures, series or release dates (JSON)',
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
  const lacks = answersWithout.find(([objects, known]) =>
    object === undefined
      ? known.some((names) => names.split(' ').every((name) => columns.includes(name)))
      : objects.test(object),
  )?.[2];
  const found =
    lacks === undefined
      ? unsupportedFiles.find(([beginning]) => beginning.test(head.text))?.[1]
      : `output of asof without ${lacks}`;
  return found === undefined ? undefined : { reason: `this looks like ${found}`, hints: [] };
}
