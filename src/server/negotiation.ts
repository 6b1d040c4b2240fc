import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { Problem } from '../errors/problem.ts';

/** A content coding that asof can send. */
export type Coding = 'br' | 'gzip';

/** Codings by the names in `Accept-Encoding`, in the order of our preference. */
const codings: ReadonlyMap<string, Coding> = new Map([
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
]);
const preferred = [...codings.keys()];
const encodings = [...preferred, 'identity'];

/** Below this many characters compression costs more than it saves. */
const worthCompressing = 1024;

/** The coding for a body of that length: the one that the client prefers, or undefined to send it as it is. */
export function codingFor(acceptEncoding: string | null, length: number): Coding | undefined {
  if (acceptEncoding === null || length < worthCompressing) return undefined;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  return codings.get(negotiator.encoding(encodings, { preferred }) ?? '');
}

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** A body in a coding; levels are chosen for answers that are made once and sent once. */
export function compressed(body: string | Buffer, coding: Coding): Promise<Buffer> {
  return coding === 'br'
    ? brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
    : deflate(body, { level: 4 });
}

/** Refuses a request that announces a body. */
export function checkNoBody(headers: Headers): void {
  const length = headers.get('content-length');
  if (headers.has('transfer-encoding') || (length !== null && length !== '0'))
    throw new Problem('validation-error', 'a request to this service has no body');
}

/** Clients that name a charset get JSON too, which has one charset. */
const jsonTypes = ['application/json', 'application/json;charset=utf-8'];

/** Whether a client that sent this `Accept` can take JSON. */
export function acceptsJson(accept: string | null): boolean {
  if (accept === null || accept.trim() === '') return true;
  const negotiator = new Negotiator({ headers: { accept } });
  return (
    negotiator.mediaType(jsonTypes) !== undefined ||
    negotiator.mediaTypes().includes('application/problem+json')
  );
}

/** Whether an `If-None-Match` names this tag, by the weak comparison that the header prescribes. */
export function namesTag(ifNoneMatch: string | null, tag: string): boolean {
  return ifNoneMatch?.split(',').some((item) => item.trim().replace(/^W\//, '') === `"${tag}"`) === true;
}
