import type { QueryAnswer, QueryContext } from '../analysis/answer.ts';
import type { Demands } from '../analysis/basis.ts';
import type { CurveComparisonRow, DiffRow, PanelRow, RevisionRow, WideRow } from '../analysis/layouts.ts';
import {
  asOfDates,
  type Beyond,
  beyondChoices,
  type RevisionsQuery,
  type VintagesQuery,
  type YieldCurveQuery,
  type YieldTableQuery,
} from '../analysis/query.ts';
import { type Day, latestDay, type Rhythm, utcDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Row } from '../operations/envelope.ts';
import type { curve, vintages } from '../operations/index.ts';
import type { RowOf } from '../operations/operation.ts';
import { asOfParam, checkRange, dayParam } from '../operations/params.ts';
import { type AnswerSource, type Result, resultOf } from './operation-methods.ts';

/** The first and the last date that a query is about. */
type DateRange = { readonly from?: Day; readonly to?: Day };

/** A panel as known on one day, today unless given. */
type AsOfOneDay = DateRange & {
  readonly asOf?: Day;
  readonly asOfEach?: undefined;
  readonly beyond?: undefined;
  readonly withDates?: undefined;
};

/** A panel of the newest values known on each day of a rhythm from `from` to `to`. */
type AsOfEachDay = Required<DateRange> & {
  readonly asOf?: undefined;
  readonly asOfEach: Rhythm;
  /** What as-of dates after the coverage of a series show; `empty` unless given. */
  readonly beyond?: Beyond;
  /** With `wide`, a second column for each series, of the observation dates of its values. */
  readonly withDates?: boolean;
};

/** The parameters of a panel; newest first unless `sort` says otherwise. */
type PanelParams = (AsOfEachDay | AsOfOneDay) &
  Demands & { readonly wide?: boolean; readonly sort?: 'asc' | 'desc' };

/** The parameters of a curve. */
type CurveParams = Partial<Omit<YieldCurveQuery, 'kind' | 'vs'>> & Demands;

/** Parameters whose names and days are checked. */
type Checked = { readonly [K in 'asOf' | 'date' | 'from' | 'to' | 'vs']?: Day | undefined };

/** What analyses ask with. */
export type AnalysisSource = AnswerSource & {
  readonly clock: () => Date;
};

/** The analyses: answers that are put together from several requests, out of one state of the data. */
export class Analyses {
  readonly #source: AnalysisSource;

  constructor(source: AnalysisSource) {
    this.#source = source;
  }

