import type { Sighting } from '../../domain/calendar/sighting.ts';
import type { Filing } from '../../domain/insider/filing.ts';
import type { MergeCounts } from '../../domain/series/merge-plan.ts';
import type { Statements } from '../../domain/series/statements.ts';
import type { Day } from '../../domain/values/date.ts';
import { entryOf, groupBy } from '../../domain/values/groups.ts';
import { defined } from '../../platform/defined.ts';
import { copyOf } from '../files/source-file.ts';
import type { Registry } from './registry.ts';

type DescribedCounts = { readonly added: number; readonly changed: number; readonly known: number };

/** The counts and notes of one imported file. */
export type FileSummary = {
  readonly file: string;
  readonly kind: string;
  readonly series: number;
  readonly vintages: number;
  /** Filings with trades; their trades count as statements. */
  readonly filings: number;
  readonly statementsNew: number;
  readonly statementsKnown: number;
  readonly withdrawn: number;
  /** Values of periods that begin after the day of publication. */
  readonly projections: number;
  /** The trade dates that were left out on request, if any. */
  readonly skippedDays?: readonly Day[];
  /** The described series, if the file states metadata. */
  readonly described?: DescribedCounts;
  /** The entries of calendars, if the file is one; they count as statements. */
  readonly listed?: number;
  readonly notes: readonly string[];
};

type FileCounts = Pick<FileSummary, 'series' | 'statementsNew' | 'statementsKnown' | 'withdrawn'>;

/** Sums the counts of files. */
export function sumOf(files: readonly FileCounts[]): FileCounts {
  const sum = (key: keyof FileCounts) => files.reduce((all, file) => all + file[key], 0);
  return {
    series: sum('series'),
    statementsNew: sum('statementsNew'),
    statementsKnown: sum('statementsKnown'),
    withdrawn: sum('withdrawn'),
  };
}

/** Joins the summaries of the parts of files into one for each file. */
export function joined(summaries: readonly FileSummary[]): readonly FileSummary[] {
  return Array.from(groupBy(summaries, ({ file }) => file).values(), (parts) => parts.reduce(both));
}

/** Adds the counts of two parts of one file, which have no series in common. */
function both(one: FileSummary, other: FileSummary): FileSummary {
  const described = [one, other].flatMap((part) => part.described ?? []);
  const sum = (key: keyof DescribedCounts) => described.reduce((all, part) => all + part[key], 0);
  return {
    ...other,
    ...one,
    ...sumOf([one, other]),
    vintages: one.vintages + other.vintages,
    filings: one.filings + other.filings,
    projections: one.projections + other.projections,
    ...(described.length > 0 && {
      described: { added: sum('added'), changed: sum('changed'), known: sum('known') },
    }),
    notes: [...new Set([...one.notes, ...other.notes])],
  };
}

/** Counts what a file brings, for its summary. */
export class Tally {
  projections = 0;
  readonly #vintages = new Map<string, Set<Day>>();
  readonly #filings = new Set<string>();
  readonly #notes: string[] = [];
  readonly #skippedDays = new Set<Day>();
  #added = 0;
  #known = 0;
  #withdrawn = 0;
  #described: FileSummary['described'];
  #listed: number | undefined;

  vintages(seriesId: string, { asOf }: Statements): void {
    const days = entryOf(this.#vintages, seriesId, () => new Set<Day>());
    for (const day of asOf.distinct()) days.add(day);
  }

  /** Counts the outcome of a merge; `seriesId` can also name a curve. */
  add(seriesId: string, { added, known, withdrawn }: Omit<MergeCounts, 'conflicts'>): void {
    entryOf(this.#vintages, seriesId, () => new Set<Day>());
    this.#added += added;
    this.#known += known;
    this.#withdrawn += withdrawn;
  }

  addTrades(trades: readonly Filing[], { added, known }: Pick<MergeCounts, 'added' | 'known'>): void {
    for (const { filingId } of trades) {
      if (!this.#filings.has(filingId)) this.#filings.add(copyOf(filingId));
    }
    this.#added += added;
    this.#known += known;
  }

  /** Counts descriptions of series and adds notes on their changes. */
  describe(changes: Awaited<ReturnType<Registry['take']>>): void {
    for (const { kind, fields } of changes) {
      const { added, changed, known } = this.#described ?? { added: 0, changed: 0, known: 0 };
      this.#described = { added, changed, known, [kind]: { added, changed, known }[kind] + 1 };
      for (const { seriesId, field, before, after } of fields)
        this.#notes.push(`${seriesId} ${field}: ${JSON.stringify(after)}, before ${JSON.stringify(before)}`);
    }
  }

  /** Counts the entries of a calendar as statements. */
  look({ entries }: Sighting, isNew: boolean): void {
    this.#listed = (this.#listed ?? 0) + entries.length;
    if (isNew) this.#added += entries.length;
    else this.#known += entries.length;
  }

  note(...notes: readonly string[]): void {
    this.#notes.push(...notes);
  }

  skip(days: readonly Day[]): void {
    for (const day of days) this.#skippedDays.add(day);
  }

  summary(file: string, kind: string): FileSummary {
    return {
      file,
      kind,
      series: this.#vintages.size,
      vintages: [...this.#vintages.values()].reduce((sum, days) => sum + days.size, 0),
      filings: this.#filings.size,
      statementsNew: this.#added,
      statementsKnown: this.#known,
      withdrawn: this.#withdrawn,
      projections: this.projections,
      ...(this.#skippedDays.size > 0 && { skippedDays: [...this.#skippedDays].sort() }),
      ...defined({ described: this.#described, listed: this.#listed }),
      notes: this.#notes,
    };
  }
}
