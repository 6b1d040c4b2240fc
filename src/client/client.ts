import { Problem } from '../errors/problem.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import type { Params, ParamTexts } from '../operations/param.ts';
import type { Alias, AskFollowed, ImportRecord } from '../store/store.ts';

/** The store or the service behind answers. */
export type Origin = {
  readonly mode: 'embedded' | 'remote';
  readonly where: string;
  readonly sample: boolean;
  /** Every import of a store, oldest first; absent for a service, which does not publish its imports. */
  readonly imports?: readonly ImportRecord[];
};

type DataWatch = {
  /** Tells whether the data changed since the first answer of the watch; false if a service does not show it. */
  changed(): Promise<boolean>;
  requests(): number;
};

/** Answers read before the questions are asked. */
export type ExpectedAnswers = {
  /** Takes the answer to a question, once; undefined if it was not expected, or was taken already. */
  take<R extends Row>(operation: Operation<Params, R>, texts: ParamTexts): Promise<Envelope<R>> | undefined;
};

/** How a request is sent. */
export type AskOptions = {
  /** Sends it once, without waits and retries; for notes. */
  readonly once?: boolean;
  /** The rows that are read on after this page: a store gives more of them than the `limit` of a request. */
  readonly rows?: number | undefined;
  /** Answers from `expect`, which may be ready. */
  readonly expected?: ExpectedAnswers;
};

/** Runs operations on a store or a service, with the same answers. */
export interface Client {
  /** Requests one page: the contract's envelope with days as `YYYY-MM-DD`; throws a Problem on failure. */
  ask<R extends Row>(
    operation: Operation<Params, R>,
    texts: ParamTexts,
    options?: AskOptions,
  ): Promise<Envelope<R>>;
  /** Prepares to read the answers to the next questions together and in order; absent for a service. */
  readonly expect?: (operation: Operation, questions: readonly ParamTexts[]) => Promise<ExpectedAnswers>;
  /** Starts watching for changes; the next request runs alone, and its answer is the baseline. */
  watch(): Promise<DataWatch>;
  origin(): Promise<Origin>;
  /** Tells whether a service announces all parameters of a question; absent for a store, where questions are cheap. */
  readonly offers?: (operation: Pick<Operation, 'params' | 'path'>, texts: ParamTexts) => Promise<boolean>;
  /** Reads what the store follows at live sources; absent for a service, which tells only owners. */
  readonly followed?: AskFollowed;
  /** Lists the aliases of a store; absent for a service, which does not publish them. */
  readonly aliases?: () => Promise<readonly Alias[]>;
  /** Opens the sample beside another store; undefined if it cannot be opened. Absent for a service. */
  readonly sample?: () => Promise<Client | undefined>;
  close(): Promise<void>;
}

const maxRestarts = 3;

/** Output that can be discarded until it is committed. */
export type Revocable = {
  /** Tells whether something was written that can no longer be discarded. */
  readonly committed: () => boolean;
  readonly restart: () => Promise<void>;
};

const noOutput: Revocable = { committed: () => false, restart: async () => undefined };

/** Makes the Problem for work whose answers came from two states of the data. */
export function dataChanged(): Problem {
  return new Problem('data-changed', 'the data changed while asof was reading them', {
    hints: ['try again when the import is done'],
  });
}

/** Tells whether work failed because the data changed between two of its requests. */
export function isDataChange(error: unknown): boolean {
  return error instanceof Problem && error.kind === 'data-changed';
}

/** Runs `work`, up to three times more if the data changed meanwhile and no output is committed. */
export async function restartOnChange<T>(work: () => Promise<T>, output: Revocable = noOutput): Promise<T> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isDataChange(error) || output.committed() || restarts === maxRestarts) throw error;
      await output.restart();
    }
  }
}

/** Runs work of several requests, again if the data changed meanwhile: its result is from one state of the data. */
export function readConsistently<T>(client: Client, work: () => Promise<T>): Promise<T> {
  return restartOnChange(async () => {
    const watch = await client.watch();
    const result = await work();
    if (await watch.changed()) throw dataChanged();
    return result;
  });
}
