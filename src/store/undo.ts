import { type Filing, filingOf } from '../domain/insider/filing.ts';
import type { HeldFiling } from '../domain/insider/merge-filings.ts';
import { parseDateSet } from '../domain/series/date-set.ts';
import type { HeldVintage } from '../domain/series/merge-plan.ts';
import type { KeptChange } from '../domain/series/revision-history.ts';
import type { CurvePoint } from '../domain/treasury/curve.ts';
import { Problem } from '../errors/problem.ts';
import type { DescriptionChange, Followed } from './followed.ts';
import { type SeriesRows, SeriesWriter } from './series-writer.ts';
import {
  addedPoints,
  addedRows,
  type FilingPlace,
  type FilingsBefore,
  type FollowedBefore,
  type ImportChange,
  type PointPlace,
  type PointsBefore,
  type SeriesBefore,
} from './undo-record.ts';

/** A transaction of an engine, as far as undoing an import needs it. */
export interface UndoTransaction {
  series(id: string): SeriesRows;
  putPoints(points: readonly CurvePoint[]): Promise<void>;
  /** Those of the filings that the store holds, by id. */
  filings(filings: readonly Filing[]): Promise<ReadonlyMap<string, HeldFiling>>;
  /** Writes new and changed filings with their new and changed trades; `held` are those that the store has. */
  putFilings(put: readonly HeldFiling[], held: ReadonlyMap<string, HeldFiling>): Promise<void>;
  /** What the imports from a number on changed. */
  changes(from: number): Promise<readonly ImportChange[]>;
  /**
   * Notes that the newest recorded change of a series leads to another version; with `from` only if it led to that
   * one.
   */
  moveVersion(seriesId: string, to: number, from?: number): Promise<void>;
  /** Removes an import, and what is recorded of its changes, from the log. */
  removeImport(number: number): Promise<void>;
  /** Replaces the changes of the description of a series. */
  setDescriptionChanges(seriesId: string, changes: readonly DescriptionChange[]): Promise<void>;
  removePoints(points: readonly PointPlace[]): Promise<void>;
  removeFilings(filings: readonly FilingPlace[]): Promise<void>;
  putFollowed(record: Followed): Promise<void>;
  removeFollowed(source: string, name: string): Promise<boolean>;
  /** Removes a series with its rows; false for an unknown id. */
  removeSeries(id: string): Promise<boolean>;
}

/** What undoing an import changes in one subject. */
export type UndoneSubject = {
  /** The id of a series, the type of a curve, `filings` or `followed`. */
  readonly subject: string;
  /** Whether the import created it, so that nothing of it remains. */
  readonly goes: boolean;
  /** The number of vintages of a series that are removed. */
  readonly vintages: number;
  /** The number of statements, rates or filings that are removed. */
  readonly removed: number;
  /** The number of values, rates, filings or bookmarks that are restored. */
  readonly restored: number;
  /** The first and the last date or trade date concerned; null for what has no dates. */
  readonly first: string | null;
  readonly last: string | null;
};

/** What an undone import had changed. */
export type UndoneChanges = {
  readonly series: readonly string[];
  readonly rates: number;
  readonly filings: number;
  readonly subjects: readonly UndoneSubject[];
};

/**
 * Undoes an import: the store becomes what it was before it, if no later import touched the same series, trade dates
 * or filings; otherwise a Problem names those imports. `pause` is called before each subject, and may throw.
 */
export async function undoImport(
  transaction: UndoTransaction,
  number: number,
  pause: () => Promise<void>,
): Promise<UndoneChanges> {
  const changes = await transaction.changes(number);
  const own = changes.filter((change) => change.import === number);
  refuseBefore(
    own,
    changes.filter((change) => change.import !== number),
  );
  const subjects: UndoneSubject[] = [];
  const versions: (readonly [id: string, version: number])[] = [];
  for (const { subject, version, content } of own) {
    await pause();
    if (subject === 'filings') subjects.push(await restoreFilings(transaction, JSON.parse(content)));
    else if (subject === 'followed') subjects.push(await restoreFollowed(transaction, JSON.parse(content)));
    else if (subject.startsWith('curve '))
      subjects.push(await restorePoints(transaction, JSON.parse(content)));
    else {
      const id = subject.slice('series '.length);
      const restored = await restoreSeries(transaction, id, version, JSON.parse(content));
      versions.push([id, restored.version]);
      subjects.push(restored.undone);
    }
  }
  await transaction.removeImport(number);
  for (const [id, version] of versions) await transaction.moveVersion(id, version);
  const count = (of: (subject: UndoneSubject) => boolean) =>
    subjects.filter(of).reduce((sum, { removed, restored }) => sum + removed + restored, 0);
  return {
    series: versions.map(([id]) => id),
    rates: count(({ subject }) => subject.endsWith(' curve')),
    filings: count(({ subject }) => subject === 'filings'),
    subjects,
  };
}

/** Refuses if later imports touched the same subjects. */
function refuseBefore(own: readonly ImportChange[], later: readonly ImportChange[]): void {
  const bySubject = new Map(own.map((change) => [change.subject, change]));
  const found = new Map<number, Set<string>>();
  for (const change of later) {
    const mine = bySubject.get(change.subject);
    if (mine === undefined || !overlap(mine, change)) continue;
    found.set(change.import, (found.get(change.import) ?? new Set()).add(change.subject));
  }
  if (found.size === 0) return;
  const named = [...found].sort(([a], [b]) => b - a);
  const lines = named.slice(0, 20).map(([number, subjects]) => `import ${number}: ${listed([...subjects])}`);
  const more = named.length > lines.length ? [`… and ${named.length - lines.length} more`] : [];
  throw new Problem('bad-input', 'later imports are about the same', {
    list: [...lines, ...more],
    hints: [
      `take those back first, beginning with \`asof store undo ${named[0]?.[0]}\`, and import them again`,
    ],
  });
}

