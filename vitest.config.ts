import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// The tests make thousands of stores: in memory, where there is a folder for it, one takes 14 ms of CPU, and 24 on a disk.
if (process.env.TMPDIR === undefined && hasRoom('/dev/shm')) {
  const folder = mkdtempSync('/dev/shm/asof-tests-');
  // The user of the PostgreSQL server has a folder in it.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

/** Whether a folder of Linux is in memory with room for all tests, and programs may run there. */
function hasRoom(folder: string): boolean {
  if (!existsSync('/proc/mounts')) return false;
  const [, options] =
    new RegExp(`^tmpfs ${folder} tmpfs (\\S+)`, 'm').exec(readFileSync('/proc/mounts', 'utf8')) ?? [];
  if (options === undefined || /\bnoexec\b/.test(options)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 4 * 2 ** 30;
}

const built = 'test/support/setup.ts';
const postgres = 'test/support/postgres.ts';

/** The tests that replace modules, which other tests of the same worker would meet. */
const replacing = readdirSync('test/integration', { recursive: true, encoding: 'utf8' })
  .map((name) => join('test/integration', name))
  .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes('vi.mock('));

/** Runs files apart first, as one of them is long: at the end it would keep one worker busy and leave the other idle. */
class ApartFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isApart = ({ project }: TestSpecification) => project.config.isolate;
    return [...sorted.filter(isApart), ...sorted.filter((file) => !isApart(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: ApartFirst },
    // Integration and acceptance tests start processes and import large files, which takes long on a shared machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One worker fewer than there are cores, as usual, would be a single one on two cores.
    maxWorkers: '100%',
    // Test files share the modules that they load: `src` keeps no state between questions, and loading takes long.
    isolate: false,
    env: { ASOF_STORE: '', ASOF_FORMAT: '', NO_COLOR: '', FORCE_COLOR: '' },
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: replacing,
          globalSetup: [built, postgres],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration, replacing modules',
          isolate: true,
          include: replacing,
          globalSetup: [built, postgres],
        },
      },
      {
        extends: true,
        test: {
          name: 'acceptance',
          include: ['test/acceptance/**/*.test.ts'],
          globalSetup: [built, postgres],
        },
      },
      {
        extends: true,
        test: { name: 'fuzz', include: ['test/fuzz/**/*.test.ts'], globalSetup: built },
      },
      // Needs the whole source files, which are not in the repository: `npm run test:large` asks for it by name.
      {
        extends: true,
        test: {
          name: 'large',
          include: ['test/large/**/*.test.ts'],
          globalSetup: built,
        },
      },
    ],
  },
});
