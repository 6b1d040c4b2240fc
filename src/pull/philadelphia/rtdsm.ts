import { closeNames } from '../../domain/search/words.ts';
import { publishers } from '../../domain/series/publishers.ts';
import { realTimeVariables } from '../../domain/series/real-time-data-set.ts';
import { knownOn, type Statement, type StoredChange } from '../../domain/series/revision-history.ts';
import { type Day, earlier, later, utcDay } from '../../domain/values/date.ts';
import { parseDateSet } from '../../domain/values/date-set.ts';
import { sameNumber } from '../../domain/values/decimal.ts';
import { entryOf, groupBy } from '../../domain/values/groups.ts';
import { Problem } from '../../errors/problem.ts';
import { listed } from '../../errors/wording.ts';
import { refusal } from '../../import/files/source-file.ts';
import { rtdsm as format } from '../../import/formats/panels.ts';
import type { ImportConflict } from '../../import/load/conflict.ts';
import { defined } from '../../platform/defined.ts';
import {
  countVintages,
  document,
  type PullSource,
  type PullTask,
  type PullWindow,
  vintageWords,
} from '../source.ts';
import {
  failureOfFile,
  hashOf,
  inputOf,
  isPage,
  otherAnswer,
  partOf,
  readWhole,
  refuseForeign,
  seriesOf,
  type WholeFile,
} from '../whole-files.ts';

const title = 'the Philadelphia Fed';

const folder = '/-/media/FRBP/Assets/Surveys-And-Data/real-time-data/data-files/xlsx';

/**
 * The Real-Time Data Set for Macroeconomists, a workbook for each variable and frequency of its vintages.
 * A workbook has no version: it is downloaded in every run, and read if its hash has changed.
 */
export const rtdsm: PullSource = {
  name: 'rtdsm',
  example: 'ROUTPUT',
  title,
  // The publisher states no limit.
  pace: [{ requests: 1, milliseconds: 1000 }],
  probe: `${folder}/OPHQvQd.xlsx`,
  catalogue: Array.from(realTimeVariables.values(), ({ id: name, title, frequency, vintages }) => {
    const also = vintages.slice(1).map((other) => `; ${name}${other}v${frequency}d: vintages by month`);
    return { name, title: `${title}${also.join('')}`, frequency };
  }),
  counted: vintageWords,

  keepsStored: true,
  access: ({ url = 'https://www.philadelphiafed.org' }) => ({
    base: url,
    headers: { accept: '*/*' },
    secrets: [],
    failureIn: (reply) => failureOfFile(title, reply),
  }),

  async resolve(typed) {
    if (typed.length > 0) return typed.map((text) => workbookNamed(text).name);
    throw new Problem('bad-input', 'name the variables to pull', {
      hints: ['asof pull rtdsm ROUTPUT EMPLOY', 'asof pull rtdsm --list shows all of them'],
    });
  },

  estimate: () => ({ requests: 1, what: 'the workbook with every vintage' }),

  brings: (subject, { id }) => id === workbookNamed(subject).id,
  count: (subject, view) => countVintages(workbookNamed(subject).id, view),

  beginsOn: (bookmark) => readBookmark(bookmark).from,
  windows: workbookOf,
};

/** A workbook of a variable. */
type Workbook = {
  /** The variable, for its usual workbook; for another one the name of the file. */
  readonly name: string;
  readonly id: string;
  readonly file: string;
  /** The frequencies of its vintages and its rows. */
  readonly vintages: 'M' | 'Q';
  readonly data: 'M' | 'Q';
  /** True if the catalogue has it. */
  readonly isListed: boolean;
};

/** Finds the workbook that a text names: `ROUTPUT`, `routputMvQd`; throws for a variable that is not known. */
function workbookNamed(text: string): Workbook {
  const [, typed = text, ofVintages, ofData] = /^(\w+?)([MQ])v([MQ])d(?:\.xlsx)?$/i.exec(text.trim()) ?? [];
  const id = typed.trim().toUpperCase();
  const variable = realTimeVariables.get(id);
  if (ofVintages === undefined && variable === undefined) throw noVariable(text);
  const usual = variable?.vintages[0] ?? 'Q';
  const vintages = letterOf(ofVintages) ?? usual;
  const data = letterOf(ofData) ?? variable?.frequency ?? 'Q';
  const file = `${id}${vintages}v${data}d`;
  const isListed = variable?.frequency === data && variable.vintages.includes(vintages);
  return { name: isListed && vintages === usual ? id : file, id, file, vintages, data, isListed };
}

function letterOf(typed: string | undefined): 'M' | 'Q' | undefined {
  if (typed === undefined) return undefined;
  return typed.toUpperCase() === 'M' ? 'M' : 'Q';
}

function noVariable(text: string): Problem {
  const near = closeNames(text.replace(/[MQ]v[MQ]d(?:\.xlsx)?$/i, ''), [...realTimeVariables.keys()]);
  const hints = near.length === 0 ? [] : [`did you mean ${listed(near.slice(0, 3), 'or')}?`];
  return new Problem('not-found', `${title} has no such variable: ${JSON.stringify(text)}`, {
    hints: [...hints, 'asof pull rtdsm --list shows what it has'],
  });
}

