import type { Sighting } from '../../domain/calendar/sighting.ts';
import type { Filing } from '../../domain/insider/filing.ts';
import {
  type DescriptionChange,
  parseSeriesId,
  type SeriesMetadata,
  type StoredKind,
  seriesIdForm,
  type VintageKind,
} from '../../domain/series/series.ts';
import type { Statements } from '../../domain/series/statements.ts';
import type { CurvePoint } from '../../domain/treasury/curve.ts';
import { type Day, dayOf, faultOfDay, monthEnd, parseDay } from '../../domain/values/date.ts';
import { faultOfDecimal, parseDecimal } from '../../domain/values/decimal.ts';
import type { Problem } from '../../errors/problem.ts';

import { type FilePlace, refusal, type SourceFile } from '../files/source-file.ts';
import type { FileHead } from '../readers/csv.ts';

/** The user's statements about the files of an import. */
export type ReadOptions = {
  /** The vintage date of whole-vintage files; overrides the one in the file name. */
  readonly asOf?: Day;
  /** The UTC second at which a pull looked at a calendar. */
  readonly seenAt?: string;
  /** The series of files that name none. */
  readonly series?: string;
  /** The filing date of documents that state none. */
  readonly filedOn?: Day;
  /** The trade dates of curves to leave out. */
  readonly skipDays?: readonly Day[];
  /** The last day on which anything can be known, for formats that leave out what comes later. */
  readonly latest?: Day;
  /** All files of the import, for formats that take filing dates from other files. */
  readonly together?: readonly SourceFile[];
  /** Takes the refusal of one entry and its day, if stated; the entry is left out. Default: throws. */
  readonly onRefused?: (refused: Problem, day: Day | undefined) => void;
};

/** The last day that an import covers for a series. */
export type SeriesCoverage = {
  readonly seriesId: string;
  readonly coveredTo: Day;
  /** True if this day is a whole vintage, in which `--complete` withdraws dates that are not listed. */
  readonly whole?: boolean;
};

/** A few thousand records of a file, to limit memory use. */
export type Batch = {
  /** Metadata stated by a person or a publisher's catalogue; it outranks implied metadata. */
  readonly metadata?: readonly SeriesMetadata[];
  /** The vintage that states the metadata: another text is a change of its day, and no conflict. */
  readonly describedOn?: Day;
  /** The earlier changes of descriptions, in a format that states them. */
  readonly changed?: readonly DescriptionChange[];
  /** Metadata that follows from the format, such as the frequency of a monthly panel. */
  readonly implied?: readonly SeriesMetadata[];
  readonly coverage?: readonly SeriesCoverage[];
  /** The units that vintages state; the metadata then state none. */
  readonly units?: readonly { readonly seriesId: string; readonly asOf: Day; readonly units: string }[];
  /** True if another text for the unit of a vintage is no conflict: files of a publisher have a label, or its code. */
  readonly renamesUnits?: true;
  /** The sources of series, in a format that states them. */
  readonly claims?: readonly { readonly seriesId: string; readonly source: string }[];
  /** The statements about each series. */
  readonly statements?: readonly Statements[];
  /** Vintages with statements about every date of a series: dates without one are withdrawn. */
  readonly complete?: readonly {
    readonly seriesId: string;
    readonly asOf: Day;
    readonly kind?: StoredKind | undefined;
  }[];
  /** What a vintage says of a series without a figure in it: it counts if the series has an earlier vintage. */
  readonly unfigured?: { readonly seriesId: string; readonly asOf: Day; readonly batches: readonly Batch[] };
  readonly points?: readonly CurvePoint[];
  /** The trade dates of the file that `skipDays` left out. */
  readonly skippedDays?: readonly Day[];
  readonly filings?: readonly Filing[];
  /** What calendars of releases listed when they were looked at. */
  readonly sightings?: readonly Sighting[];
  /** Notes for the user, such as what the file lacks. */
  readonly notes?: readonly string[];
};

