import { medians, timed, timedAsof } from './measure.mjs';
import { duration } from './report.mjs';
import { startService } from './servers.mjs';

/** A query to a service on this machine, whole process, against the smallest node program. */
export async function remote(folder) {
  const { service, key } = await startService(folder);
  try {
    const query = ['observations', 'GDP', '--as-of', '2015-01-30', '--csv', '--base-url', service.url];
    const env = { ...process.env, ASOF_API_KEY: key };
    const taken = medians(25, {
      node: () => timed(process.execPath, ['-e', '0']),
      query: () => timedAsof(query, { env }),
    });
    return [
      {
        name: 'asof observations GDP --as-of 2015-01-30 --csv, remote',
        ours: duration(taken.query),
        theirs: `node -e 0: ${duration(taken.node)}`,
        figure: taken.query / taken.node,
        atMost: 2.4,
      },
    ];
  } finally {
    service.child.kill();
  }
}
