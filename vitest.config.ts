import { defineConfig } from 'vitest/config';

const built = 'test/support/setup.ts';
const postgres = 'test/support/postgres.ts';

export default defineConfig({
  test: {
    // Integration and acceptance tests start processes and import large files, which takes long on a shared machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One worker fewer than there are cores, as usual, would be a single one on two cores.
    maxWorkers: '100%',
    env: { ASOF_STORE: '', ASOF_FORMAT: '', NO_COLOR: '', FORCE_COLOR: '' },
    projects: [
      // Unit tests share the modules that they load: nothing in `src` keeps a state that another test could meet.
      { extends: true, test: { name: 'unit', isolate: false, include: ['test/unit/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
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