type WorkbookMark = {
  /** The hash of the workbook whose vintages are stored; absent if it contradicts the store. */
  readonly sha256?: string;
  /** The first vintage, if the user wants no earlier ones. */
  readonly from?: Day;
  /** The first vintage of the workbook that was still in the future. */
  readonly awaited?: Day;
  /** The first vintage that the workbook ever had. */
  readonly first?: Day;
};

function readBookmark(text: string): WorkbookMark {
  return text === '' ? {} : JSON.parse(text);
}

async function* workbookOf(task: PullTask): AsyncGenerator<PullWindow> {
  const { subject, full, since, now, get, read, note } = task;
  const workbook = workbookNamed(subject.name);
  const { id, file: name } = workbook;
  const held = readBookmark(subject.bookmark);
  const today = utcDay(now);
  const path = `${folder}/${name}.xlsx`;
  const mayBeAbsent = !workbook.isListed && subject.upTo === undefined;
  const reply = await get(path, async (given) => {
    if (given.body.toString('latin1', 0, 4) === 'PK\x03\x04' && !isPage(given)) return undefined;
    return mayBeAbsent && isPage(given) ? undefined : otherAnswer(title, `the workbook ${name}.xlsx`, given);
  });
  if (isPage(reply)) throw noVariable(subject.name);
  const sha256 = hashOf(reply);
  const isKnown = held.sha256 === sha256 && (held.awaited === undefined || held.awaited > today);
  // A series that was removed from the store comes back.
  if (isKnown && !full && (await read((view) => view.series.find(id))) !== undefined) {
    yield { files: [], bookmark: subject.bookmark, upTo: subject.upTo ?? today, more: false };
    return;
  }
  await refuseForeign(id, publishers.rtdsm.name, read);
  const all = await readWhole(document(`${name}.xlsx`, `${name}.xlsx of ${title}`, reply.body), format);
  refuseOther(all, workbook);
  refuseGaps(all, workbook);
  const from = full ? (since ?? held.from) : (held.from ?? (subject.bookmark === '' ? since : undefined));
  const days = vintagesOf(all);
  const awaited = days.find((day) => day > today);
  if (awaited !== undefined) note(`the vintage of ${awaited} counts from that day on`);
  const part = partOf(all, (_, asOf) => asOf <= today && asOf >= (from ?? ''));
  noteShort(all, vintagesOf(part).at(-1), note);
  const first = earlier(held.first ?? days[0] ?? '', days[0] ?? '');
  const mayHave = (asOf: Day) => isOf(workbook, asOf) && asOf >= later(first, from ?? '') && asOf <= today;
  const vanished = await vanishedFrom(all, id, mayHave, read);
  const takesAll = full && task.replace;
  const conflicts = takesAll ? [] : vanished.conflicts;
  const isCut = conflicts.length > 0 && vanished.lacksRows;
  if (isCut) note(`${name}.xlsx lacks rows that the store has: nothing of it is stored`);
  const restated = { ...part, batches: [...part.batches, { statements: vanished.statements }] };
  const files = isCut ? [] : [inputOf(takesAll ? restated : part)];
  const upTo = later((isCut ? undefined : vintagesOf(part).at(-1)) ?? '', subject.upTo ?? '') || today;
  const bookmark = defined({ from, awaited, first });
  yield { files, conflicts, bookmark: JSON.stringify(bookmark), upTo, more: true };
  // What contradicts the store is named again in every run.
  const done = task.hasConflicts() ? bookmark : { ...bookmark, sha256 };
  yield { files: [], bookmark: JSON.stringify(done), upTo, more: false };
}

/** Tells whether a workbook has vintages of a day: the 15th of each month, or of the middle month of each quarter. */
function isOf({ vintages }: Workbook, asOf: Day): boolean {
  return asOf.endsWith('-15') && (vintages === 'M' || Number(asOf.slice(5, 7)) % 3 === 2);
}

/** Notes a last vintage that ends no later than the one before it: nothing new was published, or rows are cut. */
function noteShort(whole: WholeFile, last: Day | undefined, note: PullTask['note']): void {
  const ends = new Map<Day, Day>();
  for (const { statements = [] } of whole.batches)
    for (const { date, asOf, value } of statements)
      if (value !== null) ends.set(asOf, later(ends.get(asOf) ?? '', date));
  const before = vintagesOf(whole).findLast((day) => day < (last ?? ''));
  const [end, endBefore] = [ends.get(last ?? ''), ends.get(before ?? '')];
  if (end !== undefined && endBefore !== undefined && end <= endBefore)
    note(`the vintage of ${last} has nothing after ${end}, no more than that of ${before}`);
}

