import { localTimeOf } from '../../domain/calendar/zones.ts';
import { parseSeriesId } from '../../domain/series/series.ts';
import type { StatementConflict } from '../../domain/series/statements.ts';
import { addDays, type Day, earlier, later, latestDay } from '../../domain/values/date.ts';
import { sameNumber } from '../../domain/values/decimal.ts';
import { entryOf, groupBy } from '../../domain/values/groups.ts';
import { Problem } from '../../errors/problem.ts';
import { refusal, type SourceFile } from '../../import/files/source-file.ts';
import type { ImportFile } from '../../import/formats/format.ts';
import {
  fredSeries,
  newestFigures,
  partOfAnswer,
  type RealTimeHistory,
  type RealTimeValue,
  readHistory,
} from '../../import/formats/fred/api.ts';
import { isCurveColumn } from '../../import/formats/treasury.ts';
import { ImportRefusal } from '../../import/load/conflict.ts';
import { defined } from '../../platform/defined.ts';
import type { History } from '../history.ts';
import {
  bookmarkIn,
  document,
  type PullSource,
  type PullTask,
  type PullWindow,
  type PullWindows,
  wrongAnswer,
  wrongClock,
} from '../source.ts';
import { inputOf } from '../whole-files.ts';
import { FredApi } from './api.ts';

const release = /^release (\d{1,9})$/;

/** FRED and ALFRED; the subjects are ids of series. */
export const fred: PullSource = {
  name: 'fred',
  otherNames: ['alfred'],
  example: 'GDP',
  title: 'FRED',
  base: 'https://api.stlouisfed.org',
  folder: '/fred',
  pace: [
    // Three requests arrive within a second only if one is 200 ms late.
    { requests: 1, milliseconds: 600 },
    { requests: 100, milliseconds: 60_500 },
  ],
  probe: '/series?series_id=GDP&file_type=json',
  since: 'whole',
  refusesWindows: true,
  ...{ isAnswer: FredApi.isAnswer, failureIn: FredApi.failureIn },

  credentials({ key }) {
    if (key === undefined)
      throw new Problem('unauthorized', 'no key for FRED', {
        hints: [
          'https://fredaccount.stlouisfed.org/apikeys gives you one for free',
          'asof auth login --source fred stores it; FRED_API_KEY or ASOF_FRED_API_KEY_FILE names it',
        ],
      });
    const text = encodeURIComponent(key);
    return { query: `api_key=${text}`, secrets: [...new Set([key, text])] };
  },

  parse: (text) => (release.test(text) ? text : seriesId(text)),

  async expand(name, get) {
    const number = release.exec(name)?.[1];
    if (number === undefined) return [name];
    const listed = await new FredApi(get).listing({ release_id: Number(number) });
    return listed.map(({ id }) => id).filter((id) => !isCurveColumn(id));
  },

  estimate(subject) {
    const { name, bookmark } = subject;
    if (release.test(name))
      return { requests: 1, what: 'the list of its series, then at least 4 requests for each' };
    if (bookmark === '')
      return { requests: 4, what: 'the description, the vintage dates, every vintage, and the release' };
    const { fetched, vintage = 'the beginning' } = bookmarkIn<FredBookmark>(subject);
    return { requests: 1, what: fetched === true ? 'what FRED has today' : `what is new since ${vintage}` };
  },

  windows: (task) => new FredHistory(task).windows(),
};

function seriesId(text: string): string {
  const id = parseSeriesId(text);
  if (id === undefined) throw new Problem('bad-input', `${JSON.stringify(text)}: not a series id`);
  if (isCurveColumn(id))
    throw new Problem('bad-input', `${id} is a maturity of a treasury curve, which asof keeps as a curve`, {
      hints: ['asof pull treasury'],
    });
  return id;
}

/** Before the first vintage of any series; FRED's own word for the beginning. */
const beginning: Day = '1776-07-04';

type FredBookmark = {
  /** The day from which the store has every vintage. */
  readonly from?: Day;
  /** The last vintage date that is completely stored. */
  readonly vintage?: Day;
  /** The day of the last run, whose vintages may have been incomplete. */
  readonly partial?: Day;
  /** Set if FRED has no vintages of the series. */
  readonly fetched?: true;
  /** Set if FRED was asked for the release of the series. */
  readonly released?: true;
};

type Period = { readonly start: Day; readonly end: Day };

