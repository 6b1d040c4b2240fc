import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as library from '../../src/index.ts';
import {
  type Asof,
  type Day,
  type InputRow,
  importFiles,
  type OperationParams,
  type OperationRow,
  open,
  Problem,
  probeSources,
  pull,
  type Result,
  samplePath,
} from '../../src/index.ts';

/** An asof that answers nothing: calls that get past the checks of their arguments find no service. */
const asof = await open('http://127.0.0.1:9', { retries: 0 });

declare const maybe: boolean;
declare const day: Day;

/** The rows that the method of each question gives; those of a join have the columns of its table. */
type Rows = {
  ping: OperationRow<'ping'>;
  seriesSearch: OperationRow<'series_search'>;
  seriesShow: OperationRow<'series_show'>;
  observations: library.ObservationRow;
  observationsOfSeveral: library.ObservationRow;
  revisions:
    | library.RevisionRow
    | library.RevisionStatisticsRow
    | library.RevisionSummaryRow
    | library.WideRow;
  calendar: OperationRow<'calendar'>;
  nextRelease: library.NextRelease;
  nextReleases: library.NextRelease;
  due: OperationRow<'due'>;
  vintages: OperationRow<'vintages'>;
  diff: library.DiffRow;
  versions: library.WideRow;
  panel: library.PanelRow | library.WideRow;
  check: library.CheckRow;
  curve: library.CurveComparisonRow | library.RateRow;
  yields: library.RateRow;
  yieldTable: library.WideRow;
  spread: OperationRow<'spread'>;
  insiderFilings: OperationRow<'insider_filings'>;
  insiderClusters: AnyClusters;
  insiderClusterExplanations: OperationRow<'insider_cluster_explanations'>;
  insiderClusterSignals: OperationRow<'insider_cluster_signals'>;
};

type AnyClusters =
  | OperationRow<'insider_clusters'>
  | OperationRow<'insider_cluster_explanations'>
  | OperationRow<'insider_cluster_signals'>;

/** What the other methods are. */
type Others = {
  import: (
    paths: readonly string[],
    options?: Omit<library.ImportOptions, 'store'>,
  ) => Promise<library.ImportResult>;
  pull: (
    request?: library.PullRequest,
    options?: Omit<library.PullOptions, 'request' | 'store'>,
  ) => Promise<library.PullSummary>;
  followed: () => Promise<readonly library.Followed[]>;
  verify: (folder: string) => Promise<readonly library.Finding[]>;
  origin: () => Promise<library.Origin>;
  close: () => Promise<void>;
};

/** What the methods for the care of a store give. */
type Care = {
  info: library.StoreInfo;
  imports: readonly library.LoggedImport[];
  check: library.CheckSummary;
  backup: library.BackupSummary;
  restore: library.CopySummary;
  copyTo: library.CopySummary;
  merge: library.ImportResult;
  undo: library.UndoneImport;
  renameSeries: library.ChangedSeries;
  removeSeries: library.ChangedSeries;
  aliases: readonly library.SeriesAlias[];
  addAlias: library.SeriesAlias;
  removeAlias: library.SeriesAlias;
};

type Ids = string | readonly string[];

