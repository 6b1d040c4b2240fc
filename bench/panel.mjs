import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newRandom, writeCsv } from './data.mjs';
import { medians, timed, timedAsof } from './measure.mjs';
import { duration } from './report.mjs';

const series = 20;
const months = 480;
const [from, to] = ['1990-01-01', '2009-12-31'];
const rival = join(import.meta.dirname, 'panel-pandas.py');
const python = process.env.BENCH_PYTHON ?? 'python3';

/**
 * The real-time panel of 20 monthly series on 240 month-ends: whole processes, against pandas over the same facts.
 * BENCH_PYTHON names a python with pandas, for machines whose python3 has no pandas.
 */
export async function panel(folder) {
  const [csv, store] = [join(folder, 'panel.csv'), join(folder, 'panel.db')];
  await writeCsv(csv, publications());
  timedAsof(['import', csv, '--store', store]);
  const output = join(folder, 'panel-asof.csv');
  const range = ['--from', from, '--to', to];
  const query = ['panel', '*', '--as-of-each', 'month-end', ...range, '--sort', 'asc', '-f', 'csv', '-q'];
  const ours = () => timedAsof([...query, '--store', store], { output });
  const name = 'panel of 20 series × 240 month-ends';
  if (spawnSync(python, ['-c', 'import pandas']).status !== 0) {
    const { asof } = medians(5, { asof: ours });
    const theirs = `skipped: ${python} has no pandas`;
    return [{ name, ours: duration(asof), theirs, figure: asof / 1000, unit: 's', atMost: 1 }];
  }
  const other = join(folder, 'panel-pandas.csv');
  const theirs = () => timed(python, [rival, csv, from, to], { output: other });
  const taken = medians(5, { asof: ours, pandas: theirs });
  refuseDifferent(output, other);
  return [
    { name, ours: duration(taken.asof), figure: taken.asof / 1000, unit: 's', atMost: 1 },
    {
      name: 'the same against pandas',
      ours: duration(taken.asof),
      theirs: `pandas: ${duration(taken.pandas)}`,
      figure: taken.pandas / taken.asof,
      atLeast: 10,
    },
  ];
}

/**
 * Monthly series as agencies publish them: each month on some day of the next, with revisions of the two months before,
 * and each February of the last five years. Sometimes the newest figure is withdrawn until the next publication.
 */
export function* publications() {
  const random = newRandom(3);
  for (let s = 1; s <= series; s += 1) {
    const id = `MONTHLY${String(s).padStart(2, '0')}`;
    for (let month = 0; month < months; month += 1) {
      const asOf = dayOf(month + 1, 5 + (s % 20));
      const revised = month % 12 === 0 ? 60 : 2;
      for (let date = Math.max(0, month - revised); date <= month; date += 1)
        yield `${id},${dayOf(date, 1)},${asOf},${(1000 + date + random() * 20).toFixed(3)}`;
      if ((month + s) % 37 === 0) yield `${id},${dayOf(month, 1)},${dayOf(month + 1, 8 + (s % 20))},`;
    }
  }
}

/** A day of the month, `month` months after January 1970. */
function dayOf(month, day) {
  return new Date(Date.UTC(1970, month, day)).toISOString().slice(0, 10);
}

function refuseDifferent(ours, theirs) {
  const [a, b] = [ours, theirs].map((path) => readFileSync(path, 'utf8').trimEnd().split('\n'));
  const at = a.findIndex((line, i) => line !== b[i]);
  if (at >= 0 || a.length !== b.length || a.length !== 1 + series * 240)
    throw new Error(`the panels differ: ${a.length} and ${b.length} lines, "${a[at]}" and "${b[at]}"`);
}
