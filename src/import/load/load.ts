import { Problem } from '../../errors/problem.ts';
import type { StoreWriter } from '../../store/store.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import type { ImportFormat } from '../formats/format.ts';
import { type ImportConflict, ImportRefusal, StatementLog } from './conflict.ts';
import { FileLoader, type LoadOptions } from './file-loader.ts';
import { Registry } from './registry.ts';
import type { FileSummary } from './tally.ts';
import { ByteProgress } from './tally.ts';

/** A file of an import and the format that it is read as. */
export type ImportFile = { readonly file: SourceFile; readonly format: ImportFormat };

/**
 * Reads files into a store within the writer's transaction, which the caller commits or rolls back.
 * An import with conflicts is refused as a whole, with a list of all of them, unless `onConflicts` takes the list: then
 * what the store has is kept, and the rest is stored.
 */
export async function load(
  inputs: readonly ImportFile[],
  writer: StoreWriter,
  options: LoadOptions,
): Promise<readonly FileSummary[]> {
  checkFiledOn(inputs, options);
  const files = inputs.map(({ file }) => file);
  const conflicts: ImportConflict[] = [];
  const shared = {
    writer,
    options: { ...options, together: files },
    registry: new Registry(writer, options, conflicts),
    conflicts,
    progress: new ByteProgress(files),
    log: options.replace ? new StatementLog() : undefined,
  };
  const summaries: FileSummary[] = [];
  for (const { file, format } of inputs) {
    checkFlags(file, format, options);
    const summary = await new FileLoader(file, format, shared).load();
    const {
      vintages: _vintages,
      filings: _filings,
      projections: _projections,
      notes: _notes,
      described: _described,
      ...logged
    } = summary;
    await writer.recordImport({
      ...logged,
      importedAt: options.importedAt,
      sha256: await file.sha256(),
    });
    summaries.push(summary);
  }
  await shared.registry.finish();
  if (conflicts.length > 0) {
    if (options.onConflicts === undefined) throw new ImportRefusal(conflicts);
    options.onConflicts(conflicts);
  }
  return summaries;
}

function checkFiledOn(inputs: readonly ImportFile[], { filedOn }: LoadOptions): void {
  if (filedOn === undefined || inputs.some(({ format }) => format.takesFiledOn === true)) return;
  throw new Problem('bad-input', '--filed-on applies to ownership XML only, and this import has none', {
    field: 'filed_on',
  });
}

function checkFlags(file: SourceFile, format: ImportFormat, { asOf, series, complete }: LoadOptions): void {
  const { kind } = format;
  if (asOf !== undefined && !format.takesAsOf) {
    throw refusal(file, {}, `--as-of does not apply to ${kind}: the file states when its figures were known`);
  }
  if (complete && !format.whole) {
    throw refusal(file, {}, `--complete does not apply to ${kind}: it is for files of whole vintages`);
  }
  if (series !== undefined && format.takesSeries !== true) {
    throw refusal(
      file,
      {},
      `--series does not apply to ${kind}: the file names its series (--id OLD=NEW renames one)`,
    );
  }
}
