import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * The files that hold what `asof --version`, a query to a store and a query to a service load, by the modules from which
 * each is reached. A module is in the first file that reaches it by static imports; everything else is split by its
 * `import()`s. Each file more costs a query 0.3 ms (docs/decisions/the-build.md).
 */
const files = {
  start: ['src/cli/main.ts', 'src/platform/installation.ts'],
  query: ['src/cli/dispatch.ts'],
  remote: ['src/client/remote/client.ts'],
};

/** Builds the program, `dist/asof.cjs`, and the thread that answers tables for the service; both share `dist/parts`. */
export async function buildProgram() {
  await rm(join(root, 'dist/parts'), { recursive: true, force: true });
  const homes = new Map();
  const bundle = await rolldown({
    cwd: root,
    input: { asof: 'bin/asof.ts', 'table-worker': 'src/server/tables/table-worker.ts' },
    platform: 'node',
    // Packages of pictures, which find their own files; better-sqlite3's search for its binary, and what pg loads where it
    // is installed; asof does without these.
    external: ['@resvg/resvg-js', 'pdfkit', 'bindings', 'cloudflare:sockets', 'pg-native'],
    transform: { target: 'node20', define: { 'import.meta.dirname': '__dirname' } },
    // An `import()` of a module that a query loads anyway makes no file.
    checks: { ineffectiveDynamicImport: false },
    plugins: [quickNodeModules, homesOfModules(homes)],
  });
  await bundle.write({
    dir: 'dist',
    // Node takes 8 ms longer to start ES modules.
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'parts/[name].cjs',
    minify: true,
    comments: false,
    // A single executable finds modules by `require`.
    dynamicImportInCjs: false,
    codeSplitting: {
      groups: Object.keys(files).map((name, place, { length }) => ({
        name,
        priority: length - place,
        test: (id) => homes.get(id) === name,
      })),
    },
  });
  await bundle.close();
  await chmod(join(root, 'dist/asof.cjs'), 0o755);
}

/** Notes the file of each module that one of `files` reaches. */
function homesOfModules(homes) {
  return {
    name: 'homes-of-modules',
    buildEnd() {
      for (const [file, paths] of Object.entries(files)) {
        const waiting = paths.map((path) => join(root, path));
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          if (homes.has(id)) continue;
          homes.set(id, file);
          waiting.push(...(this.getModuleInfo(id)?.importedIds ?? []));
        }
      }
    },
  };
}

/**
 * Node's modules in a form that takes no time to load. A plain query needs no hash, and a default import copies all
 * properties of a module. Commander starts subcommands that are programs with `node:child_process`; asof has none.
 */
const nodeModules = {
  'node:child_process': '',
  'node:crypto': `let loaded; const crypto = () => (loaded ??= require('node:crypto'));
    ${['createHash', 'hash', 'randomBytes', 'randomUUID', 'timingSafeEqual']
      .map((name) => `export const ${name} = (...given) => crypto().${name}(...given);`)
      .join('\n')}`,
  'node:module': 'export const createRequire = () => require;',
  'node:process': 'export default process;',
};

const quickNodeModules = {
  name: 'quick-node-modules',
  resolveId(id, importer, { kind }) {
    // conf, which only a user with settings loads, uses more of them.
    if (importer?.includes('node_modules/conf/')) return undefined;
    // What commander requires is the module itself, but for the one that it can do without.
    const isRequired = kind === 'require-call';
    const isQuick = Object.hasOwn(nodeModules, id) && isRequired === (id === 'node:child_process');
    return isQuick ? `\0${id}` : undefined;
  },
  load: (id) => nodeModules[id.replace('\0', '')],
};
