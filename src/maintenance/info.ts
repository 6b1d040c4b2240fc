import type { CurveType } from '../domain/treasury/curve.ts';
import { isDatabase, shownAddress } from '../store/address.ts';
import { readStore } from '../store/open.ts';
import { freshnessOf, type LoggedImport } from '../store/store.ts';

/** The contents of a store; days may be null. */
export type StoreInfo = {
  /** The address of the store, without a password. */
  readonly store: string;
  readonly engine: 'SQLite' | 'PostgreSQL';
  readonly format: number;
  /** The size on disk, including indexes. */
  readonly bytes: number;
  /** True for the sample that asof ships. */
  readonly sample: boolean;
  /** Grows with every import that changes anything. */
  readonly revision: number;
  readonly series: number;
  /** The number of series with a description but no value. */
  readonly described: number;
  /** The number of changes of values: published values, except repetitions. */
  readonly facts: number;
  readonly first_vintage: string | null;
  readonly last_vintage: string | null;
  /** The earliest and the latest day up to which series are covered. */
  readonly least_covered_to: string | null;
  readonly covered_to: string | null;
  readonly par_rates: number;
  readonly par_covered_to: string | null;
  readonly real_rates: number;
  readonly real_covered_to: string | null;
  readonly filings: number;
  readonly trades: number;
  readonly filings_covered_to: string | null;
  /** The number of imports; one of several files or parts counts as one. */
  readonly imports: number;
  readonly last_import: string | null;
  /** The number of files that an older rule read and that should be imported again. */
  readonly outdated_imports: number;
  /** The number of imports in parts that have not come to their end; the same command goes on with one. */
  readonly unfinished_imports: number;
  /** The number of followed items at live sources. */
  readonly followed: number;
  /** The last day that all followed items reach. */
  readonly followed_up_to: string | null;
};

/** Counts the imports in a log; the entries of one, for its files and parts, have one number. */
function countImports(log: readonly LoggedImport[]): number {
  // A copy has no numbers.
  return new Set(log.map(({ number, importedAt }) => number ?? importedAt)).size;
}

/** Reads the contents of the store at an address, from one state. */
export function storeInfo(address: string): Promise<StoreInfo> {
  return readStore(address, async (view) => {
    const { bytes, format } = await view.contents.size();
    const { revision, sample } = await view.state();
    const totals = await view.contents.totals();
    const imports = await view.sources.imports();
    const freshness = freshnessOf(await view.sources.followed());
    const rates = await view.rates.summaries();
    const ratesOf = (curveType: CurveType) =>
      rates.filter((own) => own.curveType === curveType).reduce((sum, { count }) => sum + count, 0);
    return {
      store: shownAddress(address),
      engine: isDatabase(address) ? 'PostgreSQL' : 'SQLite',
      format,
      bytes,
      sample,
      revision,
      series: totals.series,
      described: totals.described,
      facts: totals.facts,
      first_vintage: totals.firstVintage,
      last_vintage: totals.lastVintage,
      least_covered_to: totals.leastCovered,
      covered_to: totals.covered,
      par_rates: ratesOf('PAR'),
      par_covered_to: (await view.rates.coveredTo('PAR')) ?? null,
      real_rates: ratesOf('TIPS'),
      real_covered_to: (await view.rates.coveredTo('TIPS')) ?? null,
      ...(await view.filings.counts()),
      filings_covered_to: (await view.filings.coveredTo()) ?? null,
      imports: countImports(imports),
      last_import: imports.at(-1)?.importedAt ?? null,
      outdated_imports: imports.filter(({ outdated }) => outdated).length,
      unfinished_imports: (await view.sources.unfinished()).length,
      followed: freshness.count,
      followed_up_to: freshness.upTo ?? null,
    };
  });
}
