import type { HttpReply } from '../../client/remote/exchange.ts';
import { sourceNamesIn } from '../../domain/series/publishers.ts';
import { type Day, dayNumber, later, monthEnd, utcDay } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { listed, someOf } from '../../errors/wording.ts';
import { refusal, type SourceFile } from '../../import/files/source-file.ts';
import { zipMembers } from '../../import/files/walk.ts';
import type { ImportFormat } from '../../import/formats/format.ts';
import { fredMd as monthly, fredQd as quarterly } from '../../import/formats/panels.ts';
import { defined } from '../../platform/defined.ts';
import type { Series } from '../../store/store.ts';
import {
  document,
  type Outstanding,
  type PullSource,
  type PullTask,
  type PullWindow,
  reasonIn,
  stillMissing,
} from '../source.ts';
import {
  failureOfFile,
  foreignSeries,
  hashOf,
  inputOf,
  isPage,
  otherAnswer,
  partOf,
  readWhole,
  seriesOf,
  type WholeFile,
} from '../whole-files.ts';
import {
  type LinkedFile,
  type Links,
  linksIn,
  type Month,
  monthAfter,
  monthOfFile,
  newestIn,
} from './links.ts';

const title = 'the St. Louis Fed';

const pagePath = '/research/economists/mccracken/fred-databases';

const folder = '/-/media/project/frbstl/stlouisfed/research/fred-md';

type PanelFiles = {
  readonly name: 'fred-md' | 'fred-qd';
  readonly format: ImportFormat;
  readonly frequency: 'M' | 'Q';
  readonly folder: string;
  readonly suffix: string;
  /** The months from the last row of a file to the month of the file, and the other way round, at most. */
  readonly lastRow: { readonly before: number; readonly after: number };
};

/** FRED-MD, a monthly panel; the file of a month has rows up to the month before. */
export const fredMd = databaseSource({
  name: 'fred-md',
  format: monthly,
  frequency: 'M',
  folder: 'monthly',
  suffix: 'md',
  lastRow: { before: 1, after: 0 },
});

/** FRED-QD, a quarterly panel, whose rows are dated by the last months of quarters. */
export const fredQd = databaseSource({
  name: 'fred-qd',
  format: quarterly,
  frequency: 'Q',
  folder: 'quarterly',
  suffix: 'qd',
  lastRow: { before: 3, after: 2 },
});

function databaseSource(database: PanelFiles): PullSource {
  const { name, format } = database;
  const everything = name.toUpperCase();
  const isOwn = ({ publishers }: Pick<Series, 'publishers'>) =>
    sourceNamesIn(publishers).includes(format.source ?? '');
  return {
    name,
    title,
    // The publisher states no limit.
    pace: [{ requests: 1, milliseconds: 1000 }],
    // An archive has 32 MB.
    timeout: 600,
    probe: pagePath,
    counted: { new_vintages: ['new vintage', 'new vintages'], new_series: ['new series', 'new series'] },

    keepsStored: true,
    access: ({ url = 'https://www.stlouisfed.org' }) => ({
      base: url,
      headers: { accept: '*/*' },
      secrets: [],
      failureIn: (reply) => failureOfFile(title, reply),
    }),

    async resolve(typed) {
      const other = typed.find((text) => text.toUpperCase() !== everything);
      if (other === undefined) return [everything];
      throw new Problem('bad-input', `${name} comes as a whole, not by ${JSON.stringify(other)}`, {
        hints: [`asof pull ${name} --since 2015-01 leaves out earlier vintages`],
      });
    },

    estimate({ bookmark }) {
      if (bookmark !== '') return { requests: 2, what: 'the page of the databases and the newest file' };
      return { requests: 3, what: 'the page of the databases, its archives and the files since then' };
    },

    beginsOn(bookmark) {
      const { from } = parseBookmark(bookmark);
      return from === undefined ? undefined : `${from}-01`;
    },

    brings: (_, series) => isOwn(series),

    outstanding: (bookmark) => parseBookmark(bookmark).left ?? [],

    async count(_, view) {
      const all = await view.series.search({ text: '', limit: Number.MAX_SAFE_INTEGER });
      const own = all.filter(isOwn);
      // A series that is in every file stands for the panel.
      const [longest] = own.sort((a, b) => spanOf(b) - spanOf(a));
      const seriesId = longest?.id ?? '';
      const page = await view.series.vintages({ seriesId, limit: Number.MAX_SAFE_INTEGER });
      return { new_vintages: page?.rows.length ?? 0, new_series: own.length };
    },

    windows: (task) => new DatabaseHistory(database, task).windows(),
  };
}

