import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asof, sample, timedAsof } from './measure.mjs';

/** A service of the sample without limits, and keys of two users. */
export async function startService(folder) {
  // A new folder, because another service may still hold its access store.
  const place = mkdtempSync(join(folder, 'service-'));
  const [access, plans] = ['access.db', 'plans.json'].map((name) => join(place, name));
  const limit = 2_147_483_647;
  const limits = { monthly_limit: limit, daily_limit: limit, rate_per_minute: limit };
  writeFileSync(plans, JSON.stringify([{ name: 'bench', vintage_access: true, max_rows: limit, ...limits }]));
  const owner = ['--access', access, '--plans', plans];
  const [key, otherKey] = ['one', 'other'].map((name) => {
    const output = join(place, name);
    timedAsof(['keys', 'create', '--name', name, '--plan', 'bench', ...owner], { output });
    return readFileSync(output, 'utf8').trim();
  });
  const service = await started([asof, 'serve', '--port', '0', '--store', sample, ...owner]);
  return { service, key, otherKey };
}

/** Starts a server in a new process; resolves when it says its address. The rest of what it says is dropped. */
export function started(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    let said = '';
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}: ${said}`)));
    const hear = (text) => {
      if (said.length < 10_000) said += text;
      const url = /(?:"url":"| listens on |^)(http:\/\/[^"\s]+)/.exec(said)?.[1];
      if (url !== undefined) resolve({ child, url });
    };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', hear);
  });
}
