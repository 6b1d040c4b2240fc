import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import { Problem } from '../errors/problem.ts';
import { defined } from '../platform/defined.ts';
import { owner } from '../service/service.ts';
import type { Store } from '../store/store.ts';
import { createHandler } from './handler.ts';
import { type Admission, type Gate, isSameSecret, Turns } from './keys/gate.ts';
import { beginExchange, createLog, type Handler, respondProblem } from './respond.ts';
import { HttpServer } from './server.ts';
import { Services, serviceOf } from './tables/service-lease.ts';

/** The store to show on this machine. */
export type ExploreOptions = {
  readonly store: Store;
  readonly port: number;
  readonly clock: () => Date;
  readonly log: Writable;
  /** The store's name in commands; empty for the default store. */
  readonly name: string;
};

/** A running explorer on this machine. */
export type RunningExplorer = {
  /** The address of the page, with the token that every request needs. */
  readonly url: string;
  /** Resolves at the first request for the page. */
  readonly visited: Promise<void>;
  readonly stop: () => Promise<void>;
};

/** The rights of the store's owner, for anyone who knows the token. */
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

/** Browsers keep unused connections open, without requests in flight. */
const timeouts = { notice: 0, arrival: 50 };

/**
 * Shows a store in a browser on this machine until it is stopped, which closes the store.
 * Answers only requests below an address with a random token, from a page of that address.
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
 * Passes on requests of this address' own page, without the token; everything else is not found.
 * A page of another site neither knows the token, nor can it send this server's Host by DNS rebinding.
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
