import { addTo } from '../domain/values/groups.ts';
import { Problem } from '../errors/problem.ts';
import { pause } from '../platform/promises.ts';
import { shownAddress } from '../store/address.ts';
import { readStore, writing } from '../store/open.ts';
import type { LoggedImport, WholeView } from '../store/store.ts';
import type { UndoneChanges } from '../store/undo.ts';

/** An undone import, perhaps in a dry run. */
export type UndoneImport = UndoneChanges & {
  readonly store: string;
  readonly number: number;
  readonly importedAt: string;
  readonly files: readonly string[];
  readonly dryRun: boolean;
  readonly empty: boolean;
};

/** Options of an undo. */
export type UndoOptions = {
  /** The number of the import. Default: the last one. */
  readonly number?: number | undefined;
  readonly dryRun?: boolean | undefined;
  /** Stops the work; the store does not change. */
  readonly signal?: AbortSignal | undefined;
};

type UndoableImport = Pick<UndoneImport, 'number' | 'importedAt' | 'files'>;

/** Lists the imports that can be undone, newest first; an import of several files counts as one. */
export async function undoableImports(address: string): Promise<readonly UndoableImport[]> {
  return (await readImports(address)).undoable;
}

/** Reads the imports that can be undone, and the number of the newest one that is forgotten. */
async function readImports(address: string) {
  const { imports, forgotten } = await readStore(address, async ({ sources }) => ({
    imports: await sources.imports(),
    forgotten: await sources.forgotten(),
  }));
  const byNumber = new Map<number, LoggedImport[]>();
  for (const entry of imports) if (entry.number !== null) addTo(byNumber, entry.number, entry);
  const numbered = Array.from(byNumber, ([number, entries]) => ({
    number,
    importedAt: entries[0]?.importedAt ?? '',
    // Each part of an import in parts has an entry.
    files: [...new Set(entries.map(({ file }) => file))],
  }));
  numbered.sort((a, b) => b.number - a.number);
  const undoable = numbered.filter(({ number }) => number > forgotten);
  return { undoable, numbered, forgotten, entries: imports.length };
}

/** Undoes an import, by default the last; throws if later imports built on it, or if it was not recorded. */
export async function undoStoreImport(
  address: string,
  { number, dryRun = false, signal }: UndoOptions = {},
): Promise<UndoneImport> {
  const imports = await readImports(address);
  const { undoable } = imports;
  const found = number === undefined ? undoable[0] : undoable.find((one) => one.number === number);
  if (found === undefined) throw notUndoable(number, imports);
  const undone = await writing(address, async (writer) => {
    const changes = await writer.undo(found.number, () => pause(signal));
    if (dryRun) await writer.rollback();
    else await writer.commit();
    return changes;
  });
  const empty = !dryRun && (await readStore(address, isEmpty));
  return { ...found, ...undone, store: shownAddress(address), dryRun, empty };
}

async function isEmpty(view: WholeView): Promise<boolean> {
  const { series, described } = await view.contents.totals();
  if (series + described > 0 || (await view.rates.summaries()).length > 0) return false;
  if ((await view.calendar.sightings()).length > 0) return false;
  return (await view.filings.counts()).filings === 0;
}

function notUndoable(
  number: number | undefined,
  { numbered, forgotten, entries }: Awaited<ReturnType<typeof readImports>>,
): Problem {
  if (entries === 0) return new Problem('not-found', 'the store has no import to undo');
  const old = numbered.find((one) => one.number === number) ?? (number === undefined && numbered[0]);
  if (old)
    return new Problem(
      'not-found',
      `import ${old.number} of ${old.importedAt} is too old to undo: --keep-undo made the store forget what the imports up to ${forgotten} changed`,
      { hints: ['restore a backup from before the import'] },
    );
  const reason =
    number === undefined
      ? 'no import can be undone: an older asof made them, or they are older than this copy of the store'
      : `the store has no import ${number} that can be undone`;
  return new Problem('not-found', reason, {
    hints: [
      '`asof store undo --list` lists the imports that can be undone',
      'to undo an older import, restore a backup from before it',
    ],
  });
}
