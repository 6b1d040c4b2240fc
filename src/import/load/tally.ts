import type { Filing } from '../../domain/insider/filing.ts';
import type { MergeCounts } from '../../domain/series/merge-plan.ts';
import type { Statement } from '../../domain/series/revision-history.ts';
import { type Day, type Frequency, periodStart } from '../../domain/values/date.ts';
import { entryOf } from '../../domain/values/groups.ts';
import { counted } from '../../errors/wording.ts';
import { defined } from '../../platform/defined.ts';
import { copyOf, refusal, type SourceFile } from '../files/source-file.ts';
import type { ImportFormat, ReadOptions } from '../formats/format.ts';
import type { Registry } from './registry.ts';

/** Numbers of described series with new, changed and known metadata. */
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

/** Counts the contents of one file. */
export class Tally {
  projections = 0;
  readonly #vintages = new Map<string, Set<Day>>();
  readonly #filings = new Set<string>();
  readonly #notes: string[] = [];
  readonly #skippedDays = new Set<Day>();
  #added = 0;
  #known = 0;
  #withdrawn = 0;
  #described: DescribedCounts | undefined;

  vintage(seriesId: string, asOf: Day): void {
    entryOf(this.#vintages, seriesId, () => new Set<Day>()).add(asOf);
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
      ...defined({ described: this.#described }),
      notes: this.#notes,
    };
  }
}

/**
 * Counts values of periods that had not begun when published, among `late` ones with later dates.
 * Throws if a person dated the file, unless the user accepts projections.
 */
export function countProjections(
  file: SourceFile,
  format: ImportFormat,
  { asOf: given, projections = false }: ReadOptions & { readonly projections?: boolean },
  late: readonly Statement[],
  frequencies: ReadonlyMap<string, Frequency>,
): number {
  // A quarter that is dated by its last month begins earlier than its date.
  const found = late.filter(
    ({ seriesId, date, asOf }) => periodStart(date, frequencies.get(seriesId) ?? '') > asOf,
  );
  // If a person or a program dated the statements, a date after the day of publication is probably an error.
  const isDatedByHand = format.statesAsOf === 'by hand' || (format.takesAsOf === true && given !== undefined);
  if (found.length === 0 || projections || !isDatedByHand) return found.length;
  const [first] = [...found].sort((a, b) => (a.date < b.date ? -1 : 1));
  const begin = counted(new Set(found.map(({ date }) => date)).size, 'date begins', 'dates begin');
  const example = `the first is ${first?.date} of ${first?.seriesId} as of ${first?.asOf}`;
  const reason = `${begin} after the day as of which their values are stated (${example}); is that the day of publication?`;
  throw refusal(file, {}, reason, [
    '--projections accepts values of periods that had not begun, such as potential output and survey medians',
  ]);
}
