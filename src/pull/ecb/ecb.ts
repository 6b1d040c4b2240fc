import type { HttpReply } from '../../client/remote/transport.ts';
import { publishers } from '../../domain/series/publishers.ts';
import { addDays, type Day, later, utcDay } from '../../domain/values/date.ts';
import { sameNumber } from '../../domain/values/decimal.ts';
import { Problem } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';
import type { SourceFile } from '../../import/files/source-file.ts';
import {
  type ChangeLog,
  ecbId,
  ecbLog,
  logBatch,
  notRealTime,
  readChangeLogs,
  readCurrentData,
  realTimeFlow,
} from '../../import/formats/sdmx/ecb.ts';
import type { ImportConflict } from '../../import/load/conflict.ts';
import { isJsonObject, jsonIn } from '../../import/readers/json.ts';
import { defined } from '../../platform/defined.ts';
import { History } from '../history.ts';
import {
  bookmarkIn,
  document,
  goneSeries,
  type PullSource,
  type PullTask,
  type PullWindows,
  type ReplyFailure,
  sentAt,
  statusFailure,
  wrongAnswer,
} from '../source.ts';
import { hashOf, inputOf, refuseForeign } from '../whole-files.ts';

const title = 'the ECB';

const example = 'RTD.Q.S0.S.G_GDPM_TO_C.E';

/** The Real-Time Database of the ECB; the subjects are ids of series, one change log each. */
export const ecb: PullSource = {
  name: 'ecb',
  nameForm: /^(?:ECB:|RTD[./])/i,
  example,
  title,
  base: 'https://data-api.ecb.europa.eu',
  folder: '/service',
  // The ECB states no limit, and an answer that is not in its cache takes minutes.
  pace: [{ requests: 2, milliseconds: 1000 }],
  timeout: 600,
  probe: '/data/RTD/Q.S0.S.G_GDPM_TO_C.E?format=csvdata&detail=dataonly&lastNObservations=1',
  isAnswer: ({ status, body }) => status === 200 || status === 304 || (status === 404 && hasNoResults(body)),
  failureIn,
  parse: seriesId,

  estimate({ bookmark, upTo }) {
    if (bookmark === '') return { requests: 3, what: 'two copies of the change log, and the latest data' };
    return { requests: 1, what: `the change log if it has changed since ${upTo}` };
  },

  windows: changesOf,
};

/** Parses a key, with or without prefix, into the id of its series; throws a Problem for one that cannot be pulled. */
function seriesId(text: string): string {
  const key = text.trim().toUpperCase().replace(/^ECB:/, '').replace('/', '.');
  const [flow = '', ...codes] = key.split('.');
  const refused = (reason: string, hint = `a key is ${keyForm}, such as ${example}`) =>
    new Problem('bad-input', `${JSON.stringify(text)}: ${reason}`, { hints: [hint] });
  if (!/^\w+$/.test(flow) || codes.length === 0) throw refused('not a key of the ECB');
  if (flow !== realTimeFlow)
    throw refused(
      notRealTime,
      `asof pull ecb ${example}; https://data.ecb.europa.eu/data/datasets/RTD lists the keys`,
    );
  if (codes.some((code) => code === '' || /[*+]/.test(code)))
    throw refused('a key for several series: the ECB leaves deletions out of its answers');
  if (codes.length !== 5 || !codes.every((code) => /^\w+$/.test(code))) throw refused('not a key of the ECB');
  return ecbId(key);
}

const keyForm = `${realTimeFlow}.FREQ.REF_AREA.ADJUSTMENT.RT_ECON_CONCEPT.RT_DENOM`;

function failureIn(reply: HttpReply): ReplyFailure | undefined {
  const { status, body, url } = reply;
  // The gateway gives up before the answer is ready; the next request may find it ready.
  if (status === 504) return { ...statusFailure(title, reply), pause: 20 };
  if (status !== 200 || !/^\s*</.test(body.toString('latin1', 0, 200))) return undefined;
  const detail = `${url} answered 200 with a page in the place of data; asof refused it, and stored nothing from it`;
  return { problem: new Problem('bad-answer', detail), transient: true };
}

/** Tells the answer about a series that the ECB does not have from that of an address that it does not have. */
function hasNoResults(body: Buffer): boolean {
  const answer = jsonIn(body.toString('utf8'));
  return isJsonObject(answer) && /no results/i.test(String(answer.detail));
}

type LogBookmark = {
  /** The SHA-256 of the stored log. */
  readonly sha256?: string;
  /** The `Last-Modified` of the stored log; absent if the log may still have been growing. */
  readonly modified?: string;
  /** The last day of the stored log, whose figures may have been a part; absent if they were whole. */
  readonly open?: Day;
};

