import { spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { newRandom, writeCsv } from './data.mjs';
import { medians, peakOfAsof, timed, timedAsof } from './measure.mjs';
import { publications } from './panel.mjs';
import { duration } from './report.mjs';

const rival = join(import.meta.dirname, 'join-pandas.py');
const python = process.env.BENCH_PYTHON ?? 'python3';
const rows = 1_000_000;
const ids = ['MONTHLY01', 'MONTHLY05', 'MONTHLY10', 'MONTHLY15', 'MONTHLY20'];

/**
 * A million trades with what was known of five series on the day of each, against pandas' merge_asof of frames that a
 * loop over the same facts makes: whole processes, from CSV to CSV. BENCH_PYTHON names a python with pandas.
 */
export async function joinRows(folder) {
  const [csv, store, trades] = ['facts.csv', 'join.db', 'trades.csv'].map((name) => join(folder, name));
  await writeCsv(csv, publications());
  timedAsof(['import', csv, '--store', store]);
  await writeFile(trades, tradesText());
  const output = join(folder, 'join-asof.csv');
  const line = ['join', trades, '--on', 'day', ...ids, '-q', '--csv', '--store', store];
  const ours = () => timedAsof(line, { output });
  const name = '1 000 000 rows × 5 series';
  const peak = {
    name: 'peak memory of it',
    ours: '',
    figure: peakOfAsof(line, folder),
    unit: 'MB',
    atMost: 300,
  };
  if (spawnSync(python, ['-c', 'import pandas']).status !== 0) {
    const { asof } = medians(3, { asof: ours });
    return [{ name, ours: duration(asof), theirs: `skipped: ${python} has no pandas` }, peak];
  }
  const other = join(folder, 'join-pandas.csv');
  const theirs = () => timed(python, [rival, csv, trades, ...ids], { output: other });
  const taken = medians(3, { asof: ours, pandas: theirs });
  await refuseDifferent(output, other);
  return [
    {
      name,
      ours: duration(taken.asof),
      theirs: `pandas: ${duration(taken.pandas)}`,
      figure: taken.pandas / taken.asof,
      atLeast: 5,
    },
    peak,
  ];
}

/** Trades in the order of their days, 1975 to 2009. */
export function tradesText(count = rows) {
  const random = newRandom(11);
  const first = Date.UTC(1975, 0, 1);
  const days = 12_700;
  const lines = ['trade,day,symbol,price,size'];
  for (let i = 0; i < count; i += 1) {
    const day = new Date(first + Math.floor((i * days) / count) * 86_400_000).toISOString().slice(0, 10);
    const symbol = String.fromCharCode(65 + Math.floor(random() * 26)).repeat(3);
    lines.push(`${i},${day},${symbol},${(10 + random() * 90).toFixed(2)},${Math.ceil(random() * 900)}`);
  }
  return `${lines.join('\n')}\n`;
}

async function refuseDifferent(ours, theirs) {
  const [a, b] = [ours, theirs].map((path) =>
    createInterface({ input: createReadStream(path) })[Symbol.asyncIterator](),
  );
  for (let line = 0; ; line += 1) {
    const [one, other] = [await a.next(), await b.next()];
    if (one.value !== other.value || (one.done && line !== rows + 1))
      throw new Error(`the joins differ in line ${line + 1}: "${one.value}" and "${other.value}"`);
    if (one.done) return;
  }
}
