import type { ImportRecord } from '../../store/store.ts';

const header = ['imported_at', 'kind', 'statements_new', 'statements_known', 'withdrawn', 'sha256', 'file'];

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
