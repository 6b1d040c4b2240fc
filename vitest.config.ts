import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests start processes and import large files; on a shared machine that takes its time.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    env: { ASOF_STORE: '', ASOF_FORMAT: '', NO_COLOR: '', FORCE_COLOR: '' },
  },
});
