import type { QueryAnswer } from '../../answering/answer.ts';
import type { Demands } from '../../answering/basis.ts';
import { commandOf, question, transformationIn, typed } from '../../answering/question.ts';
import { contradiction, Problem, refused } from '../../errors/problem.ts';
import type { WideRow } from '../../operations/envelope.ts';
import {
  asOfParam,
  checkDates,
  type Params,
  type ParamsOf,
  type ParamValues,
  param,
} from '../../operations/param.ts';
import { revisions as published } from '../../operations/series/observations.ts';
import { accepting, flag, integer, type Value } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import {
  type Horizon,
  horizonName,
  type RevisionAnswerRow,
  type RevisionRow,
  type RevisionStatisticsRow,
  type RevisionSummaryRow,
  releaseLayout,
  revisionLayout,
  statisticsLayout,
  summaryLayout,
} from './revision-layouts.ts';
import { aboutAsOf, boundAsOf, extentParams, oneSeries, unitsParams } from './shared.ts';

const releaseNumber: Value<number | 'final'> = {
  ...accepting(
    (value): value is number | 'final' =>
      value === 'final' || (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= 9999),
    "the number of a release such as 1, or 'final'",
  ),
  parse(given, name) {
    if (given === 'final') return given;
    if (/^[1-9]\d{0,3}$/.test(given)) return Number(given);
    throw refused({
      param: name,
      value: given,
      reason: 'use numbers of releases or final, such as 1,2,final',
    });
  },
  schema: { anyOf: [{ type: 'integer', minimum: 1, maximum: 9999 }, { const: 'final' }] },
};

/** A number of days after the first release; a text may end in `d`. */
const daysAfter: Value<number> = {
  ...integer(0, 99999),
  parse(given, name) {
    if (/^\d{1,5}d?$/.test(given)) return Number.parseInt(given, 10);
    throw refused({ param: name, value: given, reason: 'use days after the first release, such as 90d' });
  },
};

const { date, from, to } = published.params;

const params = {
  date,
  from,
  to,
  as_of: asOfParam(),
  release: param(
    oneOrSeveral(releaseNumber),
    'Values at releases, such as 1,2,final (the newest values).',
    undefined,
    { placeholder: 'numbers' },
  ),
  after: param(
    oneOrSeveral(daysAfter),
    'Values some days after the first release, such as 90d or 30d,90d.',
    undefined,
    { placeholder: 'days' },
  ),
  wide: param(flag, 'The triangle: one row per date, one column per vintage.', undefined),
  stats: param(flag, 'Statistics of the revisions between releases (default 1,2,3,final).', undefined),
  summary: param(flag, 'One paragraph on a date: its releases, latest value and largest change.', undefined),
  // A release belongs to a date, and not to a period of dates.
  units: unitsParams.units,
  digits: unitsParams.digits,
  limit: { ...extentParams.limit, help: { about: 'maximum rows' } },
  cursor: extentParams.cursor,
} satisfies Params;

type RevisionsAsked = ParamValues<typeof params>;
type RevisionsGiven = ParamsOf<{ readonly params: typeof params }>;

/** The newest dates from `from` to `to`, at most `limit`, as known on `asOf`. */
type DatesGiven = Pick<RevisionsGiven, 'asOf' | 'from' | 'knownBefore' | 'limit' | 'to'>;

type TableParams = DatesGiven &
  Pick<RevisionsGiven, 'digits' | 'units'> & {
    readonly date?: undefined;
    readonly cursor?: undefined;
    readonly summary?: false | undefined;
  };

/** The parameters of the summary of one `date`. */
export type RevisionSummaryParams = Pick<RevisionsGiven, 'asOf' | 'digits' | 'units'> & {
  readonly date: NonNullable<RevisionsGiven['date']>;
  readonly summary: true;
} & { readonly [K in 'after' | 'cursor' | 'from' | 'limit' | 'release' | 'to']?: undefined } & {
  readonly [K in 'stats' | 'wide']?: false | undefined;
};

