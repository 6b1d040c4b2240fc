import { Problem, refused } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';
import { connectionIn, messagesIn, outputIn } from '../../lines/command.ts';
import { sharedFlags } from '../../lines/shared-flags.ts';
import type { Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import { variable } from '../../platform/installation.ts';
import { print } from '../../platform/sink.ts';
import type { PulledSubject, PullSummary } from '../../pull/options.ts';
import type { PullCounts, PullSource, SourceSettings } from '../../pull/source.ts';
import type { SourceProbe } from '../../pull/sources.ts';
import type { OutputFlags } from '../../render/output.ts';
import type { Followed } from '../../store/followed.ts';
import { readStoreIfAny } from '../../store/open.ts';
import { defaultStorePath, storeToRead, storeToWrite } from '../config/places.ts';
import { chosenSetting, readFrom, readSettings, settings } from '../config/settings.ts';
import { fredKey } from '../config/user-key.ts';
import { reporting } from '../run/remote-session.ts';
import { printRows } from '../run/rows.ts';
import type { SessionFlags } from '../run/session.ts';
import { exitCode, exitCodeOf, type Io } from '../terminal/io.ts';
import { type Messages, messagesOf, progress, reportFailure } from '../terminal/messages.ts';
import { command } from './command.ts';

const { store, remote, messages, format, output } = sharedFlags;

/** The live sources, as `asof pull` names them. */
const sources = ['fred', 'treasury', 'sec'] as const;

const sourceArg = { name: 'source', about: sources.join(', '), choices: sources };

const pullSources = command({
  words: 'pull',
  heading: 'Files',
  summary: 'Bring your store up to date from FRED, the Treasury and the SEC',
  about: `Your store follows what you name from now on; without names, pull brings everything that it
follows up to date. Each run continues where the last one stopped.

  asof pull fred GDP UNRATE      every vintage of two series
  asof pull treasury             par and real curves since 1990
  asof pull sec --ticker MAIA    the insider filings of a company
  asof pull                      everything that the store follows

FRED needs a key: FRED_API_KEY, ASOF_FRED_API_KEY_FILE or asof auth login --source fred.
The SEC needs your name and mail address: ASOF_SEC_CONTACT or asof config set sec_contact.`,
  examples: `
# every vintage of two series (needs a key of FRED)
asof pull fred GDP UNRATE
# every night from cron: whatever is new in what the store follows (needs a store that follows something)
asof pull --max-duration 30m
# what FRED has (needs a key of FRED)
asof pull fred --search "core pce"
`,
  args: [
    { ...sourceArg, optional: true },
    { name: 'names', about: 'what to follow, such as ids of series of FRED', optional: true, several: true },
  ],
  flags: [
    { name: 'search', value: 'text', about: 'list the series of FRED that match, and store nothing' },
    { name: 'release', value: 'n', about: 'follow every series of a release of FRED', repeatable: true },
    {
      name: 'ticker',
      value: 'symbol',
      complete: 'tickers',
      about: 'follow the filings of a company',
      repeatable: true,
    },
    { name: 'cik', value: 'n', about: 'follow the filings of a company or a person', repeatable: true },
    { name: 'daily', about: 'follow the insider filings of everyone, day by day' },
    { name: 'list', about: 'list what the store follows, and store nothing' },
    { name: 'since', value: 'date', complete: 'days', about: 'begin new histories on this day' },
    { name: 'full', about: 'ask for whole histories again, and compare them with the store' },
    { name: 'dry-run', about: 'print the requests that it would make, and make none' },
    { name: 'max-duration', value: 'time', about: 'stop after this time, such as 90s, 10m or 2h' },
    ...format,
    ...output.filter(({ name }) => name === 'columns' || name === 'no-header'),
    store,
    ...remote.filter(({ name }) => name !== 'base-url'),
    ...messages,
  ],
  read: pullIn,
  run: pullOrList,
});

const unfollowSource = command({
  words: 'unfollow',
  heading: 'Files',
  summary: 'Stop following a live source; the facts stay in the store',
  examples: `
# no more requests for a series; its facts stay (needs a store that follows it)
asof unfollow fred GDP
# no more requests for real curves (needs a store that follows them)
asof unfollow treasury real
`,
  args: [sourceArg, { name: 'names', about: 'names as asof pull --list shows them', several: true }],
  flags: [store, ...messages],
  read: (line) => ({
    source: line.arg(0),
    names: line.args.slice(1),
    store: line.text('store'),
    messages: messagesIn(line),
  }),
  async run({ source, names, messages: flags, store: address }, io) {
    const { unfollow } = await import('../../pull/pull.ts');
    await unfollow(storeToWrite(io, address), source, names);
    messagesOf(flags, io).note(`asof: no longer following ${names.join(', ')} of ${source}; the facts stay`);
    return exitCode.success;
  },
});

/** `asof pull` and `asof unfollow`: the live sources that a store follows. */
export const commands = [pullSources, unfollowSource];

type PullLine = ReturnType<typeof pullIn>;

function pullIn(line: TypedLine) {
  return {
    request: requestIn(line),
    list: line.has('list'),
    search: line.text('search'),
    full: line.has('full'),
    since: line.day('since', 'first'),
    dryRun: line.has('dry-run'),
    maxDuration: line.value('max-duration', duration),
    output: outputIn(line),
    connection: connectionIn(line),
    messages: messagesIn(line),
  };
}

/** The source that each flag belongs to, and the text that it stands for. */
const flagSources = { search: 'fred', release: 'fred', ticker: 'sec', cik: 'sec', daily: 'sec' } as const;

function requestIn(line: TypedLine): Readonly<Record<string, readonly string[]>> | undefined {
  const [source, ...names] = line.args;
  if (source !== undefined && !sources.some((known) => known === source))
    throw new Problem('bad-input', `unknown source '${source}': use fred, treasury or sec`, {
      hints: [`asof pull fred ${source} pulls a series of FRED`],
    });
  for (const [flag, own] of Object.entries(flagSources))
    if (line.has(flag) && source !== own)
      throw new Problem('bad-input', `--${flag} belongs to ${own}: asof pull ${own} --${flag} …`);
  if (source === undefined) return undefined;
  const flagged = (['release', 'ticker', 'cik'] as const).flatMap((flag) =>
    line.texts(flag).map((text) => `${flag} ${text.trim()}`),
  );
  return { [source]: [...names, ...flagged, ...(line.has('daily') ? ['daily'] : [])] };
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, '': 1 };

function duration(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?)(s|m|h)?$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds[unit] ?? Number.NaN);
  if (seconds > 0) return seconds;
  throw refused({ reason: 'use a time such as 90s, 10m or 2h' });
}

