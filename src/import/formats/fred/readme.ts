import { parseSeriesId, type SeriesMetadata } from '../../../domain/series/series.ts';
import { allBytes } from '../../files/content.ts';
import type { SourceFile } from '../../files/source-file.ts';
import { type ImportFormat, notAnId } from '../format.ts';

/**
 * The README of an ALFRED download: the title, units, frequency and seasonal adjustment of its series. Of attributes
 * that changed over the years, those that are current count.
 */
export const alfredReadme: ImportFormat = {
  kind: 'alfred-readme',
  summary: 'README of an ALFRED download (title, units, frequency and seasonal adjustment of its series)',
  source: 'FRED',
  vintageKind: undefined,
  whole: false,
  takesAsOf: false,
  recognise: (head) => isReadme(head),
  async *read(file) {
    const bytes = await allBytes(file.path, await file.open(), longestReadme);
    const text = new TextDecoder('utf-8').decode(bytes);
    yield { metadata: [readReadme(file, text)] };
  },
};

/** The limit in bytes. */
const longestReadme = 2 ** 20;

function isReadme(text: string): boolean {
  return (
    /^Series ID: *\S/m.test(text) && /^Title\b/m.test(text) && /alfred|archival federal reserve/i.test(text)
  );
}

/** What a README of ALFRED says about its series. */
export function readReadme(file: SourceFile, text: string): SeriesMetadata {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const id =
    lines.map((line) => /^Series ID: *(\S+)/.exec(line)?.[1]).find((found) => found !== undefined) ?? '';
  const seriesId = parseSeriesId(id);
  if (seriesId === undefined) throw notAnId(file, { column: 'Series ID', value: id });
  const title = currentOf(lines, 'Title');
  const units = currentOf(lines, 'Units');
  const frequency = frequencies[/^[\w-]+/.exec(currentOf(lines, 'Frequency') ?? '')?.[0] ?? ''];
  const adjustment = currentOf(lines, 'Seasonal Adjustment');
  return {
    seriesId,
    ...(title !== undefined && { title }),
    ...(units !== undefined && { units }),
    ...(frequency !== undefined && { frequency }),
    ...(adjustment !== undefined && { seasonalAdjustment: adjustments[adjustment] ?? adjustment }),
    source: 'FRED',
  };
}

/** The headings of a README, which begin a section each. */
const headings =
  /^(?:Title|Source|Release|Units|Frequency|Seasonal Adjustment|Notes|Vintage Dates Specified:|-{5}.*)(?:\s{2,}Real-Time.*)?$/;

/**
 * Two dates at the end of a line: the real-time period of an attribute. A match may begin only at the first blank of
 * several, because a damaged file may have a million of them.
 */
const period = /(?<!\s)\s+(\d{4}-\d\d-\d\d)\s+(\d{4}-\d\d-\d\d|Current)$/;

/**
 * The text beside a heading, or that of its section that is valid now: the last one, with the lines that continue it.
 */
function currentOf(lines: readonly string[], heading: string): string | undefined {
  const beside = lines
    .find((line) => line.startsWith(`${heading}: `))
    ?.slice(heading.length + 1)
    .trim();
  if (beside !== undefined) return beside;
  const start = lines.findIndex((line) => line.replace(/(?<!\s)\s{2,}Real-Time.*$/, '') === heading);
  if (start < 0) return undefined;
  const end = lines.findIndex((line, i) => i > start && headings.test(line));
  const section = lines.slice(start + 1, end < 0 ? undefined : end).filter((line) => line !== '');
  const entries: string[] = [];
  for (const line of section) {
    const text = line.replace(period, '');
    // Only the first line of an entry has a period; without any, the section is one entry.
    if (entries.length === 0 || text !== line) entries.push(text);
    else entries.push(`${entries.pop()} ${text}`);
  }
  return entries.at(-1);
}

/** The codes of FRED's frequencies, by their first word. */
const frequencies: Readonly<Record<string, NonNullable<SeriesMetadata['frequency']>>> = {
  Daily: 'D',
  Weekly: 'W',
  Biweekly: 'BW',
  Monthly: 'M',
  Quarterly: 'Q',
  Semiannual: 'SA',
  Annual: 'A',
};

/** FRED's short codes of seasonal adjustments. */
const adjustments: Readonly<Record<string, string>> = {
  'Seasonally Adjusted': 'SA',
  'Not Seasonally Adjusted': 'NSA',
  'Seasonally Adjusted Annual Rate': 'SAAR',
  'Smoothed Seasonally Adjusted': 'SSA',
  'Not Applicable': 'NA',
};
