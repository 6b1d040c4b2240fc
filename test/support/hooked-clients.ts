import type { Client } from '../../src/client/client.ts';

type Opening = typeof import('../../src/client/open.ts');

/** Called before each request to an embedded client; tests import data in it. */
export const hook: { beforeRequest: (operation: string) => Promise<void> } = {
  beforeRequest: async () => undefined,
};

/** The module that opens clients, whose embedded ones call `hook.beforeRequest` before each request; for `vi.mock`. */
export async function hookedClients(original: () => Promise<unknown>): Promise<Opening> {
  const opening = (await original()) as Opening;
  return {
    ...opening,
    async openClient(target): Promise<Client> {
      const client = await opening.openClient(target);
      if ('baseUrl' in target) return client;
      const ask: Client['ask'] = async (operation, given, options) => {
        await hook.beforeRequest(operation.path);
        return client.ask(operation, given, options);
      };
      return { ...client, ask };
    },
  };
}
