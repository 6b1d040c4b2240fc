import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import {
  type AnswerVintage,
  type Asof,
  type BackupSummary,
  type ChangedSeries,
  type CheckParams,
  type CheckRow,
  type CheckSummary,
  type ComparedRow,
  type CopySummary,
  type Coverage,
  type CurveComparisonRow,
  type CurveParams,
  type Day,
  type Demands,
  type DiffParams,
  type DiffRow,
  type FactRow,
  type Finding,
  type Followed,
  type ImportOptions,
  type ImportResult,
  type InputRow,
  importFiles,
  type JoinParams,
  type LoggedImport,
  type Note,
  type ObservationRow,
  type OpenOptions,
  type OperationName,
  type OperationParams,
  type OperationRow,
  type Origin,
  open,
  type PanelParams,
  type PanelRow,
  Problem,
  type ProblemDocument,
  type ProblemKind,
  type PublishedParams,
  type PulledSubject,
  type PullOptions,
  type PullOutcome,
  type PullProgress,
  type PullRequest,
  type PullStop,
  type PullSummary,
  probeSources,
  pull,
  type RateRow,
  type ReleasesParams,
  type Result,
  type RevisionRow,
  type RevisionStatisticsRow,
  type RevisionsParams,
  type Rhythm,
  type SeriesSummary,
  type SnapshotSummary,
  type SourceProbe,
  type StoreCare,
  type StoreFault,
  type StoreInfo,
  samplePath,
  type TriangleParams,
  type UndoneImport,
  type VersionsParams,
  type VintagesParams,
  type WideRow,
  type YieldTableParams,
} from '../../src/index.ts';

/** An asof that answers nothing: calls that get past the checks of their arguments find no service. */
let asof: Asof;

beforeAll(async () => {
  asof = await open('http://127.0.0.1:9', { retries: 0 });
});
afterAll(() => asof.close());

type Call = () => Promise<unknown> | AsyncIterable<unknown>;

/** What a method takes and gives, as types; and calls that do not compile. None of them is answered. */
type MethodTypes = { readonly accepts: () => void; readonly refuses: () => readonly Call[] };

/** The types of rows that are read as they are declared. */
type RateCells = {
  readonly trade_date: Day;
  readonly maturity: string;
  readonly rate: string;
  readonly curve_type: string;
  readonly source: string;
};

declare const maybe: boolean;
declare const day: Day;