/** Brings the store up to date from live sources, or lists what it follows or what FRED has. */
async function pullOrList(line: PullLine, io: Io): Promise<number> {
  const messages = messagesOf(line.messages, io);
  const store = storeToWrite(io, line.connection.store);
  if (line.list) return listFollowed(line, store, io);
  const bar = progress(io, line.messages.quiet || line.messages.verbose);
  const [{ pull }, { pullSources: live, searchSource }] = await Promise.all([
    import('../../pull/pull.ts'),
    import('../../pull/sources.ts'),
  ]);
  const { full, since, dryRun, maxDuration, request } = line;
  const json = line.output.format === 'json';
  const options = {
    ...requestOptions(line, io, messages),
    ...{ store, request, full, since, dryRun, maxDuration },
    onProgress: (now: { name: string; done: number; total: number; requests: number; rows: number }) =>
      bar.show(() => `${now.name}, ${now.requests} requests, ${now.rows.toLocaleString('en-US')} rows`, {
        done: now.done,
        total: now.total,
        unit: 'series',
      }),
    onSubject: (subject: PulledSubject) => {
      if (dryRun && !json) messages.note(subjectLine(subject, live));
      else messages.detail(subjectLine(subject, live));
      if (!dryRun) for (const text of subject.notes) messages.note(`${subject.name}: ${text}`);
    },
  };
  if (line.search !== undefined)
    return printRows(line.output, listingFields, await searchSource(line.search, options), io);
  const summary = await pull(options);
  bar.clear();
  if (json) await print(`${JSON.stringify(summaryJson(summary), undefined, 2)}\n`, io);
  for (const text of summaryLines(summary, live)) messages.note(text);
  if (summary.created && store === defaultStorePath(io))
    messages.note('it replaces the shipped sample from now on');
  const failed = [...summary.subjects, ...summary.stops].flatMap(({ problem }) =>
    problem === undefined ? [] : [problem],
  );
  // A failure that ended a source is also the failure of a subject.
  return reported([...new Set(failed)], json, io);
}

/** Reports failures; the first one decides the exit code. */
function reported(failures: readonly Problem[], json: boolean, io: Io): number {
  if (io.signal.aborted) throw new Problem('interrupted', 'interrupted');
  for (const problem of failures) reportFailure(problem, json, io);
  const [first] = failures;
  return first === undefined ? exitCode.success : exitCodeOf(first.kind);
}

/** Prints whether the live sources answer, and take the user's key and contact. */
export async function probe(line: SessionFlags & { readonly output: OutputFlags }, io: Io): Promise<number> {
  const { probeSources } = await import('../../pull/sources.ts');
  const options = requestOptions(line, io, messagesOf(line.messages, io));
  const probes = await probeSources({ ...options, store: storeToRead(io, line.connection.store).path });
  await printRows(line.output, probeTable.fields, probes.map(probeTable.row), io);
  return reported(failuresIn(probes), line.output.format === 'json', io);
}

