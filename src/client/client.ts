import type { Envelope, Row } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import type { Params, ParamTexts } from '../operations/param.ts';
import type { ImportRecord } from '../store/store.ts';

/** Where answers come from. */
export type Origin = {
  readonly mode: 'embedded' | 'remote';
  readonly where: string;
  readonly sample: boolean;
  /** Every import of a store, oldest first; of a service nobody is told. */
  readonly imports?: readonly ImportRecord[];
};

/** Tells whether the data is still as it was. */
export type DataWatch = {
  /** Whether it changed since the first answer after the watch began; false also where that cannot be told. */
  changed(): Promise<boolean>;
  /** How many requests of a service it takes to tell. */
  requests(): number;
};

/** How a question is asked. */
export type AskOptions = {
  /** Once, without waiting and trying again: for what only a remark needs. */
  readonly once?: boolean;
};

/** Asks the operations of asof, of a store on this machine or of a service: the same answers either way. */
export interface Client {
  /** One page: the contract's envelope with days as `YYYY-MM-DD`, or a Problem. */
  ask<R extends Row>(
    operation: Operation<Params, R>,
    texts: ParamTexts,
    options?: AskOptions,
  ): Promise<Envelope<R>>;
  /** Begins to watch the data: the next question is asked alone, as it is its answer that others are held against. */
  watch(): Promise<DataWatch>;
  origin(): Promise<Origin>;
  close(): Promise<void>;
}
