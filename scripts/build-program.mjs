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
  external: ['bindings', 'cloudflare:sockets', 'pg-native'],
  define: { 'import.meta.dirname': '__dirname' },
};
/** Node takes twice as long for `import()` of a CommonJS file as for `require`. */
const commonJs = { format: 'cjs', supported: { 'dynamic-import': false } };

/** What a query loads, from a store or a service: files of `dist/`, and modules that each holds with their static imports. */
const files = {
  asof: ['bin/asof.ts'],
  query: ['src/cli/dispatch.ts'],
  remote: ['src/cli/run/remote-session.ts', 'src/client/remote/client.ts'],
};

/**
 * Builds the program: the files above, and `dist/parts/` of what else is behind an `import()`. Each module is in one file,
 * and the others import it from there. esbuild's own splitting makes fifty files of what a query loads, which take 15 ms
 * (docs/decisions/0060-build.md).
 */
export async function buildProgram() {
  await mkdir(join(root, 'dist'), { recursive: true });
  const { homes, lazyModules } = await findHomes();
  for (const file of Object.keys(files)) await buildFile(file, homes);
  await buildParts(lazyModules, homes);
  await chmod(join(root, 'dist/asof.cjs'), 0o755);
}

/** The home of each module that is in one of `files`: the file, and the names that it exports; and the modules of the parts. */
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

/** Writes one of `files`. It exports every name of its modules, for the other files. */
async function buildFile(file, homes) {
  const exported = [...homes]
    .filter(([, home]) => home.file === file)
    .map(([path, home]) => `export { ${renamed(home)} } from './${path}';`);
  const imported = files[file].map((path) => `import './${path}';`);
  const { outputFiles } = await build({
    ...bundle,
    ...commonJs,
    stdin: { contents: [...exported, ...imported].join('\n'), resolveDir: root },
    banner: { js: file === 'asof' ? '#!/usr/bin/env node' : '' },
    plugins: [importsFromHomes(homes, file)],
  });
  await writeFile(join(root, `dist/${file}.cjs`), outputFiles[0].contents);
}

/** Writes the parts. esbuild splits only ES modules, so that each part is translated afterwards. */
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

/** Exports of the names of a module by names that are unique in the program. */
function renamed({ names, number }) {
  return names.map((name) => `${name} as ${name}$${number}`).join(', ');
}

/** Exports of the same by their own names. */
function restored({ names, number }) {
  return names.map((name) => `${name}$${number} as ${name}`).join(', ');
}
