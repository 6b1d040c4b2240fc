import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { builtProgram, largeData } from './repository.ts';

const folders = ['facts', 'macro', 'sec', 'treasury'];

/** Fails tests that run the built program if it was not built, and the large tests if whole real files are missing. */
export function setup({ name }: TestProject): void {
  if (!existsSync(builtProgram))
    throw new Error('these tests run the built program: run `npm run build` first');
  const missing = folders.filter((folder) => !existsSync(join(largeData, folder)));
  if (name === 'large' && missing.length > 0)
    throw new Error(
      `the large tests need whole source files: ${largeData} lacks ${missing.join(', ')}; ASOF_TEST_DATA=FOLDER names another folder`,
    );
}
