import type { HttpReply } from '../../client/remote/transport.ts';
import { type Day, later } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';
import { once, type SourceFile } from '../../import/files/source-file.ts';
import type { Batch } from '../../import/formats/format.ts';
import {
  eurostatId,
  eurostatTable,
  eurostatTableFile,
  eurostatTables,
  readEurostatCube,
} from '../../import/formats/sdmx/eurostat.ts';
import { isJsonObject, jsonIn } from '../../import/readers/json.ts';
import { History } from '../history.ts';
import {
  bookmarkIn,
  changedSource,
  document,
  type Get,
  goneSeries,
  type PullSource,
  type PullTask,
  type PullWindows,
  type ReplyFailure,
} from '../source.ts';
import { hashOf, inputOf, statementsIn } from '../whole-files.ts';

const title = 'Eurostat';

/** Eurostat's vintage tables; the subjects are keys of series, such as `EI_NA_Q_VTG.Q.SCA.CLV05_MEUR.EA`. */
export const eurostat: PullSource = {
  name: 'eurostat',
  otherNames: ['estat'],
  nameForm: /^(?:ESTAT:|EI_\w+_VTG\b)/i,
  example: 'ei_na_q_vtg',
  title,
  base: 'https://ec.europa.eu/eurostat/api/dissemination',
  // Eurostat asks for one request after the other, and states no number.
  pace: [{ requests: 1, milliseconds: 1000 }],
  // All vintages of a series of industrial production take minutes.
  timeout: 300,
  probe: dataPath('EI_NA_Q_VTG', { geo: ['EA'], s_adj: ['SCA'], lastTimePeriod: ['1'] }),
  catalogue: eurostatTables.map(({ name, title, dimensions }) => ({
    name,
    title: `${title}; keys are ${dimensions.join('.')}`,
    frequency: name.includes('_Q_') ? 'Q' : 'M',
  })),
  isAnswer,
  failureIn: preparing,

  parse: (text) => parseKey(text).name,

  async expand(name, get) {
    const key = parseKey(name);
    return isOfOneSeries(key) ? [name] : seriesOf(key, get);
  },

  estimate({ name, bookmark }) {
    const key = parseKey(name);
    const tables = tablesOf(key).length;
    const each = tables === 1 ? 'a request' : `${tables} requests`;
    if (!isOfOneSeries(key))
      return { requests: tables, what: `the list of its series, then ${each} for each` };
    if (bookmark === '') return { requests: tables, what: 'every vintage' };
    return { requests: 1, what: 'whether the table has changed' };
  },

  windows: historyOf,

  covers(name, subject) {
    const [wanted, own] = [parseKey(name), parseKey(subject)];
    const isIn = (codes: readonly string[], at: number) =>
      codes.length === 0 || codes.includes(own.codes[at]?.[0] ?? '');
    return wanted.table === own.table && wanted.codes.every(isIn);
  },
  idsOf: (name) => [eurostatId(name)],
};

/** The key of a series, or of several: each dimension has the wanted codes, none for all. */
type Key = {
  readonly name: string;
  readonly table: (typeof eurostatTables)[number];
  readonly codes: readonly (readonly string[])[];
};

/**
 * Parses a key as users type it: the table, then a code for each dimension as in SDMX: nothing for all codes, `DE+FR`
 * for some; without any, the whole table. Throws for another table or number of dimensions.
 */
function parseKey(text: string): Key {
  const [name = '', ...typed] = text
    .trim()
    .replace(/^estat:/i, '')
    .toUpperCase()
    .split('.');
  const table = eurostatTable(name);
  if (table === undefined) {
    const detail = `${JSON.stringify(text)}: not a vintage table of Eurostat`;
    const tables = eurostatTables.map((one) => one.name).join(', ');
    throw new Problem('bad-input', detail, { hints: [`the tables are ${tables}`] });
  }
  const { dimensions } = table;
  const codes = typed.length === 0 ? dimensions.map(() => '') : typed;
  const form = [table.name, ...dimensions].join('.');
  if (codes.length !== dimensions.length || codes.some((code) => !/^(?:[\w-]+(?:\+[\w-]+)*)?$/.test(code)))
    throw new Problem('bad-input', `${JSON.stringify(text)}: not a key of ${table.name}`, {
      hints: [
        `a key is ${form}; an empty place means all codes, such as ${table.name}${'.'.repeat(dimensions.length)}EA`,
      ],
    });
  return {
    name: [table.name, ...codes].join('.'),
    table,
    codes: codes.map((code) => (code === '' ? [] : code.split('+'))),
  };
}

function isOfOneSeries({ codes }: Key): boolean {
  return codes.every((wanted) => wanted.length === 1);
}

/** Lists the tables with the vintages of a key, oldest first. */
function tablesOf({ table: { name, before } }: Key): readonly string[] {
  return before === undefined ? [name] : [before, name];
}

function dataPath(table: string, query: Filters): string {
  const parameters = Object.entries(query).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return `/statistics/1.0/data/${table}?${new URLSearchParams([['lang', 'EN'], ...parameters])}`;
}

