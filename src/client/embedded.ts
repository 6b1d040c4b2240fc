import { createService, owner } from '../service/service.ts';
import type { Store } from '../store/store.ts';
import type { Client } from './client.ts';

/** A client of a store in this process; whoever can read the file owns the data. */
export function embeddedClient(store: Store, clock?: () => Date): Client {
  const revision = async () => (await store.info()).revision;
  const service = createService({ store, ...(clock && { clock }) });
  return {
    ask: (operation, texts) => service.answer(operation, texts, owner),
    async watch() {
      const before = await revision();
      return { changed: async () => (await revision()) !== before, requests: () => 0 };
    },
    async origin() {
      const { path, sample } = await store.info();
      return { mode: 'embedded', where: path, sample, imports: await store.imports() };
    },
    close: () => store.close(),
  };
}
