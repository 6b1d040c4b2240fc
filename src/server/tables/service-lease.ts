import { Gathering } from '../../platform/promises.ts';
import { createService, type Service, type ServiceOptions } from '../../service/service.ts';
import { TableWorkers } from './table-workers.ts';

/** A service, its table threads, and how to close them. */
export type OpenService = {
  readonly address: string;
  readonly service: Service;
  readonly tables: Pick<TableWorkers, 'answer'>;
  readonly close: () => Promise<void>;
};

/** Makes a service of a store, which it closes. */
export function serviceOf(
  options: ServiceOptions,
  { maxSeconds, service }: { maxSeconds?: number | undefined; service?: Service } = {},
): OpenService {
  const { store, billingUrl } = options;
  const { address } = store;
  const tables = new TableWorkers({ address, billingUrl, maxSeconds });
  return {
    address,
    service: service ?? createService(options),
    tables,
    async close() {
      await tables.close();
      await store.close();
    },
  };
}

/** The current service, which can be replaced under requests. */
export class Services {
  #current: ReturnType<typeof leased>;

  constructor(first: OpenService) {
    this.#current = leased(first);
  }

  lease() {
    return this.#current.lease();
  }

  /** Runs work with the service, which stays open until then. */
  async use<T>(work: (service: Service) => Promise<T>): Promise<T> {
    const { service, release } = this.lease();
    try {
      return await work(service);
    } finally {
      release();
    }
  }

  /** Gives new requests the next service, and closes the current one after its last request. */
  replace(next: OpenService): void {
    void this.close();
    this.#current = leased(next);
  }

  close(): Promise<void> {
    return this.#current.close();
  }
}

function leased({ service, tables, close }: OpenService) {
  const states = new Gathering<string>();
  let users = 1;
  let end = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    end = () => resolve(close());
  });
  const leave = (): void => {
    users -= 1;
    if (users === 0) end();
  };
  /** Reads the name of the data's or a series' newest state; requests that arrive together share a reading. */
  const state: Service['state'] = async (seriesId) =>
    (await states.join(seriesId ?? '', () => service.state(seriesId))).outcome;
  return {
    lease() {
      users += 1;
      let isReleased = false;
      const release = (): void => {
        if (!isReleased) leave();
        isReleased = true;
      };
      return { service, tables, state, release };
    },
    close() {
      leave();
      return closed;
    },
  };
}
