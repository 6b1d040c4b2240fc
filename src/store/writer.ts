import { isDeepStrictEqual } from 'node:util';
import { keyOfSighting, type Look, planSighting, type Sighting } from '../domain/calendar/sighting.ts';
import type { Filing } from '../domain/insider/filing.ts';
import { planFilings, type StoredFiling } from '../domain/insider/merge-filings.ts';
import type { MergeOptions } from '../domain/series/merge-plan.ts';
import { type DescriptionChange, unitOn, unitsByVintage } from '../domain/series/series.ts';
import type { StatementConflict, Statements } from '../domain/series/statements.ts';
import { type CurvePoint, type CurveType, planPoints } from '../domain/treasury/curve.ts';
import type { Day } from '../domain/values/date.ts';
import { formatDateSet } from '../domain/values/date-set.ts';
import {
  type AliasesBefore,
  addedDays,
  type CalendarBefore,
  type FilingsBefore,
  type FollowedBefore,
  type PointsBefore,
} from './recorded-changes.ts';
import { SeriesWriter } from './series-writer.ts';
import { copySeries, type WriteTransaction } from './sql/parts.ts';
import type { SeriesState } from './sql/series-rows.ts';
import type { Alias, Followed, ImportRecord, LoggedImport, UnfinishedImport } from './store.ts';
import { type UndoneChanges, undoImport } from './undo.ts';

/** The most series whose vintages are in memory at once. */
const readTogether = 100;

/** The series that a statement writes: on Citus, it takes a time of its own for each shard. */
const writtenTogether = 1000;

/** Writes to a store in one transaction; readers see nothing before the commit. */
export class StoreWriter {
  readonly address: string;
  /** True if this import creates the store. */
  readonly created: boolean;
  readonly #transaction: WriteTransaction;
  readonly #series = new Map<string, SeriesWriter>();
  #number: number | undefined;
  /** The number of the import whose next part this is. */
  #joined: number | undefined;
  readonly #others = new OtherChanges();
  /** The changes of descriptions before this import. */
  readonly #described = new Map<string, readonly DescriptionChange[]>();
  #followedBefore: readonly Followed[] | undefined;
  #changed = false;

  constructor(transaction: WriteTransaction) {
    this.#transaction = transaction;
    this.address = transaction.address;
    this.created = transaction.created;
  }

  records(seriesIds: readonly string[]) {
    return this.#transaction.records(seriesIds);
  }

  /** Returns those of the series that had statements before this import; other imports may write to them. */
  async withStatements(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.#transaction.series.search({ text: '', ids, limit: ids.length });
    return new Set(found.map(({ id }) => id));
  }