/** How to send requests to the live sources, from flags, environment and settings. */
function requestOptions({ connection, messages: flags }: SessionFlags, io: Io, messages: Messages) {
  const { retries, max_wait } = readSettings(io);
  return {
    timeout: connection.timeout ?? chosenSetting(io, 'timeout')?.value,
    retries: connection.retries ?? retries,
    maxWait: connection.maxWait ?? max_wait,
    settings: sourceSettings(io, messages),
    cacheFolder: io.folders.cache,
    env: io.env,
    clock: io.clock,
    signal: io.signal,
    watch: reporting(messages, flags, io.clock),
  };
}

/** What the user's environment says about the sources. */
function sourceSettings(
  io: Io,
  messages: Messages,
): Readonly<Record<'fred' | 'treasury' | 'sec', SourceSettings>> {
  const url = (name: string) => {
    const text = variable(io, name);
    return text === undefined ? undefined : readFrom(name, 'base_url', text, settings.base_url, io);
  };
  return {
    fred: { url: url('ASOF_FRED_URL'), key: fredKey(io, messages) },
    treasury: { url: url('ASOF_TREASURY_URL') },
    sec: {
      url: url('ASOF_SEC_URL'),
      contact: chosenSetting(io, 'sec_contact')?.value,
    },
  };
}

async function listFollowed(line: PullLine, store: string, io: Io): Promise<number> {
  const followed = (await readStoreIfAny(store, (view) => view.sources.followed())) ?? [];
  if (followed.length === 0) messagesOf(line.messages, io).note('asof: the store follows nothing yet');
  return printRows(line.output, followedTable.fields, followed.map(followedTable.row), io);
}

/** A subject in a line: `GDP  2 new vintages, 1 new date, 1 revised, 1 request`. */
function subjectLine(
  { source, name, outcome, counts, requests, left, notes }: PulledSubject,
  live: readonly PullSource[],
): string {
  const words = live.find((one) => one.name === source)?.counted ?? {};
  const asked = counted(requests, 'request');
  const news = countsText(counts, words);
  switch (outcome) {
    case 'planned':
      return `${name}  ${asked}: ${notes.join('; ')}`;
    case 'pulled':
    case 'nothing-new':
      return `${name}  ${news === '' ? 'nothing new' : news}, ${asked}`;
    case 'left':
      return `${name}  ${news === '' ? '' : `${news}, `}${asked}; left: ${left}`;
    case 'conflict':
    case 'failed':
      return `${name}  ${news === '' ? '' : `${news}, `}${asked}; failed: ${left}`;
  }
}

function countsText(
  counts: PullCounts,
  words: Readonly<Record<string, readonly [one: string, several: string]>>,
): string {
  return Object.entries(words)
    .filter(([name]) => (counts[name] ?? 0) > 0)
    .map(([name, [one, several]]) => counted(counts[name] ?? 0, one, several))
    .join(', ');
}

/** What a pull did as a whole, in lines. */
function summaryLines(summary: PullSummary, live: readonly PullSource[]): readonly string[] {
  const { subjects, requests, seconds, dryRun, created, store } = summary;
  const asked = counted(requests, 'request');
  if (dryRun)
    return [`dry run: nothing was asked; at least ${asked}, which take at least ${durationText(seconds)}`];
  const done = subjects.filter(({ outcome }) => outcome === 'pulled' || outcome === 'nothing-new');
  const totals = live.flatMap(({ name, counted }) => {
    const own = subjects.filter(({ source }) => source === name);
    const total = Object.fromEntries(
      Object.keys(counted).map((key) => [key, own.reduce((sum, { counts }) => sum + (counts[key] ?? 0), 0)]),
    );
    const text = countsText(total, counted);
    return text === '' ? [] : [text];
  });
  // Of a source that did not answer, nobody knows whether it has something new.
  const news = totals.length > 0 ? [totals.join(', ')] : done.length > 0 ? ['nothing new'] : [];
  const pulled = [`pulled ${done.length} of ${subjects.length}`, ...news].join(': ');
  return [
    `${pulled}; ${asked} in ${durationText(seconds)}`,
    ...leftLine(summary),
    ...(created ? [`made a new store: ${store}`] : []),
  ];
}

const mostNamed = 5;

