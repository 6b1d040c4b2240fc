import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { builtProgram } from '../support/repository.ts';

/** The built program as a service over a store, with a key of a plan with vintage access and of one without. */
export class ServiceProcess {
  readonly keys: Readonly<Record<'pro' | 'free', string>>;
  readonly #child: ChildProcess;
  readonly #port: number;
  #errors = '';

  private constructor(child: ChildProcess, port: number, keys: Readonly<Record<'pro' | 'free', string>>) {
    this.#child = child;
    this.#port = port;
    this.keys = keys;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (/"err"|Error:/.test(text)) this.#errors += text;
    });
  }

  /** Starts the service in an empty folder. */
  static async start(folder: string, store: string): Promise<ServiceProcess> {
    const unlimited = { monthly_limit: 2e9, daily_limit: 2e9, rate_per_minute: 2e9 };
    const plans = ['pro', 'free'].map((name) => ({ name, ...unlimited, vintage_access: name === 'pro' }));
    const plansFile = join(folder, 'plans.json');
    writeFileSync(plansFile, JSON.stringify(plans));
    const env = { PATH: process.env.PATH, HOME: folder, ASOF_ACCESS: join(folder, 'access.db') };
    const newKey = (plan: string) => {
      const create = ['keys', 'create', '--name', plan, '--plan', plan, '--plans', plansFile];
      return spawnSync(process.execPath, [builtProgram, ...create], { env, encoding: 'utf8' }).stdout.trim();
    };
    const keys = { pro: newKey('pro'), free: newKey('free') };
    const serve = ['serve', '--port', '0', '--plans', plansFile, '--store', store];
    const child = spawn(process.execPath, [builtProgram, ...serve], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const port = await new Promise<number>((resolve, reject) => {
      let log = '';
      child.stderr.on('data', function listen(text) {
        log += text;
        const found = /"url":"http:[^"]+:(\d+)"/.exec(log)?.[1];
        if (found === undefined) return;
        child.stderr.off('data', listen);
        resolve(Number(found));
      });
      child.once('exit', (code) => reject(new Error(`asof serve ended with ${code}: ${log}`)));
    });
    return new ServiceProcess(child, port, keys);
  }

  /**
   * Everything that the service sends on a connection on which a client sends this, and whether the service ended it.
   * A client that `closes` does so when it has sent everything.
   */
  ask(
    sent: Buffer,
    piece: number,
    closes: boolean,
  ): Promise<{ readonly received: Buffer; readonly ended: boolean }> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: this.#port, host: '127.0.0.1', allowHalfOpen: true });
      const received: Buffer[] = [];
      let ended = true;
      // A service that waits for the rest of a body has said all that it has to say.
      const quiet = setTimeout(() => {
        ended = false;
        socket.end();
      }, 1000);
      const silent = setTimeout(() => {
        socket.destroy();
        reject(new Error(`the connection is open after 20 seconds, with ${Buffer.concat(received)}`));
      }, 20_000);
      socket.on('data', (chunk) => {
        received.push(chunk);
        quiet.refresh();
      });
      socket.on('error', reject);
      socket.on('close', () => {
        clearTimeout(quiet);
        clearTimeout(silent);
        resolve({ received: Buffer.concat(received), ended });
      });
      socket.on('end', () => socket.end());
      void (async () => {
        for (let at = 0; at < sent.length; at += piece) {
          if (!socket.writable) return;
          socket.write(sent.subarray(at, at + piece));
          await new Promise(setImmediate);
        }
        if (closes) socket.end();
      })();
    });
  }

  /** An answer to a well-formed request. */
  async get(target: string): Promise<{ readonly next_cursor?: string }> {
    const response = await fetch(`http://127.0.0.1:${this.#port}${target}`, {
      headers: { 'X-API-Key': this.keys.pro },
    });
    return response.json() as Promise<{ readonly next_cursor?: string }>;
  }

  /** Whether the service has not ended. */
  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Throws an Error if the service has ended, or logged an error. */
  checkHealth(): void {
    if (!this.isRunning) throw new Error(`the service has ended: ${this.#errors}`);
    if (this.#errors !== '') throw new Error(`the service logged ${this.#errors}`);
  }

  /** The memory of the service in megabytes. */
  memory(): number {
    const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(this.#child.pid)], { encoding: 'utf8' });
    return Number(stdout) / 1024;
  }

  /** Ends the service. */
  stop(): void {
    this.#child.kill('SIGKILL');
  }
}