function filtersOf({ table, codes }: Key): Filters {
  return Object.fromEntries(table.dimensions.map((dimension, at) => [dimension, codes[at] ?? []]));
}

type Filters = Readonly<Record<string, readonly string[]>>;

/**
 * Lists the series of a key by their figures of some periods, and asks for all periods of the codes without such a
 * figure; throws if there are no series.
 */
async function seriesOf(key: Key, get: Get): Promise<readonly string[]> {
  const { table, name } = key;
  const found = new Set<string>();
  for (const own of tablesOf(key)) {
    const periods = table.periods[own === table.name ? 0 : 1] ?? table.periods[0];
    const answers = await answersAt(get, own, filtersOf(key), periods);
    const [first, ...others] = answers.map(({ cube }) => new Set(cube.unused()));
    for (const code of first ?? []) {
      if (!others.every((unused) => unused.has(code))) continue;
      const [dimension = '', value = ''] = code.split('=');
      answers.push(...(await answersAt(get, own, { ...filtersOf(key), [dimension]: [value] })));
    }
    for (const { cube } of answers) for (const one of cube.keys()) found.add(`${table.name}.${one}`);
  }
  if (found.size === 0) throw nothingThere(name);
  return [...found].sort();
}

/**
 * Requests the figures of some periods, or of all, in parts if Eurostat refuses them together; none if there are none.
 * A copy of before `since` is no answer.
 */
async function answersAt(
  get: Get,
  table: string,
  filters: Filters,
  periods?: readonly string[],
  since?: string,
): Promise<EurostatAnswer[]> {
  const query = { ...filters, ...(periods && { time: periods }) };
  const { status, body } = await get(dataPath(table, query), async (reply) => faultIn(reply, since));
  const said = saidIn(body);
  if (status === 200 && said === undefined) {
    const file = document(`${table}.json`, `Eurostat ${table}`, body);
    return [{ file, cube: await readEurostatCube(file) }];
  }
  const isLarge = isTooLarge(said);
  const isNone = status !== 404 && /INVALID_QUERY_DIMENSION_VALUE|no[ _]results/i.test(said ?? '');
  if (!isLarge && !isNone)
    throw changedSource(`Eurostat refused the request for ${table}: ${said ?? `HTTP ${status}`}`);
  if (periods === undefined || periods.length === 1) {
    if (!isLarge) return [];
    throw new Problem('bad-answer', `Eurostat refuses so large an answer: ${said}`, {
      hints: ['fill more places of the key, such as the unit or the area'],
    });
  }
  // It may not know one of the periods; it does not say which.
  if (!isLarge && !/\btime\b/i.test(said ?? '')) return [];
  const half = Math.ceil(periods.length / 2);
  return [
    ...(await answersAt(get, table, filters, periods.slice(0, half))),
    ...(await answersAt(get, table, filters, periods.slice(half))),
  ];
}

function nothingThere(name: string): Problem {
  return new Problem('not-found', `Eurostat has no series ${name}`, {
    hints: [`asof pull eurostat ${name.replace(/[^.]+$/, '')} follows that of every area`],
  });
}

/** What the store has of each table: when Eurostat had changed it, and a hash of the figures of the series. */
type EurostatBookmark = Readonly<Record<string, { readonly updated: string; readonly figures: string }>>;

/** Pulls a series: once the table before, whose vintages have ended, and the table if it has changed. */
async function* historyOf(task: PullTask): PullWindows {
  const { subject, full, get, find } = task;
  const key = parseKey(subject.name);
  const { name, table } = key;
  const id = eurostatId(name);
  // The facts that the bookmark is about may be gone.
  const isHeld = (await find(id)) !== undefined;
  let bookmark: EurostatBookmark = isHeld && !full ? bookmarkIn(subject) : {};
  let isContradicted = false;
  let upTo = isHeld ? (subject.upTo ?? '') : '';
  for (const own of tablesOf(key)) {
    const { [own]: held } = bookmark;
    const isLast = own === table.name;
    if (!isLast && held !== undefined) continue;
    const isSame = held !== undefined && (await updateOf(key, own, get)) === held.updated;
    const [answer] = isSame ? [] : await answersAt(get, own, filtersOf(key), undefined, held?.updated);
    const batches = answer === undefined ? [] : batchesOf(answer, own, key);
    const figures = isSame ? held.figures : hashOfFigures(batches);
    const isNews = batches.length > 0 && figures !== held?.figures;
    const { [own]: _, ...others } = bookmark;
    bookmark = { ...bookmark, [own]: { updated: answer?.cube.updated ?? held?.updated ?? '', figures } };
    if (!isContradicted && Object.values(bookmark).every((one) => one.figures === '')) {
      if (isLast)
        throw isHeld ? goneSeries({ name: 'eurostat', title }, name, subject.upTo) : nothingThere(name);
      continue;
    }
    if (isNews) await noteAbsent(batches, name, task);
    upTo = later(upTo, answer?.cube.lastRevision ?? '');
    const { file } = answer ?? {};
    const files = isNews && file !== undefined ? [inputOf({ file, format: eurostatTableFile, batches })] : [];
    const covers = files.length === 0 ? { covers: id } : {};
    // What contradicts the store is asked for, and named, in every run.
    if (yield { files, ...covers, bookmark, contradicted: others, upTo, more: !isLast }) {
      isContradicted = true;
      bookmark = others;
    }
  }
}

