import type { Client } from '../client/client.ts';
import { openClient } from '../client/open.ts';
import type { DataFlags } from './flags.ts';
import type { Io } from './io.ts';
import { storeToRead } from './places.ts';
import { type Talk, talk } from './talk.ts';

/** What a command that gives data works with. */
export type Session = { readonly client: Client; readonly io: Io; readonly talk: Talk };

/** Runs `work` with a client of the chosen store, and closes it whatever happens. */
export async function withSession<T>(
  flags: DataFlags,
  io: Io,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { path, isSample } = storeToRead(io, flags.store);
  const client = await openClient({ store: path, clock: io.clock });
  const said = talk(flags, io);
  try {
    if (isSample) said.aside('asof: the shipped sample answers; `asof import` begins a store of your own');
    said.detail(`asof: store ${path}`);
    return await work({ client, io, talk: said });
  } finally {
    await client.close();
  }
}
