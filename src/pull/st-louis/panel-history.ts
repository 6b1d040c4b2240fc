import type { HttpReply } from '../../client/remote/transport.ts';
import { sourceNamesIn } from '../../domain/series/publishers.ts';
import { type Day, later, monthEnd, monthsBefore } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { listed, someOf } from '../../errors/wording.ts';
import { refusal, type SourceFile } from '../../import/files/source-file.ts';
import { zipMembers } from '../../import/files/walk.ts';
import type { ImportFormat } from '../../import/formats/format.ts';
import {
  bookmarkIn,
  document,
  type Outstanding,
  type PullTask,
  type PullWindow,
  type PullWindows,
  reasonIn,
  stillMissing,
  wrongAnswer,
} from '../source.ts';
import {
  inputOf,
  isPage,
  otherAnswer,
  partOf,
  readWhole,
  seriesOf,
  statementsIn,
  type WholeFile,
} from '../whole-files.ts';

/** The publisher, as messages name it. */
export const title = 'the St. Louis Fed';

/** The hint where the page of the databases has other links than before. */
export const changedPage = 'the page may have changed; a newer asof may read it';

const folder = '/-/media/project/frbstl/stlouisfed/research/fred-md';

/** A database of the publisher, by its files. */
export type Panel = {
  readonly name: 'fred-md' | 'fred-qd';
  readonly format: ImportFormat;
  readonly folder: string;
  /** The months from the last row of a file to the month of the file, and the other way round, at most. */
  readonly lastRow: { readonly before: number; readonly after: number };
};

/** A month: `2026-08`. */
type Month = string;

/** A file of a database, as the page of the databases links it; a corrected one is `2026-rev-08-md.csv`. */
type LinkedFile = { readonly path: string; readonly month: Month; readonly isRevised: boolean };

type LinkedArchive = { readonly path: string; readonly from: Month; readonly to: Month };

/** What the page of the databases links of one. */
export type PanelLinks = {
  readonly files: readonly LinkedFile[];
  readonly newest: LinkedFile;
  readonly archives: readonly LinkedArchive[];
  /** Addresses of archives whose first and last months neither the address nor the text of the link states. */
  readonly undatedArchives: readonly string[];
};

type NewestFile = { readonly month: Month; readonly sha256: string };

type PanelMark = {
  /** The month from which the store has vintages, if not from the first one. */
  readonly from?: Month;
  /** The last month whose file is stored, dated by the end of the month; empty before the first one. */
  through: Month;
  /** The newest file that is stored, which may change. */
  newest?: NewestFile;
  /** Months whose files changed after they were stored: their figures of now are of a later day. */
  changed: readonly Month[];
  /** Months whose corrected file was stored in place of the first one. */
  revised: readonly Month[];
  /** Months whose files contradict the store, which later runs compare again. */
  contradicted: readonly Month[];
  /** The files that could not be read. */
  left: readonly (Outstanding & { readonly month: Month })[];
};

/** A file that was downloaded by itself from a path, or as a member of an archive. */
type Fetched = { readonly file: SourceFile; readonly path?: string };

/** The pull of one database: its archives, the files since then, and the newest file, which may change. */
export class PanelHistory {
  readonly #panel: Panel;
  readonly #task: PullTask;
  readonly #today: Day;
  /** The newest file that earlier runs stored. */
  readonly #previous: NewestFile | undefined;
  /** The months to compare again, which contradicted the store. */
  readonly #again: Set<Month>;
  readonly #bookmark: PanelMark;
  #upTo: Day;
  /** The series in the files so far, and those that the store has from another source. */
  readonly #seen = new Set<string>();
  readonly #foreign = new Set<string>();

