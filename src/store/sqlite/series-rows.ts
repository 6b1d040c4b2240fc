import type { Day, Frequency } from '../../domain/series/date.ts';
import type { DateSetText } from '../../domain/series/date-set.ts';
import type { MergePlan } from '../../domain/series/merge-plan.ts';
import type { KeptKind } from '../../domain/series/series.ts';
import type { DerivedColumns, SeriesRows, SeriesStart } from '../series-writer.ts';
import type { SeriesRecord } from '../store.ts';
import { asProblem, type Connection } from './connection.ts';
import { readRecord, writeRecord } from './series.ts';
import { applyPlan, readChanges, readLatestChanges, readVintages } from './statements.ts';
import { putWords } from './words.ts';

type StateRow = Pick<SeriesStart, 'normalisedBy' | 'coveredTo' | 'version'> & { readonly key: number };

/** The rows of one series in a write transaction. */
export class SqliteSeriesRows implements SeriesRows {
  readonly #connection: Connection;
  readonly #id: string;
  readonly #path: string;
  #key = 0;

  constructor(connection: Connection, id: string, path: string) {
    this.#connection = connection;
    this.#id = id;
    this.#path = path;
  }

  begin(): Promise<SeriesStart> {
    return this.#use((connection) => {
      // A series may get the key of a removed one: its versions begin after those, which a cache may know.
      const { changes } = connection.run(
        'insert into series (id, version) select ?, revision from store where true on conflict do nothing',
        this.#id,
      );
      const row = connection
        .objects<StateRow>(
          `select key, normalised_by as normalisedBy, coalesce(covered_to, '') as coveredTo, version from series where id = ?`,
        )
        .get(this.#id);
      const record = readRecord(connection, this.#id);
      if (row === undefined || record === undefined)
        throw new Error(`the series ${this.#id} was not written`);
      const { key, ...state } = row;
      this.#key = key;
      if (changes > 0) putWords(connection, key);
      const newest = connection
        .column<Day | null>('select max(as_of_date) from vintage where series = ?')
        .get(key);
      return { ...state, record, newestVintage: newest ?? '', isNew: changes > 0 };
    });
  }

  putRecord(record: Pick<SeriesRecord, 'stated' | 'implied'>) {
    return this.#use((connection) => writeRecord(connection, this.#key, record));
  }

  setFrequency(frequency: Frequency) {
    return this.#use((connection) => {
      connection.run('update series set normalised_by = ? where key = ?', frequency, this.#key);
    });
  }

  vintages() {
    return this.#use((connection) => readVintages(connection, this.#key));
  }

  changes(from: Day, to: Day) {
    return this.#use((connection) => readChanges(connection, this.#key, from, to));
  }

  latestChanges(from: Day, to: Day) {
    return this.#use((connection) => readLatestChanges(connection, this.#key, from, to));
  }

  dateSets(): Promise<readonly DateSetText[]> {
    return this.#use((connection) =>
      connection.column<string>('select distinct dates from vintage where series = ?').all(this.#key),
    );
  }

  kinds(): Promise<readonly KeptKind[]> {
    return this.#use((connection) =>
      connection.column<KeptKind>('select distinct kind from vintage where series = ?').all(this.#key),
    );
  }

  removeVintages(asOfs: readonly Day[]) {
    return this.#use((connection) => {
      for (const asOf of asOfs)
        connection.run('delete from vintage where series = ? and as_of_date = ?', this.#key, asOf);
    });
  }

  apply(plan: MergePlan) {
    return this.#use((connection) => applyPlan(connection, this.#key, plan));
  }

  summarise({ spacing, coveredTo, vintageKind }: DerivedColumns) {
    return this.#use((connection) => {
      connection.run(
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
        { key: this.#key, spacing, coveredTo, vintageKind },
      );
    });
  }

  async #use<T>(work: (connection: Connection) => T): Promise<T> {
    try {
      return work(this.#connection);
    } catch (error) {
      throw asProblem(this.#path, error);
    }
  }
}
