import type { Readable } from 'node:stream';
import type { Filing } from '../../domain/insider/filing.ts';
import type { Day } from '../../domain/series/date.ts';
import type { SeriesMetadata } from '../../domain/series/series.ts';
import type { Statement } from '../../domain/series/statement.ts';
import type { CurvePoint } from '../../domain/treasury/curve.ts';
import { Problem } from '../../errors/problem.ts';

/** Hears how many bytes more were read of a file, as it lies. */
export type Tap = (bytes: number) => void;

/** A file to import, or one member of an archive. */
export type SourceFile = {
  /** Base name, without `.gz`: `2015-01.csv`. */
  readonly name: string;
  /** What the user is told: the path as typed or found, archive members as `vintages.zip/2015-01.csv`. */
  readonly path: string;
  /** Bytes of the file as it lies, of an archive member those of the member: what a tap hears of one reading. */
  readonly size: number;
  /** The content, decompressed; every call starts from the beginning. */
  open(tap?: Tap): Promise<Readable>;
  /** The first 64 KiB of the content. */
  head(): Promise<Buffer>;
  /** The whole content; refuses more than 1 GiB. */
  bytes(tap?: Tap): Promise<Buffer>;
  /** SHA-256 of the file as it lies on disk (of an archive member: of its content), in hex. */
  sha256(): Promise<string>;
  /** Other files of the same folder or archive. */
  siblings(): Promise<readonly SourceFile[]>;
};

/** What the command line says about the files of an import. */
export type ReadOptions = {
  /** The vintage of whole-vintage files, in place of what the file's name says. */
  readonly asOf?: Day;
  /** The series of answers that do not name theirs. */
  readonly series?: string;
  /** The day on which documents were filed that do not say so themselves. */
  readonly filedOn?: Day;
  /** All files of the same import, for those that tell about others. */
  readonly together?: readonly SourceFile[];
};

/** That an import speaks for a series up to a day; `whole` marks one whole vintage, which `--complete` may turn into all that was known. */
export type Coverage = {
  readonly seriesId: string;
  readonly coveredTo: Day;
  readonly whole?: boolean;
};

/** A part of what a file says; readers give batches of some thousand records so that memory stays flat. */
export type Batch = {
  /** Stated by a person or a publisher's catalogue: outranks what a format implies. */
  readonly metadata?: readonly SeriesMetadata[];
  /** What the format itself implies of its series, such as the frequency of a monthly panel. */
  readonly implied?: readonly SeriesMetadata[];
  readonly coverage?: readonly Coverage[];
  readonly statements?: readonly Statement[];
  /** Days whose statements speak for every date of a series: what the store then lists for them is all that was known. */
  readonly complete?: readonly { readonly seriesId: string; readonly asOf: Day }[];
  readonly points?: readonly CurvePoint[];
  readonly filings?: readonly Filing[];
  /** What the user should know of the file: what is missing in it, or odd. */
  readonly notes?: readonly string[];
};

/** How one file format is recognised and read; one file of this folder each. */
export type Format = {
  /** The name that `--kind` takes. */
  readonly kind: string;
  /** One line for `asof help formats`. */
  readonly summary: string;
  /** Whose figures these are, where the format says it; a series has one source. */
  readonly source?: string;
  /** Whether each column or file is one whole vintage, so that `--complete` has a meaning. */
  readonly whole: boolean;
  /** Whether the file's name does not settle the vintage, so that `--as-of` may. */
  readonly takesAsOf: boolean;
  /** Whether the content may not name its series, so that `--series` must. */
  readonly takesSeries?: boolean;
  /** Whether the content does not say when it was filed, so that `--filed-on` may. */
  readonly takesFiledOn?: boolean;
  /** Whether the content (`head`: at most the first 64 KiB, as text) is of this format; formats do not overlap. */
  recognise(head: string, name: string): boolean;
  /** Everything that the file says, in order; refuses what it cannot read exactly, naming file, row, column and value. */
  read(file: SourceFile, options: ReadOptions): AsyncIterable<Batch>;
};

/** Where in a file something stands; rows and lines count from 1, as an editor shows them. */
export type Place = { readonly row?: number; readonly column?: string; readonly value?: string };

/** The refusal of a file: names the file, the place, the value, and why. */
export function refusal(
  file: SourceFile,
  place: Place,
  reason: string,
  hints: readonly string[] = [],
): Problem {
  const row = place.row === undefined ? '' : `, row ${place.row}`;
  const column = place.column === undefined ? '' : `, column ${JSON.stringify(place.column)}`;
  const value = place.value === undefined ? '' : `: ${JSON.stringify(clip(place.value))}`;
  return new Problem('bad-input', `${file.path}${row}${column}${value}: ${reason}`, { hints });
}

/** The refusal of content that is no text in UTF-8, whatever its format. */
export function notUtf8(file: SourceFile, place: Place = {}): Problem {
  const hint = 'save it as UTF-8, or get it anew where it is damaged';
  return refusal(file, place, 'this is not UTF-8 text', [hint]);
}

function clip(value: string): string {
  return value.length > 80 ? `${value.slice(0, 77)}...` : value;
}
