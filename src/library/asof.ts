import { readFile } from 'node:fs/promises';
import { askOf } from '../answering/answer.ts';
import { notesOf } from '../answering/notes.ts';
import { seriesWithStatements } from '../answering/unknown-series.ts';
import { dataChanged } from '../client/client.ts';
import { requestLimits } from '../client/remote/settings.ts';
import { addDays, type Day, latestDay, utcDay } from '../domain/values/date.ts';
import { Problem, refused } from '../errors/problem.ts';
import { systemProblem } from '../errors/system-errors.ts';
import { type ImportOptions, importValues } from '../import/options.ts';
import type { ImportResult } from '../import/report.ts';
import { planLineParser } from '../lines/parse.ts';
import type { CheckOptions } from '../maintenance/check.ts';
import type { BackupOptions, CopyOptions, RestoreOptions } from '../maintenance/copy.ts';
import type { StoreMergeOptions } from '../maintenance/merge.ts';
import type { SeriesChangeOptions } from '../maintenance/series.ts';
import type { UndoOptions } from '../maintenance/undo.ts';
import {
  abortSignal,
  asOfDay,
  callable,
  clockAt,
  day,
  duration,
  flag,
  integer,
  isPlain,
  object,
  seriesId,
  seriesIds,
  texts,
  word,
} from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { type PullOptions, type PullRequest, type PullSummary, sourceNames } from '../pull/options.ts';
import { skipMissing } from '../questions/series/shared.ts';
import type { Finding } from '../snapshot/verify.ts';
import { isDatabase } from '../store/address.ts';
import { type FactRow, factsOf as factRows, idKnown } from '../store/known-view.ts';
import type { Store } from '../store/store.ts';
import {
  checkArguments,
  isUrl,
  type Kind,
  type Kinds,
  type Session,
  type Signature,
  stopped,
  unknownName,
} from './call.ts';
import { type LibrarySource, methodsOf } from './methods.ts';

type FactsParams = {
  /** True to leave out ids that no series has. Default: they are an error. */
  readonly skipMissing?: boolean | undefined;
};

type StoreImportOptions = Omit<ImportOptions, 'store'>;

type StorePullOptions = Omit<PullOptions, 'request' | 'store'>;

type SnapshotTarget = {
  readonly out: string;
  readonly asOf?: Day | undefined;
  readonly maxAge?: number | undefined;
};

/** Everything that asof answers, from a store or a service. */
export type Asof = ReturnType<typeof ownMethods> & ReturnType<typeof methodsOf>;

/** Returns the methods that answer from a source. */
export function asofOf(source: LibrarySource): Asof {
  return Object.assign(ownMethods(source), methodsOf(source));
}