function spanOf({ firstVintage, lastVintage }: Pick<Series, 'firstVintage' | 'lastVintage'>): number {
  return firstVintage === '' ? 0 : dayNumber(lastVintage) - dayNumber(firstVintage);
}

type Missing = Outstanding & { readonly month: Month };

type PanelMark = {
  /** The month from which the store has vintages, if not from the first one. */
  readonly from?: Month;
  /** The last month whose file is stored, dated by the end of the month. */
  readonly through?: Month;
  /** The newest file that is stored, which may change. */
  readonly newest?: { readonly month: Month; readonly sha256: string };
  /** Months whose files changed after they were stored: their figures of now are of a later day. */
  readonly changed?: readonly Month[];
  /** Months whose corrected file was stored in place of the first one. */
  readonly revised?: readonly Month[];
  /** Months whose files contradict the store, which later runs compare again. */
  readonly contradicted?: readonly Month[];
  /** The files that could not be read. */
  readonly left?: readonly Missing[];
};

function parseBookmark(text: string): PanelMark {
  return text === '' ? {} : JSON.parse(text);
}

/** The pull of one database: its archives, the files since then, and the newest file, which may change. */
class DatabaseHistory {
  readonly #database: PanelFiles;
  readonly #task: PullTask;
  readonly #today: Day;
  /** The newest file that earlier runs stored. */
  readonly #previous: PanelMark['newest'];
  /** The months to compare again, which contradicted the store. */
  readonly #again: Set<Month>;
  #bookmark: PanelMark;
  #upTo: Day;
  /** The series in the files so far, and those that the store has from another source. */
  readonly #seen = new Set<string>();
  readonly #foreign = new Set<string>();

  constructor(database: PanelFiles, task: PullTask) {
    this.#database = database;
    this.#task = task;
    this.#today = utcDay(task.now);
    const held = parseBookmark(task.subject.bookmark);
    const from =
      (task.full || task.subject.bookmark === '' ? task.since?.slice(0, 7) : undefined) ?? held.from;
    this.#previous = held.newest;
    const { changed, revised } = held;
    this.#bookmark = task.full ? defined({ from, changed, revised }) : defined({ ...held, from });
    this.#again = new Set(this.#bookmark.contradicted);
    this.#upTo = task.subject.upTo ?? '';
  }

