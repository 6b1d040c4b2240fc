import { createHash } from 'node:crypto';
import { pipeline, Readable, type Writable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { Problem } from '../errors/problem.ts';
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
  /** Returns what aborts when the client leaves. A getter would make a hidden class of each request: 20 of 65 µs. */
  readonly signal: () => AbortSignal;
  /** True if a body may be sent while it is made; in HTTP/1.0, a cut looks like a normal end. */
  readonly mayCut?: boolean;
};

/** A body that is made before it is sent, in parts that are sent together. */
type WholeBody = readonly (string | Uint8Array)[];

/** An answer; the body of one to HEAD is not sent. */
export type WireReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A body made while it is sent is cut off where it fails. */
  readonly body?: WholeBody | AsyncGenerator<Uint8Array>;
  /** Receives, when sending ends, how much of the answer was sent. */
  readonly sent?: (part: 'all' | 'nothing' | 'part') => void;
};

/** A request with its headers and log entry so far. */
export type Exchange = {
  readonly requestId: string;
  readonly now: Date;
  request: WireRequest;
  /** The service's address for clients. Default: the Host header. */
  readonly publicUrl: string | undefined;
  crossOrigin?: Readonly<Record<string, string>>;
  isCached?: boolean;
  /** What a problem says beyond the contract, to a request for an answer with notes. */
  explained?: Pick<Problem, 'hints' | 'kind'>;
  /** The pattern of the endpoint. The path may contain a secret and is never logged. */
  route?: string;
  admission?: Admission;
};

/** Answers a request of a route, or throws a Problem. */
export type Answering = (exchange: Exchange) => Promise<WireReply> | WireReply;

/** Answers every request, if necessary with a problem document; never throws. */
export type Handler = (request: WireRequest) => Promise<WireReply>;

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
  const formatters = { level: (name: string) => ({ level: name }) };
  // The build shortens the names of classes, by which pino says what an error is.
  const serializers = { err: (error: Error) => ({ ...stdSerializers.err(error), type: error.name }) };
  let last = { now: Number.NaN, text: '' };
  const timestamp = (): string => {
    const now = Date.now();
    if (now !== last.now) last = { now, text: stdTimeFunctions.isoTime() };
    return last.text;
  };
  return pino({ level, base: null, timestamp, formatters, serializers }, destination);
}