function ownMethods(source: LibrarySource) {
  const { session, client, signal, clock, store } = source;
  const { stoppable } = session;
  const storeFor = (what: string): Store => {
    if (store !== undefined) return store;
    throw new Problem('bad-input', `a service gives no ${what}`, { hints: ['open a store by its path'] });
  };
  /** Returns the address of the store to write to; throws for the sample, which is read-only. */
  const writtenFor = async (what: string): Promise<string> => {
    const { address } = storeFor(what);
    const { sample } = await client.origin();
    if (!sample) return address;
    throw new Problem('bad-input', 'the shipped sample is read-only', {
      hints: ['importFiles(paths, { store }) and pull({ store, request }) start a store of your own'],
    });
  };
  const care = 'care of a store';
  const close = async (): Promise<void> => {
    session.close();
    await client.close();
  };
  return {
    /** Maintenance of the store: backups, copies, checks. */
    store: storeCare({
      address: () => storeFor(care).address,
      written: () => writtenFor(care),
      rest: async () => storeFor(care).rest?.(),
      session,
    }),

    /** Yields every statement about series, by series, date and as-of date; only from a store. */
    facts: session.guardedRows(
      {
        name: 'facts',
        args: [{ name: 'ids', kind: seriesIds }],
        params: { noun: 'parameter', kinds: { skipMissing } satisfies Kinds<FactsParams> },
      },
      (ids: string | readonly string[], params: FactsParams = {}) =>
        factsOf(storeFor('facts'), [ids].flat(), params, source),
    ),

    /** Imports files, folders and archives into the store, in one transaction: all of them, or nothing; `chunked` in several. */
    import: session.guarded(
      {
        name: 'import',
        args: [{ name: 'paths', kind: texts }],
        params: { noun: 'option', kinds: importValues },
      },
      async (paths: readonly string[], options: StoreImportOptions = {}) => {
        const address = await writtenFor('imports');
        return imported(paths, { clock, ...defined(stoppable(options)), store: address });
      },
    ),

    /**
     * Updates the store from live sources, and follows what the request names. Default: all that the store follows.
     * Failures of single subjects and of sources are in the summary.
     */
    pull: session.guarded(
      {
        name: 'pull',
        args: [{ name: 'request', kind: pullRequest, isOptional: true }],
        params: { noun: 'option', kinds: pullKinds },
      },
      async (request?: PullRequest, options: StorePullOptions = {}) => {
        const address = await writtenFor('pulls');
        const { pull } = await import('../pull/pull.ts');
        return pull({ clock, ...defined(stoppable(options)), request, store: address });
      },
    ),

    /** Returns what the store follows at live sources, and how far it is pulled. */
    followed: session.guarded({ name: 'followed', args: [] }, async () =>
      storeFor('list of what it follows').read((view) => view.sources.followed()),
    ),

    /**
     * Writes the files of a plan, all as of one day, by default yesterday in UTC; `asof help snapshot` has the form.
     * Switches the link `out` when all files are complete.
     */
    snapshot: session.guarded(
      {
        name: 'snapshot',
        args: [{ name: 'plan', kind: word }],
        params: { noun: 'option', kinds: targetKinds, required: ['out'] },
      },
      async (plan: string, { out, asOf, maxAge }: SnapshotTarget) => {
        const [{ bindPlan }, { snapshot }] = await Promise.all([
          import('../snapshot/plan.ts'),
          import('../snapshot/snapshot.ts'),
        ]);
        const bytes = await readFile(plan).catch((cause) => {
          throw systemProblem('read', `the plan ${plan}`, cause);
        });
        const bound = { asOf: asOf ?? addDays(utcDay(clock()), -1), demands: { maxAge } };
        return snapshot(bindPlan(plan, bytes, bound, planLineParser(clock())), { out, client, signal });
      },
    ),

    /** Compares a snapshot with its manifest, and with what its commands give now; lists the differences. */
    verify: session.guarded(
      { name: 'verify', args: [{ name: 'folder', kind: word }] },
      async (folder: string): Promise<readonly Finding[]> => {
        const { compareCommands, compareFiles, openSnapshot } = await import('../snapshot/verify.ts');
        const opened = await openSnapshot(folder);
        if ('what' in opened) return [opened];
        const parseLine = planLineParser(clock());
        const findings = await compareFiles(opened);
        return [...findings, ...(await compareCommands(opened, { client, parseLine, signal }))];
      },
    ),

    /** Returns the address of the store or the service, and whether it is the shipped sample. */
    origin: session.guarded({ name: 'origin', args: [] }, () => client.origin()),

    /** Closes the store, or the connections to the service; later calls fail. */
    close,

    /** Closes at the end of a block that begins with `await using`. */
    [Symbol.asyncDispose]: close,
  };
}

const targetKinds = { out: word, asOf: asOfDay, maxAge: integer(0) } satisfies Kinds<SnapshotTarget>;

async function* factsOf(
  store: Store,
  ids: readonly string[],
  { skipMissing = false }: FactsParams,
  source: LibrarySource,
): AsyncGenerator<FactRow> {
  let state: string | undefined;
  const now = source.clock();
  const latest = latestDay(now);
  const find = (id: string) => store.read((view) => idKnown(view, latest, id));
  const ask = askOf(source, {}, utcDay(now));
  const found = await seriesWithStatements({ ids, skipMissing }, find, ask);
  for (const note of notesOf(ask)) source.note?.(note);
  for (const id of found) {
    const facts = await store.read(async (view) => {
      const { name } = await view.state();
      if (state !== undefined && state !== name) throw dataChanged();
      state = name;
      const rows: FactRow[] = [];
      for await (const batch of factRows(view, latest, id)) for (const row of batch) rows.push(row);
      return rows;
    });
    yield* facts;
  }
}

