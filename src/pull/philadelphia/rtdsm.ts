import { closeNames } from '../../domain/search/words.ts';
import { publishers } from '../../domain/series/publishers.ts';
import { realTimeVariables } from '../../domain/series/real-time-data-set.ts';
import { type Statement, Statements } from '../../domain/series/statements.ts';
import { type Day, earlier, later, monthNumber } from '../../domain/values/date.ts';
import { sameNumber } from '../../domain/values/decimal.ts';
import { groupBy } from '../../domain/values/groups.ts';
import { Problem } from '../../errors/problem.ts';
import { listed } from '../../errors/wording.ts';
import { refusal } from '../../import/files/source-file.ts';
import { rtdsm as format } from '../../import/formats/real-time-workbooks.ts';
import type { ImportConflict } from '../../import/load/conflict.ts';
import { defined } from '../../platform/defined.ts';
import { History } from '../history.ts';
import { bookmarkIn, document, type PullSource, type PullTask, type PullWindows } from '../source.ts';
import {
  hashOf,
  inputOf,
  isPage,
  otherAnswer,
  partOf,
  readWhole,
  refuseForeign,
  seriesOf,
  statementsIn,
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
  otherNames: ['philadelphia'],
  nameForm: /[MQ]v[MQ]d$/i,
  example: 'ROUTPUT',
  title,
  base: 'https://www.philadelphiafed.org',
  headers: { accept: '*/*' },
  // The publisher states no limit.
  pace: [{ requests: 1, milliseconds: 1000 }],
  probe: `${folder}/OPHQvQd.xlsx`,
  catalogue: Array.from(realTimeVariables.values(), ({ id: name, title, frequency, vintages }) => {
    const also = vintages.slice(1).map((other) => `; ${name}${other}v${frequency}d: vintages by month`);
    return { name, title: `${title}${also.join('')}`, frequency };
  }),
  since: 'whole',
  // Of a file that the server does not have, it sends a page.
  isAnswer: ({ status }) => status === 200 || status === 404,

  parse: (text) => workbookNamed(text).name,

  everything() {
    throw new Problem('bad-input', 'name the variables to pull', {
      hints: ['asof pull rtdsm ROUTPUT EMPLOY', 'asof pull rtdsm --list shows all of them'],
    });
  },

  estimate: () => ({ requests: 1, what: 'the workbook with every vintage' }),

  idsOf: (subject) => [workbookNamed(subject).id],
  windows: workbookOf,
};

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

async function* workbookOf(task: PullTask): PullWindows {
  const { subject, full, takesAll, since, today, get, find, storedHistory, note } = task;
  const workbook = workbookNamed(subject.name);
  const { id, file: name } = workbook;
  const held = bookmarkIn<WorkbookMark>(subject);
  const path = `${folder}/${name}.xlsx`;
  const mayBeAbsent = !workbook.isListed && subject.upTo === undefined;
  const reply = await get(path, async (given) => {
    if (given.body.toString('latin1', 0, 4) === 'PK\x03\x04' && !isPage(given)) return undefined;
    return mayBeAbsent && isPage(given) ? undefined : otherAnswer(title, `the workbook ${name}.xlsx`, given);
  });
  if (isPage(reply)) throw noVariable(subject.name);
  const sha256 = hashOf(reply.body);
  const isKnown = held.sha256 === sha256 && (held.awaited === undefined || held.awaited > today);
  // A series that was removed from the store comes back.
  if (isKnown && !full && (await find(id)) !== undefined) return;
  await refuseForeign(id, publishers.rtdsm.name, find);
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
  const vanished = vanishedFrom(all, id, await storedHistory(id), mayHave);
  const conflicts = takesAll ? [] : vanished.conflicts;
  const isCut = conflicts.length > 0 && vanished.lacksRows;
  if (isCut) note(`${name}.xlsx lacks rows that the store has: nothing of it is stored`);
  const restated = { ...part, batches: [...part.batches, { statements: vanished.statements }] };
  const files = isCut ? [] : [inputOf(takesAll ? restated : part)];
  const upTo = later((isCut ? undefined : vintagesOf(part).at(-1)) ?? '', subject.upTo ?? '') || today;
  // What contradicts the store is named again in every run.
  const contradicted = defined({ from, awaited, first });
  yield { files, conflicts, bookmark: { ...contradicted, sha256 }, contradicted, upTo };
}

