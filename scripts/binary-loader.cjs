// The first code of a single executable, and of its threads: runs the files of the build, which the executable holds.
// Why: docs/decisions/single-executable.md

/** The packages that the build requires where they are installed. */
const bundled = ['@resvg/resvg-js', 'csv-stringify/sync', 'pdfkit'];

/** Makes the loader of files that `contentOf` gives by their names. */
function filesIn(contentOf) {
  const vm = require('node:vm');
  const textOf = (name) => Buffer.from(contentOf(name)).toString('utf8');
  let known;
  /** The names of all files, with the SHA-256 of each. */
  const index = () => {
    known ??= JSON.parse(textOf('index.json'));
    return known;
  };
  const parts = new Map();

  /** Runs a part once, like `require`; modules that are no part are Node's own. */
  const load = (name) => {
    const loaded = parts.get(name);
    if (loaded !== undefined) return loaded.exports;
    const text = `(function (exports, require, module, __filename, __dirname) { ${textOf(name)}\n})`;
    const cachedData = contentOf(`${name}.cache`);
    const script = new vm.Script(text, { filename: name, ...(cachedData && { cachedData }) });
    const part = { exports: {}, script };
    parts.set(name, part);
    script.runInThisContext().call(part.exports, part.exports, requireIn, part, name, '/asof');
    return part.exports;
  };
  const requireIn = (id) => {
    if (bundled.includes(id)) return load(id);
    return id.startsWith('.') ? load(id.replace(/^.*\//, '')) : require(id);
  };

  /** Returns the path of a file for programs that need one: a copy in a folder that only the user can write to. */
  const pathOf = (name) => {
    const { lstatSync, mkdirSync, renameSync, statSync, writeFileSync } = require('node:fs');
    const { homedir, tmpdir, userInfo } = require('node:os');
    const { join } = require('node:path');
    const content = contentOf(name);
    const copyIn = (folder) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const { uid, mode } = lstatSync(folder);
      if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o22) !== 0))
        throw new Error(`others can write to ${folder}`);
      const path = join(folder, `${index()[name].slice(0, 16)}-${name}`);
      if (statSync(path, { throwIfNoEntry: false })?.size === content.byteLength) return path;
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, content, { mode: 0o600 });
      renameSync(draft, path);
      return path;
    };
    const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    try {
      return copyIn(join(cache, 'asof', 'files'));
    } catch {
      return copyIn(join(tmpdir(), `asof-${userInfo().uid}`));
    }
  };

  return {
    load,
    parts,
    pathOf,
    read: (name) => Buffer.from(contentOf(name)),
    names: (folder) =>
      Object.keys(index()).flatMap((name) =>
        name.startsWith(`${folder}/`) ? [name.slice(folder.length + 1)] : [],
      ),
    /** Returns the program of a thread as text. */
    thread: (name) => `${textOf('loader.cjs')}\nbegin('${name}');`,
  };
}

/** Runs a part of the executable, which finds all others by a global name. */
function begin(name) {
  const { getRawAsset } = require('node:sea');
  const files = filesIn((asked) => {
    try {
      return new Uint8Array(getRawAsset(asked));
    } catch {
      return undefined;
    }
  });
  globalThis[Symbol.for('asof.files')] = files;
  files.load(name);
}

module.exports = { begin, bundled, filesIn };
