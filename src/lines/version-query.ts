import type { VersionsQuery } from '../analysis/query.ts';
import { Problem } from '../errors/problem.ts';
import type { Flag } from '../operations/flag.ts';
import type { TypedLine } from '../operations/typed-line.ts';
import type { Version } from '../operations/value.ts';

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
