import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Problem } from '../errors/problem.ts';
import { builtPath } from '../platform/installation.ts';
import type { SentFailure, TableJob, WorkerData, WorkerReply } from './table-worker.ts';

/** The store that threads read, and how long they may take. */
export type TableWorkersOptions = WorkerData & {
  /** The most seconds that the computation of one table may take; pauses of its reader do not count. */
  readonly maxSeconds?: number | undefined;
};

const usualMaxSeconds = 60;

/** Milliseconds after which a thread without work ends. */
const mostIdle = 60_000;

/**
 * Makes tables in threads, one table in each at a time, so that no table delays other requests, whatever it takes; and
 * a thread can be ended at any moment, which frees its memory too. There is one thread more than cores, and one user
 * has at most as many as there are cores, so that there is always one for another user.
 */
export class TableWorkers {
  readonly #options: TableWorkersOptions;
  readonly #most = availableParallelism() + 1;
  readonly #idle: TableThread[] = [];
  readonly #busy = new Map<TableThread, string>();
  #waiting: { readonly user: string; readonly start: (thread: TableThread) => void }[] = [];

  constructor(options: TableWorkersOptions) {
    this.#options = options;
  }

  /**
   * The bytes of a table for a user, and the cursor of the next page. An abort of the signal ends the work at once; a
   * `service-unavailable` Problem if the work takes too long.
   */
  async *answer(
    job: TableJob,
    user: string,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, string | undefined> {
    const thread = await this.#take(user, signal);
    const end = (): void => this.#end(thread);
    signal.addEventListener('abort', end);
    const { maxSeconds = usualMaxSeconds } = this.#options;
    let left = maxSeconds * 1000;
    let isDone = false;
    try {
      signal.throwIfAborted();
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
          const failure = failureOf(reply.failure);
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
      else this.#end(thread);
    }
  }

  get running(): number {
    return this.#busy.size;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#idle, ...this.#busy.keys()].map((thread) => thread.end()));
  }

  /** A thread for a user, as soon as one is free. */
  #take(user: string, signal: AbortSignal): Promise<TableThread> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const giveUp = (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
        reject(signal.reason);
      };
      const start = (thread: TableThread): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(thread);
      };
      const waiting = { user, start };
      signal.addEventListener('abort', giveUp);
      this.#waiting.push(waiting);
      this.#start();
    });
  }

  /** Gives threads to those who wait, in their order, as far as the share of their user allows. */
  #start(): void {
    for (const waiting of this.#waiting) {
      if (this.#busy.size >= this.#most) return;
      const { user, start } = waiting;
      const own = [...this.#busy.values()].filter((one) => one === user).length;
      if (own >= this.#most - 1) continue;
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      const thread = this.#idle.pop() ?? new TableThread(this.#options);
      thread.isWanted();
      this.#busy.set(thread, user);
      start(thread);
    }
  }

  #release(thread: TableThread): void {
    this.#busy.delete(thread);
    this.#idle.push(thread);
    thread.idle(mostIdle, () => {
      this.#idle.splice(this.#idle.indexOf(thread), 1);
      void thread.end();
    });
    this.#start();
  }

  #end(thread: TableThread): void {
    void thread.end();
    if (this.#busy.delete(thread)) this.#start();
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

  /** Ends the thread, whatever it does just now. */
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

function failureOf({ problem, cause }: SentFailure): Problem {
  if (problem === undefined) return new Problem('internal-error', 'an internal error occurred', { cause });
  const { kind, detail, options } = problem;
  return new Problem(kind, detail, { ...options, cause });
}
