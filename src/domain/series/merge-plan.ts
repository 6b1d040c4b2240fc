// Why: docs/decisions/changes-and-mentions.md
import { type Day, type Frequency, keptDate } from './date.ts';
import { type DateSet, type DateSetText, formatDateSet, parseDateSet } from './date-set.ts';
import { fullerText, sameNumber } from './decimal.ts';
import { addTo, groupBy } from './groups.ts';
import {
  addDifferences,
  type Change,
  type KeptChange,
  knownOn,
  lastUpTo,
  type Statement,
  type StatementConflict,
} from './revision-history.ts';
import type { KeptKind } from './series.ts';

/** A vintage as a store holds it. */
export type HeldVintage = {
  readonly asOf: Day;
  /** The dates that it makes statements about, as published. */
  readonly dates: DateSetText;
  /** Whether it speaks for every date of the series: the dates that it does not list are withdrawn. */
  readonly complete: boolean;
  readonly kind: KeptKind;
  /** Those of its dates that only a window put on its day, because it began then; none if absent. */
  readonly clipped?: DateSetText;
};

/** What a store holds of a series; a merge is planned against it. */
export type HeldSeries = {
  /** Dates are kept as the first day of their period of this frequency. */
  readonly frequency: Frequency;
  /** Every vintage, oldest first; none are needed if every statement of the merge is later than all of them. */
  readonly vintages: readonly HeldVintage[];
  /** The changes of each date that the merge is about, oldest first; the latest is enough if no vintages are needed. */
  readonly changes: ReadonlyMap<Day, readonly Change[]>;
};

/** A whole vintage; without `dates` it lists the dates that the store holds of it. */
export type WholeVintage = {
  readonly asOf: Day;
  readonly dates?: ReadonlySet<Day>;
  readonly kind?: KeptKind | undefined;
};

/** How a merge treats its statements. */
export type MergeOptions = {
  /** Whether a statement that differs from the one held replaces it, or is a conflict. */
  readonly replace: boolean;
  /** How their vintages came about, if a statement does not say so itself; open by default. */
  readonly kind?: KeptKind | undefined;
};

/** How many statements a merge adds and how many were known, and its conflicts. */
export type MergeCounts = {
  readonly added: number;
  readonly known: number;
  /** How many of the added ones withdraw a value that was known until then. */
  readonly withdrawn: number;
  readonly conflicts: readonly StatementConflict[];
};

/** The rows of a series that a store has to write; it removes first, then inserts. */
export type RowPlan = {
  readonly removed: readonly KeptChange[];
  readonly inserted: readonly KeptChange[];
  /** The vintages that are new or differ from the held ones. */
  readonly vintages: readonly HeldVintage[];
  /** The days of the vintages to remove. Default: none. */
  readonly gone?: readonly Day[];
};

/** The rows that a store has to write for a merge. */
export type MergePlan = MergeCounts & RowPlan;

/** A statement of the series that a merge is about. */
type NewStatement = Pick<Statement, 'date' | 'asOf' | 'value' | 'kind'>;

/** Plans to add statements to a series. The result does not depend on the order in which statements arrive. */
export function planMerge(
  held: HeldSeries,
  statements: readonly NewStatement[],
  options: MergeOptions,
): MergePlan {
  const draft = new SeriesDraft(held.frequency, held);
  draft.add(statements, options);
  return draft.plan(held);
}

/** Plans to withdraw the dates that whole vintages do not list; `held` needs the changes of every date. */
export function planCompletion(
  held: HeldSeries,
  vintages: readonly WholeVintage[],
  options: MergeOptions,
): MergePlan {
  const draft = new SeriesDraft(held.frequency, held);
  for (const vintage of vintages) draft.complete(vintage, options);
  return draft.plan(held);
}

/**
 * Plans to keep the dates of a series by another frequency, as if it had been known from the start.
 * `held` needs the changes of every date; two dates of one period that differ are conflicts.
 */
export function planMove(held: HeldSeries, frequency: Frequency): MergePlan {
  const draft = new SeriesDraft(frequency, { vintages: [], changes: new Map() });
  draft.add([...publishedStatements(held)], { replace: false });
  for (const { asOf, dates, complete, kind } of held.vintages)
    if (complete)
      draft.complete(
        { asOf, kind: ownKind(kind), dates: new Set(parseDateSet(dates).days()) },
        { replace: false },
      );
  return draft.plan(held);
}

