import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const root = fileURLToPath(new URL('../', import.meta.url));
const options = { platform: 'node', target: 'node20', minify: true, legalComments: 'none' };
const bundle = {
  ...options,
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  write: false,
  // better-sqlite3's search for its binary, and what pg loads where it is installed; asof does without.
  external: ['@resvg/resvg-js', 'bindings', 'cloudflare:sockets', 'pg-native'],
  define: { 'import.meta.dirname': '__dirname' },
};
/** Node takes twice as long for `import()` of a CommonJS file as for `require`. */
const commonJs = { format: 'cjs', supported: { 'dynamic-import': false } };

/**
 * What a query loads, from a store or a service: the files of `dist/`, by the modules whose static imports each
 * holds.
 */
const files = {
  asof: ['bin/asof.ts'],
  query: ['src/cli/dispatch.ts'],
  remote: ['src/cli/run/remote-session.ts', 'src/client/remote/client.ts'],
};

/**
 * Builds the program: the files above, and `dist/parts/` of what else is behind an `import()`. Each module is in one
 * file, and the others import it from there. esbuild's own splitting makes fifty files of what a query loads, which
 * take 15 ms (docs/decisions/the-build.md).
 */
export async function buildProgram() {
  await mkdir(join(root, 'dist'), { recursive: true });
  const { homes, lazyModules } = await findHomes();
  const parts = await buildParts(lazyModules, homes);
  const whole = {};
  for (const file of Object.keys(files)) whole[file] = await buildFile(file, homes);
  // Again, with only the exports that other files import: what is exported is kept, and takes time to start.
  for (const file of Object.keys(files)) {
    const others = Object.keys(files).flatMap((other) => (other === file ? [] : [whole[other]]));
    await buildFile(file, homes, namesIn([...parts, ...others]));
  }
  await chmod(join(root, 'dist/asof.cjs'), 0o755);
  // In one file of its own: the files above run the program when they are loaded.
  const worker = {
    entryPoints: ['src/server/table-worker.ts'],
    outExtension: { '.js': '.cjs' },
    write: true,
  };
  await build({ ...bundle, ...commonJs, ...worker });
}

/** The home of each module that is in one of `files`, with the names that it exports; and the modules of the parts. */
async function findHomes() {
  const homes = new Map();
  const lazyModules = new Set();
  for (const [file, modules] of Object.entries(files)) {
    const plugin = onOwnImport((path, kind) => {
      if (kind === 'dynamic-import') lazyModules.add(path);
      return kind === 'dynamic-import' || homes.has(path) ? { path, external: true } : undefined;
    });
    const { metafile } = await build({ ...bundle, metafile: true, entryPoints: modules, plugins: [plugin] });
    for (const [path, names] of await exportsOf(modulesIn(metafile)))
      homes.set(path, { file, names, number: homes.size });
  }
  return { homes, lazyModules: [...lazyModules].filter((path) => !homes.has(path)) };
}

/** The modules of asof that are in an output, without those of which nothing is used. */
function modulesIn({ outputs }) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const used = inputs.filter(([path, { bytesInOutput }]) => path.startsWith('src/') && bytesInOutput > 0);
  return [...new Set(used.map(([path]) => path))];
}

/** The names that each module exports. */
async function exportsOf(entryPoints) {
  const alone = { absWorkingDir: root, outdir: 'dist', write: false, format: 'esm', metafile: true };
  const { metafile } = await build({ ...alone, entryPoints });
  return Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]);
}

/**
 * Writes one of `files`, which exports the names of its modules that are `imported`, or all of them; resolves to its
 * text.
 */
async function buildFile(file, homes, imported) {
  const own = [...homes].filter(([, home]) => home.file === file);
  const loaded = files[file].map((path) => `import './${path}';`);
  const exported =
    file === 'asof'
      ? own.map(([path, home]) => `export { ${renamed(home, imported)} } from './${path}';`)
      : plainExports(own, imported);
  const { outputFiles } = await build({
    ...bundle,
    ...commonJs,
    stdin: { contents: [...exported, ...loaded].join('\n'), resolveDir: root },
    banner: { js: file === 'asof' ? '#!/usr/bin/env node' : '' },
    plugins: [importsFromHomes(homes, file), quickNodeModules],
  });
  const [{ contents, text }] = outputFiles;
  await writeFile(join(root, `dist/${file}.cjs`), contents);
  return text;
}

