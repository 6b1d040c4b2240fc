import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { builtProgram } from './repository.ts';

type Surroundings = { readonly cwd: string; readonly env: Readonly<Record<string, string>> };

/** The built program while it runs. */
type RunningProcess = {
  readonly child: ChildProcess;
  /** What it has written so far. */
  readonly log: () => string;
  readonly exited: Promise<number | null>;
};

const running = new Set<ChildProcess>();

/** Kills what this file has started. */
export function killProcesses(): void {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
}

/** Runs the built program until `killProcesses`. */
export function startProgram(words: readonly string[], { cwd, env }: Surroundings): RunningProcess {
  const child = spawn(process.execPath, [builtProgram, ...words], { cwd, env });
  running.add(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text;
    });
  return { child, log: () => said, exited: once(child, 'exit').then(([code]) => code) };
}

/** A service in a process of its own. */
export type ServiceProcess = RunningProcess & {
  readonly url: string;
  readonly get: (path: string, key?: string, headers?: Record<string, string>) => Promise<Response>;
};

/** Starts `asof serve`, and waits until it has said where it listens. */
export async function startServing(
  flags: readonly string[],
  surroundings: Surroundings,
): Promise<ServiceProcess> {
  const program = startProgram(['serve', ...flags], surroundings);
  const { child, log, exited } = program;
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', () => {
      const found = /"url":"(http:[^"]+)"/.exec(log())?.[1];
      if (found !== undefined) resolve(found);
    });
    void exited.then((code) => reject(new Error(`it ended with ${code}: ${log()}`)));
  });
  return {
    ...program,
    url,
    get: (path, key, headers = {}) =>
      fetch(url + path, { headers: { ...(key !== undefined && { 'x-api-key': key }), ...headers } }),
  };
}

/** A file of plans without limits but those on the requests of a day. */
export function plansWith(dailyLimits: Readonly<Record<string, number>>): string {
  const most = { monthly_limit: 1_000_000, rate_per_minute: 1_000_000, vintage_access: true };
  const plans = Object.entries(dailyLimits).map(([name, daily_limit]) => ({ name, daily_limit, ...most }));
  return JSON.stringify(plans);
}
