import { Problem, type ProblemKind, type ProblemOptions } from '../../errors/problem.ts';
import { changedSinceDetail } from '../../operations/cursor.ts';
import type { Row } from '../../operations/envelope.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Params } from '../../operations/param.ts';
import { defined } from '../../platform/defined.ts';
import { type ReceivedPage, readEnvelope, type SentQuery } from './envelope.ts';
import type { HttpReply } from './exchange.ts';
import { retryAfterOf } from './retry.ts';

type Sent<R> = SentQuery<R> & { readonly service: string };

const kinds: Readonly<Record<number, ProblemKind>> = {
  400: 'validation-error',
  401: 'unauthorized',
  403: 'plan-upgrade-required',
  405: 'method-not-allowed',
  406: 'not-acceptable',
  414: 'uri-too-long',
  429: 'rate-limit-exceeded',
  431: 'header-fields-too-large',
  500: 'internal-error',
  503: 'service-unavailable',
};

/** The page in a service's reply; throws the matching Problem for any other reply. */
export function readAnswer<R extends Row>(reply: HttpReply, sent: Sent<R>): ReceivedPage<R> {
  if (reply.status === 200)
    return readEnvelope(readJson(reply), sent, { url: reply.url, requestId: reply.headers['x-request-id'] });
  if (reply.status >= 200 && reply.status < 400)
    throw badAnswer(reply, `${reply.status}, which is not an answer of the contract`);
  throw failureOf(reply, sent);
}

/** The JSON value of a reply; for other content, throws a Problem that says what it is. */
export function readJson(reply: HttpReply): unknown {
  if (mediaType(reply) !== 'application/json') throw badAnswer(reply, `${whatItIs(reply)} instead of JSON`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(reply.body));
  } catch (cause) {
    const reason = reply.body.length === 0 ? 'an empty body' : 'JSON that is damaged or breaks off';
    throw badAnswer(reply, reason, { cause });
  }
}

function badAnswer({ url }: Pick<HttpReply, 'url'>, what: string, options?: ProblemOptions): Problem {
  return new Problem('bad-answer', `${url} answered with ${what}`, options);
}

function failureOf(reply: HttpReply, sent: Sent<unknown>): Problem {
  const said = problemIn(reply);
  if (reply.status === 404) return notFound(reply, said, sent);
  if (reply.status === 429) return quotaUsedUp(reply, said);
  const kind = kinds[reply.status];
  if (said !== undefined && kind !== undefined) {
    // The contract has no error type for changed data, only this text.
    const changed = said.options.field === 'cursor' && said.detail === changedSinceDetail;
    // The contract's form of a refused value, for fronts that name the value in another way.
    const [, param, reason] = /^invalid '(\w+)': (.*)$/s.exec(said.detail) ?? [];
    const refusal = reason === undefined ? {} : { refusal: { param: String(param), reason } };
    return new Problem(changed ? 'data-changed' : kind, said.detail, { ...said.options, ...refusal });
  }
  const what =
    said === undefined ? `${reply.status} and ${whatItIs(reply)}` : `${reply.status}: ${said.detail}`;
  return badAnswer(reply, what, said?.options);
}

/** Only the contract's text means an unknown series; any other 404 means that the service lacks the path. */
function notFound(
  { url }: HttpReply,
  said: StatedProblem | undefined,
  { operation, service }: Sent<unknown>,
): Problem {
  const unknownSeries =
    operation.path.includes('{id}') && /^series '.*' not found$/s.test(said?.detail ?? '');
  if (said !== undefined && unknownSeries) return new Problem('not-found', said.detail, said.options);
  const path = url.startsWith(service) ? url.slice(service.length) : url;
  return new Problem('bad-answer', `the service at ${service} has no ${path}`, {
    ...said?.options,
    missing: true,
    hints: [whyNotFound(operation, service)],
  });
}

function whyNotFound({ inContract }: Operation<Params, unknown>, service: string): string {
  if (service.endsWith('/v1')) return 'the base URL is given without /v1';
  return inContract === true
    ? 'is the base URL right?'
    : 'this service does not offer it; everything else works';
}

/** Not every 429 has a problem document: a proxy in front of the service can limit requests too. */
function quotaUsedUp(reply: HttpReply, said: StatedProblem | undefined): Problem {
  const seconds = retryAfterOf(reply, new Date());
  return new Problem('rate-limit-exceeded', said?.detail ?? `${reply.url} takes no more requests for now`, {
    instance: new URL(reply.url).pathname,
    ...said?.options,
    ...(seconds !== undefined && { retryAfter: seconds, hints: [`try again in ${seconds} s`] }),
  });
}

type StatedProblem = { readonly detail: string; readonly options: ProblemOptions };

function problemIn(reply: HttpReply): StatedProblem | undefined {
  if (!['application/problem+json', 'application/json'].includes(mediaType(reply))) return undefined;
  const document = parsed(reply.body);
  if (typeof document !== 'object' || document === null) return undefined;
  const { type, title, status, detail, instance, request_id, field } = document as Record<string, unknown>;
  if (typeof type !== 'string' || typeof title !== 'string' || typeof status !== 'number') return undefined;
  const requestId = shortText(request_id) ?? shortText(reply.headers['x-request-id']);
  const options = { type, ...defined({ requestId, instance: shortText(instance), field: shortText(field) }) };
  return { detail: shortText(detail) ?? title, options };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A text, cut at 2000 characters, because error messages show it; undefined for other values. */
function shortText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.length > 2000 ? `${value.slice(0, 2000)}…` : value;
}

function mediaType({ headers }: HttpReply): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

function whatItIs(reply: HttpReply): string {
  const type = mediaType(reply);
  if (reply.body.length === 0) return 'an empty body';
  if (type === 'text/html') return 'an HTML page (of a proxy, or of another site?)';
  return type === '' ? 'a body of no stated type' : `a body of type ${type}`;
}
