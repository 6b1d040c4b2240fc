// Why: docs/decisions/changes-and-mentions.md
import { type Day, type Frequency, storedDate } from '../values/date.ts';
import { type DateSet, type DateSetText, formatDateSet, parseDateSet } from '../values/date-set.ts';
import { fullerText, sameNumber } from '../values/decimal.ts';
import { entryOf, groupBy } from '../values/groups.ts';
import {
  addDifferences,
  type Change,
  knownOn,
  lastUpTo,
  type Statement,
  type StatementConflict,
  Statements,
  type StoredChange,
} from './revision-history.ts';
import type { StoredKind } from './series.ts';

/** A vintage as it is stored. */
export type StoredVintage = {
  readonly asOf: Day;
  /** The dates with statements, as published. */
  readonly dates: DateSetText;
  /** True if the vintage covers every date of the series: dates that it does not list are withdrawn. */
  readonly complete: boolean;
  readonly kind: StoredKind;
  /** The dates that are on this day only because a requested window began then. Default: none. */
  readonly clipped?: DateSetText;
};

/** The stored vintages and changes for planning a merge. */
export type StoredSeries = {
  /** The frequency that moves dates to the first day of their period. */
  readonly frequency: Frequency;
  /** Every vintage, oldest first; may be empty if every new statement is later than all of them. */
  readonly vintages: readonly StoredVintage[];
  /** The changes of each merged date, oldest first; only the latest if `vintages` may be empty. */
  readonly changes: ReadonlyMap<Day, readonly Change[]>;
};

/** A whole vintage. Default of `dates`: the stored ones. */
export type WholeVintage = {
  readonly asOf: Day;
  readonly dates?: ReadonlySet<Day>;
  readonly kind?: StoredKind | undefined;
};

/** Options of a merge. */
export type MergeOptions = {
  /** True if a differing statement replaces the stored one; otherwise it is a conflict. */
  readonly replace?: boolean | undefined;
  /** The kind of vintages whose statements do not state it. Default: open. */
  readonly kind?: StoredKind | undefined;
};

/** The numbers of added and known statements, and the conflicts. */
export type MergeCounts = {
  readonly added: number;
  readonly known: number;
  /** The number of added statements that withdraw a known value. */
  readonly withdrawn: number;
  readonly conflicts: readonly StatementConflict[];
};

/** The rows of a series to remove, and then to insert. */
export type RowPlan = {
  readonly removed: readonly StoredChange[];
  readonly inserted: readonly StoredChange[];
  /** The vintages that are new or differ from stored ones. */
  readonly vintages: readonly StoredVintage[];
  /** The days of the vintages to remove. Default: none. */
  readonly gone?: readonly Day[];
};

/** The rows to write for a merge, with its counts. */
export type MergePlan = MergeCounts & RowPlan;

/** Plans to add statements to a series; the result does not depend on the order of statements. */
export function planMerge(held: StoredSeries, statements: Statements, options: MergeOptions): MergePlan {
  const draft = new SeriesDraft(held.frequency, held);
  draft.add(statements, options);
  return draft.plan(held);
}

/** Plans to withdraw the dates that whole vintages do not list; `held` needs the changes of every date. */
export function planCompletion(
  held: StoredSeries,
  vintages: readonly WholeVintage[],
  options: MergeOptions,
): MergePlan {
  const draft = new SeriesDraft(held.frequency, held);
  for (const vintage of vintages) draft.complete(vintage, options);
  return draft.plan(held);
}

/**
 * Plans to move the dates of a series to another frequency, as if that had been known from the start.
 * `held` needs the changes of every date; two dates of one period that differ are conflicts.
 */
export function planMove(held: StoredSeries, frequency: Frequency): MergePlan {
  const draft = new SeriesDraft(frequency, { vintages: [], changes: new Map() });
  draft.add(new Statements('', publishedStatements(held)), { replace: false });
  for (const { asOf, dates, complete, kind } of held.vintages)
    if (complete)
      draft.complete(
        { asOf, kind: ownKind(kind), dates: new Set(parseDateSet(dates).days()) },
        { replace: false },
      );
  return draft.plan(held);
}

/** Yields every statement about a series by vintage, with its published date; needs the changes of every date. */
export function* publishedStatements(held: StoredSeries): Generator<Omit<Statement, 'seriesId'>> {
  for (const { asOf, dates, kind, clipped = '' } of held.vintages) {
    const made = parseDateSet(clipped);
    for (const date of parseDateSet(dates).days()) {
      const changes = held.changes.get(storedDate(date, held.frequency)) ?? [];
      const own = made.has(date) ? 'clipped' : ownKind(kind);
      yield { date, asOf, value: knownOn(changes, asOf), kind: own };
    }
  }
}