const operations = {
  ping: {
    accepts() {
      expectTypeOf(asof.ping).parameters.toEqualTypeOf<[]>();
      expectTypeOf(asof.ping()).resolves.toEqualTypeOf<Result<OperationRow<'ping'>>>();
      expectTypeOf<OperationRow<'ping'>['vintage_access']>().toEqualTypeOf<boolean>();
      expectTypeOf<OperationRow<'ping'>['daily_used']>().toEqualTypeOf<number | null | undefined>();
    },
    refuses: () => [
      // @ts-expect-error It takes nothing.
      () => asof.ping({ limit: 1 }),
      // @ts-expect-error Its answer is about no data.
      () => asof.ping({ exact: true }),
    ],
  },
  seriesSearch: {
    accepts() {
      expectTypeOf(asof.seriesSearch).parameters.toEqualTypeOf<
        [argument?: string, params?: OperationParams<'series_search'>]
      >();
      expectTypeOf(asof.seriesSearch('gdp', { match: 'words', limit: 5, cursor: '' })).resolves.toEqualTypeOf<
        Result<OperationRow<'series_search'>>
      >();
      expectTypeOf(asof.seriesSearch()).resolves.toHaveProperty('rows');
      expectTypeOf<OperationRow<'series_search'>['matched']>().toEqualTypeOf<string | null | undefined>();
      expectTypeOf<OperationRow<'series_search'>['observation_count']>().toEqualTypeOf<number>();
    },
    refuses: () => [
      // @ts-expect-error An unknown parameter.
      () => asof.seriesSearch('gdp', { matches: 'id' }),
      // @ts-expect-error No such match.
      () => asof.seriesSearch('gdp', { match: 'word' }),
      // @ts-expect-error A text for a number.
      () => asof.seriesSearch('gdp', { limit: '5' }),
      // @ts-expect-error Its answer is about no data.
      () => asof.seriesSearch('gdp', { maxAge: 1 }),
      // @ts-expect-error A number for a text.
      () => asof.seriesSearch(1),
    ],
  },
  'seriesSearch.all': {
    accepts() {
      expectTypeOf(asof.seriesSearch.all('gdp', { match: 'title' })).toEqualTypeOf<
        AsyncIterable<OperationRow<'series_search'>>
      >();
    },
    refuses: () => [
      // @ts-expect-error An unknown parameter.
      () => asof.seriesSearch.all('gdp', { matches: 'id' }),
      // @ts-expect-error One text.
      () => asof.seriesSearch.all(['gdp']),
    ],
  },
  seriesShow: {
    accepts() {
      expectTypeOf(asof.seriesShow).parameters.toEqualTypeOf<[argument: string]>();
      expectTypeOf(asof.seriesShow('GDP')).resolves.toEqualTypeOf<Result<OperationRow<'series_show'>>>();
      expectTypeOf<OperationRow<'series_show'>['first_vintage']>().toEqualTypeOf<Day | null | undefined>();
    },
    refuses: () => [
      // @ts-expect-error The id is missing.
      () => asof.seriesShow(),
      // @ts-expect-error One id.
      () => asof.seriesShow(['GDP']),
      // @ts-expect-error It takes no parameters.
      () => asof.seriesShow('GDP', { asOf: '2015-01-30' }),
    ],
  },
  observations: {
    accepts() {
      expectTypeOf(asof.observations).parameters.toEqualTypeOf<
        [argument: string, params?: OperationParams<'observations'>]
      >();
      const answer = asof.observations('GDP', {
        asOf: '2015-01-30',
        from: '2014-01-01',
        to: undefined,
        release: 'first',
        units: 'pca',
        digits: 2,
        frequency: 'a',
        aggregate: 'sum',
        partial: maybe,
        limit: 8,
        first: 8,
        cursor: '',
        exact: true,
        maxAge: 30,
      });
      expectTypeOf(answer).resolves.toEqualTypeOf<Result<ObservationRow>>();
      expectTypeOf<ObservationRow>().toEqualTypeOf<OperationRow<'observations'>>();
      expectTypeOf<ObservationRow['value']>().toEqualTypeOf<string>();
    },
    refuses: () => [
      // @ts-expect-error The id is missing.
      () => asof.observations(),
      // @ts-expect-error One id.
      () => asof.observations(['GDP']),
      // @ts-expect-error The parameter is asOf.
      () => asof.observations('GDP', { asof: '2015-01-30' }),
      // @ts-expect-error A date is a text.
      () => asof.observations('GDP', { asOf: new Date(0) }),
      // @ts-expect-error No such release.
      () => asof.observations('GDP', { release: 'second' }),
      // @ts-expect-error No such units.
      () => asof.observations('GDP', { units: 'yoy' }),
      // @ts-expect-error One series.
      () => asof.observations('GDP', { skipMissing: true }),
    ],
  },
  'observations.all': {
    accepts() {
      expectTypeOf(asof.observations.all('GDP')).toEqualTypeOf<AsyncIterable<ObservationRow>>();
      expectTypeOf(asof.observations.all(['GDP', 'GDP*'], { skipMissing: true, asOf: day })).toEqualTypeOf<
        AsyncIterable<ObservationRow>
      >();
    },
    refuses: () => [
      // @ts-expect-error The ids are missing.
      () => asof.observations.all(),
      // @ts-expect-error Numbers for texts.
      () => asof.observations.all([1]),
      // @ts-expect-error The parameter is asOf.
      () => asof.observations.all('GDP', { asof: '2015-01-30' }),
    ],
  },
  observationsOfSeveral: {
    accepts() {
      const answer = asof.observationsOfSeveral(['GDP', 'UNRATE'], {
        asOf: '2015-01-30',
        units: 'pca',
        sort: 'asc',
        skipMissing: true,
        limit: 8,
        maxAge: 30,
      });
      expectTypeOf(answer).resolves.toEqualTypeOf<Result<ObservationRow>>();
      expectTypeOf(asof.observationsOfSeveral('GDP')).resolves.toEqualTypeOf<Result<ObservationRow>>();
    },
    refuses: () => [
      // @ts-expect-error The ids are missing.
      () => asof.observationsOfSeveral(),
      // @ts-expect-error No such order.
      () => asof.observationsOfSeveral(['GDP'], { sort: 'newest' }),
      // @ts-expect-error The parameter is skipMissing.
      () => asof.observationsOfSeveral(['GDP'], { skip_missing: true }),
    ],
  },
  yields: {
    accepts() {
      expectTypeOf(asof.yields).parameters.toEqualTypeOf<[params?: OperationParams<'yields'>]>();
      expectTypeOf(
        asof.yields({ maturity: '10Y', curveType: 'TIPS', from: day, first: 1 }),
      ).resolves.toEqualTypeOf<Result<RateRow>>();
      expectTypeOf<RateRow>().toEqualTypeOf<RateCells>();
    },
    refuses: () => [
      // @ts-expect-error An unknown parameter.
      () => asof.yields({ maturities: ['10Y'] }),
      // @ts-expect-error No such maturity.
      () => asof.yields({ maturity: '11Y' }),
      // @ts-expect-error No such curve.
      () => asof.yields({ curveType: 'REAL' }),
      // @ts-expect-error It is about no series.
      () => asof.yields('10Y'),
    ],
  },
  'yields.all': {
    accepts() {
      expectTypeOf(asof.yields.all({ maturity: '10Y' })).toEqualTypeOf<AsyncIterable<RateRow>>();
    },
    refuses: () => [
      // @ts-expect-error An unknown parameter.
      () => asof.yields.all({ maturities: ['10Y'] }),
      // @ts-expect-error A number for a date.
      () => asof.yields.all({ from: 2015 }),
    ],
  },
  spread: {
    accepts() {
      expectTypeOf(asof.spread).parameters.toEqualTypeOf<[params?: OperationParams<'spread'>]>();
      expectTypeOf(asof.spread({ long: '30Y', short: '2Y', curveType: 'PAR' })).resolves.toEqualTypeOf<
        Result<OperationRow<'spread'>>
      >();
      expectTypeOf<OperationRow<'spread'>['spread_bps']>().toEqualTypeOf<string>();
    },
    refuses: () => [
      // @ts-expect-error An unknown parameter.
      () => asof.spread({ maturity: '10Y' }),
      // @ts-expect-error No such maturity.
      () => asof.spread({ long: '10' }),
    ],
  },
  'spread.all': {
    accepts() {
      expectTypeOf(asof.spread.all({ first: 3 })).toEqualTypeOf<AsyncIterable<OperationRow<'spread'>>>();
    },
    refuses: () => [
      // @ts-expect-error An unknown parameter.
      () => asof.spread.all({ maturity: '10Y' }),
      // @ts-expect-error A text for a number.
      () => asof.spread.all({ first: '3' }),
    ],
  },
  insiderFilings: {
    accepts() {
      expectTypeOf(asof.insiderFilings).parameters.toEqualTypeOf<
        [params?: OperationParams<'insider_filings'>]
      >();
      const asked = { ticker: 'MAIA', ownerName: 'A', transactionCode: 'P', days: 30, asOf: day };
      expectTypeOf(asof.insiderFilings(asked)).resolves.toEqualTypeOf<
        Result<OperationRow<'insider_filings'>>
      >();
      type Row = OperationRow<'insider_filings'>;
      expectTypeOf<Row['filing_date']>().toEqualTypeOf<Day>();
      expectTypeOf<Row['is_director']>().toEqualTypeOf<boolean | null>();
      expectTypeOf<NonNullable<Row['owners']>[number]['name']>().toEqualTypeOf<string>();
    },
    refuses: () => [
      // @ts-expect-error The parameter is ownerName.
      () => asof.insiderFilings({ owner: 'Gryaznov' }),
      // @ts-expect-error A text for a number.
      () => asof.insiderFilings({ days: '30' }),
      // @ts-expect-error It has no argument.
      () => asof.insiderFilings('MAIA'),
    ],
  },
  'insiderFilings.all': {
    accepts() {
      expectTypeOf(asof.insiderFilings.all({ ticker: 'MAIA' })).toEqualTypeOf<
        AsyncIterable<OperationRow<'insider_filings'>>
      >();
    },
    refuses: () => [
      // @ts-expect-error The parameter is ownerName.
      () => asof.insiderFilings.all({ owner: 'Gryaznov' }),
      // @ts-expect-error A text for a number.
      () => asof.insiderFilings.all({ days: '30' }),
    ],
  },
  insiderClusters: {
    accepts() {
      const asked = { ticker: 'MAIA', minInsiders: 3, days: 14, minValue: 100_000, transactionCode: 'P' };
      type Clusters = OperationRow<'insider_clusters'>;
      type Explained = OperationRow<'insider_cluster_explanations'>;
      type Signals = OperationRow<'insider_cluster_signals'>;
      expectTypeOf(asof.insiderClusters(asked)).resolves.toEqualTypeOf<Result<Clusters>>();
      expectTypeOf(asof.insiderClusters({ explain: false })).resolves.toEqualTypeOf<Result<Clusters>>();
      expectTypeOf(asof.insiderClusters({ ...asked, explain: true })).resolves.toEqualTypeOf<
        Result<Explained>
      >();
      expectTypeOf(asof.insiderClusters({ signals: true })).resolves.toEqualTypeOf<Result<Signals>>();
      expectTypeOf(asof.insiderClusters({ ...asked, explain: maybe })).resolves.toEqualTypeOf<
        Result<Clusters | Explained | Signals>
      >();
      expectTypeOf(asof.insiderClusters({ signals: maybe })).resolves.toEqualTypeOf<
        Result<Clusters | Explained | Signals>
      >();
      expectTypeOf<Clusters['insiders'][number]['shares']>().toEqualTypeOf<string | null>();
      expectTypeOf<Clusters['cluster_size']>().toEqualTypeOf<number>();
    },
    refuses: () => [
      // @ts-expect-error An unknown parameter.
      () => asof.insiderClusters({ insiders: 3 }),
      // @ts-expect-error A text for a number.
      () => asof.insiderClusters({ minValue: '100000' }),
      // @ts-expect-error A text for a flag.
      () => asof.insiderClusters({ explain: 'yes' }),
      // @ts-expect-error Either explanations or signals.
      () => asof.insiderClusters({ explain: true, signals: true }),
    ],
  },
  'insiderClusters.all': {
    accepts() {
      expectTypeOf(asof.insiderClusters.all({ ticker: 'MAIA' })).toEqualTypeOf<
        AsyncIterable<OperationRow<'insider_clusters'>>
      >();
      expectTypeOf(asof.insiderClusters.all({ signals: true })).toEqualTypeOf<
        AsyncIterable<OperationRow<'insider_cluster_signals'>>
      >();
    },
    refuses: () => [
      // @ts-expect-error An unknown parameter.
      () => asof.insiderClusters.all({ insiders: 3 }),
      // @ts-expect-error A text for a number.
      () => asof.insiderClusters.all({ minInsiders: '3' }),
    ],
  },
  insiderClusterExplanations: {
    accepts() {
      expectTypeOf(asof.insiderClusterExplanations).parameters.toEqualTypeOf<
        [params?: OperationParams<'insider_cluster_explanations'>]
      >();
      expectTypeOf(asof.insiderClusterExplanations({ minInsiders: 2 })).resolves.toEqualTypeOf<
        Result<OperationRow<'insider_cluster_explanations'>>
      >();
      expectTypeOf<OperationRow<'insider_cluster_explanations'>['verdict']>().toEqualTypeOf<string>();
    },
    refuses: () => [
      // @ts-expect-error It explains without a flag.
      () => asof.insiderClusterExplanations({ explain: true }),
      // @ts-expect-error A text for a number.
      () => asof.insiderClusterExplanations({ days: '14' }),
    ],
  },
  'insiderClusterExplanations.all': {
    accepts() {
      expectTypeOf(asof.insiderClusterExplanations.all()).toEqualTypeOf<
        AsyncIterable<OperationRow<'insider_cluster_explanations'>>
      >();
    },
    refuses: () => [
      // @ts-expect-error An unknown parameter.
      () => asof.insiderClusterExplanations.all({ insiders: 3 }),
    ],
  },
  insiderClusterSignals: {
    accepts() {
      expectTypeOf(asof.insiderClusterSignals).parameters.toEqualTypeOf<
        [params?: OperationParams<'insider_cluster_signals'>]
      >();
      expectTypeOf(asof.insiderClusterSignals({ from: day })).resolves.toEqualTypeOf<
        Result<OperationRow<'insider_cluster_signals'>>
      >();
      expectTypeOf<OperationRow<'insider_cluster_signals'>['day']>().toEqualTypeOf<Day>();
    },
    refuses: () => [
      // @ts-expect-error An unknown parameter.
      () => asof.insiderClusterSignals({ signals: true }),
      // @ts-expect-error A number for a date.
      () => asof.insiderClusterSignals({ to: 20150130 }),
    ],
  },
  'insiderClusterSignals.all': {
    accepts() {
      expectTypeOf(asof.insiderClusterSignals.all()).toEqualTypeOf<
        AsyncIterable<OperationRow<'insider_cluster_signals'>>
      >();
    },
    refuses: () => [
      // @ts-expect-error An unknown parameter.
      () => asof.insiderClusterSignals.all({ insiders: 3 }),
    ],
  },
} satisfies Readonly<Record<string, MethodTypes>>;

