import type { OperationQuery, Query, VersionsQuery } from '../analysis/query.ts';
import { checkHorizons, parseAfter, parseReleases } from '../domain/series/releases.ts';
import { Problem } from '../errors/problem.ts';
import type { Flag } from '../operations/flag.ts';
import type { TypedLine } from '../operations/typed-line.ts';
import type { Version } from '../operations/value.ts';
import { transformedIn } from './line-values.ts';
import { sharedFlags } from './shared-flags.ts';

/** The flags of a command that compares what was known on several days. */
export const versionFlags = {
  vs: {
    name: 'vs',
    value: 'date',
    complete: 'days',
    about: 'compare with the values as of another date, or with the latest ones',
  },
  vintages: {
    name: 'vintages',
    value: 'dates',
    about: 'one column per as-of date, separated by commas; latest is the newest vintage',
  },
} as const satisfies Readonly<Record<string, Flag>>;

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

/** What a comparison of what was known on several days is made of besides the days. */
type Compared = Omit<VersionsQuery, 'compared' | 'days' | 'kind'>;

/** The comparison that `--vs` or `--vintages` asks for; undefined without them. */
export function versionsIn(line: TypedLine, about: Compared): VersionsQuery | undefined {
  const [vs, vintages] = [line.versions('vs'), line.versions('vintages')];
  if (vs === undefined && vintages === undefined) return undefined;
  if (vs !== undefined && vintages !== undefined)
    throw new Problem('bad-input', 'use either --vs or --vintages');
  for (const flag of ['first-release', 'cursor', 'first'])
    if (line.has(flag))
      throw new Problem('bad-input', `--${flag} does not go with ${vs ? '--vs' : '--vintages'}`);
  if (vs !== undefined) {
    if (vs.length > 1)
      throw new Problem('bad-input', `--vs takes one date, and these are ${vs.length}`, {
        hints: ['--vintages takes several'],
      });
    const first: Version = line.asOf() ?? 'latest';
    return { kind: 'versions', ...about, days: [first, ...vs], compared: true };
  }
  const days = vintages ?? [];
  if (line.has('as-of') || line.has('known-before'))
    throw new Problem('bad-input', '--vintages names the as-of dates: leave out --as-of and --known-before');
  const repeated = days.find((day, i) => days.indexOf(day) < i);
  if (repeated !== undefined) throw new Problem('bad-input', `--vintages names ${repeated} twice`);
  return { kind: 'versions', ...about, days, compared: false };
}

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