/** The parameters of published values, of one `date` or several. */
export type PublishedParams = DatesGiven &
  Pick<RevisionsGiven, 'cursor' | 'date'> & {
    readonly [K in 'after' | 'digits' | 'release' | 'units']?: undefined;
  } & { readonly [K in 'stats' | 'summary' | 'wide']?: false | undefined };

/** The parameters of a table of releases, or with `stats` of statistics. */
export type ReleasesParams = TableParams & {
  /** Numbers of releases, or `final` for the newest values. */
  readonly release?: number | 'final' | readonly (number | 'final')[] | undefined;
  /** Days after the first release. */
  readonly after?: number | readonly number[] | undefined;
  readonly stats?: boolean | undefined;
  readonly wide?: false | undefined;
};

type SomeHorizon =
  | { readonly release: NonNullable<ReleasesParams['release']> }
  | { readonly after: NonNullable<ReleasesParams['after']> };

/** The parameters of the triangle of revisions: with `wide`, a column for each vintage. */
export type TriangleParams = TableParams & {
  readonly wide: true;
  readonly release?: undefined;
  readonly after?: undefined;
  readonly stats?: false | undefined;
};

/** The parameters of revisions. */
export type RevisionsParams = (
  | PublishedParams
  | RevisionSummaryParams
  | (ReleasesParams & (SomeHorizon | { readonly stats: boolean }))
  | (Omit<TriangleParams, 'wide'> & { readonly wide: boolean })
) &
  Demands;

/** The published values of one date or each, or a table of them. */
export const revisions = question({
  name: 'revisions',
  operation: published,
  command: commandOf(published),
  method:
    typed<
      [
        [
          asked: [id: string, params: ReleasesParams & Demands & { readonly stats: true }],
          row: RevisionStatisticsRow,
        ],
        [asked: [id: string, params: TriangleParams & Demands], row: WideRow],
        [asked: [id: string, params: RevisionSummaryParams & Demands], row: RevisionSummaryRow],
        [
          asked: [
            id: string,
            params: ReleasesParams & Demands & SomeHorizon & { readonly stats?: false | undefined },
          ],
          row: WideRow,
        ],
        [asked: [id: string, params?: PublishedParams & Demands], row: RevisionRow],
        [asked: [id: string, params?: RevisionsParams], row: RevisionAnswerRow],
      ]
    >(),
  args: [oneSeries],
  params,
  check,
  layout(values) {
    if (values.wide === true) return undefined;
    if (values.summary === true) return summaryLayout;
    if (values.stats === true) return statisticsLayout();
    return isTable(values) ? releaseLayout(horizonsOf(values)) : revisionLayout;
  },
  drawing(values) {
    const { date, wide, stats, summary } = values;
    if (summary === true) return undefined;
    if (isTable(values) ? wide === true || stats === true : date === undefined) return undefined;
    return async (ask) => {
      const { releasesDrawing, revisionsDrawing } = await import('./drawings.ts');
      if (date !== undefined) return revisionsDrawing({ ...values, date }, ask);
      return releasesDrawing(values, horizonsOf(values), ask);
    };
  },
  knownOn: ({ as_of }) => as_of,
  aboutValues: ({ as_of }) => aboutAsOf(as_of),
  // A summary tells the latest value.
  showsNewest: ({ as_of, summary }) => summary === true && as_of === undefined,
  limitsRows: ({ stats }) => stats !== true,
  bind: boundAsOf,
  async answer(values, ask): Promise<QueryAnswer<RevisionAnswerRow>> {
    // Loaded here: other questions start faster without these answers.
    const { answerRevisions } = await import('./revision-answers.ts');
    const horizons = isTable(values) && values.wide !== true ? horizonsOf(values) : [];
    return answerRevisions({ ...values, units: transformationIn(values), horizons }, ask);
  },
});

