import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { asof, medians } from './measure.mjs';
import { duration } from './report.mjs';

const python = process.env.BENCH_PYTHON ?? 'python3';

/**
 * A question of Python through one `asof lines` process: against a bare loop that writes the same line to cat, and reads
 * it back. Its start is not counted.
 */
export function questions() {
  const script = join(import.meta.dirname, 'python-questions.py');
  const millisecondsOf = (side) => {
    const { status, stdout, stderr } = spawnSync(python, [script, side, process.execPath, asof], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    return Number(stdout);
  };
  const { ours, theirs } = medians(3, {
    ours: () => millisecondsOf('asof'),
    theirs: () => millisecondsOf('cat'),
  });
  return [
    {
      name: 'a question of Python: 8 rows as of a day',
      ours: duration(ours),
      theirs: `a line through cat: ${duration(theirs)}`,
      ...{ figure: ours, unit: 'ms', atMost: 5 },
    },
  ];
}
