import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../errors/problem.ts';
import { defined } from '../platform/defined.ts';
import { isShippedSample, version } from '../platform/installation.ts';
import { owner, type ServiceOptions } from '../service/service.ts';
import { shownAddress } from '../store/address.ts';
import type { Store } from '../store/store.ts';
import { createHandler, reading, routed } from './handler.ts';
import { type Admission, type Gate, isSameSecret, Turns } from './keys/gate.ts';
import type { MetricsAccess } from './metrics.ts';
import { createLog, type Handler, type Log, type WireRequest } from './respond.ts';
import { HttpServer } from './server.ts';
import { Services, serviceOf } from './tables/service-lease.ts';

/** What to serve, to whom, and where. */
export type ServeOptions = Pick<
  Parameters<typeof createHandler>[0],
  'clock' | 'corsOrigins' | 'explorer' | 'guard' | 'publicUrl' | 'storeName'
> &
  Pick<Parameters<typeof HttpServer.listen>[0], 'host' | 'port' | 'timeouts'> & {
    /** Opens the store; called again at every reload. */
    readonly openStore: () => Promise<ServiceOptions['store']>;
    /** Tells whether `openStore` would open another store; called twice a second. */
    readonly isOutdated?: () => boolean;
    readonly gate: Pick<Gate, 'admit' | 'check' | 'hasKeys' | 'save'>;
    readonly billingUrl?: string;
    /** The time limit for computing one table, in seconds. */
    readonly maxSeconds?: number;
    readonly log: Writable;
    readonly keyCommand?: string;
    /** How to write the log. Default: every request in JSON. */
    readonly logOptions?: Parameters<typeof createLog>[1];
    readonly metrics?: MetricsAccess;
  };

/** In milliseconds; the contract allows a second of counts to be lost. */
const saveInterval = 500;

/** A running service, which saves counts twice a second. */
type RunningService = {
  readonly url: string;
  readonly metricsUrl: string | undefined;
  /** Opens the store again without losing a request; keeps the current one if that fails. */
  readonly reload: () => Promise<void>;
  /** Finishes requests in flight, and saves the counts. */
  readonly stop: () => Promise<void>;
};

/** Serves a store over HTTP until it is stopped. */
export async function serve(options: ServeOptions): Promise<RunningService> {
  const { gate, clock = () => new Date(), keyCommand = 'asof keys create --name NAME --plan PLAN' } = options;
  const log = createLog(options.log, options.logOptions);
  // Asked before anything is open: a failure leaves nothing to close.
  const hasKeys = await gate.hasKeys(clock().getTime());
  const opened = await openService(options);
  const services = new Services(opened);
  const metrics =
    options.metrics && new (await import('./metrics.ts')).Metrics({ services, clock, ...options.metrics });
  const metricsPort = options.metrics?.port;
  const servers: HttpServer[] = [];
  const stopServers = (notice?: number) => Promise.all(servers.map((one) => one.stop(notice)));
  const listen = async (port: number, handler: Handler): Promise<string> => {
    try {
      const made = await HttpServer.listen({ ...options, log, port, handler });
      servers.push(made);
      return made.url;
    } catch (error) {
      // No balancer knows this service yet.
      await stopServers(0);
      await services.close();
      throw error;
    }
  };
  const url = await listen(
    options.port,
    createHandler({
      ...{ ...options, clock, log, metrics, services, stopping: () => servers[0]?.isStopping === true },
      ...(metrics !== undefined && metricsPort === undefined && { pages: metrics.pages }),
    }),
  );
  let metricsUrl: string | undefined;
  if (metrics !== undefined && metricsPort !== undefined) {
    const handler = routed(new Map(reading(metrics.pages)), { log, clock });
    metricsUrl = `${await listen(metricsPort, handler)}/metrics`;
    log.info({ metrics: metricsUrl }, `metrics are at ${metricsUrl}`);
  }
  noteStore(opened, log, url);
  if (!hasKeys) log.warn(`there is no key yet: ${keyCommand}`);

  let reloading = Promise.resolve();
  const reload = (): Promise<void> => {
    reloading = reloading.then(async () => {
      try {
        const opened = await openService(options);
        services.replace(opened);
        noteStore(opened, log, url);
      } catch (error) {
        log.error({ err: error }, 'cannot open the store again; the one that is open stays');
      }
    });
    return reloading;
  };
  const save = async (): Promise<void> => {
    const failure = await gate.save();
    if (failure !== undefined) log.error({ err: failure }, 'cannot write the counts of requests');
  };
  const saving = setInterval(() => {
    void save();
    if (options.isOutdated?.() === true) void reload();
  }, saveInterval);
  const stop = async (): Promise<void> => {
    log.info('stopping');
    await stopServers();
    await reloading;
    await services.close();
    clearInterval(saving);
    await save();
    log.info('stopped');
    // The log writes the lines of a turn at its end, and the process ends at once.
    await nextTurn();
  };
  return { url, metricsUrl, reload, stop };
}

function noteStore({ address }: ReturnType<typeof serviceOf>, log: Log, url: string): void {
  const store = shownAddress(address);
  const sample = isShippedSample(address);
  const line = { version: version(), store, sample, url };
  if (!sample) log.info(line, `asof ${line.version} serves the store ${store} on ${url}`);
  else
    log.warn(
      line,
      `asof ${line.version} serves the sample that it ships on ${url}: \`asof import\` makes a store of your own`,
    );
}

async function openService({ openStore, billingUrl, clock, maxSeconds }: ServeOptions) {
  return serviceOf({ store: await openStore(), ...defined({ clock, billingUrl }) }, { maxSeconds });
}

/** The store to show on this machine. */
type ExploreOptions = {
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
