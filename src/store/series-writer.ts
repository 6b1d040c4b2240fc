import { isDeepStrictEqual } from 'node:util';
import { type Day, type Frequency, keptDate, later } from '../domain/series/date.ts';
import { type DateSetText, parseDateSet } from '../domain/series/date-set.ts';
import {
  type HeldSeries,
  type HeldVintage,
  type MergeOptions,
  type MergePlan,
  planCompletion,
  planMerge,
  planMove,
  type WholeVintage,
} from '../domain/series/merge-plan.ts';
import {
  addDifferences,
  type Change,
  type KeptChange,
  type Statement,
  type StatementConflict,
} from '../domain/series/revision-history.ts';
import { frequencyOf, type KeptKind, kindOf, kindsText } from '../domain/series/series.ts';
import type { DescriptionChange } from './followed.ts';
import { recordCells } from './series-record.ts';
import type { Merged, SeriesRecord } from './store.ts';
import { addedRows, RowChanges, type SeriesBefore } from './undo-record.ts';

/** What an import needs to know about a series before it writes. */
export type SeriesStart = {
  readonly record: SeriesRecord;
  readonly normalisedBy: Frequency;
  /** Empty without coverage. */
  readonly coveredTo: Day;
  /** Empty without a vintage. */
  readonly newestVintage: Day;
  readonly version: number;
  /** Whether this import created it. */
  readonly isNew: boolean;
};

/** What is derived from the vintages of a series; an engine counts the rest. */
export type DerivedColumns = {
  readonly spacing: Frequency;
  readonly coveredTo: Day;
  readonly vintageKind: string;
};

/** The rows of one series as an engine reads and writes them, all in one transaction. */
export interface SeriesRows {
  /** The row of the series, which is created if it is missing. */
  begin(): Promise<SeriesStart>;
  putRecord(record: Pick<SeriesRecord, 'stated' | 'implied'>): Promise<void>;
  setFrequency(frequency: Frequency): Promise<void>;
  /** The vintages, oldest first. */
  vintages(): Promise<readonly HeldVintage[]>;
  /** The changes of text of the dates between two days (inclusive), each date's oldest first. */
  changes(from: Day, to: Day): Promise<ReadonlyMap<Day, readonly Change[]>>;
  /** The latest change of text of each date between two days (inclusive). */
  latestChanges(from: Day, to: Day): Promise<ReadonlyMap<Day, readonly Change[]>>;
  /** The distinct texts of dates that vintages have. */
  dateSets(): Promise<readonly DateSetText[]>;
  kinds(): Promise<readonly KeptKind[]>;
  apply(plan: MergePlan): Promise<void>;
  removeVintages(asOfs: readonly Day[]): Promise<void>;
  /** Counts what the series holds, and gives it a new version. */
  summarise(summary: DerivedColumns): Promise<void>;
}

/** A day before and a day after every day that a series can have. */
const firstDay: Day = '1600-01-01';
const lastDay: Day = '2999-12-31';

/** One series during an import. */
export class SeriesWriter {
  /** The conflicts found when dates moved to their periods; a series can move more than once during an import. */
  readonly conflicts: StatementConflict[] = [];
  readonly #rows: SeriesRows;
  readonly #normalisedBefore: Frequency;
  #record: SeriesRecord;
  #normalisedBy: Frequency;
  #coveredTo: Day;
  #newest: Day;
  #changed = false;
  readonly #start: SeriesStart;
  /** Undefined if the import brings all vintages: then everything is new. */
  readonly #tracked: RowChanges | undefined;

  private constructor(rows: SeriesRows, start: SeriesStart) {
    this.#rows = rows;
    this.#start = start;
    this.#tracked = start.newestVintage === '' ? undefined : new RowChanges();
    this.#record = start.record;
    this.#normalisedBefore = start.normalisedBy;
    this.#normalisedBy = start.normalisedBy;
    this.#coveredTo = start.coveredTo;
    this.#newest = start.newestVintage;
  }

  /** The writer of a series that was begun. */
  static over(rows: SeriesRows, start: SeriesStart): SeriesWriter {
    return new SeriesWriter(rows, start);
  }

  /** The writer of a series, which is created if it is missing. */
  static async begin(rows: SeriesRows): Promise<SeriesWriter> {
    return new SeriesWriter(rows, await rows.begin());
  }

