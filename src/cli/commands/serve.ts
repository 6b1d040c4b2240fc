import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { sharedFlags } from '../../lines/shared-flags.ts';
import { defined } from '../../platform/defined.ts';
import { variable } from '../../platform/installation.ts';
import { checkPlans, Gate } from '../../server/keys/gate.ts';
import { loadPlans } from '../../server/keys/plans.ts';
import { openAccess, openStore } from '../../store/open.ts';
import type { StoredObservation } from '../../store/store.ts';
import { accessPath, type StoreChoice, storeToRead } from '../config/places.ts';
import { type ServeTexts, serveFlags, serveValues, typedSettings } from '../config/serve-settings.ts';
import { checkedKey } from '../config/user-key.ts';
import { exitCode } from '../terminal/io.ts';
import { command } from './command.ts';

/** About 2000 pages of 100 observations, which is 25 MB. */
const pageCache = {
  maxSize: 200_000,
  sizeCalculation: (rows: readonly StoredObservation[]) => rows.length + 1,
} as const;

/** The key in a file. */
function keyIn(path: string): string {
  try {
    return checkedKey(readFileSync(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw systemProblem('read', `the key of /metrics, ${path}`, error);
  }
}

const serveStore = command({
  words: 'serve',
  heading: 'Service',
  summary: 'Serve a store over HTTP',
  about: `Every flag with a value is also a variable (--metrics-port is ASOF_METRICS_PORT) and a name in
the JSON file of --config. Precedence: flag, variable, file, default.`,
  examples: `
# a service on this machine, until Ctrl-C (needs a free port)
asof serve --port 8787
# behind a proxy that ends TLS (needs the proxy)
asof serve --public-url https://data.example.org 2>> serve.log
# with metrics for Prometheus (needs two free ports)
asof serve --metrics-port 9464
`,
  args: [],
  flags: [
    ...serveFlags,
    {
      name: 'config',
      value: 'file',
      complete: 'files',
      about: 'JSON file of these settings (or ASOF_CONFIG)',
    },
    { ...sharedFlags.quiet, about: 'same as --log-level warn' },
  ],
  read(line) {
    const texts = typedSettings(line);
    if (line.has('quiet') && line.has('log-level'))
      throw new Problem('bad-input', 'use either --quiet or --log-level');
    const typed: ServeTexts = {
      ...texts,
      ...(line.has('quiet') && { 'log-level': 'warn' }),
    };
    return { typed, config: line.text('config') };
  },
  async run(line, io) {
    const values = serveValues(line.typed, line.config ?? variable(io, 'ASOF_CONFIG'), io);
    const { host = '', port = 0, 'metrics-port': metricsPort, 'metrics-key': metricsKey } = values;
    const { serve } = await import('../../server/serve.ts');
    const plans = await loadPlans(values.plans);
    const key = metricsKey === undefined ? undefined : keyIn(metricsKey);
    let served: StoreChoice | undefined;
    const access = await openAccess(accessPath(io, values.access), { counting: true });
    try {
      await checkPlans(access, plans, io.clock());
      const serving = await serve({
        async openStore() {
          const chosen = storeToRead(io, values.store);
          const store = await openStore(chosen.path, { live: true, pages: new LRUCache(pageCache) });
          served = chosen;
          return store;
        },
        // The sample is served only until the user has a store.
        isOutdated: () => served?.isSample === true && !storeToRead(io, values.store).isSample,
        gate: await Gate.open(access, plans),
        host,
        port,
        log: io.stderr,
        keyCommand: [
          'asof keys create --name NAME --plan PLAN',
          ...(line.typed.access === undefined ? [] : [`--access ${line.typed.access}`]),
          ...(values.plans === undefined ? [] : [`--plans ${values.plans}`]),
        ].join(' '),
        readableLog: io.stderr.isTTY === true,
        clock: io.clock,
        ...defined({
          publicUrl: values['public-url'],
          billingUrl: values['billing-url'],
          logLevel: values['log-level'],
          maxSeconds: values['max-seconds'],
          corsOrigins: values['cors-origin'],
        }),
        ...(values.explorer === 'on' && { explorer: true }),
        ...((metricsPort !== undefined || key !== undefined) && {
          metrics: defined({ port: metricsPort, key }),
        }),
      });
      io.onHangup?.(() => serving.reload());
      if (!io.signal.aborted) await once(io.signal, 'abort');
      await serving.stop();
      return exitCode.success;
    } finally {
      await access.close();
    }
  },
});

/** `asof serve`: serves the store over HTTP until SIGTERM or SIGINT; SIGHUP reopens the store. */
export const commands = [serveStore];