/** A series while a merge is being planned. */
class SeriesDraft {
  readonly #frequency: Frequency;
  readonly #vintages: Map<Day, StoredVintage>;
  readonly #stored: ReadonlyMap<Day, readonly Change[]>;
  /** The changes of the dates that have new statements. */
  readonly #changes = new Map<Day, Change[]>();
  readonly #sets = new Map<DateSetText, DateSet>();
  readonly #conflicts: StatementConflict[] = [];
  #added = 0;
  #known = 0;
  #withdrawn = 0;

  constructor(frequency: Frequency, { vintages, changes }: Pick<StoredSeries, 'vintages' | 'changes'>) {
    this.#frequency = frequency;
    this.#vintages = new Map(vintages.map((vintage) => [vintage.asOf, vintage]));
    this.#stored = changes;
  }

  add(statements: Statements, { replace = false, kind: usual = '' }: MergeOptions): void {
    const { dates, asOf: days, kinds } = statements;
    const places = placesByDate(statements, this.#frequency);
    this.#place(statements, places, replace);
    for (const [asOf, own] of groupBy(places, (place) => days[place] ?? '')) {
      const held = this.#vintages.get(asOf);
      const storedDates = held === undefined ? [] : parseDateSet(held.dates).days();
      const all = [...storedDates, ...own.map((place) => dates[place] ?? '')];
      const stated = new Set(kinds.length === 0 ? [] : own.map((place) => kinds[place]));
      const stating = [...stated].flatMap((kind): StoredKind | [] =>
        kind === 'clipped' ? 'fetched' : (kind ?? []),
      );
      const given = stating.length === 0 ? usual : stating.reduce(betterKnown);
      const kind = held === undefined ? given : betterKnown(ownKind(held.kind), given);
      const made = { asOf, complete: held?.complete === true, dates: formatDateSet(all), kind };
      this.#vintages.set(asOf, made);
      if (held?.clipped === undefined && !stated.has('clipped')) continue;
      const before = parseDateSet(held?.clipped ?? '');
      const outright = new Set([
        ...storedDates.filter((date) => !before.has(date)),
        ...own.flatMap((place) => (kinds[place] === 'clipped' ? [] : (dates[place] ?? []))),
      ]);
      const clipped = formatDateSet(all.filter((date) => !outright.has(date)));
      this.#vintages.set(asOf, { ...made, clipped });
    }
  }

  complete({ asOf, dates, kind }: WholeVintage, { replace = false, kind: usual = '' }: MergeOptions): void {
    const given = kind ?? usual;
    const held = this.#vintages.get(asOf) ?? { asOf, dates: '', complete: false, kind: given };
    const published = dates ?? parseDateSet(held.dates).days();
    const listed = new Set(Array.from(published, (date) => storedDate(date, this.#frequency)));
    const untouched = [...this.#stored.keys()].filter((date) => !this.#changes.has(date));
    const touched = [...this.#changes].flatMap(([date, changes]) => (changes.length > 0 ? [date] : []));
    const missing = [...untouched, ...touched].filter((date) => !listed.has(date));
    // The vintage lists only published dates; the dates that it withdraws depend on the frequency.
    const withdrawals = new Statements(
      '',
      missing.map((date) => ({ date, asOf, value: null })),
    );
    this.#place(withdrawals, placesByDate(withdrawals, this.#frequency), replace);
    this.#vintages.set(asOf, { ...held, complete: true, kind: betterKnown(ownKind(held.kind), given) });
  }

  plan(before: Pick<StoredSeries, 'vintages' | 'changes'>): MergePlan {
    const removed: StoredChange[] = [];
    const inserted: StoredChange[] = [];
    const storedDates = this.#stored === before.changes ? [] : before.changes.keys();
    for (const date of new Set([...storedDates, ...this.#changes.keys()]))
      addDifferences(date, before.changes.get(date) ?? [], this.#changes.get(date) ?? [], removed, inserted);
    const held = new Map(before.vintages.map((vintage) => [vintage.asOf, vintage]));
    const vintages = Array.from(this.#vintages.values(), (vintage) => this.#judged(vintage)).filter(
      ({ asOf, dates, complete, kind, clipped = '' }) => {
        const one = held.get(asOf);
        const isSame = one?.dates === dates && one.complete === complete && one.kind === kind;
        return !isSame || (one.clipped ?? '') !== clipped;
      },
    );
    const counts = { added: this.#added, known: this.#known, withdrawn: this.#withdrawn };
    return { ...counts, conflicts: this.#conflicts, removed, inserted, vintages };
  }

  /**
   * Sets the kind of a vintage: `clipped` instead of exact if a window alone made a value new on its day.
   * That value may have been published before; a value stored for an earlier day is not new.
   */
  #judged(vintage: StoredVintage): StoredVintage {
    const { asOf, dates, clipped = '', kind } = vintage;
    if (clipped === '' || ownKind(kind) !== 'exact') return vintage;
    const made = parseDateSet(clipped);
    const own = parseDateSet(dates).days();
    const stated = new Set(own.flatMap((day) => (made.has(day) ? [] : storedDate(day, this.#frequency))));
    const isNew = made.days().some((day) => {
      const date = storedDate(day, this.#frequency);
      const changes = this.#changes.get(date) ?? this.#stored.get(date) ?? [];
      const at = changes.findIndex((change) => change.asOf === asOf);
      const change = changes[at];
      if (change === undefined || stated.has(date)) return false;
      return at === 0 || !sameNumber(change.value, changes[at - 1]?.value ?? null);
    });
    return { ...vintage, kind: isNew ? 'clipped' : 'exact' };
  }

  /**
   * Adds statements to the histories of their dates; the order of statements makes no difference.
   * If that day has a statement, an equal number is known (the fuller text stays), and another is a conflict.
   * A conflict changes nothing; with `replace` the statement counts.
   */
  #place({ dates, asOf: days, values }: Statements, places: readonly number[], replace: boolean): void {
    const earlier = this.#statedEarlier();
    let [published, date]: (Day | undefined)[] = [];
    let changes: Change[] = [];
    let statedAt = earlier.about('');
    for (const place of places) {
      const [own = '', asOf = '', value = null] = [dates[place], days[place], values[place]];
      if (own !== published) {
        published = own;
        const stored = storedDate(own, this.#frequency);
        if (stored !== date) {
          date = stored;
          changes = entryOf(this.#changes, stored, () => [...(this.#stored.get(stored) ?? [])]);
          statedAt = earlier.about(stored);
        }
      }
      const held = knownOn(changes, asOf);
      const isStated = statedAt.has(asOf);
      const isKnown = isStated && sameNumber(value, held);
      earlier.placed(asOf);
      if (isStated && !isKnown && !replace) {
        this.#conflicts.push({ date: date ?? '', asOf, held, given: value });
        continue;
      }
      const text = isKnown && value !== null && held !== null ? fullerText(value, held) : value;
      if (text !== held) rewrite(changes, { asOf, value: text }, held, statedAt.next(asOf));
      if (isKnown) this.#known += 1;
      else this.#added += 1;
      if (!isKnown && value === null && held !== null) this.#withdrawn += 1;
    }
  }

  /** Finds the days with earlier statements about a date: those of vintages, and the last statement placed. */
  #statedEarlier() {
    const vintages = [...this.#vintages.values()].sort((a, b) => (a.asOf < b.asOf ? -1 : 1));
    const newest = vintages.at(-1)?.asOf ?? '';
    const speaks = ({ complete, dates }: StoredVintage, date: Day) =>
      complete || entryOf(this.#sets, dates, () => parseDateSet(dates, this.#frequency)).has(date);
    let last: Day | undefined;
    return {
      placed(asOf: Day): void {
        last = asOf;
      },
      about: (date: Day) => {
        last = undefined;
        let days: Day[] | undefined;
        return {
          has: (asOf: Day) => {
            if (asOf === last) return true;
            const vintage = this.#vintages.get(asOf);
            return vintage !== undefined && speaks(vintage, date);
          },
          /** Returns the first such day after another. */
          next(asOf: Day): Day | undefined {
            if (newest <= asOf) return undefined;
            days ??= vintages.filter((vintage) => speaks(vintage, date)).map((vintage) => vintage.asOf);
            return days.find((day) => day > asOf);
          },
        };
      },
    };
  }
}

/** The numbers of dates with a value, of dates, and of changes of numbers. */
type ChangeCounts = Readonly<Record<'observationCount' | 'dateCount' | 'factCount', number>>;

/** Returns the counts of a series after a plan; `held` has the changes before it, at least the latest of each date. */
export function countsAfter(
  before: ChangeCounts,
  { removed, inserted }: Pick<RowPlan, 'removed' | 'inserted'>,
  held: ReadonlyMap<Day, readonly Change[]>,
): ChangeCounts {
  let { observationCount, dateCount } = before;
  const gone = groupBy(removed, ({ date }) => date);
  const added = new Map<Day, Change>();
  for (const row of inserted) if ((added.get(row.date)?.asOf ?? '') <= row.asOf) added.set(row.date, row);
  for (const date of new Set([...added.keys(), ...gone.keys()])) {
    const [had, lost, news] = [held.get(date) ?? [], gone.get(date) ?? [], added.get(date) ?? []];
    const days = new Set(lost.map(({ asOf }) => asOf));
    const has = had.filter(({ asOf }) => !days.has(asOf)).concat(news);
    observationCount += isObserved(has) - isObserved(had);
    dateCount += Number(has.length > 0) - Number(had.length > 0);
  }
  const facts = (rows: readonly StoredChange[]) => rows.filter(({ kind }) => kind === 'fact').length;
  return { observationCount, dateCount, factCount: before.factCount + facts(inserted) - facts(removed) };
}

/** Returns 1 if the latest of the changes of a date is a value, and 0 otherwise. */
function isObserved(changes: readonly Change[]): number {
  const latest = changes.reduce((a, b) => (a.asOf > b.asOf ? a : b), { asOf: '', value: null });
  return Number(latest.value !== null);
}

/** The rank of kinds, best known first: a day of publication, then a whole state of a day, then any other. */
const ranks = { exact: 5, clipped: 4, fetched: 3, sampled: 2, '': 1, unknown: 0 } as const;

/** Returns the kind of a vintage that two files describe; their order makes no difference. */
export function betterKnown(one: StoredKind, other: StoredKind): StoredKind {
  return ranks[one] >= ranks[other] ? one : other;
}

/** Returns the kind of a vintage without the effect of windows. */
export function ownKind(kind: StoredKind): StoredKind {
  return kind === 'clipped' ? 'exact' : kind;
}

/** Lists the places of statements by stored date, each date's oldest first; those of one day keep their order. */
function placesByDate({ dates, asOf }: Statements, frequency: Frequency): readonly number[] {
  const stored = new Map<Day, Day>();
  const storedOf = (place: number) => {
    const date = dates[place] ?? '';
    return frequency === '' ? date : entryOf(stored, date, () => storedDate(date, frequency));
  };
  const places = [...dates.keys()];
  let before = '';
  const areInOrder = places.every((place) => {
    const date = storedOf(place);
    const follows = date > before || (date === before && (asOf[place - 1] ?? '') <= (asOf[place] ?? ''));
    before = date;
    return follows;
  });
  return areInOrder
    ? places
    : byDay(
        byDay(places, (place) => asOf[place] ?? ''),
        storedOf,
      );
}

/** Sorts places by their days: there are few, and to group takes a tenth of the time of comparing all texts. */
function byDay(places: readonly number[], dayOf: (place: number) => Day): readonly number[] {
  const sorted: number[] = [];
  for (const [, own] of [...groupBy(places, dayOf)].sort(([a], [b]) => (a < b ? -1 : 1)))
    for (const place of own) sorted.push(place);
  return sorted;
}

/**
 * Makes a text the one known on its day, and preserves the text of every other statement.
 * Neighbouring changes differ, and the first is not null; `confirmed` is the next day with a statement.
 */
function rewrite(
  changes: Change[],
  { asOf, value }: Change,
  held: string | null,
  confirmed: Day | undefined,
): void {
  const last = changes.at(-1);
  // Most statements are the newest of their date.
  if (confirmed === undefined && (last === undefined || last.asOf < asOf)) {
    changes.push({ asOf, value });
    return;
  }
  const at = lastUpTo(changes, asOf);
  const isChange = changes[at]?.asOf === asOf;
  const before = (isChange ? changes[at - 1]?.value : changes[at]?.value) ?? null;
  const following = changes[at + 1];
  const tail: Change[] = [];
  if (value !== before) tail.push({ asOf, value });
  // Statements that repeated the old text now need a change back to it.
  const repeats = confirmed !== undefined && (following === undefined || confirmed < following.asOf);
  if (repeats) tail.push({ asOf: confirmed, value: held });
  const dropFollowing = !repeats && following !== undefined && following.value === value;
  const start = isChange ? at : at + 1;
  changes.splice(start, (isChange ? 1 : 0) + (dropFollowing ? 1 : 0), ...tail);
}
