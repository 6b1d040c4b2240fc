import { pullsOf } from '../../answering/unknown-series.ts';
import { closest } from '../../domain/search/words.ts';
import { latestDay } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { counted, listed } from '../../errors/wording.ts';
import { isCurveColumn } from '../../import/formats/treasury.ts';
import {
  connection,
  dayOption,
  keepUndoOption,
  messages,
  option,
  output,
  partOf,
  store,
  textOption,
  toggle,
} from '../../lines/command.ts';
import { figureCommands } from '../../lines/figure-commands.ts';
import type { Flag, LinePart, TypedLine } from '../../operations/typed-line.ts';
import { duration } from '../../operations/value.ts';
import { variable } from '../../platform/installation.ts';
import { print } from '../../platform/sink.ts';
import type { FredListing } from '../../pull/fred/api.ts';
import {
  type PullCounts,
  type PulledSubject,
  type PullProgress,
  type PullSummary,
  type SourceName,
  type SourceSettings,
  sourceNames,
} from '../../pull/options.ts';
import type { CatalogueEntry, PullSource } from '../../pull/source.ts';
import type { SourceProbe } from '../../pull/sources.ts';
import type { Followed } from '../../store/store.ts';
import {
  chosenSetting,
  defaultStorePath,
  readFrom,
  replacedSample,
  settings,
  storeToRead,
  storeToWrite,
} from '../config/settings.ts';
import { keyFor } from '../config/user-key.ts';
import { printTable, type RecordTable } from '../run/rows.ts';
import { requestOptions, type SessionFlags } from '../run/session.ts';
import { exitCode, exitCodeOf, type Io } from '../terminal/io.ts';
import { reportFailure } from '../terminal/messages.ts';
import { command, type RunnableCommand } from './command.ts';

/** The flags for what a source is asked for, besides names. */
const requestFlags: Readonly<Record<string, Flag>> = {
  release: { name: 'release', value: 'n', about: 'every series of a release of FRED', repeatable: true },
  ticker: {
    name: 'ticker',
    value: 'symbol',
    complete: 'tickers',
    about: 'the filings of a company',
    repeatable: true,
  },
  cik: { name: 'cik', value: 'n', about: 'the filings of a company or a person', repeatable: true },
  daily: { name: 'daily', about: 'the insider filings of everyone, day by day' },
};

const sourceArg = { name: 'source', about: sourceNames.join(', '), choices: sourceNames };

const pullTexts: Readonly<Record<string, string>> = {
  timeout: 'time limit of each attempt (default 30, for sources with large answers up to 600)',
  retries: 'retries after transient failures (default 3); pauses that a source asks for do not count',
  'max-wait': 'longest wait for the pauses that a source asks for (default 60), 0 for none',
};

/** The connection to the store and to live sources. */
const pullConnection = {
  ...connection,
  flags: partOf(connection, ['store', ...Object.keys(pullTexts)]).flags.map((flag) => ({
    ...flag,
    about: pullTexts[flag.name] ?? flag.about,
  })),
};

