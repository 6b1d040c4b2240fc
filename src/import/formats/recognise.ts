import { parseDay } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import { sheetsIn, workbookHead } from '../readers/xlsx.ts';
import type { ImportFormat } from './format.ts';
import { fredApi, fredSeries } from './fred/api.ts';
import { fredDownloads } from './fred/downloads.ts';
import { nearestTo } from './nearest.ts';
import { answerFormats, answerHead, parquetHead } from './own/answers.ts';
import { factsFormats } from './own/facts.ts';
import { panelFormats } from './panels.ts';
import { secForm345 } from './sec/form345.ts';
import { secOwnershipXml, secSubmissionText } from './sec/ownership.ts';
import { secSubmissionsJson } from './sec/submissions-json.ts';
import { h15Csv, treasuryCsv, treasuryXml } from './treasury.ts';

/** Every format that `asof import` reads, in the order in which help lists them. */
export const formats: readonly ImportFormat[] = [
  ...factsFormats,
  ...answerFormats,
  fredApi,
  fredSeries,
  ...fredDownloads,
  ...panelFormats,
  ...treasuryCsv,
  treasuryXml,
  h15Csv,
  secForm345,
  secOwnershipXml,
  secSubmissionText,
  secSubmissionsJson,
];

const kinds = formats.map(({ kind }) => kind).join(', ');

/** The refusal of a file that no format recognises. */
export class UnknownFile extends Problem {}

/** The format that is `chosen`, or the one that recognises the file; refuses an empty file and an unknown one. */
export async function recognise(file: SourceFile, chosen?: ImportFormat): Promise<ImportFormat> {
  const head = await file.head();
  if (head.length === 0) throw refusal(file, {}, 'the file is empty (0 bytes)');
  if (chosen !== undefined) return chosen;
  const isParquet = head.toString('latin1', 0, 4) === 'PAR1';
  const listed = await (isParquet ? parquetHead(file) : workbookHead(file, head));
  const text = listed ?? headText(head);
  const [format, other] = formats.filter((candidate) => candidate.recognise(text, file.name));
  if (format === undefined) throw unrecognised(file, text);
  if (other === undefined) return format;
  throw refusal(file, {}, `could be ${format.kind} or ${other.kind}`, ['pass --kind KIND']);
}

/** The format of that kind; an unknown kind is a Problem that lists them. */
export function formatOfKind(kind: string): ImportFormat {
  const format = formats.find((candidate) => candidate.kind === kind);
  if (format !== undefined) return format;
  throw new Problem('bad-input', `unknown kind of file ${JSON.stringify(kind)}`, {
    field: 'kind',
    hints: [`the kinds are ${kinds}`],
  });
}

/** The head as text, without a byte-order mark and without a character cut at its end; binary content byte by byte. */
function headText(head: Buffer): string {
  if (isBinary(head)) return head.toString('latin1');
  return new TextDecoder('utf-8').decode(head, { stream: true });
}

function isBinary(head: Buffer): boolean {
  if (head.includes(0)) return true;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return false;
  } catch {
    return true;
  }
}

function unrecognised(file: SourceFile, text: string): Problem {
  const nearest = inWorkbook(text) ?? nearestOrUnsupported(file, text);
  const { reason, hints } = nearest ?? {
    reason: `not a format that asof reads; it starts with ${firstLine(text)}`,
    hints: ['`asof help formats` shows the formats; --kind KIND reads the file as one of them'],
  };
  return new UnknownFile('bad-input', refusal(file, {}, reason).detail, { hints });
}

function nearestOrUnsupported(file: SourceFile, text: string) {
  const description = describeUnsupported(text);
  if (description === undefined) return nearestTo(text, file.name, formats);
  return { reason: `this looks like ${description}`, hints: [] };
}

function inWorkbook(head: string) {
  for (const header of sheetsIn(head).headers) {
    const like = formats.find((format) => format.recognise(`${header}\n`, ''));
    if (like !== undefined)
      return {
        reason: `like ${like.kind}, but in a workbook`,
        hints: [
          // Lines of JSON have the joint filers too.
          answerFormats.includes(like)
            ? 'export it with -f ndjson, which has all digits'
            : 'save the sheet as CSV',
        ],
      };
  }
  return undefined;
}

