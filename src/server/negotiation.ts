import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Problem } from '../errors/problem.ts';

/** A content coding that asof speaks. */
export type Coding = 'br' | 'gzip';

const codings: readonly Coding[] = ['br', 'gzip'];

/** Below this many characters compression costs more than it saves. */
const worthCompressing = 1024;

/** The coding for a body of that length: what the client likes best of what asof speaks, or none. */
export function codingFor(acceptEncoding: string | null, length: number): Coding | undefined {
  if (acceptEncoding === null || length < worthCompressing) return undefined;
  const weights = weightsOf(acceptEncoding);
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0;
  const plain = weights.get('identity') ?? 0;
  let best: Coding | undefined;
  for (const coding of codings) {
    const weight = Math.max(weightOf(coding), coding === 'gzip' ? (weights.get('x-gzip') ?? 0) : 0);
    if (weight > 0 && weight >= plain && (best === undefined || weight > weightOf(best))) best = coding;
  }
  return best;
}

const brotli = promisify(brotliCompress);
const gunzippable = promisify(gzip);

/** A body in a coding; levels are chosen for answers that are made once and sent once. */
export function compressed(text: string, coding: Coding): Promise<Buffer> {
  return coding === 'br'
    ? brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
    : gunzippable(text, { level: 4 });
}

/** Refuses a request that announces a body. */
export function checkNoBody(headers: Headers): void {
  const length = headers.get('content-length');
  if (headers.has('transfer-encoding') || (length !== null && length !== '0'))
    throw new Problem('validation-error', 'a request to this service has no body');
}

const jsonTypes = ['application/json', 'application/problem+json', 'application/*', '*/*'];

/** Whether a client that sent this `Accept` can take JSON. */
export function acceptsJson(accept: string | null): boolean {
  if (accept === null || accept.trim() === '') return true;
  const weights = weightsOf(accept);
  const decisive = jsonTypes.find((type) => weights.has(type));
  return decisive !== undefined && (weights.get(decisive) ?? 0) > 0;
}

/** The names of a list such as `gzip;q=0.5, br` with their weights. */
function weightsOf(list: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of list.split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => /^q\s*=/.test(parameter));
    const weight = quality === undefined ? 1 : Number(quality.slice(quality.indexOf('=') + 1));
    if (name !== '') weights.set(name, weight >= 0 && weight <= 1 ? weight : 0);
  }
  return weights;
}

/** Whether an `If-None-Match` names this tag; a weak comparison, as the header is defined. */
export function namesTag(ifNoneMatch: string | null, tag: string): boolean {
  return ifNoneMatch?.split(',').some((item) => item.trim().replace(/^W\//, '') === `"${tag}"`) === true;
}
