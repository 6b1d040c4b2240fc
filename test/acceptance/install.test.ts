import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { scratchFolder } from '../support/folders.ts';
import { compiler, manifest, root, tools } from '../support/repository.ts';
import { facts } from '../support/scratch-store.ts';

/** The environment without what npm sets for the scripts that it runs. */
const plain = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

/** What npm says on this machine, with the settings of its user and of the variables `npm_config_…`. */
function ownNpm(...args: readonly string[]): string {
  return spawnSync('npm', args, { encoding: 'utf8', cwd: root }).stdout;
}

const npm = join(ownNpm('root', '--global').trim(), 'npm', 'bin', 'npm-cli.js');

/** The settings by which npm reaches its registry here, as variables, because an empty home has none of them. */
const reaching = Object.fromEntries(
  Object.entries(JSON.parse(ownNpm('config', 'list', '--json')) as Record<string, unknown>)
    .filter(([name]) =>
      ['registry', 'cache', 'cafile', 'proxy', 'https-proxy', 'noproxy', 'strict-ssl'].includes(name),
    )
    .filter(([, value]) => value !== null && String(value) !== '')
    .map(([name, value]) => [`npm_config_${name.replaceAll('-', '_')}`, String(value)]),
);

/** Runs npm on a Node; throws what npm says if it fails or takes too long. */
function runNpm(node: string, env: NodeJS.ProcessEnv, ...args: readonly string[]): string {
  const { status, signal, stdout, stderr } = spawnSync(node, [npm, ...args], {
    cwd: root,
    env: { ...plain, ...reaching, npm_config_audit: 'false', ...env },
    encoding: 'utf8',
    timeout: 180_000,
  });
  if (status === 0) return stdout;
  throw new Error(`npm ${args.join(' ')} ended with ${status ?? signal}:\n${stdout}${stderr}`);
}

