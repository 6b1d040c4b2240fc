import { isDeepStrictEqual } from 'node:util';
import { type Day, type Frequency, keptDate, later } from '../domain/series/date.ts';
import { type DateSetText, formatDateSet, parseDateSet } from '../domain/series/date-set.ts';
import {
  type HeldSeries,
  type HeldVintage,
  type MergeCounts,
  type MergeOptions,
  type MergePlan,
  planCompletion,
  planMerge,
  planMove,
  type WholeVintage,
} from '../domain/series/merge-plan.ts';
import {
  addDifferences,
  type KeptChange,
  type Statement,
  type StatementConflict,
} from '../domain/series/revision-history.ts';
import { frequencyOf, kindOf, kindsText, type SeriesMetadata } from '../domain/series/series.ts';
import type { DescriptionChange } from './followed.ts';
import { recordCells, type SeriesRecord } from './series-record.ts';
import type { SeriesRows, SeriesStart } from './transaction.ts';

type RowKind = KeptChange['kind'];

/** A series before an import. */
export type SeriesBefore = {
  /** Whether the import created the series. */
  readonly isNew: boolean;
  /** Whether it had vintages; if not, the import brought all of them. */
  readonly hadVintages: boolean;
  readonly stated: SeriesMetadata;
  readonly implied: SeriesMetadata;
  readonly normalisedBy: Frequency;
  readonly coveredTo: string;
  /** The coverage after the import: a pull that finds nothing new extends it further. */
  readonly coveredAfter: string;
  /** The rows that the import added, as their dates by vintage. */
  readonly added: Readonly<Record<RowKind, readonly (readonly [asOf: Day, dates: DateSetText])[]>>;
  readonly removed: readonly KeptChange[];
  readonly addedVintages: readonly Day[];
  readonly vintages: readonly HeldVintage[];
  /** The changes of its description, if the import added to them. */
  readonly descriptions?: readonly DescriptionChange[];
};

/** The outcome of a merge; `changed` is false if the store holds the same as before. */
export type Merged = MergeCounts & { readonly changed: boolean };

/** The rows of a series that an import adds and removes, in all its merges together. */
class RowChanges {
  readonly #rows = new Map<
    string,
    { readonly before: KeptChange | undefined; now: KeptChange | undefined }
  >();
  readonly #vintages = new Map<Day, HeldVintage | undefined>();

  /** Takes what is about to be written; `held` are the vintages before it, none if all vintages of the plan are new. */
  take({ removed, inserted, vintages }: MergePlan, held: readonly HeldVintage[]): void {
    for (const row of removed) this.#entry(row, row).now = undefined;
    for (const row of inserted) this.#entry(row, undefined).now = row;
    const before = new Map(held.map((vintage) => [vintage.asOf, vintage]));
    for (const { asOf } of vintages)
      if (!this.#vintages.has(asOf)) this.#vintages.set(asOf, before.get(asOf));
  }

  /** What was there before the import, and what it added. */
  before(): Pick<SeriesBefore, 'added' | 'removed' | 'addedVintages' | 'vintages'> {
    const dates: Record<RowKind, Map<Day, Day[]>> = { fact: new Map(), respelling: new Map() };
    const removed: KeptChange[] = [];
    for (const { before, now } of this.#rows.values()) {
      if (before?.value === now?.value && (before === undefined) === (now === undefined)) continue;
      if (before !== undefined) removed.push(before);
      if (now === undefined) continue;
      const own = dates[now.kind].get(now.asOf);
      if (own === undefined) dates[now.kind].set(now.asOf, [now.date]);
      else own.push(now.date);
    }
    const listed = (kind: RowKind) =>
      Array.from(dates[kind], ([asOf, days]) => [asOf, formatDateSet(days)] as const);
    const vintages = [...this.#vintages.values()].filter((one) => one !== undefined);
    const addedVintages = [...this.#vintages].flatMap(([asOf, one]) => (one === undefined ? [asOf] : []));
    return {
      added: { fact: listed('fact'), respelling: listed('respelling') },
      removed,
      addedVintages,
      vintages,
    };
  }

  #entry(row: KeptChange, before: KeptChange | undefined) {
    const key = `${row.kind} ${row.date} ${row.asOf}`;
    const known = this.#rows.get(key) ?? { before, now: undefined };
    this.#rows.set(key, known);
    return known;
  }
}

/** The places of the added rows, without their values. */
export function addedRows({ added }: Pick<SeriesBefore, 'added'>): readonly KeptChange[] {
  return (['fact', 'respelling'] as const).flatMap((kind) =>
    added[kind].flatMap(([asOf, dates]) =>
      parseDateSet(dates)
        .days()
        .map((date) => ({ kind, date, asOf, value: null })),
    ),
  );
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

  constructor(rows: SeriesRows, start: SeriesStart) {
    this.#rows = rows;
    this.#start = start;
    this.#tracked = start.newestVintage === '' ? undefined : new RowChanges();
    this.#record = start.record;
    this.#normalisedBefore = start.normalisedBy;
    this.#normalisedBy = start.normalisedBy;
    this.#coveredTo = start.coveredTo;
    this.#newest = start.newestVintage;
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
