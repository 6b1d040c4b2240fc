import type { Database } from 'better-sqlite3';
import { type Day, type Frequency, periodStart } from '../../domain/series/date.ts';
import { formatDateSet, parseDateSet } from '../../domain/series/date-set.ts';
import { sameNumber } from '../../domain/series/decimal.ts';
import {
  type Change,
  type Clash,
  knownOn,
  place,
  type StatedAt,
} from '../../domain/series/revision-history.ts';
import type { Statement } from '../../domain/series/statement.ts';
import type { Merged, MergeOptions, WholeVintage } from '../store.ts';
import { prepare } from './connect.ts';
import { readChanges, readVintages, type Vintage } from './statements.ts';

/** A statement about one date; the series is known. */
type Item = Pick<Statement, 'date' | 'asOf' | 'value'>;

/**
 * Adds statements to a series, in any order, and writes what changes.
 * Dates are put on the first day of their period of `frequency`; vintages remember them as published.
 */
export function mergeStatements(
  db: Database,
  key: number,
  frequency: Frequency,
  statements: readonly Item[],
  options: MergeOptions,
): Merged {
  const { given, ...merged } = placeStatements(db, key, frequency, statements, options);
  const listed = addToVintages(db, key, given);
  return { ...merged, changed: merged.changed || listed };
}

/** The dates, as published, that each day makes statements about. */
type Given = ReadonlyMap<Day, readonly Day[]>;

/** Writes what statements change, and leaves it to the caller to say in the vintages that they were made. */
function placeStatements(
  db: Database,
  key: number,
  frequency: Frequency,
  statements: readonly Item[],
  options: MergeOptions,
): Merged & { readonly given: Given } {
  const vintages = readVintages(db, key, frequency);
  const byDate = groupByDate(statements, frequency);
  const dates = [...byDate.keys()].sort();
  const held =
    vintages.length > 0 ? readChanges(db, key, dates[0] ?? '', dates.at(-1) ?? '') : new Map<Day, Change[]>();
  const write = changeWriter(db, key);
  const given = new Map<Day, Day[]>();
  const stated = statedAt(vintages);
  let [added, known, withdrawn] = [0, 0, 0];
  let changed = false;
  const clashes: Clash[] = [];

  for (const date of dates) {
    const before = held.get(date);
    const changes = before === undefined ? [] : [...before];
    const history = { changes, statedAt: stated.about(date) };
    for (const item of byDate.get(date) ?? []) {
      const placement = place(history, item.asOf, item.value, options.replace);
      if (placement === 'clash') {
        clashes.push({ date, asOf: item.asOf, held: knownOn(changes, item.asOf), given: item.value });
      } else if (placement === 'known') {
        known += 1;
      } else {
        added += 1;
        if (item.value === null) withdrawn += 1;
      }
      stated.placed(item.asOf);
      const listed = given.get(item.asOf);
      if (listed === undefined) given.set(item.asOf, [item.date]);
      else listed.push(item.date);
    }
    if (write(date, before ?? [], changes)) changed = true;
  }
  return { added, known, withdrawn, clashes, changed: changed || added > 0, given };
}

function groupByDate(statements: readonly Item[], frequency: Frequency): Map<Day, Item[]> {
  const starts = new Map<Day, Day>();
  const byDate = new Map<Day, Item[]>();
  for (const item of statements) {
    let start = starts.get(item.date);
    if (start === undefined) {
      start = periodStart(item.date, frequency);
      starts.set(item.date, start);
    }
    const items = byDate.get(start);
    if (items === undefined) byDate.set(start, [item]);
    else items.push(item);
  }
  for (const items of byDate.values()) {
    const inOrder = items.every((item, i) => i === 0 || (items[i - 1] as Item).asOf <= item.asOf);
    if (!inOrder) items.sort((a, b) => (a.asOf < b.asOf ? -1 : a.asOf > b.asOf ? 1 : 0));
  }
  return byDate;
}

/** Where statements about a date stand already: in the vintages of the store, and in this batch up to the last one placed. */
function statedAt(vintages: readonly Vintage[]) {
  const byAsOf = new Map(vintages.map((vintage) => [vintage.asOf, vintage]));
  const speaks = (vintage: Vintage, date: Day) => vintage.complete || vintage.dates.has(date);
  let last: Day | undefined;
  return {
    placed(asOf: Day): void {
      last = asOf;
    },
    about(date: Day): StatedAt {
      last = undefined;
      let days: Day[] | undefined;
      return {
        has(asOf) {
          if (asOf === last) return true;
          const vintage = byAsOf.get(asOf);
          return vintage !== undefined && speaks(vintage, date);
        },
        next(asOf) {
          if ((vintages.at(-1)?.asOf ?? '') <= asOf) return undefined;
          days ??= vintages.filter((vintage) => speaks(vintage, date)).map((vintage) => vintage.asOf);
          return days.find((day) => day > asOf);
        },
      };
    },
  };
}

