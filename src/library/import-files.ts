import { Problem } from '../errors/problem.ts';
import type { ImportResult } from '../import/import.ts';
import { type ImportOptions, importValues } from '../import/options.ts';
import { clockAt, texts, word } from '../operations/value.ts';
import { isDatabase } from '../store/address.ts';
import { checkArguments, isUrl, type Signature } from './call.ts';
import { stopped } from './session.ts';

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
  params: { noun: 'option', kinds: { store: word, ...importValues }, required: ['store'] },
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
