import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { build } from 'esbuild';
import swaggerFolder from 'swagger-ui-dist/absolute-path.js';
import { buildCompiledCode } from './build-compiled-code.mjs';
import { buildDriver } from './build-driver.mjs';
import { buildExamples } from './build-examples.mjs';
import { buildExplorer } from './build-explorer.mjs';
import { buildProgram } from './build-program.mjs';
import { buildSample } from './build-sample.mjs';

// What takes long runs beside the rest: the driver, and below the types beside the sample.
const driver = buildDriver();
// A failure is thrown where the driver is awaited.
driver.catch(() => undefined);

await buildProgram();

const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));

// The library. Like the program it holds the code of better-sqlite3 12, whose binary may be missing (src/store/sqlite).
// It keeps its lines: Node prints the line that throws before an uncaught error.
await build({
  entryPoints: ['src/index.ts'],
  outfile: 'dist/index.js',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  external: [...Object.keys(dependencies), '@resvg/resvg-js', 'bindings'],
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
});

// The library for pages, which asks a service by fetch. What takes the place of Node's modules there:
const forPages = {
  'node:timers/promises': 'export const setImmediate = () => new Promise((resolve) => setTimeout(resolve));',
  // Only a store computes hashes.
  'node:crypto': 'export const createHash = undefined;',
  transport: await readFile('src/client/remote/fetch-transport.ts', 'utf8'),
  open: "export function openTable() { throw new TypeError('a page has no files: pass the rows of the table'); }",
};
const withoutNode = {
  name: 'without-node',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'for-pages' }));
    onLoad({ filter: /./, namespace: 'for-pages' }, ({ path }) => ({ contents: forPages[path] }));
    onLoad({ filter: /[\\/](remote[\\/]transport|table[\\/]open)\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: forPages[/(\w+)\.ts$/.exec(path)[1]],
    }));
  },
};
await build({
  entryPoints: ['src/browser.ts'],
  outfile: 'dist/browser.js',
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
  minify: true,
  plugins: [withoutNode],
});

// The reference page of the service.
await mkdir('dist/swagger-ui', { recursive: true });
for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE'])
  await copyFile(`${swaggerFolder()}/${name}`, `dist/swagger-ui/${name}`);
for (const name of ['page.html', 'page.js'])
  await copyFile(`src/server/reference/${name}`, `dist/swagger-ui/${name}`);

await buildExplorer();

// The second writes some files of the first again, for pages: without what needs the types of Node.
const types = buildTypes('tsconfig.build.json').then(() => buildTypes('tsconfig.browser.json'));
types.catch(() => undefined);

// The program that has just been built reads data/ into the store that is shipped with it.
await driver;
await buildSample();
await buildExamples();
await buildCompiledCode();
await types;

/** Writes the types of a library, which `npm run types` checks; throws for a type that cannot be written. */
async function buildTypes(project) {
  const compiler = 'node_modules/typescript-native/bin/tsc';
  const child = spawn(process.execPath, [compiler, '-p', project], { stdio: 'inherit' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the types of ${project} cannot be written`);
}