/** Headers under which the ECB caches an answer: a cut copy stays under its own. */
const accepts = ['text/csv', '*/*', 'text/csv, */*;q=0.1'];

/** Requests data of a series; `copy` chooses the first header, and a try after a failure has the next one. */
function ask(
  { subject: { name: id }, get }: PullTask,
  query: string,
  copy = 0,
  faultOf: (reply: HttpReply) => Promise<string | undefined> = async () => undefined,
  headers: HttpReply['headers'] = {},
): Promise<HttpReply> {
  return get(
    `/data/${id.replace(ecbId(''), '').replace('.', '/')}?format=csvdata&${query}`,
    async (reply) => {
      if (reply.status !== 200 || reply.body.at(-1) === lineFeed) return faultOf(reply);
      return `the answer of the ECB about ${id} broke off; asof refused it, and stored nothing from it`;
    },
    (failed) => ({ accept: accepts[(copy + failed) % accepts.length] ?? '*/*', ...headers }),
  );
}

const lineFeed = 0x0a;

const wholeLog = 'includeHistory=true';

/** Pulls the change log of a series, whole each time that it has changed. */
async function* changesOf(task: PullTask): PullWindows {
  const { subject, full, now, note, find } = task;
  const { name: id } = subject;
  const stored = await task.storedHistory(id);
  const before: LogBookmark = stored === undefined ? {} : bookmarkIn(subject);
  const held: LogBookmark = full ? {} : before;
  const unlessChanged = defined({ 'if-modified-since': held.modified });
  const first = await ask(task, wholeLog, 0, undefined, unlessChanged);
  if (first.status === 404) throw unknownSeries(id, subject.upTo);
  if (first.status === 304 && held.modified !== undefined) return;
  const { upTo: last = '' } = subject;
  if (hashOf(first.body) === held.sha256) {
    yield { bookmark: bookmarkOf(first, last, now), upTo: last };
    return;
  }
  const { log, reply } = await provenLog(task, first);
  await refuseForeign(id, publishers.ecb.name, find);
  const reached = log.values.at(-1)?.asOf ?? '';
  if (reached < addDays(utcDay(now), -longestRest)) note(`the ECB has not changed it since ${reached}`);
  const upTo = stored === undefined ? '' : last;
  const isFinal = (asOf: Day) => !task.takesAll && (before.open === undefined || asOf < before.open);
  const { conflicts, isOutdated, values } = compare(log, stored, upTo, isFinal);
  yield {
    files: [inputOf({ file: logFile(reply, id), format: ecbLog, batches: [logBatch({ ...log, values })] })],
    replaces: isOutdated,
    conflicts,
    bookmark: bookmarkOf(reply, reached, now),
    contradicted: openOf(reply, reached, now),
    upTo: task.takesAll ? reached : later(reached, upTo),
  };
}

/** Proves that a log is whole: another copy is the same, and its last values are the data of today. */
async function provenLog(task: PullTask, first: HttpReply) {
  const { name: id } = task.subject;
  // An answer that cannot be read needs no second copy.
  const given = await readLog(first, id);
  const copies = [first.body];
  const reply = await ask(task, wholeLog, 1, async ({ body }) => {
    if (copies.some((copy) => copy.equals(body))) return undefined;
    copies.push(body);
    return `the ECB gives two different logs of ${id}; asof refused them, and stored nothing from it`;
  });
  const log = reply.body.equals(first.body) ? given : await readLog(reply, id);
  await ask(task, 'detail=dataonly', 0, (latest) => disagreement(log, latest));
  return { log, reply };
}

