import type { Filing } from '../../domain/insider/filing.ts';
import type { Day } from '../../domain/series/date.ts';
import type { Merged } from '../../store/store.ts';

/** What one file brought. */
export type FileSummary = {
  readonly file: string;
  readonly kind: string;
  readonly series: number;
  readonly vintages: number;
  /** Filings that had trades; those are counted as statements. */
  readonly filings: number;
  readonly statementsNew: number;
  readonly statementsKnown: number;
  readonly withdrawn: number;
  /** What the user should know of the file. */
  readonly notes: readonly string[];
};

/** Counts what one file brings. */
export type Tally = {
  /** Counts a day of statements about a series. */
  readonly vintage: (seriesId: string, asOf: Day) => void;
  /** Counts what a merge did; `seriesId` also names curves. */
  readonly add: (seriesId: string, merged: Pick<Merged, 'added' | 'known' | 'withdrawn'>) => void;
  /** Counts trades of filings. */
  readonly addTrades: (filings: readonly Filing[], merged: Pick<Merged, 'added' | 'known'>) => void;
  readonly note: (...notes: readonly string[]) => void;
  readonly summary: (file: string, kind: string) => FileSummary;
};

/** A tally of nothing yet. */
export function newTally(): Tally {
  const vintages = new Map<string, Set<Day>>();
  const filings = new Set<string>();
  const notes: string[] = [];
  const counts = { added: 0, known: 0, withdrawn: 0 };
  const daysOf = (seriesId: string): Set<Day> => {
    const days = vintages.get(seriesId) ?? new Set<Day>();
    vintages.set(seriesId, days);
    return days;
  };
  return {
    vintage: (seriesId, asOf) => void daysOf(seriesId).add(asOf),
    add(seriesId, { added, known, withdrawn }) {
      daysOf(seriesId);
      counts.added += added;
      counts.known += known;
      counts.withdrawn += withdrawn;
    },
    addTrades(trades, { added, known }) {
      for (const { filingId } of trades) filings.add(filingId);
      counts.added += added;
      counts.known += known;
    },
    note: (...more) => void notes.push(...more),
    summary: (file, kind) => ({
      file,
      kind,
      series: vintages.size,
      vintages: [...vintages.values()].reduce((sum, days) => sum + days.size, 0),
      filings: filings.size,
      statementsNew: counts.added,
      statementsKnown: counts.known,
      withdrawn: counts.withdrawn,
      notes,
    }),
  };
}