/** Tells whether a workbook has vintages of a day: the 15th of each month, or of the middle month of each quarter. */
function isOf({ vintages }: Workbook, asOf: Day): boolean {
  return asOf.endsWith('-15') && (vintages === 'M' || Number(asOf.slice(5, 7)) % 3 === 2);
}

/** Notes a last vintage that ends no later than the one before it: nothing new was published, or rows are cut. */
function noteShort(whole: WholeFile, last: Day | undefined, note: PullTask['note']): void {
  const ends = new Map<Day, Day>();
  for (const { date, asOf, value } of statementsIn(whole.batches))
    if (value !== null) ends.set(asOf, later(ends.get(asOf) ?? '', date));
  const before = vintagesOf(whole).findLast((day) => day < (last ?? ''));
  const [end, endBefore] = [ends.get(last ?? ''), ends.get(before ?? '')];
  if (end !== undefined && endBefore !== undefined && end <= endBefore)
    note(`the vintage of ${last} has nothing after ${end}, no more than that of ${before}`);
}

/** Throws if a period is missing between two rows, as in a cut workbook. */
function refuseGaps({ batches, file }: WholeFile, { data }: Workbook): void {
  const rows = [...new Set(statementsIn(batches).map(({ date }) => date))].sort();
  const at = rows.findIndex(
    (date, i) => i > 0 && monthNumber(date) - monthNumber(rows[i - 1] ?? '') !== (data === 'Q' ? 3 : 1),
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

/**
 * Finds the stored figures that a workbook no longer has in its vintages, among those that `mayHave` tells:
 * a conflict for vintages or rows in a row that are gone, and what the workbook says of them.
 * A vanished vintage that says what the one before it says is none: without it, every answer is the same.
 * If a row is gone, a new vintage would be short too.
 */
function vanishedFrom(
  { file: { path }, batches }: WholeFile,
  seriesId: string,
  stored: History | undefined,
  mayHave: (asOf: Day) => boolean,
) {
  const statements = statementsIn(batches);
  const given = History.of(statements);
  const rows = new Set(statements.map(({ date }) => date));
  const held = (stored?.cells() ?? []).filter(({ asOf }) => mayHave(asOf));
  const vanished = held.flatMap(({ date, asOf }): readonly Statement[] => {
    if (given.vintages.has(asOf) && rows.has(date)) return [];
    const value = given.valueOn(date, asOf);
    const isSame = sameNumber(stored?.valueOn(date, asOf) ?? null, value);
    return isSame ? [] : [{ seriesId, date, asOf, value }];
  });
  const ofRows = vanished.filter(({ asOf }) => given.vintages.has(asOf));
  const ofVintages = vanished.filter(({ asOf }) => !given.vintages.has(asOf));
  const absent = { kind: 'absent', file: path, seriesId } as const;
  const conflicts: readonly ImportConflict[] = [
    ...rangesOf(ofVintages, held, 'asOf').map((range) => ({ ...absent, what: 'vintage' as const, ...range })),
    ...rangesOf(ofRows, held, 'date').map((range) => ({ ...absent, what: 'date' as const, ...range })),
  ];
  return { conflicts, lacksRows: ofRows.length > 0, statements: [new Statements(seriesId, vanished)] };
}

/** Groups cells by the days of one kind, and joins days that follow each other in the store. */
function rangesOf(
  cells: readonly Pick<Statement, 'asOf' | 'date'>[],
  stored: readonly Pick<Statement, 'asOf' | 'date'>[],
  name: 'asOf' | 'date',
) {
  const ranges: { from: Day; to: Day; figures: number }[] = [];
  const counts = groupBy(cells, (cell) => cell[name]);
  let isOpen = false;
  for (const day of [...new Set(stored.map((cell) => cell[name]))].sort()) {
    const figures = counts.get(day)?.length ?? 0;
    const last = ranges.at(-1);
    if (figures > 0 && isOpen && last !== undefined) {
      last.to = day;
      last.figures += figures;
    } else if (figures > 0) ranges.push({ from: day, to: day, figures });
    isOpen = figures > 0;
  }
  return ranges;
}
