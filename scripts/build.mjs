import { build } from 'esbuild';
import { buildProgram } from './build-program.mjs';
import { buildSample } from './build-sample.mjs';

await buildProgram();

// The library.
await build({
  entryPoints: ['src/index.ts'],
  outfile: 'dist/index.js',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  minify: true,
  keepNames: true,
});

// The program that has just been built reads data/ into the store that is shipped with it.
await buildSample();
