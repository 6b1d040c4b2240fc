import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll } from 'vitest';
import { type Asof, open } from '../../src/index.ts';
import { Gate, newKey } from '../../src/server/keys/gate.ts';
import { type Plan, shippedPlans } from '../../src/server/keys/plans.ts';
import { serve } from '../../src/server/serve.ts';
import { openAccess, openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { asof, type Ended, type Surroundings } from './command.ts';
import { newFolder, scratchFolder } from './folders.ts';
import { importPaths, newStorePath } from './scratch-store.ts';

/** A plan with the rights of the owner of a store, so that even a ping is the same as without a service. */
export const unlimited: Plan = {
  name: 'owner',
  monthlyLimit: 2147483647,
  dailyLimit: 2147483647,
  ratePerMinute: 2147483647,
  vintageAccess: true,
  maxRows: 2147483647,
  maxConcurrent: 4,
};

/** A store, the time, and the plan of the key; without a plan there is no key. */
export type Asked = {
  readonly openStore: () => Promise<Store>;
  readonly clock?: () => Date;
  readonly plan?: Plan | undefined;
};

/** Where a service counts, and how it serves. */
type Serving = Pick<ServeOptions, 'corsOrigins' | 'explorer' | 'maxSeconds' | 'metrics' | 'timeouts'> & {
  readonly accessAddress?: string;
};

type ServeOptions = Parameters<typeof serve>[0];

/** A service that runs, and the key of its one customer. */
export type Running = { readonly url: string; readonly key: string; readonly stop: () => Promise<void> };

/** The same with its log, and the address of its metrics if they have a port. */
type Started = Running & {
  readonly metricsUrl: string | undefined;
  /** The lines of its log so far. */
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
};

/** Starts the service of a store on a free port. */
export async function startService(asked: Asked & Serving): Promise<Started> {
  const { openStore, plan = unlimited, accessAddress = newStorePath(scratchFolder()), ...serving } = asked;
  const access = await openAccess(accessAddress, { counting: true });
  const { secret, stored } = newKey({ name: 'test', plan: plan.name, now: new Date() });
  await access.addKey(stored);
  const log = new PassThrough();
  let said = '';
  log.on('data', (text) => {
    said += text;
  });
  const { url, metricsUrl, stop } = await serve({
    openStore,
    gate: await Gate.open(access, new Map([...shippedPlans, [plan.name, plan]])),
    host: '127.0.0.1',
    port: 0,
    log,
    ...serving,
    timeouts: { notice: 0, ...serving.timeouts },
  });
  return {
    url,
    metricsUrl,
    key: secret,
    log: () => said.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
    async stop() {
      await stop();
      await access.close();
    },
  };
}

/** A reverse proxy that serves a service below a prefix, and an HTML page everywhere else. */
export async function behindPrefix(url: string, prefix: string): Promise<Omit<Running, 'key'>> {
  const { port } = new URL(url);
  const server = createServer((asked, answer) => {
    const path = asked.url ?? '/';
    if (!path.startsWith(`${prefix}/`)) {
      answer
        .writeHead(404, { 'content-type': 'text/html' })
        .end('<!doctype html><title>Nothing here</title>');
      return;
    }
    const { method, headers } = asked;
    const onward = forward(
      { host: '127.0.0.1', port, method, headers, path: path.slice(prefix.length) },
      (got) => {
        answer.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(answer);
      },
    );
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Where a command gets its answers. */
export type CommandMode = 'embedded' | 'remote';

/** Both modes, for `describe.each`. */
export const commandModes: readonly CommandMode[] = ['embedded', 'remote'];

/** A store that commands ask in both modes while the tests of a file run. */
export type AskedStore = {
  readonly store: string;
  /** The environment of a command that asks it, for transcripts. */
  readonly as: (mode: CommandMode) => Surroundings;
  /** Runs a line of words, separated by spaces; with what its standard input has. */
  readonly run: (mode: CommandMode, line: string, stdin?: string | Buffer) => Promise<Ended>;
  /** The store in the library, on 15 March 2026. */
  readonly library: () => Asof;
};

/** Imports files of the repository and made-up ones, by name, into a store that is asked. */
export function askedStore(
  files: readonly string[],
  made: Readonly<Record<string, string>> = {},
): AskedStore {
  const folder = newFolder();
  const store = folder.path('asked.db');
  return asking(store, () =>
    importPaths(store, [
      ...files,
      ...Object.entries(made).map(([name, content]) => folder.write(name, content)),
    ]),
  );
}

/** Makes a store before the tests of a file; a service of it runs until their end, on a day if one is given. */
export function asking(store: string, make: () => Promise<unknown>, now?: Date): AskedStore {
  let service: Running;
  let library: Asof;
  beforeAll(async () => {
    await make();
    service = await startService({
      openStore: () => openStore(store),
      ...(now !== undefined && { clock: () => now }),
    });
    library = await open(store, { clock: () => new Date('2026-03-15T12:00:00Z') });
  });
  afterAll(async () => {
    await library.close();
    await service.stop();
  });
  const as = (mode: CommandMode) => ({
    env:
      mode === 'embedded' ? { ASOF_STORE: store } : { ASOF_BASE_URL: service.url, ASOF_API_KEY: service.key },
  });
  return {
    store,
    as,
    run: (mode, line, stdin) =>
      asof(line.split(' '), {
        ...as(mode),
        ...(stdin !== undefined && { stdin: Readable.from([Buffer.from(stdin)], { objectMode: false }) }),
      }),
    library: () => library,
  };
}
