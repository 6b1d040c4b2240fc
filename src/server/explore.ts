import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import { Problem } from '../errors/problem.ts';
import { defined } from '../platform/defined.ts';
import { owner } from '../service/service.ts';
import type { Store } from '../store/store.ts';
import { type Admission, isSameSecret, Turns } from './keys/gate.ts';
import type { WireRequest } from './respond.ts';
import { type RunningService, type ServeOptions, serve } from './server.ts';

/** The store to show on this machine. */
export type ExploreOptions = {
  readonly store: Store;
  readonly port: number;
  readonly clock: () => Date;
  readonly log: Writable;
  /** The store's name in commands; empty for the default store. */
  readonly name: string;
};

/** A running explorer; its address has the token that every request needs. */
export type RunningExplorer = Pick<RunningService, 'stop' | 'url'> & {
  /** Resolves at the first request for the page. */
  readonly visited: Promise<void>;
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

function ownersGate(): ServeOptions['gate'] {
  const turns = new Turns();
  return {
    async admit(_key, _now, isComputation) {
      const turn = isComputation === true ? turns.take(admission.keyId, Number.POSITIVE_INFINITY) : undefined;
      return { ...admission, ...defined({ turn }) };
    },
    check: async () => undefined,
    hasKeys: async () => true,
    save: async () => undefined,
  };
}

/**
 * Shows a store in a browser on this machine until it is stopped, which closes the store.
 * Answers only requests below an address with a random token, from a page of that address:
 * a page of another site neither knows the token, nor can it send this server's Host by DNS rebinding.
 */
export async function explore({ store, name, ...options }: ExploreOptions): Promise<RunningExplorer> {
  const token = randomBytes(16).toString('base64url');
  let visit = (): void => undefined;
  const visited = new Promise<void>((resolve) => {
    visit = resolve;
  });
  const guard = (request: WireRequest): WireRequest => {
    const { port } = new URL(running.url);
    const [, first = '', ...rest] = request.path.split('/');
    const host = request.header('host') ?? '';
    const origin = request.header('origin');
    const isOwn =
      [`127.0.0.1:${port}`, `localhost:${port}`].includes(host) &&
      (origin === undefined || origin === `http://${host}`);
    if (!isOwn || !isSameSecret(first, token) || rest.length === 0)
      throw new Problem('not-found', 'no such page: use the address that asof explore printed');
    visit();
    return { ...request, path: `/${rest.join('/')}` };
  };
  const running: RunningService = await serve({
    ...options,
    openStore: async () => store,
    gate: ownersGate(),
    host: '127.0.0.1',
    publicUrl: 'asof://local',
    explorer: true,
    storeName: name,
    guard,
    logOptions: { level: 'error', readable: true },
    // Browsers keep unused connections open, without requests in flight.
    timeouts: { notice: 0, arrival: 50 },
  });
  return { url: `${running.url}/${token}/`, visited, stop: running.stop };
}
