import { isDeepStrictEqual } from 'node:util';
import {
  countsAfter,
  type MergeCounts,
  type MergeOptions,
  type MergePlan,
  planCompletion,
  planMerge,
  planMove,
  type RowPlan,
  type StoredSeries,
  type StoredVintage,
  type WholeVintage,
} from '../domain/series/merge-plan.ts';
import type { StoredChange } from '../domain/series/revision-history.ts';
import {
  type DescriptionChange,
  frequencyWith,
  kindOf,
  kindsText,
  type StoredKind,
} from '../domain/series/series.ts';
import type { StatementConflict, Statements } from '../domain/series/statements.ts';
import { type Day, type Frequency, later, storedDate } from '../domain/values/date.ts';
import { parseDateSet } from '../domain/values/date-set.ts';
import { addedDays, type SeriesBefore } from './recorded-changes.ts';
import {
  type KindAndDates,
  recordCells,
  type SeriesRecord,
  type SeriesRows,
  type SeriesStart,
  type SeriesState,
} from './sql/series-rows.ts';
import { endOfTime, startOfTime } from './sql/session.ts';
import type { SeriesDescription, SeriesFigures } from './store.ts';

/** The outcome of a merge; `changed` is about the store. */
export type MergeOutcome = MergeCounts & { readonly changed: boolean };

/** One series during an import. */
export class SeriesWriter {
  /** The conflicts found when dates moved to their periods; a series can move more than once during an import. */
  readonly conflicts: StatementConflict[] = [];
  readonly #rows: SeriesRows;
  readonly #start: SeriesStart;
  /** Undefined if the import brings all vintages: then everything is new. */
  readonly #tracked: ChangedRows | undefined;
  #record: SeriesRecord;
  #normalisedBy: Frequency;
  #coveredTo: Day;
  #figures: SeriesFigures;
  #changed = false;
  /** The kinds of the vintages that this import wrote. */
  readonly #kinds = new Set<StoredKind>();
  /** The dates that no vintage may have had before. */
  readonly #newDates = new Set<Day>();
  /** True if the kinds and dates of earlier vintages changed, or count in another way. */
  #isRecast = false;
  /** The latest changes of the dates of statements that are about to be merged. */
  #latest: { readonly of: Statements; readonly changes: StoredSeries['changes'] } | undefined;

  constructor(rows: SeriesRows, start: SeriesStart) {
    this.#rows = rows;
    this.#start = start;
    this.#tracked = start.figures.lastVintage === '' ? undefined : new ChangedRows();
    this.#record = start.record;
    this.#normalisedBy = start.normalisedBy;
    this.#coveredTo = start.coveredTo;
    this.#figures = start.figures;
  }

