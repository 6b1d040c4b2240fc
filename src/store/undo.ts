// Why: docs/decisions/undo.md
import { keyOfSighting } from '../domain/calendar/sighting.ts';
import { filingOf } from '../domain/insider/filing.ts';
import { addDifferences, DateHistory } from '../domain/series/date-history.ts';
import type { RowPlan, StoredVintage } from '../domain/series/merge-plan.ts';
import { type StoredChange, StoredChanges } from '../domain/series/revision-history.ts';
import type { Day } from '../domain/values/date.ts';
import { parseDateSet } from '../domain/values/date-set.ts';
import { addTo } from '../domain/values/groups.ts';
import { Problem } from '../errors/problem.ts';
import type {
  AliasesBefore,
  CalendarBefore,
  FilingsBefore,
  FollowedBefore,
  PointsBefore,
  SeriesBefore,
} from './recorded-changes.ts';
import { SeriesWriter } from './series-writer.ts';
import type { WriteTransaction } from './sql/parts.ts';
import type { SeriesRows } from './sql/series-rows.ts';
import { endOfTime, startOfTime } from './sql/session.ts';

/** What an import changed of one subject: `series GDP`, `curve PAR`, `filings`, `followed`, `looks` or `aliases`. */
type SubjectChange = {
  readonly import: number;
  readonly subject: string;
  /** The version of a series after the import. */
  readonly version?: number;
  /** JSON; absent of later imports into a series. */
  readonly content?: string;
};

type UndoneSubject = {
  /** The id of a series, the type of a curve, `filings`, `followed`, `looks at calendars` or `aliases`. */
  readonly subject: string;
  /** True if the import created the subject, so that nothing remains. */
  readonly goes: boolean;
  readonly vintages: number;
  /** The number of statements, rates or filings that are removed. */
  readonly removed: number;
  /** The number of values, rates, filings or bookmarks that are restored. */
  readonly restored: number;
  /** The first and the last changed date or trade date; null for subjects without dates. */
  readonly first: string | null;
  readonly last: string | null;
};

/** The data that an undone import had changed. */
export type UndoneChanges = {
  readonly series: readonly string[];
  readonly rates: number;
  readonly filings: number;
  /** The looks at calendars. */
  readonly looks: number;
  readonly subjects: readonly UndoneSubject[];
};

/**
 * Undoes an import, with `pause` before each subject; throws a Problem if later imports share its data, or if another
 * command undid or forgot it.
 */
export async function undoImport(
  transaction: WriteTransaction,
  number: number,
  pause: () => Promise<void>,
): Promise<UndoneChanges> {
  const series = await transaction.recorded(number);
  const ofSeries = <Change extends { readonly id: string }>({ id, ...change }: Change) => {
    return { ...change, subject: `series ${id}` };
  };
  const others = await transaction.sources.changes(number);
  // After all that was read: what another process forgets later, this one has.
  const isLogged = (await transaction.sources.imports()).some((one) => one.number === number);
  if (!isLogged || number <= (await transaction.sources.forgotten()))
    throw new Problem(
      'not-found',
      `import ${number} can no longer be undone: meanwhile another command undid it, or forgot what it changed`,
    );
  const isOwn = (change: SubjectChange) => change.import === number;
  const own: readonly SubjectChange[] = [...others.filter(isOwn), ...series.own.map(ofSeries)];
  refuseBefore(own, [...others.filter((change) => !isOwn(change)), ...series.later.map(ofSeries)]);
  const subjects: UndoneSubject[] = [];
  for (const change of own) {
    await pause();
    subjects.push(await undoings[subjectOf(change).kind].undo(transaction, change));
  }
  await transaction.sources.removeImport(number);
  for (const { id, version } of series.own) await transaction.rowsOf(id).moveVersion(version + 1);
  const count = (of: (subject: UndoneSubject) => boolean) =>
    subjects.filter(of).reduce((sum, { removed, restored }) => sum + removed + restored, 0);
  return {
    series: series.own.map(({ id }) => id),
    rates: count(({ subject }) => subject.endsWith(' curve')),
    filings: count(({ subject }) => subject === 'filings'),
    looks: count(({ subject }) => subject === looksAtCalendars),
    subjects,
  };
}

function refuseBefore(own: readonly SubjectChange[], later: readonly SubjectChange[]): void {
  const bySubject = new Map(own.map((change) => [change.subject, change]));
  const subjects = new Map<number, string[]>();
  for (const change of later) {
    const mine = bySubject.get(change.subject);
    if (mine !== undefined && overlap(mine, change)) addTo(subjects, change.import, shownSubject(change));
  }
  const newestFirst = [...subjects].sort(([a], [b]) => b - a);
  const [newest] = newestFirst;
  if (newest === undefined) return;
  throw new Problem('bad-input', 'later imports changed the same data', {
    list: newestFirst.map(([number, names]) => {
      return `import ${number}: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`;
    }),
    hints: [
      `undo those first, beginning with \`asof store undo ${newest[0]}\`, and import them again afterwards`,
    ],
  });
}