/** Every statement about a series, vintage by vintage, with its date as published; needs the changes of every date. */
export function* publishedStatements(held: HeldSeries): Generator<Omit<Statement, 'seriesId'>> {
  for (const { asOf, dates, kind, clipped = '' } of held.vintages) {
    const made = parseDateSet(clipped);
    for (const date of parseDateSet(dates).days()) {
      const changes = held.changes.get(keptDate(date, held.frequency)) ?? [];
      const own = made.has(date) ? 'clipped' : ownKind(kind);
      yield { date, asOf, value: knownOn(changes, asOf), kind: own };
    }
  }
}

/** A series while a merge is being planned. */
class SeriesDraft {
  readonly #frequency: Frequency;
  readonly #vintages: Map<Day, HeldVintage>;
  readonly #held: ReadonlyMap<Day, readonly Change[]>;
  /** The changes of the dates that have new statements. */
  readonly #changes = new Map<Day, Change[]>();
  readonly #sets = new Map<DateSetText, DateSet>();
  readonly #conflicts: StatementConflict[] = [];
  #added = 0;
  #known = 0;
  #withdrawn = 0;

  constructor(frequency: Frequency, { vintages, changes }: Pick<HeldSeries, 'vintages' | 'changes'>) {
    this.#frequency = frequency;
    this.#vintages = new Map(vintages.map((vintage) => [vintage.asOf, vintage]));
    this.#held = changes;
  }

  add(statements: readonly NewStatement[], { replace, kind: usual = '' }: MergeOptions): void {
    const kinds = kindsByDay(statements);
    const windows = madeByWindows(statements);
    for (const [asOf, dates] of this.#place(statements, replace)) {
      const held = this.#vintages.get(asOf);
      const heldDates = held === undefined ? [] : parseDateSet(held.dates).days();
      const all = held === undefined ? dates : [...heldDates, ...dates];
      const given = kinds.get(asOf) ?? usual;
      const kind = held === undefined ? given : betterKnown(ownKind(held.kind), given);
      const stated = { asOf, complete: held?.complete === true, dates: formatDateSet(all), kind };
      const isMade = windows.get(asOf);
      const clipped = held?.clipped ?? '';
      if (isMade === undefined && clipped === '') {
        this.#vintages.set(asOf, stated);
        continue;
      }
      const before = parseDateSet(clipped);
      const own = new Set([
        ...heldDates.filter((date) => !before.has(date)),
        ...dates.filter((date) => isMade?.has(date) !== true),
      ]);
      this.#vintages.set(asOf, { ...stated, clipped: formatDateSet(all.filter((date) => !own.has(date))) });
    }
  }

