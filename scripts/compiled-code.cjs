// The first code of the built program: parts run code that V8 compiled for plain lines when asof was built, if this very
// Node did it. Why: docs/decisions/the-build.md

/** Names the compiled code of a part for this Node; another may not be able to run it. */
function compiledBy(path) {
  return `${path}.${process.version}-${process.platform}-${process.arch}`;
}

/** Runs a part like `require`, with compiled code unless V8 refuses it; returns its script. */
function runPart(part, path, cachedData) {
  const { createRequire, wrap } = require('node:module');
  const { Script } = require('node:vm');
  const script = new Script(wrap(require('node:fs').readFileSync(path, 'utf8')), {
    filename: path,
    cachedData,
  });
  const folder = require('node:path').dirname(path);
  script.runInThisContext().call(part.exports, part.exports, createRequire(path), part, path, folder);
  return script;
}

/** Lets `require` run each part that has compiled code with it. */
function takeCompiledCode() {
  const { extensions } = require;
  // A single executable has a `require` and compiled code of its own.
  if (extensions === undefined) return;
  const { readFileSync } = require('node:fs');
  extensions['.cjs'] = (part, path) => {
    let compiled;
    try {
      compiled = readFileSync(compiledBy(path));
    } catch {
      return extensions['.js'](part, path);
    }
    return runPart(part, path, compiled);
  };
}

/** Compiles each part that a run of the program is the first to load, with all functions that the run calls. */
function compileParts(program) {
  const { existsSync, writeFileSync } = require('node:fs');
  const { extensions } = require;
  extensions['.cjs'] = (part, path) => {
    const target = compiledBy(path);
    if (path === program || existsSync(target)) return extensions['.js'](part, path);
    const script = runPart(part, path);
    process.once('exit', () => writeFileSync(target, script.createCachedData()));
  };
  require(program);
}

module.exports = { compileParts, takeCompiledCode };