  /** Every value that was published for one date, oldest first, with the size and the lateness of each change. */
  async revisions(
    id: string,
    params: Omit<RevisionsQuery, 'id' | 'kind'> & Demands,
  ): Promise<Result<RevisionRow>> {
    const { demands, own } = separated(params);
    this.#check(params, ['asOf', 'date']);
    const { answerRevisions } = await import('../analysis/revisions.ts');
    return this.#result(demands, (context) =>
      answerRevisions({ kind: 'revisions', id: id.toUpperCase(), ...own }, context),
    );
  }

  /** The vintage dates of a series and what each changed, newest first; without `asOf` also what the series covers. */
  async vintages(
    id: string,
    params: Omit<VintagesQuery, 'id' | 'kind'> & Demands = {},
  ): Promise<Result<RowOf<typeof vintages>>> {
    const { demands, own } = separated(params);
    this.#check(params, ['asOf', 'cursor', 'first', 'from', 'limit', 'to']);
    const { answerVintages } = await import('../analysis/vintages.ts');
    return this.#result(demands, (context) =>
      answerVintages({ kind: 'vintages', id: id.toUpperCase(), ...own }, context),
    );
  }

  /** The treasury curve of a day, the newest one unless given; with `vs` beside the curve of another day. */
  async curve(params: CurveParams & { readonly vs: Day }): Promise<Result<CurveComparisonRow>>;
  async curve(params?: CurveParams): Promise<Result<RowOf<typeof curve>>>;
  async curve(
    params: CurveParams & { readonly vs?: Day } = {},
  ): Promise<Result<CurveComparisonRow> | Result<RowOf<typeof curve>>> {
    this.#check(params, ['curveType', 'date', 'onOrBefore', 'vs']);
    const { answerComparison, answerOneCurve } = await import('../analysis/curve.ts');
    const { demands, own } = separated(params);
    const query = { kind: 'curve', onOrBefore: false, ...own } as const;
    const { vs } = query;
    return vs === undefined
      ? this.#result(demands, (context) => answerOneCurve(query, context))
      : this.#result(demands, (context) => answerComparison({ ...query, vs }, context));
  }

  /** Treasury rates with a row for each date and a column for each maturity, newest first; `limit` and `first` count dates. */
  async yieldTable(params: Omit<YieldTableQuery, 'kind'> & Demands = {}): Promise<Result<WideRow>> {
    const { demands, own } = separated(params);
    this.#check(params, ['curveType', 'first', 'from', 'limit', 'maturity', 'to']);
    const { answerYieldTable } = await import('../analysis/yield-table.ts');
    return this.#result(demands, async (context) =>
      answerYieldTable({ kind: 'yield-table', ...own }, context),
    );
  }

  /**
   * The dates for which series had other values as of one day than as of another, newest first; with `allRows` also those
   * with the same value. An id with `*` means every series whose id matches.
   */
  async diff(
    ids: string | readonly string[],
    days: readonly [Day, Day],
    params: DateRange & Demands & { readonly allRows?: boolean } = {},
  ): Promise<Result<DiffRow>> {
    const { demands, own } = separated(params);
    this.#check(params, ['allRows', 'from', 'to']);
    for (const day of days) this.#checkAsOf('days', day);
    const { answerDiff } = await import('../analysis/diff.ts');
    return this.#result(demands, (context) =>
      answerDiff({ kind: 'diff', ids: [ids].flat(), days, allRows: false, ...own }, context),
    );
  }

  /**
   * Several series side by side as known on one day; with `asOfEach` the newest value of each that was known on each day
   * of a rhythm. An id with `*` means every series whose id matches. With `wide` there is a column for each series.
   */
  async panel(
    ids: readonly string[],
    params: PanelParams & { readonly wide: true },
  ): Promise<Result<WideRow>>;
  async panel(
    ids: readonly string[],
    params?: PanelParams & { readonly wide?: false },
  ): Promise<Result<PanelRow>>;
  async panel(ids: readonly string[], params: PanelParams = {}): Promise<Result<PanelRow> | Result<WideRow>> {
    const { demands, own } = separated(params);
    const {
      wide = false,
      sort = 'desc',
      asOfEach,
      asOf,
      beyond = 'empty',
      withDates = false,
      ...range
    } = own;
    const form = { ids, wide, sort, ...range };
    if (asOfEach === undefined) {
      this.#check(params, ['asOf', 'asOfEach', 'from', 'sort', 'to', 'wide']);
      const { answerLongPanel, answerWidePanel } = await import('../analysis/panel.ts');
      const query = { kind: 'panel', ...form, ...(asOf !== undefined && { asOf }) } as const;
      return wide
        ? this.#result(demands, (context) => answerWidePanel(query, context))
        : this.#result(demands, (context) => answerLongPanel(query, context));
    }
    this.#check(params, ['asOfEach', 'beyond', 'from', 'sort', 'to', 'wide', 'withDates']);
    if (!beyondChoices.includes(beyond))
      throw new Problem('bad-input', `beyond ${JSON.stringify(beyond)}: use ${beyondChoices.join(' or ')}`, {
        field: 'beyond',
      });
    const query = { kind: 'real-time-panel', ...form, each: asOfEach, beyond, withDates } as const;
    this.#checkAsOf('to', asOfDates(query).at(-1));
    const { answerLongRealTimePanel, answerWideRealTimePanel } = await import(
      '../analysis/real-time-panel.ts'
    );
    return wide
      ? this.#result(demands, (context) => answerWideRealTimePanel(query, context))
      : this.#result(demands, (context) => answerLongRealTimePanel(query, context));
  }

  #result<R extends Row>(
    demands: Demands,
    answer: (context: QueryContext) => Promise<QueryAnswer<R>>,
  ): Promise<Result<R>> {
    const { signal, onNote } = this.#source;
    return resultOf(this.#source, demands, ({ client, basis }) =>
      answer({ client, basis, signal, ...(onNote && { note: onNote }) }),
    );
  }

  /**
   * Refuses parameters that the method does not have, and days that are none. A mistyped `asof` must not be answered
   * with revised data.
   */
  #check(params: Checked, names: readonly string[]): void {
    const clock = this.#clock();
    for (const [name, value] of Object.entries(params)) {
      if (!names.includes(name) && name !== 'exact' && name !== 'maxAge')
        throw new Problem('bad-input', `unknown parameter '${name}': use ${names.join(', ')}`, {
          field: name,
        });
      if (value === undefined) continue;
      if (name === 'asOf') this.#checkAsOf(name, value);
      else if (days.has(name)) dayParam('').parse(String(value), name, clock);
    }
    checkRange(params.from, params.to);
  }

  #checkAsOf(name: string, day: unknown): void {
    if (day !== undefined) asOfParam().parse(String(day), name, this.#clock());
  }

  #clock() {
    const now = this.#source.clock();
    return { latest: latestDay(now), today: utcDay(now) };
  }
}

/** What parameters demand of the data, and the other parameters. */
function separated<T extends Demands>({ exact, maxAge, ...own }: T) {
  return { demands: { exact, maxAge }, own };
}

/** The parameters that are dates. */
const days: ReadonlySet<string> = new Set(['date', 'from', 'to', 'vs']);
