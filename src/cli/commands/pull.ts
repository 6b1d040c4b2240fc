import { latestDay } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { counted, grouped, listed } from '../../errors/wording.ts';
import {
  connection,
  dayOption,
  messages,
  option,
  output,
  partOf,
  store,
  textOption,
  toggle,
} from '../../lines/command.ts';
import { figureCommands } from '../../lines/question-command.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import { variable } from '../../platform/installation.ts';
import { print } from '../../platform/sink.ts';
import type { FredListing } from '../../pull/fred/api.ts';
import {
  duration,
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

const sourceArg = { name: 'source', about: sourceNames.join(', '), choices: sourceNames };

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
  asof pull                      everything that the store follows

Most sources need neither key nor account; asof pull rtdsm --list shows what the Real-Time Data Set
has. FRED needs a key: FRED_API_KEY, ASOF_FRED_API_KEY_FILE or asof auth login --source fred.
The SEC needs your name and mail address: ASOF_SEC_CONTACT or asof config set sec_contact.`,
  examples: `
# every vintage of two series (needs a key of FRED)
asof pull fred GDP UNRATE
# every night from cron: all new data of followed sources (needs a store that follows something)
asof pull --max-duration 30m
# every vintage of real GDP and payrolls, without a key (needs a network)
asof pull rtdsm ROUTPUT EMPLOY
# the variables of the Real-Time Data Set
asof pull rtdsm --list --columns name,title
# what FRED has (needs a key of FRED)
asof pull fred --search "core pce"
`,
  args: [
    { ...sourceArg, optional: true },
    { name: 'names', about: 'what to follow, such as ids of series of FRED', optional: true, several: true },
  ],
  parts: {
    search: textOption('search', 'text', 'list the series of FRED that match, and store nothing'),
    request: {
      flags: [
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
      ],
      read: requestIn,
    },
    list: toggle('list', 'list what the source offers, or what the store follows, and store nothing'),
    since: dayOption('since', 'begin new histories, and followed ones that begin later, on this day', 'first'),
    full: toggle('full', 'ask for whole histories again, and compare them with the store'),
    replace: toggle('replace', 'store what a source has corrected in place of what is stored'),
    dryRun: toggle('dry-run', 'print the requests, and send none'),
    maxDuration: option('max-duration', 'stop after this time, such as 90s, 10m or 2h', duration),
    output: partOf(output, ['format', 'csv', 'json', 'columns', 'no-header']),
    connection: partOf(connection, ['store', 'timeout', 'retries', 'max-wait']),
    messages,
  },
  async run(line, io) {
    const { full, replace, since, dryRun, maxDuration, request, list, search, output, messages } = line;
    const today = latestDay(io.clock());
    if (since !== undefined && since > today)
      throw new Problem('bad-input', `--since ${since}: nothing is published on a day that has not begun`, {
        hints: [`name a day up to ${today}`],
      });
    const store = storeToWrite(io, line.connection.store);
    const sources = await import('../../pull/sources.ts');
    if (list) {
      const catalogue = sources.pullSources.find(({ name }) => request?.[name] !== undefined)?.catalogue;
      if (catalogue !== undefined) {
        await printTable(output, catalogueTable, catalogue, io);
        return exitCode.success;
      }
      const followed = await sources.followedIn(store);
      if (followed.length === 0) messages.note('asof: the store follows nothing yet');
      const shown = followed.map((one) => ({ ...one, left: one.left || undefined }));
      await printTable(output, followedTable, shown, io);
      return exitCode.success;
    }
    const bar = messages.progress(!messages.flags.verbose);
    const { pull } = await import('../../pull/pull.ts');
    const { pullSources: live, searchSource } = sources;
    const json = output.format === 'json';
    const options = {
      ...(await pullOptions(line, io)),
      ...{ store, request, full, replace, since, dryRun, maxDuration },
      onProgress: ({ name, done, total, requests, waiting, rows }: PullProgress) => {
        const share = { done, total, unit: 'series' };
        const isLong = waiting >= longWait;
        const what = isLong ? `waiting ${Math.floor(waiting)} s for ${name}` : name;
        bar.show(() => `${what}, ${requests} requests, ${grouped(rows)} rows`, share);
      },
      onSubject(subject: PulledSubject) {
        const say = dryRun && !json ? messages.note : messages.detail;
        say(subjectLine(subject, live));
        if (!dryRun) for (const text of subject.notes) messages.note(`${subject.name}: ${text}`);
      },
    };
    if (search !== undefined) {
      await printTable(output, listingTable, await searchSource(search, options), io);
      return exitCode.success;
    }
    const summary = await pull(options);
    bar.clear();
    if (json) await print(`${JSON.stringify(summaryJson(summary), undefined, 2)}\n`, io);
    for (const text of summaryLines(summary, live)) messages.note(text);
    if (summary.created && store === defaultStorePath(io))
      messages.note('asof now answers from this store instead of the shipped sample');
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
  args: [sourceArg, { name: 'names', about: 'names as asof pull --list shows them', several: true }],
  parts: { store, messages },
  async run({ args: [source = '', ...names], messages, store }, io) {
    const { unfollow } = await import('../../pull/pull.ts');
    await unfollow(storeToWrite(io, store), source, names);
    messages.note(`asof: no longer following ${names.join(', ')} of ${source}; the facts stay`);
  },
});

const pingSources = command({
  words: 'ping',
  summary: '',
  parts: { output, connection, messages },
  async run({ output, ...line }, io) {
    const { probeSources } = await import('../../pull/sources.ts');
    const store = storeToRead(io, line.connection.store).path;
    const probes = await probeSources({ ...(await pullOptions(line, io)), store });
    const shown = probes.map((one) => ({ ...one, problem: one.problem?.detail }));
    await printTable(output, probeTable, shown, io);
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

function requestIn(line: TypedLine): Readonly<Record<string, readonly string[]>> | undefined {
  const [source, ...names] = line.args;
  if (source !== undefined && !sourceNames.some((known) => known === source))
    throw new Problem('bad-input', `unknown source '${source}': use ${listed(sourceNames, 'or')}`, {
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

function reported(failures: readonly Problem[], json: boolean, io: Io): number {
  if (io.signal.aborted) throw new Problem('interrupted', 'interrupted');
  for (const problem of failures) reportFailure(problem, json, io);
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
  return [
    `${[count, ...news].join(': ')}; ${asked} in ${durationText(seconds)}`,
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
  const shown = ({ kind, detail }: Problem) => ({ kind, detail });
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
};

const catalogueTable: RecordTable<CatalogueEntry> = { columns: ['name', 'title', 'frequency'] };

const listingTable: RecordTable<FredListing> = {
  columns: [
    ...(['id', 'title', 'units', 'frequency', 'seasonal_adjustment', 'popularity'] as const),
    ...(['observation_start', 'observation_end'] as const),
  ],
};

const probeTable: RecordTable<Omit<SourceProbe, 'problem'> & { readonly problem: string | undefined }> = {
  columns: ['source', 'answers', 'key', 'followed', 'requestsInMinute', 'nextRequest', 'problem'],
};
