import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { Problem } from '../errors/problem.ts';
import { isDatabase, refuseForeign } from './address.ts';
import { readAndClose, unfinishedEnding } from './open.ts';
import { ended, type StoreDraft } from './writer.ts';

/**
 * Begins a store at an address, or continues one that was begun there; `replace` allows replacing a file. Only one
 * process at a time can make a store in a file, so that it publishes exactly what it has read again.
 */
export async function openDraft(address: string, copyOf: string, replace = false): Promise<StoreDraft> {
  if (isDatabase(address)) return databaseDraft(address, copyOf);
  await checkDraftable(address, replace);
  const { openFileDraft, publishCopy, refuseUsed } = await import('./sqlite/copy.ts');
  // The store behind a link is replaced, not the link.
  const path = existsSync(address) ? realpathSync(address) : address;
  return openFileDraft(path + unfinishedEnding, {
    begin: () => existsSync(path) && refuseUsed(path),
    publish: (draft) => publishCopy(draft, path, replace),
  });
}

/** Refuses an address at which something exists already; `replace` allows a store in a file there. */
export async function checkDraftable(address: string, replace = false): Promise<void> {
  refuseForeign(address);
  if (isDatabase(address)) return (await import('./postgres/draft.ts')).checkEmpty(address);
  if (lstatSync(address, { throwIfNoEntry: false }) === undefined) return;
  const found = existsSync(address) ? 'exists already' : 'is a link to a file that does not exist';
  if (!replace || !existsSync(address))
    throw new Problem('bad-input', `${address} ${found}`, {
      hints: ['name a new file', '`asof store merge` adds the facts of one store to another'],
    });
  (await import('./sqlite/copy.ts')).checkReplaceable(address);
}

/** A draft in the store itself, which is marked as unfinished until the end. */
async function databaseDraft(address: string, copyOf: string): Promise<StoreDraft> {
  refuseForeign(address);
  const [{ openPostgresWriter }, { openPostgresStore }, { emptyCopy, finishCopy }] = await Promise.all([
    import('./postgres/writer.ts'),
    import('./postgres/reader.ts'),
    import('./postgres/draft.ts'),
  ]);
  const writer = (isBegun: boolean) => openPostgresWriter(address, 'everything', { of: copyOf, isBegun });
  // The mark comes first, so that an address that cannot take a copy is refused before anything is read.
  await ended(await writer(false), async () => undefined);
  let read: number | undefined;
  return {
    write: async (work) => ended(await writer(true), work),
    read: async (work) =>
      readAndClose(await openPostgresStore(address, true), async (view) => {
        read = (await view.state()).revision;
        return work(view);
      }),
    publish: () => finishCopy(address, copyOf, read),
    discard: () => emptyCopy(address, copyOf),
    close: async () => undefined,
  };
}
