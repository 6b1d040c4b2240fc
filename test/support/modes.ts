import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Gate, newKey } from '../../src/server/keys/gate.ts';
import { type Plan, shippedPlans } from '../../src/server/keys/plans.ts';
import { serve } from '../../src/server/serve.ts';
import { openAccess } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { scratchFolder } from './folders.ts';
import { newStorePath } from './scratch-store.ts';

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

/** A store, the time, and the plan of the key. Default: `unlimited`. */
type Asked = {
  readonly openStore: () => Promise<Store>;
  readonly clock?: () => Date;
  readonly plan?: Plan | undefined;
};

/** Where a service counts, and how it serves. */
type Serving = Pick<ServeOptions, 'explorer' | 'maxSeconds' | 'metrics' | 'timeouts'> & {
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
