import type { QueryAnswer, QueryContext } from '../analysis/answer.ts';
import type { Demands } from '../analysis/basis.ts';
import type { CurveComparisonRow, RevisionRow, WideRow } from '../analysis/layouts.ts';
import type { AnalysisQuery, ReleasesQuery, VersionsQuery, YieldCurveQuery } from '../analysis/query.ts';
import { transformedContext } from '../analysis/run.ts';
import type { ComparedRow, RevisionStatisticsRow } from '../analysis/vintage-layouts.ts';
import type { Day } from '../domain/series/date.ts';
import { checkHorizons, parseAfter, parseReleases } from '../domain/series/releases.ts';
import { type Transformation, transformationOf } from '../domain/series/transformation.ts';
import type { Row } from '../operations/envelope.ts';
import type { curve, vintages } from '../operations/index.ts';
import type { RowOf } from '../operations/operation.ts';
import type { Version } from '../operations/value.ts';
import { bind, ofCalls } from '../snapshot/bind.ts';
import { rangeOf, seriesOf, splitDemands } from './analysis-queries.ts';
import { type AnswerSource, type Result, resultOf } from './operation-methods.ts';
import type {
  PublishedParams,
  ReleasesParams,
  RevisionsParams,
  SomeHorizon,
  TriangleParams,
  VersionsParams,
} from './revision-params.ts';
import type { CurveParams, VintagesParams, YieldTableParams } from './signatures.ts';

/** What analyses ask with. */
export type AnalysisSource = AnswerSource & {
  readonly clock: () => Date;
};

/** The analyses: answers that are composed from several requests, from one state of the data. */
export class Analyses {
  readonly #source: AnalysisSource;

  constructor(source: AnalysisSource) {
    this.#source = source;
  }

  /**
   * Every value that was published for one `date` or for each date, newest date first, with the size and the lateness
   * of each change. With `release` or `after` the values at these releases or days after the first one, a column for
   * each; with `stats` statistics of the revisions between them; with `wide` the triangle, with a column for each
   * vintage.
   */
  async revisions(
    id: string,
    params: ReleasesParams & Demands & { readonly stats: true },
  ): Promise<Result<RevisionStatisticsRow>>;
  async revisions(id: string, params: TriangleParams & Demands): Promise<Result<WideRow>>;
  async revisions(
    id: string,
    params: ReleasesParams & Demands & SomeHorizon & { readonly stats?: false | undefined },
  ): Promise<Result<WideRow>>;
  async revisions(id: string, params?: PublishedParams & Demands): Promise<Result<RevisionRow>>;
  async revisions(
    id: string,
    params: RevisionsParams = {},
  ): Promise<Result<RevisionRow | RevisionStatisticsRow | WideRow>> {
    const { demands, own } = splitDemands(params);
    const { release, after, wide = false, stats = false, date, cursor, units: name, digits, ...rest } = own;
    const dates = { ...rest, id: id.toUpperCase() };
    const units = transformationOf({
      ...(name !== undefined && { units: name }),
      ...(digits !== undefined && { digits }),
    });
    const about = { ...dates, ...(units !== undefined && { units }) };
    const releases = [release ?? []].flat().flatMap((one) => parseReleases(String(one)));
    const named = [...releases, ...[after ?? []].flat().flatMap((one) => parseAfter(String(one)))];
    if (!wide && !stats && named.length === 0) {
      const { answerRevisions } = await import('../analysis/revisions.ts');
      const of = { ...dates, ...(date !== undefined && { date }), ...(cursor !== undefined && { cursor }) };
      return this.#result(demands, (context) =>
        answerRevisions(this.#bound({ kind: 'revisions', ...of }), context),
      );
    }
    const { answerReleaseTable, answerStatistics, answerTriangle } = await import('../analysis/releases.ts');
    if (wide)
      return this.#result(demands, (context) =>
        answerTriangle(this.#bound({ kind: 'triangle', ...about }), context),
      );
    const horizons = checkHorizons(named, stats);
    const query = this.#bound<ReleasesQuery>({ kind: 'releases', ...about, horizons, stats });
    return stats
      ? this.#result(demands, (context) => answerStatistics(query, context))
      : this.#result(demands, (context) => answerReleaseTable(query, context));
  }

