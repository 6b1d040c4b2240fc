import { addDays, type Day, earlier } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';
import { fredApi } from '../../import/formats/fred/observations.ts';
import { ImportRefusal } from '../../import/load/conflict.ts';
import type { ImportFile } from '../../import/load/load.ts';
import { document, type PullTask, type PullWindow } from '../source.ts';
import {
  changed,
  type FredApi,
  type FredLimits,
  type FredRefusal,
  type FredRow,
  type FredRows,
  lostVintages,
  refusedObservations,
} from './api.ts';
import { FredDescription } from './description.ts';
import {
  addWithdrawn,
  chicagoDay,
  type FredBookmark,
  heldOn,
  isNews,
  type KnownValues,
  readBookmark,
  stitch,
} from './known.ts';

/** Before the first vintage of any series; FRED's own word for "from the beginning". */
const beginning: Day = '1776-07-04';

/** A contiguous real-time period of a series. */
type Period = { readonly start: Day; readonly end: Day };

/** Pulls the history of one series, window after window. */
export class FredHistory {
  readonly #id: string;
  readonly #task: PullTask;
  readonly #api: FredApi;
  readonly #limits: FredLimits;
  #today: Day;
  readonly #description: FredDescription;
  #known: KnownValues = new Map();
  #bookmark: FredBookmark;

  constructor(task: PullTask, api: FredApi, limits: FredLimits) {
    this.#id = task.subject.name;
    this.#task = task;
    this.#api = api;
    this.#limits = limits;
    this.#description = new FredDescription(task, api);
    this.#today = chicagoDay(task.now);
    this.#bookmark = (task.full ? undefined : readBookmark(task.subject.bookmark)) ?? {};
  }

  async *windows(): AsyncGenerator<PullWindow> {
    const { described } = this.#bookmark;
    let upTo = this.#today;
    for await (const window of this.#data()) {
      ({ upTo } = window);
      yield window;
    }
    if (!this.#description.isDue(described, this.#today)) return;
    const files = await this.#description.changes();
    this.#bookmark = { ...this.#bookmark, described: this.#today };
    yield { files, bookmark: JSON.stringify(this.#bookmark), upTo, remaining: 0 };
  }

  async *#data(): AsyncGenerator<PullWindow> {
    const { vintage, fetched } = this.#bookmark;
    if (fetched === true) yield* this.#withoutVintages();
    else if (vintage === undefined) yield* this.#fromTheBeginning();
    else yield* this.#sinceKnown(vintage);
  }

  /** The whole history: the vintage dates first, then windows of as many as FRED takes. */
  async *#fromTheBeginning(): AsyncGenerator<PullWindow> {
    await this.#description.document();
    const start = this.#task.since ?? beginning;
    const dates = await this.#vintageDates(start);
    if (dates === 'no-vintages') yield* this.#withoutVintages();
    else yield* this.#inWindows(start, dates, false);
  }

  /** What came after the last vintage that is known; the window begins with that vintage. */
  async *#sinceKnown(vintage: Day): AsyncGenerator<PullWindow> {
    const held = await this.#task.read((view) => heldOn(view, this.#id, vintage));
    if (held === undefined) {
      // The facts that the bookmark describes are gone.
      yield* this.#fromTheBeginning();
      return;
    }
    this.#known = held;
    if (vintage > this.#today) throw this.#clockBehind(vintage);
    const rows = await this.#rows({ start: vintage, end: this.#today });
    if (rows !== 'too-many-vintages') {
      yield await this.#window({ start: vintage, end: this.#today }, rows, {
        startIsKnown: true,
        remaining: 0,
      });
      return;
    }
    const dates = await this.#vintageDates(vintage);
    if (dates === 'no-vintages') throw lostVintages(this.#id);
    yield* this.#inWindows(vintage, dates, true);
  }

