import type { Filing } from '../../domain/insider/filing.ts';
import type { Day } from '../../domain/series/date.ts';
import type { MergeCounts } from '../../domain/series/merge-plan.ts';
import type { SourceFile } from '../files/source-file.ts';
import type { MetadataChange } from './registry.ts';

/** How many of the series that a file describes got metadata, had other metadata before, or had the same. */
export type DescribedCounts = { readonly added: number; readonly changed: number; readonly known: number };

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
  /** Values of periods that begin after the day on which they were known. */
  readonly projections: number;
  /** The series that the file describes, if it states metadata. */
  readonly described?: DescribedCounts;
  /** Notes about the file for the user. */
  readonly notes: readonly string[];
};

/** Counts the contents of one file. */
export class Tally {
  /** Values of periods that begin after the day on which they were known. */
  projections = 0;
  readonly #vintages = new Map<string, Set<Day>>();
  readonly #filings = new Set<string>();
  readonly #notes: string[] = [];
  #added = 0;
  #known = 0;
  #withdrawn = 0;
  #described: DescribedCounts | undefined;

  /** Counts a vintage of a series. */
  vintage(seriesId: string, asOf: Day): void {
    this.#daysOf(seriesId).add(asOf);
  }

  /** Counts the outcome of a merge; `seriesId` can also name a curve. */
  add(seriesId: string, { added, known, withdrawn }: Omit<MergeCounts, 'conflicts'>): void {
    this.#daysOf(seriesId);
    this.#added += added;
    this.#known += known;
    this.#withdrawn += withdrawn;
  }

  /** Counts trades of filings. */
  addTrades(trades: readonly Filing[], { added, known }: Pick<MergeCounts, 'added' | 'known'>): void {
    for (const { filingId } of trades) this.#filings.add(filingId);
    this.#added += added;
    this.#known += known;
  }

  /** Counts descriptions of series, and notes what they change. */
  describe(changes: readonly MetadataChange[]): void {
    for (const { kind, fields } of changes) {
      const { added, changed, known } = this.#described ?? { added: 0, changed: 0, known: 0 };
      this.#described = { added, changed, known, [kind]: { added, changed, known }[kind] + 1 };
      for (const { seriesId, field, before, after } of fields)
        this.#notes.push(`${seriesId} ${field}: ${JSON.stringify(after)}, before ${JSON.stringify(before)}`);
    }
  }

  note(...notes: readonly string[]): void {
    this.#notes.push(...notes);
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
      ...(this.#described !== undefined && { described: this.#described }),
      notes: this.#notes,
    };
  }

  #daysOf(seriesId: string): Set<Day> {
    const days = this.#vintages.get(seriesId) ?? new Set<Day>();
    this.#vintages.set(seriesId, days);
    return days;
  }
}

/**
 * Measures the progress of an import in bytes of its files. Bytes count once their content is stored.
 * Files begin one after the other.
 */
export class ByteProgress {
  readonly total: number;
  #before = 0;
  #size = 0;
  #read = 0;
  #stored = 0;

  constructor(files: readonly SourceFile[]) {
    this.total = files.reduce((sum, { size }) => sum + size, 0);
  }

  /** Begins the next file; returns it with reads that are counted. */
  begin(file: SourceFile): SourceFile {
    this.#before += this.#size;
    this.#size = file.size;
    this.#read = 0;
    this.#stored = 0;
    // A file that is read twice counts once.
    const tap = (bytes: number): void => {
      this.#read = Math.min(file.size, this.#read + bytes);
    };
    return { ...file, open: () => file.open(tap), bytes: () => file.bytes(tap) };
  }

  /** The bytes that are stored, plus this share (0..1) of those that are read and not yet stored. */
  done(share: number): number {
    return this.#before + this.#stored + (this.#read - this.#stored) * share;
  }

  /** Marks everything read so far as stored. */
  store(): void {
    this.#stored = this.#read;
  }
}
