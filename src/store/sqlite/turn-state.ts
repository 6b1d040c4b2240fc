import type { Database } from 'better-sqlite3';
import { prepare } from './connect.ts';

/** One state of a store for all that is read in a turn of the event loop. */
export type TurnState = {
  /** Sees to it that what is read next is of the turn's state. */
  readonly begin: () => void;
  /** Lets what is read next be of the newest state, also in the same turn. */
  readonly end: () => void;
};

/**
 * The states of a store that is served: requests that arrive in one turn are answered out of one state, for which SQLite
 * takes and leaves its locks once. A request that was sent after an import arrives in a later turn than any that was
 * answered from before it, so that it sees the import.
 */
export function turnState(db: Database): TurnState {
  const end = (): void => {
    if (db.open && db.inTransaction) prepare(db, 'commit').run();
  };
  return {
    begin() {
      if (db.inTransaction) return;
      prepare(db, 'begin').run();
      setImmediate(end);
    },
    end,
  };
}

/** The states of a store that is read once: each reading has its own. */
export const noTurns: TurnState = { begin: () => undefined, end: () => undefined };