const pullSources = command({
  words: 'pull',
  heading: 'Files',
  summary: 'Bring your store up to date from live sources',
  about: `Your store follows each name from then on. Without names, pull updates everything that the store
follows. Each run continues where the last one stopped.

  asof pull rtdsm ROUTPUT        every vintage of real GDP since 1965, without a key
  asof pull fred-md              every vintage of some 130 monthly series since 1999, without a key
  asof pull fred GDP UNRATE      every vintage of two series
  asof pull treasury             par and real curves since 1990
  asof pull sec --ticker MAIA    the insider filings of a company
  asof pull ecb RTD.Q.S0.S.G_GDPM_TO_C.E
                                 real GDP of the euro area as the ECB knew it
  asof pull eurostat ei_na_q_vtg
                                 vintages of GDP of the euro area and the EU
  asof pull oecd EA20.Q.B1GQ_Q.XDC._T
                                 editions of real GDP of the euro area
  asof pull calendar             when the BLS and the BEA release statistics next, as they say today
  asof pull                      everything that the store follows

Most sources need neither key nor account; asof pull rtdsm --list shows what the Real-Time Data Set
has. FRED needs a key: FRED_API_KEY, ASOF_FRED_API_KEY_FILE or asof auth login --source fred.
The SEC needs your name and mail address: ASOF_SEC_CONTACT or asof config set sec_contact.`,
  examples: `
# every vintage of two series (needs a key of FRED)
asof pull fred GDP UNRATE
# every night from cron: all new data of followed sources (needs a store that follows something)
asof pull --max-duration 30m
# from cron: what was released since its last pull (needs a store that follows something)
asof pull --due
# every vintage of real GDP and payrolls, without a key (needs a network)
asof pull rtdsm ROUTPUT EMPLOY
# what FRED has (needs a key of FRED)
asof pull fred --search "core pce"
`,
  args: [
    { ...sourceArg, optional: true },
    {
      name: 'names',
      complete: 'subjects',
      about: 'what to follow, such as ids of series of FRED',
      optional: true,
      several: true,
    },
  ],
  parts: {
    search: textOption('search', 'text', 'list the series of FRED that match, and store nothing'),
    request: requestPart('release', 'ticker', 'cik', 'daily'),
    list: toggle('list', 'list what the source offers, or what the store follows, and store nothing'),
    since: dayOption(
      'since',
      'begin new histories, and followed ones that begin later, on this day',
      'first',
    ),
    due: toggle('due', 'pull only what was released since its last pull, by the calendars'),
    full: toggle('full', 'ask for whole histories again, and compare them with the store'),
    replace: toggle('replace', 'store what a source has corrected in place of what is stored'),
    dryRun: toggle('dry-run', 'print the requests, and send none'),
    maxDuration: option('max-duration', 'stop after this time, such as 90s, 10m or 2h', duration),
    keepUndo: keepUndoOption,
    output: partOf(output, ['format', 'csv', 'json', 'columns', 'no-header']),
    connection: pullConnection,
    messages,
  },
  async run(line, io) {
    const { due, full, replace, since, dryRun, maxDuration, keepUndo, list, search, output, messages } = line;
    const request = await checkedRequest(line.request);
    const today = latestDay(io.clock());
    if (since !== undefined && since > today)
      throw new Problem('bad-input', `--since ${since}: nothing is published on a day that has not begun`, {
        hints: [`name a day up to ${today}`],
      });
    const store = storeToWrite(io, line.connection.store);
    const sources = await import('../../pull/sources.ts');
    if (list) {
      const { name: source, catalogue } =
        sources.pullSources.find(({ name }) => request?.[name] !== undefined) ?? {};
      if (catalogue !== undefined) {
        await printTable(output, catalogueTable, catalogue, io, messages);
        return exitCode.success;
      }
      const all = await sources.followedIn(store);
      const followed = all.filter((one) => source === undefined || one.source === source);
      const what = source === undefined ? '' : ` of ${source}`;
      if (followed.length === 0) messages.note(`asof: the store follows nothing${what} yet`);
      const shown = followed.map((one) => ({ ...one, left: one.left || undefined }));
      await printTable(output, followedTable, shown, io, messages);
      return exitCode.success;
    }
    const bar = messages.progress(!messages.flags.verbose);
    const { pull } = await import('../../pull/pull.ts');
    const { pullSources: live, searchSource } = sources;
    const json = output.format === 'json';
    const options = {
      ...(await pullOptions(line, io)),
      ...{ store, request, due, full, replace, since, dryRun, maxDuration, keepUndo },
      onProgress: ({ name, done, total, requests, waiting, rows }: PullProgress) => {
        const isLong = waiting >= longWait;
        const what = isLong ? `waiting ${Math.floor(waiting)} s for ${name}` : name;
        const sofar = () => `${what}, ${counted(requests, 'request')}, ${counted(rows, 'row')}`;
        bar.show(sofar, { done, total });
      },
      onSubject(subject: PulledSubject) {
        const say = dryRun && !json ? messages.note : messages.detail;
        say(subjectLine(subject, live));
        if (!dryRun) for (const text of subject.notes) messages.note(`${subject.name}: ${text}`);
      },
    };
    if (search !== undefined) {
      await printTable(output, listingTable, await searchSource(search, options), io, messages);
      return exitCode.success;
    }
    const summary = await pull(options);
    bar.clear();
    if (json) await print(`${JSON.stringify(summaryJson(summary), undefined, 2)}\n`, io);
    const isIdle = due && summary.subjects.length === 0;
    const nothing = 'nothing was released since its last pull; asof due says what is next';
    for (const text of isIdle ? [nothing] : summaryLines(summary, live)) messages.note(text);
    if (summary.created && store === defaultStorePath(io)) messages.note(replacedSample);
    const failed = [...summary.subjects, ...summary.stops].flatMap(({ problem }) =>
      problem === undefined ? [] : [problem],
    );
    // A failure that ended a source is a subject's failure too.
    return reported([...new Set(failed)], json, io);
  },
});