const questions = {
  revisions: {
    accepts() {
      expectTypeOf(asof.revisions('GDP', { date: day, asOf: day })).resolves.toEqualTypeOf<
        Result<RevisionRow>
      >();
      expectTypeOf(asof.revisions('GDP', { limit: 3, cursor: '', exact: true })).resolves.toEqualTypeOf<
        Result<RevisionRow>
      >();
      expectTypeOf(asof.revisions('GDP', { release: [1, 'final'], after: 90 })).resolves.toEqualTypeOf<
        Result<WideRow>
      >();
      expectTypeOf(asof.revisions('GDP', { wide: true, units: 'pca' })).resolves.toEqualTypeOf<
        Result<WideRow>
      >();
      expectTypeOf(asof.revisions('GDP', { stats: true, release: 1 })).resolves.toEqualTypeOf<
        Result<RevisionStatisticsRow>
      >();
      type AnyRow = RevisionRow | RevisionStatisticsRow | WideRow;
      expectTypeOf(asof.revisions('GDP', { wide: maybe })).resolves.toEqualTypeOf<Result<AnyRow>>();
      expectTypeOf(asof.revisions('GDP', { stats: maybe })).resolves.toEqualTypeOf<Result<AnyRow>>();
      expectTypeOf<Parameters<Asof['revisions']>>().toEqualTypeOf<[id: string, params?: RevisionsParams]>();
      expectTypeOf<PublishedParams | TriangleParams>().toExtend<RevisionsParams>();
      expectTypeOf<ReleasesParams & { readonly stats: true }>().toExtend<RevisionsParams>();
      expectTypeOf<RevisionStatisticsRow['mean']>().toEqualTypeOf<string | null>();
    },
    refuses: () => [
      // @ts-expect-error The id is missing.
      () => asof.revisions(),
      // @ts-expect-error One id.
      () => asof.revisions(['GDP']),
      // @ts-expect-error An unknown parameter.
      () => asof.revisions('GDP', { releases: [1] }),
      // @ts-expect-error No such release.
      () => asof.revisions('GDP', { release: 'last' }),
      // @ts-expect-error Statistics are about releases, and not about one date.
      () => asof.revisions('GDP', { date: '2020-03-01', stats: true }),
      // @ts-expect-error A triangle has all vintages.
      () => asof.revisions('GDP', { release: 1, wide: true }),
      // @ts-expect-error Published values are not transformed.
      () => asof.revisions('GDP', { units: 'pca' }),
    ],
  },
  vintages: {
    accepts() {
      expectTypeOf(asof.vintages).parameters.toEqualTypeOf<[id: string, params?: VintagesParams]>();
      expectTypeOf(asof.vintages('GDP', { asOf: day, from: day, first: 3 })).resolves.toEqualTypeOf<
        Result<OperationRow<'vintages'>>
      >();
      expectTypeOf<OperationRow<'vintages'>['revised']>().toEqualTypeOf<number>();
    },
    refuses: () => [
      // @ts-expect-error The id is missing.
      () => asof.vintages(),
      // @ts-expect-error An unknown parameter.
      () => asof.vintages('GDP', { since: '2015-01-30' }),
      // @ts-expect-error A text for a number.
      () => asof.vintages('GDP', { limit: '3' }),
    ],
  },
  curve: {
    accepts() {
      expectTypeOf(asof.curve()).resolves.toEqualTypeOf<Result<RateRow>>();
      expectTypeOf(asof.curve({ date: day, curveType: 'PAR', onOrBefore: maybe })).resolves.toEqualTypeOf<
        Result<RateRow>
      >();
      expectTypeOf(asof.curve({ vs: day })).resolves.toEqualTypeOf<Result<CurveComparisonRow>>();
      const asked: CurveParams = { date: day };
      expectTypeOf(asof.curve(asked)).resolves.toEqualTypeOf<Result<CurveComparisonRow | RateRow>>();
      expectTypeOf<Parameters<Asof['curve']>>().toEqualTypeOf<[params?: CurveParams]>();
      expectTypeOf<CurveComparisonRow['change_bps']>().toEqualTypeOf<string | null>();
    },
    refuses: () => [
      // @ts-expect-error An unknown parameter.
      () => asof.curve({ day: '2015-01-30' }),
      // @ts-expect-error No such curve.
      () => asof.curve({ curveType: 'REAL' }),
      // @ts-expect-error A date is a text.
      () => asof.curve({ vs: true }),
      // @ts-expect-error It has no argument.
      () => asof.curve('2015-01-30'),
    ],
  },
  yieldTable: {
    accepts() {
      expectTypeOf(asof.yieldTable).parameters.toEqualTypeOf<[params?: YieldTableParams]>();
      expectTypeOf(asof.yieldTable({ maturity: '10Y', limit: 2 })).resolves.toEqualTypeOf<Result<WideRow>>();
    },
    refuses: () => [
      // @ts-expect-error The answer has no pages.
      () => asof.yieldTable({ cursor: '' }),
      // @ts-expect-error No such maturity.
      () => asof.yieldTable({ maturity: 10 }),
    ],
  },
  diff: {
    accepts() {
      type Days = readonly [Day, Day];
      expectTypeOf(asof.diff).parameters.toEqualTypeOf<
        [ids: string | readonly string[], days: Days, params?: DiffParams]
      >();
      expectTypeOf(asof.diff('GDP', ['2020-12-31', 'latest'])).resolves.toEqualTypeOf<Result<DiffRow>>();
      expectTypeOf(
        asof.diff(['GDP'], [day, day], { allRows: maybe, skipMissing: true }),
      ).resolves.toEqualTypeOf<Result<DiffRow>>();
      expectTypeOf<DiffRow['percent']>().toEqualTypeOf<string | null>();
    },
    refuses: () => [
      // @ts-expect-error The days are missing.
      () => asof.diff('GDP'),
      // @ts-expect-error Two days.
      () => asof.diff('GDP', ['2020-12-31']),
      // @ts-expect-error Days are a list.
      () => asof.diff('GDP', '2020-12-31', '2021-01-31'),
      // @ts-expect-error An unknown parameter.
      () => asof.diff('GDP', ['2020-12-31', '2021-01-31'], { all: true }),
      // @ts-expect-error A text for a flag.
      () => asof.diff('GDP', ['2020-12-31', '2021-01-31'], { allRows: 'yes' }),
    ],
  },
  compare: {
    accepts() {
      expectTypeOf(asof.compare).parameters.toEqualTypeOf<
        [ids: string | readonly string[], days: readonly [Day, Day], params?: VersionsParams]
      >();
      expectTypeOf(asof.compare(['GDP', 'GDPC1'], [day, 'latest'], { sort: 'asc' })).resolves.toEqualTypeOf<
        Result<ComparedRow>
      >();
      expectTypeOf<ComparedRow['vs_value']>().toEqualTypeOf<string | null>();
    },
    refuses: () => [
      // @ts-expect-error The days are missing.
      () => asof.compare('GDP'),
      // @ts-expect-error An unknown parameter.
      () => asof.compare('GDP', ['2020-12-31', 'latest'], { wide: true }),
      // @ts-expect-error No such order.
      () => asof.compare('GDP', ['2020-12-31', 'latest'], { sort: 'newest' }),
    ],
  },
  versions: {
    accepts() {
      expectTypeOf(asof.versions).parameters.toEqualTypeOf<
        [ids: string | readonly string[], days: readonly Day[], params?: VersionsParams]
      >();
      expectTypeOf(asof.versions('GDP', [day, 'latest'], { units: 'pca' })).resolves.toEqualTypeOf<
        Result<WideRow>
      >();
    },
    refuses: () => [
      // @ts-expect-error The days are missing.
      () => asof.versions('GDP'),
      // @ts-expect-error Days are a list.
      () => asof.versions('GDP', '2020-12-31'),
      // @ts-expect-error An unknown parameter.
      () => asof.versions('GDP', ['2020-12-31', 'latest'], { asOf: '2020-12-31' }),
    ],
  },
  panel: {
    accepts() {
      const days = { asOfEach: 'month-end', from: '2015-01-01', to: '2015-12-31' } as const;
      expectTypeOf(asof.panel('GDP')).resolves.toEqualTypeOf<Result<PanelRow>>();
      expectTypeOf(asof.panel(['GDP'], { asOf: day, wide: false })).resolves.toEqualTypeOf<
        Result<PanelRow>
      >();
      expectTypeOf(asof.panel(['GDP'], { ...days, lag: 1, beyond: 'empty' })).resolves.toEqualTypeOf<
        Result<PanelRow>
      >();
      expectTypeOf(asof.panel(['GDP'], { ...days, wide: true, withDates: true })).resolves.toEqualTypeOf<
        Result<WideRow>
      >();
      expectTypeOf(asof.panel(['GDP'], { asOfEach: [day] })).resolves.toEqualTypeOf<Result<PanelRow>>();
      expectTypeOf(asof.panel(['GDP'], { wide: maybe })).resolves.toEqualTypeOf<Result<PanelRow | WideRow>>();
      expectTypeOf<Parameters<Asof['panel']>>().toEqualTypeOf<
        [ids: string | readonly string[], params?: PanelParams]
      >();
      expectTypeOf<PanelRow['value']>().toEqualTypeOf<string | null>();
      expectTypeOf<WideRow>().toEqualTypeOf<{ readonly [column: string]: string | null }>();
    },
    refuses: () => [
      // @ts-expect-error The ids are missing.
      () => asof.panel(),
      // @ts-expect-error The parameter is asOf.
      () => asof.panel(['GDP'], { as_of: '2020-12-31' }),
      // @ts-expect-error A text for a flag.
      () => asof.panel(['GDP'], { wide: 'yes' }),
      // @ts-expect-error No such rhythm.
      () => asof.panel(['GDP'], { asOfEach: 'month', from: '2015-01-01', to: '2015-12-31' }),
      // @ts-expect-error A rhythm has a first and a last day.
      () => asof.panel(['GDP'], { asOfEach: 'month-end', from: '2015-01-01' }),
      // @ts-expect-error Days of a rhythm have no single as-of date.
      () => asof.panel(['GDP'], { asOfEach: ['2015-01-01'], asOf: '2015-01-30' }),
      // @ts-expect-error Days of a rhythm have no single as-of date.
      () => asof.panel(['GDP'], { asOfEach: 'day', from: '2015-01-01', to: '2015-01-02', asOf: '' }),
      // @ts-expect-error One day has no lag.
      () => asof.panel(['GDP'], { asOf: '2015-01-30', lag: 1 }),
    ],
  },
  join: {
    accepts() {
      expectTypeOf(asof.join).parameters.toEqualTypeOf<
        [table: string | readonly InputRow[], ids: string | readonly string[], params: JoinParams]
      >();
      const rows: readonly InputRow[] = [{ day, price: 98.4, sold: true, note: null }];
      const answer = asof.join(rows, 'GDP', { on: 'day', strict: true, withAge: maybe, beyond: 'repeat' });
      expectTypeOf(answer).resolves.toHaveProperty('rows');
      expectTypeOf<Demands>().toExtend<Partial<JoinParams>>();
    },
    refuses: () => [
      // @ts-expect-error The column with the days is missing.
      () => asof.join([{ day: '2015-01-30' }], 'GDP'),
      // @ts-expect-error The column with the days is missing.
      () => asof.join([{ day: '2015-01-30' }], 'GDP', { strict: true }),
      // @ts-expect-error An unknown parameter.
      () => asof.join([{ day: '2015-01-30' }], 'GDP', { on: 'day', dates: true }),
      // @ts-expect-error A table is a path or rows.
      () => asof.join({ day: '2015-01-30' }, 'GDP', { on: 'day' }),
    ],
  },
  check: {
    accepts() {
      expectTypeOf(asof.check).parameters.toEqualTypeOf<
        [table: string | readonly InputRow[], params?: CheckParams]
      >();
      expectTypeOf(asof.check('trades.csv')).resolves.toEqualTypeOf<Result<CheckRow>>();
      expectTypeOf(asof.check([], { columns: { gdp: 'GDP' }, allRows: maybe })).resolves.toEqualTypeOf<
        Result<CheckRow>
      >();
      expectTypeOf<CheckRow['known']>().toEqualTypeOf<string | null>();
      expectTypeOf<CheckRow['row']>().toEqualTypeOf<number>();
    },
    refuses: () => [
      // @ts-expect-error The table is missing.
      () => asof.check(),
      // @ts-expect-error An unknown parameter.
      () => asof.check([{ day: '2015-01-30' }], { column: 'gdp' }),
      // @ts-expect-error Columns are named by an object.
      () => asof.check([{ day: '2015-01-30' }], { columns: ['gdp'] }),
    ],
  },
} satisfies Readonly<Record<string, MethodTypes>>;

