import { join } from 'node:path';
import type { Client } from '../../client/client.ts';
import type { Day } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { TalkFlags } from '../options/flags.ts';
import type { Session } from '../run/session.ts';
import { dataChanged, settled } from '../run/settled.ts';
import type { Shell } from '../shell.ts';
import { exitCode } from '../terminal/exit-code.ts';
import { progress } from '../terminal/progress.ts';
import { boundedClient } from './bounded-client.ts';
import { lineIo } from './line-io.ts';
import type { BoundLine } from './plan-line.ts';

/** What it takes to run the lines of a plan. */
export type Running = {
  readonly session: Session;
  readonly shell: Shell;
  readonly flags: TalkFlags;
  readonly day: Day;
  /** The folder that the files go to. */
  readonly folder: string;
  /** The same failure, said of the line that it is of. */
  readonly explain: (error: unknown, line: BoundLine) => unknown;
};

/**
 * Runs all lines and writes their files, out of one state of the data: when it changed meanwhile, all are run anew. Gives
 * the number of rows of each, and what `also` sees of the data in the same state.
 */
export async function writeLines<T>(
  lines: readonly BoundLine[],
  running: Running,
  also: (client: Client) => Promise<T>,
): Promise<{ readonly rows: readonly number[]; readonly also: T }> {
  const { session, flags } = running;
  const { client, io } = session;
  const bar = progress(io, flags);
  try {
    return await settled(async () => {
      const { changed } = await client.watch();
      const rows: number[] = [];
      for (const [done, line] of lines.entries()) {
        bar.show(() => line.name, { done, total: lines.length });
        rows.push(await writeLine(line, running));
      }
      const seen = await also(client);
      if (await changed()) throw dataChanged();
      return { rows, also: seen };
    });
  } finally {
    bar.clear();
  }
}

async function writeLine(line: BoundLine, running: Running): Promise<number> {
  const { session, shell, flags, folder, explain } = running;
  const { io, client } = session;
  const failures: unknown[] = [];
  let rows = 0;
  const runner = {
    client: { ...boundedClient(client, running.day), watch: unwatched },
    answered(count: number) {
      rows = count;
    },
    failed: (error: unknown) => void failures.push(error),
  };
  const debug = flags.debug === true;
  const argv = [...line.words, debug ? '--debug' : '--quiet', '--output', join(folder, line.name)];
  try {
    io.signal.throwIfAborted();
    const code = await shell.run(argv, lineIo(io, { runner, ...(debug && { stderr: io.stderr }) }));
    if (failures.length > 0) throw failures[0];
    if (code !== exitCode.success && code !== exitCode.empty) throw new Error(`the line ended with ${code}`);
    if (code === exitCode.empty)
      throw new Problem('no-rows', 'it gives no rows, which --fail-empty does not allow');
    return rows;
  } catch (error) {
    throw io.signal.aborted ? error : explain(error, line);
  }
}

/** The state of the data is watched over all lines, not by each. */
const unwatched: Client['watch'] = async () => ({ changed: async () => false, requests: () => 0 });