function firstLine(text: string): string {
  const line = text.split(/[\r\n]+/).find((candidate) => candidate.trim() !== '') ?? '';
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);
}

/** Answers from which nothing can be imported: their object in JSON, their columns, and what to import instead. */
const answersWithout: readonly {
  readonly objects: readonly string[];
  readonly isTable: (columns: readonly string[]) => boolean;
  readonly lacks: string;
  readonly wayOut: string;
}[] = [
  {
    objects: ['yield_curve_comparison', 'yield_spread'],
    isTable: (columns) => hasAll(columns, ['vs_rate', 'change_bps'], ['trade_date', 'spread_bps']),
    lacks: 'the rates of each day',
    wayOut: '`asof yields`',
  },
  {
    objects: ['yield_table'],
    isTable: ([first, ...others]) => first === 'trade_date' && others.includes('10Y'),
    lacks: 'the type and the source of its curve',
    wayOut: '`asof yields` without --wide',
  },
  {
    objects: ['insider_clusters', 'insider_cluster_explanation', 'insider_cluster_signals'],
    isTable: (columns) => hasAll(columns, ['ticker', 'cluster_size'], ['verdict', 'accession_number']),
    lacks: 'filings',
    wayOut: '`asof insider filings -f ndjson`',
  },
  {
    objects: [],
    isTable: (columns) =>
      hasAll(
        columns,
        ['as_of_date', 'added', 'revised', 'withdrawn'],
        ['old', 'new', 'kind'],
        ['vs_value'],
        // Observations, revisions and panels in lines of JSON or Parquet; in CSV they are like statements.
        ['value', 'as_of_date', 'unit'],
        ['value', 'as_of_date', 'as_of'],
      ) ||
      (columns[0] === 'as_of' && !columns.includes('value')) ||
      // Versions side by side.
      (columns[0] === 'date' && columns[1] === 'series_id' && parseDay(columns[2] ?? '') !== undefined),
    lacks: 'statements',
    wayOut: '`asof facts`',
  },
];

/** Whether a table has all columns of one of the lists. */
function hasAll(columns: readonly string[], ...lists: readonly (readonly string[])[]): boolean {
  return lists.some((names) => names.every((name) => columns.includes(name)));
}

/** Kinds of files that asof does not read: how they begin, and what they are. */
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
    'an answer of asof, which lacks statements; import what `asof facts` writes',
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
  [/^\s*\{.*"error_message"\s*:/s, 'an error response of the FRED API; request it again'],
  ...[
    ['vintage_dates', 'series/vintagedates'],
    ['release_dates', 'releases/dates'],
    ['releases', 'releases'],
    ['sources', 'sources'],
    ['categories', 'category'],
    ['tags', 'tags'],
    ['elements', 'release/tables'],
  ].map(
    ([member, endpoint]) =>
      [
        new RegExp(`^\\s*\\{(?!.*"observations"\\s*:).*"${member}"\\s*:\\s*[[{]`, 's'),
        `a response of the FRED API, but of ${endpoint}; the figures are in series/observations`,
      ] as const,
  ),
  [
    /^\s*(?:<\?xml[^>]*>\s*)?<(?:vintage_dates|releases?|release_dates|sources?|categories|tags)\b[^>]*realtime_start/,
    'a response of the FRED API in XML, but not of series/observations or series',
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

function describeUnsupported(head: string): string | undefined {
  const { object, columns } = answerHead(head);
  const answer = answersWithout.find(({ objects, isTable }) =>
    object === undefined ? isTable(columns) : objects.includes(object),
  );
  if (answer !== undefined)
    return `an answer of asof, which lacks ${answer.lacks}; import what ${answer.wayOut} writes`;
  return unsupportedFiles.find(([beginning]) => beginning.test(head))?.[1];
}
