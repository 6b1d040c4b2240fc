import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { build, transform } from 'esbuild';

const options = { platform: 'node', target: 'node20', minify: true };

/**
 * What is always run together lies in one file, because each file more costs a start half a millisecond: what every
 * query to a store of one's own runs is the program itself, what one to a service runs besides is a file of its own.
 */
const together = {
  asof: [
    'bin/asof.ts',
    'src/cli/program.ts',
    'src/client/embedded.ts',
    'src/store/open.ts',
    'src/store/sqlite/reader.ts',
    'src/render/delimited.ts',
  ],
  remote: [
    'src/cli/run/remote-session.ts',
    'src/client/remote/client.ts',
    'src/client/remote/undici-direct.ts',
  ],
};

/**
 * Parts of node that a library loads at its start for what asof never does with it, at a cost of some milliseconds:
 * undici's HTTP/2, which it does without where node has none, and commander's subcommands that are programs of their own.
 */
const leftOut = {
  name: 'left-out',
  setup({ onResolve, onLoad }) {
    // For undici alone: the server's adaptor names a class of it.
    onResolve({ filter: /^node:http2$/ }, ({ path, importer }) =>
      importer.includes('/undici/') ? { path, namespace: 'left-out' } : undefined,
    );
    onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      importer.includes('/commander/') ? { path, namespace: 'left-out' } : undefined,
    );
    onLoad({ filter: /http2/, namespace: 'left-out' }, () => ({
      contents: "throw new Error('left out by the build')",
    }));
    onLoad({ filter: /child_process/, namespace: 'left-out' }, () => ({ contents: 'module.exports = {}' }));
  },
};

/**
 * Builds `dist/asof.cjs` and `dist/parts/`: what lies behind an `import()` is a part of its own, so that a command reads
 * and compiles only what it runs. CommonJS, because node starts that faster; esbuild splits only ES modules, so each
 * part is translated afterwards.
 */
export async function buildProgram() {
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: ['bin/asof.ts'],
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    chunkNames: 'parts/[hash]',
    bundle: true,
    format: 'esm',
    splitting: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    // better-sqlite3's search for its binary, which asof does without.
    external: ['bindings'],
    plugins: [leftOut],
    define: { 'import.meta.dirname': '__dirname' },
  });
  const start = partsOf(together.asof, metafile.outputs);
  const remote = new Set([...partsOf(together.remote, metafile.outputs)].filter((path) => !start.has(path)));
  const grouped = new Set([...start, ...remote].map((path) => basename(path)));
  const wrapped = { start: [], remote: [] };
  await mkdir('dist/parts', { recursive: true });
  for (const { path, text } of outputFiles) {
    const name = basename(path);
    const code = await commonJs(text);
    const group = [start, remote].findIndex((paths) => paths.has(relative('.', path)));
    if (group < 0) await writeFile(path, askingTheStart(code, grouped));
    else Object.values(wrapped)[group].push(wrappedPart(name, code));
  }
  const remoteNames = [...remote].map((path) => basename(path));
  await writeFile('dist/parts/remote.cjs', `module.exports={${wrapped.remote.join(',\n')}};\n`);
  await writeFile('dist/asof.cjs', startFile(wrapped.start, remoteNames));
  const built = new Set([...outputFiles.map(({ path }) => basename(path)), 'remote.cjs']);
  for (const name of await readdir('dist/parts'))
    if (!built.has(name) || grouped.has(name)) await rm(`dist/parts/${name}`);
}

/** A part in a file with others: a function that runs it. */
function wrappedPart(name, code) {
  return `${JSON.stringify(name)}(module,exports,require,__dirname){${withoutHashbang(code)}}`;
}

/** A part in a file of its own: what lies together with others it has from the program. */
function askingTheStart(code, grouped) {
  return code.replace(/\brequire\("\.\/(\w+\.cjs)"\)/g, (call, name) =>
    grouped.has(name) ? `require("../asof.cjs").part("${name}")` : call,
  );
}

/** The output files that hold these sources, and all that they import at once. */
function partsOf(sources, outputs) {
  const found = new Set();
  const add = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: next, kind } of outputs[path].imports)
      if (kind === 'import-statement' && next in outputs) add(next);
  };
  for (const source of sources) {
    const [path] =
      Object.entries(outputs).find(
        ([, { entryPoint, inputs }]) => entryPoint === source || source in inputs,
      ) ?? [];
    if (path === undefined) throw new Error(`${source} is in no part of the program`);
    add(path);
  }
  return found;
}

async function commonJs(text) {
  // Through `require`: node's own `import()` of a CommonJS file costs twice as much.
  const { code } = await transform(text, {
    ...options,
    format: 'cjs',
    supported: { 'dynamic-import': false },
  });
  return code;
}

function withoutHashbang(code) {
  return code.replace(/^#!.*\n/, '');
}

/** A file whose parts run when they are first asked for, by the names under which they would lie in `parts/`. */
function startFile(wrapped, remote) {
  return `#!/usr/bin/env node
"use strict";
const parts = {${wrapped.join(',\n')}};
const { join } = require("node:path");
const folder = join(__dirname, "parts");
const remote = new Set(${JSON.stringify(remote)});
const loaded = new Map();
const find = (name) => {
  if (!name.startsWith(".")) return require(name);
  const base = name.slice(name.lastIndexOf("/") + 1);
  return remote.has(base) || Object.hasOwn(parts, base) ? part(base) : require(join(folder, base));
};
const part = (name) => {
  let module = loaded.get(name);
  if (module === undefined) {
    if (!Object.hasOwn(parts, name)) Object.assign(parts, require(join(folder, "remote.cjs")));
    module = { exports: {} };
    loaded.set(name, module);
    parts[name](module, module.exports, find, folder);
  }
  return module.exports;
};
module.exports = { part };
part("asof.cjs");
`;
}
