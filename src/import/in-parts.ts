// Why: docs/decisions/imports-in-parts.md
import { createHash } from 'node:crypto';
import { Problem } from '../errors/problem.ts';
import { grouped } from '../errors/wording.ts';
import { readStoreIfAny, writing } from '../store/open.ts';
import type { UnfinishedImport } from '../store/store.ts';
import type { StoreWriter } from '../store/writer.ts';
import type { ImportFile } from './formats/format.ts';
import { ImportRefusal } from './load/conflict.ts';
import { load } from './load/load.ts';
import type { ImportParts } from './load/parts.ts';
import type { LoadOptions } from './load/registry.ts';
import { type FileSummary, joined } from './load/summary.ts';
import type { ImportOptions } from './options.ts';
import { importsText, type StoredParts, undoText } from './report.ts';

/** An import that a signal stopped after some of its parts. */
export class StoppedInParts extends Problem {}

/** What an import in parts needs besides its files. */
type PartsRun = {
  readonly paths: readonly string[];
  readonly options: ImportOptions;
  readonly parts: ImportParts;
  /** Returns the options for the files as of now. */
  readonly loading: () => LoadOptions;
  /** The store of which a new one begins as a copy. */
  readonly copyOf: string | undefined;
  /** Throws if the import is to stop. */
  readonly pause: () => Promise<void>;
};

type StoredPart = {
  readonly address: string;
  readonly created: boolean;
  readonly summaries: readonly FileSummary[];
  /** What is stored now. */
  readonly reached: Omit<UnfinishedImport, 'paths'>;
};

/**
 * Stores whole series, at most a thousand in a transaction, with a bookmark of what is left: the same import goes on
 * behind it. A failure says what is stored.
 */
export async function storeInParts(inputs: readonly ImportFile[], run: PartsRun) {
  const { options, parts } = run;
  const { store } = options;
  const paths = run.paths.join(' ');
  const key = await keyOf(inputs, run);
  const now: { reached: StoredPart['reached'] | undefined; before: number } = {
    reached: undefined,
    before: 0,
  };
  const stored: StoredPart[] = [];
  const earlier = (await readStoreIfAny(store, (view) => view.sources.unfinished()))?.find(
    (one) => one.paths === paths && one.key === key,
  );
  const storePart = async (writer: StoreWriter): Promise<StoredPart> => {
    const before = await writer.goOn(paths, key);
    if (before === undefined && stored.length > 0) throw ended(paths);
    now.reached = before;
    if (stored.length === 0) now.before = before?.series ?? 0;
    const at = before?.parts ?? 0;
    const part = parts.part(at);
    const loading = run.loading();
    const share = ({ done, total }: { done: number; total: number }) =>
      ((at + done / total) / parts.count) * total;
    const summaries = await load(inputs, writer, {
      ...loading,
      ...{ part, rename: part.rename },
      onProgress: async (made) => loading.onProgress?.({ ...made, done: share(made) }),
    });
    const imports = [...new Set([...(before?.imports ?? []), ...writer.imports])];
    const next = { key, parts: at + 1, series: part.upTo, total: parts.series, imports };
    await writer.endPart(paths, loading.importedAt, next.parts === parts.count ? undefined : next);
    await run.pause();
    await parts.checkUnchanged();
    await writer.commit();
    return { address: writer.address, created: writer.created, summaries, reached: next };
  };
  try {
    while (now.reached?.parts !== parts.count) {
      const isNew = stored.length === 0 && earlier === undefined;
      const part = await writing(store, storePart, isNew ? run.copyOf : undefined);
      stored.push(part);
      now.reached = part.reached;
    }
  } catch (error) {
    throw now.reached === undefined ? error : partly(error, now.reached, options.signal?.aborted === true);
  } finally {
    await parts.close();
  }
  const [first, last] = [stored[0], stored.at(-1)];
  const made: StoredParts = { parts: stored.length, series: parts.series, before: now.before };
  return {
    address: last?.address ?? store,
    created: first?.created === true,
    files: joined(stored.flatMap(({ summaries }) => summaries)),
    imports: last?.reached.imports ?? [],
    inParts: made,
  };
}

/** Names an import by its files, its options and its parts. */
async function keyOf(inputs: readonly ImportFile[], { options, parts }: PartsRun): Promise<string> {
  const { store, stdin, clock, signal, onProgress, dryRun, keepUndo, withSample, ...choices } = options;
  const hash = createHash('sha256').update(JSON.stringify([parts.key, choices]));
  for (const { file, format } of inputs)
    hash.update(JSON.stringify([file.path, format.kind, await file.sha256()]));
  return hash.digest('hex');
}

function ended(paths: string): Problem {
  return new Problem('local-io', `another command ended or undid the import of ${paths} meanwhile`, {
    hints: ['`asof import --log` lists what is stored', 'run this import again to be sure'],
  });
}

/** Adds to a failure what is stored. */
function partly(
  error: unknown,
  { series, total, imports }: StoredPart['reached'],
  isStopped: boolean,
): unknown {
  const stored = `${grouped(series)} of ${grouped(total)} series are stored, as ${importsText(imports)}`;
  const isRefused = error instanceof Problem && error.kind === 'bad-input';
  const next = isRefused
    ? 'with another file or option, the command begins anew and finds what is stored'
    : 'the same command goes on behind them';
  const hints = [next, undoText(imports)];
  if (isStopped) return new StoppedInParts('interrupted', `stopped; ${stored}`, { hints, cause: error });
  if (error instanceof ImportRefusal) return error.inPart(stored, hints);
  if (!(error instanceof Problem)) return error;
  return error.with({ detail: `${error.headline}; ${stored}`, hints: [...error.hints, ...hints] });
}
