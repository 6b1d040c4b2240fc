import { shownAddress } from '../../store/address.ts';
import { initStore } from '../../store/open.ts';
import { storeToWrite } from '../config/places.ts';
import type { StoreInitLine } from '../options/line.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';

/** `asof store init`: makes an empty store, and distributes it if that is wanted. */
export async function runStoreInit({ store, distribute, messages }: StoreInitLine, io: Io): Promise<number> {
  const address = storeToWrite(io, store);
  const created = await initStore(address, distribute);
  const messagesTo = messagesOf(messages, io);
  messagesTo.note(
    `asof: ${created ? 'made the store' : 'the store was there before:'} ${shownAddress(address)}`,
  );
  if (distribute) messagesTo.note('asof: Citus distributes it, facts by series and filings by issuer');
  return exitCode.success;
}
