import { Problem } from '../errors/problem.ts';
import { newRequestId } from '../service/service.ts';
import { admit, endpointAnswers } from './answers.ts';
import { endpoints } from './endpoints.ts';
import type { Gate } from './keys/gate.ts';
import type { Metrics } from './metrics.ts';
import { openPages } from './open-pages.ts';
import {
  type Answering,
  checkReads,
  type Exchange,
  type Handler,
  longestTarget,
  noEndpoint,
  respondProblem,
  type WireReply,
  type WireRequest,
} from './respond.ts';

type Routing = Pick<Parameters<typeof openPages>[0], 'log' | 'publicUrl'> & {
  readonly clock?: () => Date;
  /** The origins whose pages may read answers; `*` is every origin. */
  readonly corsOrigins?: readonly string[];
  /** Returns the request to answer, or throws a Problem. */
  readonly guard?: (request: WireRequest) => WireRequest;
};

type HandlerOptions = Parameters<typeof openPages>[0] &
  Routing & {
    readonly gate: Pick<Gate, 'admit' | 'check'>;
    readonly metrics?: Pick<Metrics, 'count'> | undefined;
  };

/** Makes a handler from services and a gate, without a socket. */
export function createHandler(options: HandlerOptions): Handler {
  const { gate, log, metrics } = options;
  const answering = endpointAnswers(options);
  const routes = new Map<string, Answering>([
    ...reading(openPages(options)),
    ...endpoints.map((endpoint) => [endpoint.path, answering(endpoint)] as const),
  ]);
  return routed(routes, options, {
    async elsewhere(exchange) {
      if (/^\/v1(\/|$)/.test(exchange.request.path)) await admit(gate, exchange);
    },
    /** Counts and logs an answer. */
    ended(exchange, status, ms, part) {
      const { requestId, request, route = null, admission } = exchange;
      metrics?.count(exchange, status, ms);
      log.info({
        request_id: requestId,
        method: request.method,
        route,
        status,
        ms: Math.round(ms * 100) / 100,
        key: admission?.keyId ?? null,
        ...(part === 'part' && { sent: part }),
      });
    },
  });
}

type RequestHooks = {
  /** Is called for a path without a route before it is refused. */
  readonly elsewhere: (exchange: Exchange) => Promise<void>;
  /** Is called after the last byte of an answer, with its status and the milliseconds up to its first byte. */
  readonly ended: (
    exchange: Exchange,
    status: number,
    ms: number,
    part: Parameters<NonNullable<WireReply['sent']>>[0],
  ) => void;
};

/** Makes a handler that passes a request to the answer of its route, and turns failures into problem documents. */
export function routed(
  routes: ReadonlyMap<string, Answering>,
  { log, publicUrl, corsOrigins = [], guard = (request) => request, clock = () => new Date() }: Routing,
  { elsewhere, ended }: Partial<RequestHooks> = {},
): Handler {
  const patternOf = patternFinder([...routes.keys()]);

  function answerOf(exchange: Exchange): ReturnType<Answering> {
    if (corsOrigins.length > 0) {
      const preflight = crossOrigin(corsOrigins, exchange);
      if (preflight !== undefined) return preflight;
    }
    exchange.request = guard(exchange.request);
    const { path, query } = exchange.request;
    if (path.length + query.length > longestTarget)
      throw new Problem(
        'uri-too-long',
        `the address of a request may have at most ${longestTarget} characters`,
      );
    const pattern = patternOf(path) ?? '';
    const answer = routes.get(pattern) ?? unknown;
    if (answer !== unknown) exchange.route = pattern;
    return answer(exchange);
  }

  const unknown: Answering = async (exchange) => {
    await elsewhere?.(exchange);
    throw noEndpoint();
  };

  function failed(exchange: Exchange, error: unknown): ReturnType<Answering> {
    const problem = httpProblem(error);
    if (problem.kind === 'internal-error' || problem.kind === 'service-unavailable') {
      const { requestId, request, route = null } = exchange;
      // Work that ended because its client left has not failed.
      if (request.signal().aborted) return { status: clientGone, headers: {} };
      log.error({ request_id: requestId, route, err: problem.cause }, problem.detail);
    }
    return respondProblem(exchange, problem);
  }

  return async (request) => {
    const started = performance.now();
    const now = clock();
    const exchange: Exchange = { requestId: newRequestId(now), request, now, publicUrl };
    let reply: WireReply;
    try {
      reply = await answerOf(exchange);
    } catch (error) {
      reply = await failed(exchange, error);
    }
    const ms = performance.now() - started;
    const sent: WireReply['sent'] = (part) =>
      ended?.(exchange, part === 'nothing' ? clientGone : reply.status, ms, part);
    return { ...reply, sent };
  };
}

/** Makes pages refuse other methods than GET and HEAD, and bodies. */
export function* reading(pages: ReadonlyMap<string, Answering>): Generator<readonly [string, Answering]> {
  for (const [pattern, answer] of pages)
    yield [
      pattern,
      (exchange) => {
        checkReads(exchange.request);
        return answer(exchange);
      },
    ];
}

/** Makes a function that finds the pattern of a path; `{name}` in a pattern matches one segment. */
function patternFinder(patterns: readonly string[]): (path: string) => string | undefined {
  const fixed = new Set(patterns);
  const open = patterns
    .filter((pattern) => pattern.includes('{'))
    .map((pattern) => ({ pattern, form: new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`) }));
  return (path) => {
    let shown = path;
    try {
      if (path.includes('%')) shown = decodeURI(path);
    } catch {
      // The parameter in the path is refused.
    }
    return fixed.has(shown) ? shown : open.find(({ form }) => form.test(shown))?.pattern;
  };
}

/** The logged status of a request whose client left before the answer; no client gets it. */
const clientGone = 499;

/** Sets the headers for pages of other origins; answers a preflight request, without a key. */
function crossOrigin(origins: readonly string[], exchange: Exchange): WireReply | undefined {
  const { method, header } = exchange.request;
  const origin = header('origin');
  const isAllowed = origin !== undefined && (origins.includes('*') || origins.includes(origin));
  exchange.crossOrigin = {
    Vary: 'Accept, Accept-Encoding, Origin, X-API-Key',
    ...(isAllowed && {
      'Access-Control-Allow-Origin': origins.includes('*') ? '*' : origin,
      'Access-Control-Expose-Headers':
        'ETag, Link, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id',
    }),
  };
  if (!isAllowed || method !== 'OPTIONS' || header('access-control-request-method') === undefined)
    return undefined;
  return {
    status: 204,
    headers: {
      ...exchange.crossOrigin,
      'Access-Control-Allow-Methods': 'GET, HEAD',
      'Access-Control-Allow-Headers': 'Accept, If-None-Match, X-API-Key',
      // A browser need not ask again for two hours.
      'Access-Control-Max-Age': '7200',
      'X-Request-Id': exchange.requestId,
    },
  };
}

/** Converts a failure to a problem with an HTTP status; a bug or a broken machine is an internal error. */
function httpProblem(error: unknown): Problem {
  if (error instanceof Problem && error.status >= 400) return error;
  // Clients must not learn where the database is.
  if (error instanceof Problem && (error.kind === 'unreachable' || error.retryAfter !== undefined))
    return new Problem('service-unavailable', 'the data cannot be reached just now; try again', {
      retryAfter: error.retryAfter ?? 1,
      cause: error,
    });
  return new Problem('internal-error', 'an internal error occurred', { cause: error });
}
