import type { Client } from '../../client/client.ts';
import { openClient } from '../../client/open.ts';
import type { RemoteEvent, RequestTry } from '../../client/remote/exchange.ts';
import { longestWait } from '../../client/remote/retry.ts';
import { Problem } from '../../errors/problem.ts';
import type { ConnectionFlags } from '../../lines/shared-parts.ts';
import { version } from '../../platform/installation.ts';
import type { ChosenBaseUrl } from '../config/places.ts';
import { chosenSetting, readSettings } from '../config/settings.ts';
import { keyFor } from '../config/user-key.ts';
import type { Io } from '../terminal/io.ts';
import type { Messages } from '../terminal/messages.ts';

/** A client of a service, with the user's key for its origin; reports its requests as the flags ask. */
export async function openRemote(
  { base, from }: ChosenBaseUrl,
  flags: ConnectionFlags,
  io: Io,
  messages: Messages,
): Promise<Client> {
  const key = keyFor(io, base.origin, messages);
  messages.detail(
    `asof: service ${base.href} (${from}), ${key === undefined ? 'no key' : `key of ${key.from}`}`,
  );
  const client = await openClient({
    baseUrl: base.href,
    userAgent: `asof/${version()}`,
    ...requestOptions(flags, io, messages),
    key: key?.text,
  });
  return {
    ...client,
    ask: (operation, given, options) =>
      client.ask(operation, given, options).catch((error) => {
        if (!(error instanceof Problem)) throw error;
        throw error.with({ hints: [...error.hints, ...hintsOf(error, { base, from }, key?.from)] });
      }),
  };
}

function hintsOf(
  { kind, retryAfter }: Problem,
  { base, from }: ChosenBaseUrl,
  key: string | undefined,
): readonly string[] {
  if (kind === 'unauthorized')
    return [key === undefined ? `asof auth login --base-url ${base.href}` : `the key is that of ${key}`];
  if (kind === 'rate-limit-exceeded' && retryAfter !== undefined && retryAfter <= longestWait)
    return [`--max-wait ${retryAfter} waits for it`];
  // A variable or a setting may name another service than the user has in mind.
  const mayBeForgotten = (kind === 'unreachable' || kind === 'bad-answer') && from !== '--base-url';
  return mayBeForgotten ? [`${from} names this service`] : [];
}

/** How requests are sent and reported, by flags, variables and settings. */
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

/** Reports requests and waits with `-v` and `--debug`; a wait of a second or more always. */
function reporting({ flags, noteOnTerminal, detail, trace }: Messages, { clock }: Io) {
  return (event: RemoteEvent): void => {
    if ('tried' in event) {
      const { tried } = event;
      detail(`asof: ${triedText(tried, clock())}`);
      for (const line of headerLines(tried)) trace(line);
      return;
    }
    const { seconds, reason } = event.wait;
    const line = `asof: ${reason}; retrying in ${seconds} s`;
    if (flags.verbose || flags.debug) detail(line);
    else if (seconds >= 1) noteOnTerminal(line);
  };
}

/** A try of a request in a line: `GET https://… : 200, 5000 bytes in 30 ms`. */
function triedText(tried: RequestTry, now: Date): string {
  return `GET ${tried.url}: ${outcomeOf(tried, now)}`;
}

function outcomeOf(tried: RequestTry, now: Date): string {
  if (tried.status === undefined) return `${tried.failure.detail}, after ${tried.milliseconds} ms`;
  const { status, bytes, milliseconds, headers } = tried;
  return `${status}, ${bytes} bytes in ${milliseconds} ms${quota(headers, now)}`;
}

/** The headers of a try, those of the request first. */
function headerLines(tried: RequestTry): readonly string[] {
  const lines = (direction: string, headers: Readonly<Record<string, string>>) =>
    Object.entries(headers).map(([name, value]) => `      ${direction} ${name}: ${value}`);
  return [
    ...lines('>', tried.requestHeaders),
    ...(tried.status === undefined ? [] : lines('<', tried.headers)),
  ];
}

function quota(headers: Readonly<Record<string, string>>, now: Date): string {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map(
    (name) => headers[`ratelimit-${name}`],
  );
  if (limit === undefined || remaining === undefined) return '';
  return `; ${remaining} of ${limit} requests left${reset === undefined ? '' : ` for ${secondsToReset(reset, now)} s`}`;
}

/** The seconds that `RateLimit-Reset` means; some services give it as a Unix time, in seconds or milliseconds. */
function secondsToReset(text: string, now: Date): string {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  // No window is longer than a month, so a larger number is a time.
  if (!(number > 1e9)) return text;
  const milliseconds = number > 1e12 ? number : number * 1000;
  return String(Math.max(0, Math.ceil((milliseconds - now.getTime()) / 1000)));
}
