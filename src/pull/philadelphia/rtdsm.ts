import { closeNames } from '../../domain/search/words.ts';
import { publishers } from '../../domain/series/publishers.ts';
import { type RealTimeVariable, realTimeVariables } from '../../domain/series/real-time-data-set.ts';
import { type Day, utcDay } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { listed } from '../../errors/wording.ts';
import { rtdsm as format } from '../../import/formats/panels.ts';
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
  readonly variable: RealTimeVariable | undefined;
  /** True if the catalogue has it. */
  readonly isListed: boolean;
};

/** Finds the workbook that a text names: `ROUTPUT`, `routputMvQd`; throws for a variable that is not known. */
function workbookNamed(text: string): Workbook {
  const [, typed = text, vintages, data] = /^(\w+?)([MQ])v([MQ])d(?:\.xlsx)?$/i.exec(text.trim()) ?? [];
  const id = typed.trim().toUpperCase();
  const variable = realTimeVariables.get(id);
  if (vintages === undefined || data === undefined) {
    if (variable === undefined) throw noVariable(text);
    return {
      name: id,
      id,
      file: fileOf(id, variable.vintages[0] ?? 'Q', variable.frequency),
      variable,
      isListed: true,
    };
  }
  const file = fileOf(id, vintages.toUpperCase(), data.toUpperCase());
  const known = variable?.frequency === data.toUpperCase() ? variable.vintages : [];
  const at = known.findIndex((one) => one === vintages.toUpperCase());
  return { name: at === 0 ? id : file, id, file, variable, isListed: at !== -1 };
}

function fileOf(id: string, vintages: string, data: string): string {
  return `${id}${vintages}v${data}d`;
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
  const from = full ? (since ?? held.from) : (held.from ?? (subject.bookmark === '' ? since : undefined));
  const days = vintagesOf(all);
  const awaited = days.find((day) => day > today);
  if (awaited !== undefined) note(`the vintage of ${awaited} counts from that day on`);
  const part = partOf(all, (_, asOf) => asOf <= today && asOf >= (from ?? ''));
  const upTo = vintagesOf(part).at(-1) ?? subject.upTo ?? today;
  const described = { ...part, batches: [{ metadata: metadataOf(workbook) }, ...part.batches] };
  const bookmark = defined({ from, awaited });
  yield { files: [inputOf(described)], bookmark: JSON.stringify(bookmark), upTo, more: true };
  // What contradicts the store is named again in every run.
  const done = task.hasConflicts() ? bookmark : { ...bookmark, sha256 };
  yield { files: [], bookmark: JSON.stringify(done), upTo, more: false };
}

function metadataOf({ id: seriesId, variable }: Workbook) {
  return variable === undefined ? [] : [{ seriesId, title: variable.title, frequency: variable.frequency }];
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
