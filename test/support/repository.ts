import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The folder of the repository. */
export const root = join(import.meta.dirname, '..', '..');

/** What the package says of itself. */
export const manifest: {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The built program. */
export const builtProgram = join(root, 'dist', 'asof.cjs');

/** The sample store that is shipped with it. */
export const builtSample = join(root, 'dist', 'sample.db');

/** The folder of small real files; test/data/README.md names their sources. */
export const testData = join(root, 'test', 'data');

/**
 * The folder of the whole real files, which only the tests of test/large read: ASOF_TEST_DATA, default
 * ../shared/data.
 */
export const largeData = process.env.ASOF_TEST_DATA || join(root, '..', 'shared', 'data');

/** The path of a real file in one of these folders, where the file may be packed as `.gz`. */
export function dataPath(folder: string, name: string): string {
  const path = join(folder, name);
  return existsSync(path) ? path : `${path}.gz`;
}

/** The content of a real file, unpacked. */
export function readData(folder: string, name: string): Buffer {
  const path = dataPath(folder, name);
  const content = readFileSync(path);
  return path.endsWith('.gz') ? gunzipSync(content) : content;
}
