import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { medians, sample, timed, timedAsof } from './measure.mjs';
import { duration } from './report.mjs';

const binary = join(import.meta.dirname, '../binary/asof');

/** Whole processes, as a shell script starts them, against the smallest node program. */
export function startUp() {
  const query = ['observations', 'GDP', '--as-of', '2015-01-30', '--csv', '--store', sample];
  const taken = medians(25, {
    node: () => timed(process.execPath, ['-e', '0']),
    version: () => timedAsof(['--version']),
    query: () => timedAsof(query),
    ...(existsSync(binary) && { binary: () => timed(binary, query) }),
  });
  const line = (name, ours, atMost) => ({
    name,
    ours: duration(ours),
    theirs: `node -e 0: ${duration(taken.node)}`,
    figure: ours / taken.node,
    atMost,
  });
  return [
    line('asof --version', taken.version, 1.25),
    line('asof observations GDP --as-of 2015-01-30 --csv', taken.query, 1.6),
    ...(taken.binary === undefined
      ? []
      : [
          {
            name: 'the same question to the single executable of `npm run binary`',
            ours: duration(taken.binary),
            theirs: `dist/asof.cjs: ${duration(taken.query)}`,
            figure: taken.binary / taken.query,
            atMost: 1.5,
          },
        ]),
  ];
}
