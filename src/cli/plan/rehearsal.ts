import type { Client } from '../../client/client.ts';
import { type Day, latestDay, utcDay } from '../../domain/series/date.ts';
import type { PlanLine } from '../../snapshot/plan.ts';
import type { Shell } from '../shell.ts';
import type { Io } from '../terminal/io.ts';
import type { Sink } from '../terminal/sink.ts';
import { boundedClient } from './bounded-client.ts';
import { lineIo } from './line-io.ts';

/** What a rehearsal needs: the day that nothing may go beyond, and what the line would run with. */
export type Rehearsing = { readonly day: Day; readonly shell: Shell; readonly io: Io };

/** Runs a line on no data, and writes nothing: whatever it would be refused for, it is refused for now. */
export async function rehearse({ name, words }: PlanLine, { day, shell, io }: Rehearsing): Promise<void> {
  const client = boundedClient(emptyClient(io.clock), day);
  const failures: unknown[] = [];
  const failed = (error: unknown) => void failures.push(error);
  const runner = { client, sink: forgetful, answered: () => undefined, failed };
  await shell.run([...words, '--quiet', '--output', name], lineIo(io, { runner }));
  if (failures.length > 0) throw failures[0];
}

const forgetful: Sink = {
  write: async () => true,
  committed: () => false,
  restart: async () => undefined,
  finish: async () => undefined,
  abandon: async () => undefined,
};

/** A client of no data at all, which reads the parameters of a question as a service would. */
export function emptyClient(clock: () => Date): Client {
  return {
    async ask({ prepare, object }, given) {
      const now = clock();
      prepare(given, { latest: latestDay(now), today: utcDay(now) });
      const asOf = given.find(([name]) => name === 'as_of')?.[1];
      return {
        object,
        request_id: '',
        status: 'ok',
        ...(asOf !== undefined && { as_of: asOf }),
        results: [],
        results_count: 0,
        has_more: false,
      };
    },
    watch: async () => ({ changed: async () => false, requests: () => 0 }),
    origin: async () => ({ mode: 'embedded', where: '', sample: false }),
    close: async () => undefined,
  };
}
