import { isDeepStrictEqual } from 'node:util';
import {
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
import type {
  Change,
  Statement,
  StatementConflict,
  StoredChange,
} from '../domain/series/revision-history.ts';
import { type DescriptionChange, frequencyOf, kindOf, kindsText } from '../domain/series/series.ts';
import { type Day, type Frequency, later, storedDate } from '../domain/values/date.ts';
import { parseDateSet } from '../domain/values/date-set.ts';
import { groupBy } from '../domain/values/groups.ts';
import { addedDays, type SeriesBefore } from './recorded-changes.ts';
import { type LatestChanges, recordCells, type SeriesRecord, type SeriesRows } from './sql/series-rows.ts';
import { endOfTime, startOfTime } from './sql/session.ts';
import type { SeriesDescription } from './store.ts';

/** The outcome of a merge; `changed` is about the store. */
export type MergeOutcome = MergeCounts & { readonly changed: boolean };

type SeriesStart = Awaited<ReturnType<SeriesRows['begin']>>;

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
  #newest: Day;
  #changed = false;
  /** The counts up to now. */
  #figures: SeriesStart['figures'];
  /** True if the counts must be read from the rows. */
  #mustCount = false;
  /** What was read before the first merge. */
  #latest: LatestChanges | undefined;

  constructor(rows: SeriesRows, start: SeriesStart) {
    this.#rows = rows;
    this.#start = start;
    this.#tracked = start.newestVintage === '' ? undefined : new ChangedRows();
    this.#record = start.record;
    this.#normalisedBy = start.normalisedBy;
    this.#coveredTo = start.coveredTo;
    this.#newest = start.newestVintage;
    this.#latest = start.latest;
    this.#figures = start.figures;
  }

  async putRecord({ stated, implied }: SeriesDescription): Promise<void> {
    const next = { ...this.#record, stated, implied };
    if (isDeepStrictEqual(recordCells(next), recordCells(this.#record))) return;
    this.#record = next;
    this.#changed = true;
    await this.#rows.putRecord(next);
  }

  /** Adds statements, in any order; the result does not depend on the order of calls. */
  async merge(statements: readonly Statement[], options: MergeOptions): Promise<MergeOutcome> {
    await this.#moveTo(this.#statedFrequency());
    let [from, to, first] = [endOfTime, startOfTime, endOfTime];
    for (const { date, asOf } of statements) {
      if (date < from) from = date;
      if (date > to) to = date;
      if (asOf < first) first = asOf;
    }
    const start = storedDate(from, this.#normalisedBy);
    // Statements later than all stored ones change only the latest values, which are read in constant time.
    const held =
      this.#newest !== '' && first > this.#newest
        ? {
            frequency: this.#normalisedBy,
            vintages: [],
            changes: this.#latestOf(statements) ?? (await this.#rows.latestChanges(start, to)),
          }
        : await this.#storedBetween(start, to);
    return this.#apply(planMerge(held, statements, options), held);
  }

  /** Returns the latest changes of the dates of statements, if they were read and nothing was written since. */
  #latestOf(statements: readonly Statement[]): LatestChanges['changes'] | undefined {
    const read = this.#latest;
    const isRead = ({ date }: Statement) => read?.dates.has(storedDate(date, this.#normalisedBy)) === true;
    return statements.every(isRead) ? read?.changes : undefined;
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

  /** Moves dates to their periods and updates the counts; false if the series has not changed. */
  async finish(): Promise<boolean> {
    await this.#moveTo(this.#statedFrequency());
    const changed = this.#changed || this.#normalisedBy !== this.#start.normalisedBy;
    if (changed) await this.#summarise();
    return changed;
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
      coveredAfter: later(this.#coveredTo, this.#newest),
      ...(this.#tracked ?? new ChangedRows()).before(),
      ...(descriptions !== undefined && { descriptions }),
    };
    return { version: version + (changed ? 1 : 0), content };
  }

  /** Undoes an import that no later one built on, by the inverse of its plan. */
  async undo(inverse: RowPlan, before: SeriesBefore): Promise<void> {
    const { stated, implied, coveredTo, coveredAfter, normalisedBy } = before;
    this.#mustCount = true;
    await this.#rows.apply(inverse);
    this.#record = { ...this.#record, stated, implied };
    await this.#rows.putRecord(this.#record);
    await this.#rows.setFrequency(normalisedBy);
    // The days that a pull without news covered afterwards stay covered.
    if (this.#coveredTo <= coveredAfter) this.#coveredTo = coveredTo;
    await this.#summarise();
  }

  async #summarise(): Promise<void> {
    const statedKind = this.#record.stated.vintageKind;
    const isStated = this.#statedFrequency() !== '';
    const kept = isStated ? await this.#rows.kinds() : [];
    const both = isStated ? [] : await this.#rows.kindsAndDates();
    const texts = new Set(both.map(([, dates]) => dates));
    const derived = {
      spacing: frequencyOf([...texts].flatMap((text) => parseDateSet(text).days())),
      coveredTo: this.#coveredTo,
      vintageKind: kindsText(
        [...kept, ...both.map(([kind]) => kind)].map((kind) => kindOf(kind, statedKind)),
      ),
    };
    if (this.#mustCount) await this.#rows.summarise(derived);
    else {
      const figures = { ...this.#figures, ...derived, lastVintage: this.#newest };
      await this.#rows.putFigures(figures, this.#start.version + 1);
    }
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
    this.#tracked?.take(plan, held.vintages);
    this.#latest = undefined;
    this.#mustCount = true;
    await this.#rows.apply(plan);
    this.conflicts.push(...plan.conflicts);
    this.#normalisedBy = frequency;
    await this.#rows.setFrequency(frequency);
  }

  async #stored(from = startOfTime, to = endOfTime): Promise<StoredSeries> {
    const frequency = this.#normalisedBy;
    if (this.#newest === '') return { frequency, vintages: [], changes: new Map() };
    const [vintages, changes] = await Promise.all([this.#rows.vintages(), this.#rows.changes(from, to)]);
    return { frequency, vintages, changes };
  }

  /** Reads a range of dates, or all dates if the kind of a vintage depends on its other dates. */
  async #storedBetween(from: Day, to: Day): Promise<StoredSeries> {
    const held = await this.#stored(from, to);
    const isClipped = held.vintages.some(({ clipped = '' }) => clipped !== '');
    return isClipped ? { ...held, changes: await this.#rows.changes(startOfTime, endOfTime) } : held;
  }

  async #apply(plan: MergePlan, held: StoredSeries): Promise<MergeOutcome> {
    const { added, known, withdrawn, conflicts, removed, inserted, vintages } = plan;
    const changed = removed.length + inserted.length + vintages.length > 0;
    if (changed) {
      this.#tracked?.take(plan, held.vintages);
      this.#latest = undefined;
      this.#figures = figuresAfter(this.#figures, plan, held.changes);
      await this.#rows.apply(plan);
      this.#changed = true;
      for (const { asOf } of vintages) if (asOf > this.#newest) this.#newest = asOf;
    }
    return { added, known, withdrawn, conflicts, changed };
  }
}

/** Returns the counts of a series after a merge; `held` has the changes before it, at least the latest ones. */
function figuresAfter(
  before: SeriesStart['figures'],
  { removed, inserted, vintages }: RowPlan,
  held: StoredSeries['changes'],
): SeriesStart['figures'] {
  let { observationCount, dateCount, factCount, firstVintage } = before;
  const byDate = groupBy(inserted, ({ date }) => date);
  const gone = groupBy(removed, ({ date }) => date);
  for (const date of new Set([...byDate.keys(), ...gone.keys()])) {
    const [had, added, lost] = [held.get(date) ?? [], byDate.get(date) ?? [], gone.get(date) ?? []];
    const days = new Set(lost.map(({ asOf }) => asOf));
    const has: readonly Change[] = [...had.filter(({ asOf }) => !days.has(asOf)), ...added];
    observationCount += isObserved(has) - isObserved(had);
    dateCount += Number(has.length > 0) - Number(had.length > 0);
    const facts = (rows: readonly StoredChange[]) => rows.filter(({ kind }) => kind === 'fact').length;
    factCount += facts(added) - facts(lost);
  }
  for (const { asOf } of vintages) if (firstVintage === '' || asOf < firstVintage) firstVintage = asOf;
  return { observationCount, dateCount, factCount, firstVintage };
}

/** Returns 1 if the latest change has a value, otherwise 0. */
function isObserved(changes: readonly Change[]): number {
  let latest: Change | undefined;
  for (const change of changes) if (latest === undefined || change.asOf > latest.asOf) latest = change;
  return Number(latest !== undefined && latest.value !== null);
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