const others = {
  facts: {
    accepts() {
      expectTypeOf(asof.facts('GDP')).toEqualTypeOf<AsyncIterable<FactRow>>();
      expectTypeOf(asof.facts(['GDP', 'GDPC1'], { skipMissing: maybe })).toEqualTypeOf<
        AsyncIterable<FactRow>
      >();
      expectTypeOf<FactRow['date']>().toEqualTypeOf<Day | null>();
    },
    refuses: () => [
      // @ts-expect-error The ids are missing.
      () => asof.facts(),
      // @ts-expect-error An unknown parameter.
      () => asof.facts('GDP', { asOf: '2015-01-30' }),
      // @ts-expect-error A text for a flag.
      () => asof.facts('GDP', { skipMissing: 'yes' }),
    ],
  },
  import: {
    accepts() {
      expectTypeOf(asof.import(['a.csv'])).resolves.toEqualTypeOf<ImportResult>();
      expectTypeOf(asof.import).parameters.toEqualTypeOf<
        [paths: readonly string[], options?: Omit<ImportOptions, 'store'>]
      >();
    },
    refuses: () => [
      // @ts-expect-error The paths are missing.
      () => asof.import(),
      // @ts-expect-error Paths are a list.
      () => asof.import('a.csv'),
      // @ts-expect-error The store is open.
      () => asof.import(['a.csv'], { store: 'asof.db' }),
      // @ts-expect-error A text for a flag.
      () => asof.import(['a.csv'], { merge: 'yes' }),
    ],
  },
  pull: {
    accepts() {
      expectTypeOf(asof.pull()).resolves.toEqualTypeOf<PullSummary>();
      expectTypeOf(asof.pull).parameters.toEqualTypeOf<
        [request?: PullRequest, options?: Omit<PullOptions, 'request' | 'store'>]
      >();
      expectTypeOf(asof.pull({ fred: ['GDP'], sec: [] }, { dryRun: true })).resolves.toHaveProperty('stops');
    },
    refuses: () => [
      // @ts-expect-error No such source.
      () => asof.pull({ bls: ['CPI'] }),
      // @ts-expect-error Names are a list.
      () => asof.pull({ fred: 'GDP' }),
      // @ts-expect-error An unknown option.
      () => asof.pull({ fred: ['GDP'] }, { store: 'asof.db' }),
      // @ts-expect-error A text for a number.
      () => asof.pull({ fred: ['GDP'] }, { retries: '3' }),
    ],
  },
  followed: {
    accepts: () => expectTypeOf(asof.followed).toEqualTypeOf<() => Promise<readonly Followed[]>>(),
    refuses: () => [
      // @ts-expect-error It takes nothing.
      () => asof.followed('fred'),
    ],
  },
  snapshot: {
    accepts() {
      expectTypeOf(
        asof.snapshot('plan.txt', { out: 'desk', asOf: day, maxAge: 3 }),
      ).resolves.toEqualTypeOf<SnapshotSummary>();
    },
    refuses: () => [
      // @ts-expect-error The folder is missing.
      () => asof.snapshot('plan.txt'),
      // @ts-expect-error The folder is missing.
      () => asof.snapshot('plan.txt', { asOf: '2015-02-01' }),
      // @ts-expect-error An unknown option.
      () => asof.snapshot('plan.txt', { out: 'desk', folder: 'desk' }),
      // @ts-expect-error A text for a number.
      () => asof.snapshot('plan.txt', { out: 'desk', maxAge: '3' }),
    ],
  },
  verify: {
    accepts() {
      expectTypeOf(asof.verify).toEqualTypeOf<(folder: string) => Promise<readonly Finding[]>>();
    },
    refuses: () => [
      // @ts-expect-error The folder is missing.
      () => asof.verify(),
      // @ts-expect-error A number for a text.
      () => asof.verify(1),
    ],
  },
  origin: {
    accepts: () => expectTypeOf(asof.origin).toEqualTypeOf<() => Promise<Origin>>(),
    refuses: () => [
      // @ts-expect-error It takes nothing.
      () => asof.origin('store'),
    ],
  },
  close: {
    accepts: () => expectTypeOf(asof.close).toEqualTypeOf<() => Promise<void>>(),
    refuses: () => [],
  },
} satisfies Readonly<Record<string, MethodTypes>>;