type EurostatAnswer = {
  readonly file: SourceFile;
  readonly cube: Awaited<ReturnType<typeof readEurostatCube>>;
};

function isTooLarge(said = ''): boolean {
  return said.startsWith('EXTRACTION_TOO_BIG');
}

/** Returns what is wrong with an answer: it broke off, is a web page, or a cache's copy of before `since`. */
function faultIn({ status, body }: HttpReply, since = ''): string | undefined {
  if (status !== 200) return undefined;
  const answer = jsonIn(body.toString());
  if (!isJsonObject(answer)) return "Eurostat's answer is not JSON or broke off";
  const updated = typeof answer.updated === 'string' ? answer.updated : '';
  if (!(instantOf(updated) < instantOf(since))) return undefined;
  return `Eurostat gave a copy of ${updated}, older than what the store has, of ${since}`;
}

/** Reads an instant with an offset as Eurostat writes it: `2026-09-14T23:00:00+0200`. */
function instantOf(text: string): number {
  return Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
}

/** The longest message of Eurostat in bytes; tables are longer. */
const longestMessage = 4096;

/** Returns what Eurostat says instead of figures, in JSON or in XML; undefined if it gives figures. */
function saidIn(body: Buffer): string | undefined {
  if (body.length > longestMessage) return undefined;
  const text = body.toString();
  const said = jsonIn(text);
  if (!isJsonObject(said)) return /<(?:faultstring|status)>([^<]+)</.exec(text)?.[1];
  const [message] = [said.error ?? said.warning].flat();
  return isJsonObject(message) ? String(message.label) : undefined;
}

/** In seconds; Eurostat does not say when a large answer is ready. */
const preparation = 20;

function preparing({ body }: HttpReply): ReplyFailure | undefined {
  if (!/^(?:ASYNCHRONOUS|SUBMITTED|PROCESSING)/.test(saidIn(body) ?? '')) return undefined;
  const problem = new Problem('service-unavailable', 'Eurostat still prepares its answer');
  return { problem, transient: true, pause: preparation };
}

function isAnswer({ status, body }: HttpReply): boolean {
  const said = saidIn(body);
  if (status === 200 || said === undefined) return status === 200;
  return status === 400 || status === 404 || isTooLarge(said);
}

/** When Eurostat last changed each table, by the requests of a run. */
const updates = once((_: Get) => new Map<string, string>());

/** Asks once in a run when Eurostat last changed a table, by the last period of a series. */
async function updateOf(key: Key, table: string, get: Get): Promise<string> {
  const known = updates(get);
  const held = known.get(table);
  if (held !== undefined) return held;
  const [answer] = await answersAt(get, table, { ...filtersOf(key), lastTimePeriod: ['1'] });
  const updated = answer?.cube.updated ?? '';
  // Without the last period of this series, the table may still be unchanged for others.
  if (updated !== '') known.set(table, updated);
  return updated;
}

/** Reads the records of an answer; throws if they are of another table or series than the one that was asked for. */
function batchesOf(
  { cube }: EurostatAnswer,
  table: string,
  { table: { name }, codes }: Key,
): readonly Batch[] {
  const keys = [...cube.keys()];
  const other = [cube.name, ...keys].find((one) => one !== table && one.toUpperCase() !== codes.join('.'));
  if (other === undefined) return keys.length === 0 ? [] : [...cube.batches()];
  throw new Problem(
    'bad-answer',
    `Eurostat was asked for ${name}.${codes.join('.')}, and answered with ${other}`,
  );
}

/** Hashes the figures, in any order; empty without figures. */
function hashOfFigures(batches: readonly Batch[]): string {
  const lines = statementsIn(batches).map(({ date, asOf, value }) => `${date} ${asOf} ${value}`);
  return lines.length === 0 ? '' : hashOf(lines.sort().join('\n'));
}

/** Notes what Eurostat no longer has between the first and the last vintage of an answer. */
async function noteAbsent(batches: readonly Batch[], name: string, task: PullTask): Promise<void> {
  const given = History.of(statementsIn(batches));
  const days = [...given.vintages.keys()];
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const stored = await task.storedHistory(eurostatId(name));
  for (const [asOf, { dates }] of stored?.vintages ?? []) {
    const isGone = (date: Day) => asOf >= first && asOf <= last && !given.isStated(date, asOf);
    const gone = counted(dates.days().filter(isGone).length, 'figure');
    if (dates.days().some(isGone))
      task.note(`as of ${asOf}, Eurostat no longer has ${gone}; the store keeps them`);
  }
}
