import { Gathering } from '../platform/promises.ts';
import { createService, type Service, type ServiceOptions } from '../service/service.ts';
import { TableWorkers } from './table-workers.ts';

/** A service, the threads that make its tables, and how to close what it uses. */
export type OpenService = {
  /** The address of its store, which may hold a password. */
  readonly address: string;
  readonly service: Service;
  readonly tables: Pick<TableWorkers, 'answer'>;
  readonly close: () => Promise<void>;
};

/** A service of a store, which it closes. */
export function serviceOf(
  options: ServiceOptions,
  {
    maxSeconds,
    service = createService(options),
  }: { maxSeconds?: number | undefined; service?: Service } = {},
): OpenService {
  const { store, billingUrl } = options;
  const { address } = store;
  const tables = new TableWorkers({ address, billingUrl, maxSeconds });
  return {
    address,
    service,
    tables,
    async close() {
      await tables.close();
      await store.close();
    },
  };
}

/** A service that stays open until it is released. */
export type Lease = Pick<OpenService, 'service' | 'tables'> & {
  /** The name of the newest state of the data, or of a series; requests that arrive together share one reading. */
  readonly state: Service['state'];
  readonly release: () => void;
};

/** The current service, which can be replaced while requests are being answered. */
export class Services {
  #current: LeasedService;

  constructor(first: OpenService) {
    this.#current = new LeasedService(first);
  }

  lease(): Lease {
    return this.#current.lease();
  }

  /** The result of work with the service, which stays open until then. */
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
    this.#current = new LeasedService(next);
  }

  /** Closes the current service after its last request. */
  close(): Promise<void> {
    return this.#current.retire();
  }
}

/** A service that is closed when its owner and all requests have released it. */
class LeasedService {
  readonly #open: OpenService;
  readonly #states = new Gathering<string>();
  readonly #closed: Promise<void>;
  #close: (closing: Promise<void>) => void = () => undefined;
  readonly #releaseOwn: () => void;
  #users = 0;

  constructor(open: OpenService) {
    this.#open = open;
    this.#closed = new Promise((resolve) => {
      this.#close = resolve;
    });
    this.#releaseOwn = this.lease().release;
  }

  lease(): Lease {
    const { service, tables, close } = this.#open;
    const state = async (seriesId?: string): Promise<string> => {
      const { outcome } = await this.#states.join(seriesId ?? '', () => service.state(seriesId));
      return outcome;
    };
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      this.#users -= 1;
      if (this.#users === 0) this.#close(close());
    };
    this.#users += 1;
    return { service, tables, state, release };
  }

  retire(): Promise<void> {
    this.#releaseOwn();
    return this.#closed;
  }
}