  /** Returns the first vintage of a series, with those of this import up to now; undefined without one. */
  async firstVintage(seriesId: string): Promise<Day | undefined> {
    return (await this.#transaction.rowsOf(seriesId).vintages())[0]?.asOf;
  }

  /** Begins series together, and reads what the merges of these statements need. */
  async prepare(statements: readonly Statements[]): Promise<void> {
    await this.begin(statements.map(({ seriesId }) => seriesId));
    const wanted = new Map<string, ReadonlySet<Day>>();
    for (const own of statements) {
      const dates = this.#series.get(own.seriesId)?.datesOfLatest(own);
      if (dates !== undefined) wanted.set(own.seriesId, dates);
    }
    const latest = await this.#transaction.latestChanges(wanted);
    for (const own of statements)
      if (wanted.has(own.seriesId))
        this.#series.get(own.seriesId)?.know(own, latest.get(own.seriesId) ?? new Map());
  }

  /** Returns the writer of a series, and creates the series if it is missing. */
  async series(id: string): Promise<SeriesWriter> {
    await this.begin([id]);
    const begun = this.#series.get(id);
    if (begun === undefined) throw new Error(`the series ${id} did not begin`);
    return begun;
  }

  /** Begins series together, and creates those that are missing. */
  async begin(ids: readonly string[]): Promise<void> {
    const fresh = ids.filter((id) => !this.#series.has(id));
    if (fresh.length === 0) return;
    for (const [id, start] of await this.#transaction.begin(fresh)) {
      this.#series.set(id, new SeriesWriter(this.#transaction.rowsOf(id), start));
      this.#changed ||= start.isNew;
    }
  }

  async mergePoints(points: readonly CurvePoint[], options: MergeOptions) {
    const held = await this.#storedPoints(points);
    const { put, ...counts } = planPoints(held, points, options);
    this.#others.points(points, put, held);
    const changed = put.length > 0;
    if (changed) await this.#transaction.rates.put(put);
    this.#changed ||= changed;
    return { ...counts, changed };
  }

  /** Adds trades of filings, in any order; the result does not depend on the order of calls. */
  async mergeFilings(filings: readonly Filing[], options: MergeOptions) {
    const held = await this.#transaction.filings.stored(filings);
    const { put, ...counts } = planFilings([...held.values()], filings, options);
    this.#others.filings(filings, put, held);
    const changed = put.length > 0;
    if (changed) await this.#transaction.filings.put(put, held);
    this.#changed ||= changed;
    return { ...counts, changed };
  }

  /** Adds a look at a calendar; `put` tells whether it is new. Another text of a stored look needs `replace`. */
  async mergeSighting(sighting: Sighting, replace: boolean | undefined) {
    const { entries: _, ...look } = sighting;
    const { put, conflict } = planSighting(await this.#transaction.calendar.stored(look), sighting);
    if (!put) this.#others.knownLook(look);
    if (!put || (conflict !== undefined && replace !== true)) return { put: false, conflict };
    this.#others.putLook(look, conflict ?? null);
    await this.#transaction.calendar.put(sighting);
    this.#changed = true;
    return { put };
  }

  /** Records an import; an entry from another store's log may be outdated. */
  async recordImport(record: ImportRecord & Partial<LoggedImport>): Promise<void> {
    // This store does not know what an import into another store changed.
    if (record.number !== undefined) await this.#transaction.sources.addImport(record, null);
    else this.#number = await this.#transaction.sources.addImport(record, this.#number, this.#joined);
  }

  /** Returns where the import of these paths goes on, undefined at its beginning; only one writer at a time knows. */
  async goOn(paths: string, key: string): Promise<UnfinishedImport | undefined> {
    const found = await this.#transaction.sources.unfinishedOf(paths);
    if (found?.key !== key) return undefined;
    this.#joined = found.imports.at(-1);
    return found;
  }

  /** Records that an import in parts is stored up to a part, or, without `rest`, up to its end. */
  async endPart(paths: string, since: string, rest?: Omit<UnfinishedImport, 'paths'>): Promise<void> {
    if (rest === undefined) await this.#transaction.sources.removeUnfinished(paths);
    else await this.#transaction.sources.putUnfinished({ paths, ...rest }, since);
  }

  /** The number of this import, in a list; none if it recorded nothing or was rolled back. */
  get imports(): readonly number[] {
    return this.#number === undefined ? [] : [this.#number];
  }

  /** Records a change in a series' description; of several changes on one day, the first text stays. */
  async recordChange(change: DescriptionChange): Promise<void> {
    const { seriesId } = change;
    const before = this.#described.get(seriesId) ?? (await this.#transaction.descriptions.of(seriesId));
    this.#described.set(seriesId, before);
    this.#changed ||= !before.some((one) => isDeepStrictEqual(one, change));
    return this.#transaction.descriptions.add(change);
  }

  /** Returns the unit of each vintage that a series has now, from the unit of the newest. */
  async unitsOf(seriesId: string, units: string): Promise<ReadonlyMap<Day, string>> {
    const { all, days } = await this.#changesAndVintages(seriesId);
    return new Map(days.map((day) => [day, unitOn(day, units, all)]));
  }

  /** Adds the units that vintages of a series state to those known so far; returns the unit of the newest vintage. */
  async stateUnits(seriesId: string, units: string, stated: ReadonlyMap<Day, string>): Promise<string> {
    const { all, days } = await this.#changesAndVintages(seriesId);
    if (!this.#described.has(seriesId)) this.#described.set(seriesId, all);
    const made = unitsByVintage({ units, changes: all }, days, stated);
    const changes = made.changes.map((change) => ({ seriesId, ...change }));
    await this.#transaction.descriptions.replace(seriesId, [
      ...all.filter(({ field }) => field !== 'units'),
      ...changes,
    ]);
    return made.units;
  }

  async #changesAndVintages(seriesId: string) {
    const [all, vintages] = await Promise.all([
      this.#transaction.descriptions.of(seriesId),
      this.#transaction.rowsOf(seriesId).vintages(),
    ]);
    return { all, days: vintages.map(({ asOf }) => asOf) };
  }

  /** Follows an item, or updates its progress; changes neither facts nor the state of the data. */
  async follow(record: Followed): Promise<void> {
    await this.#noteFollowed(record);
    return this.#transaction.sources.putFollowed(record);
  }

  async unfollow(source: string, name: string): Promise<boolean> {
    await this.#noteFollowed({ source, name });
    return this.#transaction.sources.removeFollowed(source, name);
  }

  async followed(): Promise<readonly Followed[]> {
    this.#followedBefore ??= await this.#transaction.sources.followed();
    return this.#followedBefore;
  }

  async #noteFollowed({ source, name }: Pick<Followed, 'source' | 'name'>): Promise<void> {
    const followed = await this.followed();
    const before = followed.find((one) => one.source === source && one.name === name);
    this.#others.followed(source, name, before);
  }

