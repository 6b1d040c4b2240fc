import type { Filing } from '../../domain/insider/filing.ts';
import { type Day, periodStart } from '../../domain/series/date.ts';
import type { MergeCounts } from '../../domain/series/merge-plan.ts';
import type { Statement } from '../../domain/series/revision-history.ts';
import type { Problem } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';
import { copyOf, refusal, type SourceFile } from '../files/source-file.ts';
import type { ImportFormat } from '../formats/format.ts';
import type { MetadataChange, Registry } from './registry.ts';

/** How many of the series that a file describes got metadata, had other metadata before, or had the same. */
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
  /** Values of periods that begin after the day on which they were known. */
  readonly projections: number;
  /** The trade dates of its curves that were left out, as asked; missing if there are none. */
  readonly skippedDays?: readonly Day[];
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
  readonly #skippedDays = new Set<Day>();
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
    for (const { filingId } of trades) {
      if (!this.#filings.has(filingId)) this.#filings.add(copyOf(filingId));
    }
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

  /** Takes trade dates that were left out. */
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

/** A value whose date is later than the day on which it was known. */
type LateDate = Pick<Statement, 'seriesId' | 'date' | 'asOf'>;

/** Collects the projections of one file: values of periods that begin after the day on which they were known. */
export class Projections {
  readonly #late: LateDate[] = [];

  /** Takes a statement of the series that the store knows as `id`. */
  add(id: string, { date, asOf, value }: Statement): void {
    if (value !== null && date > asOf) this.#late.push({ seriesId: id, date, asOf });
  }

  /**
   * The projections among the statements taken: a quarter that is dated by its last month begins earlier than its
   * date.
   */
  async found(registry: Registry): Promise<readonly LateDate[]> {
    const frequencies = await registry.frequencies(new Set(this.#late.map(({ seriesId }) => seriesId)));
    return this.#late.filter(
      ({ seriesId, date, asOf }) => periodStart(date, frequencies.get(seriesId) ?? '') > asOf,
    );
  }
}

/**
 * Whether a person or another program dated the statements of a file, and not their publisher: then a date after the
 * day of publication is probably a mistake.
 */
export function isDatedByHand({ takesAsOf, statesAsOf }: ImportFormat, asOf: Day | undefined): boolean {
  return statesAsOf === 'by hand' || (takesAsOf && asOf !== undefined);
}

/** The refusal of a file for its projections. */
export function projectionsRefused(
  file: SourceFile,
  found: readonly LateDate[],
  { statesAsOf }: ImportFormat,
): Problem {
  const isStated = statesAsOf !== undefined;
  const [first] = [...found].sort((a, b) => (a.date < b.date ? -1 : 1));
  const dates = new Set(found.map(({ date }) => date)).size;
  const days = new Set(found.map(({ asOf }) => asOf));
  const begin = counted(dates, 'date begins', 'dates begin');
  const after =
    days.size === 1 ? `after ${first?.asOf}` : 'after the day as of which their values are stated';
  const example = `the first is ${first?.date} of ${first?.seriesId}${days.size === 1 ? '' : ` as of ${first?.asOf}`}`;
  const ofStated = days.size === 1 ? 'is that the day of publication?' : 'are these the days of publication?';
  const question = isStated ? ofStated : 'was the file downloaded that day?';
  return refusal(file, {}, `${begin} ${after} (${example}); ${question}`, [
    '--projections accepts values of periods that had not begun, such as potential output and survey medians',
  ]);
}
