// Why: docs/decisions/two-drivers-of-sqlite.md
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Legacy from 'better-sqlite3';
import { Problem } from '../../errors/problem.ts';
import { openWithNode, type SqliteDatabase } from './node-sqlite.ts';

const requireInstalled = createRequire(join(import.meta.dirname, 'asof'));

/**
 * The driver for this Node, by its name in npm.
 * Version 13 of better-sqlite3 needs Node-API 10, which Node 20 lacks.
 * Version 12 crashes Node 24 when a statement is garbage-collected.
 */
const driver =
  Number(process.versions.napi) >= 10
    ? {
        name: 'better-sqlite3-napi',
        spec: 'better-sqlite3-napi@npm:better-sqlite3@13.2.0',
        library: modern(),
      }
    : { name: 'better-sqlite3', spec: 'better-sqlite3@12.11', library: Legacy };

function modern(): typeof Legacy | undefined {
  try {
    return requireInstalled('better-sqlite3-napi');
  } catch {
    return undefined;
  }
}

/** Returns Node's own SQLite if it can do what asof needs: to read from memory, without a warning. */
function nodeSqlite(): Parameters<typeof openWithNode>[0] | undefined {
  if (Number.parseInt(process.versions.node, 10) < 24) return undefined;
  const found: ReturnType<typeof nodeSqlite> & object = requireInstalled('node:sqlite');
  return 'deserialize' in found.DatabaseSync.prototype ? found : undefined;
}

/** An error of SQLite itself. */
export const { SqliteError } = driver.library ?? Legacy;

/** Opens or creates a SQLite file; throws a Problem with the install command if the driver is missing. */
export function openDatabase(
  path: string | Buffer,
  options: Parameters<typeof openWithNode>[2] = {},
): SqliteDatabase {
  const { library } = driver;
  if (library === undefined) {
    const inNode = nodeSqlite();
    if (inNode === undefined) throw lacksDriver();
    return openWithNode(inNode, path, options);
  }
  try {
    return new library(path, library === Legacy ? { ...options, nativeBinding: binary() } : options);
  } catch (error) {
    // The binary is missing, or was built for another version of Node.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_DLOPEN_FAILED') throw lacksDriver(error);
    throw error;
  }
}

/** Finds the binary of version 12, which npm does not install if scripts may not run. */
function binary(): string {
  const found = driverFolders()
    .map((folder) => join(folder, 'build/Release/better_sqlite3.node'))
    .find((path) => existsSync(path));
  if (found === undefined) throw lacksDriver();
  return found;
}

function driverFolders(): readonly string[] {
  return (requireInstalled.resolve.paths(driver.name) ?? []).map((folder) => join(folder, driver.name));
}

function lacksDriver(cause?: unknown): Problem {
  const detail = `the SQLite driver for Node ${process.version} is not installed (${installCommand()} installs it)`;
  return new Problem('local-io', detail, { cause });
}

function installCommand(): string {
  const { name, spec } = driver;
  const [, project] = /^(.*)[\\/]node_modules[\\/]/.exec(import.meta.dirname) ?? [];
  if (project === undefined) return 'npm ci'; // in a clone of asof
  if (!existsSync(join(project, 'package.json'))) return `npm install --global ${spec}`;
  // npm does not install a package that the project has.
  return driverFolders().some((folder) => existsSync(folder)) ? `npm rebuild ${name}` : `npm install ${spec}`;
}
