import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Problem } from '../../errors/problem.ts';
import { threadProgram } from '../../platform/installation.ts';
import { Gathering } from '../../platform/promises.ts';
import { createService, type Service, type ServiceOptions } from '../../service/service.ts';
import type { TableJob, WorkerData, WorkerReply } from './table-worker.ts';

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
  const states = new Gathering<string>(process.nextTick);
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
  const state: Service['state'] = (seriesId) =>
    states.join(seriesId ?? '', () => service.state(seriesId)).outcome;
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

type TableWorkersOptions = WorkerData & {
  /** The time limit for computing one table, in seconds; pauses of its reader do not count. */
  readonly maxSeconds?: number | undefined;
};

const usualMaxSeconds = 60;

const idleMilliseconds = 60_000;

/**
 * Makes tables in threads, one at a time in each; a slow table delays no other request.
 * A thread can be ended at any moment, which frees its memory too.
 */
export class TableWorkers {
  readonly #options: TableWorkersOptions;
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  readonly #busy = new Set<Worker>();

  constructor(options: TableWorkersOptions) {
    this.#options = options;
  }

  /**
   * Yields the bytes of a table, and returns the cursor of the next page; an abort ends the work at once.
   * Throws a `service-unavailable` Problem if the work takes too long.
   */
  async *answer(job: TableJob, signal: AbortSignal): AsyncGenerator<Uint8Array, string | undefined> {
    signal.throwIfAborted();
    const thread = this.#takeIdle() ?? this.#newThread();
    this.#busy.add(thread);
    const end = (): void => {
      this.#busy.delete(thread);
      void thread.terminate();
    };
    signal.addEventListener('abort', end);
    const { maxSeconds = usualMaxSeconds } = this.#options;
    let left = maxSeconds * 1000;
    let isDone = false;
    try {
      for (let asked: TableJob | 'next' = job; ; asked = 'next') {
        const began = performance.now();
        const late = AbortSignal.timeout(Math.max(0, Math.ceil(left)));
        const replied = once(thread, 'message', { signal: AbortSignal.any([signal, late]) });
        thread.postMessage(asked);
        const messages = await replied.catch((error: unknown) => {
          signal.throwIfAborted();
          throw late.aborted ? tooLong(maxSeconds) : error;
        });
        const reply: WorkerReply = messages[0];
        left -= performance.now() - began;
        if ('failure' in reply) {
          const { kind, detail, options } = reply.failure;
          // The thread may have a file open that was replaced.
          isDone = kind !== 'data-changed';
          throw new Problem(kind, detail, options);
        }
        if ('cursor' in reply) {
          isDone = true;
          return reply.cursor;
        }
        yield reply.chunk;
      }
    } finally {
      signal.removeEventListener('abort', end);
      if (isDone && !signal.aborted) this.#release(thread);
      else end();
    }
  }

  get running(): number {
    return this.#busy.size;
  }

  async close(): Promise<void> {
    for (const timer of this.#idle.values()) clearTimeout(timer);
    await Promise.all([...this.#idle.keys(), ...this.#busy].map((thread) => thread.terminate()));
  }

  /** Takes the thread that worked last, so that others may end. */
  #takeIdle(): Worker | undefined {
    const [thread, timer] = [...this.#idle].at(-1) ?? [];
    if (thread !== undefined) this.#idle.delete(thread);
    clearTimeout(timer);
    return thread;
  }

  #newThread(): Worker {
    const { address, billingUrl } = this.#options;
    const workerData: WorkerData = { address, billingUrl };
    const { program, ...how } = threadProgram('table-worker.cjs');
    const thread = new Worker(program, { ...how, workerData });
    thread.unref();
    return thread.on('error', () => this.#idle.delete(thread));
  }

  #release(thread: Worker): void {
    this.#busy.delete(thread);
    const end = (): void => {
      this.#idle.delete(thread);
      void thread.terminate();
    };
    this.#idle.set(thread, setTimeout(end, idleMilliseconds).unref());
  }
}

function tooLong(seconds: number): Problem {
  return new Problem(
    'service-unavailable',
    `the answer takes more than ${seconds} s to compute, the limit of this service: ask for fewer series or dates`,
  );
}