/** Tells whether values ask for a table of values or statistics, and not for published values. */
function isTable({ release, after, stats, wide }: RevisionsAsked): boolean {
  return release !== undefined || after !== undefined || stats === true || wide === true;
}

function check(values: RevisionsAsked): void {
  const { date, cursor, release, after, wide, stats, summary } = values;
  checkDates(values);
  if (summary === true) {
    checkSummary(values);
    return;
  }
  if (!isTable(values)) {
    if (transformationIn(values) === undefined) return;
    throw contradiction(
      'units',
      ({ param }) =>
        `${param('units')} needs ${param('release')}, ${param('after')}, ${param('wide')}, ${param('stats')} or ${param('summary')}`,
    );
  }
  const [ofList] = Object.keys(defined({ date, cursor }));
  if (ofList !== undefined)
    throw contradiction(
      ofList,
      ({ param }) =>
        `a table of revisions takes no ${param(ofList)}: use ${param('from')}, ${param('to')} and ${param('limit')}`,
    );
  if (wide === true && (release !== undefined || after !== undefined || stats === true))
    throw contradiction(
      'wide',
      ({ param }) => `${param('wide')} is the triangle of all vintages: use it alone`,
    );
  if (wide !== true) horizonsOf(values);
}

function checkSummary(values: RevisionsAsked): void {
  if (values.date === undefined)
    throw contradiction('summary', ({ param }) => `${param('summary')} is of one date: add ${param('date')}`);
  const names = ['release', 'after', 'wide', 'stats', 'limit', 'cursor'] as const;
  const other = names.find((name) => values[name] !== undefined && values[name] !== false);
  if (other !== undefined)
    throw contradiction(other, ({ param }) => `use either ${param('summary')} or ${param(other)}`);
}

const usual: Partial<RevisionsAsked> = { release: [1, 2, 3, 'final'] };

type HorizonsAsked = Pick<RevisionsAsked, 'after' | 'release' | 'stats'>;

/** Returns the horizons of a query, each once, for statistics in the order of time. Default: the usual ones. */
export function horizonsOf({ release, after, stats }: Partial<HorizonsAsked>): readonly Horizon[] {
  const { release: numbers = [] } = release === undefined && after === undefined ? usual : { release };
  const releases = numbers.map(
    (number): Horizon => (number === 'final' ? { kind: 'final' } : { kind: 'release', number }),
  );
  const horizons = [...releases, ...(after ?? []).map((days): Horizon => ({ kind: 'after', days }))];
  const names = horizons.map(horizonName);
  const repeated = names.find((name, i) => names.indexOf(name) < i);
  if (repeated !== undefined) throw new Problem('bad-input', `${repeated} is named twice`);
  if (stats !== true) return horizons;
  if (horizons.length === 1)
    throw new Problem('bad-input', `statistics of revisions need two releases, and ${names[0]} is one`, {
      hints: ['name more, such as 1 and final'],
    });
  const kinds = ['release', 'after', 'final'];
  const place = (one: Horizon) => (one.kind === 'final' ? 0 : 'days' in one ? one.days : one.number);
  return horizons.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || place(a) - place(b));
}

/** Accepts one value, or a list of at least one. */
function oneOrSeveral<T>(one: Value<T>): Value<readonly T[]> {
  return {
    check(value, name, clock) {
      if (!Array.isArray(value)) return [one.check(value, name, clock)];
      if (value.length === 0)
        throw refused({ param: name, value, reason: 'leave it out, or name at least one' });
      return value.map((member) => one.check(member, name, clock));
    },
    parse: (given, name, clock) => given.split(',').map((part) => one.parse(part, name, clock)),
    schema: { anyOf: [one.schema, { type: 'array', items: one.schema, minItems: 1 }] },
    ...(one.placeholder !== undefined && { placeholder: one.placeholder }),
  };
}
