import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import { Problem } from '../errors/problem.ts';
import { defined } from '../platform/defined.ts';
import { owner } from '../service/service.ts';
import type { Store } from '../store/store.ts';
import { beginExchange, createLog, type Handler } from './exchange.ts';
import { createHandler } from './handler.ts';
import { type Admission, type Gate, isSameSecret, Turns } from './keys/gate.ts';
import { respondProblem } from './respond.ts';
import { HttpServer } from './server.ts';
import { Services, serviceOf } from './service-lease.ts';

/** The store to show, and how. */
export type ExploreOptions = {
  readonly store: Store;
  readonly port: number;
  readonly clock: () => Date;
  readonly log: Writable;
  /** The name of the store in commands; empty for the one that commands read without a flag. */
  readonly name: string;
};

/** The page of a store on this machine. */
export type RunningExplorer = {
  /** The address of the page, which contains the token that every request needs. */
  readonly url: string;
  /** Resolves when the page is first asked for. */
  readonly visited: Promise<void>;
  readonly stop: () => Promise<void>;
};

/** The rights of anyone who knows the token: those of the owner of the store. */
const admission: Admission = {
  keyId: 'owner',
  plan: {
    ...owner,
    name: owner.plan,
    maxRows: Number.POSITIVE_INFINITY,
    maxConcurrent: Number.POSITIVE_INFINITY,
  },
  rate: { window: 'minute', limit: owner.ratePerMinute, remaining: owner.ratePerMinute, reset: 60 },
};

const address = '127.0.0.1';
const publicUrl = 'asof://local';

/** A browser keeps unused connections open; no request is in flight on them. */
const timeouts = { notice: 0, arrival: 50 };

/**
 * Shows a store in a browser on this machine, until it is stopped; it closes the store then. Only requests below an
 * address with a random token are answered, and only those that a page of that address makes.
 */
export async function explore(options: ExploreOptions): Promise<RunningExplorer> {
  const { store, port, clock, name } = options;
  const log = createLog(options.log, { level: 'error', readable: true });
  const token = randomBytes(16).toString('base64url');
  const services = new Services(serviceOf({ store, clock }));
  const turns = new Turns();
  const admit: Gate['admit'] = async (_key, _now, isComputation) => {
    const turn = isComputation === true ? turns.take(admission.keyId, Number.POSITIVE_INFINITY) : undefined;
    return { ...admission, ...defined({ turn }) };
  };
  const handler = createHandler({
    services,
    gate: { admit, check: async () => undefined },
    log,
    publicUrl,
    clock,
    explorer: true,
    storeName: name,
  });
  let visit = (): void => undefined;
  const visited = new Promise<void>((resolve) => {
    visit = resolve;
  });
  const admitted: Handler = (request, sending) => {
    visit();
    return handler(request, sending);
  };
  const guarded = guard(admitted, token, () => server.url, clock);
  const server: HttpServer = await HttpServer.listen({
    handler: guarded,
    host: address,
    port,
    log,
    publicUrl,
    timeouts,
  }).catch(async (error) => {
    await services.close();
    throw error;
  });
  return {
    url: `${server.url}/${token}/`,
    visited,
    async stop() {
      await server.stop();
      await services.close();
    },
  };
}

/**
 * Passes on what a page of this address asks, without the token; everything else is not found. A page of another site
 * can neither know the token, nor send the Host of this server by a name that leads here (DNS rebinding).
 */
function guard(handler: Handler, token: string, url: () => string, clock: () => Date): Handler {
  return (request, sending) => {
    const own = new URL(url());
    const [, first = '', ...rest] = request.path.split('/');
    const hosts = [own.host, `localhost:${own.port}`];
    const host = request.header('host') ?? '';
    const origin = request.header('origin');
    const isOwn = hosts.includes(host) && (origin === undefined || origin === `http://${host}`);
    if (!isOwn || !isSameSecret(first, token) || rest.length === 0) {
      const problem = new Problem('not-found', 'no such page: use the address that asof explore printed');
      const errorsBase = `${publicUrl}/errors`;
      return respondProblem(beginExchange({ request, now: clock(), errorsBase }), problem);
    }
    return handler({ ...request, path: `/${rest.join('/')}` }, sending);
  };
}
