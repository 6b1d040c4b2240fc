// The first code of the built program: a query runs code that V8 compiled for a plain one when asof was built, if this
// very Node did it. Why: docs/decisions/the-build.md

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

/** Lets `require` run a part of the program with its compiled code, if there is any. */
function takeCompiledCode(path) {
  const { extensions } = require;
  // A single executable has a `require` and compiled code of its own.
  if (extensions === undefined) return;
  const load = extensions['.js'];
  extensions['.cjs'] = (part, id) => {
    if (id !== path) return load(part, id);
    let compiled;
    try {
      compiled = require('node:fs').readFileSync(compiledBy(path));
    } catch {
      return load(part, id);
    }
    return runPart(part, id, compiled);
  };
}

/** Compiles a part by a run of the program, up to all functions that the run calls. */
function compileFor(path, program) {
  const load = require.extensions['.js'];
  require.extensions['.cjs'] = (part, id) => {
    if (id !== path) return load(part, id);
    const script = runPart(part, id);
    process.once('exit', () => require('node:fs').writeFileSync(compiledBy(path), script.createCachedData()));
  };
  require(program);
}

module.exports = { compileFor, takeCompiledCode };
