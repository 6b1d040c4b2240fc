import { counted, grouped, listed, someOf } from '../errors/wording.ts';
import { type FileSummary, sumOf } from './load/summary.ts';

/** What an import in parts stored. */
export type StoredParts = {
  /** The number of parts that this run stored. */
  readonly parts: number;
  /** The number of series of the files, and of those that an earlier run had stored. */
  readonly series: number;
  readonly before: number;
};

/** The outcome of an import or of its dry run. */
export type ImportResult = {
  /** The address of the store. */
  readonly store: string;
  /** True if the import created the store. */
  readonly created: boolean;
  readonly dryRun: boolean;
  /** Files of earlier imports that an older rule for blank cells read; import them again. */
  readonly outdated: readonly string[];
  /** The counts of each file, in the order of reading. */
  readonly files: readonly FileSummary[];
  /** Its number, by which an undo and the log know it; several if imports came between its parts; none of a dry run. */
  readonly imports: readonly number[];
  /** The files that no format recognises, left out. */
  readonly skipped: readonly string[];
  /** The parts of an import in several; its counts are those of this run. */
  readonly inParts?: StoredParts;
};

/** Returns the lines that `asof import` prints. */
export function importReport(result: ImportResult): readonly string[] {
  const { files } = result;
  const lines = files.flatMap((file) => [
    `${file.file}: ${file.kind}, ${counts(file)}`,
    ...(file.skippedDays ?? []).map(
      (day) => `${file.file}: the curve of ${day} is left out, as --skip-days asks`,
    ),
    ...file.notes.map((note) => `${file.file}: ${note}`),
  ]);
  const left = result.skipped.map((path) => `${path}: left out, because no format recognises it`);
  const areTrades = files.every(({ series }) => series === 0) && files.some(({ filings }) => filings > 0);
  const total = files.length > 1 ? [`${files.length} files: ${statements(sumOf(files), areTrades)}`] : [];
  return [...lines, ...left, ...total, ...partLines(result), ...storeLines(result)];
}

function partLines({ inParts, imports }: ImportResult): readonly string[] {
  if (inParts === undefined) return [];
  const { parts, series, before } = inParts;
  const went =
    before === 0
      ? []
      : [`went on behind ${grouped(before)} of ${grouped(series)} series, stored by an earlier run`];
  const number = `stored in ${counted(parts, 'part')}, as ${importsText(imports)}: ${undoText(imports)}`;
  return [...went, number];
}

/** Names imports by their numbers: `import 12`. */
export function importsText(imports: readonly number[]): string {
  return `${imports.length === 1 ? 'import' : 'imports'} ${listed(imports.map(String), 'and')}`;
}

/** Says how to undo imports, the newest first. */
export function undoText(imports: readonly number[]): string {
  const commands = imports.toReversed().map((number) => `\`asof store undo ${number}\``);
  return `${listed(commands, 'and')} ${commands.length === 1 ? 'takes' : 'take'} them back`;
}

const mostOutdated = 5;

/** Tells the user to import files again that an older rule read. */
export function outdatedLines(files: readonly string[]): readonly string[] {
  if (files.length === 0) return [];
  const named = listed(someOf(files, mostOutdated), 'and');
  return [
    `${counted(files.length, 'file')} ${files.length === 1 ? 'was' : 'were'} imported by an older asof, which ignored some blank cells: ${named}`,
    'import them again to withdraw the dates that their vintages lack (asof import --log lists all imports)',
  ];
}

function storeLines({ store, created, dryRun, outdated }: ImportResult): readonly string[] {
  if (dryRun) return [`dry run: nothing was written to ${store}`];
  if (!created) return [`store: ${store}`, ...outdatedLines(outdated)];
  return [`made a new store: ${store}`];
}

function counts({
  series,
  vintages,
  filings,
  projections,
  described,
  listed,
  ...merged
}: FileSummary): string {
  if (described !== undefined && series + filings === 0) {
    const { added, changed, known } = described;
    const count = counted(added + changed + known, 'series', 'series');
    return `${count} described (${grouped(added)} new, ${grouped(changed)} changed, ${grouped(known)} known)`;
  }
  if (listed !== undefined)
    return `${counted(listed, 'release date')}, ${merged.statementsNew > 0 ? 'a new look' : 'known'}`;
  return [
    ...(series > 0 || filings === 0 ? [counted(series, 'series', 'series')] : []),
    ...(vintages > 0 ? [counted(vintages, 'vintage')] : []),
    ...(filings > 0 ? [counted(filings, 'filing')] : []),
    statements(merged, series === 0 && filings > 0),
    ...(projections > 0 ? [counted(projections, 'projection')] : []),
  ].join(', ');
}

function statements(
  { statementsNew, statementsKnown, withdrawn }: Omit<ReturnType<typeof sumOf>, 'series'>,
  areTrades: boolean,
): string {
  const withdrawals = withdrawn > 0 ? ` (${counted(withdrawn, 'withdrawal')})` : '';
  const added = counted(statementsNew, areTrades ? 'new trade' : 'new statement');
  return `${added}${withdrawals}, ${grouped(statementsKnown)} known`;
}
