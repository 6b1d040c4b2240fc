import type { Writable } from 'node:stream';
import { createService, type ServiceOptions } from '../service/service.ts';
import { createHandler } from './handler.ts';
import type { Gate } from './keys/gate.ts';
import { createLog } from './log.ts';
import { type Patience, startServer } from './server.ts';
import { type OpenService, Services } from './service-lease.ts';

/** What is served, to whom, and where. */
export type ServeOptions = {
  /** Opens the store; called again for every reload. */
  readonly openStore: () => Promise<ServiceOptions['store']>;
  readonly gate: Gate;
  readonly host: string;
  readonly port: number;
  /** The address under which clients reach the service; the one it listens on unless given. */
  readonly publicUrl?: string;
  readonly billingUrl?: string;
  readonly log: Writable;
  /** Log failures alone. */
  readonly quiet?: boolean;
  readonly clock?: () => Date;
  readonly patience?: Partial<Patience>;
};

/** A service that runs. */
export type Serving = {
  readonly url: string;
  /** Opens the store anew, without losing a request; goes on with the old one where that fails. */
  reload(): Promise<void>;
  /** Lets requests in flight finish, and writes the counts down. */
  stop(): Promise<void>;
};

/** Counts are safe after so many milliseconds; the rulings allow a second to be lost. */
const savePace = 500;

/** Serves a store over HTTP until it is stopped. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { gate, host, port, publicUrl, clock = () => new Date() } = options;
  const log = createLog(options.log, options.quiet === true ? 'warn' : 'info');
  const services = new Services(await openService(options));
  const publicAddress = (): string => publicUrl ?? server.url;
  const handler = createHandler({
    services,
    gate,
    log,
    clock,
    publicUrl: publicAddress,
    stopping: () => server.stopping(),
  });
  const server = await startServer({
    handler,
    host,
    port,
    log,
    publicUrl: publicAddress,
    ...(options.patience !== undefined && { patience: options.patience }),
  }).catch(async (error) => {
    await services.close();
    throw error;
  });
  log.info({ url: server.url }, `asof listens on ${server.url}`);
  if ((await gate.keyCount()) === 0)
    log.warn('there is no key yet: asof keys create --name NAME --plan PLAN');

  const save = async (): Promise<void> => {
    const failure = await gate.save();
    if (failure !== undefined) log.error({ err: failure }, 'the counts of requests cannot be written');
  };
  const saving = setInterval(() => void save(), savePace);
  let reloading = Promise.resolve();

  return {
    url: server.url,
    reload() {
      reloading = reloading.then(async () => {
        try {
          services.replace(await openService(options));
          log.info('the store was opened anew');
        } catch (error) {
          log.error({ err: error }, 'the store cannot be opened anew; the old one goes on');
        }
      });
      return reloading;
    },
    async stop() {
      log.info('stopping');
      await server.stop();
      await reloading;
      await services.close();
      clearInterval(saving);
      await save();
      log.info('stopped');
    },
  };
}

async function openService({ openStore, billingUrl, clock }: ServeOptions): Promise<OpenService> {
  const store = await openStore();
  const service = createService({
    store,
    ...(clock !== undefined && { clock }),
    ...(billingUrl !== undefined && { billingUrl }),
  });
  return { service, close: () => store.close() };
}
