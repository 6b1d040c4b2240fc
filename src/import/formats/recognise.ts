import { Problem } from '../../errors/problem.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import { isOldWorkbook, sheetHeadersIn, workbookHead } from '../readers/xlsx.ts';
import type { ImportFormat } from './format.ts';
import { alfredWide, fredCsv } from './fred/csv.ts';
import { fredApi } from './fred/observations.ts';
import { alfredFirstReleases, alfredPeriods } from './fred/periods.ts';
import { alfredReadme } from './fred/readme.ts';
import { fredSeries } from './fred/series.ts';
import { alfredWorkbook, fredWorkbook } from './fred/workbook.ts';
import { nearestTo } from './nearest.ts';
import { parquetHead } from './own/answer.ts';
import { asofFilings } from './own/filings.ts';
import { metadataCsv } from './own/metadata.ts';
import { asofRates } from './own/rates.ts';
import { asofSeries } from './own/series-list.ts';
import { asofCsv } from './own/statements.ts';
import { datedPanel, plainCsv } from './panels/dated.ts';
import { fredMd, fredQd } from './panels/fred-md.ts';
import { rtdsm } from './rtdsm/rtdsm.ts';
import { secForm345 } from './sec/form345.ts';
import { secOwnershipXml, secSubmissionText } from './sec/ownership.ts';
import { secSubmissionsJson } from './sec/submissions-json.ts';
import { h15Csv, treasuryParCsv, treasuryRealCsv } from './treasury/csv.ts';
import { treasuryXml } from './treasury/xml.ts';
import { describeUnsupported } from './unsupported.ts';

/** Every format that `asof import` reads, in the order in which help lists them. */
export const formats: readonly ImportFormat[] = [
  asofCsv,
  metadataCsv,
  asofSeries,
  asofRates,
  asofFilings,
  fredApi,
  fredSeries,
  alfredWide,
  alfredPeriods,
  alfredFirstReleases,
  alfredReadme,
  alfredWorkbook,
  fredCsv,
  fredWorkbook,
  fredMd,
  fredQd,
  datedPanel,
  plainCsv,
  rtdsm,
  treasuryParCsv,
  treasuryRealCsv,
  treasuryXml,
  h15Csv,
  secForm345,
  secOwnershipXml,
  secSubmissionText,
  secSubmissionsJson,
];

/** The formats that asof itself also writes as workbooks. */
const answers: readonly ImportFormat[] = [asofSeries, asofRates, asofFilings];

const kinds = formats.map(({ kind }) => kind).join(', ');

/** The refusal of a file that no format recognises. */
export class UnknownFile extends Problem {}

/**
 * The format that is `chosen`, or the one that recognises the file. An empty file, and one that no format recognises,
 * is refused.
 */
export async function recognise(file: SourceFile, chosen?: ImportFormat): Promise<ImportFormat> {
  const head = await file.head();
  if (head.length === 0) throw refusal(file, {}, 'the file is empty (0 bytes)');
  if (chosen !== undefined) return chosen;
  const text = (await listedHead(file, head)) ?? headText(head);
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

/** The head of a workbook or a Parquet file, which lists its content; undefined for other files, which are text. */
async function listedHead(file: SourceFile, head: Buffer): Promise<string | undefined> {
  const signature = head.subarray(0, 4).toString('latin1');
  if (signature === 'PAR1') return parquetHead(file);
  const isWorkbook =
    signature === 'PK\u0003\u0004'
      ? /\.xlsx$/i.test(file.name)
      : isOldWorkbook(head) && /\.xls$/i.test(file.name);
  return isWorkbook ? workbookHead(file) : undefined;
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

/** The refusal of a file; says what the file is, or which format it is nearest to and why it is not of that format. */
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

/** The way out for a workbook that has a sheet of a CSV format. */
function inWorkbook(head: string) {
  for (const header of sheetHeadersIn(head)) {
    const like = formats.find((format) => format.recognise(`${header}\n`, ''));
    if (like !== undefined)
      return {
        reason: `like ${like.kind}, but in a workbook`,
        hints: [
          // Lines of JSON have the joint filers too.
          answers.includes(like) ? 'export it with -f ndjson, which has all digits' : 'save the sheet as CSV',
        ],
      };
  }
  return undefined;
}

/** The beginning of the first line that is not blank. */
function firstLine(text: string): string {
  const line = text.split(/[\r\n]+/).find((candidate) => candidate.trim() !== '') ?? '';
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);
}
