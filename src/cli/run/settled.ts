import { Problem } from '../../errors/problem.ts';
import { changedBetweenPages } from './pages.ts';

/** So often work is begun anew when the data changes meanwhile. */
const restarts = 3;

/** Where what was done so far goes before work is done anew, and whether it still can. */
type Restart = { readonly committed: () => boolean; readonly restart: () => Promise<void> };

const nothingDone: Restart = { committed: () => false, restart: async () => undefined };

/** Does work on data, anew where it changed meanwhile and nothing of it is committed. */
export async function settled<T>(work: () => Promise<T>, done: Restart = nothingDone): Promise<T> {
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
