import { Problem } from '../../problem.ts';
import { changedBetweenPages } from '../pages.ts';

/** So often work is begun anew when the data changes meanwhile. */
const restarts = 3;

/** Does work on data, anew where it changed meanwhile. */
export async function settled<T>(work: () => Promise<T>): Promise<T> {
  for (let restarted = 0; ; restarted += 1) {
    try {
      return await work();
    } catch (error) {
      if (!changedBetweenPages(error) || restarted === restarts) throw error;
    }
  }
}

/** What `changedBetweenPages` recognises: it is the same whether an import lands between two pages or two questions. */
export function dataChanged(): Problem {
  return new Problem('bad-answer', 'the data changed while it was being read', {
    field: 'cursor',
    hints: ['try again when the import is done'],
  });
}