/** In seconds; most answers come earlier. */
const longWait = 5;

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
  args: [
    sourceArg,
    {
      name: 'names',
      complete: 'followed',
      about: 'names as asof pull takes them, or as asof pull --list shows them',
      optional: true,
      several: true,
    },
  ],
  parts: { request: requestPart('cik', 'daily'), store, messages },
  async run({ request, messages, store }, io) {
    const { unfollow } = await import('../../pull/sources.ts');
    for (const [source, typed = []] of Object.entries((await checkedRequest(request)) ?? {})) {
      const names = await unfollow(storeToWrite(io, store), source as SourceName, typed);
      messages.note(`asof: no longer following ${names.join(', ')} of ${source}; the facts stay`);
    }
  },
});

const pingSources = command({
  words: 'ping',
  summary: '',
  parts: { output, connection, messages },
  async run({ output, ...line }, io) {
    const { messages } = line;
    const { probeSources } = await import('../../pull/sources.ts');
    const store = storeToRead(io, line.connection.store).path;
    const probes = await probeSources({ ...(await pullOptions(line, io)), store });
    const shown = probes.map((one) => ({ ...one, problem: one.problem?.detail }));
    await printTable(output, probeTable, shown, io, messages);
    // A missing key matters only for a followed source.
    const failures = probes.flatMap(({ problem, key, followed }) =>
      problem === undefined || (key === 'missing' && followed === 0) ? [] : [problem],
    );
    return reported(failures, output.format === 'json', io);
  },
});

/** `asof ping` asks the store or the service, and with `--sources` the live sources. */
const pingCommands = figureCommands().flatMap((question): readonly RunnableCommand[] => {
  if (question.words !== pingSources.words) return [];
  const about = 'test whether each live source answers and accepts your key';
  return [
    {
      ...question,
      flags: [{ name: 'sources', about }, ...question.flags],
      read(line) {
        if (!line.has('sources')) return question.read(line);
        if (!line.has('base-url')) return pingSources.read(line);
        throw new Problem('bad-input', '--sources asks the live sources themselves: leave out --base-url');
      },
    },
  ];
});

/** `asof pull`, `asof unfollow` and `asof ping`: commands that ask live sources. */
export const commands = [pullSources, unfollowSource, ...pingCommands];

const flagSources = { search: 'fred', release: 'fred', ticker: 'sec', cik: 'sec', daily: 'sec' } as const;

type TypedRequest = Readonly<Record<string, readonly string[]>>;

function requestPart(...names: readonly string[]): LinePart<TypedRequest | undefined> {
  return { flags: names.flatMap((name) => requestFlags[name] ?? []), read: requestIn };
}

function requestIn(line: TypedLine): TypedRequest | undefined {
  const [source, ...names] = line.args;
  for (const [flag, own] of Object.entries(flagSources))
    if (line.has(flag) && source !== own)
      throw new Problem('bad-input', `--${flag} belongs to ${own}: asof pull ${own} --${flag} …`);
  if (source === undefined) return undefined;
  const flagged = (['release', 'ticker', 'cik'] as const).flatMap((flag) =>
    line.texts(flag).map((text) => `${flag} ${text.trim()}`),
  );
  return { [source]: [...names, ...flagged, ...(line.has('daily') ? ['daily'] : [])] };
}