/** Compares a log with the store; of a log with conflicts, nothing is taken that would change a past answer. */
function compare(
  { seriesId, values: logged }: ChangeLog,
  stored: History | undefined,
  upTo: Day,
  isFinal: (asOf: Day) => boolean,
) {
  const log = History.of(logged);
  // With a logged value of a day up to `upTo` that the store lacks, an answer of a past day would change.
  const known = [...(stored?.changes() ?? []), ...logged.filter(({ asOf }) => asOf <= upTo)].filter(
    ({ asOf }) => isFinal(asOf),
  );
  const conflicts = Array.from(new Map(known.map((cell) => [keyOf(cell), cell])).values()).flatMap(
    ({ date, asOf }): readonly ValueConflict[] => {
      const [held, given] = [stored?.valueOn(date, asOf) ?? null, log.valueOn(date, asOf)];
      if (sameNumber(held, given)) return [];
      return [{ kind: 'value', file: seriesId, seriesId, date, asOf, held, given }];
    },
  );
  const outdated = (stored?.cells() ?? []).filter(({ asOf }) => !isFinal(asOf));
  const refused = new Set(conflicts.map(keyOf));
  // A vintage that the store lacks would be new in the past, even if its figures were known.
  const isTaken = (value: LogCell) =>
    !refused.has(keyOf(value)) && (value.asOf > upTo || !isFinal(value.asOf));
  const taken = conflicts.length === 0 ? logged : logged.filter(isTaken);
  // What the log says of outdated cells that it does not state.
  const gone = outdated
    .filter(({ date, asOf }) => !log.isStated(date, asOf))
    .map(({ date, asOf }) => ({ date, asOf, value: log.valueOn(date, asOf) }));
  const values = [...taken, ...gone].sort((a, b) => (a.asOf < b.asOf ? -1 : Number(a.asOf > b.asOf)));
  return { values, isOutdated: outdated.length > 0, conflicts };
}

/** In days. A series that the ECB still updates changes more often, if it is not annual. */
const longestRest = 200;

type LogCell = { readonly date: Day; readonly asOf: Day };

type ValueConflict = Extract<ImportConflict, { readonly kind: 'value' }>;

function keyOf({ date, asOf }: LogCell): string {
  return `${date} ${asOf}`;
}

function unknownSeries(id: string, upTo: Day | undefined): Problem {
  if (upTo === undefined)
    return new Problem('not-found', `the ECB has no series '${id}'`, {
      hints: ['https://data.ecb.europa.eu/data/datasets/RTD lists the series of the Real-Time Database'],
    });
  return goneSeries({ name: 'ecb', title }, id, upTo);
}

function bookmarkOf(reply: HttpReply, reached: Day, now: Date): LogBookmark {
  const modified = isOver(reply, now) ? (reply.headers['last-modified'] ?? '') : undefined;
  return { sha256: hashOf(reply.body), ...defined({ modified }), ...openOf(reply, reached, now) };
}

/** Makes the bookmark of a log of which a part is not stored: nothing but a last day that is not over. */
function openOf(reply: HttpReply, reached: Day, now: Date): LogBookmark {
  const begun = new Date((sentAt(reply) ?? now).getTime() - longestLoad);
  return !isOver(reply, now) && reached >= utcDay(begun) ? { open: reached } : {};
}

function isOver(reply: HttpReply, now: Date): boolean {
  const modified = Date.parse(reply.headers['last-modified'] ?? '');
  return modified < (sentAt(reply) ?? now).getTime() - longestLoad;
}

/** In milliseconds. While the ECB loads new figures, an answer could have a part of them. */
const longestLoad = 24 * 3_600_000;

function logFile({ body }: HttpReply, id: string): SourceFile {
  return document(`${id}.csv`, id, body);
}

async function readLog(reply: HttpReply, id: string): Promise<ChangeLog> {
  const [log, ...others] = await readChangeLogs(logFile(reply, id));
  if (log?.seriesId === id && others.length === 0) return log;
  const found = [log, ...others].map((one) => one?.seriesId).join(', ');
  const detail = `the answer of the ECB is about ${found}, and asof asked for ${id}, and stored nothing from it`;
  throw wrongAnswer(detail);
}

/** Returns what the log of a series gets wrong of the data of today, such as values whose deletion it lacks. */
async function disagreement(
  { seriesId: id, values }: ChangeLog,
  reply: HttpReply,
): Promise<string | undefined> {
  const last = new Map<Day, string>();
  for (const { date, value } of values)
    if (value === null) last.delete(date);
    else last.set(date, value);
  const file = document(`${id}-latest.csv`, `${id} of today`, reply.body);
  const current = reply.status === 404 ? new Map<Day, string>() : await readCurrentData(file, id);
  const dates = [...new Set([...last.keys(), ...current.keys()])].sort();
  const differing = dates.filter((date) => !isClose(last.get(date), current.get(date)));
  const [first] = differing;
  if (first === undefined) return undefined;
  const count = counted(differing.length, 'date');
  return `the log of ${id} disagrees with the data of today on ${count} (the first is ${first}): one of the two is cut or new; asof refused them, and stored nothing from it`;
}

/** The relative difference that the ECB's own rounding to binary numbers explains. */
const roundingError = 1e-14;

function isClose(a: string | undefined, b: string | undefined): boolean {
  if (sameNumber(a ?? null, b ?? null)) return true;
  const [x, y] = [Number(a), Number(b)];
  return Math.abs(x - y) <= roundingError * Math.max(Math.abs(x), Math.abs(y));
}
