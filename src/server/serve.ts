import type { Writable } from 'node:stream';
import { defined } from '../platform/defined.ts';
import { isShippedSample } from '../platform/installation.ts';
import type { ServiceOptions } from '../service/service.ts';
import { shownAddress } from '../store/address.ts';
import { createLog, type Handler, type Log, type LogLevel } from './exchange.ts';
import { createHandler, type HandlerOptions } from './handler.ts';
import type { Gate } from './keys/gate.ts';
import type { MetricsAccess } from './metrics.ts';
import { HttpServer, type ServerOptions } from './server.ts';
import { type OpenService, Services, serviceOf } from './service-lease.ts';

type ServeOptions = Pick<HandlerOptions, 'clock' | 'corsOrigins' | 'explorer' | 'publicUrl'> &
  Pick<ServerOptions, 'host' | 'port' | 'timeouts'> & {
    /** Opens the store; called again for every reload. */
    readonly openStore: () => Promise<ServiceOptions['store']>;
    /** Whether `openStore` would open another store now; asked twice a second. */
    readonly isOutdated?: () => boolean;
    readonly gate: Gate;
    readonly billingUrl?: string;
    /** The most seconds that the computation of one table may take. */
    readonly maxSeconds?: number;
    readonly log: Writable;
    readonly keyCommand?: string;
    /** Write lines for people instead of JSON. */
    readonly readableLog?: boolean;
    /** The lowest level to log; by default every request. */
    readonly logLevel?: LogLevel;
    /** Serves `/metrics`: on a separate port, or to those who have the key. */
    readonly metrics?: MetricsAccess;
  };

/** Milliseconds between two saves of the counts of requests; the contract allows a second of them to be lost. */
const saveInterval = 500;

/** Serves a store over HTTP until it is stopped. */
export async function serve(options: ServeOptions): Promise<RunningService> {
  const { gate, clock = () => new Date(), keyCommand = 'asof keys create --name NAME --plan PLAN' } = options;
  const log = createLog(options.log, defined({ level: options.logLevel, readable: options.readableLog }));
  const opened = await openService(options);
  noteStore(opened, log);
  const services = new Services(opened);
  const metrics =
    options.metrics && new (await import('./metrics.ts')).Metrics({ services, clock, ...options.metrics });
  const stopping = () => server.isStopping;
  const handler = createHandler({ ...options, clock, log, metrics, services, stopping });
  const servers: HttpServer[] = [];
  const listen = async (port: number, handler: Handler): Promise<HttpServer> => {
    try {
      const made = await HttpServer.listen({ ...options, log, port, handler });
      servers.push(made);
      return made;
    } catch (error) {
      await Promise.all(servers.map((one) => one.stop()));
      await services.close();
      throw error;
    }
  };
  const server = await listen(options.port, handler);
  if (metrics !== undefined && options.metrics?.port !== undefined) {
    const { url } = await listen(options.metrics.port, metrics.handler);
    log.info({ metrics: `${url}/metrics` }, `metrics are at ${url}/metrics`);
  }
  log.info({ url: server.url }, `asof listens on ${server.url}`);
  if (!(await gate.hasKeys(clock().getTime()))) log.warn(`there is no key yet: ${keyCommand}`);
  return new RunningService({ options, log, services, servers });
}

type ServiceParts = {
  readonly options: ServeOptions;
  readonly log: Log;
  readonly services: Services;
  /** The server of the service, and that of its metrics. */
  readonly servers: readonly HttpServer[];
};

/** A service that answers requests; saves the counts of requests twice a second. */
export class RunningService {
  readonly #parts: ServiceParts;
  readonly #saving: NodeJS.Timeout;
  #reloading = Promise.resolve();

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    this.#saving = setInterval(() => {
      void this.#save();
      if (parts.options.isOutdated?.() === true) void this.reload();
    }, saveInterval);
  }

  get url(): string {
    return this.#parts.servers[0]?.url ?? '';
  }

  get metricsUrl(): string | undefined {
    const [, server] = this.#parts.servers;
    return server && `${server.url}/metrics`;
  }

  /** Opens the store again without losing a request; keeps the current one if that fails. */
  reload(): Promise<void> {
    const { options, log, services } = this.#parts;
    this.#reloading = this.#reloading.then(async () => {
      try {
        const opened = await openService(options);
        services.replace(opened);
        log.info('opened the store again');
        noteStore(opened, log);
      } catch (error) {
        log.error({ err: error }, 'cannot open the store again; the one that is open stays');
      }
    });
    return this.#reloading;
  }

  /** Lets requests in flight finish, and saves the counts. */
  async stop(): Promise<void> {
    const { log, services, servers } = this.#parts;
    log.info('stopping');
    await Promise.all(servers.map((server) => server.stop()));
    await this.#reloading;
    await services.close();
    clearInterval(this.#saving);
    await this.#save();
    log.info('stopped');
  }

  async #save(): Promise<void> {
    const { options, log } = this.#parts;
    const failure = await options.gate.save();
    if (failure !== undefined) log.error({ err: failure }, 'cannot write the counts of requests');
  }
}

function noteStore({ address }: OpenService, log: Log): void {
  const store = shownAddress(address);
  if (!isShippedSample(address)) log.info({ store }, `asof serves the store ${store}`);
  else log.warn({ store }, 'asof serves the sample that it ships: `asof import` makes a store of your own');
}

async function openService({ openStore, billingUrl, clock, maxSeconds }: ServeOptions): Promise<OpenService> {
  return serviceOf({ store: await openStore(), ...defined({ clock, billingUrl }) }, { maxSeconds });
}
