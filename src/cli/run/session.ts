import type { Client } from '../../client/client.ts';
import { openEmbedded } from '../../client/open.ts';
import type { RemoteEvent } from '../../client/remote/exchange.ts';
import { longestWait } from '../../client/remote/settings.ts';
import { type Day, utcDay } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { ConnectionFlags } from '../../lines/command.ts';
import { defined } from '../../platform/defined.ts';
import { variable, version } from '../../platform/installation.ts';
import type { OutputPlace } from '../../render/output.ts';
import { shownAddress } from '../../store/address.ts';
import {
  type ChosenBaseUrl,
  chosenBaseUrl,
  chosenSetting,
  readSettings,
  type StoreChoice,
  storeToRead,
} from '../config/settings.ts';
import { keyFor } from '../config/user-key.ts';
import type { Io } from '../terminal/io.ts';
import type { Messages } from '../terminal/messages.ts';

/** The store or service to ask, and where to print messages. */
export type SessionFlags = {
  readonly connection: ConnectionFlags;
  readonly messages: Messages;
  /** The last day for data of a store. Default: today. */
  readonly asOf?: Day | undefined;
};

/** Runs `work` with a client of the chosen service or store, and always closes the client. */
export async function withClient<T>(
  { connection, messages, asOf }: SessionFlags,
  io: Io,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const service = chosenBaseUrl(io, connection);
  const client =
    service === undefined
      ? await openLocal(connection, asOf, io, messages)
      : await openRemote(service, connection, io, messages);
  const { clock } = io;
  const { detail, trace } = messages;
  try {
    return await work({
      ...client,
      async ask(operation, texts, options) {
        const started = clock().getTime();
        const page = await client.ask(operation, texts, options);
        const words = texts.map(([name, text]) => `${name}=${text}`).join(' ');
        const taken = clock().getTime() - started;
        detail(`asof: ${operation.name} ${words}: ${page.results.length} rows, ${taken} ms`);
        trace(`asof: ${page.request_id}`);
        return page;
      },
    });
  } finally {
    await client.close();
  }
}

async function openLocal(
  { store: flag }: ConnectionFlags,
  asOf: Day | undefined,
  io: Io,
  messages: Messages,
): Promise<Client> {
  const store = storeToRead(io, flag);
  // A moment at which the day is today, and the latest day that has begun anywhere on Earth.
  const clock = asOf === undefined ? io.clock : () => new Date(`${asOf}T09:00:00Z`);
  const client = await ofStore(store, (path) => openEmbedded(path, clock));
  messages.detail(`asof: store ${shownAddress(store.path)}`);
  return client;
}

/** Runs `work` on a store; its failure says which variable or setting names the store. */
export function ofStore<T>({ path, namedBy }: StoreChoice, work: (path: string) => Promise<T>): Promise<T> {
  const hints = namedBy === undefined ? [] : [`${namedBy} names this store`];
  return Promise.resolve(path)
    .then(work)
    .catch(withHints(() => hints));
}

/** Makes a handler that rethrows an error, a Problem with more hints. */
function withHints(hintsOf: (problem: Problem) => readonly string[]): (error: unknown) => never {
  return (error) => {
    const hints = error instanceof Problem ? hintsOf(error) : [];
    if (!(error instanceof Problem) || hints.length === 0) throw error;
    throw error.with({ hints: [...error.hints, ...hints] });
  };
}

async function openRemote(
  { base, from }: ChosenBaseUrl,
  flags: ConnectionFlags,
  io: Io,
  messages: Messages,
): Promise<Client> {
  const key = await keyFor(io, base.origin, messages);
  messages.detail(
    `asof: service ${base.href} (${from}), ${key === undefined ? 'no key' : `key of ${key.from}`}`,
  );
  const options = { ...requestOptions(flags, io, messages), key: key?.text };
  const { remoteClient } = await import('../../client/remote/client.ts');
  const client = remoteClient({ baseUrl: base.href, userAgent: `asof/${version()}`, ...options });
  return {
    ...client,
    ask: (operation, given, options) =>
      client
        .ask(operation, given, options)
        .catch(withHints((problem) => hintsOf(problem, { base, from }, key?.from))),
  };
}

