import type { Day } from '../domain/series/date.ts';
import { parseSeriesId, seriesIdForm } from '../domain/series/series.ts';
import { type Problem, refused } from '../errors/problem.ts';
import {
  abortSignal,
  accepting,
  asOfDay,
  callable,
  day,
  flag,
  formed,
  record,
  type Value,
  type ValueCheck,
  word,
} from '../operations/value.ts';
import type { LoadProgress } from './load/registry.ts';

/** What to import, and how. */
export type ImportOptions = {
  /** The address of the store; a missing store is created. */
  readonly store: string;
  /** The kind of all files (`asof help formats` lists them); without it each file is recognised by its content. */
  readonly kind?: string | undefined;
  /** The vintage date of whole-vintage files; overrides the one in their names. */
  readonly asOf?: Day | undefined;
  /** Whether the month or the day comes first (`M/D/YYYY`, `D/M/YYYY`) in dates of files that leave it open. */
  readonly dateFormat?: string | undefined;
  /** Skips files of unknown formats; without it, one such file refuses the import. */
  readonly skipUnknown?: boolean | undefined;
  /** The content of the path `-`. */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /** The filing date of ownership XML that no other file dates. */
  readonly filedOn?: Day | undefined;
  /** The series of files that do not name theirs. */
  readonly series?: string | undefined;
  /** The ids under which to store series, by their ids in the files. */
  readonly rename?: Readonly<Record<string, string>> | undefined;
  /** Accepts a series from a second source. */
  readonly merge?: boolean | undefined;
  /** Accepts new statements that contradict known ones. */
  readonly replace?: boolean | undefined;
  /** Withdraws, in a whole vintage, the dates that were known and have no row. */
  readonly complete?: boolean | undefined;
  /** Accepts values of periods that begin after the day on which they were known, in files dated by `asOf`. */
  readonly projections?: boolean | undefined;
  /** The trade dates of curves that are left out, such as a day whose rates are all zero; each must be in a file. */
  readonly skipDays?: readonly Day[] | undefined;
  /** Creates a new store as a copy of the sample. */
  readonly withSample?: boolean | undefined;
  /** Reads and checks everything, and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** The time of the import (default now); facts of a later day are refused. */
  readonly clock?: (() => Date) | undefined;
  /** Stops the import, which then writes nothing. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress after each step of the work. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
};

/** The progress of an import: files while it recognises them, bytes of all files while it loads them. */
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

/** Ids under which to store series, by their ids in the files; a text has one of each. */
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

/** What each option of an import may be. */
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
  withSample: flag,
  dryRun: flag,
  clock: callable,
  signal: abortSignal,
  onProgress: callable,
} satisfies { readonly [K in keyof Omit<ImportOptions, 'store'>]-?: ValueCheck };
