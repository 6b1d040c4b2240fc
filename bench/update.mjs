import { join } from 'node:path';
import { onCitus } from './citus.mjs';
import { cpuOfCluster, cpuOfEnded, settle } from './cpu.mjs';
import { statements, writeCsv } from './data.mjs';
import { median, timedAsof } from './measure.mjs';
import { startCluster } from './postgres.mjs';
import { duration } from './report.mjs';

const series = Number(process.env.BENCH_SERIES ?? 2000);
/** About 450 facts a series. */
const shape = { series, dates: 100, unit: 'month', vintages: 8, changes: 0.5 };
const rounds = 3;

/**
 * A nightly update: a new value of each of 2000 series, into files, into PostgreSQL, and into Citus where
 * ASOF_TEST_CITUS names a database with it. The targets are of an idle machine; the CPU time is that of all processes.
 */
export async function* update(folder) {
  const csv = join(folder, 'stored.csv');
  await writeCsv(csv, statements(shape));
  const updates = [];
  for (let round = 0; round <= rounds; round += 1) {
    const path = join(folder, `update-${round}.csv`);
    await writeCsv(path, newValues(round));
    updates.push(path);
  }
  yield* updated('a file', join(folder, 'update.db'), 1, csv, updates, () => 0);
  const cluster = await startCluster();
  try {
    const store = `${cluster.url}/postgres?schema=updated`;
    yield* updated('PostgreSQL', store, 2, csv, updates, () => cpuOfCluster(cluster));
  } finally {
    await cluster.remove();
  }
  yield* onCitus((store, cpu) => updated('Citus', store, 4, csv, updates, cpu));
}

/** The next date of each series, known a month after the vintages that are stored, and after the round before. */
function* newValues(round) {
  const [date, asOf] = [1300 + round, 1340 + round].map((month) =>
    new Date(Date.UTC(1900, month, 1)).toISOString().slice(0, 10),
  );
  for (let s = 1; s <= series; s += 1)
    yield `SERIES${String(s).padStart(5, '0')},${date},${asOf},${s}.${round}`;
}

async function* updated(engine, store, atMost, csv, [first, ...updates], cpuOfServers) {
  const importInto = (file) => timedAsof(['import', file, '--quiet', '--store', store]);
  importInto(csv);
  importInto(first);
  const taken = updates.map((file) => {
    const all = () => cpuOfEnded() + cpuOfServers();
    settle();
    const before = all();
    const ms = importInto(file);
    settle();
    return { ms, cpu: (all() - before) * 1000 };
  });
  const [ms, cpu] = ['ms', 'cpu'].map((name) => median(taken.map((one) => one[name])));
  yield {
    name: `a new value of ${series} series each, ${engine}`,
    ours: duration(ms),
    figure: ms / series,
    unit: 'ms each',
    atMost,
  };
  yield {
    name: 'CPU time of it, with that of the servers',
    ours: duration(cpu),
    figure: cpu / series,
    unit: 'ms each',
  };
}
