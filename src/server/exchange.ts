import type { Writable } from 'node:stream';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { newRequestId } from '../service/service.ts';
import type { Admission } from './keys/gate.ts';

/** A request, as a server has read it. */
export type WireRequest = {
  readonly method: string;
  /** The path and the query as they were sent; no segment of the path is `.` or `..`. */
  readonly path: string;
  readonly query: string;
  /** Returns a header by its name in lower case; several of one name are joined by commas. */
  readonly header: (name: string) => string | undefined;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
};

/** An answer to a request; nobody sends the body of one to HEAD. */
export type WireReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A body that is made while it is sent is cut off where it fails. */
  readonly body?: string | Buffer | AsyncGenerator<Uint8Array>;
};

/** One request and what is known about it so far, for the headers of its answer and for the log. */
export type Exchange = {
  readonly requestId: string;
  readonly now: Date;
  readonly request: WireRequest;
  /** The address of the pages that explain errors. */
  readonly errorsBase: string;
  /** How its answer is sent; absent without a connection. */
  readonly sending?: Sending | undefined;
  /** What the answer says to pages of other origins. */
  crossOrigin?: Readonly<Record<string, string>>;
  /** Whether the answer came from the cache, if it might have. */
  isCached?: boolean;
  /** The pattern of the endpoint. The path itself may hold a secret and is never logged. */
  route?: string;
  admission?: Admission;
};

/** Answers a request of a route; throws a Problem instead of answering with one. */
export type Answering = (exchange: Exchange) => Promise<WireReply>;

/** How an answer is sent on a connection. */
export type Sending = {
  /** Whether a body may be sent while it is made: the client notices where it is cut off. */
  readonly mayCut: boolean;
  /** Calls `note` when nothing more is sent of an answer, with how much of it was. */
  readonly ended: (note: (sent: 'all' | 'nothing' | 'part') => void) => void;
};

/**
 * Answers every request: with the contract's envelope, with a table, or with a problem document. Never throws. Sends
 * a long table while it is made, if the connection can be cut when the rest of it fails.
 */
export type Handler = (request: WireRequest, sending?: Sending) => Promise<WireReply>;

/** Begins the exchange of a request. */
export function beginExchange(begun: Pick<Exchange, 'errorsBase' | 'now' | 'request' | 'sending'>): Exchange {
  return { requestId: newRequestId(begun.now), ...begun };
}

/** The log of the service: one JSON object per line. */
export type Log = Logger;

/** The lowest level of a log: a line for each request, what needs attention, or only failures. */
export type LogLevel = 'error' | 'info' | 'warn';

/** A log that writes to a stream, all lines of one tick at once; `readable` writes lines for people instead of JSON. */
export function createLog(
  stream: Writable,
  { level = 'info', readable = false }: { readonly level?: LogLevel; readonly readable?: boolean } = {},
): Log {
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

/** A line of the log for people: the time in UTC, what happened, and the rest as `name=value`. */
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
  readonly msg?: string;
  readonly err?: { readonly message?: string };
  readonly url?: string;
  readonly store?: string;
  readonly request_id?: string;
  readonly method?: string;
  readonly route?: string | null;
  readonly status?: number;
  readonly ms?: number;
  readonly key?: string | null;
};

/** A line break or a control character would forge a line, or reach the terminal. */
function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
