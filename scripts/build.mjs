import { chmod, rm } from 'node:fs/promises';
import { build } from 'esbuild';

// One CommonJS file starts faster than many modules; parts behind `import()` become code that runs when it is reached.
await rm('dist/asof.cjs', { force: true });
await build({
  entryPoints: ['bin/asof.ts'],
  outfile: 'dist/asof.cjs',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['better-sqlite3'],
  define: { 'import.meta.dirname': '__dirname' },
  legalComments: 'none',
  minify: true,
  keepNames: true,
});
await chmod('dist/asof.cjs', 0o755);
