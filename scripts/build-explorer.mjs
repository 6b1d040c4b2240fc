import { copyFile, rm } from 'node:fs/promises';
import { build } from 'esbuild';

/** Builds the page of the explorer into `dist/explorer/`; the code that saves pictures is a separate script. */
export async function buildExplorer() {
  await rm('dist/explorer', { recursive: true, force: true });
  await build({
    entryPoints: { page: 'src/explorer/main.ts', style: 'src/explorer/style.css' },
    outdir: 'dist/explorer',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome109', 'firefox115', 'safari16.4'],
    minify: true,
    legalComments: 'none',
  });
  await copyFile('src/explorer/page.html', 'dist/explorer/page.html');
  await copyFile('node_modules/uplot/LICENSE', 'dist/explorer/LICENSE');
}
