import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

/** Builds the page of the explorer into `dist/explorer/`. */
export async function buildExplorer() {
  await rm('dist/explorer', { recursive: true, force: true });
  await build({
    entryPoints: {
      start: 'src/explorer/start.ts',
      page: 'src/explorer/main.ts',
      style: 'src/explorer/style/style.css',
    },
    outdir: 'dist/explorer',
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome109', 'firefox115', 'safari16.4'],
    minify: true,
    legalComments: 'none',
    plugins: [chartsInAnyLanguage],
  });
  await copyFile('src/explorer/page.html', 'dist/explorer/page.html');
  await writeFile('dist/explorer/LICENSE', await licencesOf(['htm', 'preact', 'uplot']));
}

/** Returns the licences of packages that are part of the page, each below its name. */
async function licencesOf(packages) {
  const texts = packages.map(
    async (name) => `${name}\n\n${await readFile(`node_modules/${name}/LICENSE`, 'utf8')}`,
  );
  return (await Promise.all(texts)).join('\n');
}

/**
 * uPlot makes a format for the language of the browser when it is loaded, which fails in a language that is no tag, such
 * as `en-US@posix`. The explorer writes its numbers itself.
 */
const chartsInAnyLanguage = {
  name: 'charts in any language',
  setup({ onLoad }) {
    onLoad({ filter: /uPlot\.esm\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text.replace("domEnv ? nav.language : 'en-US'", "'en-US'");
      if (contents === text) throw new Error(`${path} asks for the language of the browser in another way`);
      return { contents };
    });
  },
};