  async putRecord({ stated, implied }: Pick<SeriesRecord, 'stated' | 'implied'>): Promise<void> {
    const next = { ...this.#record, stated, implied };
    if (isDeepStrictEqual(recordCells(next), recordCells(this.#record))) return;
    this.#record = next;
    this.#changed = true;
    await this.#rows.putRecord(next);
  }

  async merge(statements: readonly Statement[], options: MergeOptions): Promise<Merged> {
    await this.#moveTo(this.#statedFrequency());
    let [from, to, first] = [lastDay, firstDay, lastDay];
    for (const { date, asOf } of statements) {
      if (date < from) from = date;
      if (date > to) to = date;
      if (asOf < first) first = asOf;
    }
    const start = keptDate(from, this.#normalisedBy);
    // Statements later than all held ones change only the latest values, and reading those takes the same time for
    // any number of vintages.
    const held =
      first > this.#newest
        ? { frequency: this.#normalisedBy, vintages: [], changes: await this.#latestChanges(start, to) }
        : await this.#heldBetween(start, to);
    return this.#apply(planMerge(held, statements, options), held);
  }

  async complete(vintages: readonly WholeVintage[], options: MergeOptions): Promise<Merged> {
    await this.#moveTo(this.#statedFrequency());
    const held = await this.#held();
    return this.#apply(planCompletion(held, vintages, options), held);
  }

  cover(to: Day): void {
    if (to <= this.#coveredTo) return;
    this.#coveredTo = to;
    this.#changed = true;
  }

  /** Moves dates to their periods and updates the counts; false if the series has not changed. */
  async finish(): Promise<boolean> {
    await this.#moveTo(this.#statedFrequency());
    const changed = this.#changed || this.#normalisedBy !== this.#normalisedBefore;
    if (changed) await this.#summarise();
    return changed;
  }

  /** The version of the series after the import, and the series before it. */
  before(
    changed: boolean,
    descriptions?: readonly DescriptionChange[],
  ): { version: number; content: SeriesBefore } {
    const { record, normalisedBy, coveredTo, isNew, version } = this.#start;
    const nothing = { added: { fact: [], respelling: [] }, removed: [], addedVintages: [], vintages: [] };
    const content = {
      isNew,
      hadVintages: this.#tracked !== undefined,
      stated: record.stated,
      implied: record.implied,
      normalisedBy,
      coveredTo,
      coveredAfter: later(this.#coveredTo, this.#newest),
      ...(this.#tracked?.before() ?? nothing),
      ...(descriptions !== undefined && { descriptions }),
    };
    return { version: version + (changed ? 1 : 0), content };
  }

  /** Restores a series to what it was before an import that no later one built on; gives its new version. */
  async restore(before: SeriesBefore): Promise<number> {
    const { stated, implied, coveredTo, coveredAfter, normalisedBy, vintages } = before;
    const nothing = { added: 0, known: 0, withdrawn: 0, conflicts: [] };
    const [removed, gone] = before.hadVintages
      ? [addedRows(before), before.addedVintages]
      : [await this.#everyRow(), (await this.#rows.vintages()).map(({ asOf }) => asOf)];
    await this.#rows.apply({ ...nothing, removed, inserted: [], vintages: [] });
    await this.#rows.apply({ ...nothing, removed: [], inserted: before.removed, vintages });
    await this.#rows.removeVintages(gone);
    this.#record = { ...this.#record, stated, implied };
    await this.#rows.putRecord(this.#record);
    await this.#rows.setFrequency(normalisedBy);
    // The days that a pull without news covered afterwards stay covered.
    if (this.#coveredTo <= coveredAfter) this.#coveredTo = coveredTo;
    this.#newest = (await this.#rows.vintages()).at(-1)?.asOf ?? '';
    await this.#summarise();
    return this.#start.version + 1;
  }

  async #everyRow(): Promise<readonly KeptChange[]> {
    const rows: KeptChange[] = [];
    for (const [date, changes] of await this.#rows.changes(firstDay, lastDay))
      addDifferences(date, changes, [], rows, []);
    return rows;
  }

  async #summarise(): Promise<void> {
    const kept = await this.#rows.kinds();
    const statedKind = this.#record.stated.vintageKind;
    await this.#rows.summarise({
      spacing: this.#statedFrequency() === '' ? frequencyOf(await this.#publishedDates()) : '',
      coveredTo: this.#coveredTo,
      vintageKind: kindsText(kept.map((kind) => kindOf(kind, statedKind))),
    });
  }

  /** The frequency that moves dates: the spacing of dates, which may change with every import, moves none. */
  #statedFrequency(): Frequency {
    const { stated, implied } = this.#record;
    return stated.frequency ?? implied.frequency ?? '';
  }

  async #moveTo(frequency: Frequency): Promise<void> {
    if (this.#normalisedBy === frequency) return;
    // A move does not change statements; it counts at the end, if the frequency differs from the one before.
    const held = await this.#held();
    const plan = planMove(held, frequency);
    this.#tracked?.take(plan, held.vintages);
    await this.#rows.apply(plan);
    this.conflicts.push(...plan.conflicts);
    this.#normalisedBy = frequency;
    await this.#rows.setFrequency(frequency);
  }

  /** What the store holds of the series, with the changes between two dates. */
  async #held(from = firstDay, to = lastDay): Promise<HeldSeries> {
    const frequency = this.#normalisedBy;
    if (this.#newest === '') return { frequency, vintages: [], changes: new Map() };
    const [vintages, changes] = await Promise.all([this.#rows.vintages(), this.#rows.changes(from, to)]);
    return { frequency, vintages, changes };
  }

  /** The same; but with every change where the kind of a vintage depends on those of other dates. */
  async #heldBetween(from: Day, to: Day): Promise<HeldSeries> {
    const held = await this.#held(from, to);
    const isClipped = held.vintages.some(({ clipped = '' }) => clipped !== '');
    return isClipped ? { ...held, changes: await this.#rows.changes(firstDay, lastDay) } : held;
  }

  async #latestChanges(from: Day, to: Day): Promise<HeldSeries['changes']> {
    return this.#newest === '' ? new Map() : this.#rows.latestChanges(from, to);
  }

  async #apply(plan: MergePlan, held: HeldSeries): Promise<Merged> {
    const { added, known, withdrawn, conflicts, removed, inserted, vintages } = plan;
    const changed = removed.length + inserted.length + vintages.length > 0;
    if (changed) {
      this.#tracked?.take(plan, held.vintages);
      await this.#rows.apply(plan);
      this.#changed = true;
      for (const { asOf } of vintages) if (asOf > this.#newest) this.#newest = asOf;
    }
    return { added, known, withdrawn, conflicts, changed };
  }

  async #publishedDates(): Promise<readonly Day[]> {
    const texts = this.#newest === '' ? [] : await this.#rows.dateSets();
    return [...new Set(texts.flatMap((text) => parseDateSet(text).days()))];
  }
}