/** What reads the figures of publishers that asof does not pull from, by words for them. */
const importHints: Readonly<Record<string, string>> = Object.fromEntries(
  ['seco', 'swiss', 'switzerland'].map((word) => [
    word,
    'asof import realtime_database-gdp.xlsx reads the workbook that SECO offers for download',
  ]),
);

/** Returns a request whose source is a live one; the hints of a refusal lead to the one that is meant. */
async function checkedRequest(request: TypedRequest | undefined): Promise<TypedRequest | undefined> {
  const [source] = Object.keys(request ?? {});
  if (source === undefined || sourceNames.some((known) => known === source)) return request;
  const { pullSources: live } = await import('../../pull/sources.ts');
  const lettersOf = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  const word = lettersOf(source);
  const owner = live.find(({ nameForm }) => nameForm?.test(source));
  const called = live.find(({ name, otherNames = [] }) => [lettersOf(name), ...otherNames].includes(word));
  const meant = called?.name ?? closest(source, sourceNames);
  const hints: string[] = [];
  if (importHints[word] !== undefined) hints.push(importHints[word]);
  else if (owner !== undefined) hints.push(`asof pull ${owner.name} ${source}`);
  else if (isCurveColumn(source.toUpperCase())) hints.push('asof pull treasury');
  else if (meant !== undefined) hints.push(`did you mean ${meant}?`);
  else hints.push(...(await pullsOf(source.toUpperCase())));
  if (hints.length === 0) hints.push(`asof pull fred ${source} pulls a series of FRED`);
  throw new Problem('bad-input', `unknown source '${source}': use ${listed(sourceNames, 'or')}`, { hints });
}

function reported(failures: readonly Problem[], json: boolean, io: Io): number {
  if (io.signal.aborted) throw new Problem('interrupted', 'interrupted');
  const told = new Set<string>();
  for (const problem of failures) {
    // One cause, such as a lost network, fails each subject.
    if (!told.has(problem.detail)) reportFailure(problem, json, io);
    told.add(problem.detail);
  }
  const [first] = failures;
  return first === undefined ? exitCode.success : exitCodeOf(first.kind);
}

async function pullOptions({ connection, messages }: SessionFlags, io: Io) {
  const key = (await keyFor(io, 'fred', messages))?.text;
  const contact = chosenSetting(io, 'sec_contact')?.value;
  const own: Readonly<Partial<Record<SourceName, SourceSettings>>> = { fred: { key }, sec: { contact } };
  const withUrl = (source: SourceName): SourceSettings => {
    const name = `ASOF_${source.toUpperCase().replace('-', '_')}_URL`;
    const text = variable(io, name);
    const url = text === undefined ? undefined : readFrom(name, 'base_url', text, settings.base_url, io);
    return { ...own[source], url };
  };
  return {
    ...requestOptions(connection, io, messages),
    settings: Object.fromEntries(sourceNames.map((source) => [source, withUrl(source)])),
    cacheFolder: io.folders.cache,
  };
}

function subjectLine(
  { source, name, outcome, counts, requests, left, notes }: PulledSubject,
  live: readonly PullSource[],
): string {
  const asked = counted(requests, 'request');
  if (outcome === 'planned') return `${name}  ${asked}: ${notes.join('; ')}`;
  const isDone = outcome === 'pulled' || outcome === 'nothing-new';
  const news =
    countsText(
      [counts],
      live.find((one) => one.name === source),
    ) || (isDone ? 'nothing new' : '');
  const end = isDone ? '' : `; ${outcome === 'left' ? 'left' : 'failed'}: ${left}`;
  return `${name}  ${news === '' ? '' : `${news}, `}${asked}${end}`;
}

/** The words for what a pull with `--replace` stored; a replaced figure adds no vintage. */
const replacementWords = {
  new_or_replaced: ['new or replaced figure', 'new or replaced figures'],
} as const;

function countsText(all: readonly PullCounts[], { counted: words = {} }: Partial<PullSource> = {}): string {
  const totals = Object.entries({ ...words, ...replacementWords }).flatMap(([name, [one, several]]) => {
    const total = all.reduce((sum, counts) => sum + (counts[name] ?? 0), 0);
    return total > 0 ? [counted(total, one, several)] : [];
  });
  return totals.join(', ');
}

