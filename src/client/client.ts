import type { Envelope, Row } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import type { Params, ParamTexts } from '../operations/param.ts';
import type { ImportRecord } from '../store/store.ts';

/** Where answers come from. */
export type Origin = {
  readonly mode: 'embedded' | 'remote';
  readonly where: string;
  readonly sample: boolean;
  /** Every import of a store, oldest first; absent for a service, which does not publish its imports. */
  readonly imports?: readonly ImportRecord[];
};

/** Watches for changes of the data. */
export type DataWatch = {
  /** Whether the data changed since the first answer after the watch began; false also if a service does not show changes. */
  changed(): Promise<boolean>;
  /** The number of requests that `changed` sends to a service. */
  requests(): number;
};

/** How a request is made. */
export type AskOptions = {
  /** Makes one try, without waits and retries: for what only a note needs. */
  readonly once?: boolean;
};

/** Runs operations on a local store or on a service; both give the same answers. */
export interface Client {
  /** One page: the contract's envelope with days as `YYYY-MM-DD`, or a Problem. */
  ask<R extends Row>(
    operation: Operation<Params, R>,
    texts: ParamTexts,
    options?: AskOptions,
  ): Promise<Envelope<R>>;
  /** Starts watching for changes. The next request runs alone; its answer is the baseline. */
  watch(): Promise<DataWatch>;
  origin(): Promise<Origin>;
  close(): Promise<void>;
}
