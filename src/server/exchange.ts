import type { Writable } from 'node:stream';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { newRequestId } from '../service/service.ts';
import type { Admission } from './keys/gate.ts';

/** The most characters in the path and query of a request. */
export const longestTarget = 8192;

/** A request as a server has read it. */
export type WireRequest = {
  readonly method: string;
  /** As sent, without `.` or `..` as a segment. */
  readonly path: string;
  readonly query: string;
  /** Returns a header by its name in lower case; repeated headers are joined by commas. */
  readonly header: (name: string) => string | undefined;
  readonly signal: AbortSignal;
};

/** An answer; the body of one to HEAD is not sent. */
export type WireReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A body made while it is sent is cut off where it fails. */
  readonly body?: string | Buffer | AsyncGenerator<Uint8Array>;
};

/** A request with its headers and log entry so far. */
export type Exchange = {
  readonly requestId: string;
  readonly now: Date;
  readonly request: WireRequest;
  readonly errorsBase: string;
  readonly sending?: Sending | undefined;
  crossOrigin?: Readonly<Record<string, string>>;
  isCached?: boolean;
  /** The pattern of the endpoint. The path may contain a secret and is never logged. */
  route?: string;
  admission?: Admission;
};

/** Answers a request of a route, or throws a Problem. */
export type Answering = (exchange: Exchange) => Promise<WireReply>;

/** How an answer is sent on a connection. */
export type Sending = {
  /** True if a body may be sent while it is made: the client notices a cut. */
  readonly mayCut: boolean;
  /** Calls `note` when sending ends, with how much of the answer was sent. */
  readonly ended: (note: (sent: 'all' | 'nothing' | 'part') => void) => void;
};

/** Answers every request, if necessary with a problem document; never throws. */
export type Handler = (request: WireRequest, sending?: Sending) => Promise<WireReply>;

/** Begins the exchange of a request. */
export function beginExchange(begun: Pick<Exchange, 'errorsBase' | 'now' | 'request' | 'sending'>): Exchange {
  return { requestId: newRequestId(begun.now), ...begun };
}

/** The service's log: one JSON object per line. */
export type Log = Logger;

type LogOptions = {
  /** The lowest level: `info` has a line for each request, `warn` what needs attention, `error` failures. */
  readonly level?: 'error' | 'info' | 'warn';
  readonly readable?: boolean;
};

/** Makes a log that writes all lines of one tick at once; `readable` writes lines for people instead of JSON. */
export function createLog(stream: Writable, { level = 'info', readable = false }: LogOptions = {}): Log {
  let waiting = '';
  const flush = (): void => {
    const text = waiting;
    waiting = '';
    stream.write(text);
  };
  const destination = {
    write(line: string): void {
      if (waiting === '') setImmediate(flush);
      waiting += readable ? readableLine(line) : line;
    },
  };
  return pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, destination);
}

/** Formats a line of the log for people: the time in UTC, the event, and the rest as `name=value`. */
export function readableLine(line: string): string {
  const { level, time, msg, err, url: _, store: __, ...entry } = JSON.parse(line) as LogEntry;
  const { method, route, status, ms, key, request_id: id, ...rest } = entry;
  const isRequest = status !== undefined;
  const said = isRequest ? [method, route ?? '-', status, ms === undefined ? undefined : `${ms} ms`] : [msg];
  const more = { ...(isRequest && { key }), ...rest, ...(isRequest && status < 500 ? {} : { request: id }) };
  const words = [
    time.slice(11, 19),
    level >= 50 ? 'error:' : level >= 40 ? 'warning:' : undefined,
    ...said,
    ...Object.entries(more).map(([name, value]) => (value == null ? undefined : `${name}=${value}`)),
    err?.message,
  ];
  const text = words.filter((word) => word !== undefined && word !== '').join(' ');
  return `${text.replace(/[^ -~]/gu, escaped)}\n`;
}

type LogEntry = {
  readonly level: number;
  readonly time: string;
  readonly err?: { readonly message?: string };
  readonly status?: number;
  readonly [member: string]: unknown;
};

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
