import { createHash } from 'node:crypto';
import { Problem } from '../../errors/problem.ts';
import type { ImportRecord } from '../../store/store.ts';
import type { StoreWriter } from '../../store/writer.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import type { ImportFormat } from '../formats/format.ts';
import { type ImportConflict, ImportRefusal, StatementLog } from './conflict.ts';
import { FileLoader, type LoadOptions } from './file-loader.ts';
import { heldAsSeries } from './rates.ts';
import { Registry } from './registry.ts';
import { ByteProgress, type FileSummary } from './tally.ts';

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
  checkFlags(inputs, options);
  const files = inputs.map(({ file }) => file);
  const conflicts: ImportConflict[] = [];
  const shared = {
    writer,
    options: { ...options, together: files },
    registry: new Registry(writer, options, conflicts),
    conflicts,
    progress: new ByteProgress(files),
    heldRates: await heldAsSeries(writer),
    log: options.replace ? new StatementLog() : undefined,
  };
  const summaries: FileSummary[] = [];
  const records: ImportRecord[] = [];
  for (const { file, format } of inputs) {
    const summary = await new FileLoader(file, format, shared).load();
    const {
      vintages: _vintages,
      filings: _filings,
      projections: _projections,
      notes: _notes,
      described: _described,
      skippedDays: _skippedDays,
      ...logged
    } = summary;
    records.push({ ...logged, importedAt: options.importedAt, sha256: await file.sha256() });
    const notes = [...unusedAsOf(format, options, summary.vintages), ...summary.notes];
    summaries.push({ ...summary, notes });
  }
  checkSkipped(summaries, options);
  for (const record of inOneRecord(records, options.loggedAs)) await writer.recordImport(record);
  await shared.registry.finish();
  if (conflicts.length > 0) {
    if (options.onConflicts === undefined) throw new ImportRefusal(conflicts);
    options.onConflicts(conflicts);
  }
  return summaries;
}

/**
 * The entries of the log: with a name for all of them, and more than one, a single entry whose checksum is that of
 * their checksums.
 */
function inOneRecord(records: readonly ImportRecord[], name: string | undefined): readonly ImportRecord[] {
  const [first] = records;
  if (name === undefined || first === undefined || records.length === 1) return records;
  const sum = (key: 'series' | 'statementsNew' | 'statementsKnown' | 'withdrawn') =>
    records.reduce((all, record) => all + record[key], 0);
  const sha256 = createHash('sha256')
    .update(records.map((record) => `${record.sha256}\n`).join(''))
    .digest('hex');
  return [
    {
      ...first,
      file: name,
      sha256,
      series: sum('series'),
      statementsNew: sum('statementsNew'),
      statementsKnown: sum('statementsKnown'),
      withdrawn: sum('withdrawn'),
    },
  ];
}

/** What an import can state about its files that only some formats take, and why the others do not take it. */
const flags: readonly {
  readonly name: string;
  readonly isGiven: (options: LoadOptions) => boolean;
  readonly takes: (format: ImportFormat) => boolean;
  readonly reason: string;
}[] = [
  {
    name: '--as-of',
    isGiven: ({ asOf }) => asOf !== undefined,
    takes: ({ takesAsOf }) => takesAsOf,
    reason: 'the file states when its figures were known',
  },
  {
    name: '--complete',
    isGiven: ({ complete }) => complete,
    takes: ({ whole }) => whole,
    reason: 'it is for files of whole vintages',
  },
  {
    name: '--series',
    isGiven: ({ series }) => series !== undefined,
    takes: ({ takesSeries }) => takesSeries === true,
    reason: 'the file names its series (--id OLD=NEW renames one)',
  },
];

/** Refuses a flag that no file of the import takes: of the files of an archive or a folder, some may take it. */
function checkFlags(inputs: readonly ImportFile[], options: LoadOptions): void {
  for (const { name, isGiven, takes, reason } of flags) {
    const [first] = inputs;
    if (first === undefined || !isGiven(options) || inputs.some(({ format }) => takes(format))) continue;
    throw refusal(first.file, {}, `${name} does not apply to ${first.format.kind}: ${reason}`, [
      `leave out ${name}`,
    ]);
  }
}

/** Refuses a day to skip that no file of the import has a curve of. */
function checkSkipped(summaries: readonly FileSummary[], { skipDays = [] }: LoadOptions): void {
  const skipped = new Set(summaries.flatMap((summary) => summary.skippedDays ?? []));
  const absent = skipDays.find((day) => !skipped.has(day));
  if (absent === undefined) return;
  throw new Problem('bad-input', `--skip-days ${absent}: no file of this import has a curve of that day`, {
    field: 'skip_days',
    hints: ['leave it out, or name a trade date of a file'],
  });
}

/** A note on a file that dates its own figures, which `--as-of` leaves as they are. */
function unusedAsOf({ takesAsOf }: ImportFormat, { asOf }: LoadOptions, vintages: number): readonly string[] {
  if (asOf === undefined || takesAsOf || vintages === 0) return [];
  return [`the file states when its figures were known; --as-of ${asOf} is ignored`];
}

function checkFiledOn(inputs: readonly ImportFile[], { filedOn }: LoadOptions): void {
  if (filedOn === undefined || inputs.some(({ format }) => format.takesFiledOn === true)) return;
  throw new Problem('bad-input', '--filed-on applies to ownership XML only, and this import has none', {
    field: 'filed_on',
  });
}
