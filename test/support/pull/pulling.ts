import fc from 'fast-check';
import type { PullOptions } from '../../../src/pull/options.ts';
import { pull } from '../../../src/pull/pull.ts';
import { followedIn } from '../../../src/pull/sources.ts';
import { runs } from '../arbitrary.ts';
import { scratchFolder } from '../folders.ts';
import { allStatements, importFiles, newStorePath, reading } from '../scratch-store.ts';
import type { HistoryRow, LoopbackSeries } from './loopback-fred.ts';
import { type Loopback, type LoopbackFiling, submissionText, type Trouble } from './loopbacks.ts';

const folder = scratchFolder();

/** A store that pulls from a loopback source. */
export type Puller = ReturnType<typeof puller>;

/** What one pull did, and what its store follows then. */
export type Pulled = Awaited<ReturnType<Puller['pull']>>;

/** A new store that pulls from a source with these options. */
export function puller(source: Loopback, fixed: Partial<PullOptions> = {}) {
  const { store = newStorePath(folder) } = fixed;
  return {
    store,
    /** Pulls at an instant, over a time that passes only in waits. */
    async pull(instant: string, options: Partial<PullOptions> = {}) {
      const asked = source.asked.length;
      const waits: number[] = [];
      const waited = () => waits.reduce((sum, wait) => sum + wait, 0);
      const timing = {
        now: () => Date.parse(instant) + waited(),
        sleep: async (milliseconds: number) => void waits.push(milliseconds),
      };
      const { settings } = source;
      const usual = { clock: () => new Date(timing.now()), timing, env: {}, retries: 0, settings };
      const summary = await pull({ ...usual, ...fixed, ...options, store });
      const { subjects, stops } = summary;
      const problems = [...subjects, ...stops].flatMap(({ problem }) => problem ?? []);
      return {
        ...summary,
        /** How each subject ended: `par pulled`, or with the kind of its failure `par failed: bad-answer`. */
        ends: subjects.map(({ name, outcome, problem }) =>
          problem === undefined ? `${name} ${outcome}` : `${name} ${outcome}: ${problem.kind}`,
        ),
        /** The kind, the message and the hints of the first failure. */
        kind: problems[0]?.kind,
        said: problems[0]?.detail ?? '',
        hints: problems[0]?.hints ?? [],
        notes: subjects.flatMap(({ notes }) => notes),
        asked: source.asked.slice(asked),
        waits,
        waited: waited(),
        followed: await followedIn(store),
      };
    },
  };
}

/** The trades of filings in a store. */
export function filingsOf(store: string) {
  return reading(store, (view) => view.filings.page({ limit: 1_000_000 }));
}

/** The accession numbers of the filings whose trades a store has, sorted. */
export async function numbersIn(store: string): Promise<readonly string[]> {
  return [...new Set((await filingsOf(store)).map(({ accessionNumber }) => accessionNumber ?? ''))].sort();
}

/** The trades that an import of full submissions gives. */
export async function importedFilings(filings: readonly LoopbackFiling[]) {
  const store = newStorePath(folder);
  const texts = filings.map((filing) => [`${filing.accessionNumber}.txt`, submissionText(filing)]);
  await importFiles(store, Object.fromEntries(texts), { latest: '2099-01-01' });
  return filingsOf(store);
}

/** The rates of all curves in a store. */
export function ratesOf(store: string) {
  return reading(store, async (view) => [
    ...(await view.rates.yields({ limit: 1_000_000, curveType: 'PAR' })),
    ...(await view.rates.yields({ limit: 1_000_000, curveType: 'TIPS' })),
  ]);
}

/** The rates that an import of feeds gives. */
export async function importedRates(...feeds: readonly string[]) {
  const store = newStorePath(folder);
  const files = Object.fromEntries(feeds.map((feed, i) => [`${i}.xml`, feed]));
  await importFiles(store, files, { latest: '2099-01-01' });
  return ratesOf(store);
}

/**
 * The part of a history that was published up to a day; `end` is the end of periods that have not ended on that day.
 */
export function historyUpTo(rows: readonly HistoryRow[], day: string, end = day): readonly HistoryRow[] {
  return rows
    .filter((row) => row.realtime_start <= day)
    .map((row) => (row.realtime_end > day ? { ...row, realtime_end: end } : row));
}

/** Imports the whole history of a series from a day on, up to a day, into a store as one recorded answer of FRED. */
export async function importHistory(
  { description, rows }: LoopbackSeries,
  day: string,
  { from = '1776-07-04', store = newStorePath(folder) } = {},
): Promise<string> {
  const observations = historyUpTo(rows, day)
    .filter(({ realtime_end: end }) => end >= from)
    .map((row) => (row.realtime_start < from ? { ...row, realtime_start: from } : row));
  const count = observations.length;
  const head = { units: 'lin', output_type: 1, count, offset: 0, limit: 100_000 };
  const period = { realtime_start: from, realtime_end: day };
  await importFiles(store, {
    [`${description.id}-series.json`]: JSON.stringify({ seriess: [description] }),
    [`${description.id}-observations.json`]: JSON.stringify({ ...head, ...period, observations }),
  });
  return store;
}

/** Everything that a store says about a series: its description, its vintages, and every statement. */
export function contentOf(store: string, id: string) {
  return reading(store, async (view) => {
    const { version: _version, ...series } = (await view.series.find(id)) ?? { version: 0 };
    const vintages = await view.series.vintages({ seriesId: id, limit: 1_000_000 });
    return { series, vintages: vintages?.rows, statements: await allStatements(view, id) };
  });
}

/** A loopback source, a pull from it, and what must hold after a pull without faults. */
type BreakablePull = {
  readonly source: Loopback;
  readonly run: (hour: number) => Promise<unknown>;
  readonly check: () => Promise<void>;
};

/**
 * The property that pulls which break off at up to three random requests, and then one that does not, come to what
 * `check` wants. `begin` starts a source and an empty store; a break is at one of the first `requests` requests of
 * its pull.
 */
export async function checkBreaks(
  faults: readonly Trouble[],
  requests: number,
  begin: () => Promise<BreakablePull>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(requests), fc.constantFrom(...faults)), { minLength: 1, maxLength: 3 }),
      async (breaks) => {
        const { source, run, check } = await begin();
        for (const [hour, [at, fault]] of breaks.entries()) {
          const from = source.asked.length;
          source.trouble = (number) => (number === from + at ? fault : undefined);
          await run(hour);
        }
        source.trouble = () => undefined;
        await run(breaks.length);
        await check();
      },
    ),
    { numRuns: runs(5) },
  );
}
