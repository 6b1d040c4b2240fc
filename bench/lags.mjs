import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCsv } from './data.mjs';
import { medians, peakOfAsof, timed, timedAsof } from './measure.mjs';
import { publications } from './panel.mjs';
import { duration } from './report.mjs';

const rival = join(import.meta.dirname, 'lags-pandas.py');
const python = process.env.BENCH_PYTHON ?? 'python3';
/** 5 000 weekdays. */
const [from, to] = ['1990-11-02', '2009-12-31'];

/**
 * The three newest values of 20 monthly series on 5 000 business days, wide, against pandas over the same facts; and
 * what transformed values take compared with published ones. BENCH_PYTHON names a python with pandas. The script of
 * pandas is the fast one: it makes one pass over the changes of each series too, and no rows in between, so the two
 * take about as long.
 */
export async function lags(folder) {
  const [csv, store] = [join(folder, 'lags.csv'), join(folder, 'lags.db')];
  await writeCsv(csv, publications());
  timedAsof(['import', csv, '--store', store]);
  const output = join(folder, 'lags-asof.csv');
  const days = ['--as-of-each', 'business-day', '--from', from, '--to', to, '--sort', 'asc', '--wide'];
  const query = ['panel', '*', ...days, '--last', '3', '-f', 'csv', '-q', '--store', store];
  const name = '3 lags of 20 series × 5 000 business days';
  const plain = ['obs', '*', '--as-of', to, '-f', 'csv', '-q', '--store', store];
  const each = medians(5, {
    plain: () => timedAsof(plain, { output }),
    units: () => timedAsof([...plain, '--units', 'pc1'], { output }),
    growth: () => timedAsof([...query, '--units', 'pc1'], { output }),
  });
  const others = [
    {
      name: 'the same, in percent of a year ago',
      ours: duration(each.growth),
      figure: each.growth / 1000,
      unit: 's',
      atMost: 3,
    },
    {
      name: '9 600 values in percent of a year ago',
      ours: duration(each.units),
      theirs: `published values: ${duration(each.plain)}`,
      figure: each.units / each.plain,
      atMost: 1.5,
    },
  ];
  const ours = () => timedAsof(query, { output });
  const peak = { name: 'peak memory of it', figure: peakOfAsof(query, folder), unit: 'MB', atMost: 300 };
  const measured = (ms) => [{ name, ours: duration(ms), figure: ms / 1000, unit: 's', atMost: 3 }, peak];
  const shown = (lines) => lines.map((line) => ({ ours: '', ...line }));
  if (spawnSync(python, ['-c', 'import pandas']).status !== 0) {
    const { asof } = medians(3, { asof: ours });
    const [first, ...rest] = measured(asof);
    return shown([{ ...first, theirs: `skipped: ${python} has no pandas` }, ...rest, ...others]);
  }
  const other = join(folder, 'lags-pandas.csv');
  const taken = medians(3, {
    asof: ours,
    pandas: () => timed(python, [rival, csv, from, to], { output: other }),
  });
  ours();
  refuseDifferent(output, other);
  const against = {
    name: 'the same against pandas',
    ours: duration(taken.asof),
    theirs: `pandas: ${duration(taken.pandas)}`,
    figure: taken.pandas / taken.asof,
  };
  return shown([...measured(taken.asof), against, ...others]);
}

function refuseDifferent(ours, theirs) {
  const [a, b] = [ours, theirs].map((path) => readFileSync(path, 'utf8').trimEnd().split('\n'));
  const at = a.findIndex((line, i) => line !== b[i]);
  if (at >= 0 || a.length !== b.length || a.length !== 5001)
    throw new Error(`the panels differ: ${a.length} and ${b.length} lines, "${a[at]}" and "${b[at]}"`);
}