const care = {
  'store.info': {
    accepts: () => expectTypeOf(asof.store.info).toEqualTypeOf<() => Promise<StoreInfo>>(),
    refuses: () => [
      // @ts-expect-error It takes nothing.
      () => asof.store.info('asof.db'),
    ],
  },
  'store.imports': {
    accepts: () => expectTypeOf(asof.store.imports).toEqualTypeOf<() => Promise<readonly LoggedImport[]>>(),
    refuses: () => [
      // @ts-expect-error It takes nothing.
      () => asof.store.imports({ limit: 1 }),
    ],
  },
  'store.check': {
    accepts() {
      expectTypeOf(asof.store.check()).resolves.toEqualTypeOf<CheckSummary>();
      const onFault = (fault: StoreFault) => fault.subject;
      expectTypeOf(
        asof.store.check({ onFault, onProgress: ({ done }) => done }),
      ).resolves.toEqualTypeOf<CheckSummary>();
    },
    refuses: () => [
      // @ts-expect-error An unknown option.
      () => asof.store.check({ onProblem: () => undefined }),
      // @ts-expect-error A text for a function.
      () => asof.store.check({ onFault: 'log' }),
    ],
  },
  'store.backup': {
    accepts() {
      expectTypeOf(
        asof.store.backup('a.db', { keep: 7, replace: maybe }),
      ).resolves.toEqualTypeOf<BackupSummary>();
    },
    refuses: () => [
      // @ts-expect-error The file is missing.
      () => asof.store.backup(),
      // @ts-expect-error An unknown option.
      () => asof.store.backup('a.db', { overwrite: true }),
      // @ts-expect-error A text for a number.
      () => asof.store.backup('a.db', { keep: '7' }),
    ],
  },
  'store.restore': {
    accepts() {
      expectTypeOf(asof.store.restore('a.db', { dryRun: maybe })).resolves.toEqualTypeOf<CopySummary>();
    },
    refuses: () => [
      // @ts-expect-error The file is missing.
      () => asof.store.restore(),
      // @ts-expect-error It always replaces.
      () => asof.store.restore('a.db', { replace: true }),
      // @ts-expect-error A text for a flag.
      () => asof.store.restore('a.db', { dryRun: 'yes' }),
    ],
  },
  'store.copyTo': {
    accepts() {
      expectTypeOf(
        asof.store.copyTo('postgres://host/db', { replace: maybe }),
      ).resolves.toEqualTypeOf<CopySummary>();
    },
    refuses: () => [
      // @ts-expect-error The address is missing.
      () => asof.store.copyTo(),
      // @ts-expect-error Only backups are kept.
      () => asof.store.copyTo('a.db', { keep: 7 }),
      // @ts-expect-error A text for a flag.
      () => asof.store.copyTo('a.db', { replace: 'yes' }),
    ],
  },
  'store.merge': {
    accepts() {
      expectTypeOf(
        asof.store.merge('a.db', { merge: true, replace: maybe }),
      ).resolves.toEqualTypeOf<ImportResult>();
    },
    refuses: () => [
      // @ts-expect-error The other store is missing.
      () => asof.store.merge(),
      // @ts-expect-error An unknown option.
      () => asof.store.merge('a.db', { force: true }),
      // @ts-expect-error A text for a flag.
      () => asof.store.merge('a.db', { dryRun: 'yes' }),
    ],
  },
  'store.undo': {
    accepts() {
      expectTypeOf(asof.store.undo()).resolves.toEqualTypeOf<UndoneImport>();
      expectTypeOf(asof.store.undo({ number: 3, dryRun: maybe })).resolves.toEqualTypeOf<UndoneImport>();
    },
    refuses: () => [
      // @ts-expect-error An unknown option.
      () => asof.store.undo({ import: 3 }),
      // @ts-expect-error A text for a number.
      () => asof.store.undo({ number: '3' }),
      // @ts-expect-error The number is an option.
      () => asof.store.undo(3),
    ],
  },
  'store.renameSeries': {
    accepts() {
      expectTypeOf(
        asof.store.renameSeries('GDP', 'GDP_US', { dryRun: maybe }),
      ).resolves.toEqualTypeOf<ChangedSeries>();
    },
    refuses: () => [
      // @ts-expect-error The new id is missing.
      () => asof.store.renameSeries('GDP'),
      // @ts-expect-error An unknown option.
      () => asof.store.renameSeries('GDP', 'GDP_US', { replace: true }),
      // @ts-expect-error A text for a flag.
      () => asof.store.renameSeries('GDP', 'GDP_US', { dryRun: 'yes' }),
    ],
  },
  'store.removeSeries': {
    accepts() {
      expectTypeOf(asof.store.removeSeries('GDP', { dryRun: maybe })).resolves.toEqualTypeOf<ChangedSeries>();
    },
    refuses: () => [
      // @ts-expect-error The id is missing.
      () => asof.store.removeSeries(),
      // @ts-expect-error An unknown option.
      () => asof.store.removeSeries('GDP', { force: true }),
      // @ts-expect-error One id.
      () => asof.store.removeSeries(['GDP']),
    ],
  },
} satisfies Readonly<Record<string, MethodTypes>>;

