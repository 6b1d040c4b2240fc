import { once } from 'node:events';
import { LRUCache } from 'lru-cache';
import { checkPlans, Gate } from '../../server/keys/gate.ts';
import { loadPlans } from '../../server/keys/plans.ts';
import { openAccess, openStore } from '../../store/open.ts';
import type { StoredObservation } from '../../store/store.ts';
import { accessPath, storeToRead } from '../config/places.ts';
import type { ServeLine } from '../options/line.ts';
import type { Io } from '../terminal/io.ts';
import { exitCode } from '../terminal/io.ts';

/** About 2000 pages of 100 observations, which is 25 MB. */
const pageCache = {
  maxSize: 200_000,
  sizeCalculation: (rows: readonly StoredObservation[]) => rows.length + 1,
} as const;

/** `asof serve`: serves the store over HTTP until SIGTERM or SIGINT; SIGHUP reopens the store. */
export async function runServe(line: ServeLine, io: Io): Promise<number> {
  const { host, port, publicUrl, billingUrl, quiet } = line;
  const { serve } = await import('../../server/serve.ts');
  const plans = await loadPlans(line.plans);
  const access = await openAccess(accessPath(io, line.access), { counting: true });
  try {
    await checkPlans(access, plans);
    const serving = await serve({
      openStore: () =>
        openStore(storeToRead(io, line.store).path, { live: true, pages: new LRUCache(pageCache) }),
      gate: await Gate.open(access, plans),
      host,
      port,
      log: io.stderr,
      keyCommand: [
        'asof keys create --name NAME --plan PLAN',
        ...(line.access === undefined ? [] : [`--access ${line.access}`]),
        ...(line.plans === undefined ? [] : [`--plans ${line.plans}`]),
      ].join(' '),
      readableLog: io.stderr.isTTY === true,
      clock: io.clock,
      ...(publicUrl !== undefined && { publicUrl }),
      ...(billingUrl !== undefined && { billingUrl }),
      ...(quiet && { quiet }),
    });
    io.onHangup?.(() => serving.reload());
    if (!io.signal.aborted) await once(io.signal, 'abort');
    await serving.stop();
    return exitCode.success;
  } finally {
    await access.close();
  }
}