describe('the types of the library', () => {
  it('name every method, its parameters and its rows', () => {
    type Given = { [N in keyof Rows]: Awaited<ReturnType<Asof[N]>>['rows'][number] };
    expectTypeOf<Given>().toEqualTypeOf<Rows>();
    expectTypeOf<Pick<Asof, keyof Others>>().toEqualTypeOf<Others>();
    type Cared = { [N in keyof library.StoreCare]: Awaited<ReturnType<library.StoreCare[N]>> };
    expectTypeOf<Cared>().toEqualTypeOf<Care>();
    type Named = keyof Rows | keyof Others | 'facts' | 'join' | 'snapshot' | 'store';
    expectTypeOf<keyof Asof & string>().toEqualTypeOf<Named>();

    type Asked<N extends keyof Rows | 'join'> = Parameters<Asof[N]>;
    type OfOperation<N extends library.OperationName> = [params?: OperationParams<N>];
    expectTypeOf<Asked<'ping'>>().toEqualTypeOf<[]>();
    expectTypeOf<Asked<'seriesSearch'>[0]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<Asked<'seriesSearch'>[1]>>().toEqualTypeOf<OperationParams<'series_search'>>();
    expectTypeOf<Asked<'seriesShow'>>().toEqualTypeOf<[argument: string]>();
    expectTypeOf<Asked<'observations'>>().toEqualTypeOf<
      [argument: string, params?: OperationParams<'observations'>]
    >();
    expectTypeOf<Asked<'yields'>>().toEqualTypeOf<OfOperation<'yields'>>();
    expectTypeOf<Asked<'insiderFilings'>>().toEqualTypeOf<OfOperation<'insider_filings'>>();
    expectTypeOf<Asked<'insiderClusterSignals'>>().toEqualTypeOf<OfOperation<'insider_cluster_signals'>>();
    expectTypeOf<Asked<'revisions'>>().toEqualTypeOf<[id: string, params?: library.RevisionsParams]>();
    expectTypeOf<Asked<'vintages'>>().toEqualTypeOf<[id: string, params?: library.VintagesParams]>();
    expectTypeOf<Asked<'diff'>>().toEqualTypeOf<
      [ids: Ids, days: readonly [Day, Day], params?: library.DiffParams]
    >();
    expectTypeOf<Asked<'versions'>>().toEqualTypeOf<
      [ids: Ids, days: readonly Day[], params?: library.VersionsParams]
    >();
    expectTypeOf<Asked<'panel'>>().toEqualTypeOf<[ids: Ids, params?: library.PanelParams]>();
    expectTypeOf<Asked<'join'>>().toEqualTypeOf<
      [table: string | readonly InputRow[], ids: Ids, params: library.JoinParams]
    >();
    expectTypeOf<Asked<'check'>>().toEqualTypeOf<
      [table: string | readonly InputRow[], params?: library.CheckParams]
    >();
    expectTypeOf<Asked<'curve'>>().toEqualTypeOf<[params?: library.CurveParams]>();
    expectTypeOf<Asked<'yieldTable'>>().toEqualTypeOf<[params?: library.YieldTableParams]>();
  });

  it('choose the rows by the parameters', () => {
    // Nobody calls it: what it asks has to compile, and no service would answer.
    const compiled = () => {
      const rowsOf = <R>(_: Promise<Result<R>>) => expectTypeOf<R>();
      const days = { asOfEach: 'month-end', from: '2015-01-01', to: '2015-12-31' } as const;
      rowsOf(asof.panel(['GDP'], { asOf: day, wide: false })).toEqualTypeOf<library.PanelRow>();
      rowsOf(asof.panel('GDP', { ...days, lag: 1, beyond: 'empty' })).toEqualTypeOf<library.PanelRow>();
      rowsOf(asof.panel(['GDP'], { asOfEach: [day] })).toEqualTypeOf<library.PanelRow>();
      rowsOf(asof.panel(['GDP'], { ...days, wide: true, withDates: true })).toEqualTypeOf<library.WideRow>();
      rowsOf(asof.panel(['GDP'], { wide: maybe })).toEqualTypeOf<library.PanelRow | library.WideRow>();
      rowsOf(asof.curve({ date: day, onOrBefore: maybe })).toEqualTypeOf<library.RateRow>();
      rowsOf(asof.curve({ vs: day })).toEqualTypeOf<library.CurveComparisonRow>();
      rowsOf(asof.revisions('GDP', { date: day, asOf: day })).toEqualTypeOf<library.RevisionRow>();
      rowsOf(asof.revisions('GDP', { release: [1, 'final'], after: 90 })).toEqualTypeOf<library.WideRow>();
      rowsOf(asof.revisions('GDP', { wide: true, units: 'pca' })).toEqualTypeOf<library.WideRow>();
      rowsOf(
        asof.revisions('GDP', { stats: true, release: 1 }),
      ).toEqualTypeOf<library.RevisionStatisticsRow>();
      rowsOf(asof.revisions('GDP', { date: day, summary: true })).toEqualTypeOf<library.RevisionSummaryRow>();
      rowsOf(asof.revisions('GDP', { stats: maybe })).toEqualTypeOf<Rows['revisions']>();
      rowsOf(asof.insiderClusters({ explain: false })).toEqualTypeOf<OperationRow<'insider_clusters'>>();
      rowsOf(asof.insiderClusters({ explain: true, days: 14 })).toEqualTypeOf<
        OperationRow<'insider_cluster_explanations'>
      >();
      rowsOf(asof.insiderClusters({ signals: true })).toEqualTypeOf<
        OperationRow<'insider_cluster_signals'>
      >();
      rowsOf(asof.insiderClusters({ explain: maybe })).toEqualTypeOf<AnyClusters>();

      type Iterated<R> = AsyncIterable<R>;
      expectTypeOf(asof.observations.all(['GDP*'], { skipMissing: true, asOf: day })).toEqualTypeOf<
        Iterated<library.ObservationRow>
      >();
      expectTypeOf(asof.seriesSearch.all('gdp')).toEqualTypeOf<Iterated<Rows['seriesSearch']>>();
      expectTypeOf(asof.yields.all({ maturity: '10Y' })).toEqualTypeOf<Iterated<library.RateRow>>();
      expectTypeOf(asof.insiderClusters.all({ signals: true })).toEqualTypeOf<
        Iterated<OperationRow<'insider_cluster_signals'>>
      >();
      expectTypeOf(asof.facts(['GDP'], { skipMissing: maybe })).toEqualTypeOf<Iterated<library.FactRow>>();
    };
    expect(compiled).toBeTypeOf('function');
  });

  it('say what a cell of a row is', () => {
    expectTypeOf<OperationRow<'ping'>['daily_used']>().toEqualTypeOf<number | null | undefined>();
    expectTypeOf<Rows['seriesSearch']['observation_count']>().toEqualTypeOf<number>();
    expectTypeOf<Rows['seriesShow']['first_vintage']>().toEqualTypeOf<Day | null | undefined>();
    expectTypeOf<library.ObservationRow>().toEqualTypeOf<OperationRow<'observations'>>();
    expectTypeOf<library.ObservationRow['value']>().toEqualTypeOf<string>();
    type RateCells = Record<'trade_date' | 'maturity' | 'rate' | 'curve_type' | 'source', string>;
    expectTypeOf<library.RateRow>().toEqualTypeOf<Readonly<RateCells>>();
    expectTypeOf<Rows['insiderFilings']['is_director']>().toEqualTypeOf<boolean | null>();
    type Insider = OperationRow<'insider_clusters'>['insiders'][number];
    expectTypeOf<Insider['shares']>().toEqualTypeOf<string | null>();
    expectTypeOf<library.WideRow>().toEqualTypeOf<{ readonly [column: string]: string | null }>();
    expectTypeOf<library.FactRow['date']>().toEqualTypeOf<Day | null>();
    expectTypeOf<library.CheckRow['row']>().toEqualTypeOf<number>();
  });

  it('keep their names', () => {
    type Observed = Result<library.ObservationRow>;
    expectTypeOf<Observed['series']>().toEqualTypeOf<library.SeriesSummary | undefined>();
    expectTypeOf<Observed['coverage']>().toEqualTypeOf<library.Coverage | undefined>();
    expectTypeOf<Observed['vintage']>().toEqualTypeOf<library.AnswerVintage | undefined>();
    type OnNote = NonNullable<library.OpenOptions['onNote']>;
    expectTypeOf<Parameters<OnNote>>().toEqualTypeOf<[note: library.Note]>();
    expectTypeOf<Problem['kind']>().toEqualTypeOf<library.ProblemKind>();
    expectTypeOf<ReturnType<Problem['toDocument']>>().toEqualTypeOf<library.ProblemDocument>();
    expectTypeOf<library.PullSummary['subjects'][number]>().toEqualTypeOf<library.PulledSubject>();
    expectTypeOf<library.PullSummary['stops'][number]>().toEqualTypeOf<library.PullStop>();
    expectTypeOf<library.PulledSubject['outcome']>().toEqualTypeOf<library.PullOutcome>();
    type OnProgress = NonNullable<library.PullOptions['onProgress']>;
    expectTypeOf<Parameters<OnProgress>>().toEqualTypeOf<[progress: library.PullProgress]>();
    type OnFault = NonNullable<NonNullable<Parameters<library.StoreCare['check']>[0]>['onFault']>;
    expectTypeOf<Parameters<OnFault>[0]>().toEqualTypeOf<library.StoreFault>();
    type Each = NonNullable<library.PanelParams['asOfEach']>;
    expectTypeOf<Each>().toEqualTypeOf<library.Rhythm | readonly Day[]>();
    type SomeRevisions = library.PublishedParams | library.TriangleParams;
    expectTypeOf<SomeRevisions>().toExtend<library.RevisionsParams>();
    expectTypeOf<library.ReleasesParams & { stats: true }>().toExtend<library.RevisionsParams>();
    expectTypeOf<library.Demands>().toExtend<Partial<library.JoinParams>>();
    expectTypeOf(asof.snapshot).returns.resolves.toEqualTypeOf<library.SnapshotSummary>();
    expectTypeOf(probeSources).returns.resolves.toEqualTypeOf<readonly library.SourceProbe[]>();
    expectTypeOf(samplePath).toEqualTypeOf<() => string>();
    expectTypeOf(open).toEqualTypeOf<(address?: string, options?: library.OpenOptions) => Promise<Asof>>();
    expectTypeOf(importFiles).toEqualTypeOf<
      (paths: readonly string[], options: library.ImportOptions) => Promise<library.ImportResult>
    >();
    expectTypeOf(pull).toEqualTypeOf<(options: library.PullOptions) => Promise<library.PullSummary>>();
  });
});