  async *windows(): AsyncGenerator<PullWindow> {
    const { name, frequency } = this.#database;
    const reply = await this.#task.get(pagePath, async (given) =>
      /<a\b/i.test(given.body.toString()) ? undefined : otherAnswer(title, 'its page of links', given),
    );
    const links = linksIn(reply.body.toString(), frequency);
    const newest = newestIn(links, name);
    if (newest.month > this.#today.slice(0, 7)) {
      const detail = `the page of ${title} links a file of ${newest.month}, and today is ${this.#today}`;
      throw new Problem('bad-answer', detail, { hints: ['pull again later'] });
    }
    const start = this.#startIn(links);
    yield* this.#leftBehind(links);
    for (const archive of links.archives) {
      const isAsked = [...this.#again].some((month) => month >= archive.from && month <= archive.to);
      if (isAsked || this.#isWanted(archive.to)) yield* this.#archive(archive, links, start);
    }
    let fetched: Fetched | undefined;
    const months = [...this.#again, ...monthsBetween(start, newest.month)].sort();
    for (const month of months.filter((one) => this.#isDue(one))) {
      const isRevised = this.#bookmark.revised?.includes(month) === true;
      fetched = isRevised ? await this.#fileOf(month, links, true) : undefined;
      fetched ??= await this.#fileOf(month, links);
      if (fetched?.sha256 === undefined || !this.#hasChanged(month, fetched.sha256))
        yield* this.#month(month, fetched, month === newest.month ? undefined : links);
      else if (month === newest.month) fetched = undefined;
      else this.#passOver(month);
    }
    yield* this.#newest(newest, fetched);
  }

  /** Requests the files again that could not be read. */
  async *#leftBehind(links: Links): AsyncGenerator<PullWindow> {
    const left = stillMissing(this.#bookmark.left ?? [], this.#task);
    this.#bookmark = defined({ ...this.#bookmark, left: left.length === 0 ? undefined : left });
    for (const { month } of left) {
      const asOf = monthEnd(`${month}-01`);
      // The newest file, if its month goes on, is read below as of today.
      if (asOf > this.#today) continue;
      const fetched = await this.#fileOf(month, links);
      const whole = fetched && (await this.#read(month, fetched.file, asOf));
      const usable = whole ?? (await this.#corrected(month, links, asOf));
      if (usable !== undefined) yield* this.#compared(month, usable);
    }
  }

  /** Reads the corrected file of a month; undefined if there is none, or if it cannot be read. */
  async #corrected(month: Month, links: Links, asOf: Day): Promise<WholeFile | undefined> {
    const fetched = await this.#fileOf(month, links, true);
    return fetched && (await this.#read(month, fetched.file, asOf));
  }

  /** Returns the first month to store; throws if an archive whose months nobody states may have earlier ones. */
  #startIn({ archives, files, undatedArchives: [undated] }: Links): Month {
    const { name } = this.#database;
    const { through, from } = this.#bookmark;
    if (through !== undefined) return monthAfter(through);
    const [first = ''] = [...archives.map((one) => one.from), ...files.map(({ month }) => month)].sort();
    if (undated !== undefined && (from ?? '') < first) {
      const detail = `the page of ${title} links an archive of ${name} that does not state its months: ${undated}`;
      throw new Problem('bad-answer', detail, {
        hints: [
          `asof pull ${name} --since ${first}-01 begins with what the other links state`,
          'the page may have changed; a newer asof may read it',
        ],
      });
    }
    if (archives.length > 0) return later(from ?? first, first);
    if (from === undefined)
      this.#task.note(`the page of ${title} links no archive of ${name}: the history begins with ${first}`);
    return from ?? first;
  }

  /** Tells whether the file of a month that has ended is not the stored one; notes it in the bookmark. */
  #hasChanged(month: Month, sha256: string): boolean {
    const { changed = [] } = this.#bookmark;
    const isOther = this.#previous?.month === month && sha256 !== this.#previous.sha256;
    if (!isOther && !changed.includes(month)) return false;
    // Nobody says whether the file changed before its month had ended.
    this.#bookmark = { ...this.#bookmark, through: month, changed: withMonth(changed, month) };
    return true;
  }

  /** Names a changed file that counts from today on, when files of later months count. */
  #passOver(month: Month): void {
    const what = `the file of ${month} has changed since it was stored`;
    this.#task.note(`${what}; what it says now is left out, because later files follow it`);
  }

  /** Tells whether a month has ended, and is not stored yet. */
  #isDue(month: Month): boolean {
    return this.#isWanted(month) && monthEnd(`${month}-01`) <= this.#today;
  }

  #isWanted(month: Month): boolean {
    const { through = '', from = '' } = this.#bookmark;
    return (month > through || this.#again.has(month)) && month >= from;
  }

  /** Yields the files of an archive as windows, oldest first; a month that the archive lacks is requested. */
  async *#archive(
    { path, from, to }: Links['archives'][number],
    links: Links,
    start: Month,
  ): AsyncGenerator<PullWindow> {
    const what = `the archive of ${this.#database.name} of ${from} to ${to}`;
    const reply = await this.#task.get(path, async (given) =>
      given.body.toString('latin1', 0, 4) === 'PK\x03\x04' ? undefined : otherAnswer(title, what, given),
    );
    const members = new Map<Month, SourceFile>();
    for (const file of await zipMembers(reply.body, path.replace(/^.*\/|\?.*$/g, ''))) {
      const month = monthOfFile(file.name);
      if (month !== undefined) members.set(month, file);
    }
    if (members.size === 0) throw new Problem('bad-input', `${what} has no file of a month`);
    for (const month of [...new Set([...members.keys(), ...monthsBetween(start, to)])].sort()) {
      if (!this.#isDue(month)) continue;
      const file = members.get(month);
      const fetched = file === undefined ? await this.#fileOf(month, links) : { file };
      const sha256 = await fetched?.file.sha256();
      if (sha256 !== undefined && this.#hasChanged(month, sha256)) this.#passOver(month);
      else yield* this.#month(month, fetched, file === undefined ? links : undefined);
    }
  }

  /** Requests the file of a month, as first published or corrected; undefined if there is none. */
  async #fileOf(month: Month, { files }: Links, isRevised = false): Promise<Fetched | undefined> {
    const { folder: own, suffix } = this.#database;
    const linked = files.find((file) => file.month === month && file.isRevised === isRevised);
    const name = isRevised ? month.replace('-', '-rev-') : month;
    const path = linked?.path ?? `${folder}/${own}/${name}-${suffix}.csv`;
    const reply = await this.#task.get(path, async (given) =>
      linked === undefined && isPage(given) ? undefined : this.#faultOf(given, month),
    );
    if (isPage(reply)) return undefined;
    return { path, sha256: hashOf(reply), file: this.#documentOf(month, reply.body) };
  }

  #faultOf(reply: HttpReply, month: Month): Problem | undefined {
    const { name } = this.#database;
    const { body } = reply;
    if (!/^(?:\xef\xbb\xbf)?"?sasdate\b/i.test(body.toString('latin1', 0, 20)))
      return otherAnswer(title, `${name} of ${month}`, reply);
    // A cut last figure would be another figure.
    return body.at(-1) === 0x0a ? undefined : otherAnswer(title, `all of ${name} of ${month}`, reply);
  }

  #documentOf(month: Month, body: Buffer): SourceFile {
    const { name } = this.#database;
    return document(`${month}.csv`, `${name} of ${month}`, body);
  }

  /**
   * Makes the window of the file of a month that has ended, dated by its last day;
   * with `links`, the corrected file stands in for one that cannot be read.
   */
  async *#month(month: Month, fetched: Fetched | undefined, links?: Links): AsyncGenerator<PullWindow> {
    const asOf = monthEnd(`${month}-01`);
    const isArchived = fetched !== undefined && fetched.sha256 === undefined;
    let whole = fetched && (await this.#read(month, fetched.file, asOf, isArchived));
    if (whole === undefined && links !== undefined) whole = await this.#corrected(month, links, asOf);
    if (fetched === undefined && whole === undefined) this.#miss(month);
    const { through = '', newest } = this.#bookmark;
    this.#bookmark = { ...this.#bookmark, through: later(through, month) };
    const sha256 = await fetched?.file.sha256();
    if (sha256 !== undefined && whole !== undefined && month >= (newest?.month ?? ''))
      this.#bookmark = { ...this.#bookmark, newest: { month, sha256 } };
    this.#upTo = later(this.#upTo, asOf);
    yield* this.#compared(month, whole);
  }

  /** Yields the window of a month; one that contradicts the store is named again in every run. */
  async *#compared(month: Month, whole: WholeFile | undefined): AsyncGenerator<PullWindow> {
    const before = this.#task.conflicts();
    const others = this.#bookmark.contradicted?.filter((one) => one !== month);
    const marked = { ...this.#bookmark, contradicted: withMonth(others, month) };
    this.#bookmark = defined({ ...this.#bookmark, contradicted: others?.length === 0 ? undefined : others });
    this.#again.delete(month);
    yield { ...this.#window(whole), contradicted: JSON.stringify(marked) };
    if (this.#task.conflicts() > before) this.#bookmark = marked;
  }

  /** Leaves a month without a file for later runs: servers send a page in an outage too. */
  #miss(month: Month): void {
    const name = `${this.#database.name} of ${month}`;
    this.#task.note(`${title} has no file of ${name}`);
    const { left = [] } = this.#bookmark;
    if (left.some((one) => one.month === month)) return;
    const missing = { month, name, since: this.#today, why: 'the answer is a web page, not a file' };
    this.#bookmark = { ...this.#bookmark, left: [...left, missing] };
  }

  /** Yields what the newest file says if it has changed: known from today on. */
  async *#newest(
    { path, month, isRevised }: LinkedFile,
    fetched: Fetched | undefined,
  ): AsyncGenerator<PullWindow> {
    if (fetched?.path !== path) {
      const reply = await this.#task.get(path, async (given) => this.#faultOf(given, month));
      const newest = { month, sha256: hashOf(reply) };
      const { newest: held } = this.#bookmark;
      const isSame = held?.sha256 === newest.sha256;
      const whole = isSame
        ? undefined
        : await this.#read(month, this.#documentOf(month, reply.body), this.#today);
      if (whole !== undefined) {
        if (held?.month === month)
          this.#task.note(`the file of ${month} has changed; what it says now counts from ${this.#today} on`);
        this.#upTo = later(this.#upTo, this.#today);
        yield this.#window({ ...whole, format: { ...whole.format, vintageKind: 'fetched' } });
        // A second change on one day waits for the next day.
        if (!this.#task.hasConflicts()) this.#keepNewest(newest, isRevised);
      }
    }
    yield this.#window(undefined, false);
  }

  /** Notes the stored newest file, so that later runs date by the end of its month only what was known then. */
  #keepNewest(newest: Required<PanelMark>['newest'], isRevised: boolean): void {
    const { month } = newest;
    const { through = '', changed, revised } = this.#bookmark;
    const isLate = through >= month && this.#previous?.month === month;
    this.#bookmark = defined({
      ...this.#bookmark,
      newest,
      changed: isLate && !isRevised ? withMonth(changed, month) : changed,
      revised: isRevised && !isLate ? withMonth(revised, month) : revised,
    });
  }