  complete({ asOf, dates, kind }: WholeVintage, { replace, kind: usual = '' }: MergeOptions): void {
    const given = kind ?? usual;
    const held = this.#vintages.get(asOf) ?? { asOf, dates: '', complete: false, kind: given };
    const published = dates ?? parseDateSet(held.dates).days();
    const listed = new Set(Array.from(published, (date) => keptDate(date, this.#frequency)));
    const missing = this.#knownDates().filter((date) => !listed.has(date));
    // The vintage lists only what it published; which dates it withdraws depends on the frequency.
    this.#place(
      missing.map((date) => ({ date, asOf, value: null })),
      replace,
    );
    this.#vintages.set(asOf, { ...held, complete: true, kind: betterKnown(ownKind(held.kind), given) });
  }

  plan(before: Pick<HeldSeries, 'vintages' | 'changes'>): MergePlan {
    const removed: KeptChange[] = [];
    const inserted: KeptChange[] = [];
    const heldDates = this.#held === before.changes ? [] : before.changes.keys();
    for (const date of new Set([...heldDates, ...this.#changes.keys()]))
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
   * The vintage with its kind: an exact one is `clipped` while a value that only a window put on its day is new on it.
   * It may have been published before; a value that the store knows from an earlier day is not new.
   */
  #judged(vintage: HeldVintage): HeldVintage {
    const { asOf, dates, clipped = '', kind } = vintage;
    if (clipped === '' || ownKind(kind) !== 'exact') return vintage;
    const made = parseDateSet(clipped);
    const own = parseDateSet(dates).days();
    const stated = new Set(own.flatMap((day) => (made.has(day) ? [] : keptDate(day, this.#frequency))));
    const isNew = made.days().some((day) => {
      const date = keptDate(day, this.#frequency);
      const changes = this.#changes.get(date) ?? this.#held.get(date) ?? [];
      const at = changes.findIndex((change) => change.asOf === asOf);
      const change = changes[at];
      if (change === undefined || stated.has(date)) return false;
      return at === 0 || !sameNumber(change.value, changes[at - 1]?.value ?? null);
    });
    return { ...vintage, kind: isNew ? 'clipped' : 'exact' };
  }

  /** Places statements in the histories of their dates; gives the dates of each day as published. */
  #place(statements: readonly NewStatement[], replace: boolean): ReadonlyMap<Day, readonly Day[]> {
    const published = new Map<Day, Day[]>();
    const byDate = groupByDate(statements, this.#frequency);
    const earlier = this.#statedEarlier();
    for (const date of [...byDate.keys()].sort()) {
      const changes = this.#changesOf(date);
      const history = { changes, statedAt: earlier.about(date) };
      for (const { date: day, asOf, value } of byDate.get(date) ?? []) {
        const takesBack = value === null && knownOn(changes, asOf) !== null;
        const placement = place(history, asOf, value, replace);
        if (placement === 'conflict')
          this.#conflicts.push({ date, asOf, held: knownOn(changes, asOf), given: value });
        else if (placement === 'known') this.#known += 1;
        else {
          this.#added += 1;
          if (takesBack) this.#withdrawn += 1;
        }
        earlier.placed(asOf);
        addTo(published, asOf, day);
      }
    }
    return published;
  }

  #changesOf(date: Day): Change[] {
    const known = this.#changes.get(date);
    if (known !== undefined) return known;
    const changes = [...(this.#held.get(date) ?? [])];
    this.#changes.set(date, changes);
    return changes;
  }

  #knownDates(): Day[] {
    const untouched = [...this.#held.keys()].filter((date) => !this.#changes.has(date));
    const touched = [...this.#changes].flatMap(([date, changes]) => (changes.length > 0 ? [date] : []));
    return [...untouched, ...touched];
  }

  /** The days with earlier statements about a date: those of the vintages, and the day of the last statement placed. */
  #statedEarlier() {
    const vintages = [...this.#vintages.values()].sort((a, b) => (a.asOf < b.asOf ? -1 : 1));
    const newest = vintages.at(-1)?.asOf ?? '';
    const speaks = ({ complete, dates }: HeldVintage, date: Day) => complete || this.#setOf(dates).has(date);
    let last: Day | undefined;
    return {
      placed(asOf: Day): void {
        last = asOf;
      },
      about: (date: Day): StatedAt => {
        last = undefined;
        let days: Day[] | undefined;
        return {
          has: (asOf) => {
            if (asOf === last) return true;
            const vintage = this.#vintages.get(asOf);
            return vintage !== undefined && speaks(vintage, date);
          },
          next(asOf) {
            if (newest <= asOf) return undefined;
            days ??= vintages.filter((vintage) => speaks(vintage, date)).map((vintage) => vintage.asOf);
            return days.find((day) => day > asOf);
          },
        };
      },
    };
  }

  #setOf(text: DateSetText): DateSet {
    const known = this.#sets.get(text) ?? parseDateSet(text, this.#frequency);
    this.#sets.set(text, known);
    return known;
  }
}

/** What is better known wins: first a day of publication, then a whole state of a day, then any other word. */
const ranks: Readonly<Record<KeptKind, number>> = {
  exact: 5,
  clipped: 4,
  fetched: 3,
  sampled: 2,
  '': 1,
  unknown: 0,
};

/** The kind of a vintage that two files describe; the order of the files makes no difference. */
export function betterKnown(one: KeptKind, other: KeptKind): KeptKind {
  return ranks[one] >= ranks[other] ? one : other;
}

/** The kind of a vintage without what windows put on its day. */
export function ownKind(kind: KeptKind): KeptKind {
  return kind === 'clipped' ? 'exact' : kind;
}

/** The kinds of the vintages whose statements name the kind. */
function kindsByDay(statements: readonly NewStatement[]): ReadonlyMap<Day, KeptKind> {
  const kinds = new Map<Day, KeptKind>();
  for (const { asOf, kind } of statements) {
    if (kind === undefined) continue;
    const known = kind === 'clipped' ? 'fetched' : kind;
    kinds.set(asOf, betterKnown(kinds.get(asOf) ?? known, known));
  }
  return kinds;
}

/** The dates that only a window put on a day, by that day. */
function madeByWindows(statements: readonly NewStatement[]): ReadonlyMap<Day, ReadonlySet<Day>> {
  const made = groupBy(
    statements.filter(({ kind }) => kind === 'clipped'),
    ({ asOf }) => asOf,
  );
  return new Map(Array.from(made, ([asOf, own]) => [asOf, new Set(own.map(({ date }) => date))]));
}

/** Statements by the first day of their period, each date's oldest first. */
function groupByDate(
  statements: readonly NewStatement[],
  frequency: Frequency,
): ReadonlyMap<Day, readonly NewStatement[]> {
  const starts = new Map<Day, Day>();
  const byDate = groupBy(statements, ({ date }) => {
    const start = starts.get(date) ?? keptDate(date, frequency);
    starts.set(date, start);
    return start;
  });
  for (const own of byDate.values()) {
    const inOrder = own.every(({ asOf }, i) => i === 0 || (own[i - 1]?.asOf ?? '') <= asOf);
    if (!inOrder) own.sort((a, b) => (a.asOf < b.asOf ? -1 : a.asOf > b.asOf ? 1 : 0));
  }
  return byDate;
}

type Placement = 'new' | 'known' | 'conflict';

/**
 * The history of one date: its changes of text, oldest first. Neighbours differ and the first is never null.
 * `statedAt` knows on which days there was a statement, including those that changed nothing: the text of every
 * statement is the one known on its day.
 */
type DateHistory = { readonly changes: Change[]; readonly statedAt: StatedAt };

/** The days on which earlier statements about a date were made. */
type StatedAt = {
  readonly has: (asOf: Day) => boolean;
  /** The first such day after `asOf`. */
  readonly next: (asOf: Day) => Day | undefined;
};

/**
 * Puts one statement into a date's history; the order of statements makes no difference to the result. If there was a
 * statement on that day, the new one is `known` if it is the same number (the fuller text is kept), else a `conflict`.
 * A conflict changes nothing; with `replace` the statement takes effect and counts as `new`.
 */
function place(history: DateHistory, asOf: Day, value: string | null, replace: boolean): Placement {
  const held = knownOn(history.changes, asOf);
  if (!history.statedAt.has(asOf)) {
    if (value !== held) rewrite(history, asOf, held, value);
    return 'new';
  }
  if (sameNumber(value, held)) {
    const text = value === null || held === null ? value : fullerText(value, held);
    if (text !== held) rewrite(history, asOf, held, text);
    return 'known';
  }
  if (replace) rewrite(history, asOf, held, value);
  return replace ? 'new' : 'conflict';
}

/** Makes `value` the text known on `asOf` and keeps the text of every other statement. */
function rewrite(
  { changes, statedAt }: DateHistory,
  asOf: Day,
  held: string | null,
  value: string | null,
): void {
  const at = lastUpTo(changes, asOf);
  const isChange = changes[at]?.asOf === asOf;
  const before = (isChange ? changes[at - 1]?.value : changes[at]?.value) ?? null;
  const following = changes[at + 1];
  const confirmed = statedAt.next(asOf);
  const tail: Change[] = [];
  if (value !== before) tail.push({ asOf, value });
  // The statements that repeated the old text now need a change back to it.
  const repeats = confirmed !== undefined && (following === undefined || confirmed < following.asOf);
  if (repeats) tail.push({ asOf: confirmed, value: held });
  const dropFollowing = !repeats && following !== undefined && following.value === value;
  const start = isChange ? at : at + 1;
  changes.splice(start, (isChange ? 1 : 0) + (dropFollowing ? 1 : 0), ...tail);
}