  async putRecord({ stated, implied }: SeriesDescription): Promise<void> {
    const next = { ...this.#record, stated, implied };
    if (isDeepStrictEqual(recordCells(next), recordCells(this.#record))) return;
    this.#record = next;
    this.#changed = true;
    await this.#rows.putRecord(next);
  }

  /**
   * Returns the dates whose latest changes are all that a merge of statements needs: only these can differ, if the
   * statements are later than all stored ones. Undefined if the merge needs more.
   */
  datesOfLatest({ length, dates, asOf }: Statements): ReadonlySet<Day> | undefined {
    const { lastVintage } = this.#figures;
    if (lastVintage === '' || this.#normalisedBy !== this.#statedFrequency()) return undefined;
    if (length === 0 || asOf.distinct().some((day) => day <= lastVintage)) return undefined;
    return new Set(dates.distinct().map((date) => storedDate(date, this.#normalisedBy)));
  }

  /** Takes the latest changes of the dates of statements, for the merge of these. */
  know(of: Statements, changes: StoredSeries['changes']): void {
    this.#latest = { of, changes };
  }

  /** Adds statements, in any order; the result does not depend on the order of calls. */
  async merge(statements: Statements, options: MergeOptions): Promise<MergeOutcome> {
    await this.#moveTo(this.#statedFrequency());
    const latest = this.#latest?.of === statements ? this.#latest.changes : undefined;
    const held =
      latest === undefined
        ? await this.#storedAbout(statements)
        : { frequency: this.#normalisedBy, vintages: [], changes: latest };
    return this.#apply(planMerge(held, statements, options), held);
  }

  /** Makes vintages complete: they then cover every date of the series, including dates of later imports. */
  async complete(vintages: readonly WholeVintage[], options: MergeOptions): Promise<MergeOutcome> {
    await this.#moveTo(this.#statedFrequency());
    const held = await this.#stored();
    return this.#apply(planCompletion(held, vintages, options), held);
  }

  /** The last day that any import up to now covers; empty without one. */
  get coveredTo(): Day {
    return this.#coveredTo;
  }

  /** Extends the coverage to the last day that this import covers. */
  cover(to: Day): void {
    if (to <= this.#coveredTo) return;
    this.#coveredTo = to;
    this.#changed = true;
  }

  /** Moves dates to their periods; true if the state of the series then depends on all its vintages. */
  async settle(): Promise<boolean> {
    await this.#moveTo(this.#statedFrequency());
    const { record, figures } = this.#start;
    const isStated = this.#statedFrequency() !== '';
    this.#isRecast ||= record.stated.vintageKind !== this.#record.stated.vintageKind;
    this.#isRecast ||= !isStated && (record.stated.frequency ?? record.implied.frequency) !== undefined;
    if (isStated || this.#isRecast) return this.#isRecast;
    return this.#tracked === undefined || (figures.spacing !== 'D' && this.#newDates.size > 0);
  }

  /** Returns the state after the import, undefined if nothing has changed; `vintages` are all, if it depends on them. */
  state(vintages?: readonly KindAndDates[]): SeriesState | undefined {
    const { id, normalisedBy, version, figures } = this.#start;
    if (!this.#changed && this.#normalisedBy === normalisedBy) return undefined;
    const { stated } = this.#record;
    const [spacing, before] = this.#isRecast ? ['' as const, ''] : [figures.spacing, figures.vintageKind];
    const kinds = Array.from(vintages?.map(([kind]) => kind) ?? this.#kinds, (kind) =>
      kindOf(kind, stated.vintageKind),
    );
    const texts = new Set(vintages?.map(([, dates]) => dates));
    const isStated = this.#statedFrequency() !== '';
    const after = vintages === undefined ? spacing : frequencyWith(spacing, this.#newDates, texts);
    return {
      id,
      normalisedBy: this.#normalisedBy,
      coveredTo: this.#coveredTo,
      version: version + 1,
      figures: {
        ...this.#figures,
        spacing: isStated ? '' : after,
        vintageKind: kindsText(kinds, before),
      },
    };
  }

  /** Returns the version of the series after the import, and the series before the import. */
  before(
    changed: boolean,
    descriptions?: readonly DescriptionChange[],
  ): { version: number; content: SeriesBefore } {
    const { record, normalisedBy, coveredTo, isNew, version } = this.#start;
    const content = {
      isNew,
      hadVintages: this.#tracked !== undefined,
      stated: record.stated,
      implied: record.implied,
      normalisedBy,
      coveredTo,
      coveredAfter: later(this.#coveredTo, this.#figures.lastVintage),
      ...(this.#tracked ?? new ChangedRows()).before(),
      ...(descriptions !== undefined && { descriptions }),
    };
    return { version: version + (changed ? 1 : 0), content };
  }

  /** Undoes an import that no later one built on, by the inverse of its plan; returns the state after it. */
  async undo(
    inverse: RowPlan,
    held: readonly StoredVintage[],
    before: SeriesBefore,
  ): Promise<SeriesState | undefined> {
    const { stated, implied, coveredTo, coveredAfter, normalisedBy } = before;
    const dates = [...inverse.removed, ...inverse.inserted].map(({ date }) => date).sort();
    const changes = await this.#rows.changes(dates[0] ?? endOfTime, dates.at(-1) ?? startOfTime);
    await this.#rows.apply(inverse);
    this.#record = { ...this.#record, stated, implied };
    await this.#rows.putRecord(this.#record);
    this.#normalisedBy = normalisedBy;
    // The days that a pull without news covered afterwards stay covered.
    if (this.#coveredTo <= coveredAfter) this.#coveredTo = coveredTo;
    const left = new Map([...held, ...inverse.vintages].map((vintage) => [vintage.asOf, vintage]));
    for (const asOf of inverse.gone ?? []) left.delete(asOf);
    const days = [...left.keys()].sort();
    const ends = { firstVintage: days[0] ?? '', lastVintage: days.at(-1) ?? '' };
    this.#figures = { ...this.#figures, ...countsAfter(this.#figures, inverse, changes), ...ends };
    [this.#changed, this.#isRecast] = [true, true];
    return this.state(Array.from(left.values(), ({ kind, dates: own }) => [kind, own] as const));
  }

  #statedFrequency(): Frequency {
    const { stated, implied } = this.#record;
    return stated.frequency ?? implied.frequency ?? '';
  }

  async #moveTo(frequency: Frequency): Promise<void> {
    if (this.#normalisedBy === frequency) return;
    // A move does not change statements. It counts at the end, if the frequency differs from the first one.
    const held = await this.#stored();
    const plan = planMove(held, frequency);
    this.#isRecast = true;
    await this.#write(plan, held);
    this.conflicts.push(...plan.conflicts);
    this.#normalisedBy = frequency;
  }

  async #stored(from = startOfTime, to = endOfTime): Promise<StoredSeries> {
    const frequency = this.#normalisedBy;
    if (this.#figures.lastVintage === '') return { frequency, vintages: [], changes: new Map() };
    const [vintages, changes] = await Promise.all([this.#rows.vintages(), this.#rows.changes(from, to)]);
    return { frequency, vintages, changes };
  }

  /** Reads the range of the dates of statements, or all dates if the kind of a vintage depends on its other dates. */
  async #storedAbout({ dates }: Statements): Promise<StoredSeries> {
    if (this.#figures.lastVintage === '') return this.#stored();
    const sorted = [...dates.distinct()].sort();
    const [from = endOfTime, to = startOfTime] = [sorted[0], sorted.at(-1)];
    const held = await this.#stored(storedDate(from, this.#normalisedBy), to);
    const isClipped = held.vintages.some(({ clipped = '' }) => clipped !== '');
    return isClipped ? { ...held, changes: await this.#rows.changes(startOfTime, endOfTime) } : held;
  }

  async #apply(plan: MergePlan, held: StoredSeries): Promise<MergeOutcome> {
    const { added, known, withdrawn, conflicts, removed, inserted, vintages } = plan;
    const changed = removed.length + inserted.length + vintages.length > 0;
    if (changed) await this.#write(plan, held);
    this.#changed ||= changed;
    return { added, known, withdrawn, conflicts, changed };
  }

  async #write(plan: RowPlan, held: StoredSeries): Promise<void> {
    this.#tracked?.take(plan, held.vintages);
    this.#latest = undefined;
    let { firstVintage, lastVintage } = this.#figures;
    const kinds = new Map(held.vintages.map(({ asOf, kind }) => [asOf, kind]));
    const isOpen = this.#tracked !== undefined && this.#statedFrequency() === '';
    for (const { asOf, dates, kind } of plan.vintages) {
      if (firstVintage === '' || asOf < firstVintage) firstVintage = asOf;
      if (asOf > lastVintage) lastVintage = asOf;
      this.#kinds.add(kind);
      if ((kinds.get(asOf) ?? kind) !== kind) this.#isRecast = true;
      if (!isOpen || this.#start.figures.spacing === 'D') continue;
      for (const date of parseDateSet(dates).days()) if (!held.changes.has(date)) this.#newDates.add(date);
    }
    const counts = countsAfter(this.#figures, plan, held.changes);
    this.#figures = { ...this.#figures, ...counts, firstVintage, lastVintage };
    await this.#rows.apply(plan);
  }
}

/** The rows that an import adds to and removes from a series. */
class ChangedRows {
  readonly #rows = new Map<string, { readonly before: StoredChange | undefined; now?: StoredChange }>();
  readonly #vintages = new Map<Day, StoredVintage | undefined>();

  /** Records what is about to be written; `held` is empty if all vintages of the plan are new. */
  take({ removed, inserted, vintages }: RowPlan, held: readonly StoredVintage[]): void {
    const keyOf = ({ kind, date, asOf }: StoredChange) => `${kind} ${date} ${asOf}`;
    for (const row of removed) {
      const { before } = this.#rows.get(keyOf(row)) ?? { before: row };
      this.#rows.set(keyOf(row), { before });
    }
    for (const row of inserted)
      this.#rows.set(keyOf(row), { before: this.#rows.get(keyOf(row))?.before, now: row });
    const known = new Map(held.map((vintage) => [vintage.asOf, vintage]));
    for (const { asOf } of vintages) if (!this.#vintages.has(asOf)) this.#vintages.set(asOf, known.get(asOf));
  }

  before(): Pick<SeriesBefore, 'added' | 'removed' | 'addedVintages' | 'vintages'> {
    const changed = [...this.#rows.values()].filter(
      ({ before, now }) => before?.value !== now?.value || (before === undefined) !== (now === undefined),
    );
    const added = (kind: StoredChange['kind']) =>
      addedDays(changed.flatMap(({ now }) => (now?.kind === kind ? [[now.asOf, now.date] as const] : [])));
    return {
      added: { fact: added('fact'), respelling: added('respelling') },
      removed: changed.flatMap(({ before }) => before ?? []),
      addedVintages: [...this.#vintages].flatMap(([asOf, one]) => (one === undefined ? [asOf] : [])),
      vintages: [...this.#vintages.values()].flatMap((one) => one ?? []),
    };
  }
}