/**
 * Imports files, folders and archives into a store, in one transaction: all of them, or nothing; `chunked` in several.
 * Imports of one process into one store run one after the other. Throws a Problem that names the file and place
 * of unreadable content, and an ImportRefusal that lists the conflicts of contradictory statements.
 */
export async function importFiles(paths: readonly string[], options: ImportOptions): Promise<ImportResult> {
  const params = { noun: 'option', kinds: { store: word, ...importValues }, required: ['store'] } as const;
  const args = [{ name: 'paths', kind: texts }];
  checkArguments({ name: 'importFiles', args, params }, [paths, options], clockAt(new Date()));
  if (isUrl(options.store) && !isDatabase(options.store))
    throw new Problem('bad-input', `a service takes no imports, and ${options.store} is the address of one`, {
      field: 'store',
      hints: ['name the file of a store'],
    });
  return imported(paths, options);
}

async function imported(paths: readonly string[], options: ImportOptions): Promise<ImportResult> {
  const { signal } = options;
  if (paths.includes('-') && options.stdin === undefined)
    throw new Problem('bad-input', "the path - is the option 'stdin', which is missing", { field: 'stdin' });
  const { importFiles } = await import('../import/import.ts');
  try {
    return await importFiles(paths, options);
  } catch (error) {
    throw signal === undefined ? error : stopped(error, signal);
  }
}

const pullRequest: Kind = {
  check(value, name, clock) {
    if (!isPlain(value))
      throw refused({ param: name, value, reason: 'use lists by source: { fred: ["GDP"] }' });
    for (const [source, names] of Object.entries(value)) {
      if (!sourceNames.some((known) => known === source)) throw unknownName('source', source, sourceNames);
      if (names !== undefined) texts.check(names, `${name}.${source}`, clock);
    }
    return value;
  },
};

const pullKinds = {
  ...{
    settings: object,
    due: flag,
    full: flag,
    replace: flag,
    since: day,
    dryRun: flag,
    maxDuration: duration,
  },
  keepUndo: importValues.keepUndo,
  ...requestLimits,
  ...{ cacheFolder: word, env: object, clock: callable, signal: abortSignal },
  ...{ onProgress: callable, onSubject: callable, watch: callable, timing: object },
} satisfies Kinds<Omit<PullOptions, 'request' | 'store'>>;

/** Updates a store from live sources; failures are in the summary, unless a pull is impossible as a whole. */
export async function pull(options: PullOptions): Promise<PullSummary> {
  const kinds = { ...pullKinds, store: word, request: pullRequest } satisfies Kinds<PullOptions>;
  const params = { noun: 'option', kinds, required: ['store'] } as const;
  checkArguments({ name: 'pull', args: [], params }, [options], clockAt(new Date()));
  return (await import('../pull/pull.ts')).pull(options);
}

type CareSource = {
  /** Returns the address; throws a Problem if a service answers. */
  readonly address: () => string;
  /** Returns the address for a change; throws for the sample, which is read-only. */
  readonly written: () => Promise<string>;
  /** Closes the store's files until the next call. */
  readonly rest: () => Promise<void>;
  readonly session: Session;
};

const stopping = { signal: abortSignal, onProgress: callable };
const checkKinds = { ...stopping, onFault: callable } satisfies Kinds<CheckOptions>;
const restoreKinds = { ...stopping, dryRun: flag } satisfies Kinds<RestoreOptions>;
const copyKinds = { ...restoreKinds, replace: flag } satisfies Kinds<CopyOptions>;
const backupKinds = { ...copyKinds, keep: integer(1), clock: callable } satisfies Kinds<BackupOptions>;
const changeKinds = { dryRun: flag } satisfies Kinds<SeriesChangeOptions>;
const undoKinds = { number: integer(1), dryRun: flag, signal: abortSignal } satisfies Kinds<UndoOptions>;
const mergeKinds = {
  ...{ merge: flag, replace: flag, skipKnown: flag, dryRun: flag },
  ...{ clock: callable, signal: abortSignal, onProgress: callable },
} satisfies Kinds<StoreMergeOptions>;

const named = (name: string) => [{ name, kind: word }];

const copies = () => import('../maintenance/copy.ts');
const series = () => import('../maintenance/series.ts');

