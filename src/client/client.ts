import type { Envelope } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
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

/** Asks the operations of asof, of a store on this machine or of a service: the same answers either way. */
export interface Client {
  /** One page: the contract's envelope, or a Problem. */
  ask(operation: Operation, given: readonly (readonly [name: string, text: string])[]): Promise<Envelope>;
  /** Begins to watch the data: the next question is asked alone, as it is its answer that others are held against. */
  watch(): Promise<DataWatch>;
  origin(): Promise<Origin>;
  close(): Promise<void>;
}
