import { createService, owner } from '../service/service.ts';
import { shownAddress } from '../store/address.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { Client } from './client.ts';
import type { RemoteOptions } from './remote/client.ts';

/** Where a client gets its answers: a local store or a service. */
export type Target =
  | {
      /** The store's file, or the address of its database. */
      readonly store: string;
      readonly clock?: () => Date;
    }
  | RemoteOptions;

/** Opens the client of a target; throws a Problem if that fails. Loads only the code that this kind of target needs. */
export async function openClient(target: Target): Promise<Client> {
  if ('baseUrl' in target) {
    const { RemoteClient } = await import('./remote/client.ts');
    return new RemoteClient(target);
  }
  return embeddedClient(await openStore(target.store), target.clock);
}

/** A client of a store in this process, with the owner's rights: a process that can read the file can read all. */
export function embeddedClient(store: Store, clock?: () => Date): Client {
  const revision = () => store.read(async (view) => (await view.state()).revision);
  const service = createService({ store, ...(clock && { clock }) });
  return {
    ask: (operation, texts, asked) =>
      asked?.expected?.take(operation, texts) ?? service.answer(operation, texts, owner, asked?.whole),
    ...(store.readTogether !== undefined && {
      async expect(operation, questions) {
        // Loaded here: most questions are asked one by one.
        const { ReadAhead } = await import('./read-ahead.ts');
        return new ReadAhead((part) => service.answerTogether(operation, part, owner), operation, questions);
      },
    }),
    async watch() {
      const before = await revision();
      return { changed: async () => (await revision()) !== before, requests: () => 0 };
    },
    async origin() {
      return store.read(async (view) => {
        const { sample } = await view.state();
        return {
          mode: 'embedded',
          where: shownAddress(store.address),
          sample,
          imports: await view.sources.imports(),
        };
      });
    },
    followed: () => service.followed(),
    close: () => store.close(),
  };
}