/** Writes the difference between two lists of changes of one date; false where there is none. */
function changeWriter(db: Database, key: number) {
  const insert = {
    fact: prepare(db, 'insert into fact values (?, ?, ?, ?)'),
    respelling: prepare(db, 'insert into respelling values (?, ?, ?, ?)'),
  };
  const remove = {
    fact: prepare(db, 'delete from fact where series = ? and date = ? and as_of_date = ?'),
    respelling: prepare(db, 'delete from respelling where series = ? and date = ? and as_of_date = ?'),
  };
  return (date: Day, before: readonly Change[], after: readonly Change[]): boolean => {
    const old = new Map(rows(before).map((row) => [row.asOf, row]));
    const now = rows(after);
    for (const row of now) {
      const same = old.get(row.asOf);
      if (same?.value === row.value && same.table === row.table) old.delete(row.asOf);
    }
    const kept = new Set(before.map(({ asOf }) => asOf).filter((asOf) => !old.has(asOf)));
    for (const row of old.values()) remove[row.table].run(key, date, row.asOf);
    for (const row of now) {
      if (!kept.has(row.asOf)) insert[row.table].run(key, date, row.asOf, row.value);
    }
    return old.size > 0 || now.length > kept.size;
  };
}

type ChangeRow = Change & { readonly table: 'fact' | 'respelling' };

/** Changes of the number are facts; changes of its text alone are respellings. */
function rows(changes: readonly Change[]): ChangeRow[] {
  return changes.map(({ asOf, value }, i) => {
    const respelled = i > 0 && sameNumber(changes[i - 1]?.value ?? null, value);
    return { asOf, value, table: respelled ? 'respelling' : 'fact' };
  });
}

/** Writes down on which dates statements were made; false where that was known. */
function addToVintages(db: Database, key: number, given: Given): boolean {
  const select = prepare(db, 'select dates from vintage where series = ? and as_of_date = ?').pluck();
  const upsert = prepare(
    db,
    `insert into vintage (series, as_of_date, dates) values (?, ?, ?)
     on conflict (series, as_of_date) do update set dates = excluded.dates`,
  );
  let changed = false;
  for (const [asOf, dates] of given) {
    const listed = select.get(key, asOf) as string | undefined;
    const all = formatDateSet(listed === undefined ? dates : [...parseDateSet(listed).days(), ...dates]);
    if (all === listed) continue;
    upsert.run(key, asOf, all);
    changed = true;
  }
  return changed;
}

/** Makes one vintage speak for every date of the series: those that it does not list are withdrawn from its day on. */
export function completeVintage(
  db: Database,
  key: number,
  frequency: Frequency,
  vintage: WholeVintage,
  options: MergeOptions,
): Merged {
  const dates = vintage.dates ?? datesListed(db, key, vintage.asOf);
  const listed = new Set(Array.from(dates, (date) => periodStart(date, frequency)));
  const known = prepare(db, 'select distinct date from fact where series = ?').pluck().all(key) as Day[];
  const missing = known.filter((date) => !listed.has(date));
  // The vintage lists only what it published: what else it withdraws depends on how dates make periods.
  const { given: _, ...merged } = placeStatements(
    db,
    key,
    frequency,
    missing.map((date) => ({ date, asOf: vintage.asOf, value: null })),
    options,
  );
  const marked = prepare(
    db,
    `insert into vintage (series, as_of_date, dates, complete) values (?, ?, '', 1)
     on conflict (series, as_of_date) do update set complete = 1 where complete = 0`,
  ).run(key, vintage.asOf);
  return { ...merged, changed: merged.changed || marked.changes > 0 };
}

/** The dates that a vintage lists already, as published. */
function datesListed(db: Database, key: number, asOf: Day): readonly Day[] {
  const dates = prepare(db, 'select dates from vintage where series = ? and as_of_date = ?')
    .pluck()
    .get(key, asOf);
  return parseDateSet((dates as string | undefined) ?? '').days();
}

/** Puts every date of a series on its period of another frequency, as if it had been known from the start. */
export function renormalise(db: Database, key: number, from: Frequency, to: Frequency): readonly Clash[] {
  const vintages = readVintages(db, key, '');
  const changes = readChanges(db, key, '', '~');
  const statements = vintages.flatMap(({ asOf, dates }) =>
    dates.days().map((date) => ({
      date,
      asOf,
      value: knownOn(changes.get(periodStart(date, from)) ?? [], asOf),
    })),
  );
  for (const table of ['fact', 'respelling', 'vintage']) {
    prepare(db, `delete from ${table} where series = ?`).run(key);
  }
  const options = { replace: false };
  const merges = [mergeStatements(db, key, to, statements, options)];
  for (const { asOf, dates, complete } of vintages) {
    const vintage = { asOf, dates: new Set(dates.days()) };
    if (complete) merges.push(completeVintage(db, key, to, vintage, options));
  }
  return merges.flatMap(({ clashes }) => clashes);
}