const functions = {
  open: {
    accepts() {
      expectTypeOf(open).toEqualTypeOf<(address?: string, options?: OpenOptions) => Promise<Asof>>();
      expectTypeOf(
        open('https://data.example.org', { key: 'k', onNote: ({ text }) => text }),
      ).resolves.toEqualTypeOf<Asof>();
    },
    refuses: () => [
      // @ts-expect-error An unknown option.
      () => open('https://data.example.org', { apiKey: 'k' }),
      // @ts-expect-error A text for a number.
      () => open('https://data.example.org', { timeout: '30' }),
      // @ts-expect-error A number for a text.
      () => open(1),
    ],
  },
  importFiles: {
    accepts() {
      expectTypeOf(importFiles).toEqualTypeOf<
        (paths: readonly string[], options: ImportOptions) => Promise<ImportResult>
      >();
    },
    refuses: () => [
      // @ts-expect-error The store is missing.
      () => importFiles(['a.csv'], {}),
      // @ts-expect-error The options are missing.
      () => importFiles(['a.csv']),
      // @ts-expect-error An unknown option.
      () => importFiles(['a.csv'], { store: 'a.db', force: true }),
      // @ts-expect-error Paths are a list.
      () => importFiles('a.csv', { store: 'a.db' }),
    ],
  },
  pull: {
    accepts() {
      expectTypeOf(pull).toEqualTypeOf<(options: PullOptions) => Promise<PullSummary>>();
    },
    refuses: () => [
      // @ts-expect-error The store is missing.
      () => pull({}),
      // @ts-expect-error An unknown option.
      () => pull({ store: 'a.db', force: true }),
      // @ts-expect-error No such source.
      () => pull({ store: 'a.db', request: { bls: ['CPI'] } }),
    ],
  },
} satisfies Readonly<Record<string, MethodTypes>>;