/** A file format that `asof import` reads. */
export type ImportFormat = {
  /** The name for `--kind`. */
  readonly kind: string;
  /** One line for `asof help formats`, in two parts. */
  readonly summary: readonly [noun: string, rest: string];
  /** The publisher, if the format determines it; a series has one source. */
  readonly source?: string;
  /** True if the content states the sources of each series. */
  readonly statesSources?: true;
  /** The origin of all vintages; undefined if lines or metadata state it, or without vintages. */
  readonly vintageKind?: VintageKind;
  /** True if each file or column is a whole vintage, for `--complete`. */
  readonly whole?: true;
  /** True if `--as-of` applies, because the content does not state its vintage date. */
  readonly takesAsOf?: true;
  /** Set if no publisher wrote the vintage dates in the content: dates after them are refused. */
  readonly statesAsOf?: 'by hand';
  /** True if `--series` applies, because the content may not name its series. */
  readonly takesSeries?: true;
  /** True if `--filed-on` applies, because the content does not state its filing date. */
  readonly takesFiledOn?: true;
  /** Tells by the beginning and the name of a file whether it has this format; no two formats accept one file. */
  recognise(head: FileHead): boolean;
  /** Yields all records of a file, in order; throws a refusal for what it cannot read exactly. */
  read(file: SourceFile, options: ReadOptions): AsyncIterable<Batch>;
};

/** A file of an import and its format. */
export type ImportFile = { readonly file: SourceFile; readonly format: ImportFormat };

type TextPlace = FilePlace & { readonly value: string };

/** Parses the day at a place; `form` is how the format writes days. Throws for any other text. */
export function readDay(file: SourceFile, place: TextPlace, form = 'YYYY-MM-DD', parse = parseDay): Day {
  const day = parse(place.value);
  if (day !== undefined) return day;
  throw refusal(file, place, faultOfDay(place.value) ?? `not a date: use ${form}`);
}

/** Parses the number at a place, null for a text that means none; throws for any other text. */
export function readNumber(
  file: SourceFile,
  place: TextPlace,
  none: readonly string[],
  described = none.join(' or '),
): string | null {
  if (none.includes(place.value)) return null;
  const number = parseDecimal(place.value);
  if (number !== undefined) return number;
  throw refusal(file, place, faultOfDecimal(place.value) ?? `neither a decimal number nor ${described}`);
}

/** Parses the id of a series, by default in the name of a column; throws for any other text. */
export function readSeriesId(file: SourceFile, place: FilePlace): string {
  const id = parseSeriesId(place.value ?? place.column ?? '');
  if (id !== undefined) return id;
  throw refusal(file, place, `not a series id: ${seriesIdForm}`);
}

/** Returns the series of a column: `value` is the one of `--series`, any other name is an id. */
export function seriesOf(file: SourceFile, name: string, { series }: ReadOptions): string {
  if (!isValue(name)) {
    const id = readSeriesId(file, { row: 1, column: name });
    if (series === undefined || series === id) return id;
    const reason = `the file names its series ${id}; --id ${id}=${series} imports it as ${series}`;
    throw refusal(file, { row: 1, column: name }, reason);
  }
  if (series !== undefined) return readSeriesId(file, { row: 1, column: series });
  throw refusal(file, { row: 1, column: name }, 'the file does not name its series; pass --series ID');
}

/** Tells whether a column is named `value`, for any series. */
export function isValue(name: string): boolean {
  return name.toUpperCase() === 'VALUE';
}

/** Returns a file's vintage date: `--as-of`, or else the end of the month that a pattern finds in its name. */
export function vintageOfMonth(file: SourceFile, options: ReadOptions, inName: RegExp, example: string): Day {
  const [, year, month] = inName.exec(file.name) ?? [];
  const first = dayOf(Number(year), Number(month), 1);
  const reason = `the file name is not the month of its vintage, such as ${example}`;
  return vintageOf(file, options, first && monthEnd(first), reason);
}

/** Returns a file's vintage date: `--as-of`, or else the stated one; throws with `reason` if both are missing. */
export function vintageOf(
  file: SourceFile,
  { asOf }: ReadOptions,
  stated: Day | undefined,
  reason: string,
): Day {
  const vintage = asOf ?? stated;
  if (vintage !== undefined) return vintage;
  throw refusal(file, {}, `${reason}; pass --as-of`, ['asof import FILE --as-of YYYY-MM-DD']);
}
