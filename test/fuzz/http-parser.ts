import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** An answer as it came over the wire; names of headers are in lower case. */
export type Answer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** The body as it was sent, and without its coding. */
  readonly raw: Buffer;
  readonly body: string;
};

/**
 * The answers on a connection, read by RFC 9112 as strictly as a hostile proxy: the method of each request decides
 * whether its answer has a body. Throws an Error that shows what is wrong.
 */
export function answersIn(received: Buffer, methods: readonly string[]): readonly Answer[] {
  const answers: Answer[] = [];
  for (let at = 0; at < received.length; ) {
    const end = received.indexOf('\r\n\r\n', at);
    if (end < 0) throw wrong('a head without an end', received.subarray(at));
    const [first = '', ...lines] = received.toString('latin1', at, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [ -~]+$/.exec(first)?.[1]);
    if (Number.isNaN(status)) throw wrong('not a status line', first);
    const headers = headersOf(lines);
    const length = headers.get('content-length');
    const bodiless = methods[answers.length] === 'HEAD' || status === 304 || status < 200;
    if (headers.has('transfer-encoding')) throw wrong('a body of unknown length', first);
    if (!bodiless && (length === undefined || !/^\d+$/.test(length))) throw wrong('no length', first);
    const begin = end + 4;
    at = bodiless ? begin : begin + Number(length);
    if (at > received.length) throw wrong('a body that is cut short', received.subarray(begin));
    const raw = received.subarray(begin, at);
    answers.push({ status, headers, raw, body: decoded(raw, headers.get('content-encoding')) });
  }
  return answers;
}

/** Headers that a message may have only once; more of them are an error here. */
function headersOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+): ([ -~\x80-\xff]*)$/.exec(line) ?? [];
    if (name === '') throw wrong('not a header', line);
    if (headers.has(name.toLowerCase())) throw wrong('a header twice', line);
    headers.set(name.toLowerCase(), value);
  }
  return headers;
}

function decoded(raw: Buffer, coding: string | undefined): string {
  if (raw.length === 0 || coding === undefined) return raw.toString();
  if (coding === 'gzip') return gunzipSync(raw).toString();
  if (coding === 'br') return brotliDecompressSync(raw).toString();
  throw wrong('an unknown coding', coding);
}

function wrong(what: string, found: string | Buffer): Error {
  return new Error(`${what}: ${JSON.stringify(found.toString('latin1').slice(0, 500))}`);
}
