import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Legacy from 'better-sqlite3';

const resolving = createRequire(join(import.meta.dirname, 'asof'));

/**
 * The SQLite that this Node can run for long: better-sqlite3 13 needs Node-API 10, which Node 20 has not; version 12
 * aborts Node 24 when a statement of it is collected as garbage.
 */
const modern = Number(process.versions.napi) >= 10 ? load('better-sqlite3-napi') : undefined;

function load(name: string): typeof Legacy | undefined {
  try {
    return resolving(name);
  } catch {
    // An installation without optional packages: version 12 does as well as it can.
    return undefined;
  }
}

/** An error of SQLite itself. */
export const { SqliteError } = modern ?? Legacy;

/** A connection to a SQLite file, which is made where there is none unless the options forbid it. */
export function openDatabase(path: string | Buffer, options: Legacy.Options = {}): Legacy.Database {
  return modern === undefined
    ? new Legacy(path, { ...options, ...nativeBinding() })
    : new modern(path, options);
}

/** Where version 12's own search for its binary ends nearly always: a query has no time for all of that search. */
function nativeBinding(): { readonly nativeBinding?: string } {
  const library = resolving.resolve('better-sqlite3');
  const usual = join(dirname(library), '../build/Release/better_sqlite3.node');
  return existsSync(usual) ? { nativeBinding: usual } : {};
}
