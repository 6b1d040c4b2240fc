import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const program = join(dist, 'asof.cjs');

/** The requests that the plan of a key allows are the same for everybody; how many it has made is not. */
const used = { daily_used: 12, monthly_used: 340 };

/** The plans of the two keys: the shipped plan `pro`, and one that may also ask what a store follows. */
const plans = ['pro', 'owner'].map((name) => ({
  ...{ name, monthly_limit: 1_000_000, daily_limit: 50_000, rate_per_minute: 600 },
  vintage_access: true,
}));

/**
 * Writes what the built asof answers from the sample to the example of each endpoint, with one row: the description of
 * a service shows it.
 */
export async function buildExamples() {
  const folder = await mkdtemp(join(tmpdir(), 'asof-examples-'));
  const env = { PATH: process.env.PATH, HOME: folder, ASOF_ACCESS: join(folder, 'access.db') };
  const plansFile = join(folder, 'plans.json');
  await writeFile(plansFile, JSON.stringify(plans));
  const [key, ownersKey] = plans.map(({ name }) => {
    const create = [program, 'keys', 'create', '--name', name, '--plan', name, '--plans', plansFile];
    return spawnSync(process.execPath, create, { env, encoding: 'utf8' }).stdout.trim();
  });
  const service = spawn(
    process.execPath,
    [program, 'serve', '--port', '0', '--store', join(dist, 'sample.db'), '--plans', plansFile],
    {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  try {
    const url = await addressOf(service);
    const { paths } = await (await fetch(`${url}/v1/openapi.json`)).json();
    const examples = {};
    for (const { operationId, description } of Object.values(paths).map(({ get }) => get)) {
      const [, asked] = /Example: `GET ([^`]+)`\.$/.exec(description) ?? [];
      if (!asked?.startsWith('/v1/')) continue;
      const ask = (secret) => fetch(url + asked, { headers: { 'x-api-key': secret } });
      const first = await ask(key);
      const response = first.status === 403 ? await ask(ownersKey) : first;
      if (!response.ok) throw new Error(`${asked} was answered with ${response.status}`);
      const { results, results_count: _, has_more: __, next_cursor: ___, ...answer } = await response.json();
      const row = operationId === 'ping' ? { ...results[0], ...used } : results[0];
      // The description shows an id of its own.
      examples[operationId] = {
        ...answer,
        request_id: '',
        results: row === undefined ? [] : [row],
        results_count: row === undefined ? 0 : 1,
        has_more: false,
      };
    }
    await writeFile(join(dist, 'examples.json'), JSON.stringify(examples));
  } finally {
    service.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The address that a service logs when it is ready. */
async function addressOf({ stderr }) {
  for await (const line of createInterface({ input: stderr })) {
    const url = /"url":"(http:[^"]+)"/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('asof serve ended before it was ready');
}
