import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { build, transform } from 'esbuild';

const options = { platform: 'node', target: 'node20', minify: true };

/** What every query to a store of one's own runs: these lie in one file, because each file more costs its start half a millisecond. */
const startTogether = [
  'bin/asof.ts',
  'src/cli/program.ts',
  'src/client/embedded.ts',
  'src/store/open.ts',
  'src/store/sqlite/reader.ts',
  'src/render/csv.ts',
];

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
  const together = partsOf(startTogether, metafile.outputs);
  const wrapped = [];
  for (const { path, text } of outputFiles) {
    const name = basename(path);
    const code = await commonJs(text);
    await mkdir(dirname(path), { recursive: true });
    if (!together.has(relative('.', path))) await writeFile(path, code);
    else wrapped.push(`${JSON.stringify(name)}(module,exports,require,__dirname){${withoutHashbang(code)}}`);
    if (together.has(relative('.', path)) && name !== 'asof.cjs') {
      await writeFile(path, `module.exports=require("../asof.cjs").part(${JSON.stringify(name)});\n`);
    }
  }
  await writeFile('dist/asof.cjs', startFile(wrapped));
  const built = new Set(outputFiles.map(({ path }) => basename(path)));
  for (const name of await readdir('dist/parts')) if (!built.has(name)) await rm(`dist/parts/${name}`);
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
function startFile(wrapped) {
  return `#!/usr/bin/env node
"use strict";
const parts = {${wrapped.join(',\n')}};
const { join } = require("node:path");
const folder = join(__dirname, "parts");
const loaded = new Map();
const find = (name) => {
  const base = name.slice(name.lastIndexOf("/") + 1);
  if (name.startsWith(".") && Object.hasOwn(parts, base)) return part(base);
  return require(name.startsWith(".") ? join(folder, base) : name);
};
const part = (name) => {
  let module = loaded.get(name);
  if (module === undefined) {
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
