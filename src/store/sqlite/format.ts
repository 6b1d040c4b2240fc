import { Problem } from '../../errors/problem.ts';
import type { Connection } from './connection.ts';

/** Marks a SQLite file as a store of asof ("asof" in ASCII). */
export const applicationId = 0x61736f66;

/** The format that this asof writes: the number of the migrations of the schema. */
export const currentFormat = 9;

/** The format of a store. A Problem for a file that is no store, or that only a newer asof reads. */
export function formatOf(connection: Connection, path: string): number {
  if (connection.pragma('application_id') !== applicationId) {
    throw new Problem('local-io', `${path} is not an asof store`, {
      hints: ['name another file with --store, or import into a new one'],
    });
  }
  const format = Number(connection.pragma('user_version'));
  if (format > currentFormat) {
    throw new Problem(
      'local-io',
      `${path} was made by a newer asof (store format ${format}; this one reads up to ${currentFormat})`,
      { hints: ['update asof'] },
    );
  }
  return format;
}