/**
 * Node's modules in a form that takes no time to load. A plain query needs no hash, and esbuild copies all properties
 * of what has a default import. Commander starts subcommands that are programs with `node:child_process`; asof has
 * none.
 */
const nodeModules = {
  'node:child_process': '',
  'node:crypto': "export const createHash = (name) => require('node:crypto').createHash(name);",
  'node:module': 'export const createRequire = () => require;',
  'node:process': 'export default process;',
};

const quickNodeModules = {
  name: 'quick-node-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) => {
      // What commander requires is the module itself, but for the one that it can do without.
      const isRequired = kind === 'require-call';
      if (!Object.hasOwn(nodeModules, path) || isRequired !== (path === 'node:child_process'))
        return undefined;
      return { path, namespace: 'quick' };
    });
    onLoad({ filter: /./, namespace: 'quick' }, ({ path }) => ({ contents: nodeModules[path] }));
  },
};

/**
 * Writes the parts; resolves to their texts. esbuild splits only ES modules, so that each part is translated
 * afterwards.
 */
async function buildParts(modules, homes) {
  const { outputFiles } = await build({
    ...bundle,
    entryPoints: Object.fromEntries(modules.map((path) => [nameOf(path), path])),
    outdir: 'dist/parts',
    outExtension: { '.js': '.cjs' },
    format: 'esm',
    splitting: true,
    plugins: [importsFromHomes(homes)],
  });
  const folder = join(root, 'dist/parts');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const { path, text } of outputFiles)
    await writeFile(path, (await transform(text, { ...options, ...commonJs })).code);
  return outputFiles.map(({ text }) => text);
}

/** Makes one of `files`, or a part, import each module from its home, and load a part at any other `import()`. */
function importsFromHomes(homes, file) {
  const folder = file === undefined ? '..' : '.';
  return onOwnImport(
    (path, kind) => {
      const home = homes.get(path);
      if (home !== undefined) return home.file === file ? undefined : { path, namespace: 'home' };
      const isPart = kind === 'dynamic-import' && file !== undefined;
      return isPart ? { path: `./parts/${nameOf(path)}.cjs`, external: true } : undefined;
    },
    ({ onResolve, onLoad }) => {
      onResolve({ filter: /./, namespace: 'home' }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /./, namespace: 'home' }, ({ path }) => {
        const home = homes.get(path);
        return { contents: `export { ${restored(home)} } from '${folder}/${home.file}.cjs';` };
      });
    },
  );
}

/** A plugin that resolves the imports of asof's own modules, which it gets by their path in the repository. */
function onOwnImport(resolve, setup = () => undefined) {
  return {
    name: 'own-imports',
    setup(esbuild) {
      setup(esbuild);
      esbuild.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir, kind }) =>
        resolve(relative(root, join(resolveDir, path)), kind),
      );
    },
  };
}

/** `src_cli_run_query` of `src/cli/run/query.ts`. */
function nameOf(path) {
  return path.replace(/\.ts$/, '').replaceAll(/\W/g, '_');
}

/**
 * Assigns the exports of modules as plain values when all of them have run. `export` would make two functions for
 * each name, which takes a millisecond; only `asof` needs it, whose names are read while it runs.
 */
function plainExports(own, imported) {
  const names = own.flatMap(([, home]) => uniqueNames(home, imported));
  const imports = own.map(([path, home]) => `import { ${renamed(home, imported)} } from './${path}';`);
  return [...imports, `module.exports = { ${names.join(', ')} };`];
}

/** The names of a module that are imported, each as the one that is unique in the program. */
function renamed(home, imported) {
  return uniqueNames(home, imported)
    .map((name) => `${name.replace(/\$\d+$/, '')} as ${name}`)
    .join(', ');
}

/** The unique names of those names of a module that are imported. */
function uniqueNames({ names, number }, imported) {
  return names.map((name) => `${name}$${number}`).filter((name) => imported?.has(name) ?? true);
}

/** The names in texts that look like the unique ones of the program. */
function namesIn(texts) {
  return new Set(texts.flatMap((text) => text.match(/\w+\$\d+/g) ?? []));
}

/** Exports of the same by their own names. */
function restored({ names, number }) {
  return names.map((name) => `${name}$${number} as ${name}`).join(', ');
}