function leftLine({ subjects, outOfTime, stored }: PullSummary): readonly string[] {
  // What a source does not know is not followed, and a contradiction is not for the next run to solve.
  const left = subjects.filter(
    ({ outcome, problem }) => outcome === 'left' || (outcome === 'failed' && problem?.kind !== 'not-found'),
  );
  if (left.length === 0) return [];
  const named = left.slice(0, mostNamed).map(({ name, left: what }) => `${name} (${what})`);
  const more = left.length > mostNamed ? [`${left.length - mostNamed} more`] : [];
  const why = outOfTime ? 'out of time; ' : '';
  const next = stored
    ? 'asof pull goes on from there'
    : 'there is no store yet, and the same command begins again';
  return [`${why}left: ${[...named, ...more].join(', ')}; ${next}`];
}

function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 120 ? `${whole} s` : `${Math.ceil(whole / 60)} min`;
}

/** The summary as the JSON of `asof pull --json`. */
function summaryJson(summary: PullSummary): object {
  const { subjects, stops, ...whole } = summary;
  return {
    object: 'pull',
    store: whole.store,
    created: whole.created,
    dry_run: whole.dryRun,
    complete: stops.length === 0 && subjects.every(({ left, outcome }) => left === '' && outcome !== 'left'),
    out_of_time: whole.outOfTime,
    requests: whole.requests,
    seconds: Math.round(whole.seconds * 1000) / 1000,
    results: subjects.map(({ source, name, outcome, counts, requests, upTo, left, notes, problem }) => ({
      source,
      name,
      outcome,
      ...counts,
      requests,
      up_to: upTo ?? null,
      left,
      notes,
      ...(problem !== undefined && { problem: { kind: problem.kind, detail: problem.detail } }),
    })),
    stops: stops.map(({ source, problem: { kind, detail, retryAfter } }) => ({
      source,
      kind,
      detail,
      retry_after: retryAfter ?? null,
    })),
  };
}

/** The table of `asof pull --list`. */
const followedTable = {
  fields: [
    { name: 'source', type: 'text', description: 'The live source.' },
    { name: 'name', type: 'text', description: 'What the store follows there.' },
    { name: 'since', type: 'text', description: 'When following began.' },
    { name: 'up_to', type: 'text', description: 'The last day that the store covers.', nullable: true },
    { name: 'last_run', type: 'text', description: 'When the source last answered.', nullable: true },
    { name: 'left', type: 'text', description: 'What the last run left undone.', nullable: true },
  ] satisfies readonly Field[],
  row: ({ source, name, since, upTo, lastRun, left }: Followed): Row => ({
    source,
    name,
    since,
    up_to: upTo ?? null,
    last_run: lastRun ?? null,
    left: left === '' ? null : left,
  }),
};

/** The columns of `asof pull fred --search`. */
const listingFields: readonly Field[] = [
  { name: 'id', type: 'text', description: 'Id of the series.' },
  { name: 'title', type: 'text', description: 'Title.' },
  { name: 'units', type: 'text', description: 'Units.' },
  { name: 'frequency', type: 'text', description: 'Frequency.' },
  { name: 'seasonal_adjustment', type: 'text', description: 'Seasonal adjustment.' },
  { name: 'popularity', type: 'integer', description: 'Popularity at FRED, 0 to 100.', nullable: true },
  { name: 'observation_start', type: 'text', description: 'First date with a value.' },
  { name: 'observation_end', type: 'text', description: 'Last date with a value.' },
];

/** The failed probes that matter to a store: a missing key matters only if the store follows something there. */
function failuresIn(probes: readonly SourceProbe[]): readonly Problem[] {
  return probes.flatMap(({ problem, key, followed }) =>
    problem === undefined || (key === 'missing' && followed === 0) ? [] : [problem],
  );
}

/** The table of `asof ping --sources`. */
const probeTable = {
  fields: [
    { name: 'source', type: 'text', description: 'The live source.' },
    {
      name: 'answers',
      type: 'boolean',
      description: 'Whether it answers; null if not asked.',
      nullable: true,
    },
    { name: 'key', type: 'text', description: 'works, missing, refused, unknown or not needed.' },
    { name: 'followed', type: 'integer', description: 'What the store follows there.' },
    {
      name: 'requests_in_minute',
      type: 'integer',
      description: 'Requests that the pace allows in the next minute.',
      nullable: true,
    },
    { name: 'next_request', type: 'text', description: 'When the next may begin.', nullable: true },
    { name: 'problem', type: 'text', description: 'Why it does not answer.', nullable: true },
  ] satisfies readonly Field[],
  row: ({ requestsInMinute, nextRequest, answers, problem, ...probe }: SourceProbe): Row => ({
    ...probe,
    answers: answers ?? null,
    requests_in_minute: requestsInMinute ?? null,
    next_request: nextRequest ?? null,
    problem: problem?.detail ?? null,
  }),
};