function hintsOf(
  { kind, retryAfter }: Problem,
  { base, from }: ChosenBaseUrl,
  key: string | undefined,
): readonly string[] {
  if (kind === 'unauthorized')
    return [key === undefined ? `asof auth login --base-url ${base.href}` : `asof sent the key from ${key}`];
  if (kind === 'rate-limit-exceeded' && retryAfter !== undefined && retryAfter <= longestWait)
    return [`--max-wait ${retryAfter} waits for it`];
  // A variable or a setting may name another service than the user has in mind.
  const mayBeForgotten = (kind === 'unreachable' || kind === 'bad-answer') && from !== '--base-url';
  return mayBeForgotten ? [`${from} names this service`] : [];
}

/** Returns how requests are sent and reported, by flags, variables and settings. */
export function requestOptions(flags: ConnectionFlags, io: Io, messages: Messages) {
  const { retries, max_wait } = readSettings(io);
  return {
    env: io.env,
    signal: io.signal,
    clock: io.clock,
    watch: reporting(messages, io),
    timeout: flags.timeout ?? chosenSetting(io, 'timeout')?.value,
    retries: flags.retries ?? retries,
    maxWait: flags.maxWait ?? max_wait,
  };
}

function reporting({ flags, noteOnTerminal, detail, trace }: Messages, { clock }: Io) {
  return (event: RemoteEvent): void => {
    if ('tried' in event) {
      detail(`asof: ${triedText(event.tried, clock())}`);
      const answered = event.tried.status === undefined ? {} : event.tried.headers;
      for (const [name, value] of Object.entries(event.tried.requestHeaders))
        trace(`      > ${name}: ${value}`);
      for (const [name, value] of Object.entries(answered)) trace(`      < ${name}: ${value}`);
      return;
    }
    const { seconds, reason } = event.wait;
    const line = `asof: ${reason}; retrying in ${seconds} s`;
    if (flags.verbose || flags.debug) detail(line);
    else if (seconds >= 1) noteOnTerminal(line);
  };
}

function triedText(tried: Extract<RemoteEvent, { readonly tried: unknown }>['tried'], now: Date): string {
  const { url, milliseconds } = tried;
  if (tried.status === undefined) return `GET ${url}: ${tried.failure.detail}, after ${milliseconds} ms`;
  const { status, bytes, headers } = tried;
  const [limit, left, reset] = ['limit', 'remaining', 'reset'].map((name) => headers[`ratelimit-${name}`]);
  const time = Number(reset) / (Number(reset) > 1e12 ? 1000 : 1);
  // No window is longer than a month, so a larger number is a time, which some services send.
  const seconds = time > 1e9 ? Math.max(0, Math.ceil(time - now.getTime() / 1000)) : reset;
  const until = seconds === undefined ? '' : ` for ${seconds} s`;
  const quota =
    limit === undefined || left === undefined ? '' : `; ${left} of ${limit} requests left${until}`;
  return `GET ${url}: ${status}, ${bytes} bytes in ${milliseconds} ms${quota}`;
}

/** Returns the terminal, if stdout is one, and the output chosen by the environment and the settings. */
export function outputPlace(io: Io): OutputPlace {
  const { isTTY, columns, rows } = io.stdout;
  const plotWidth = /^[1-9]\d{0,3}$/.exec(variable(io, 'COLUMNS') ?? '')?.[0];
  return defined({
    terminal: isTTY === true ? { columns: columns || 80, ...(rows && { rows }) } : undefined,
    pager: pagerOf(io),
    format: chosenSetting(io, 'format')?.value,
    colour: wantedColour(io),
    plotWidth: plotWidth === undefined ? undefined : Number(plotWidth),
    today: utcDay(io.clock()),
  });
}

function pagerOf(io: Io): string | undefined {
  const named = variable(io, 'ASOF_PAGER') ?? variable(io, 'PAGER');
  return named === 'cat' ? undefined : named;
}

function wantedColour(io: Io): boolean | undefined {
  if (variable(io, 'NO_COLOR') !== undefined) return false;
  const forced = variable(io, 'FORCE_COLOR');
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return io.env.TERM === 'dumb' ? false : undefined;
}
