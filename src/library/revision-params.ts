import type { Demands } from '../analysis/basis.ts';
import type { Day } from '../domain/series/date.ts';
import type { TransformationParams, Units } from '../domain/series/transformation.ts';
import { contradiction, type Sentence } from '../errors/problem.ts';
import { revisions } from '../operations/index.ts';
import { asOfDay, choice, day, flag, integer, type NamedValues, oneOrSeveral } from '../operations/value.ts';
import {
  described,
  extentKinds,
  type Kinds,
  kindsOf,
  releaseNumber,
  type SeveralParams,
  skipMissing,
} from './arguments.ts';
import { unitsKinds } from './units-params.ts';

/** The newest dates from `from` to `to`, at most `limit`, up to what was known on `asOf`. */
type SomeDates = {
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
  readonly limit?: number | undefined;
  readonly asOf?: Day | undefined;
};

/** FRED's name of the units of the values at releases, each computed from one vintage, and their decimals. */
type SomeUnits = { readonly units?: Units | undefined; readonly digits?: number | undefined };

/** The parameters of revisions as they were published, of one `date` or of several. */
export type PublishedParams = SomeDates & {
  readonly units?: undefined;
  readonly digits?: undefined;
  readonly date?: Day | undefined;
  readonly cursor?: string | undefined;
  readonly release?: undefined;
  readonly after?: undefined;
  readonly wide?: false | undefined;
  readonly stats?: false | undefined;
};

/** The parameters of a table of releases; with `stats`, of statistics of the revisions between them. */
export type ReleasesParams = SomeDates &
  SomeUnits & {
    readonly date?: undefined;
    readonly cursor?: undefined;
    /** Numbers of releases, or `final` for the newest values. */
    readonly release?: number | 'final' | readonly (number | 'final')[] | undefined;
    /** Days after the first release. */
    readonly after?: number | readonly number[] | undefined;
    readonly stats?: boolean | undefined;
    readonly wide?: false | undefined;
  };

/** At least one release or number of days. */
export type SomeHorizon =
  | { readonly release: NonNullable<ReleasesParams['release']> }
  | { readonly after: NonNullable<ReleasesParams['after']> };

/** The parameters of the triangle of revisions: with `wide`, a column for each vintage. */
export type TriangleParams = SomeDates &
  SomeUnits & {
    readonly date?: undefined;
    readonly cursor?: undefined;
    readonly wide: true;
    readonly release?: undefined;
    readonly after?: undefined;
    readonly stats?: false | undefined;
  };

/** The parameters of revisions. */
export type RevisionsParams = (PublishedParams | ReleasesParams | TriangleParams) & Demands;

const { id: _, ...ownKinds } = kindsOf(revisions);

/** What the parameters of revisions may be. */
export const revisionsKinds = {
  ...ownKinds,
  asOf: asOfDay,
  release: described(
    'Columns with these releases of each date: 1 is the first one, final the newest.',
    oneOrSeveral(releaseNumber),
  ),
  after: described(
    'Columns with the values this many days after the first release.',
    oneOrSeveral(integer(0, 99999)),
  ),
  wide: described('The triangle of revisions: a column for each vintage.', flag),
  stats: described('Statistics of the revisions between the releases.', flag),
  units: unitsKinds.units,
  digits: unitsKinds.digits,
} satisfies Kinds<Omit<RevisionsParams, keyof Demands>>;

/** The parameters of values as of several days. */
export type VersionsParams = Omit<SomeDates, 'asOf'> &
  TransformationParams &
  SeveralParams &
  Demands & { readonly sort?: 'asc' | 'desc' | undefined };

/** What the parameters of values as of several days may be. */
export const versionKinds = {
  from: described('First date.', day),
  to: described('Last date.', day),
  limit: described('The newest dates, at most this number.', extentKinds.limit),
  sort: described('The newest date first unless `asc`.', choice(['asc', 'desc'])),
  skipMissing,
  ...unitsKinds,
};

/** Refuses parameters of one kind of answer about revisions together with those of another. */
export function checkRevisions({
  date,
  cursor,
  from,
  to,
  release,
  after,
  wide,
  stats,
  units,
  digits,
}: NamedValues): void {
  const refuse = (field: string, sentence: Sentence) => {
    throw contradiction(field, sentence);
  };
  if (date !== undefined && (from !== undefined || to !== undefined))
    refuse('date', ({ param }) => `use either ${param('date')} or ${param('from')} and ${param('to')}`);
  const table = [
    ...(release === undefined ? [] : ['release']),
    ...(after === undefined ? [] : ['after']),
    ...(stats === true ? ['stats'] : []),
  ];
  if (wide === true && table.length > 0)
    refuse(
      'wide',
      ({ param }) => `${param('wide')} is the triangle of all vintages: leave out ${param(table[0] ?? '')}`,
    );
  if (wide !== true && table.length === 0) {
    if (units !== undefined || digits !== undefined)
      refuse(
        'units',
        ({ param }) =>
          `${param('units')} needs ${param('release')}, ${param('after')}, ${param('wide')} or ${param('stats')}`,
      );
    return;
  }
  if (date !== undefined) refuse('date', listOnly('date'));
  if (cursor !== undefined) refuse('cursor', listOnly('cursor'));
}

function listOnly(name: string): Sentence {
  return ({ param }) =>
    `${param(name)} is for the list of revisions: use ${param('from')} and ${param('to')}`;
}