  /** Updates periods, counts and coverage once, after all merges; returns conflicts in one period, by series. */
  async finish(seriesIds: readonly string[]): Promise<ReadonlyMap<string, readonly StatementConflict[]>> {
    const conflicts = new Map<string, readonly StatementConflict[]>();
    const [states, notes]: [SeriesState[], (() => Promise<void>)[]] = [[], []];
    const put = async () => {
      await this.#transaction.putStates(states.splice(0));
      for (const note of notes.splice(0)) await note();
    };
    for (let at = 0; at < seriesIds.length; at += readTogether) {
      const ids = seriesIds.slice(at, at + readTogether);
      await this.begin(ids);
      const open = new Set<string>();
      for (const id of ids) if (await (await this.series(id)).settle()) open.add(id);
      const vintages = await this.#transaction.kindsAndDates([...open]);
      for (const id of ids) {
        const series = await this.series(id);
        const state = series.state(open.has(id) ? (vintages.get(id) ?? []) : undefined);
        if (state !== undefined) states.push(state);
        const note = series.before(state !== undefined, this.#described.get(id));
        notes.push(() => this.#noteSeries(id, note, state !== undefined));
        if (series.conflicts.length > 0) conflicts.set(id, series.conflicts);
        // Frees the memory of a finished series.
        this.#series.delete(id);
      }
      this.#changed ||= states.length > 0;
      if (notes.length >= writtenTogether) await put();
    }
    await put();
    return conflicts;
  }

  /** Records how a series was before this import; an import without a number records only its new version. */
  async #noteSeries(
    id: string,
    { version, content }: ReturnType<SeriesWriter['before']>,
    changed: boolean,
  ): Promise<void> {
    const rows = this.#transaction.rowsOf(id);
    if (this.#number !== undefined)
      await rows.record({ import: this.#number, version, content: JSON.stringify(content) });
    else if (changed) await rows.moveVersion(version, version - 1);
  }

  /** Removes a series and its aliases; false if it is unknown. */
  async removeSeries(seriesId: string): Promise<boolean> {
    this.#series.delete(seriesId);
    const removed = await this.#transaction.rowsOf(seriesId).remove();
    await this.#transaction.aliases.removeOf(seriesId);
    this.#changed ||= removed;
    return removed;
  }

  /** Lists the aliases; until this import ends, no other one makes an alias or a series. */
  aliases(): Promise<readonly Alias[]> {
    return this.#transaction.aliases.locked();
  }

  async putAlias(alias: Alias): Promise<void> {
    const before = await this.#transaction.aliases.idOf(alias.name);
    this.#others.alias(alias, before);
    if (before === alias.seriesId) return;
    this.#changed = true;
    await this.#transaction.aliases.put(alias);
  }

  removeAlias(name: string): Promise<void> {
    this.#changed = true;
    return this.#transaction.aliases.remove(name);
  }

  /** Renames a series; no series may have the new id. */
  async renameSeries(from: string, to: string): Promise<void> {
    this.#changed = true;
    const version = await copySeries(from, this.#transaction, this.#transaction, to);
    if (version === undefined) return;
    const [old, renamed] = [this.#transaction.rowsOf(from), this.#transaction.rowsOf(to)];
    for (const change of await old.recorded()) await renamed.record(change);
    await renamed.moveVersion(version);
    await this.#transaction.aliases.move(from, to);
    await old.remove();
  }

  /** Forgets what the imports before a time (ISO 8601) changed: they can no longer be undone. */
  forgetChanges(before: string): Promise<void> {
    return this.#transaction.sources.forgetChanges(before);
  }

  /** Undoes an import, or throws; `pause` is called between the parts and may throw. */
  undo(number: number, pause: () => Promise<void>): Promise<UndoneChanges> {
    this.#changed = true;
    return undoImport(this.#transaction, number, pause);
  }

  async commit(): Promise<void> {
    const number = this.#number;
    if (number !== undefined)
      await this.#transaction.sources.putChanges(
        this.#others.before().map(([subject, content]) => ({
          import: number,
          subject,
          content: JSON.stringify(content),
        })),
      );
    return this.#transaction.commit(this.#changed);
  }

  /** Leaves the store as it was, and removes a store that this import created. */
  rollback(): Promise<void> {
    this.#number = undefined;
    return this.#transaction.rollback();
  }

  async #storedPoints(points: readonly CurvePoint[]): Promise<readonly CurvePoint[]> {
    const held: CurvePoint[] = [];
    for (const curveType of new Set(points.map((point) => point.curveType))) {
      const own = points.filter((point) => point.curveType === curveType);
      const days = own.map(({ tradeDate }) => tradeDate).sort();
      const [from = '', to = ''] = [days[0], days.at(-1)];
      held.push(...(await this.#transaction.rates.stored({ curveType, from, to })));
    }
    return held;
  }
}

/** The changes of an import except those of series. */
class OtherChanges {
  readonly #points = new Map<
    string,
    { readonly point: CurvePoint; readonly before: CurvePoint | undefined }
  >();
  readonly #days = new Map<CurveType, Set<Day>>();
  readonly #filings = new Map<string, string>();
  /** The changed filings as they were; null for a new one. */
  readonly #changedFilings = new Map<string, StoredFiling | null>();
  readonly #followed = new Map<string, FollowedBefore[number]>();
  readonly #looks = new Map<string, CalendarBefore[number]>();
  readonly #aliases: AliasesBefore[number][] = [];

  points(given: readonly CurvePoint[], put: readonly CurvePoint[], held: readonly CurvePoint[]): void {
    for (const { curveType, tradeDate } of given)
      this.#days.set(curveType, (this.#days.get(curveType) ?? new Set()).add(tradeDate));
    const keyOf = ({ curveType, tradeDate, maturity }: CurvePoint) => `${curveType} ${tradeDate} ${maturity}`;
    const known = new Map(held.map((point) => [keyOf(point), point]));
    for (const point of put) {
      const key = keyOf(point);
      if (!this.#points.has(key)) this.#points.set(key, { point, before: known.get(key) });
    }
  }

  filings(
    given: readonly Filing[],
    put: readonly StoredFiling[],
    held: ReadonlyMap<string, StoredFiling>,
  ): void {
    for (const { filingId, issuerCik } of given)
      if (!this.#filings.has(filingId)) this.#filings.set(filingId, issuerCik);
    for (const { filingId } of put.map(({ header }) => header))
      if (!this.#changedFilings.has(filingId)) this.#changedFilings.set(filingId, held.get(filingId) ?? null);
  }

  followed(source: string, name: string, before: Followed | undefined): void {
    const key = `${source} ${name}`;
    if (!this.#followed.has(key)) this.#followed.set(key, { source, name, before: before ?? null });
  }

  knownLook(look: Look): void {
    const key = keyOfSighting(look);
    if (!this.#looks.has(key)) this.#looks.set(key, { look });
  }

  putLook(look: Look, before: Sighting | null): void {
    const key = keyOfSighting(look);
    if (this.#looks.get(key)?.before === undefined) this.#looks.set(key, { look, before });
  }

  alias({ name, seriesId }: Alias, before: string | undefined): void {
    this.#aliases.push(before === seriesId ? { name } : { name, before: before ?? null });
  }

  /** Lists the subjects, each with its content before the import. */
  before(): readonly (readonly [subject: string, content: object])[] {
    const points = Array.from(this.#days, ([curveType, days]) => {
      const own = [...this.#points.values()].filter(({ point }) => point.curveType === curveType);
      const added = own.filter(({ before }) => before === undefined);
      const content: PointsBefore = {
        curveType,
        days: formatDateSet(days),
        added: addedDays(added.map(({ point }) => [point.maturity, point.tradeDate])),
        changed: own.flatMap(({ before }) => before ?? []),
      };
      return [`curve ${curveType}`, content] as const;
    });
    const isAdded = ([filingId]: readonly [string, string]) => this.#changedFilings.get(filingId) === null;
    const filings: FilingsBefore = {
      held: [...this.#filings].filter((one) => !isAdded(one)).map(([filingId]) => filingId),
      added: [...this.#filings].filter(isAdded),
      changed: [...this.#changedFilings.values()].flatMap((before) => before ?? []),
    };
    const followed: FollowedBefore = [...this.#followed.values()];
    const looks: CalendarBefore = [...this.#looks.values()];
    return [
      ...points,
      ...(this.#filings.size > 0 ? [['filings', filings] as const] : []),
      ...(followed.length > 0 ? [['followed', followed] as const] : []),
      ...(looks.length > 0 ? [['looks', looks] as const] : []),
      ...(this.#aliases.length > 0 ? [['aliases', this.#aliases] as const] : []),
    ];
  }
}
