import { type Filing, filingOf } from '../domain/insider/filing.ts';
import type { HeldFiling } from '../domain/insider/merge-filings.ts';
import type { Day } from '../domain/series/date.ts';
import { type DateSetText, formatDateSet, parseDateSet } from '../domain/series/date-set.ts';
import type { HeldVintage } from '../domain/series/merge-plan.ts';
import type { KeptChange } from '../domain/series/revision-history.ts';
import type { CurvePoint, CurveType, Maturity } from '../domain/treasury/curve.ts';
import { Problem } from '../errors/problem.ts';
import type { Followed } from './followed.ts';
import { addedRows, type SeriesBefore, SeriesWriter } from './series-writer.ts';
import type { ImportChange, WriteTransaction } from './transaction.ts';

/** The rates of a curve before an import. */
type PointsBefore = {
  readonly curveType: CurveType;
  /** The trade dates that the import covered. */
  readonly days: DateSetText;
  /** The rates that the import added, as their trade dates by maturity. */
  readonly added: readonly (readonly [maturity: Maturity, days: DateSetText])[];
  readonly changed: readonly CurvePoint[];
};

/** The filings before an import. */
type FilingsBefore = {
  /** Those that the store had before. */
  readonly held: readonly string[];
  readonly added: readonly (readonly [filingId: string, issuerCik: string])[];
  readonly changed: readonly HeldFiling[];
};

/** What a store followed before an import, by source and name; null for what it did not follow. */
type FollowedBefore = readonly {
  readonly source: string;
  readonly name: string;
  readonly before: Followed | null;
}[];

/** What an import changes besides series, collected until the import ends. */
export class OtherChanges {
  readonly #points = new Map<
    string,
    { readonly point: CurvePoint; readonly before: CurvePoint | undefined }
  >();
  readonly #days = new Map<CurveType, Set<Day>>();
  readonly #filings = new Map<
    string,
    { readonly issuerCik: string; before: HeldFiling | null | undefined }
  >();
  readonly #followed = new Map<string, FollowedBefore[number]>();

  points(given: readonly CurvePoint[], put: readonly CurvePoint[], held: readonly CurvePoint[]): void {
    for (const { curveType, tradeDate } of given) {
      const days = this.#days.get(curveType) ?? new Set<Day>();
      this.#days.set(curveType, days.add(tradeDate));
    }
    const keyOf = ({ curveType, tradeDate, maturity }: CurvePoint) => `${curveType} ${tradeDate} ${maturity}`;
    const before = new Map(held.map((point) => [keyOf(point), point]));
    for (const point of put) {
      const key = keyOf(point);
      if (!this.#points.has(key)) this.#points.set(key, { point, before: before.get(key) });
    }
  }

  filings(given: readonly Filing[], put: readonly HeldFiling[], held: ReadonlyMap<string, HeldFiling>): void {
    for (const { filingId, issuerCik } of given)
      if (!this.#filings.has(filingId)) this.#filings.set(filingId, { issuerCik, before: undefined });
    for (const { header } of put) {
      const known = this.#filings.get(header.filingId);
      if (known !== undefined && known.before === undefined) known.before = held.get(header.filingId) ?? null;
    }
  }

  followed(source: string, name: string, before: Followed | undefined): void {
    const key = `${source} ${name}`;
    if (!this.#followed.has(key)) this.#followed.set(key, { source, name, before: before ?? null });
  }

  /** The subjects, and what each was before. */
  before(): readonly (readonly [subject: string, content: object])[] {
    const points = Array.from(this.#days, ([curveType, days]) => {
      const own = [...this.#points.values()].filter(({ point }) => point.curveType === curveType);
      const added = new Map<Maturity, Day[]>();
      for (const { point, before } of own) {
        if (before !== undefined) continue;
        const known = added.get(point.maturity);
        if (known === undefined) added.set(point.maturity, [point.tradeDate]);
        else known.push(point.tradeDate);
      }
      const content: PointsBefore = {
        curveType,
        days: formatDateSet(days),
        added: Array.from(added, ([maturity, dates]) => [maturity, formatDateSet(dates)]),
        changed: own.flatMap(({ before }) => before ?? []),
      };
      return [`curve ${curveType}`, content] as const;
    });
    const filings: FilingsBefore = {
      held: [...this.#filings].flatMap(([filingId, { before }]) => (before === null ? [] : [filingId])),
      added: [...this.#filings].flatMap(([filingId, { issuerCik, before }]) =>
        before === null ? [[filingId, issuerCik] as const] : [],
      ),
      changed: [...this.#filings.values()].flatMap(({ before }) => before ?? []),
    };
    const followed: FollowedBefore = [...this.#followed.values()];
    return [
      ...points,
      ...(this.#filings.size > 0 ? [['filings', filings] as const] : []),
      ...(followed.length > 0 ? [['followed', followed] as const] : []),
    ];
  }
}

/** What undoing an import changes in one subject. */
type UndoneSubject = {
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
  transaction: WriteTransaction,
  number: number,
  pause: () => Promise<void>,
): Promise<UndoneChanges> {
  const changes = await transaction.sources.changes(number);
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
  await transaction.sources.removeImport(number);
  for (const [id, version] of versions) await transaction.sources.moveVersion(id, version);
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
  transaction: WriteTransaction,
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
  const restored = await new SeriesWriter(rows, start).restore(before);
  if (before.descriptions !== undefined) await transaction.descriptions.replace(id, before.descriptions);
  return { version: restored, undone };
}

async function restorePoints(transaction: WriteTransaction, before: PointsBefore): Promise<UndoneSubject> {
  const { curveType, changed } = before;
  const removed: Day[] = [];
  for (const [maturity, dates] of before.added) {
    const days = parseDateSet(dates).days();
    await transaction.rates.remove(curveType, maturity, days);
    removed.push(...days);
  }
  if (changed.length > 0) await transaction.rates.put(changed);
  return undoneSubject(`${curveType} curve`, {
    removed: removed.length,
    restored: changed.length,
    dates: [...removed, ...changed.map(({ tradeDate }) => tradeDate)],
  });
}

async function restoreFilings(
  transaction: WriteTransaction,
  { added, changed }: FilingsBefore,
): Promise<UndoneSubject> {
  await transaction.filings.remove(added.map(([filingId, issuerCik]) => ({ filingId, issuerCik })));
  if (changed.length > 0) {
    const held = await transaction.filings.held(changed.flatMap(anyTrade));
    await transaction.filings.remove([...held.values()].map(({ header }) => header));
    await transaction.filings.put(changed, new Map());
  }
  return undoneSubject('filings', { removed: added.length, restored: changed.length });
}

/** One trade of a filing, by which an engine finds the filing. */
function anyTrade({ header, trades: [trade] }: HeldFiling) {
  return trade === undefined ? [] : [filingOf(header, trade)];
}

async function restoreFollowed(
  transaction: WriteTransaction,
  records: FollowedBefore,
): Promise<UndoneSubject> {
  for (const { source, name, before } of records) {
    await transaction.sources.removeFollowed(source, name);
    if (before !== null) await transaction.sources.putFollowed(before);
  }
  return undoneSubject('followed', { restored: records.length });
}
