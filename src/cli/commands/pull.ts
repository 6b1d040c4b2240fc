import { Problem } from '../../errors/problem.ts';
import type { PullLine, SourcesLine, UnfollowLine } from '../../lines/line.ts';
import { variable } from '../../platform/installation.ts';
import { print } from '../../platform/sink.ts';
import type { SourceSettings } from '../../pull/source.ts';
import type { PulledSubject } from '../../pull/summary.ts';
import { readStoreIfAny } from '../../store/open.ts';
import { baseUrlIn, defaultStorePath, storeToRead, storeToWrite } from '../config/places.ts';
import { readSettings } from '../config/settings.ts';
import { fredKey } from '../config/user-key.ts';
import { reporting, timeoutOf } from '../run/remote-session.ts';
import { printRows } from '../run/rows.ts';
import type { SessionFlags } from '../run/session.ts';
import { exitCode, exitCodeOf, type Io } from '../terminal/io.ts';
import { type Messages, messagesOf, reportFailure } from '../terminal/messages.ts';
import { progress } from '../terminal/progress.ts';

/** `asof pull`: brings the store up to date from live sources, or lists what it follows or what FRED has. */
export async function runPull(line: PullLine, io: Io): Promise<number> {
  const messages = messagesOf(line.messages, io);
  const store = storeToWrite(io, line.connection.store);
  if (line.list) return listFollowed(line, store, io);
  const report = await import('../../pull/report.ts');
  const bar = progress(io, line.messages.quiet || line.messages.verbose);
  const { pull, searchSource } = await import('../../pull/pull.ts');
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
      if (dryRun && !json) messages.note(report.subjectLine(subject));
      else messages.detail(report.subjectLine(subject));
      if (!dryRun) for (const text of subject.notes) messages.note(`${subject.name}: ${text}`);
    },
  };
  if (line.search !== undefined)
    return printRows(line.output, report.listingFields, await searchSource(line.search, options), io);
  const summary = await pull(options);
  bar.clear();
  if (json) await print(`${JSON.stringify(report.summaryJson(summary), undefined, 2)}\n`, io);
  for (const text of report.summaryLines(summary)) messages.note(text);
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

/** `asof ping --sources`: whether the live sources answer, and take the user's key and contact. */
export async function runPingSources(line: SourcesLine, io: Io): Promise<number> {
  const { probeSources, failuresIn, probeFields, probeRow } = await import('../../pull/probe.ts');
  const options = requestOptions(line, io, messagesOf(line.messages, io));
  const probes = await probeSources({ ...options, store: storeToRead(io, line.connection.store).path });
  await printRows(line.output, probeFields, probes.map(probeRow), io);
  return reported(failuresIn(probes), line.output.format === 'json', io);
}

/** How to send requests to the live sources, from flags, environment and settings. */
function requestOptions({ connection, messages: flags }: SessionFlags, io: Io, messages: Messages) {
  const settings = readSettings(io);
  return {
    timeout: connection.timeout ?? timeoutOf(io) ?? settings.timeout,
    retries: connection.retries ?? settings.retries,
    maxWait: connection.maxWait ?? settings.max_wait,
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
    return text === undefined ? undefined : baseUrlIn(text, name).href;
  };
  return {
    fred: { url: url('ASOF_FRED_URL'), key: fredKey(io, messages) },
    treasury: { url: url('ASOF_TREASURY_URL') },
    sec: {
      url: url('ASOF_SEC_URL'),
      contact: variable(io, 'ASOF_SEC_CONTACT') ?? readSettings(io).sec_contact,
    },
  };
}

async function listFollowed(line: PullLine, store: string, io: Io): Promise<number> {
  const { followedFields, followedRow } = await import('../../pull/report.ts');
  const followed = (await readStoreIfAny(store, (view) => view.sources.followed())) ?? [];
  if (followed.length === 0) messagesOf(line.messages, io).note('asof: the store follows nothing yet');
  return printRows(line.output, followedFields, followed.map(followedRow), io);
}

/** `asof unfollow`: the store no longer follows these names; their facts stay. */
export async function runUnfollow({ source, names, messages, store }: UnfollowLine, io: Io): Promise<number> {
  const { unfollow } = await import('../../pull/pull.ts');
  await unfollow(storeToWrite(io, store), source, names);
  messagesOf(messages, io).note(`asof: no longer following ${names.join(', ')} of ${source}; the facts stay`);
  return exitCode.success;
}
