import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const driver = fileURLToPath(new URL('../node_modules/better-sqlite3/', import.meta.url));

/**
 * Flags with which SQLite compiles in a third of the time (21 against 62 s of CPU, 31 with -Os): the driver's own -O3
 * makes no import of asof faster, and a page by 4 µs. asof uses neither old text indexes nor those of places.
 */
const flags = [
  '-O1',
  ...['FTS3', 'FTS3_PARENTHESIS', 'FTS4', 'RTREE', 'GEOPOLY'].map((name) => `-USQLITE_ENABLE_${name}`),
];

/**
 * Compiles the SQLite driver of Node 20 if it is missing, or was compiled for another Node; newer Nodes have a driver
 * that need not be compiled. npm may not do it (`allowScripts`): here it runs beside the rest of the build, on two cores.
 */
export async function buildDriver() {
  if (Number(process.versions.napi) >= 10 || works()) return;
  const gyp = process.env.npm_config_node_gyp;
  if (gyp === undefined)
    throw new Error('the SQLite driver of Node 20 is not compiled: `npm run build` does it');
  const child = spawn(process.execPath, [gyp, 'rebuild', '--release', '--jobs=2'], {
    cwd: driver,
    env: { ...process.env, ...nodeHeaders(), CFLAGS: flags.join(' ') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text;
    });
  const [code] = await once(child, 'close');
  if (code === 0) return;
  throw new Error(
    `${said.trimEnd()}\nthe SQLite driver of Node 20 could not be compiled; it needs python3, make and a C++ compiler`,
  );
}

function works() {
  try {
    const Sqlite = createRequire(import.meta.url)('better-sqlite3');
    new Sqlite(':memory:').close();
    return true;
  } catch {
    return false;
  }
}

/** The setting by which node-gyp finds the headers of this Node on the disk, so that it downloads none. */
export function nodeHeaders() {
  const folder = join(dirname(process.execPath), '..');
  const isBeside = existsSync(join(folder, 'include/node/node_api.h'));
  return isBeside && !process.env.npm_config_nodedir ? { npm_config_nodedir: folder } : {};
}