type ObservationRange = { readonly observation_start?: Day; readonly observation_end?: Day };

type FredRows = Exclude<Awaited<ReturnType<FredApi['observations']>>, string>;

type Answer = {
  readonly file: SourceFile;
  readonly period: Period;
  readonly rows: readonly RealTimeValue[];
};

class FredHistory {
  readonly #id: string;
  readonly #task: PullTask;
  readonly #api: FredApi;
  /** The vintages of one answer, which shrink when FRED says that they are too many. */
  #mostVintages = 2000;
  #today: Day;
  #bookmark: FredBookmark;
  #upTo: Day = '';
  #described: SourceFile | undefined;
  /** The stored history, if this run compares it with FRED. */
  #stored: History | undefined;
  /** The days with every vintage that FRED had: after the first, up to and including the last. */
  #complete: { readonly after: Day; readonly upTo: Day } | undefined;
  /** The values at the end of the window before, by stored date. */
  #before: ReadonlyMap<Day, RealTimeValue> | undefined;

  constructor(task: PullTask) {
    this.#id = task.subject.name;
    this.#task = task;
    this.#api = new FredApi(task.get);
    this.#today = chicagoDay(task.now);
    this.#bookmark = bookmarkIn(task.subject);
  }

  /** Pulls the history, and asks for the release of a series whose release is not stored. */
  async *windows(): PullWindows {
    yield* this.#history();
    const { release } = (await this.#task.find(this.#id)) ?? {};
    if (this.#bookmark.released === true || release !== '') return;
    const file = await this.#release();
    if (file === undefined) return;
    yield { files: [file], bookmark: { ...this.#bookmark, released: true }, upTo: this.#upTo };
  }

  /** Asks in which release the series appears; undefined after a failure, which the next run tries again. */
  async #release(): Promise<ImportFile | undefined> {
    try {
      const release = await this.#api.release(this.#id);
      const file = document(
        `${this.#id}-release.json`,
        `FRED ${this.#id} release`,
        JSON.stringify({ release }),
      );
      const metadata = [{ seriesId: this.#id, ...defined({ release }) }];
      return inputOf({ file, format: fredSeries, batches: [{ metadata }] });
    } catch (error) {
      const isOfRun = error instanceof Problem && /^(?:interrupted|local-io)$/.test(error.kind);
      if (!(error instanceof Problem) || isOfRun) throw error;
      this.#task.note(`its release is not known yet: ${error.detail}; the next run asks again`);
      return undefined;
    }
  }

  async *#history(): AsyncGenerator<PullWindow> {
    const { from = beginning, vintage = '', partial = '', fetched } = this.#bookmark;
    const { full, since = '', storedHistory } = this.#task;
    if (fetched === true && !full) {
      yield* this.#withoutVintages();
      return;
    }
    if (vintage !== '' || full) this.#stored = await storedHistory(this.#id);
    const isKnown = this.#stored !== undefined && vintage !== '';
    if (isKnown) this.#complete = { after: from, upTo: later(vintage, partial) };
    const start = full ? earlier(since, vintage) : vintage;
    if (!isKnown || (full && start <= from)) {
      yield* this.#fromTheBeginning();
      return;
    }
    // The store has everything up to the first day.
    for await (const answer of this.#answers(start))
      yield await this.#window(answer, answer.period.start === start ? this.#stored : undefined);
  }

  /** Requests the description as a document; throws a Problem if FRED does not know the id. */
  async #description(): Promise<SourceFile> {
    const text = () => this.#api.description(this.#task.subject);
    this.#described ??= document(`${this.#id}-series.json`, `FRED ${this.#id}`, await text());
    return this.#described;
  }

  /** Pulls the whole history: the vintage dates, then windows with as many vintages as FRED takes. */
  async *#fromTheBeginning(): AsyncGenerator<PullWindow> {
    await this.#description();
    const { full, since } = this.#task;
    const { from = beginning } = this.#bookmark;
    const asked = since ?? (full ? beginning : from);
    // The values of the first day must be final, and today is not over.
    const start = earlier(asked, addDays(this.#today, -1));
    // The facts that the bookmark is about may be gone.
    if (this.#stored === undefined) this.#bookmark = {};
    const dates = await this.#api.vintageDates(this.#id, start);
    if (dates === 'no-vintages') {
      yield* this.#withoutVintages();
      return;
    }
    this.#bookmark = { ...this.#bookmark, from: earlier(this.#bookmark.from ?? start, start) };
    for await (const answer of this.#answers(start, { dates })) yield await this.#window(answer);
  }

  /**
   * Requests the answers from a day on, in periods without a gap. `dates` are the vintages in them;
   * without `dates`, one request asks for everything as long as FRED takes it.
   */
  async *#answers(
    start: Day,
    options: { readonly dates?: readonly Day[]; readonly last?: Day; readonly range?: ObservationRange } = {},
  ): AsyncGenerator<Answer> {
    const { last = this.#today, range } = options;
    let first = start;
    let left = options.dates ?? [];
    for (;;) {
      const next = left[this.#mostVintages];
      const end = next === undefined ? last : earlier(addDays(next, -1), last);
      const found = await this.#rows({ start: first, end }, range);
      if (found === 'no-vintages') throw await this.#contradiction();
      if (found === 'too-many-vintages') {
        const dates = left.length > 0 ? undefined : await this.#api.vintageDates(this.#id, first);
        if (dates === 'no-vintages' || this.#mostVintages < 1) throw await this.#contradiction();
        if (dates === undefined) this.#mostVintages = Math.floor(this.#mostVintages / 2);
        else left = dates.filter((date) => date <= last);
        continue;
      }
      const period = { start: first, end };
      yield this.#read(found, period);
      if (next === undefined || end === this.#today) return;
      left = left.slice(this.#mostVintages);
      first = next;
    }
  }

  #read({ head, rows }: FredRows, period: Period): Answer {
    const { start, end } = period;
    const answer = { ...head, count: rows.length, offset: 0, limit: rows.length, observations: rows };
    const place = `FRED ${this.#id} ${start} to ${end}`;
    const file = document(`${this.#id}-observations.json`, place, JSON.stringify(answer));
    return { file, period, rows: rows.length === 0 ? [] : readHistory(file, answer).rows };
  }

  /** Makes a window of the rows that state something; `known` is what is stored if the first day is known. */
  async #window({ file, period, rows }: Answer, known?: History): Promise<PullWindow> {
    const { start, end } = period;
    const dateOf = this.#stored?.dateOf ?? ((date: Day) => date);
    const answered = byDate(rows, dateOf);
    for (const [key, { date, end: last }] of this.#before ?? []) {
      const next = answered.get(key)?.[0]?.start;
      if (next === start) continue;
      // The period has ended, and nothing follows.
      const following = next === undefined ? 'nothing follows' : `the next begins on ${next}`;
      throw refusal(file, { value: date }, `the period of this date ends on ${last}, and ${following}`);
    }
    const ofWindowBefore = (date: Day) => this.#before?.get(date)?.value;
    const { backfilled, contradictions } = this.#compare(
      answered,
      period,
      known ? undefined : ofWindowBefore,
    );
    const place = { kind: 'value' as const, file: file.path, seriesId: this.#id };
    if (contradictions.length > 0)
      throw new ImportRefusal(contradictions.map((found) => ({ ...place, ...found })));
    const before = known ? (date: Day) => known.valueOn(date, start) : ofWindowBefore;
    const whole = backfilled.size === 0 ? [] : await this.#wholeDates(backfilled, answered, period);
    // FRED clips the first row of a date to the window: it counts if its value differs from the one before.
    const news = [...answered].flatMap(([date, own]) => {
      const held = before(date);
      const isNews = (row: RealTimeValue) =>
        row.start !== start || held === undefined || !sameNumber(held, row.value);
      return own.filter((row) => isNews(row) && !backfilled.has(row.date));
    });
    const taken = [...news, ...whole].filter(
      ({ date, start, value }) =>
        this.#stored?.isStated(date, start) !== true || !sameNumber(this.#stored.valueOn(date, start), value),
    );
    this.#before = new Map(Array.from(answered, ([date, own]) => [date, own.at(-1) as RealTimeValue]));
    const history: RealTimeHistory = {
      // Rows of the very first day may be older; rows of a later window state their days exactly.
      start: this.#bookmark.from ?? beginning,
      end,
      rows: taken,
      // An older vintage may have had another frequency.
      figures: end === this.#today ? newestFigures(rows) : new Set(),
    };
    this.#bookmark = this.#after(period, taken);
    const { upTo = '' } = this.#task.subject;
    return this.#pulled(file, history, this.#task.full ? later(upTo, end) : end);
  }

  /**
   * Compares stored statements about the days of a window with the rows of an answer, which cover it;
   * `before` has the values at its start, which is undefined if the store has everything up to its first day.
   * A different value on the same day contradicts a statement. On a complete day, the same value one day earlier
   * also does: FRED has moved the statement. Samples and dates that a vintage does not list are not compared.
   * `backfilled` are dates that are not stored; the window cannot say when they were published.
   */
  #compare(
    rows: RowsByDate,
    { start, end }: Period,
    before: ((date: Day) => string | null | undefined) | undefined,
  ) {
    const stored = this.#stored;
    const complete = this.#complete;
    const backfilled = new Set<Day>();
    const contradictions: StatementConflict[] = [];
    const compare = (date: Day, asOf: Day, given: string | null | undefined) => {
      const held = stored?.valueOn(date, asOf) ?? null;
      if (!sameNumber(held, given ?? null)) contradictions.push({ date, asOf, held, given: given ?? null });
    };
    if (stored === undefined) return { backfilled, contradictions };
    for (const date of before === undefined ? rows.keys() : []) {
      const given = valueIn(rows, date, start);
      if (given !== undefined && !stored.isMentioned(date)) backfilled.add(date);
      else compare(date, start, given);
    }
    for (const [asOf, { dates, kind }] of stored.vintages) {
      const isCompared = before === undefined ? asOf > start : asOf >= start;
      if (!isCompared || asOf > end || kind === 'sampled' || kind === 'unknown') continue;
      const isExact = kind === 'exact' && complete !== undefined;
      const isComplete = isExact && asOf > complete.after && asOf <= complete.upTo;
      for (const date of dates.days()) {
        const given = valueIn(rows, date, asOf) ?? null;
        compare(date, asOf, given);
        if (!isComplete || !sameNumber(stored.valueOn(date, asOf), given)) continue;
        const earlier = asOf === start ? before?.(date) : valueIn(rows, date, addDays(asOf, -1));
        if (earlier !== undefined && sameNumber(earlier, given)) compare(date, addDays(asOf, -1), given);
      }
    }
    return { backfilled, contradictions };
  }

  /** Requests the whole histories of dates that FRED has added under vintages of the past. */
  async #wholeDates(
    dates: ReadonlySet<Day>,
    answered: RowsByDate,
    { start, end }: Period,
  ): Promise<readonly RealTimeValue[]> {
    const sorted = [...dates].sort();
    const range = { observation_start: sorted[0] ?? '', observation_end: sorted.at(-1) ?? '' };
    const all = new Map<Day, RealTimeValue[]>();
    const from = this.#bookmark.from ?? beginning;
    for await (const answer of this.#answers(from, { last: end, range }))
      for (const row of answer.rows.filter(({ date }) => dates.has(date)).sort(byStart)) {
        const own = entryOf(all, row.date, () => []);
        const before = own.at(-1);
        // A period that a window has clipped goes on in the next one.
        const goesOn = row.start === answer.period.start && before !== undefined;
        if (goesOn && sameNumber(before.value, row.value)) own[own.length - 1] = { ...before, end: row.end };
        else own.push(row);
      }
    for (const date of dates) {
      const given = answered.get(this.#stored?.dateOf(date) ?? date)?.[0];
      const found = all.get(date)?.find((row) => row.start <= start && start <= row.end);
      if (found === undefined || given === undefined || !sameNumber(found.value, given.value))
        throw await this.#contradiction();
    }
    return [...all.values()].flat();
  }

  /** Makes the bookmark after a window: today is not over, so its vintage is requested again. */
  #after({ start, end }: Period, news: readonly RealTimeValue[]): FredBookmark {
    const { from, partial, released } = this.#bookmark;
    let vintage = this.#bookmark.vintage ?? '';
    for (const row of news) if (row.start > vintage && row.start < this.#today) vintage = row.start;
    if (vintage === '' && start !== beginning && start < this.#today) vintage = start;
    // If the history begins today, nothing was published up to yesterday.
    if (vintage === '' && news.length > 0 && end === this.#today) vintage = addDays(this.#today, -1);
    const lastRun = end === this.#today ? end : partial;
    const last = vintage === '' ? undefined : vintage;
    return defined({ from, vintage: last, partial: lastRun, released });
  }

  /** Pulls a series without vintages, once a day: the values of today, known from today on. */
  async *#withoutVintages(): AsyncGenerator<PullWindow> {
    const { file, rows } = await this.#rowsOfToday();
    const today = this.#today;
    const { bookmark } = this.#task.subject;
    const asked = { seriesId: this.#id, asOf: today, limit: Number.MAX_SAFE_INTEGER };
    const found = await this.#task.read((view) => view.series.observations(asked));
    const stored = new Map(found?.rows.map(({ date, value }) => [date, value]));
    const isNew = rows.some(({ date, value }) => !sameNumber(stored.get(date) ?? null, value));
    const isDone = this.#bookmark.partial === today;
    if (bookmark === '')
      this.#task.note(
        `${this.#id} has no vintages at FRED: its values count as known from the day of each run on`,
      );
    if (isNew && isDone) this.#task.note('values changed since the last run today; the next day takes them');
    const news = isNew && !isDone ? rows : [];
    const { released } = this.#bookmark;
    this.#bookmark = { fetched: true, partial: today, ...defined({ released }) };
    const history = { start: today, end: today, rows: news, figures: newestFigures(rows) };
    yield this.#pulled(file, history, today);
  }

  /** Requests today's values: of this machine's day, or FRED's if that is later. */
  async #rowsOfToday(): Promise<Answer> {
    const ofToday = await this.#rows({ start: this.#today, end: this.#today });
    // Without a period FRED answers as of the day on which it last loaded data.
    const current = ofToday === 'no-vintages' ? await this.#api.observations(this.#id) : ofToday;
    if (typeof current === 'string') throw await this.#contradiction();
    const { sent = this.#task.now } = current;
    const answered = chicagoDay(sent);
    if (answered > latestDay(this.#task.now)) throw wrongClock(this.#today, `FRED answered on ${answered}`);
    this.#today = later(this.#today, answered);
    const day = this.#today;
    const period = { realtime_start: day, realtime_end: day };
    const rows = current.rows.map((row) => ({ ...row, ...period }));
    return this.#read({ head: { ...current.head, ...period }, rows }, { start: day, end: day });
  }

  async #rows(
    { start, end }: Period,
    range: ObservationRange = {},
  ): Promise<FredRows | 'no-vintages' | 'too-many-vintages'> {
    const query = { realtime_start: start, realtime_end: end, ...range };
    const found = await this.#api.observations(this.#id, query);
    if (found === 'nothing-then') return { head: {}, rows: [] };
    if (found !== 'unknown') return found;
    throw await this.#contradiction();
  }

  /** Makes the Problem for contradictory answers; throws another one if FRED no longer has the series. */
  async #contradiction(): Promise<Problem> {
    await this.#description();
    const detail = `FRED's answers about ${this.#id} contradict each other`;
    return wrongAnswer(detail);
  }

  /** Makes a window of an answer, with the description of the series if the answer has news. */
  async #pulled(file: SourceFile, history: RealTimeHistory, upTo: Day): Promise<PullWindow> {
    const more = history.end < this.#today;
    this.#upTo = upTo;
    const common = { bookmark: this.#bookmark, upTo, more };
    if (history.rows.length > 0) {
      const description = await this.#description();
      const described = { ...file, siblings: async () => [description] };
      return { files: [{ file: described, format: partOfAnswer(history) }], ...common };
    }
    const isHeld = (await this.#task.find(this.#id)) !== undefined;
    return { ...common, ...(isHeld && { covers: this.#id }) };
  }
}

type RowsByDate = ReadonlyMap<Day, readonly RealTimeValue[]>;

/** Returns an answer's value for a date as of a day; undefined if no row of the date includes the day. */
function valueIn(rows: RowsByDate, date: Day, asOf: Day): string | null | undefined {
  return rows.get(date)?.find(({ start, end }) => start <= asOf && asOf <= end)?.value;
}

/** Groups the rows of an answer by stored date, each date's oldest first. */
function byDate(rows: readonly RealTimeValue[], dateOf: (date: Day) => Day): RowsByDate {
  const groups = groupBy(rows, ({ date }) => dateOf(date));
  for (const own of groups.values()) own.sort(byStart);
  return groups;
}

function byStart(a: RealTimeValue, b: RealTimeValue): number {
  return a.start < b.start ? -1 : 1;
}

function chicagoDay(now: Date): Day {
  return localTimeOf(now, 'America/Chicago').day;
}
