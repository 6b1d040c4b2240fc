import { Problem } from '../../errors/problem.ts';
import type { ImportRecord } from '../../store/store.ts';
import { storeToRead } from '../config/places.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';

/** The log of imports as CSV, oldest first. */
export async function importLogText(imports: readonly ImportRecord[]): Promise<string> {
  const { stringify } = await import('csv-stringify/sync');
  const rows = imports.map((made) => [
    made.importedAt,
    made.kind,
    made.statementsNew,
    made.statementsKnown,
    made.withdrawn,
    made.sha256,
    made.file,
  ]);
  return stringify([header, ...rows]);
}

const header = ['imported_at', 'kind', 'statements_new', 'statements_known', 'withdrawn', 'sha256', 'file'];

/** `asof import --log`: every import of the store as CSV, oldest first. */
export async function importLog(
  files: readonly string[],
  flags: { readonly store?: string },
  io: Io,
): Promise<number> {
  if (files.length > 0) throw new Problem('bad-input', '--log takes no files: it lists what was imported');
  const { openStore } = await import('../../store/open.ts');
  const store = await openStore(storeToRead(io, flags.store).path);
  try {
    io.stdout.write(await importLogText(await store.read((view) => view.imports())));
    return exitCode.success;
  } finally {
    await store.close();
  }
}
