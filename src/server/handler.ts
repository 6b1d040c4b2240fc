import { Problem } from '../errors/problem.ts';
import { admit, endpointAnswers } from './answers.ts';
import { endpoints } from './endpoints.ts';
import type { Gate } from './keys/gate.ts';
import type { Metrics } from './metrics.ts';
import { openPages } from './open-pages.ts';
import {
  type Answering,
  beginExchange,
  checkReads,
  type Exchange,
  type Handler,
  httpProblem,
  longestTarget,
  noEndpoint,
  respondProblem,
  type Sending,
  type WireReply,
  type WireRequest,
} from './respond.ts';

type HandlerOptions = Parameters<typeof openPages>[0] & {
  readonly gate: Pick<Gate, 'admit' | 'check'>;
  /** The origins whose pages may read answers; `*` is every origin. */
  readonly corsOrigins?: readonly string[];
  readonly metrics?: Pick<Metrics, 'count' | 'page'> | undefined;
  readonly clock?: () => Date;
};

/** Makes a handler from services and a gate, without a socket. */
export function createHandler(options: HandlerOptions): Handler {
  const { gate, log, metrics, publicUrl, corsOrigins = [], clock = () => new Date() } = options;
  const answering = endpointAnswers(options);
  const routes = new Map<string, Answering>([
    ...[...openPages(options)].map(([pattern, answer]) => [pattern, reading(answer)] as const),
    ...endpoints.map((endpoint) => [endpoint.path, answering(endpoint)] as const),
  ]);
  const patternOf = patternFinder([...routes.keys()]);

  async function replyTo(exchange: Exchange): Promise<WireReply> {
    const { request } = exchange;
    if (corsOrigins.length > 0) {
      const allowed = allowedOrigin(corsOrigins, request);
      exchange.crossOrigin = crossOriginHeaders(allowed);
      if (allowed !== undefined && isPreflight(request)) return preflightReply(exchange);
    }
    try {
      if (request.path.length + request.query.length > longestTarget)
        throw new Problem(
          'uri-too-long',
          `the address of a request may have at most ${longestTarget} characters`,
        );
      const pattern = patternOf(request.path);
      const answer = pattern === undefined ? undefined : routes.get(pattern);
      if (pattern !== undefined && answer !== undefined) {
        exchange.route = pattern;
        return await answer(exchange);
      }
      if (/^\/v1(\/|$)/.test(request.path)) await admit(gate, exchange);
      throw noEndpoint();
    } catch (error) {
      // Work that ended because its client left has not failed.
      if (request.signal.aborted) return { status: clientGone, headers: {} };
      const problem = httpProblem(error);
      if (problem.kind === 'internal-error' || problem.kind === 'service-unavailable') {
        const { requestId, route = null } = exchange;
        log.error({ request_id: requestId, route, err: problem.cause }, problem.detail);
      }
      return respondProblem(exchange, problem);
    }
  }

  /** Counts and logs an answer after its last byte; `ms` is the time up to its first byte. */
  function note(exchange: Exchange, status: number, ms: number): void {
    const { request, requestId, route = null, admission, sending } = exchange;
    const ended: Parameters<Sending['ended']>[0] = (sent) => {
      const shown = sent === 'nothing' ? clientGone : status;
      metrics?.count(exchange, shown, ms);
      log.info({
        request_id: requestId,
        method: request.method,
        route,
        status: shown,
        ms: Math.round(ms * 100) / 100,
        key: admission?.keyId ?? null,
        ...(sent === 'part' && { sent }),
      });
    };
    if (sending === undefined) ended('all');
    else sending.ended(ended);
  }

  return async (request, sending) => {
    const started = performance.now();
    const errorsBase = `${publicUrl ?? urlOfHost(request.header('host'))}/errors`;
    const exchange = beginExchange({ request, sending, errorsBase, now: clock() });
    const reply = await replyTo(exchange);
    note(exchange, reply.status, performance.now() - started);
    return reply;
  };
}

function reading(answer: Answering): Answering {
  return async (exchange) => {
    checkReads(exchange.request);
    return answer(exchange);
  };
}

/** Makes a function that finds the pattern of a path; `{name}` in a pattern matches one segment. */
function patternFinder(patterns: readonly string[]): (path: string) => string | undefined {
  const fixed = new Set(patterns);
  const open = patterns
    .filter((pattern) => pattern.includes('{'))
    .map((pattern) => ({ pattern, form: new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`) }));
  return (path) => {
    const shown = path.includes('%') ? path.replace(/(?:%[0-9a-f]{2})+/gi, shownBytes) : path;
    return fixed.has(shown) ? shown : open.find(({ form }) => form.test(shown))?.pattern;
  };
}

/** Decodes bytes of a path, except a slash. */
function shownBytes(encoded: string): string {
  try {
    return decodeURI(encoded);
  } catch {
    return encoded;
  }
}

/** The logged status of a request whose client left before the answer; no client gets it. */
const clientGone = 499;

const hostForm = /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9._-]{0,252}[a-z0-9])?)(:\d{1,5})?$/i;

/** Returns the address by which a client reached the service, from its Host header; empty if that is invalid. */
function urlOfHost(host: string | undefined): string {
  return host !== undefined && hostForm.test(host) ? `http://${host}` : '';
}

const exposed =
  'ETag, Link, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id';

/** Returns the `Access-Control-Allow-Origin` for a page; undefined if it may not read answers. */
function allowedOrigin(origins: readonly string[], { header }: WireRequest): string | undefined {
  const origin = header('origin');
  if (origin === undefined) return undefined;
  if (origins.includes('*')) return '*';
  return origins.includes(origin) ? origin : undefined;
}

function crossOriginHeaders(allowed: string | undefined): Readonly<Record<string, string>> {
  return {
    Vary: 'Accept, Accept-Encoding, Origin, X-API-Key',
    ...(allowed !== undefined && {
      'Access-Control-Allow-Origin': allowed,
      'Access-Control-Expose-Headers': exposed,
    }),
  };
}

function isPreflight({ method, header }: WireRequest): boolean {
  return method === 'OPTIONS' && header('access-control-request-method') !== undefined;
}

/** Answers a preflight request, without a key; a browser need not repeat it for two hours. */
function preflightReply({ requestId, crossOrigin }: Exchange): WireReply {
  return {
    status: 204,
    headers: {
      ...crossOrigin,
      'Access-Control-Allow-Methods': 'GET, HEAD',
      'Access-Control-Allow-Headers': 'Accept, If-None-Match, X-API-Key',
      'Access-Control-Max-Age': '7200',
      'X-Request-Id': requestId,
    },
  };
}