/** Calls that do not compile. */
const refused: readonly (() => Promise<unknown> | AsyncIterable<unknown>)[] = [
  // @ts-expect-error ping takes nothing.
  () => asof.ping({ limit: 1 }),
  // @ts-expect-error A number for a text.
  () => asof.seriesSearch(1),
  // @ts-expect-error The answer is about no data.
  () => asof.seriesSearch('gdp', { maxAge: 1 }),
  // @ts-expect-error The id is missing.
  () => asof.seriesShow(),
  // @ts-expect-error It takes no parameters.
  () => asof.seriesShow('GDP', { asOf: '2015-01-30' }),
  // @ts-expect-error One id.
  () => asof.observations(['GDP']),
  // @ts-expect-error The parameter is asOf.
  () => asof.observations('GDP', { asof: '2015-01-30' }),
  // @ts-expect-error A date is a text.
  () => asof.observations('GDP', { asOf: new Date(0) }),
  // @ts-expect-error One series.
  () => asof.observations('GDP', { skipMissing: true }),
  // @ts-expect-error It is about no series.
  () => asof.yields('10Y'),
  // @ts-expect-error No such maturity.
  () => asof.yields({ maturity: '11Y' }),
  // @ts-expect-error A number for a date.
  () => asof.yields.all({ from: 2015 }),
  // @ts-expect-error A text for a number.
  () => asof.insiderFilings({ days: '30' }),
  // @ts-expect-error Either explanations or signals.
  () => asof.insiderClusters({ explain: true, signals: true }),
  // @ts-expect-error An unknown parameter.
  () => asof.insiderClusters.all({ insiders: 3 }),
  // @ts-expect-error It explains without a flag.
  () => asof.insiderClusterExplanations({ explain: true }),
  // @ts-expect-error No such release.
  () => asof.revisions('GDP', { release: 'last' }),
  // @ts-expect-error Statistics are about releases, and not about one date.
  () => asof.revisions('GDP', { date: '2020-03-01', stats: true }),
  // @ts-expect-error A triangle has all vintages.
  () => asof.revisions('GDP', { release: 1, wide: true }),
  // @ts-expect-error Published values are not transformed.
  () => asof.revisions('GDP', { units: 'pca' }),
  // @ts-expect-error A date is a text.
  () => asof.curve({ vs: true }),
  // @ts-expect-error The answer has no pages.
  () => asof.yieldTable({ cursor: '' }),
  // @ts-expect-error Two days.
  () => asof.diff('GDP', ['2020-12-31']),
  // @ts-expect-error The ids are missing.
  () => asof.panel(),
  // @ts-expect-error No such rhythm.
  () => asof.panel(['GDP'], { asOfEach: 'month', from: '2015-01-01', to: '2015-12-31' }),
  // @ts-expect-error A rhythm has a first and a last day.
  () => asof.panel(['GDP'], { asOfEach: 'month-end', from: '2015-01-01' }),
  // @ts-expect-error Days of a rhythm have no single as-of date.
  () => asof.panel(['GDP'], { asOfEach: ['2015-01-01'], asOf: '2015-01-30' }),
  // @ts-expect-error One day has no lag.
  () => asof.panel(['GDP'], { asOf: '2015-01-30', lag: 1 }),
  // @ts-expect-error The column with the days is missing.
  () => asof.join([{ day: '2015-01-30' }], 'GDP', { strict: true }),
  // @ts-expect-error A table is a path or rows.
  () => asof.join({ day: '2015-01-30' }, 'GDP', { on: 'day' }),
  // @ts-expect-error Columns are named by an object.
  () => asof.check([{ day: '2015-01-30' }], { columns: ['gdp'] }),
  // @ts-expect-error A text for a flag.
  () => asof.facts('GDP', { skipMissing: 'yes' }),
  // @ts-expect-error Paths are a list.
  () => asof.import('a.csv'),
  // @ts-expect-error The store is open.
  () => asof.import(['a.csv'], { store: 'asof.db' }),
  // @ts-expect-error No such source.
  () => asof.pull({ bls: ['CPI'] }),
  // @ts-expect-error A text for a number.
  () => asof.pull({ fred: ['GDP'] }, { retries: '3' }),
  // @ts-expect-error The folder is missing.
  () => asof.snapshot('plan.txt', { asOf: '2015-02-01' }),
  // @ts-expect-error The folder is missing.
  () => asof.verify(),
  // @ts-expect-error It takes nothing.
  () => asof.store.info('asof.db'),
  // @ts-expect-error A text for a function.
  () => asof.store.check({ onFault: 'log' }),
  // @ts-expect-error A text for a number.
  () => asof.store.backup('a.db', { keep: '7' }),
  // @ts-expect-error It always replaces.
  () => asof.store.restore('a.db', { replace: true }),
  // @ts-expect-error Only backups are kept.
  () => asof.store.copyTo('a.db', { keep: 7 }),
  // @ts-expect-error An unknown option.
  () => asof.store.merge('a.db', { force: true }),
  // @ts-expect-error The number is an option.
  () => asof.store.undo(3),
  // @ts-expect-error The new id is missing.
  () => asof.store.renameSeries('GDP'),
  // @ts-expect-error A text for a flag.
  () => asof.store.removeSeries('GDP', { dryRun: 'yes' }),
  // @ts-expect-error A number for a text.
  () => open(1),
  // @ts-expect-error An unknown option.
  () => open('https://data.example.org', { apiKey: 'k' }),
  // @ts-expect-error The store is missing.
  () => importFiles(['a.csv'], {}),
  // @ts-expect-error No such source.
  () => pull({ store: 'a.db', request: { bls: ['CPI'] } }),
];

it.each(refused.map((call) => [String(call).replace(/^.*=> /, ''), call] as const))(
  'what does not compile is refused when it is called: %s',
  async (_, call) => {
    const failure = await outcomeOf(call);
    expect(failure).toBeInstanceOf(Problem);
    expect(failure).toMatchObject({ kind: 'bad-input' });
    expect(String(failure)).not.toContain('a service');
  },
);

/** What a call fails with, or what it gives. */
async function outcomeOf(call: (typeof refused)[number]): Promise<unknown> {
  try {
    const asked = call();
    if (asked instanceof Promise) return await asked;
    for await (const row of asked) return row;
    return undefined;
  } catch (error) {
    return error;
  }
}
