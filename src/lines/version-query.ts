import type { OperationQuery, Query } from '../analysis/query.ts';
import { checkHorizons, parseAfter, parseReleases } from '../domain/series/releases.ts';
import { Problem } from '../errors/problem.ts';
import type { Flag } from '../operations/flag.ts';
import type { TypedLine } from '../operations/typed-line.ts';
import { transformedIn } from './line-values.ts';
import { sharedFlags } from './shared-flags.ts';

/** The flags of revisions at some horizons. */
export const releaseFlags: readonly Flag[] = [
  { name: 'release', value: 'numbers', about: 'values at releases, such as 1,2,final (the newest values)' },
  {
    name: 'after',
    value: 'days',
    about: 'values some days after the first release, such as 90d or 30d,90d',
  },
  { name: 'wide', about: 'the triangle: one row per date, one column per vintage' },
  { name: 'stats', about: 'statistics of the revisions between releases (1,2,3,final unless given)' },
  // A release is of a date, and not of a period of dates.
  ...sharedFlags.units.filter(({ name }) => name === 'units' || name === 'digits'),
];

/** Revisions as they were published, at some horizons, as a triangle, or statistics of them. */
export function revisionsQuery({ params, limit, cursor }: OperationQuery, line: TypedLine): Query {
  const horizons = [
    ...(line.value('release', parseReleases) ?? []),
    ...(line.value('after', parseAfter) ?? []),
  ];
  const [stats, asOf] = [line.has('stats'), line.asOf()];
  const { transformation: units } = transformedIn(line);
  const isTable = horizons.length > 0 || stats;
  const about = {
    id: String(params.id),
    ...line.range(),
    ...(limit !== undefined && { limit }),
    ...(asOf !== undefined && { asOf }),
    ...(units !== undefined && { units }),
  };
  if (!isTable && !line.has('wide')) {
    if (units !== undefined)
      throw new Problem('bad-input', '--units needs --release, --after, --wide or --stats', {
        hints:
          params.date === undefined
            ? []
            : [
                `--wide --from ${params.date} --to ${params.date} shows the changes of this date in each vintage`,
              ],
      });
    const date = params.date === undefined ? {} : { date: String(params.date) };
    return { kind: 'revisions', ...about, ...date, ...(cursor !== undefined && { cursor }) };
  }
  for (const flag of ['date', 'cursor'])
    if (line.has(flag))
      throw new Problem('bad-input', `--${flag} is for the list of revisions: use --from, --to and --limit`);
  if (!isTable) return { kind: 'triangle', ...about };
  if (line.has('wide'))
    throw new Problem('bad-input', '--wide is the triangle of all vintages: use it alone');
  return { kind: 'releases', ...about, horizons: checkHorizons(horizons, stats), stats };
}
