import { createService, owner } from '../service/service.ts';
import type { Store } from '../store/store.ts';
import type { Client } from './client.ts';

/** A client of a store in this process; whoever can read the file owns the data. */
export function embeddedClient(store: Store, clock?: () => Date): Client {
  const revision = () => store.read(async (view) => (await view.state()).revision);
  const service = createService({ store, ...(clock && { clock }) });
  return {
    ask: (operation, texts) => service.answer(operation, texts, owner),
    async watch() {
      const before = await revision();
      return { changed: async () => (await revision()) !== before, requests: () => 0 };
    },
    async origin() {
      return store.read(async (view) => {
        const { sample } = await view.state();
        return { mode: 'embedded', where: store.address, sample, imports: await view.imports() };
      });
    },
    close: () => store.close(),
  };
}
