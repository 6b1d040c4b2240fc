import { asOfDates, beyondChoices, type Query } from '../analysis/query.ts';
import { rhythms } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { ArgumentSpec, Flag } from '../operations/flag.ts';
import type { TypedLine } from '../operations/typed-line.ts';
import type { CommandSpec } from './command.ts';
import { knownOn, seriesIn, sortIn, transformedIn } from './line-values.ts';
import { queryLine } from './operation-command.ts';
import { sharedFlags } from './shared-flags.ts';
import { versionFlags, versionsIn } from './version-query.ts';

const { asOf, knownBefore, from, to, sort, plot, dryRun, all, skipMissing } = sharedFlags;

const severalSeries: ArgumentSpec = {
  name: 'id',
  complete: 'ids',
  about: 'series ids; one with * (quoted) means every series whose id matches',
  several: true,
};

/** The flags of a command that puts answers of several requests together. */
export function composed(own: readonly Flag[], outputFlags: readonly Flag[] = []): readonly Flag[] {
  return [
    ...own,
    dryRun,
    all,
    ...outputFlags,
    ...sharedFlags.output,
    ...sharedFlags.demands,
    ...sharedFlags.connection,
    ...sharedFlags.messages,
  ];
}

/** The command of a panel; `inPlan` leaves the last as-of date to what the plan is bound to. */
export function panel(inPlan: boolean): CommandSpec {
  return {
    words: 'panel',
    heading: 'Series',
    summary: 'Put several series side by side, as they were known',
    args: [severalSeries],
    flags: composed(
      [
        asOf,
        knownBefore,
        {
          name: 'as-of-each',
          value: 'period',
          about: 'newest values known on each of these days from --from to --to',
          choices: rhythms,
        },
        {
          name: 'as-of-file',
          value: 'file',
          complete: 'files',
          about: 'newest values known on each day in a CSV file; - is standard input',
        },
        { name: 'known-before-each', about: 'only what was published before each of these days' },
        { ...from, about: 'first date; with --as-of-each, first as-of date' },
        { ...to, about: 'last date; with --as-of-each, last as-of date' },
        versionFlags.vs,
        { name: 'wide', about: 'one column per series' },
        { name: 'last', value: 'n', about: 'the newest n observations on each as-of date (default 1)' },
        { name: 'lag', value: 'n', about: 'skip the newest n observations on each as-of date' },
        {
          name: 'with-dates',
          about: 'with --wide, the observation date of each value, in a column beside it',
        },
        {
          name: 'beyond',
          value: 'choice',
          about: 'the cells of as-of dates after the coverage of a series',
          choices: beyondChoices,
          fallback: beyondChoices[0],
        },
        sort,
        skipMissing,
        ...sharedFlags.units,
      ],
      [plot, ...sharedFlags.charts],
    ),
    read: (line) => queryLine('panel', panelQuery(line, inPlan), line),
  };
}

function panelQuery(line: TypedLine, inPlan: boolean): Query {
  const layout = { wide: line.has('wide'), sort: sortIn(line) };
  const form = { ...seriesIn(line, line.args), ...line.range(), ...layout, ...transformedIn(line) };
  const [rhythm, file] = [line.choice('as-of-each', rhythms), line.text('as-of-file')];
  const each = file === undefined ? rhythm : { file };
  const beyond = line.choice('beyond', beyondChoices);
  const [last, lag] = [line.integer('last', 1, 1000), line.integer('lag', 0, 1000)];
  if (each === undefined) {
    const name = ['beyond', 'with-dates', 'last', 'lag', 'known-before-each'].find((one) => line.has(one));
    if (name !== undefined)
      throw new Problem('bad-input', `--${name} is about as-of dates: use --as-of-each or --as-of-file`);
    return versionsIn(line, form) ?? { kind: 'panel', ...form, ...knownOn(line) };
  }
  if (rhythm !== undefined && file !== undefined)
    throw new Problem('bad-input', 'use either --as-of-each or --as-of-file');
  if (line.has('with-dates') && !form.wide)
    throw new Problem('bad-input', '--with-dates needs --wide: a long panel has the dates');
  if (line.has('vs')) throw new Problem('bad-input', 'use either --vs or --as-of-each');
  if (line.has('as-of') || line.has('known-before'))
    throw new Problem(
      'bad-input',
      `--${rhythm === undefined ? 'as-of-file' : 'as-of-each'} sets the as-of dates: leave out --as-of and --known-before`,
    );
  if (inPlan && file !== undefined)
    throw new Problem('bad-input', 'a plan has no --as-of-file: what it reads may change', {
      hints: ['use --as-of-each'],
    });
  const query = {
    kind: 'real-time-panel',
    ...form,
    each,
    ...(line.has('known-before-each') && { knownBefore: true }),
    ...(last !== undefined && { last }),
    ...(lag !== undefined && { lag }),
    beyond: beyond ?? beyondChoices[0],
    withDates: line.has('with-dates'),
  } as const;
  if (file !== undefined) return query;
  if (query.from === undefined || (query.to === undefined && !inPlan))
    throw new Problem('bad-input', '--as-of-each needs --from and --to: the first and the last as-of date');
  if (query.to === undefined) return query;
  const newest = asOfDates(query).at(-1);
  if (newest !== undefined) line.known(newest, '--to', query.knownBefore === true);
  return query;
}