const mostNamed = 5;

function listed(subjects: readonly string[]): string {
  const names = subjects.map((subject) => subject.replace(/^series /, ''));
  const rest = names.length - mostNamed;
  return names.slice(0, mostNamed).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** Whether two imports touched the same part of one subject. */
function overlap({ subject, content }: ImportChange, other: ImportChange): boolean {
  if (subject.startsWith('series ')) return true;
  const [mine, theirs] = [JSON.parse(content), JSON.parse(other.content)];
  if (subject === 'filings') {
    const ids = ({ held, added }: FilingsBefore) => [...held, ...added.map(([id]) => id)];
    return shares(ids(mine), ids(theirs));
  }
  if (subject === 'followed') {
    const names = (followed: FollowedBefore) => followed.map(({ source, name }) => `${source} ${name}`);
    return shares(names(mine), names(theirs));
  }
  const days = ({ days }: PointsBefore) => parseDateSet(days).days();
  return shares(days(mine), days(theirs));
}

function shares(some: readonly string[], others: readonly string[]): boolean {
  const known = new Set(some);
  return others.some((one) => known.has(one));
}

function undoneSubject(
  subject: string,
  { dates = [], ...counts }: { readonly dates?: readonly string[] } & Partial<UndoneSubject>,
): UndoneSubject {
  const sorted = [...dates].sort();
  const ends = { first: sorted[0] ?? null, last: sorted.at(-1) ?? null };
  return { subject, goes: false, vintages: 0, removed: 0, restored: 0, ...counts, ...ends };
}

/** What undoing removes and restores in a series, whose vintages now are `now`. */
function undoneSeries(id: string, before: SeriesBefore, now: readonly HeldVintage[]): UndoneSubject {
  const datesBefore = new Map(before.vintages.map(({ asOf, dates }) => [asOf, parseDateSet(dates)]));
  const isAdded = before.hadVintages ? new Set(before.addedVintages) : undefined;
  const gone = now.filter(({ asOf }) => isAdded === undefined || isAdded.has(asOf));
  const grown = now.filter(({ asOf }) => datesBefore.has(asOf));
  const statements = [...gone, ...grown].flatMap(({ asOf, dates }) =>
    parseDateSet(dates)
      .days()
      .filter((date) => datesBefore.get(asOf)?.has(date) !== true),
  );
  const keyOf = ({ date, asOf }: Pick<KeptChange, 'date' | 'asOf'>) => `${date} ${asOf}`;
  const added = new Set(addedRows(before).map(keyOf));
  const restored = before.removed.filter((row) => added.has(keyOf(row)));
  return undoneSubject(id, {
    goes: before.isNew,
    vintages: gone.length,
    removed: statements.length,
    restored: restored.length,
    dates: [...statements, ...restored.map(({ date }) => date)],
  });
}

async function restoreSeries(
  transaction: UndoTransaction,
  id: string,
  version: number,
  before: SeriesBefore,
): Promise<{ readonly version: number; readonly undone: UndoneSubject }> {
  const rows = transaction.series(id);
  const start = await rows.begin();
  if (start.isNew || start.version !== version)
    throw new Problem('bad-input', `${id} was changed since, by something that is not in the log`, {
      hints: ['a backup has the store as it was before the import'],
    });
  const undone = undoneSeries(id, before, await rows.vintages());
  if (before.isNew) {
    await transaction.removeSeries(id);
    return { version: 0, undone };
  }
  const restored = await SeriesWriter.over(rows, start).restore(before);
  if (before.descriptions !== undefined) await transaction.setDescriptionChanges(id, before.descriptions);
  return { version: restored, undone };
}

async function restorePoints(transaction: UndoTransaction, before: PointsBefore): Promise<UndoneSubject> {
  const [added, { changed, curveType }] = [addedPoints(before), before];
  await transaction.removePoints(added);
  if (changed.length > 0) await transaction.putPoints(changed);
  return undoneSubject(`${curveType} curve`, {
    removed: added.length,
    restored: changed.length,
    dates: [...added, ...changed].map(({ tradeDate }) => tradeDate),
  });
}

async function restoreFilings(
  transaction: UndoTransaction,
  { added, changed }: FilingsBefore,
): Promise<UndoneSubject> {
  await transaction.removeFilings(added.map(([filingId, issuerCik]) => ({ filingId, issuerCik })));
  if (changed.length > 0) {
    const held = await transaction.filings(changed.flatMap(anyTrade));
    await transaction.removeFilings([...held.values()].map(({ header }) => header));
    await transaction.putFilings(changed, new Map());
  }
  return undoneSubject('filings', { removed: added.length, restored: changed.length });
}

/** One trade of a filing, by which an engine finds the filing. */
function anyTrade({ header, trades: [trade] }: HeldFiling) {
  return trade === undefined ? [] : [filingOf(header, trade)];
}

async function restoreFollowed(
  transaction: UndoTransaction,
  records: FollowedBefore,
): Promise<UndoneSubject> {
  for (const { source, name, before } of records) {
    await transaction.removeFollowed(source, name);
    if (before !== null) await transaction.putFollowed(before);
  }
  return undoneSubject('followed', { restored: records.length });
}
