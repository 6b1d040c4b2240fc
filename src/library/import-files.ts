import { Problem } from '../errors/problem.ts';
import type { ImportOptions, ImportResult } from '../import/import.ts';
import {
  abortSignal,
  asOfDay,
  callable,
  clockAt,
  days,
  flag,
  iterable,
  record,
  seriesId,
  texts,
  word,
} from '../operations/value.ts';
import { isDatabase } from '../store/address.ts';
import { checkArguments, isUrl, type Kinds, type Signature } from './call.ts';
import { stopped } from './session.ts';

/** What an import into an open store takes. */
export const storeImportKinds = {
  kind: word,
  asOf: asOfDay,
  dateFormat: word,
  skipUnknown: flag,
  stdin: iterable,
  filedOn: asOfDay,
  series: seriesId,
  rename: record,
  merge: flag,
  replace: flag,
  complete: flag,
  projections: flag,
  skipDays: days,
  withSample: flag,
  dryRun: flag,
  clock: callable,
  signal: abortSignal,
  onProgress: callable,
} satisfies Kinds<Omit<ImportOptions, 'store'>>;

/**
 * Imports files, folders and archives into a store, in one transaction: all of them, or nothing. Imports of one
 * process into one store run one after the other. Throws a Problem that names the file and the place if a file cannot
 * be read, and an ImportRefusal that lists every conflict if statements contradict each other or known ones.
 */
export async function importFiles(paths: readonly string[], options: ImportOptions): Promise<ImportResult> {
  checkArguments(importFilesSignature, [paths, options], clockAt(new Date()));
  if (isUrl(options.store) && !isDatabase(options.store))
    throw new Problem('bad-input', `a service takes no imports, and ${options.store} is the address of one`, {
      field: 'store',
      hints: ['name the file of a store'],
    });
  return imported(paths, options);
}

const importFilesSignature: Signature = {
  name: 'importFiles',
  args: [{ name: 'paths', kind: texts }],
  params: { noun: 'option', kinds: { store: word, ...storeImportKinds }, required: ['store'] },
};

/** The same with checked arguments. */
export async function imported(paths: readonly string[], options: ImportOptions): Promise<ImportResult> {
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
