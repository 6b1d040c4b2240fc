import { Hono } from 'hono';
import { Problem } from '../errors/problem.ts';
import { operations } from '../operations/index.ts';
import { errorPage } from './error-pages.ts';
import { beginExchange, type Exchange } from './exchange.ts';
import { readiness } from './health.ts';
import type { Gate } from './keys/gate.ts';
import type { Plan } from './keys/plans.ts';
import type { Log } from './log.ts';
import { checkNoBody } from './negotiation.ts';
import { openApi } from './openapi.ts';
import { operationRoute } from './operation-route.ts';
import { answerable, jsonAnswer, respond, respondProblem } from './respond.ts';
import { createResponseCache } from './response-cache.ts';
import type { Services } from './service-lease.ts';
import { longestTarget, targetOf } from './target.ts';

/** What a handler answers with. */
export type HandlerOptions = {
  readonly services: Services;
  readonly gate: Gate;
  readonly log: Log;
  /** The address under which clients reach the service, without a slash at its end. */
  readonly publicUrl: () => string;
  readonly stopping?: () => boolean;
  readonly clock?: () => Date;
};

/** Answers every request: with the contract's envelope, or with a problem document. Never throws. */
export type Handler = (request: Request) => Promise<Response>;

type Env = { readonly Bindings: { readonly exchange: Exchange } };

/** A handler over services and a gate; it knows no socket. */
export function createHandler(options: HandlerOptions): Handler {
  const { log, clock = () => new Date() } = options;
  const app = routes(options);
  return async (request) => {
    const started = performance.now();
    const exchange = beginExchange(request, clock());
    const response = await (request.url.length > longestTarget
      ? respondProblem(exchange, tooLong(), `${options.publicUrl()}/errors`)
      : app.fetch(request, { exchange }));
    log.info({
      request_id: exchange.requestId,
      method: request.method,
      route: exchange.route ?? null,
      status: response.status,
      ms: Math.round((performance.now() - started) * 100) / 100,
      key: exchange.admission?.keyId ?? null,
    });
    return response;
  };
}

function routes({ services, gate, log, publicUrl, stopping = () => false }: HandlerOptions): Hono<Env> {
  const app = new Hono<Env>();
  const errorsBase = () => `${publicUrl()}/errors`;
  const cache = createResponseCache();

  /** One handler a path, without middleware: hono then answers without a chain of promises. */
  const route = (pattern: string, answer: (exchange: Exchange) => Promise<Response>): void => {
    app.all(pattern.replace(/\{(\w+)\}/g, ':$1'), ({ env: { exchange } }) => {
      exchange.route = pattern;
      return answer(exchange);
    });
  };

  const openRoute = (pattern: string, answer: (exchange: Exchange) => Promise<Response>): void =>
    route(pattern, (exchange) => {
      checkMethod(exchange);
      checkNoBody(exchange.request.headers);
      return answer(exchange);
    });

  /** The order of the rulings: key, quota, then all the rest. */
  const admit = async (exchange: Exchange): Promise<Plan> => {
    const key = exchange.request.headers.get('x-api-key') ?? undefined;
    const admission = await gate.admit(key, exchange.now.getTime());
    exchange.admission = admission;
    if (admission.refusal !== undefined) throw admission.refusal;
    return admission.plan;
  };

  openRoute('/healthz', (exchange) => respond(exchange, jsonAnswer({ status: 'ok' })));

  openRoute('/readyz', (exchange) =>
    readiness(exchange, {
      checks: [
        ['store', () => storeCheck(services)],
        ['access', () => gate.check()],
      ],
      stopping,
      errorsBase,
      onFailure: (check, err) => log.error({ request_id: exchange.requestId, check, err }),
    }),
  );

  openRoute('/v1/openapi.json', (exchange) =>
    respond(exchange, jsonAnswer(openApi(operations, publicUrl()))),
  );

  openRoute('/errors/{suffix}', (exchange) => {
    const text = errorPage(targetOf(exchange.request.url).path.slice('/errors/'.length));
    if (text === undefined) throw noEndpoint();
    return respond(exchange, { status: 200, type: 'text/plain; charset=utf-8', text });
  });

  for (const operation of operations) {
    const answer = operationRoute(operation, services, cache);
    route(operation.path, async (exchange) => {
      const plan = await admit(exchange);
      checkMethod(exchange);
      return answer(exchange, plan);
    });
  }

  app.notFound(async ({ req, env: { exchange } }) => {
    if (/^\/v1(\/|$)/.test(req.path)) await admit(exchange);
    throw noEndpoint();
  });

  app.onError((error, { env: { exchange } }) => {
    const problem = answerable(error);
    if (problem.kind === 'internal-error')
      log.error({ request_id: exchange.requestId, route: exchange.route ?? null, err: problem.cause });
    return respondProblem(exchange, problem, errorsBase());
  });

  return app;
}

async function storeCheck(services: Services): Promise<void> {
  const { service, release } = services.lease();
  try {
    await service.state();
  } finally {
    release();
  }
}

function checkMethod({ request: { method } }: Exchange): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new Problem('method-not-allowed', 'this service is read-only: use GET or HEAD');
}

function noEndpoint(): Problem {
  return new Problem('not-found', 'no such endpoint: /v1/openapi.json describes those there are');
}

function tooLong(): Problem {
  return new Problem('uri-too-long', `the address of a request may have ${longestTarget} characters`);
}