/** The program of a version of Node, from the package in which npm carries it; installed once, beside other caches. */
function nodeOf(version: string): string {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = join(tools, '.cache', 'asof-runtimes', version);
  const program = join(folder, 'node_modules', name, 'bin', 'node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  runNpm(process.execPath, {}, 'install', '--prefix', folder, '--ignore-scripts', `${name}@${version}`);
  return program;
}

let tarball = '';
beforeAll(() => {
  const folder = scratchFolder();
  const packed = runNpm(
    process.execPath,
    {},
    'pack',
    '--ignore-scripts',
    '--json',
    '--pack-destination',
    folder,
  );
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  tarball = join(folder, filename);
});

/** asof, installed on a machine without a compiler, without Python and without a home of the user. */
type Installed = {
  readonly prefix: string;
  readonly home: string;
  readonly seconds: number;
  /** Runs the installed command, on the Node that installed it or on another version. */
  readonly asof: (
    args: readonly string[],
    version?: string,
  ) => { readonly status: number | null; readonly stdout: string; readonly stderr: string };
};

/** A folder in which `node` is a version of Node. */
function toolsOf(version: string): string {
  const tools = scratchFolder();
  symlinkSync(nodeOf(version), join(tools, 'node'));
  return tools;
}

/** Installs asof from its package into an empty prefix. */
function install(installing: string): Installed {
  const [prefix, home, tools] = [scratchFolder(), scratchFolder(), toolsOf(installing)];
  const env = { HOME: home, PATH: tools };
  const began = performance.now();
  runNpm(join(tools, 'node'), env, 'install', '--global', '--prefix', prefix, '--ignore-scripts', tarball);
  return {
    prefix,
    home,
    seconds: (performance.now() - began) / 1000,
    asof(args, version = installing) {
      const PATH = version === installing ? tools : toolsOf(version);
      const options = { cwd: '/', env: { ...env, PATH }, encoding: 'utf8' } as const;
      const { status, stdout, stderr } = spawnSync(join(prefix, 'bin', 'asof'), args, options);
      return { status, stdout, stderr };
    },
  };
}

const question = 'obs GDP --as-of 2015-01-30 --from 2014-10-01 --columns date,value,as_of_date'.split(' ');
const answer = { status: 0, stdout: 'date,value,as_of_date\n2014-10-01,17710.7,2015-01-30\n', stderr: '' };

describe('the package', () => {
  it('is at most 15 MB', () => {
    expect(statSync(tarball).size).toBeLessThan(15_000_000);
  });

  it('installs on Node 22 in seconds without a compiler or install scripts, and works there and on Node 24', () => {
    const { asof, home, prefix, seconds } = install('22');
    expect(seconds).toBeLessThan(60);
    for (const version of ['22', '24']) {
      expect(asof(question, version)).toEqual(answer);
      const [given, store] = [join(home, `${version}.csv`), join(home, `${version}.db`)];
      writeFileSync(given, facts('S 2020-01-01 2020-02-01 1.50'));
      expect(asof(['import', given, '-q', '--store', store], version)).toMatchObject({ status: 0 });
      const { stdout } = asof(['obs', 'S', '--columns', 'value', '--store', store], version);
      expect(stdout).toBe('value\n1.50\n');
    }
    const program = `
      import { open } from '${join(prefix, 'lib', 'node_modules', manifest.name, 'dist', 'index.js')}';
      const asof = await open();
      const { rows } = await asof.observations('GDP', { asOf: '2015-01-30', limit: 1 });
      console.log(rows[0].date, rows[0].value);
    `;
    const options = { env: { HOME: scratchFolder() }, encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync(nodeOf('24'), ['--input-type=module', '-e', program], options);
    expect([stdout, stderr]).toEqual(['2014-10-01 17710.7\n', '']);
  });

  it('says on Node 20 in one line what to run where the driver is missing, and works once it is there', () => {
    const { asof, home, prefix } = install('20');
    expect(asof(['--version']).status).toBe(0);
    expect(asof(['help', 'obs']).status).toBe(0);
    const given = join(home, 'given.csv');
    writeFileSync(given, facts('S 2020-01-01 2020-02-01 1.50'));
    const plan = join(home, 'plan.txt');
    writeFileSync(plan, 'gdp.csv obs GDP\n');
    const line =
      /^asof: the SQLite driver for Node v20\.[\d.]+ is not installed \(npm install --global (better-sqlite3@12\.11) installs it\)(; nothing was written)?\n$/;
    for (const command of [
      question,
      ['import', given],
      ['facts', 'GDP'],
      ['keys', 'create', '--name', 'Ada'],
      ['serve', '--port', '0'],
      ['snapshot', plan, '--out', join(home, 'desk')],
    ]) {
      expect(asof(command)).toEqual({ status: 10, stdout: '', stderr: expect.stringMatching(line) });
    }
    const [, spec = ''] = line.exec(asof(question).stderr) ?? [];
    const [name = '', version = ''] = spec.split('@');
    // What the command installs, compiled already: the development dependency of this repository.
    const driver = join(root, 'node_modules', name);
    const { version: built } = JSON.parse(readFileSync(join(driver, 'package.json'), 'utf8'));
    expect(built).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')}\\.`));
    cpSync(driver, join(prefix, 'lib', 'node_modules', name), { recursive: true });
    expect(asof(question)).toEqual(answer);
  });

  it('has types that hold in a strict program, its own among them, however that resolves modules', () => {
    const folder = scratchFolder();
    const modules = join(folder, 'node_modules');
    mkdirSync(join(modules, '@types'), { recursive: true });
    spawnSync('tar', ['xzf', tarball, '-C', modules]);
    mkdirSync(join(modules, dirname(manifest.name)));
    renameSync(join(modules, 'package'), join(modules, manifest.name));
    for (const name of ['@types/node', 'undici-types'])
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const path = join(folder, 'program.ts');
    writeFileSync(path, typedProgram);
    const strict = '--strict --noEmit --exactOptionalPropertyTypes --noUncheckedIndexedAccess';
    const usual = `${strict} --lib es2023 --types node --target es2022 --pretty false`;
    const compiled = (flags: string) => {
      const line = [...usual.split(' '), ...flags.split(' '), path];
      const { status, stdout } = spawnSync(process.execPath, [compiler, ...line], {
        cwd: folder,
        encoding: 'utf8',
      });
      return [status, stdout];
    };
    // The types of the package are checked themselves once.
    expect(compiled('--module nodenext --moduleResolution nodenext')).toEqual([0, '']);
    expect(compiled('--module esnext --moduleResolution bundler --skipLibCheck')).toEqual([0, '']);
  });
});

/** What an economist writes, with the types that the package exports; the marked lines are mistakes. */
const typedProgram = `
import { type Asof, type Day, type InputRow, type Note, type ObservationRow, type OperationRow, type PanelParams } from '@asof-data/asof';
import { open, Problem, type Result, type WideRow } from '@asof-data/asof';
const notes: Note[] = [];
const asof: Asof = await open(undefined, { onNote: (note) => notes.push(note), signal: AbortSignal.timeout(1000) });
const known = (id: string, asOf: Day): Promise<Result<ObservationRow>> => asof.observations(id, { asOf, units: 'pc1' });
const { rows, nextCursor } = await known('GDP', '2015-01-30');
const next = await asof.observations('GDP', { cursor: nextCursor, limit: 5 });
const value: string | undefined = (rows[0] ?? next.rows[0])?.value;
const how: PanelParams = { asOfEach: 'month-end', from: '2008-01-01', to: '2008-06-30' };
const wide: readonly WideRow[] = (await asof.panel(['GDP', 'PAYEMS'], { ...how, wide: true })).rows;
const mean: string | null | undefined = (await asof.revisions('GDP', { stats: true, release: [1, 'final'] })).rows[0]?.mean;
const slope: string | null | undefined = (await asof.curve({ vs: '2007-06-29' })).rows[0]?.change_bps;
const cluster: OperationRow<'insider_clusters'> | undefined = (await asof.insiderClusters()).rows[0];
const day: string | undefined = (await asof.insiderClusters({ signals: true })).rows[0]?.day;
const trades: readonly InputRow[] = [{ day: '2008-10-08', price: 98.4 }];
for await (const row of asof.insiderFilings.all({ ticker: 'MAIA' })) console.log(row.filing_date, row.is_director);
try {
  await asof.join(trades, 'GDP', { on: 'day', strict: true });
} catch (error) {
  if (error instanceof Problem) console.log(error.kind === 'not-found', error.hints.join());
}
// @ts-expect-error a mistyped parameter
await asof.observations('GDP', { asof: '2015-01-30' });
// @ts-expect-error one id
await asof.observations(['GDP']);
// @ts-expect-error no such unit
await asof.observations('GDP', { units: 'yy' });
console.log(value, wide[0]?.GDP, mean, slope, cluster?.insiders[0]?.owner_name, day);
`;