const looksAtCalendars = 'looks at calendars';

type Undoing = {
  /** Returns the parts that an import touched; imports that share a part can only be undone in order. */
  readonly parts: (change: SubjectChange) => readonly string[];
  readonly undo: (transaction: WriteTransaction, change: SubjectChange) => Promise<UndoneSubject>;
  /** How messages name the subject. Default: by its kind. */
  readonly shown: ((name: string) => string) | undefined;
};

function undoing<Content>(
  parts: (content: Content) => readonly string[],
  undo: (transaction: WriteTransaction, content: Content, change: SubjectChange) => Promise<UndoneSubject>,
  shown?: Undoing['shown'],
): Undoing {
  return {
    shown,
    parts: ({ content = '{}' }) => parts(JSON.parse(content)),
    undo: (transaction, change) => undo(transaction, JSON.parse(change.content ?? '{}'), change),
  };
}

const undoings = {
  series: undoing(
    () => ['everything'],
    undoSeries,
    (id) => id,
  ),
  curve: undoing(
    ({ days }: PointsBefore) => parseDateSet(days).days(),
    undoPoints,
    (type) => `${type} curve`,
  ),
  filings: undoing(({ held, added }: FilingsBefore) => [...held, ...added.map(([id]) => id)], undoFilings),
  followed: undoing(
    (followed: FollowedBefore) => followed.map(({ source, name }) => `${source} ${name}`),
    undoFollowed,
  ),
  looks: undoing(
    (looks: CalendarBefore) => looks.map(({ look }) => keyOfSighting(look)),
    undoCalendar,
    () => looksAtCalendars,
  ),
  aliases: undoing((aliases: AliasesBefore) => aliases.map(({ name }) => name), undoAliases),
};

/** Splits a subject into its kind and its name, which only series and curves have. */
function subjectOf({ subject }: SubjectChange) {
  const [kind = ''] = subject.split(' ', 1);
  return { kind: kind as keyof typeof undoings, name: subject.slice(kind.length + 1) };
}

function shownSubject(change: SubjectChange): string {
  const { kind, name } = subjectOf(change);
  return undoings[kind].shown?.(name) ?? kind;
}

function overlap(mine: SubjectChange, other: SubjectChange): boolean {
  const { parts } = undoings[subjectOf(mine).kind];
  const known = new Set(parts(mine));
  return parts(other).some((part) => known.has(part));
}

function undoneSubject(
  change: SubjectChange,
  { dates = [], ...counts }: { readonly dates?: readonly string[] } & Partial<UndoneSubject>,
): UndoneSubject {
  const sorted = [...dates].sort();
  const ends = { first: sorted[0] ?? null, last: sorted.at(-1) ?? null };
  return {
    subject: shownSubject(change),
    goes: false,
    vintages: 0,
    removed: 0,
    restored: 0,
    ...counts,
    ...ends,
  };
}

async function undoSeries(
  transaction: WriteTransaction,
  before: SeriesBefore,
  change: SubjectChange,
): Promise<UndoneSubject> {
  const { name: id } = subjectOf(change);
  const rows = transaction.rowsOf(id);
  const start = (await transaction.begin([id])).get(id);
  if (start === undefined || start.isNew || start.version !== change.version)
    throw new Problem('bad-input', `${id} was changed since, by something that is not in the log`, {
      hints: ['restore a backup from before the import'],
    });
  const held = await rows.vintages();
  const plan = await inverseOf(before, held, rows);
  if (before.isNew) await rows.remove();
  else {
    const state = await new SeriesWriter(rows, start).undo(plan, held, before);
    await transaction.putStates(state === undefined ? [] : [state]);
  }
  if (!before.isNew && before.descriptions !== undefined)
    await transaction.descriptions.replace(id, before.descriptions);
  return undoneSubject(change, { goes: before.isNew, ...countsOf(plan, held) });
}

/** Plans the inverse of an import into a series that has the vintages `held`. */
async function inverseOf(
  before: SeriesBefore,
  held: readonly StoredVintage[],
  rows: SeriesRows,
): Promise<RowPlan> {
  const { vintages } = before;
  const inserted = new StoredChanges(before.removed);
  if (before.hadVintages)
    return {
      removed: new StoredChanges(addedRows(before)),
      inserted,
      vintages,
      gone: before.addedVintages,
    };
  const removed = new StoredChanges();
  // A new series is removed as a whole.
  if (!before.isNew)
    for (const [date, changes] of await rows.changes(startOfTime, endOfTime))
      addDifferences(date, changes, new DateHistory(), removed, inserted);
  return { removed, inserted, vintages, gone: held.map(({ asOf }) => asOf) };
}

