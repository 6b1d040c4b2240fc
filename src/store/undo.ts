import { type Filing, filingOf } from '../domain/insider/filing.ts';
import type { HeldFiling } from '../domain/insider/merge-filings.ts';
import { parseDateSet } from '../domain/series/date-set.ts';
import type { CurvePoint } from '../domain/treasury/curve.ts';
import { Problem } from '../errors/problem.ts';
import type { DescriptionChange, Followed } from './followed.ts';
import { type SeriesRows, SeriesWriter } from './series-writer.ts';
import {
  addedPoints,
  type FilingPlace,
  type FilingsBefore,
  type FollowedBefore,
  type ImportChange,
  type PointPlace,
  type PointsBefore,
  type SeriesBefore,
} from './undo-record.ts';

/** A transaction of an engine, as far as taking back an import needs it. */
export interface UndoTransaction {
  series(id: string): SeriesRows;
  putPoints(points: readonly CurvePoint[]): Promise<void>;
  /** The filings of these that the store holds, by id. */
  filings(filings: readonly Filing[]): Promise<ReadonlyMap<string, HeldFiling>>;
  /** Writes new and changed filings with their new and changed trades; `held` has those that are in the store. */
  putFilings(put: readonly HeldFiling[], held: ReadonlyMap<string, HeldFiling>): Promise<void>;
  /** What imports from a number on changed. */
  changes(from: number): Promise<readonly ImportChange[]>;
  /** Notes that the newest recorded change of a series leads to another version of it: of any, or only if it led to `from`. */
  moveVersion(seriesId: string, to: number, from?: number): Promise<void>;
  /** Removes an import from the log, and what it changed. */
  removeImport(number: number): Promise<void>;
  /** Replaces the changes of the description of a series. */
  setDescriptionChanges(seriesId: string, changes: readonly DescriptionChange[]): Promise<void>;
  removePoints(points: readonly PointPlace[]): Promise<void>;
  removeFilings(filings: readonly FilingPlace[]): Promise<void>;
  putFollowed(record: Followed): Promise<void>;
  removeFollowed(source: string, name: string): Promise<boolean>;
  /** Removes a series with its rows; false for an unknown one. */
  removeSeries(id: string): Promise<boolean>;
}

/** What an import changed that was taken back. */
export type UndoneChanges = {
  readonly series: readonly string[];
  readonly rates: number;
  readonly filings: number;
};

/**
 * Takes an import back: the store becomes what it was before it, where no later import is about the same series, trade dates
 * or filings. Otherwise it is refused with the numbers of those.
 */
export async function undoImport(transaction: UndoTransaction, number: number): Promise<UndoneChanges> {
  const changes = await transaction.changes(number);
  const own = changes.filter((change) => change.import === number);
  refuseBefore(
    own,
    changes.filter((change) => change.import !== number),
  );
  const undone = { series: [] as string[], rates: 0, filings: 0 };
  const versions: (readonly [id: string, version: number])[] = [];
  for (const { subject, version, content } of own) {
    if (subject === 'filings') undone.filings += await restoreFilings(transaction, JSON.parse(content));
    else if (subject === 'followed') await restoreFollowed(transaction, JSON.parse(content));
    else if (subject.startsWith('curve '))
      undone.rates += await restorePoints(transaction, JSON.parse(content));
    else {
      const id = subject.slice('series '.length);
      versions.push([id, await restoreSeries(transaction, id, version, JSON.parse(content))]);
      undone.series.push(id);
    }
  }
  await transaction.removeImport(number);
  for (const [id, version] of versions) await transaction.moveVersion(id, version);
  return undone;
}

/** Refuses if later imports are about the same. */
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
  const lines = named
    .slice(0, 20)
    .map(([number, subjects]) => `  import ${number}: ${listed([...subjects])}`);
  const more = named.length > lines.length ? [`  … and ${named.length - lines.length} more`] : [];
  throw new Problem('bad-input', ['later imports are about the same:', ...lines, ...more].join('\n'), {
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

/** Whether two imports are about the same of one subject. */
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

async function restoreSeries(
  transaction: UndoTransaction,
  id: string,
  version: number,
  before: SeriesBefore,
): Promise<number> {
  const rows = transaction.series(id);
  const start = await rows.begin();
  if (start.isNew || start.version !== version)
    throw new Problem('bad-input', `${id} was changed since, by something that is not in the log`, {
      hints: ['a backup has the store as it was before the import'],
    });
  if (before.isNew) {
    await transaction.removeSeries(id);
    return 0;
  }
  const restored = await SeriesWriter.over(rows, start).restore(before);
  if (before.descriptions !== undefined) await transaction.setDescriptionChanges(id, before.descriptions);
  return restored;
}

async function restorePoints(transaction: UndoTransaction, before: PointsBefore): Promise<number> {
  const [added, { changed }] = [addedPoints(before), before];
  await transaction.removePoints(added);
  if (changed.length > 0) await transaction.putPoints(changed);
  return added.length + changed.length;
}

async function restoreFilings(
  transaction: UndoTransaction,
  { added, changed }: FilingsBefore,
): Promise<number> {
  await transaction.removeFilings(added.map(([filingId, issuerCik]) => ({ filingId, issuerCik })));
  if (changed.length > 0) {
    const held = await transaction.filings(changed.flatMap(anyTrade));
    await transaction.removeFilings([...held.values()].map(({ header }) => header));
    await transaction.putFilings(changed, new Map());
  }
  return added.length + changed.length;
}

/** One trade of a filing, by which an engine finds the filing. */
function anyTrade({ header, trades: [trade] }: HeldFiling) {
  return trade === undefined ? [] : [filingOf(header, trade)];
}

async function restoreFollowed(transaction: UndoTransaction, records: FollowedBefore): Promise<void> {
  for (const { source, name, before } of records) {
    await transaction.removeFollowed(source, name);
    if (before !== null) await transaction.putFollowed(before);
  }
}
