import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { build, transform } from 'esbuild';
import { buildSample } from './build-sample.mjs';

const options = { platform: 'node', target: 'node20', minify: true };

/**
 * Builds `dist/asof.cjs` and `dist/parts/`: a part is what lies behind an `import()`, or what several parts share. esbuild
 * splits ES modules alone, so its transform makes each CommonJS afterwards, which Node starts 8 ms faster
 * (docs/decisions/0010-build.md).
 */
async function buildProgram() {
  const { outputFiles } = await build({
    ...options,
    entryPoints: ['bin/asof.ts'],
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    chunkNames: 'parts/[hash]',
    bundle: true,
    format: 'esm',
    splitting: true,
    legalComments: 'none',
    write: false,
    // better-sqlite3's search for its binary, which asof does without.
    external: ['bindings'],
    define: { 'import.meta.dirname': '__dirname' },
  });
  await rm('dist/parts', { recursive: true, force: true });
  for (const { path, text } of outputFiles) {
    // Without `import()`: Node takes twice as long for that of a CommonJS file as for `require`.
    const supported = { 'dynamic-import': false };
    const { code } = await transform(text, { ...options, format: 'cjs', supported });
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, code);
  }
  await chmod('dist/asof.cjs', 0o755);
}

async function buildLibrary() {
  await build({
    ...options,
    entryPoints: ['src/index.ts'],
    outfile: 'dist/index.js',
    bundle: true,
    format: 'esm',
    packages: 'external',
    keepNames: true,
  });
}

await buildProgram();
await buildLibrary();
// The program that has just been built reads data/ into the store that is shipped with it.
await buildSample();
