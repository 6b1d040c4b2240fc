import { parseSeriesId, seriesIdForm } from '../domain/series/series.ts';
import type { Day } from '../domain/values/date.ts';
import { type Problem, refused } from '../errors/problem.ts';
import {
  abortSignal,
  accepting,
  asOfDay,
  callable,
  day,
  duration,
  flag,
  formed,
  record,
  type Value,
  type ValueCheck,
  word,
} from '../operations/value.ts';
import type { LoadProgress, MergeChoices } from './load/registry.ts';

/** Options of an import. */
export type ImportOptions = MergeChoices & {
  /** The address of the store; a missing store is created. */
  readonly store: string;
  /** The kind of all files (see `asof help formats`). Default: recognised by content. */
  readonly kind?: string | undefined;
  /** The vintage date of whole-vintage files; overrides the one in their names. */
  readonly asOf?: Day | undefined;
  /** The order of month and day (`M/D/YYYY`, `D/M/YYYY`) in files that leave it open. */
  readonly dateFormat?: string | undefined;
  /** Skips files of unknown formats. Default: such a file stops the import. */
  readonly skipUnknown?: boolean | undefined;
  /** The content of the path `-`. */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /** The filing date of ownership XML, if no other file states it. */
  readonly filedOn?: Day | undefined;
  /** The series of files that name none. */
  readonly series?: string | undefined;
  /** The ids under which to store series, by their ids in the files. */
  readonly rename?: Readonly<Record<string, string>> | undefined;
  /** Trade dates of curves to leave out, such as a day whose rates are all zero; each must be in a file. */
  readonly skipDays?: readonly Day[] | undefined;
  /**
   * Stores whole series in parts of at most 1000, each in a transaction of its own, for imports of many series. An
   * import that ends early goes on behind what it stored. Default: all or nothing.
   */
  readonly chunked?: boolean | undefined;
  /** Creates a new store as a copy of the sample. */
  readonly withSample?: boolean | undefined;
  /** Reads and checks everything, and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** The time of the import; facts of a later day are refused. Default: now. */
  readonly clock?: (() => Date) | undefined;
  /** Stops the import, which then writes nothing more than the parts that it has stored, if it is `chunked`. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the progress after each step. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
};

/** Progress in files while recognising them, in bytes while loading them. */
export type ImportProgress =
  | { readonly stage: 'recognise'; readonly file: string; readonly done: number; readonly total: number }
  | ({ readonly stage: 'load' } & LoadProgress);

const iterable = accepting(
  (value): value is AsyncIterable<Uint8Array> =>
    typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
  'an async iterable of bytes, such as process.stdin',
);

const days: ValueCheck<readonly Day[]> = {
  check(value, name, clock) {
    if (Array.isArray(value)) return value.map((one) => day.check(one, name, clock));
    throw refused({ param: name, value, reason: 'use a list of dates, such as ["2017-04-14"]' });
  },
};

function storedId(given: string, refuse: (reason: string) => Problem): string {
  const id = parseSeriesId(given);
  if (id === undefined) throw refuse(`not a series id: ${seriesIdForm}`);
  return id;
}

const series = formed(storedId, { placeholder: 'id', complete: 'ids' });

/** Ids under which to store series, by their ids in the files; a text has one pair. */
const rename: Value<Readonly<Record<string, string>>> = {
  ...formed(
    (given, refuse) => {
      const [from, to, ...rest] = given.split('=');
      if (from === undefined || to === undefined || rest.length > 0) throw refuse('use OLD=NEW');
      return { [storedId(from, refuse)]: storedId(to, refuse) };
    },
    { placeholder: 'old=new' },
  ),
  check(value, name, clock) {
    const ids = Object.entries(record.check(value, name, clock));
    return Object.fromEntries(ids.map((pair) => pair.map((id) => series.check(id, name, clock))));
  },
};

/** The checks of each import option. */
export const importValues = {
  kind: word,
  asOf: asOfDay,
  dateFormat: word,
  skipUnknown: flag,
  stdin: iterable,
  filedOn: asOfDay,
  series,
  rename,
  merge: flag,
  replace: flag,
  complete: flag,
  projections: flag,
  skipDays: days,
  keepUndo: duration,
  chunked: flag,
  withSample: flag,
  dryRun: flag,
  clock: callable,
  signal: abortSignal,
  onProgress: callable,
} satisfies { readonly [K in keyof Omit<ImportOptions, 'store'>]-?: ValueCheck };
