import { type Day, type Frequency, periodStart } from '../../domain/series/date.ts';
import { parseDateSet } from '../../domain/series/date-set.ts';
import {
  type HeldSeries,
  type MergeOptions,
  type MergePlan,
  planCompletion,
  planMerge,
  planMove,
  type WholeVintage,
} from '../../domain/series/merge-plan.ts';
import type { Statement, StatementConflict } from '../../domain/series/revision-history.ts';
import {
  frequencyOf,
  type KeptKind,
  kindOf,
  kindsText,
  marksCalendarYear,
  normalisingFrequency,
} from '../../domain/series/series.ts';
import type { Merged, SeriesRecord } from '../store.ts';
import type { Connection } from './connection.ts';
import { readRecord, writeRecord } from './series.ts';
import { applyPlan, readChanges, readLatestChanges, readVintages } from './statements.ts';

type SeriesState = { readonly key: number; readonly normalisedBy: Frequency; readonly coveredTo: Day };

/** One series during an import. */
export class SeriesWriter {
  /** The conflicts found when dates moved to their periods; a series can move more than once during an import. */
  readonly conflicts: StatementConflict[] = [];
  readonly #connection: Connection;
  readonly #id: string;
  readonly #key: number;
  readonly #normalisedBefore: Frequency;
  #normalisedBy: Frequency;
  #coveredTo: Day;
  #changed = false;

  constructor(connection: Connection, id: string) {
    this.#connection = connection;
    this.#id = id;
    connection.run('insert into series (id) values (?) on conflict do nothing', id);
    const row = connection
      .objects<SeriesState>(
        `select key, normalised_by as normalisedBy, coalesce(covered_to, '') as coveredTo from series where id = ?`,
      )
      .get(id);
    if (row === undefined) throw new Error(`the series ${id} was not written`);
    this.#key = row.key;
    this.#normalisedBefore = row.normalisedBy;
    this.#normalisedBy = row.normalisedBy;
    this.#coveredTo = row.coveredTo;
  }

  putRecord(record: Pick<SeriesRecord, 'stated' | 'implied'>): void {
    if (writeRecord(this.#connection, this.#key, record)) this.#changed = true;
  }

  merge(statements: readonly Statement[], options: MergeOptions): Merged {
    this.#moveTo(this.#frequencyToMerge(statements));
    let [from, to, first] = ['~', '', '~'];
    for (const { date, asOf } of statements) {
      if (date < from) from = date;
      if (date > to) to = date;
      if (asOf < first) first = asOf;
    }
    const start = periodStart(from, this.#normalisedBy);
    const newest = this.#newestVintage();
    // Statements later than all held ones change only what is known last, and reading that takes the same time for any number of vintages.
    const held =
      first > newest
        ? { frequency: this.#normalisedBy, vintages: [], changes: this.#latestChanges(start, to, newest) }
        : this.#held(start, to);
    return this.#apply(planMerge(held, statements, options));
  }

  complete(vintages: readonly WholeVintage[], options: MergeOptions): Merged {
    this.#moveTo(this.#frequencyToMerge([]));
    return this.#apply(planCompletion(this.#held(), vintages, options));
  }

  cover(to: Day): void {
    if (to <= this.#coveredTo) return;
    this.#coveredTo = to;
    this.#changed = true;
  }

  /** Moves dates to their periods and updates the counts; false if the series has not changed. */
  finish(): boolean {
    const stated = this.#statedFrequency();
    const days = stated === '' || stated === 'A' ? this.#publishedDates() : [];
    this.#moveTo(normalisingFrequency(stated, days));
    const changed = this.#changed || this.#normalisedBy !== this.#normalisedBefore;
    if (changed) this.#summarise(stated === '' ? frequencyOf(days) : '');
    return changed;
  }

  /** Only a known frequency moves dates before the end: their spacing is known when all statements have come. */
  #statedFrequency(): Frequency {
    const record = readRecord(this.#connection, this.#id);
    return record?.stated.frequency ?? record?.implied.frequency ?? '';
  }

  /** Whether an annual series has fiscal years is known at the end, so until then its dates stay as published. */
  #frequencyToMerge(statements: readonly Statement[]): Frequency {
    const stated = this.#statedFrequency();
    if (stated !== 'A') return stated;
    const keepsYears = this.#normalisedBy === 'A' && statements.every(({ date }) => marksCalendarYear(date));
    return keepsYears ? 'A' : '';
  }

  #moveTo(frequency: Frequency): void {
    if (this.#normalisedBy === frequency) return;
    // A move is not a change of statements; it counts at the end, if the frequency differs from the one before.
    const plan = planMove(this.#held(), frequency);
    applyPlan(this.#connection, this.#key, plan);
    this.conflicts.push(...plan.conflicts);
    this.#normalisedBy = frequency;
    this.#connection.run('update series set normalised_by = ? where key = ?', frequency, this.#key);
  }

  /** What the store holds of the series, with the changes between two dates. */
  #held(from: Day = '', to: Day = '~'): HeldSeries {
    const vintages = readVintages(this.#connection, this.#key);
    const changes = vintages.length === 0 ? new Map() : readChanges(this.#connection, this.#key, from, to);
    return { frequency: this.#normalisedBy, vintages, changes };
  }

  #newestVintage(): Day {
    const newest = this.#connection
      .column<Day | null>('select max(as_of_date) from vintage where series = ?')
      .get(this.#key);
    return newest ?? '';
  }

  #latestChanges(from: Day, to: Day, newest: Day): HeldSeries['changes'] {
    return newest === '' ? new Map() : readLatestChanges(this.#connection, this.#key, from, to);
  }

  #apply(plan: MergePlan): Merged {
    const changed = applyPlan(this.#connection, this.#key, plan);
    if (changed) this.#changed = true;
    const { added, known, withdrawn, conflicts } = plan;
    return { added, known, withdrawn, conflicts, changed };
  }

  #vintageKind(): string {
    const stated = readRecord(this.#connection, this.#id)?.stated.vintageKind;
    const kept = this.#connection
      .column<KeptKind>('select distinct kind from vintage where series = ?')
      .all(this.#key);
    return kindsText(kept.map((kind) => kindOf(kind, stated)));
  }

  #publishedDates(): readonly Day[] {
    const texts = this.#connection
      .column<string>('select distinct dates from vintage where series = ?')
      .all(this.#key);
    return [...new Set(texts.flatMap((text) => parseDateSet(text).days()))];
  }

  #summarise(spacing: Frequency): void {
    this.#connection.run(
      `update series set
        spacing_frequency = @spacing,
        observation_count = (select count(*) from
          (select value, max(as_of_date) from fact where series = @key group by date) where value is not null),
        date_count = (select count(distinct date) from fact where series = @key),
        fact_count = (select count(*) from fact where series = @key),
        first_vintage = (select min(as_of_date) from vintage where series = @key),
        last_vintage = (select max(as_of_date) from vintage where series = @key),
        covered_to = max(@coveredTo, coalesce((select max(as_of_date) from vintage where series = @key), '')),
        vintage_kind = @vintageKind,
        version = version + 1
      where key = @key`,
      { key: this.#key, spacing, coveredTo: this.#coveredTo, vintageKind: this.#vintageKind() },
    );
  }
}
