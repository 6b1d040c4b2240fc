import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { cpuOf, cpuOfCluster, cpuOfMachine } from './cpu.mjs';
import { asof, median, timedAsof, tool } from './measure.mjs';
import { started } from './servers.mjs';

const autocannon = tool('autocannon');

const connections = 32;
const seconds = 5;
const rounds = 3;

/**
 * Different pages from one process of a service and from three, in turn, over one database with its keys. Requests
 * that reach a process together are counted together, so three are asked over as many connections in all, and over as
 * many each.
 */
export async function instances(folder, cluster, { store, access, series }) {
  const plans = join(folder, 'plans.json');
  const limit = 2_147_483_647;
  const limits = { monthly_limit: limit, daily_limit: limit, rate_per_minute: limit };
  writeFileSync(plans, JSON.stringify([{ name: 'bench', vintage_access: true, ...limits }]));
  const owner = ['--access', access, '--plans', plans];
  const keyFile = join(folder, 'key');
  timedAsof(['keys', 'create', '--name', 'bench', '--plan', 'bench', ...owner], { output: keyFile });
  const headers = { 'x-api-key': readFileSync(keyFile, 'utf8').trim() };
  const requests = Array.from({ length: 500 }, (_, i) => ({
    method: 'GET',
    path: `/v1/series/SERIES${String((i % series) + 1).padStart(5, '0')}/observations?as_of=2010-${String((i % 12) + 1).padStart(2, '0')}-15`,
    headers,
  }));
  const running = [];
  try {
    for (let i = 0; i < 3; i += 1)
      running.push(await started([asof, 'serve', '--port', '0', '--store', store, ...owner]));
    const load = { running, cluster, requests };
    await underLoad(load, 3, connections);
    const [one, three, each] = [[], [], []];
    for (let round = 0; round < rounds; round += 1) {
      one.push(await underLoad(load, 1, connections));
      three.push(await underLoad(load, 3, Math.floor(connections / 3)));
      each.push(await underLoad(load, 3, connections));
    }
    return report({ 'one service': one, three, 'three, over as many connections each': each });
  } finally {
    for (const { child } of running) child.kill();
  }
}

/**
 * Asks the first `count` services for some seconds; gives the requests a second, and what each of them cost in CPU
 * time.
 */
async function underLoad({ running, cluster, requests }, count, connections) {
  const spent = () => ({
    services: running.reduce((sum, { child }) => sum + cpuOf(child.pid), 0),
    database: cpuOfCluster(cluster),
    generator: cpuOf('self'),
    machine: cpuOfMachine(),
  });
  const before = spent();
  const results = await Promise.all(
    running.slice(0, count).map(({ url }) => autocannon({ url, connections, duration: seconds, requests })),
  );
  const after = spent();
  if (results.some(({ non2xx }) => non2xx > 0)) throw new Error('the service refused a page');
  const answers = results.reduce((sum, { requests: { total } }) => sum + total, 0);
  const each = (part) => ((after[part] - before[part]) / answers) * 1000;
  return {
    rate: results.reduce((sum, { requests: { average } }) => sum + average, 0),
    services: each('services'),
    database: each('database'),
    generator: each('generator'),
    busy: (after.machine.busy - before.machine.busy) / (after.machine.all - before.machine.all),
  };
}

function report(cases) {
  const middle = (runs, part) => median(runs.map((run) => run[part]));
  const perSecond = (runs) => `${Math.round(middle(runs, 'rate'))}/s`;
  const parts = ['services', 'database', 'generator'];
  const [one] = Object.values(cases);
  const lines = [];
  for (const [name, runs] of Object.entries(cases))
    lines.push(
      {
        name: `different pages from ${name}`,
        ours: perSecond(runs),
        theirs: `one: ${perSecond(one)}`,
        figure: middle(runs, 'rate') / middle(one, 'rate'),
      },
      {
        name: 'CPU time of each: service + database + load',
        ours: parts.map((part) => middle(runs, part).toFixed(2)).join(' + '),
        figure: parts.reduce((sum, part) => sum + middle(runs, part), 0),
        unit: 'ms',
      },
      {
        name: `use of the ${availableParallelism()} processors meanwhile, by all programs`,
        ours: '',
        figure: 100 * middle(runs, 'busy'),
        unit: '%',
      },
    );
  return lines;
}
