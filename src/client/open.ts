import { openStore } from '../store/open.ts';
import type { Client } from './client.ts';
import { embeddedClient } from './embedded.ts';

/** Which data a client answers from. */
export type Target = {
  /** The store's file. */
  readonly store: string;
  readonly clock?: () => Date;
};

/** The client of a target; a Problem when it cannot be opened. */
export async function openClient({ store, clock }: Target): Promise<Client> {
  return embeddedClient(await openStore(store), clock);
}