  /** The vintage dates of a series and what each changed, newest first; without `asOf` also what the series covers. */
  async vintages(id: string, params: VintagesParams = {}): Promise<Result<RowOf<typeof vintages>>> {
    const { demands, own } = splitDemands(params);
    const { answerVintages } = await import('../analysis/vintages.ts');
    return this.#result(demands, (context) =>
      answerVintages(this.#bound({ kind: 'vintages', id: id.toUpperCase(), ...own }), context),
    );
  }

  /** The treasury curve of a day, by default the newest one; with `vs`, compared with the curve of another day. */
  async curve(params: CurveParams & { readonly vs: Day }): Promise<Result<CurveComparisonRow>>;
  async curve(params?: Omit<CurveParams, 'vs'>): Promise<Result<RowOf<typeof curve>>>;
  async curve(params: CurveParams = {}): Promise<Result<CurveComparisonRow> | Result<RowOf<typeof curve>>> {
    const { answerComparison, answerOneCurve } = await import('../analysis/curve.ts');
    const { demands, own } = splitDemands(params);
    const query = this.#bound<YieldCurveQuery>({ kind: 'curve', onOrBefore: false, ...own });
    const { vs } = query;
    return vs === undefined
      ? this.#result(demands, (context) => answerOneCurve(query, context))
      : this.#result(demands, (context) => answerComparison({ ...query, vs }, context));
  }

  /**
   * Treasury rates with a row for each date and a column for each maturity, newest first; `limit` and `first` count
   * dates.
   */
  async yieldTable(params: YieldTableParams = {}): Promise<Result<WideRow>> {
    const { demands, own } = splitDemands(params);
    const { answerYieldTable } = await import('../analysis/yield-table.ts');
    return this.#result(demands, async (context) =>
      answerYieldTable(this.#bound({ kind: 'yield-table', ...own }), context),
    );
  }

  /**
   * The values of series as of one day compared with those as of another (`latest` is the newest vintage), with the
   * difference, also in percent; newest first.
   */
  async compare(
    ids: string | readonly string[],
    days: readonly [Version, Version],
    params: VersionsParams = {},
  ): Promise<Result<ComparedRow>> {
    const { answerComparison } = await import('../analysis/versions.ts');
    return this.#versions(ids, days, params, true, answerComparison);
  }

  /** The values of series as of several days, with a column for each day; `latest` is the newest vintage. */
  async versions(
    ids: string | readonly string[],
    days: readonly Version[],
    params: VersionsParams = {},
  ): Promise<Result<WideRow>> {
    const { answerSideBySide } = await import('../analysis/versions.ts');
    return this.#versions(ids, days, params, false, answerSideBySide);
  }

  #versions<R extends Row>(
    ids: string | readonly string[],
    days: readonly Version[],
    params: VersionsParams,
    compared: boolean,
    answer: (query: VersionsQuery, context: QueryContext) => Promise<QueryAnswer<R>>,
  ): Promise<Result<R>> {
    const { demands, own } = splitDemands(params);
    const { limit, sort = 'desc' } = own;
    const query = this.#bound<VersionsQuery>({
      kind: 'versions',
      ...seriesOf([ids].flat(), own),
      days,
      compared,
      wide: false,
      sort,
      ...rangeOf(own),
      ...(limit !== undefined && { limit }),
    });
    return this.#result(demands, (context) => answer(query, context), transformationOf(own));
  }

  /** The query, bound to the day of every answer if there is one. */
  #bound<Q extends AnalysisQuery>(query: Q): Q {
    const { asOf } = this.#source;
    return asOf === undefined ? query : bind(query, asOf, ofCalls(this.#source.naming)).query;
  }

  /** The result of an answer, with transformed values if a transformation is given. */
  #result<R extends Row>(
    demands: Demands,
    answer: (context: QueryContext) => Promise<QueryAnswer<R>>,
    transformation?: Transformation,
  ): Promise<Result<R>> {
    const { signal, naming, onNote, allow } = this.#source;
    return resultOf(this.#source, demands, async ({ client, basis }) => {
      const context = {
        ...{ client, basis, signal, naming, explained: true },
        ...(onNote && { note: onNote }),
        ...(allow && { allow }),
      };
      return answer(await transformedContext({ transformation }, context));
    });
  }
}
