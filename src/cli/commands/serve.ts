import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import type { ServeLine } from '../../lines/line.ts';
import { variable } from '../../platform/installation.ts';
import { checkPlans, Gate } from '../../server/keys/gate.ts';
import { loadPlans } from '../../server/keys/plans.ts';
import { openAccess, openStore } from '../../store/open.ts';
import type { StoredObservation } from '../../store/store.ts';
import { accessPath, type StoreChoice, storeToRead } from '../config/places.ts';
import { serveValues } from '../config/serve-settings.ts';
import { checkedKey } from '../config/user-key.ts';
import { exitCode, type Io } from '../terminal/io.ts';

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

/** `asof serve`: serves the store over HTTP until SIGTERM or SIGINT; SIGHUP reopens the store. */
export async function runServe(line: ServeLine, io: Io): Promise<number> {
  const values = serveValues(line.typed, line.config ?? variable(io, 'ASOF_CONFIG'), io);
  const {
    host = '',
    port = 0,
    'log-level': logLevel,
    'max-seconds': maxSeconds,
    'public-url': publicUrl,
    'billing-url': billingUrl,
  } = values;
  const { 'cors-origin': corsOrigins, 'metrics-port': metricsPort, 'metrics-key': metricsKey } = values;
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
      ...(publicUrl !== undefined && { publicUrl }),
      ...(billingUrl !== undefined && { billingUrl }),
      ...(logLevel !== undefined && { logLevel }),
      ...(maxSeconds !== undefined && { maxSeconds }),
      ...(values.explorer === true && { explorer: true }),
      ...(corsOrigins !== undefined && { corsOrigins }),
      ...((metricsPort !== undefined || key !== undefined) && {
        metrics: {
          ...(metricsPort !== undefined && { port: metricsPort }),
          ...(key !== undefined && { key }),
        },
      }),
    });
    io.onHangup?.(() => serving.reload());
    if (!io.signal.aborted) await once(io.signal, 'abort');
    await serving.stop();
    return exitCode.success;
  } finally {
    await access.close();
  }
}