function summaryLines(summary: PullSummary, live: readonly PullSource[]): readonly string[] {
  const { subjects, requests, seconds, dryRun, created, store } = summary;
  const asked = counted(requests, 'request');
  if (dryRun)
    return [`dry run: sent no requests; the pull takes at least ${asked} and ${durationText(seconds)}`];
  const done = subjects.filter(({ outcome }) => outcome === 'pulled' || outcome === 'nothing-new');
  const totals = live.flatMap((source) => {
    const own = subjects.filter((subject) => subject.source === source.name);
    return (
      countsText(
        own.map(({ counts }) => counts),
        source,
      ) || []
    );
  });
  // Of a source without an answer, nobody knows whether it has something new.
  const news = totals.length > 0 ? [totals.join(', ')] : done.length > 0 ? ['nothing new'] : [];
  const count =
    done.length + totals.length === 0 ? 'nothing was pulled' : `pulled ${done.length} of ${subjects.length}`;
  const effort = requests === 0 ? '' : `; ${asked} in ${durationText(seconds)}`;
  return [
    `${[count, ...news].join(': ')}${effort}`,
    ...leftLine(summary),
    ...(created ? [`made a new store: ${store}`] : []),
  ];
}

const mostNamed = 5;

function leftLine({ subjects, outOfTime, stored }: PullSummary): readonly string[] {
  // Unknown names are not followed, and the next run cannot solve a contradiction.
  const left = subjects.filter(
    ({ outcome, problem }) => outcome === 'left' || (outcome === 'failed' && problem?.kind !== 'not-found'),
  );
  if (left.length === 0) return [];
  const named = left.slice(0, mostNamed).map(({ name, left: what }) => `${name} (${what})`);
  const more = left.length > mostNamed ? [`${left.length - mostNamed} more`] : [];
  const why = outOfTime ? 'out of time; ' : '';
  const next = stored ? 'asof pull continues from there' : 'no store exists yet: run the same command again';
  return [`${why}not yet pulled: ${[...named, ...more].join(', ')}; ${next}`];
}

function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 120 ? `${whole} s` : `${Math.ceil(whole / 60)} min`;
}

function summaryJson({ subjects, stops, ...whole }: PullSummary): object {
  const shown = ({ kind, detail, hints }: Problem) => ({ kind, detail, hints });
  return {
    object: 'pull',
    store: whole.store,
    created: whole.created,
    dry_run: whole.dryRun,
    complete: stops.length === 0 && subjects.every(({ left, outcome }) => left === '' && outcome !== 'left'),
    out_of_time: whole.outOfTime,
    requests: whole.requests,
    seconds: Math.round(whole.seconds * 1000) / 1000,
    results: subjects.map(({ source, name, outcome, counts, requests, upTo, left, notes, problem }) => {
      const result = { source, name, outcome, ...counts, requests, up_to: upTo ?? null, left, notes };
      return problem === undefined ? result : { ...result, problem: shown(problem) };
    }),
    stops: stops.map(({ source, problem }) => {
      return { source, ...shown(problem), retry_after: problem.retryAfter ?? null };
    }),
  };
}

const followedTable: RecordTable<Omit<Followed, 'left'> & { readonly left: string | undefined }> = {
  columns: ['source', 'name', 'since', 'upTo', 'lastRun', 'left'],
  ranks: { name: 'high', since: 'low', lastRun: 'low' },
};

const catalogueTable: RecordTable<CatalogueEntry> = {
  columns: ['name', 'title', 'frequency'],
  ranks: { title: 'high' },
};

const listingTable: RecordTable<FredListing> = {
  columns: [
    ...(['id', 'title', 'units', 'frequency', 'seasonal_adjustment', 'popularity'] as const),
    ...(['observation_start', 'observation_end'] as const),
  ],
  ranks: { title: 'high', seasonal_adjustment: 'low', observation_start: 'low' },
};

const probeTable: RecordTable<Omit<SourceProbe, 'problem'> & { readonly problem: string | undefined }> = {
  columns: ['source', 'answers', 'key', 'followed', 'requestsInMinute', 'nextRequest', 'problem'],
  ranks: { nextRequest: 'low' },
};