/** Formats a line of the log for people: the time in UTC, the event, and the rest as `name=value`. */
export function readableLine(line: string): string {
  const {
    level,
    time,
    msg,
    err,
    url: _,
    store: __,
    version: ___,
    sample: ____,
    ...entry
  }: LogEntry = JSON.parse(line);
  const said = [
    time.slice(11, 19),
    ...(level === 'info' ? [] : [level === 'warn' ? 'warning:' : `${level}:`]),
    ...(msg === undefined ? [] : [msg]),
    ...Object.entries(entry).flatMap(([name, value]) => (value == null ? [] : `${name}=${value}`)),
    ...(err?.message === undefined ? [] : [err.message]),
  ].join(' ');
  return `${said.replace(/[^ -~]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`)}\n`;
}

type LogEntry = {
  readonly level: string;
  readonly time: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string };
  readonly [member: string]: unknown;
};

/** A response before `respond` adds the common headers. */
type HttpAnswer = {
  readonly status: number;
  readonly type: string;
  readonly body: WholeBody | AsyncGenerator<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body in each coding so far, to make each once, if it is the same in every answer. */
  readonly coded?: Map<Coding, Promise<Buffer>>;
};

/** Makes the reply to an exchange, in the coding that the client prefers. */
export function respond(exchange: Exchange, answer: HttpAnswer): ReturnType<Answering> {
  const { status, type, headers, coded, body } = answer;
  const size = isWhole(body) ? sizeOf(body) : worthCompressing;
  const coding = codingFor(exchange.request.header('accept-encoding'), size);
  const common: Record<string, string> = Object.assign(
    { 'Content-Type': type },
    commonHeaders(exchange),
    headers,
  );
  if (coding !== undefined) common['Content-Encoding'] = coding;
  if (!isWhole(body))
    return { status, headers: common, body: coding === undefined ? body : encoded(body, coding) };
  // Set here, so that the answer to HEAD has the length too.
  const whole = (body: WholeBody, size: number) => {
    common['Content-Length'] = String(size);
    return { status, headers: common, body };
  };
  if (coding === undefined) return whole(body, size);
  return (coded?.get(coding) ?? encode(body, coding, coded)).then((made) => whole([made], made.length));
}

/** Tells whether a body is made before it is sent. */
export function isWhole(body: NonNullable<WireReply['body']>): body is WholeBody {
  return Array.isArray(body);
}

/** Returns the bytes of a body. */
export function bytesOf(body: WholeBody): Buffer {
  return Buffer.concat(body.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

function sizeOf(body: WholeBody): number {
  return body.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

function encode(body: WholeBody, coding: Coding, coded: HttpAnswer['coded']): Promise<Buffer> {
  const bytes = bytesOf(body);
  const made = coding === 'br' ? brotli(bytes, brotliOptions) : deflate(bytes, gzipOptions);
  coded?.set(coding, made);
  return made;
}

async function* encoded(chunks: AsyncGenerator<Uint8Array>, coding: Coding): AsyncGenerator<Uint8Array> {
  const encoder = coding === 'br' ? createBrotliCompress(brotliOptions) : createGzip(gzipOptions);
  // A failure of the chunks becomes the encoder's.
  pipeline(Readable.from(chunks), encoder, () => undefined);
  yield* encoder;
}

/** Makes the problem for an unknown path. */
export function noEndpoint(): Problem {
  return new Problem('not-found', 'no such endpoint; /v1/openapi.json describes every endpoint');
}

/** Replies to a client that has the body already. */
export function notModified(exchange: Exchange, headers: Readonly<Record<string, string>>): WireReply {
  return { status: 304, headers: { ...commonHeaders(exchange), ...headers } };
}

/** Makes the tag of an answer from all that the answer depends on. */
export function tagOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}

/** Replies with a problem; `more` are members beyond the contract. */
export function respondProblem(
  exchange: Exchange,
  problem: Problem,
  more: object = {},
): ReturnType<Answering> {
  const { requestId, request, publicUrl, explained } = exchange;
  const instance = problem.instance ?? request.path;
  // The server refuses an invalid Host.
  const host = request.header('host') ?? '';
  const errorsBase = `${publicUrl ?? (host && `http://${host}`)}/errors`;
  const document = problem.with({ requestId, instance }).toDocument(errorsBase);
  return respond(exchange, {
    status: problem.status,
    type: 'application/problem+json',
    body: [JSON.stringify({ ...document, ...explained, ...more })],
    headers: { 'Cache-Control': 'no-store', ...headersOf(problem) },
  });
}

function headersOf({ kind, retryAfter }: Problem): Readonly<Record<string, string>> {
  return {
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    ...(kind === 'unauthorized' && { 'WWW-Authenticate': 'ApiKey header="X-API-Key"' }),
    ...(kind === 'method-not-allowed' && { Allow: 'GET, HEAD' }),
  };
}

function commonHeaders({ requestId, admission, crossOrigin }: Exchange): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept, Accept-Encoding, X-API-Key',
  };
  if (crossOrigin !== undefined) Object.assign(headers, crossOrigin);
  if (admission !== undefined) {
    const { limit, remaining, reset } = admission.rate;
    headers['RateLimit-Limit'] = String(limit);
    headers['RateLimit-Remaining'] = String(remaining);
    headers['RateLimit-Reset'] = String(reset);
  }
  return headers;
}

type Coding = 'br' | 'gzip';

/** Codings by their names in `Accept-Encoding`, in our order of preference. */
const codings: ReadonlyMap<string, Coding> = new Map([
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
]);
const preferred = [...codings.keys()];
const encodings = [...preferred, 'identity'];

/** In bytes; compressing less costs more than it saves. */
const worthCompressing = 1024;

/** Chooses the coding that a client prefers for a body of this length; undefined to send it as it is. */
export function codingFor(acceptEncoding: string | undefined, length: number): Coding | undefined {
  if (acceptEncoding === undefined || length < worthCompressing) return undefined;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  return codings.get(negotiator.encoding(encodings, { preferred }) ?? '');
}

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Levels for answers made once and sent once. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzipOptions = { level: 4 };

/** Refuses a request that is not GET or HEAD, or that has a body. */
export function checkReads({ method, header }: WireRequest): void {
  if (method !== 'GET' && method !== 'HEAD')
    throw new Problem('method-not-allowed', 'this service is read-only: use GET or HEAD');
  const length = header('content-length') ?? '0';
  if (header('transfer-encoding') !== undefined || length !== '0')
    throw new Problem('validation-error', 'a request to this service has no body');
}

/** Tells whether `If-None-Match` names a tag, by the weak comparison that the header prescribes. */
export function namesTag({ header }: WireRequest, tag: string): boolean {
  const tags = header('if-none-match')?.split(',') ?? [];
  return tags.some((item) => item.trim().replace(/^W\//, '') === `"${tag}"`);
}
