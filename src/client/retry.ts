import { Problem } from '../errors/problem.ts';
import type { Client } from './client.ts';
import { changedBetweenPages } from './pages.ts';

/** So often work is begun anew when the data changes meanwhile. */
const restarts = 3;

/** Where what was done so far goes before work is done anew, and whether it still can. */
type Restart = { readonly committed: () => boolean; readonly restart: () => Promise<void> };

const nothingDone: Restart = { committed: () => false, restart: async () => undefined };

/** Does work on data, anew where it changed meanwhile and nothing of it is committed. */
export async function untilUnchanged<T>(work: () => Promise<T>, done: Restart = nothingDone): Promise<T> {
  for (let restarted = 0; ; restarted += 1) {
    try {
      return await work();
    } catch (error) {
      if (!changedBetweenPages(error) || done.committed() || restarted === restarts) throw error;
      await done.restart();
    }
  }
}

/** What `changedBetweenPages` recognises: it is the same whether an import lands between two pages or two questions. */
export function dataChanged(): Problem {
  return new Problem('data-changed', 'the data changed while it was being read', {
    hints: ['try again when the import is done'],
  });
}

/** Does work on data; a Problem where the data changed in the meantime. */
async function unchangedDuring<T>(client: Client, work: () => Promise<T>): Promise<T> {
  const { changed } = await client.watch();
  const made = await work();
  if (await changed()) throw dataChanged();
  return made;
}

/** Does work on data out of one state of it, again where it changes in the meantime. */
export function onOneState<T>(client: Client, work: () => Promise<T>): Promise<T> {
  return untilUnchanged(() => unchangedDuring(client, work));
}