const methods = { ...operations, ...questions, ...others, ...care };

/** The names of the methods of an object, its own and those of its class, with their own methods: `yields.all`. */
function methodNames(object: object, prefix = ''): readonly string[] {
  const named = [object, Object.getPrototypeOf(object)].flatMap((one) => Object.getOwnPropertyNames(one));
  return [...new Set(named)].flatMap((name) => {
    const member: unknown = Reflect.get(object, name);
    if (name === 'constructor' || Object.hasOwn(Object.prototype, name)) return [];
    if (typeof member === 'function')
      return [`${prefix}${name}`, ...Object.keys(member).map((one) => `${prefix}${name}.${one}`)];
    return typeof member === 'object' && member !== null ? methodNames(member, `${prefix}${name}.`) : [];
  });
}

describe('the types of the library', () => {
  it('are tested for every method of what open() gives', () => {
    expect(Object.keys(methods).sort()).toEqual([...methodNames(asof)].sort());
    type Named = Exclude<keyof Asof, 'store'> | `store.${keyof StoreCare}`;
    expectTypeOf<Exclude<keyof typeof methods, `${string}.all`>>().toEqualTypeOf<Named>();
  });

  it.each(Object.entries({ ...methods, ...functions }))(
    'refuse nothing that the method accepts when it is called: %s',
    async (_, { refuses }) => {
      for (const call of refuses()) {
        const failure = await outcomeOf(call);
        expect(failure, String(call)).toBeInstanceOf(Problem);
        expect(failure, String(call)).toMatchObject({ kind: 'bad-input' });
        expect(String(failure), String(call)).not.toContain('a service');
      }
    },
  );

  it('keep their names', () => {
    expectTypeOf<Result<ObservationRow>['basis'][number]>().toBeObject();
    expectTypeOf<Result<ObservationRow>['series']>().toEqualTypeOf<SeriesSummary | undefined>();
    expectTypeOf<Result<ObservationRow>['coverage']>().toEqualTypeOf<Coverage | undefined>();
    expectTypeOf<Result<ObservationRow>['vintage']>().toEqualTypeOf<AnswerVintage | undefined>();
    expectTypeOf<Parameters<NonNullable<OpenOptions['onNote']>>>().toEqualTypeOf<[note: Note]>();
    expectTypeOf<OperationName>().toExtend<string>();
    expectTypeOf<Problem['kind']>().toEqualTypeOf<ProblemKind>();
    expectTypeOf<ReturnType<Problem['toDocument']>>().toEqualTypeOf<ProblemDocument>();
    expectTypeOf<PullSummary['subjects'][number]>().toEqualTypeOf<PulledSubject>();
    expectTypeOf<PullSummary['stops'][number]>().toEqualTypeOf<PullStop>();
    expectTypeOf<PulledSubject['outcome']>().toEqualTypeOf<PullOutcome>();
    expectTypeOf<NonNullable<PullOptions['onProgress']>>().parameters.toEqualTypeOf<[PullProgress]>();
    expectTypeOf<NonNullable<PanelParams['asOfEach']>>().toEqualTypeOf<Rhythm | readonly Day[]>();
    expectTypeOf(probeSources).returns.resolves.toEqualTypeOf<readonly SourceProbe[]>();
    expectTypeOf(samplePath).toEqualTypeOf<() => string>();
  });
});

/** What a call fails with, or what it gives. */
async function outcomeOf(call: Call): Promise<unknown> {
  try {
    const asked = call();
    if (asked instanceof Promise) return await asked;
    for await (const row of asked) return row;
    return undefined;
  } catch (error) {
    return error;
  }
}