function addedRows({ added }: SeriesBefore): readonly StoredChange[] {
  return (['fact', 'respelling'] as const).flatMap((kind) =>
    added[kind].flatMap(([asOf, days]) =>
      parseDateSet(days)
        .days()
        .map((date) => ({ kind, date, asOf, value: null })),
    ),
  );
}

function countsOf({ removed, inserted, vintages, gone = [] }: RowPlan, held: readonly StoredVintage[]) {
  const datesBefore = new Map([
    ...gone.map((asOf) => [asOf, parseDateSet('')] as const),
    ...vintages.map(({ asOf, dates }) => [asOf, parseDateSet(dates)] as const),
  ]);
  const statements = held.flatMap(({ asOf, dates }) => {
    const known = datesBefore.get(asOf);
    const days = known === undefined ? [] : parseDateSet(dates).days();
    return days.filter((date) => known?.has(date) !== true);
  });
  const keyOf = ({ date, asOf }: StoredChange) => `${date} ${asOf}`;
  const added = new Set(Array.from(removed, keyOf));
  const restored = [...inserted].filter((row) => added.has(keyOf(row)));
  return {
    vintages: gone.length,
    removed: statements.length,
    restored: restored.length,
    dates: [...statements, ...restored.map(({ date }) => date)],
  };
}

async function undoPoints(
  transaction: WriteTransaction,
  before: PointsBefore,
  change: SubjectChange,
): Promise<UndoneSubject> {
  const { curveType, changed } = before;
  const removed: Day[] = [];
  for (const [maturity, dates] of before.added) {
    const days = parseDateSet(dates).days();
    await transaction.rates.remove(curveType, maturity, days);
    removed.push(...days);
  }
  if (changed.length > 0) await transaction.rates.put(changed);
  return undoneSubject(change, {
    removed: removed.length,
    restored: changed.length,
    dates: [...removed, ...changed.map(({ tradeDate }) => tradeDate)],
  });
}

async function undoFilings(
  transaction: WriteTransaction,
  { added, changed }: FilingsBefore,
  change: SubjectChange,
): Promise<UndoneSubject> {
  await transaction.filings.remove(added.map(([filingId, issuerCik]) => ({ filingId, issuerCik })));
  // An engine finds a filing by any of its trades, because its issuer may have changed since.
  const trades = changed.flatMap(({ header, trades: [trade] }) => (trade ? [filingOf(header, trade)] : []));
  if (trades.length > 0) {
    const held = await transaction.filings.stored(trades);
    await transaction.filings.remove([...held.values()].map(({ header }) => header));
    await transaction.filings.put(changed, new Map());
  }
  return undoneSubject(change, { removed: added.length, restored: changed.length });
}

async function undoFollowed(
  transaction: WriteTransaction,
  followed: FollowedBefore,
  change: SubjectChange,
): Promise<UndoneSubject> {
  let restored = 0;
  for (const { source, name, before } of followed) {
    // What a user stopped following since stays so.
    if (!(await transaction.sources.removeFollowed(source, name))) continue;
    if (before !== null) await transaction.sources.putFollowed(before);
    restored += 1;
  }
  return undoneSubject(change, { restored });
}

async function undoCalendar(
  transaction: WriteTransaction,
  looks: CalendarBefore,
  change: SubjectChange,
): Promise<UndoneSubject> {
  const added = looks.filter(({ before }) => before === null);
  const replaced = looks.flatMap(({ before }) => before ?? []);
  for (const { look } of added) await transaction.calendar.remove(look);
  for (const before of replaced) await transaction.calendar.put(before);
  return undoneSubject(change, { removed: added.length, restored: replaced.length });
}

async function undoAliases(
  transaction: WriteTransaction,
  aliases: AliasesBefore,
  change: SubjectChange,
): Promise<UndoneSubject> {
  const held = new Set((await transaction.aliases.locked()).map(({ name }) => name));
  // What a user removed since stays so.
  const changed = aliases.filter(({ name, before }) => before !== undefined && held.has(name));
  for (const { name, before } of changed)
    await (before ? transaction.aliases.put({ name, seriesId: before }) : transaction.aliases.remove(name));
  const restored = changed.filter(({ before }) => before !== null).length;
  return undoneSubject(change, { removed: changed.length - restored, restored });
}
