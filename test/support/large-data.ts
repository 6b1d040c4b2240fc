import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { largeData } from './repository.ts';

const folders = ['facts', 'macro', 'sec', 'treasury'];

/** Fails the large tests if the whole real files are missing. */
export function setup(): void {
  const missing = folders.filter((name) => !existsSync(join(largeData, name)));
  if (missing.length > 0)
    throw new Error(
      `the large tests need whole source files: ${largeData} lacks ${missing.join(', ')}; ASOF_TEST_DATA=FOLDER names another folder`,
    );
}
