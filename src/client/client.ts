import type { Envelope } from '../model/envelope.ts';
import type { Operation } from '../operations/operation.ts';

/** Where answers come from. */
export type Origin = {
  readonly mode: 'embedded' | 'remote';
  readonly where: string;
  readonly sample: boolean;
};

/** Asks the operations of asof, of a store on this machine or of a service: the same answers either way. */
export interface Client {
  /** One page: the contract's envelope, or a Problem. */
  ask(operation: Operation, given: readonly (readonly [name: string, text: string])[]): Promise<Envelope>;
  origin(): Promise<Origin>;
  close(): Promise<void>;
}