  /** Reads the file of a month; undefined if that fails, which is noted or left for later runs. */
  async #read(month: Month, file: SourceFile, asOf: Day, isArchived = false): Promise<WholeFile | undefined> {
    const { format, name } = this.#database;
    const { left = [] } = this.#bookmark;
    const others = left.filter((one) => one.month !== month);
    try {
      const whole = await readWhole(file, format, { asOf });
      this.#refuseOtherMonth(whole, month, isArchived);
      this.#bookmark = { ...this.#bookmark, left: others };
      return await this.#withoutForeign(whole);
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'bad-input') throw error;
      const why = reasonIn(error);
      const { since = this.#today } = left.find((one) => one.month === month) ?? {};
      if (isArchived) this.#task.note(`${name} of ${month} is left out: ${why}`);
      else
        this.#bookmark = {
          ...this.#bookmark,
          left: [...others, { month, name: `${name} of ${month}`, since, why }],
        };
      return undefined;
    }
  }

  /** Throws for a file that ends too late for its month, or outside an archive too early, as a cut one does. */
  #refuseOtherMonth({ file, batches }: WholeFile, month: Month, isArchived: boolean): void {
    const { before, after } = this.#database.lastRow;
    let last: Month = '';
    for (const { statements = [] } of batches)
      for (const { date, value } of statements) if (value !== null) last = later(last, date.slice(0, 7));
    if ((isArchived || last >= monthAfter(month, -before)) && last <= monthAfter(month, after)) return;
    const reason = `the last row with figures is of ${last || 'no month'}, which does not fit a file of ${month}`;
    throw refusal(file, {}, reason);
  }

  /** Leaves out the series that the store has from another source. */
  async #withoutForeign(whole: WholeFile): Promise<WholeFile> {
    const { source = '' } = this.#database.format;
    const unseen = seriesOf(whole).filter((id) => !this.#seen.has(id));
    for (const id of unseen) this.#seen.add(id);
    const found = await foreignSeries(unseen, source, this.#task.read);
    for (const id of found.keys()) this.#foreign.add(id);
    if (found.size > 0) {
      const ids = [...found.keys()];
      const sources = listed([...new Set(found.values())], 'and');
      this.#task.note(`left out, because the store has them from ${sources}: ${someOf(ids, 5).join(', ')}`);
    }
    return this.#foreign.size === 0 ? whole : partOf(whole, (id) => !this.#foreign.has(id));
  }

  #window(whole: WholeFile | undefined, more = true): PullWindow {
    const files = whole === undefined ? [] : [inputOf(whole)];
    return { files, bookmark: JSON.stringify(this.#bookmark), upTo: this.#upTo || this.#today, more };
  }
}

/** A file; one that is downloaded by itself has a path and a hash. */
type Fetched = { readonly file: SourceFile; readonly path?: string; readonly sha256?: string };

function withMonth(months: readonly Month[] | undefined, month: Month): readonly Month[] {
  return [...new Set([...(months ?? []), month])];
}

/** Lists the months between two ones (inclusive). */
function monthsBetween(from: Month, to: Month): readonly Month[] {
  const months: Month[] = [];
  for (let month = from; month <= to; month = monthAfter(month)) months.push(month);
  return months;
}
