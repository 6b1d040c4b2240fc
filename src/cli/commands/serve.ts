import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { accessPath, storeToRead } from '../config/places.ts';
import { withStoreFlag } from '../options/flags.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';

type ServeFlags = {
  readonly host: string;
  readonly port: string;
  readonly publicUrl?: string;
  readonly billingUrl?: string;
  readonly plans?: string;
  readonly store?: string;
  readonly access?: string;
  readonly quiet?: boolean;
};

/** Adds the flag that names the file of keys and usage. */
export function withAccessFlag(command: Command): Command {
  return command.option('--access <path>', 'the file of keys and their usage (or ASOF_ACCESS)');
}

/** `asof serve`: the store over HTTP until SIGTERM or SIGINT; SIGHUP opens the store anew. */
export function serveCommand(command: Command, io: Io, done: (code: number) => void): void {
  withAccessFlag(withStoreFlag(command))
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .option('--port <port>', 'the port to listen on; 0 is any that is free', '8787')
    .option('--public-url <url>', 'the address under which clients reach the service')
    .option('--billing-url <url>', 'where a plan can be upgraded')
    .option('--plans <file>', 'a JSON file of plans instead of free and pro')
    .option('-q, --quiet', 'log failures alone')
    .action(async () => done(await runServe(command.opts<ServeFlags>(), io)));
}

async function runServe(flags: ServeFlags, io: Io): Promise<number> {
  const port = portOf(flags.port);
  const publicUrl = urlOf('--public-url', flags.publicUrl);
  const billingUrl = urlOf('--billing-url', flags.billingUrl);
  const [{ openAccess, openStore }, { serve }, { checkPlans, Gate }] = await Promise.all([
    import('../../store/open.ts'),
    import('../../server/serve.ts'),
    import('../../server/keys/gate.ts'),
  ]);
  const plans = await plansOf(flags.plans);
  const access = await openAccess(accessPath(io, flags.access), { counting: true });
  try {
    await checkPlans(access, plans);
    const serving = await serve({
      openStore: () => openStore(storeToRead(io, flags.store).path, { live: true }),
      gate: await Gate.open(access, plans),
      host: flags.host,
      port,
      log: io.stderr,
      clock: io.clock,
      ...(publicUrl !== undefined && { publicUrl }),
      ...(billingUrl !== undefined && { billingUrl }),
      ...(flags.quiet === true && { quiet: true }),
    });
    io.onHangup?.(() => serving.reload());
    if (!io.signal.aborted) await once(io.signal, 'abort');
    await serving.stop();
    return exitCode.success;
  } finally {
    await access.close();
  }
}

/** The plans of a file, or those that asof ships. */
export async function plansOf(file: string | undefined) {
  const { parsePlans, shippedPlans } = await import('../../server/keys/plans.ts');
  if (file === undefined) return shippedPlans;
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw systemProblem('read', `the plans ${file}`, cause);
  });
  return parsePlans(text, file);
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new Problem('bad-input', `--port ${JSON.stringify(text)}: use a number from 0 to 65535`);
}

function urlOf(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.hash !== '')
    throw new Problem('bad-input', `${flag} ${JSON.stringify(text)}: use an http or https address`);
  return text.replace(/\/+$/, '');
}
