import { Worker } from 'node:worker_threads';
import { Problem } from '../../errors/problem.ts';
import { builtPath } from '../../platform/installation.ts';
import type { TableJob, WorkerData, WorkerReply } from './table-worker.ts';

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
  /** Idle threads, each with the timer that ends it. */
  readonly #idle = new Map<TableThread, NodeJS.Timeout>();
  readonly #busy = new Set<TableThread>();

  constructor(options: TableWorkersOptions) {
    this.#options = options;
  }

  /**
   * Yields the bytes of a table, and returns the cursor of the next page; an abort ends the work at once.
   * Throws a `service-unavailable` Problem if the work takes too long.
   */
  async *answer(job: TableJob, signal: AbortSignal): AsyncGenerator<Uint8Array, string | undefined> {
    signal.throwIfAborted();
    const thread = this.#takeIdle() ?? new TableThread(this.#options);
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
    for (const timer of this.#idle.values()) clearTimeout(timer);
    await Promise.all([...this.#idle.keys(), ...this.#busy].map((thread) => thread.end()));
  }

  /** Takes the thread that worked last, so that others may end. */
  #takeIdle(): TableThread | undefined {
    const [thread, timer] = [...this.#idle].at(-1) ?? [];
    if (thread !== undefined) this.#idle.delete(thread);
    clearTimeout(timer);
    return thread;
  }

  #release(thread: TableThread): void {
    this.#busy.delete(thread);
    const end = (): void => {
      this.#idle.delete(thread);
      void thread.end();
    };
    this.#idle.set(thread, setTimeout(end, idleMilliseconds).unref());
  }
}

class TableThread {
  readonly #worker: Worker;
  #resolve: (reply: WorkerReply | undefined) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #failure: unknown;

  constructor({ address, billingUrl }: WorkerData) {
    const workerData: WorkerData = { address, billingUrl };
    this.#worker = new Worker(builtPath('table-worker.cjs'), { workerData });
    this.#worker.unref();
    this.#worker.on('message', (reply: WorkerReply) => this.#resolve(reply));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the thread of a table has ended')));
  }

  /** Sends a message and returns the reply; undefined if that takes longer than `most` milliseconds. */
  async ask(message: TableJob | 'next', most: number): Promise<WorkerReply | undefined> {
    if (this.#failure !== undefined) throw this.#failure;
    let timer: NodeJS.Timeout | undefined;
    const replied = new Promise<WorkerReply | undefined>((resolve, reject) => {
      timer = setTimeout(() => resolve(undefined), most);
      this.#resolve = resolve;
      this.#reject = reject;
      this.#worker.postMessage(message);
    });
    return replied.finally(() => clearTimeout(timer));
  }

  async end(): Promise<void> {
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
    `the answer takes more than ${seconds} s to compute, the limit of this service: ask for fewer series or dates`,
  );
}
