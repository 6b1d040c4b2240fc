import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runAsof } from './run-asof.mjs';

// The version that this Node can run, as in src/store/sqlite/engine.ts.
const Sqlite = createRequire(import.meta.url)(
  Number(process.versions.napi) >= 10 ? 'better-sqlite3-napi' : 'better-sqlite3',
);

const data = fileURLToPath(new URL('../data/', import.meta.url));
const shipped = fileURLToPath(new URL('../dist/sample.db', import.meta.url));

/**
 * Makes the sample store from data/ with the built asof, and puts it in place in one step. The same data and the same
 * version of SQLite, which is written into the file, give the same bytes.
 */
export async function buildSample(target = shipped) {
  const draft = `${target}.draft-${process.pid}`;
  await mkdir(dirname(target), { recursive: true });
  try {
    // Names without a folder, because the log of imports is shipped with the sample.
    await runAsof(['import', ...(await sampleFiles()), '--store', draft, '--quiet'], { cwd: data });
    finish(draft);
    await rename(draft, target);
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(draft + suffix, { force: true });
  }
}

/** Every file of data/ except its README; one that asof cannot read stops the build. */
async function sampleFiles() {
  const names = await readdir(data);
  return names.filter((name) => name !== 'README.md').sort();
}

function finish(path) {
  const db = new Sqlite(path, { fileMustExist: true });
  try {
    // Without a -wal file the store opens in a read-only directory.
    db.pragma('journal_mode = delete');
    db.exec('update store set sample = 1');
    // The time of a build would make each one another file; the newest day that the data speak of does not.
    db.exec(`update import set imported_at = (
      select max(day) || 'T00:00:00.000Z' from (
        select max(as_of_date) as day from vintage union all select max(trade_date) from curve
        union all select max(filed_on) from filing))`);
    db.exec('vacuum');
  } finally {
    db.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildSample(process.argv[2] === undefined ? undefined : resolve(process.argv[2]));
}
