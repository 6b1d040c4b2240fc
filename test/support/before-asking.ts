import type { Client } from '../../src/client/client.ts';

type Opening = typeof import('../../src/client/open.ts');

/** What happens before a store in this process is asked; tests put imports there. */
export const hook: { beforeAsking: (operation: string) => Promise<void> } = {
  beforeAsking: async () => undefined,
};

/** The module that opens clients, whose embedded ones call `hook.beforeAsking` first; for `vi.mock`. */
export async function hearing(original: () => Promise<unknown>): Promise<Opening> {
  const opening = (await original()) as Opening;
  return {
    ...opening,
    async openClient(target): Promise<Client> {
      const client = await opening.openClient(target);
      if ('baseUrl' in target) return client;
      const ask: Client['ask'] = async (operation, given) => {
        await hook.beforeAsking(operation.path);
        return client.ask(operation, given);
      };
      return { ...client, ask };
    },
  };
}