  constructor(panel: Panel, task: PullTask) {
    const { subject, full, since, today } = task;
    const { from: begun, ...held } = bookmarkIn<Partial<PanelMark>>(subject);
    const from = (full || subject.bookmark === '' ? since?.slice(0, 7) : undefined) ?? begun;
    const { changed = [], revised = [], contradicted = [] } = held;
    const kept = full ? { changed, revised } : held;
    this.#panel = panel;
    this.#task = task;
    this.#today = today;
    this.#previous = held.newest;
    this.#bookmark = {
      ...{ through: '', changed, revised, contradicted: [], left: [], ...kept },
      ...(from !== undefined && { from }),
    };
    this.#again = new Set(full ? [] : contradicted);
    this.#upTo = subject.upTo ?? '';
  }

  async *windows(links: PanelLinks): PullWindows {
    const { archives, newest } = links;
    if (newest.month > this.#today.slice(0, 7))
      throw wrongAnswer(`the page of ${title} links a file of ${newest.month}, and today is ${this.#today}`);
    const start = this.#startIn(links);
    yield* this.#leftBehind(links);
    for (const archive of archives) {
      const isAsked = [...this.#again].some((month) => month >= archive.from && month <= archive.to);
      if (!isAsked && !this.#isWanted(archive.to)) continue;
      const members = await this.#membersOf(archive);
      yield* this.#months([...members.keys(), ...monthsBetween(start, archive.to)], links, members);
    }
    const last = yield* this.#months([...this.#again, ...monthsBetween(start, newest.month)], links);
    yield* this.#newest(newest, last);
  }

  async *#leftBehind(links: PanelLinks): PullWindows {
    const left = stillMissing(this.#bookmark.left, this.#task);
    this.#bookmark.left = left;
    for (const { month } of left) {
      // The newest file, if its month goes on, is read below as of today.
      if (endOf(month) > this.#today) continue;
      const whole =
        (await this.#read(month, await this.#fileOf(month, links))) ??
        (await this.#read(month, await this.#fileOf(month, links, true)));
      if (whole !== undefined) yield* this.#compared(month, whole);
    }
  }

  /** Returns the first month to store; throws if an archive whose months nobody states may have earlier ones. */
  #startIn({ archives, files, undatedArchives: [undated] }: PanelLinks): Month {
    const { name } = this.#panel;
    const { through, from } = this.#bookmark;
    if (through !== '') return monthAfter(through);
    const [first = ''] = [...archives.map((one) => one.from), ...files.map(({ month }) => month)].sort();
    if (undated !== undefined && (from ?? '') < first) {
      const detail = `the page of ${title} links an archive of ${name} that does not state its months: ${undated}`;
      throw new Problem('bad-answer', detail, {
        hints: [`asof pull ${name} --since ${first}-01 begins with what the other links state`, changedPage],
      });
    }
    if (archives.length > 0) return later(from ?? first, first);
    if (from === undefined)
      this.#task.note(`the page of ${title} links no archive of ${name}: the history begins with ${first}`);
    return from ?? first;
  }

  /** Tells whether the file of a month that has ended is not the stored one; notes it in the bookmark. */
  async #hasChanged(month: Month, file: SourceFile): Promise<boolean> {
    const { changed } = this.#bookmark;
    const { month: stored, sha256 } = this.#previous ?? {};
    if (!changed.includes(month) && (stored !== month || sha256 === (await file.sha256()))) return false;
    // Nobody says whether the file changed before its month had ended.
    this.#bookmark.through = month;
    this.#bookmark.changed = withMonth(changed, month);
    return true;
  }

  #isWanted(month: Month): boolean {
    const { through, from = '' } = this.#bookmark;
    return (month > through || this.#again.has(month)) && month >= from;
  }

  async #membersOf({ path, from, to }: LinkedArchive): Promise<ReadonlyMap<Month, SourceFile>> {
    const what = `the archive of ${this.#panel.name} of ${from} to ${to}`;
    const reply = await this.#task.get(path, async (given) =>
      given.body.toString('latin1', 0, 4) === 'PK\x03\x04' ? undefined : otherAnswer(title, what, given),
    );
    const files = await zipMembers(reply.body, path.replace(/^.*\/|\?.*$/g, ''));
    const members = files.flatMap((file) => {
      const [month] = /\.csv$/i.test(file.name) ? monthsIn(file.name) : [];
      return month === undefined ? [] : [[month, file] as const];
    });
    if (members.length === 0) throw new Problem('bad-input', `${what} has no file of a month`);
    return new Map(members);
  }

  /**
   * Yields the files of months that have ended and are not stored, oldest first, from an archive or by themselves.
   * Returns the last file, if the newest one has not changed since it was stored.
   */
  async *#months(
    months: readonly Month[],
    links: PanelLinks,
    members: ReadonlyMap<Month, SourceFile> = new Map(),
  ): AsyncGenerator<PullWindow, Fetched | undefined, boolean> {
    let last: Fetched | undefined;
    for (const month of [...new Set(months)].sort()) {
      if (!this.#isWanted(month) || endOf(month) > this.#today) continue;
      const isNewest = month === links.newest.month;
      const member = members.get(month);
      const isRevised = member === undefined && this.#bookmark.revised.includes(month);
      last = member && { file: member };
      if (isRevised) last = await this.#fileOf(month, links, true);
      last ??= await this.#fileOf(month, links);
      if (last === undefined || !(await this.#hasChanged(month, last.file)))
        yield* this.#month(month, last, isNewest || member !== undefined ? undefined : links);
      else {
        const what = `the file of ${month} has changed since it was stored`;
        if (!isNewest)
          this.#task.note(`${what}; what it says now is left out, because later files follow it`);
        last = undefined;
      }
    }
    return last;
  }

  /** Requests the file of a month, as first published or corrected; undefined if there is none. */
  async #fileOf(month: Month, { files }: PanelLinks, isRevised = false): Promise<Fetched | undefined> {
    const { folder: own, name: database } = this.#panel;
    const linked = files.find((file) => file.month === month && file.isRevised === isRevised);
    const name = isRevised ? month.replace('-', '-rev-') : month;
    const path = linked?.path ?? `${folder}/${own}/${name}-${database.slice(-2)}.csv`;
    return this.#fileAt(path, month, linked === undefined);
  }

  /** Requests a file; undefined if `mayLack` and the server sends a page. */
  async #fileAt(path: string, month: Month, mayLack = false): Promise<Fetched | undefined> {
    const reply = await this.#task.get(path, async (given) =>
      mayLack && isPage(given) ? undefined : this.#faultOf(given, month),
    );
    if (isPage(reply)) return undefined;
    return { path, file: document(`${month}.csv`, `${this.#panel.name} of ${month}`, reply.body) };
  }

  #faultOf(reply: HttpReply, month: Month): Problem | undefined {
    const { name } = this.#panel;
    const { body } = reply;
    if (!/^(?:\xef\xbb\xbf)?"?sasdate\b/i.test(body.toString('latin1', 0, 20)))
      return otherAnswer(title, `${name} of ${month}`, reply);
    // A cut last figure would be another figure.
    return body.at(-1) === 0x0a ? undefined : otherAnswer(title, `all of ${name} of ${month}`, reply);
  }

  /**
   * Makes the window of the file of a month that has ended, dated by its last day;
   * with `links`, the corrected file stands in for one that cannot be read.
   */
  async *#month(month: Month, fetched: Fetched | undefined, links?: PanelLinks): PullWindows {
    let whole = await this.#read(month, fetched);
    if (links !== undefined) whole ??= await this.#read(month, await this.#fileOf(month, links, true));
    if (fetched === undefined && whole === undefined) {
      this.#task.note(`${title} has no file of ${this.#panel.name} of ${month}`);
      // Servers send a page in an outage too.
      this.#leave(month, 'the answer is a web page, not a file');
    }
    const { through, newest } = this.#bookmark;
    this.#bookmark.through = later(through, month);
    if (fetched !== undefined && whole !== undefined && month >= (newest?.month ?? ''))
      this.#bookmark.newest = { month, sha256: await fetched.file.sha256() };
    this.#upTo = later(this.#upTo, endOf(month));
    yield* this.#compared(month, whole);
  }

  /** Yields the window of a month; one that contradicts the store is named again in every run. */
  async *#compared(month: Month, whole: WholeFile | undefined): PullWindows {
    const others = this.#bookmark.contradicted.filter((one) => one !== month);
    const marked = withMonth(others, month);
    this.#bookmark.contradicted = others;
    this.#again.delete(month);
    const contradicted = { ...this.#bookmark, contradicted: marked };
    if (yield { ...this.#window(whole), contradicted }) this.#bookmark.contradicted = marked;
  }

  #leave(month: Month, why: string): void {
    const { left } = this.#bookmark;
    const { since = this.#today } = left.find((one) => one.month === month) ?? {};
    const missing = { month, name: `${this.#panel.name} of ${month}`, since, why };
    this.#bookmark.left = [...left.filter((one) => one.month !== month), missing];
  }

  /** Yields what the newest file says if it has changed: known from today on; `last` is the file that was read last. */
  async *#newest({ path, month, isRevised }: LinkedFile, last: Fetched | undefined): PullWindows {
    const fetched = last?.path === path ? undefined : await this.#fileAt(path, month);
    const { newest: held } = this.#bookmark;
    const sha256 = (await fetched?.file.sha256()) ?? held?.sha256 ?? '';
    const whole = sha256 === held?.sha256 ? undefined : await this.#read(month, fetched, this.#today);
    if (whole !== undefined) {
      if (held?.month === month)
        this.#task.note(`the file of ${month} has changed; what it says now counts from ${this.#today} on`);
      this.#upTo = later(this.#upTo, this.#today);
      const isContradicted = yield this.#window({
        ...whole,
        format: { ...whole.format, vintageKind: 'fetched' },
      });
      // A second change on one day waits for the next day.
      if (!isContradicted) this.#keepNewest({ month, sha256 }, isRevised);
    }
    yield { ...this.#window(undefined), more: false };
  }

  /** Notes the stored newest file, so that later runs date by the end of its month only what was known then. */
  #keepNewest(newest: NewestFile, isRevised: boolean): void {
    const { month } = newest;
    const { through, changed, revised } = this.#bookmark;
    const isLate = through >= month && this.#previous?.month === month;
    this.#bookmark.newest = newest;
    if (isLate && !isRevised) this.#bookmark.changed = withMonth(changed, month);
    if (isRevised && !isLate) this.#bookmark.revised = withMonth(revised, month);
  }

  /** Reads the file of a month; undefined if that fails, which is noted or left for later runs. */
  async #read(
    month: Month,
    fetched: Fetched | undefined,
    asOf = endOf(month),
  ): Promise<WholeFile | undefined> {
    if (fetched === undefined) return undefined;
    const { format, name } = this.#panel;
    const isArchived = fetched.path === undefined;
    try {
      const whole = await readWhole(fetched.file, format, { asOf });
      this.#refuseOtherMonth(whole, month, isArchived);
      this.#bookmark.left = this.#bookmark.left.filter((one) => one.month !== month);
      return await this.#withoutForeign(whole);
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'bad-input') throw error;
      if (isArchived) this.#task.note(`${name} of ${month} is left out: ${reasonIn(error)}`);
      else this.#leave(month, reasonIn(error));
      return undefined;
    }
  }

  /** Throws for a file that ends too late for its month, or outside an archive too early, as a cut one does. */
  #refuseOtherMonth({ file, batches }: WholeFile, month: Month, isArchived: boolean): void {
    const { before, after } = this.#panel.lastRow;
    let last: Month = '';
    for (const { date, value } of statementsIn(batches))
      if (value !== null) last = later(last, date.slice(0, 7));
    if ((isArchived || last >= monthAfter(month, -before)) && last <= monthAfter(month, after)) return;
    const reason = `the last row with figures is of ${last || 'no month'}, which does not fit a file of ${month}`;
    throw refusal(file, {}, reason);
  }

  async #withoutForeign(whole: WholeFile): Promise<WholeFile> {
    const sources = new Map<string, string>();
    for (const id of seriesOf(whole).filter((one) => !this.#seen.has(one))) {
      this.#seen.add(id);
      const { publishers = '' } = (await this.#task.find(id)) ?? {};
      if (publishers === '' || sourceNamesIn(publishers).includes(this.#panel.format.source ?? '')) continue;
      sources.set(id, publishers);
      this.#foreign.add(id);
    }
    const held = listed([...new Set(sources.values())], 'and');
    const ids = someOf([...sources.keys()], 5).join(', ');
    if (sources.size > 0) this.#task.note(`left out, because the store has them from ${held}: ${ids}`);
    return this.#foreign.size === 0 ? whole : partOf(whole, (id) => !this.#foreign.has(id));
  }

  #window(whole: WholeFile | undefined): PullWindow {
    const files = whole === undefined ? [] : [inputOf(whole)];
    return { files, bookmark: { ...this.#bookmark }, upTo: this.#upTo || this.#today, more: true };
  }
}

function withMonth(months: readonly Month[], month: Month): readonly Month[] {
  return [...new Set([...months, month])];
}

function endOf(month: Month): Day {
  return monthEnd(`${month}-01`);
}

function monthAfter(month: Month, count = 1): Month {
  return monthsBefore(`${month}-01`, -count)?.slice(0, 7) ?? month;
}

/** Lists the months between two ones (inclusive). */
function monthsBetween(from: Month, to: Month): readonly Month[] {
  const months: Month[] = [];
  for (let month = from; month <= to; month = monthAfter(month)) months.push(month);
  return months;
}

/** Lists the months in a text: `2015-01`, `2026-rev-08`, `2024m5`. */
export function monthsIn(text: string): readonly Month[] {
  return Array.from(text.matchAll(/(?<!\d)((?:19|20)\d\d)(?:-(?:rev-)?|m)(\d{1,2})(?!\d)/gi)).flatMap(
    ([, year, month]) =>
      Number(month) >= 1 && Number(month) <= 12 ? [`${year}-${String(month).padStart(2, '0')}`] : [],
  );
}
