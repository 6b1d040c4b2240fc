import { formatCsvRecord } from '../render/delimited.ts';
import type { ImportRecord } from '../store/store.ts';

const header = ['imported_at', 'kind', 'statements_new', 'statements_known', 'withdrawn', 'sha256', 'file'];

/** A log of imports as CSV, in the order given: what `asof import --log` prints and a manifest has the SHA-256 of. */
export function importLogText(imports: readonly ImportRecord[]): string {
  const rows = imports.map((made) =>
    [
      made.importedAt,
      made.kind,
      made.statementsNew,
      made.statementsKnown,
      made.withdrawn,
      made.sha256,
      made.file,
    ].map(String),
  );
  return [header, ...rows].map(formatCsvRecord).join('');
}
