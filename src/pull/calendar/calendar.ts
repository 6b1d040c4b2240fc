import { basename } from 'node:path/posix';
import type { HttpReply } from '../../client/remote/transport.ts';
import { principalReleases } from '../../domain/calendar/releases.ts';
import type { Sighting } from '../../domain/calendar/sighting.ts';
import { instantText } from '../../domain/calendar/zones.ts';
import { addDays } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { listed } from '../../errors/wording.ts';
import type { SourceFile } from '../../import/files/source-file.ts';
import { alfredReleaseDates, beaReleaseDates, fredDates } from '../../import/formats/calendar/dates.ts';
import { icsCalendar } from '../../import/formats/calendar/ics.ts';
import type { ImportFile, ImportFormat } from '../../import/formats/format.ts';
import { defined } from '../../platform/defined.ts';
import { FredApi } from '../fred/api.ts';
import { fred } from '../fred/fred.ts';
import {
  bookmarkIn,
  changedSource,
  document,
  type PullSource,
  type PullTask,
  type PullWindows,
  type ReplyFailure,
  statusFailure,
  throttled,
} from '../source.ts';
import { inputOf, isPage, readWhole, type WholeFile } from '../whole-files.ts';

type CalendarFile = {
  readonly publisher: 'ALFRED' | 'BEA' | 'BLS';
  /** As its looks name it; of ALFRED, whose looks are FRED's, with the number of the release. */
  readonly source: string;
  readonly host: string;
  readonly path: string;
  readonly format: ImportFormat;
};

const calendarFiles: readonly CalendarFile[] = [
  {
    ...{ publisher: 'BLS', source: 'BLS', host: 'https://www.bls.gov' },
    path: '/schedule/news_release/bls.ics',
    format: icsCalendar,
  },
  {
    ...{ publisher: 'BEA', source: 'BEA', host: 'https://www.bea.gov' },
    path: '/news/schedule/ics/online-calendar-subscription.ics',
    format: icsCalendar,
  },
  {
    ...{ publisher: 'BEA', source: 'BEA JSON', host: 'https://apps.bea.gov' },
    path: '/API/signup/release_dates.json',
    format: beaReleaseDates,
  },
  ...principalReleases.map(({ fred }) => ({
    ...({ publisher: 'ALFRED', host: 'https://alfred.stlouisfed.org' } as const),
    source: `ALFRED ${fred}`,
    path: `/release/downloaddates?rid=${fred}&ff=txt`,
    format: alfredReleaseDates,
  })),
];

const publishers = ['BLS', 'BEA', 'FRED', 'ALFRED'];
/** Those that a pull without names looks at; FRED too where there is a key. */
const usual = ['BLS', 'BEA'];

/** Begins the paths of requests to FRED, which alone gets the key. */
const toFred = 'fred:';

/**
 * The calendars of releases of the BLS, the BEA and FRED, and the past days of ALFRED.
 * Each request is a look at what is planned now.
 * A calendar says nothing of plans that it has dropped, so every look is stored, even an unchanged one.
 */
export const calendar: PullSource = {
  name: 'calendar',
  title: 'the calendar',
  base: 'https://www.bls.gov',
  others: { ...Object.fromEntries(calendarFiles.map(({ path, host }) => [path, host])), [toFred]: fred },
  headers: { accept: 'text/calendar, application/json;q=0.9, */*;q=0.1' },
  // The BLS and the BEA state no limit; FRED takes two requests a second, and 100 a minute.
  pace: [{ requests: 1, milliseconds: 1000 }],
  probe: '/news/schedule/ics/online-calendar-subscription.ics',
  counted: { looks: ['look', 'looks'], new_days: ['new day', 'new days'] },

  refusesWindows: true,
  isAnswer: ({ status }) => status === 200 || status === 304,
  failureIn: failureOfCalendar,

  everything: ({ fred }) => (fred?.key === undefined ? usual : [...usual, 'FRED']),

  parse(text) {
    const name = text.trim().toUpperCase();
    if (publishers.includes(name)) return name;
    const choice = listed(publishers, 'or');
    throw new Problem('bad-input', `${JSON.stringify(text)} is not a calendar: use ${choice}`);
  },

  estimate({ name }) {
    if (name === 'FRED') return { requests: 2, what: 'the planned days, and those that are over' };
    const own = calendarFiles.filter(({ publisher }) => publisher === name);
    const what =
      name === 'ALFRED'
        ? 'the past days of the principal releases'
        : own.map(({ path }) => basename(path)).join(' and ');
    return { requests: own.length, what };
  },

  windows: (task) => (task.subject.name === 'FRED' ? looksAtFred(task) : looksAtFiles(task)),

  async count(subject, view) {
    const own = (await view.calendar.sightings()).filter((one) => publisherOf(one) === subject);
    const days = own.flatMap(({ source, entries }) =>
      entries.map(({ release, day, time = '' }) => `${source} ${release} ${day} ${time}`),
    );
    return { looks: own.length, new_days: new Set(days).size };
  },
};

function publisherOf({ source, scope, lists }: Sighting): string {
  // FRED lists the days of all releases, ALFRED those of one.
  if (source === 'FRED' && lists === 'events' && scope !== '') return 'ALFRED';
  return source.split(' ')[0] ?? '';
}

