import { Problem } from '../../problem.ts';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { storeToRead } from '../places.ts';

const header = ['imported_at', 'kind', 'statements_new', 'statements_known', 'withdrawn', 'sha256', 'file'];

/** `asof import --log`: every import of the store as CSV, oldest first. */
export async function importLog(
  files: readonly string[],
  flags: { readonly store?: string },
  io: Io,
): Promise<number> {
  if (files.length > 0) throw new Problem('bad-input', '--log takes no files: it lists what was imported');
  const [{ openStore }, { stringify }] = await Promise.all([
    import('../../store/open.ts'),
    import('csv-stringify/sync'),
  ]);
  const store = await openStore(storeToRead(io, flags.store).path);
  try {
    const rows = (await store.imports()).map((made) => [
      made.importedAt,
      made.kind,
      made.statementsNew,
      made.statementsKnown,
      made.withdrawn,
      made.sha256,
      made.file,
    ]);
    io.stdout.write(stringify([header, ...rows]));
    return exitCode.success;
  } finally {
    await store.close();
  }
}
