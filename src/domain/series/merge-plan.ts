// Why: docs/decisions/changes-and-mentions.md
import { type Day, type Frequency, storedDate } from '../values/date.ts';
import { type DateSet, type DateSetText, formatDateSet, parseDateSet } from '../values/date-set.ts';
import { fullerText, sameNumber } from '../values/decimal.ts';
import { entryOf, groupBy } from '../values/groups.ts';
import { addDifferences, DateHistory } from './date-history.ts';
import { type Change, type DatedValues, knownOn, StoredChanges } from './revision-history.ts';
import type { StoredKind } from './series.ts';
import { type Statement, type StatementConflict, Statements } from './statements.ts';

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
  readonly removed: StoredChanges;
  readonly inserted: StoredChanges;
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
  readonly #changes = new Map<Day, DateHistory>();
  /** The sets of dates of vintages by their text: to read them again for each complete vintage takes twice as long. */
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
    const ordered = this.#place(statements, replace);
    const textOf = dateSetWriter();
    ordered.forEachDay((asOf, own) =>
      this.#vintages.set(asOf, this.#vintageWith(statements, own, { asOf, usual, textOf })),
    );
  }

  /** Returns the vintage of a day with the statements at these places. */
  #vintageWith(
    { dates, kinds }: Statements,
    places: Uint32Array,
    { asOf, usual, textOf }: { asOf: Day; usual: StoredKind; textOf: ReturnType<typeof dateSetWriter> },
  ): StoredVintage {
    const held = this.#vintages.get(asOf);
    const storedDates = held === undefined ? [] : parseDateSet(held.dates).days();
    const all = storedDates.concat(dates.cellsAt(places));
    const stated = new Set(kinds.length === 0 ? [] : Array.from(places, (place) => kinds[place]));
    const stating = [...stated].flatMap((kind): StoredKind | [] =>
      kind === 'clipped' ? 'fetched' : (kind ?? []),
    );
    const given = stating.length === 0 ? usual : stating.reduce(betterKnown);
    const kind = held === undefined ? given : betterKnown(ownKind(held.kind), given);
    const vintage = { asOf, complete: held?.complete === true, dates: textOf(all), kind };
    if (held?.clipped === undefined && !stated.has('clipped')) return vintage;
    const before = parseDateSet(held?.clipped ?? '');
    const outright = new Set([
      ...storedDates.filter((date) => !before.has(date)),
      ...dates.cellsAt(places.filter((place) => kinds[place] !== 'clipped')),
    ]);
    return { ...vintage, clipped: formatDateSet(all.filter((date) => !outright.has(date))) };
  }

  complete({ asOf, dates, kind }: WholeVintage, { replace = false, kind: usual = '' }: MergeOptions): void {
    const given = kind ?? usual;
    const held = this.#vintages.get(asOf) ?? { asOf, dates: '', complete: false, kind: given };
    const published = dates ?? parseDateSet(held.dates).days();
    const listed = new Set(Array.from(published, (date) => storedDate(date, this.#frequency)));
    const untouched = [...this.#stored.keys()].filter((date) => !this.#changes.has(date));
    const touched = [...this.#changes].flatMap(([date, { days }]) => (days.length > 0 ? [date] : []));
    const missing = [...untouched, ...touched].filter((date) => !listed.has(date));
    // The vintage lists only published dates; the dates that it withdraws depend on the frequency.
    const withdrawals = new Statements('');
    for (const date of missing) withdrawals.add(date, asOf, null);
    this.#place(withdrawals, replace, true);
    this.#vintages.set(asOf, { ...held, complete: true, kind: betterKnown(ownKind(held.kind), given) });
  }

  plan(before: Pick<StoredSeries, 'vintages' | 'changes'>): MergePlan {
    const [removed, inserted, none] = [new StoredChanges(), new StoredChanges(), new DateHistory()];
    const storedDates = this.#stored === before.changes ? [] : before.changes.keys();
    for (const date of new Set([...storedDates, ...this.#changes.keys()]))
      addDifferences(
        date,
        before.changes.get(date) ?? [],
        this.#changes.get(date) ?? none,
        removed,
        inserted,
      );
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
      const { days, values } = this.#changes.get(date) ?? new DateHistory(this.#stored.get(date));
      const at = days.indexOf(asOf);
      if (at === -1 || stated.has(date)) return false;
      return at === 0 || !sameNumber(values[at] ?? null, values[at - 1] ?? null);
    });
    return { ...vintage, kind: isNew ? 'clipped' : 'exact' };
  }

  /**
   * Adds statements to the histories of their dates; the order of statements makes no difference.
   * If that day has a statement, an equal number is known (the fuller text stays), and another is a conflict.
   * A conflict changes nothing; with `replace` the statement counts.
   */
  #place(given: Statements, replace: boolean, areWithdrawals = false) {
    const ordered = given.ordered(this.#frequency);
    const { days } = ordered;
    const setOf = (text: DateSetText) => entryOf(this.#sets, text, () => parseDateSet(text, this.#frequency));
    const earlier = new EarlierStatements(days.days, this.#vintages, setOf);
    const placed = { given, days, earlier, replace, areWithdrawals };
    ordered.forEachDate((date, own) => this.#placeOfDate(date, own, placed));
    return ordered;
  }

  #placeOfDate(date: Day, places: Uint32Array, placed: PlacedStatements): void {
    const { given, days, earlier, replace, areWithdrawals } = placed;
    const history = entryOf(this.#changes, date, () => new DateHistory(this.#stored.get(date)));
    const { values } = given;
    /** The day of the last statement, and the place of the last one that counts on it. */
    let [last, stating] = [-1, -1];
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at] ?? 0;
      const day = days.ranks[place] ?? 0;
      const asOf = days.days[day] ?? '';
      const value = values[place] ?? null;
      const held = history.knownOn(asOf);
      const isStated = day === last || earlier.state(date, day);
      const isKnown = isStated && sameNumber(value, held);
      if (day !== last) stating = -1;
      last = day;
      if (isStated && !isKnown && !replace) {
        const own = given.dates.at(place);
        const other = () => (stating === -1 ? this.#publishedOn(asOf, date, own) : given.dates.at(stating));
        const published = areWithdrawals ? own : other();
        const period = sharedPeriod(this.#frequency, published, own);
        this.#conflicts.push({ date, asOf, held, given: value, ...period });
        continue;
      }
      const text = isKnown && value !== null && held !== null ? fullerText(value, held) : value;
      if (text !== held) history.rewrite(asOf, text, earlier.nextDay(date, asOf));
      if (isKnown) this.#known += 1;
      else this.#added += 1;
      if (!isKnown && value === null && held !== null) this.#withdrawn += 1;
      stating = place;
    }
  }

  /** Returns the published date of a vintage that is stored as `date`: `own`, or else another of its period. */
  #publishedOn(asOf: Day, date: Day, own: Day): Day {
    const published = parseDateSet(this.#vintages.get(asOf)?.dates ?? '');
    if (published.has(own)) return own;
    return published.days().find((one) => storedDate(one, this.#frequency) === date) ?? own;
  }
}

type PlacedStatements = Pick<ReturnType<Statements['ordered']>, 'days'> & {
  readonly given: Statements;
  readonly earlier: EarlierStatements;
  readonly replace: boolean;
  /** True for the withdrawals of a whole vintage, which has no dates of its own. */
  readonly areWithdrawals: boolean;
};

/** What the vintages of a series state. */
class EarlierStatements {
  readonly #vintages: readonly StoredVintage[];
  /** The vintages of the days of new statements. */
  readonly #held: readonly (StoredVintage | undefined)[];
  readonly #newest: Day;
  readonly #setOf: (text: DateSetText) => DateSet;
  /** The days with statements about one date, ascending. */
  #about: { readonly date: Day; readonly days: readonly Day[] } | undefined;

  constructor(
    days: readonly Day[],
    vintages: ReadonlyMap<Day, StoredVintage>,
    setOf: (text: DateSetText) => DateSet,
  ) {
    this.#vintages = [...vintages.values()].sort((a, b) => (a.asOf < b.asOf ? -1 : 1));
    this.#held = days.map((day) => vintages.get(day));
    this.#newest = this.#vintages.at(-1)?.asOf ?? '';
    this.#setOf = setOf;
  }

  /** Tells whether they state something about a date on a day, which is given by its place. */
  state(date: Day, day: number): boolean {
    const vintage = this.#held[day];
    return vintage !== undefined && this.#states(vintage, date);
  }

  #states({ complete, dates }: StoredVintage, date: Day): boolean {
    return complete || this.#setOf(dates).has(date);
  }

  /** Returns the first day after another on which they state something about a date. */
  nextDay(date: Day, asOf: Day): Day | undefined {
    if (this.#newest <= asOf) return undefined;
    if (this.#about?.date !== date) {
      const own = this.#vintages.filter((vintage) => this.#states(vintage, date));
      this.#about = { date, days: own.map((vintage) => vintage.asOf) };
    }
    return this.#about.days.find((day) => day > asOf);
  }
}

/** Makes a writer of sets of dates, of which most are the same as the one before. */
function dateSetWriter(): (days: readonly Day[]) => DateSetText {
  let [before, text]: [readonly Day[], DateSetText] = [[], ''];
  return (days) => {
    const isSame = days.length === before.length && days.every((day, place) => day === before[place]);
    if (!isSame) [before, text] = [days, formatDateSet(days)];
    return text;
  };
}

/** The numbers of dates with a value, of dates, and of changes of numbers. */
type ChangeCounts = Readonly<Record<'observationCount' | 'dateCount' | 'factCount', number>>;

/** Returns the counts of a series after a plan; `held` has the changes before it, oldest first, at least each latest. */
export function countsAfter(
  before: ChangeCounts,
  { removed, inserted }: Pick<RowPlan, 'removed' | 'inserted'>,
  held: ReadonlyMap<Day, readonly Change[]>,
): ChangeCounts {
  let { observationCount, dateCount } = before;
  const gone = groupBy(removed, ({ date }) => date);
  const added = new Map<Day, Change>();
  addLatest(added, inserted.fact);
  addLatest(added, inserted.respelling);
  for (const date of new Set([...added.keys(), ...gone.keys()])) {
    const [had, lost, own] = [held.get(date) ?? [], gone.get(date), added.get(date)];
    const kept = lost === undefined ? had : had.filter(({ asOf }) => !lost.some((one) => one.asOf === asOf));
    const last = kept.at(-1);
    const latest = own === undefined || (last !== undefined && last.asOf > own.asOf) ? last : own;
    observationCount += isObserved(latest) - isObserved(had.at(-1));
    dateCount += Number(latest !== undefined) - Number(had.length > 0);
  }
  const factCount = before.factCount + inserted.fact.length - removed.fact.length;
  return { observationCount, dateCount, factCount };
}

/** Adds the latest change of each date. */
function addLatest(latest: Map<Day, Change>, { dates, asOf: days, values }: DatedValues): void {
  for (let place = 0; place < dates.length; place += 1) {
    const date = dates[place] ?? '';
    const asOf = days[place] ?? '';
    const value = values[place] ?? null;
    // The next change is most often a later one of the same date.
    if (date === dates[place + 1] && asOf <= (days[place + 1] ?? '')) continue;
    if ((latest.get(date)?.asOf ?? '') <= asOf) latest.set(date, { asOf, value });
  }
}

/** Returns 1 if the latest change of a date is a value, and 0 if it is a withdrawal or there is none. */
function isObserved(latest: Change | undefined): number {
  return Number(latest !== undefined && latest.value !== null);
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

/** Returns the period of the published dates of a conflict, unless they are one date. */
export function sharedPeriod(frequency: Frequency, held: Day, given: Day): Pick<StatementConflict, 'period'> {
  return held === given ? {} : { period: { frequency, held, given } };
}