function failureOfCalendar(reply: HttpReply): ReplyFailure | undefined {
  const { status, url } = reply;
  const file = calendarFiles.find(({ path }) => url.includes(path));
  const publisher = `the ${file?.publisher ?? 'publisher'}`;
  if (status === 429) return throttled(publisher, 'HTTP 429', 60);
  if (status === 403 || status === 404 || (status === 200 && isPage(reply)))
    return { problem: refusedPage(publisher, file, status), transient: false };
  return status === 200 || status === 304 ? undefined : statusFailure(publisher, reply);
}

/** Makes the Problem of a web page in the place of a calendar; a browser gets what a program does not. */
function refusedPage(publisher: string, file: CalendarFile | undefined, status: number): Problem {
  const { host = '', path = '' } = file ?? {};
  const name = basename(path);
  const detail = `${publisher} sent a web page in place of ${name} (HTTP ${status}), and asof stored nothing from it`;
  return new Problem('bad-answer', detail, {
    hints: [
      `save ${host}${path} with a browser, and import it with the day on which you saved it:`,
      `asof import ${name} --as-of YYYY-MM-DD`,
    ],
  });
}

/** The last look at a calendar, and what the server said of that version of the file. */
type LookMark = { readonly seenAt: string; readonly tag?: string; readonly modified?: string };

type LookMarks = Readonly<Record<string, LookMark>>;

async function* looksAtFiles(task: PullTask): PullWindows {
  const { subject, today } = task;
  const own = calendarFiles.filter(({ publisher }) => publisher === subject.name);
  let marks: LookMarks = bookmarkIn(subject);
  for (const [index, calendar] of own.entries()) {
    const { file, mark } = await lookAt(calendar, marks[calendar.source], task);
    if (mark !== undefined) marks = { ...marks, [calendar.source]: mark };
    const more = index < own.length - 1;
    yield { files: [file], bookmark: marks, upTo: today, more };
  }
}

/** Looks at a calendar; one that has not changed since the last look says the same again. */
async function lookAt(
  { publisher, source, path, format }: CalendarFile,
  mark: LookMark | undefined,
  { full, get, clock, read }: PullTask,
): Promise<{ readonly file: ImportFile; readonly mark: LookMark | undefined }> {
  const isLast = (one: Sighting) => one.source === source && one.seenAt === mark?.seenAt;
  const before = full
    ? undefined
    : await read(async (view) => (await view.calendar.sightings()).find(isLast));
  const condition = before && {
    ...defined({ 'if-none-match': mark?.tag, 'if-modified-since': mark?.modified }),
  };
  let seenAt = '';
  const reply = await get(path, undefined, () => {
    seenAt = instantText(clock());
    return condition ?? {};
  });
  const name = basename(path);
  const file = document(name, `${name} of ${source}, seen at ${seenAt}`, reply.body);
  const { etag: tag, 'last-modified': modified } = reply.headers;
  if (reply.status !== 304) {
    const whole = await readWhole(file, format, { seenAt });
    checkSource(whole, source, file);
    // ALFRED's looks are stored as those of FRED, so no mark finds them again.
    const mark = publisher === 'ALFRED' ? undefined : { seenAt, ...defined({ tag, modified }) };
    return { file: inputOf(whole), mark };
  }
  if (before === undefined)
    throw new Problem(
      'bad-answer',
      `${name} came without its content (HTTP 304), which asof had not asked for`,
    );
  const again = { file, format, batches: [{ sightings: [{ ...before, seenAt }] }] };
  return { file: inputOf(again), mark: { ...mark, seenAt } };
}

/** Throws for the calendar of another publisher in the place of one: its plans would never vanish. */
function checkSource({ batches }: WholeFile, source: string, { path }: SourceFile): void {
  const found = batches.flatMap(({ sightings = [] }) => sightings.map((one) => one.source));
  const [publisher] = source.split(' ');
  const own = publisher === 'ALFRED' ? 'FRED' : source;
  const other = found.find((name) => name !== own);
  if (other === undefined) return;
  throw changedSource(`${path} is the calendar of ${JSON.stringify(other)}; nothing of it is stored`);
}

/** In days; FRED adds days of release late, and drops plans. */
const overlap = 31;

/** Looks at FRED's list of planned days, and at the list of those on which something was released. */
async function* looksAtFred({ subject, full, today, get, clock }: PullTask): PullWindows {
  const api = new FredApi((path, ...rest) => get(`${toFred}${path}`, ...rest));
  const from =
    full || subject.upTo === undefined ? `${today.slice(0, 4)}-01-01` : addDays(subject.upTo, -overlap);
  for (const lists of ['plans', 'events'] as const) {
    const answer = await api.releaseDates(from, lists === 'plans');
    const seenAt = instantText(clock());
    const file = document(
      'releases-dates.json',
      `${lists} of FRED, seen at ${seenAt}`,
      JSON.stringify(answer),
    );
    // In the first days of a year, nothing may have been released yet.
    const isNone = lists === 'events' && answer.count === 0;
    const files = isNone ? [] : [inputOf(await readWhole(file, fredDates(lists), { seenAt }))];
    yield { files, bookmark: {}, upTo: today, more: lists === 'plans' };
  }
}