  /** Windows that follow each other without a gap, from `start` to today; `dates` are the vintages in them. */
  async *#inWindows(start: Day, dates: readonly Day[], startIsKnown: boolean): AsyncGenerator<PullWindow> {
    let first = start;
    let left = dates.filter((date) => date >= start);
    let begun = startIsKnown;
    for (;;) {
      const size = this.#limits.vintages;
      const next = left[size];
      const asked = next === undefined ? this.#today : earlier(addDays(next, -1), this.#today);
      const rows = await this.#rows({ start: first, end: asked });
      // FRED may have corrected the day.
      const end = earlier(asked, this.#today);
      if (rows === 'too-many-vintages') {
        if (size === 1) throw changed('series/observations', 'it takes not even one vintage date');
        this.#limits.vintages = Math.floor(size / 2);
        continue;
      }
      left = left.slice(size);
      const remaining = Math.ceil(left.length / this.#limits.vintages);
      yield await this.#window({ start: first, end }, rows, { startIsKnown: begun, remaining });
      if (next === undefined || end === this.#today) return;
      first = next;
      begun = false;
    }
  }

  /** A window of vintages: the rows that state something, and the bookmark after them. */
  async #window(
    period: Period,
    { head, rows }: FredRows,
    { startIsKnown, remaining }: { readonly startIsKnown: boolean; readonly remaining: number },
  ): Promise<PullWindow> {
    const path = `FRED ${this.#id} ${period.start} to ${period.end}`;
    if (startIsKnown)
      await this.#task.read((view) => addWithdrawn(view, this.#id, period.start, rows, this.#known));
    const { news, contradictions } = stitch(rows, period.start, this.#known, startIsKnown);
    if (contradictions.length > 0)
      throw new ImportRefusal(
        contradictions.map((found) => ({
          kind: 'value' as const,
          file: path,
          seriesId: this.#id,
          asOf: period.start,
          ...found,
        })),
      );
    // The rows state when their values were really published, as in a request from the beginning.
    const whole = { ...head, realtime_start: beginning };
    const files = await this.#files(path, whole, await this.#withoutKnown(news));
    this.#bookmark = this.#after(period, news);
    return {
      ...files,
      ...(files.files.length === 0 && { coverage: await this.#coverage(period.end) }),
      bookmark: JSON.stringify(this.#bookmark),
      upTo: period.end,
      remaining,
    };
  }

  /** The bookmark after a window: today is not over, so its vintage is requested again. */
  #after({ start, end }: Period, news: readonly FredRow[]): FredBookmark {
    let vintage = this.#bookmark.vintage ?? '';
    for (const { realtime_start: from } of news)
      if (typeof from === 'string' && from > vintage && from < this.#today && from !== beginning)
        vintage = from;
    if (vintage === '' && start !== beginning && start < this.#today) vintage = start;
    // If the history begins today, it is known that nothing was published up to yesterday.
    if (vintage === '' && news.length > 0 && end === this.#today) vintage = addDays(this.#today, -1);
    return {
      ...(vintage !== '' && { vintage }),
      ...(end === this.#today && { partial: this.#today }),
      ...this.#described(),
    };
  }

  /** A series for which FRED keeps no vintages: the values of today, known from today on. */
  async *#withoutVintages(): AsyncGenerator<PullWindow> {
    const { head, rows } = await this.#rowsOfToday();
    // FRED may have corrected the day.
    const today = this.#today;
    const held = (await this.#task.read((view) => heldOn(view, this.#id, today))) ?? new Map();
    const before = readBookmark(this.#task.subject.bookmark);
    const again = before?.partial === today;
    if (before === undefined)
      this.#task.note(
        `${this.#id} has no vintages at FRED: its values count as known from the day of each run on`,
      );
    let news = rows.some((row) => isNews(row, held)) ? rows : [];
    if (again && news.length > 0) {
      const other = rows.filter((row) => isNews(row, held) && held.has(String(row.date)));
      if (other.length > 0)
        this.#task.note(
          `${counted(other.length, 'value')} changed since the last run today; the next day's run takes ${other.length === 1 ? 'it' : 'them'}`,
        );
      news = rows.filter((row) => isNews(row, held) && !held.has(String(row.date)));
    }
    const files = await this.#files(`FRED ${this.#id} on ${today}`, head, news);
    this.#bookmark = { fetched: true, partial: today, ...this.#described() };
    yield {
      ...files,
      ...(files.files.length === 0 && { coverage: await this.#coverage(today) }),
      bookmark: JSON.stringify(this.#bookmark),
      upTo: today,
      remaining: 0,
    };
  }

  /** What FRED has today, as rows that begin and end today. */
  async #rowsOfToday(): Promise<FredRows> {
    const period = { start: this.#today, end: this.#today };
    const found = await this.#rows(period, 'no-vintages');
    if (found === 'too-many-vintages') throw lostVintages(this.#id);
    if (found !== 'no-vintages') return found;
    const current = await this.#api.observations(this.#id);
    if (typeof current === 'string' || 'today' in current) throw refusedObservations(this.#id, current);
    // Without a period FRED answers with the day on which it last loaded data.
    const today = { realtime_start: this.#today, realtime_end: this.#today };
    return { head: { ...current.head, ...today }, rows: current.rows.map((row) => ({ ...row, ...today })) };
  }

  /** The rows of a period; if the clock of this machine is ahead of FRED's, up to FRED's today. */
  async #rows<Expected extends FredRefusal = never>(
    period: Period,
    expected?: Expected,
  ): Promise<FredRows | 'too-many-vintages' | Expected> {
    const found = await this.#api.observations(this.#id, period.start, period.end);
    if (typeof found === 'object' && 'today' in found) {
      if (found.today >= period.end) throw refusedObservations(this.#id, found);
      this.#task.note(`the clock of this machine is ahead: at FRED it is ${found.today}`);
      const start = period.start === this.#today ? found.today : period.start;
      this.#today = found.today;
      return this.#rows({ start, end: found.today }, expected);
    }
    if (expected !== undefined && found === expected) return expected;
    if (found === 'too-many-vintages' || typeof found === 'object') return found;
    if (found === 'nothing-then') return { head: {}, rows: [] };
    throw refusedObservations(this.#id, found);
  }

  async #vintageDates(from: Day): Promise<readonly Day[] | 'no-vintages'> {
    const found = await this.#api.vintageDates(this.#id, from, '9999-12-31');
    if (found === 'no-vintages') return found;
    if (found === 'nothing-then') return [];
    if (typeof found === 'string' || 'today' in found) throw refusedObservations(this.#id, found);
    return found.filter((date) => date <= this.#today);
  }

  /** The documents of a window, with the description beside the observations. */
  async #files(
    path: string,
    head: FredRows['head'],
    rows: readonly FredRow[],
  ): Promise<Pick<PullWindow, 'files' | 'load'>> {
    if (rows.length === 0) return { files: [] };
    const description = await this.#description.document();
    const answer = { ...head, count: rows.length, offset: 0, limit: rows.length, observations: rows };
    const file = document({ name: `${this.#id}-observations.json`, path }, JSON.stringify(answer), [
      description,
    ]);
    const files: readonly ImportFile[] = [{ file, format: fredApi }];
    return { files };
  }

  /** The day of the last description, for the bookmark. */
  #described(): Pick<FredBookmark, 'described'> {
    const described = this.#description.wasAsked ? this.#today : this.#bookmark.described;
    return described === undefined ? {} : { described };
  }

  /** Without the rows of the day of the last run that the store has already. */
  async #withoutKnown(news: readonly FredRow[]): Promise<readonly FredRow[]> {
    const { partial } = this.#bookmark;
    if (partial === undefined || !news.some(({ realtime_start: from }) => from === partial)) return news;
    const held = (await this.#task.read((view) => heldOn(view, this.#id, partial))) ?? new Map();
    return news.filter((row) => row.realtime_start !== partial || isNews(row, held));
  }

  /** The series whose coverage grows with a window that has no news, if the store has it. */
  async #coverage(to: Day): Promise<ReadonlyMap<string, Day>> {
    const held = await this.#task.read((view) => view.findSeries(this.#id));
    return new Map(held === undefined ? [] : [[this.#id, to]]);
  }

  #clockBehind(vintage: Day): Problem {
    const detail = `the clock of this machine says ${this.#today}, and the store has a vintage of ${vintage}`;
    return new Problem('local-io', detail, { hints: ['set the clock, and pull again'] });
  }
}
