import type { Client } from '../../client/client.ts';
import { openClient } from '../../client/open.ts';
import { Problem } from '../../errors/problem.ts';
import { chosenBaseUrl } from '../config/base-url.ts';
import { type StoreChoice, storeToRead } from '../config/places.ts';
import type { DataFlags } from '../options/flags.ts';
import type { Io } from '../terminal/io.ts';
import { type Talk, talk } from '../terminal/messages.ts';
import { openRemote } from './remote-session.ts';

/** What a command that gives data works with. */
export type Session = { readonly client: Client; readonly io: Io; readonly talk: Talk };

/** Runs `work` with a client of the chosen service or store, and closes it whatever happens. */
export async function withSession<T>(
  flags: DataFlags,
  io: Io,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const said = talk(flags, io);
  if (io.runner !== undefined) return work({ client: io.runner.client, io, talk: said });
  const service = chosenBaseUrl(io, flags);
  const client =
    service === undefined ? await openEmbedded(flags, io, said) : await openRemote(service, flags, io, said);
  try {
    return await work({ client: telling(client, io, said), io, talk: said });
  } finally {
    await client.close();
  }
}

async function openEmbedded(flags: DataFlags, io: Io, said: Talk): Promise<Client> {
  const store = storeToRead(io, flags.store);
  const client = await openClient({ store: store.path, clock: io.clock }).catch((error) => {
    throw chosen(error, store);
  });
  if (store.isSample)
    said.aside('asof: the shipped sample answers; `asof import` begins a store of your own');
  said.detail(`asof: store ${store.path}`);
  return client;
}

/** A store that cannot be opened: where its name came from, when it was not typed. */
export function chosen(error: unknown, { namedBy }: StoreChoice): unknown {
  if (namedBy === undefined || !(error instanceof Problem)) return error;
  return error.with({ hints: [...error.hints, `${namedBy} names this store`] });
}

/** The same client, which tells of each request to those who want to know. */
function telling(client: Client, { clock }: Io, { detail, trace }: Talk): Client {
  return {
    ...client,
    async ask(operation, given) {
      const started = clock().getTime();
      const page = await client.ask(operation, given);
      const words = given.map(([name, text]) => `${name}=${text}`).join(' ');
      detail(
        `asof: ${operation.name} ${words}: ${page.results.length} rows, ${clock().getTime() - started} ms`,
      );
      trace(`asof: ${page.request_id}`);
      return page;
    },
  };
}
