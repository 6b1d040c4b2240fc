import { Worker } from 'node:worker_threads';
import { Problem } from '../errors/problem.ts';
import { builtPath } from '../platform/installation.ts';
import type { TableJob, WorkerData, WorkerReply } from './table-worker.ts';

/** The store that threads read, and how long they may take. */
export type TableWorkersOptions = WorkerData & {
  /** The most seconds that the computation of one table may take; pauses of its reader do not count. */
  readonly maxSeconds?: number | undefined;
};

const usualMaxSeconds = 60;

const idleMilliseconds = 60_000;

/**
 * Makes tables in threads, one table in each at a time, so that no table delays other requests, whatever it takes; and
 * a thread can be ended at any moment, which frees its memory too.
 */
export class TableWorkers {
  readonly #options: TableWorkersOptions;
  readonly #idle: TableThread[] = [];
  readonly #busy = new Set<TableThread>();

  constructor(options: TableWorkersOptions) {
    this.#options = options;
  }

  /**
   * The bytes of a table, and the cursor of the next page. An abort of the signal ends the work at once; a
   * `service-unavailable` Problem if the work takes too long.
   */
  async *answer(job: TableJob, signal: AbortSignal): AsyncGenerator<Uint8Array, string | undefined> {
    signal.throwIfAborted();
    const thread = this.#idle.pop() ?? new TableThread(this.#options);
    thread.isWanted();
    this.#busy.add(thread);
    const end = (): void => {
      this.#busy.delete(thread);
      void thread.end();
    };
    signal.addEventListener('abort', end);
    const { maxSeconds = usualMaxSeconds } = this.#options;
    let left = maxSeconds * 1000;
    let isDone = false;
    try {
      let asked: TableJob | 'next' = job;
      for (;;) {
        const began = performance.now();
        const reply = await thread.ask(asked, left).catch((error: unknown) => {
          signal.throwIfAborted();
          throw error;
        });
        left -= performance.now() - began;
        if (reply === undefined) throw tooLong(maxSeconds);
        if ('failure' in reply) {
          const failure = failureOf(reply);
          // The thread may have the file open that another one has replaced.
          isDone = failure.kind !== 'data-changed';
          throw failure;
        }
        if ('cursor' in reply) {
          isDone = true;
          return reply.cursor;
        }
        yield reply.chunk;
        asked = 'next';
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
    await Promise.all([...this.#idle, ...this.#busy].map((thread) => thread.end()));
  }

  #release(thread: TableThread): void {
    this.#busy.delete(thread);
    this.#idle.push(thread);
    thread.idle(idleMilliseconds, () => {
      this.#idle.splice(this.#idle.indexOf(thread), 1);
      void thread.end();
    });
  }
}

class TableThread {
  readonly #worker: Worker;
  #resolve: (reply: WorkerReply | undefined) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #failure: unknown;
  #idling: NodeJS.Timeout | undefined;

  constructor({ address, billingUrl }: WorkerData) {
    const workerData: WorkerData = { address, ...(billingUrl !== undefined && { billingUrl }) };
    this.#worker = new Worker(builtPath('table-worker.cjs'), { workerData });
    this.#worker.unref();
    this.#worker.on('message', (reply: WorkerReply) => this.#resolve(reply));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the thread of a table has ended')));
  }

  /** The answer to a message; undefined if it takes longer than some milliseconds. */
  ask(message: TableJob | 'next', most: number): Promise<WorkerReply | undefined> {
    return new Promise<WorkerReply | undefined>((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      const timer = setTimeout(() => resolve(undefined), most);
      this.#resolve = (reply) => {
        clearTimeout(timer);
        resolve(reply);
      };
      this.#reject = (error) => {
        clearTimeout(timer);
        reject(error);
      };
      this.#worker.postMessage(message);
    });
  }

  /** Calls `end` after some milliseconds without work. */
  idle(most: number, end: () => void): void {
    this.#idling = setTimeout(end, most).unref();
  }

  isWanted(): void {
    clearTimeout(this.#idling);
  }

  async end(): Promise<void> {
    this.isWanted();
    await this.#worker.terminate();
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#reject(error);
  }
}

function tooLong(seconds: number): Problem {
  return new Problem(
    'service-unavailable',
    `the answer takes more than ${seconds} s to compute, the most of this service: ask for fewer series or dates`,
  );
}

function failureOf({ failure: { problem, cause } }: Extract<WorkerReply, { failure: unknown }>): Problem {
  if (problem === undefined) return new Problem('internal-error', 'an internal error occurred', { cause });
  const { kind, detail, options } = problem;
  return new Problem(kind, detail, { ...options, cause });
}
