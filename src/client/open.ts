import { openStore } from '../store/open.ts';
import type { Client } from './client.ts';
import { embeddedClient } from './embedded.ts';
import type { RemoteOptions } from './remote/client.ts';

/** Which data a client answers from: a store on this machine, or a service. */
export type Target =
  | {
      /** The store's file. */
      readonly store: string;
      readonly clock?: () => Date;
    }
  | RemoteOptions;

/** The client of a target; a Problem when it cannot be opened. Loads only what that kind of target needs. */
export async function openClient(target: Target): Promise<Client> {
  if ('baseUrl' in target) {
    const { remoteClient } = await import('./remote/client.ts');
    return remoteClient(target);
  }
  return embeddedClient(await openStore(target.store), target.clock);
}
