import type { Filing } from '../../domain/insider/filing.ts';
import { type Day, faultOfDay } from '../../domain/series/date.ts';
import { parseDecimal } from '../../domain/series/decimal.ts';
import type { Statement } from '../../domain/series/revision-history.ts';
import {
  type KeptKind,
  type SeriesMetadata,
  seriesIdForm,
  type VintageKind,
} from '../../domain/series/series.ts';
import type { CurvePoint } from '../../domain/treasury/curve.ts';
import type { Problem } from '../../errors/problem.ts';
import { type FilePlace, refusal, type SourceFile } from '../files/source-file.ts';
import type { FileHead } from '../readers/csv.ts';

/** What the user of an import states about its files. */
export type ReadOptions = {
  /** The vintage date of whole-vintage files; overrides the one in the file name. */
  readonly asOf?: Day;
  /** The series of files that do not name theirs. */
  readonly series?: string;
  /** The filing date of documents that do not state theirs. */
  readonly filedOn?: Day;
  /** The trade dates of curves that are left out. */
  readonly skipDays?: readonly Day[];
  /** All files of the import, for formats that take filing dates from other files. */
  readonly together?: readonly SourceFile[];
  /** Takes the refusal of one entry, by its day where it states one, and leaves it out; else the file is refused. */
  readonly onRefused?: (refused: Problem, day: Day | undefined) => void;
};

/** The last day for which an import speaks for a series. */
export type SeriesCoverage = {
  readonly seriesId: string;
  readonly coveredTo: Day;
  /** Whether this day is a whole vintage, in which `--complete` withdraws the dates that are not listed. */
  readonly whole?: boolean;
};

/** Some of the records of a file; a reader gives batches of a few thousand, so that memory use stays flat. */
export type Batch = {
  /** Metadata stated by a person or a publisher's catalogue; it outranks what a format implies. */
  readonly metadata?: readonly SeriesMetadata[];
  /** Metadata that follows from the format, such as the frequency of a monthly panel. */
  readonly implied?: readonly SeriesMetadata[];
  readonly coverage?: readonly SeriesCoverage[];
  /** The sources of the facts of series, in a format that states them. */
  readonly claims?: readonly { readonly seriesId: string; readonly source: string }[];
  readonly statements?: readonly Statement[];
  /** Vintages whose statements cover every date of a series: dates without a statement of that day are withdrawn. */
  readonly complete?: readonly {
    readonly seriesId: string;
    readonly asOf: Day;
    readonly kind?: KeptKind;
  }[];
  readonly points?: readonly CurvePoint[];
  /** The trade dates of the file that `skipDays` left out. */
  readonly skippedDays?: readonly Day[];
  readonly filings?: readonly Filing[];
  /** What the user should know about the file, such as what it lacks. */
  readonly notes?: readonly string[];
};

/** A file format that `asof import` reads. */
export type ImportFormat = {
  /** The name for `--kind`. */
  readonly kind: string;
  /** One line for `asof help formats`: what its files are, and the rest of the line. */
  readonly summary: readonly [noun: string, rest: string];
  /** The publisher of the figures, if the format determines it; a series has one source. */
  readonly source?: string;
  /** Whether its content states the sources of each series. */
  readonly statesSources?: true;
  /** How the vintages of its files came about; undefined if each line or metadata says so, or there are no vintages. */
  readonly vintageKind?: VintageKind;
  /** Whether each file or column is a whole vintage, so that `--complete` applies. */
  readonly whole?: true;
  /** Whether `--as-of` applies, because the content does not state its vintage date. */
  readonly takesAsOf?: true;
  /** Set if the vintage dates in the content were not written by a publisher, so that dates after them are refused. */
  readonly statesAsOf?: 'by hand';
  /** Whether `--series` applies, because the content may not name its series. */
  readonly takesSeries?: true;
  /** Whether `--filed-on` applies, because the content does not state its filing date. */
  readonly takesFiledOn?: true;
  /** Whether the beginning of a file and its name show this format; no two formats recognise one file. */
  recognise(head: FileHead): boolean;
  /** All records of a file, in order. Refuses what cannot be read exactly, with file, row, column and value. */
  read(file: SourceFile, options: ReadOptions): AsyncIterable<Batch>;
};

type TextPlace = FilePlace & { readonly value: string };

/** The refusal of a text that is not a day; `form` is how the format writes days. */
export function notADay(file: SourceFile, place: TextPlace, form = 'YYYY-MM-DD'): Problem {
  return refusal(file, place, faultOfDay(place.value) ?? `not a date: use ${form}`);
}

/** The refusal of a text that is no number, with the number that it may mean; `missing` are texts of no value. */
export function notANumber(file: SourceFile, place: TextPlace, missing: string): Problem {
  const digits = place.value
    .replace(/^\((.*)\)$/s, '-$1')
    .replace(/[\s%$€£]/g, '')
    .replace(/,(?=\d{3}(?!\d))/g, '')
    .replace(/^\+/, '')
    .replace(/^(-?)\./, '$10.');
  const meant = parseDecimal(digits);
  const hints =
    meant === undefined ? [] : [`write ${meant}: a number has digits, a decimal point and a minus sign`];
  return refusal(file, place, `neither a decimal number nor ${missing}`, hints);
}

/** The refusal of a text that is not the id of a series. */
export function notAnId(file: SourceFile, place: FilePlace): Problem {
  const text = place.value ?? place.column ?? '';
  const reason = text.includes('\r')
    ? 'the lines of the file end with CR alone'
    : `not a series id: ${seriesIdForm}`;
  return refusal(file, place, reason, text.includes('\r') ? ['save it with line ends LF or CRLF'] : []);
}