/** Returns the methods for maintenance of a store. */
function storeCare({ address, written, rest, session }: CareSource) {
  const { stoppable } = session;
  const method = <A extends unknown[], T>(
    name: string,
    args: Signature['args'],
    kinds: NonNullable<Signature['params']>['kinds'] | undefined,
    work: (...asked: A) => Promise<T>,
  ) =>
    session.guarded(
      { name: `store.${name}`, args, ...(kinds !== undefined && { params: { noun: 'option', kinds } }) },
      work,
    );
  return {
    /** Returns the contents of the store, its size and its format. */
    info: method('info', [], undefined, async () => {
      const { storeInfo } = await import('../maintenance/info.ts');
      return storeInfo(address());
    }),

    /** Returns the log: every file of every import, oldest first, with the numbers that undo() takes. */
    imports: method('imports', [], undefined, async () => {
      const { importLog } = await import('../import/import.ts');
      return importLog(address());
    }),

    /** Reads everything, and computes derived data again; without damage there are no faults. */
    check: method('check', [], checkKinds, async (options: CheckOptions = {}) => {
      const { checkStore } = await import('../maintenance/check.ts');
      return checkStore(address(), stoppable(options));
    }),

    /**
     * Writes the store into a file, which appears after it was read again and compared.
     * With `keep`, writes a new dated file, and keeps only the newest ones.
     */
    backup: method('backup', named('file'), backupKinds, async (file: string, options: BackupOptions = {}) =>
      (await copies()).backupStore(address(), file, stoppable(options)),
    ),

    /** Replaces the store with an undamaged backup in one step, while no other process has the store open. */
    restore: method(
      'restore',
      named('file'),
      restoreKinds,
      async (file: string, options: RestoreOptions = {}) => {
        const into = await written();
        const { restoreStore } = await copies();
        await rest();
        return restoreStore(file, into, stoppable(options));
      },
    ),

    /** Copies everything into a new store, of the same kind or the other. */
    copyTo: method('copyTo', named('address'), copyKinds, async (into: string, options: CopyOptions = {}) =>
      (await copies()).copyStore(address(), into, stoppable(options)),
    ),

    /** Adds everything from another store in one transaction; throws an ImportRefusal that lists contradictions. */
    merge: method(
      'merge',
      named('from'),
      mergeKinds,
      async (from: string, options: StoreMergeOptions = {}) => {
        const { mergeStore } = await import('../maintenance/merge.ts');
        return mergeStore(from, await written(), stoppable(options));
      },
    ),

    /** Undoes an import. Default: the last one. */
    undo: method('undo', [], undoKinds, async (options: UndoOptions = {}) => {
      const { undoStoreImport } = await import('../maintenance/undo.ts');
      return undoStoreImport(await written(), stoppable(options));
    }),

    /** Gives a series another id; refused if a series has it, or if the store follows the series. */
    renameSeries: method(
      'renameSeries',
      [
        { name: 'id', kind: seriesId },
        { name: 'to', kind: seriesId },
      ],
      changeKinds,
      async (id: string, to: string, options: SeriesChangeOptions = {}) =>
        (await series()).renameSeries(await written(), id, to, options),
    ),

    /** Removes a series with all its data; refused if the store follows the series. */
    removeSeries: method(
      'removeSeries',
      [{ name: 'id', kind: seriesId }],
      changeKinds,
      async (id: string, options: SeriesChangeOptions = {}) =>
        (await series()).removeSeries(await written(), id, options),
    ),

    /** Lists the aliases of series, by name. */
    aliases: method('aliases', [], undefined, async () => (await series()).listAliases(address())),

    /** Gives a series an alias, which every method takes as its id. */
    addAlias: method(
      'addAlias',
      [
        { name: 'name', kind: seriesId },
        { name: 'id', kind: seriesId },
      ],
      changeKinds,
      async (name: string, id: string, options: SeriesChangeOptions = {}) =>
        (await series()).addAlias(await written(), name, id, options),
    ),

    /** Removes an alias; its series stays. */
    removeAlias: method(
      'removeAlias',
      [{ name: 'name', kind: seriesId }],
      changeKinds,
      async (name: string, options: SeriesChangeOptions = {}) =>
        (await series()).removeAlias(await written(), name, options),
    ),
  };
}
