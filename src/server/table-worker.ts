import { parentPort, workerData } from 'node:worker_threads';
import { Problem } from '../errors/problem.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { type TableJob, tableBytes } from './table-bytes.ts';
import type { WorkerData, WorkerReply } from './table-workers.ts';

// The program of a thread that makes tables, one after the other. Each message asks for the next bytes of a table:
// the first one has its job.
const { address, billingUrl } = workerData as WorkerData;
let store: Promise<Store> | undefined;
let bytes: AsyncGenerator<Uint8Array, string | undefined> | undefined;

parentPort?.on('message', async (job: TableJob | 'next') => {
  try {
    if (job !== 'next') {
      store ??= openStore(address);
      bytes = tableBytes(job, { store: await store, ...(billingUrl !== undefined && { billingUrl }) });
    }
    const next = await bytes?.next();
    if (next === undefined || next.done === true) return reply({ cursor: next?.value });
    // A copy owns its memory, which can then move to the other thread.
    const chunk = new Uint8Array(next.value);
    reply({ chunk }, [chunk.buffer]);
  } catch (error) {
    reply({ failure: sentFailure(error) });
  }
});

function reply(message: WorkerReply, moved: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, moved);
}

/** A failure in a form that survives the way between threads, which keeps no class. */
function sentFailure(error: unknown): Extract<WorkerReply, { failure: unknown }>['failure'] {
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (!(error instanceof Problem)) return { cause };
  const { kind, headline: detail, ...options } = error;
  return { problem: { kind, detail, options }, cause: causeOf(error) ?? cause };
}

function causeOf({ cause }: Error): string | undefined {
  return cause instanceof Error ? (cause.stack ?? cause.message) : undefined;
}