/** Throws if a period is missing between two rows, as in a cut workbook. */
function refuseGaps({ batches, file }: WholeFile, { data }: Workbook): void {
  const rows = [
    ...new Set(batches.flatMap(({ statements = [] }) => statements.map(({ date }) => date))),
  ].sort();
  const placeOf = (date: Day) => 12 * Number(date.slice(0, 4)) + Number(date.slice(5, 7));
  const at = rows.findIndex(
    (date, i) => i > 0 && placeOf(date) - placeOf(rows[i - 1] ?? '') !== (data === 'Q' ? 3 : 1),
  );
  if (at !== -1) throw refusal(file, {}, `a row is missing between those of ${rows[at - 1]} and ${rows[at]}`);
}

function refuseOther(whole: WholeFile, { id, file }: Workbook): void {
  const [found] = seriesOf(whole);
  if (found === id) return;
  throw new Problem('bad-input', `${file}.xlsx has the vintages of ${found}, not of ${id}`);
}

/** Lists the vintages of a file, oldest first. */
function vintagesOf({ batches }: WholeFile): readonly Day[] {
  const days = batches.flatMap(({ coverage = [] }) => coverage.map(({ coveredTo }) => coveredTo));
  return [...new Set(days)].sort();
}

/** What a workbook no longer has of what the store has from it. */
type Vanished = {
  /** A conflict for vintages or rows in a row that are gone. */
  readonly conflicts: readonly ImportConflict[];
  /** True if a row is gone, with which a new vintage would be short too. */
  readonly lacksRows: boolean;
  /** What the workbook says of the vanished figures: those of the vintage before, or none. */
  readonly statements: readonly Statement[];
};

/**
 * Finds the stored figures that a workbook no longer has in its vintages, among those that `mayHave` tells.
 * A vanished vintage that says what the one before it says is none: without it, every answer is the same.
 */
async function vanishedFrom(
  { file: { path }, batches }: WholeFile,
  seriesId: string,
  mayHave: (asOf: Day) => boolean,
  read: PullTask['read'],
): Promise<Vanished> {
  const given = batches.flatMap(({ statements = [] }) => statements);
  const vintages = new Set(given.map(({ asOf }) => asOf));
  const rows = new Set(given.map(({ date }) => date));
  const stored = await storedCells(seriesId, mayHave, read);
  const missing = stored.filter(({ asOf, date }) => !vintages.has(asOf) || !rows.has(date));
  const own = groupBy(given, ({ date }) => date);
  const inOrder = new Map(
    Array.from(own, ([date, all]) => [date, [...all].sort((a, b) => (a.asOf < b.asOf ? -1 : 1))]),
  );
  const statements = missing.flatMap(({ date, asOf, value: held }) => {
    const value = knownOn(inOrder.get(date) ?? [], asOf);
    return sameNumber(held, value) ? [] : [{ seriesId, date, asOf, value }];
  });
  const ofRows = statements.filter(({ asOf }) => vintages.has(asOf));
  const conflicts = [
    ...rangesOf(
      statements.filter(({ asOf }) => !vintages.has(asOf)),
      stored,
      'asOf',
    ),
    ...rangesOf(ofRows, stored, 'date'),
  ].map(({ name, ...range }): ImportConflict => {
    const what = name === 'asOf' ? 'vintage' : 'date';
    return { kind: 'absent', file: path, seriesId, what, ...range };
  });
  return { conflicts, lacksRows: ofRows.length > 0, statements };
}

type StatedCell = Pick<Statement, 'asOf' | 'date'>;

/** Reads what the vintages of a series state in a store. */
async function storedCells(seriesId: string, mayHave: (asOf: Day) => boolean, read: PullTask['read']) {
  const cells = await read(async ({ contents }) => {
    const series = await contents.series(seriesId);
    const changes = new Map<Day, StoredChange[]>();
    for await (const batch of contents.changes(seriesId))
      for (const change of batch) entryOf(changes, change.date, () => []).push(change);
    const vintages = (series?.vintages ?? []).filter(({ asOf }) => mayHave(asOf));
    return vintages.flatMap(({ asOf, dates }) =>
      parseDateSet(dates, series?.normalisedBy)
        .days()
        .map((date) => ({ date, asOf, value: knownOn(changes.get(date) ?? [], asOf) })),
    );
  });
  return cells ?? [];
}

/** Groups cells by the days of one kind, and joins days that follow each other in the store. */
function rangesOf(cells: readonly StatedCell[], stored: readonly StatedCell[], name: 'asOf' | 'date') {
  const ranges: { name: typeof name; from: Day; to: Day; figures: number }[] = [];
  const counts = groupBy(cells, (cell) => cell[name]);
  let isOpen = false;
  for (const day of [...new Set(stored.map((cell) => cell[name]))].sort()) {
    const figures = counts.get(day)?.length ?? 0;
    const last = ranges.at(-1);
    if (figures > 0 && isOpen && last !== undefined) {
      last.to = day;
      last.figures += figures;
    } else if (figures > 0) ranges.push({ name, from: day, to: day, figures });
    isOpen = figures > 0;
  }
  return ranges;
}
