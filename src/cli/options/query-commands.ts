import {
  asOfDates,
  beyondChoices,
  type OperationQuery,
  type Query,
  type SortOrder,
} from '../../analysis/query.ts';
import { type Day, parseDay, rhythms } from '../../domain/series/date.ts';
import { type CurveType, maturities } from '../../domain/treasury/curve.ts';
import { Problem } from '../../errors/problem.ts';
import { operations } from '../../operations/index.ts';
import type { CommandDeclaration, CommandFeature, Operation } from '../../operations/operation.ts';
import type { ArgumentSpec, CommandSpec, Flag } from './command.ts';
import { type CommandExtras, operationCommand, queryLine } from './operation-command.ts';
import { sharedFlags } from './shared-flags.ts';
import type { TypedLine } from './typed-line.ts';
import { releaseFlags, revisionsQuery, versionFlags, versionsIn } from './version-query.ts';

const { asOf, knownBefore, from, to, sort, plot, dryRun, all } = sharedFlags;

/** The flags of the features that an operation may declare for its command; that of `oldest` is beside `--limit`. */
const featureFlags: Readonly<Partial<Record<CommandFeature, readonly Flag[]>>> = {
  'as-of': [asOf, knownBefore],
  vs: [{ name: 'vs', value: 'date', about: 'compare with the curve of another date, in basis points' }],
  nearest: [{ name: 'on-or-before', about: 'use the newest curve on or before the date' }],
  sort: [sort],
  versions: [versionFlags.vs, versionFlags.vintages],
  wide: [
    { name: 'wide', about: 'one row per date, one column per maturity; --limit and --first count dates' },
  ],
};

type ReadQuery = CommandExtras['query'];

/** How the query of an analysis is read from a line. */
const analysisQuery: Readonly<Record<NonNullable<CommandDeclaration['analysis']>, ReadQuery>> = {
  revisions: revisionsQuery,
  vintages: ({ params, limit, first, cursor }, line) => ({
    kind: 'vintages',
    id: String(params.id),
    ...knownFrom(line),
    ...(limit !== undefined && { limit }),
    ...(first !== undefined && { first }),
    ...(cursor !== undefined && { cursor }),
  }),
  curve(_asked, line) {
    const [date, vs] = [line.day('date'), line.day('vs')];
    return {
      kind: 'curve',
      ...curveTypeIn(line),
      ...(date !== undefined && { date }),
      onOrBefore: line.has('on-or-before'),
      ...(vs !== undefined && { vs }),
    };
  },
};

/** What the command of an operation has besides its parameters, as the operation declares it. */
function extrasOf({ command: { analysis, features = [] }, chart }: Operation): CommandExtras {
  return {
    flags: [
      ...features.flatMap((feature) => featureFlags[feature] ?? []),
      ...(analysis === 'revisions' ? releaseFlags : []),
    ],
    outputFlags: chart === undefined ? [] : [plot, ...sharedFlags.charts],
    query(asked, line) {
      if (analysis !== undefined) return analysisQuery[analysis](asked, line);
      if (features.includes('wide') && line.has('wide')) return yieldTable(asked, line);
      if (!features.includes('sort')) return asked;
      const sort = sortIn(line);
      const { ids = [], limit } = asked;
      const about = { ids, ...line.range(), sort, wide: false, ...(limit !== undefined && { limit }) };
      const versions = features.includes('versions') ? versionsIn(line, about) : undefined;
      return versions ?? { ...asked, sort };
    },
  };
}

function sortIn(line: TypedLine): SortOrder {
  return line.choice('sort', ['desc', 'asc']) ?? 'desc';
}

function knownOn(line: TypedLine): { readonly asOf?: Day } {
  const asOf = line.asOf();
  return asOf === undefined ? {} : { asOf };
}

/** The vintage dates that are asked for; a Problem where the first is later than the as-of date. */
function knownFrom(line: TypedLine) {
  const known = { ...line.range(), ...knownOn(line) };
  const { from = '', asOf } = known;
  if (asOf === undefined || from <= asOf) return known;
  throw new Problem('bad-input', `--from ${from} is later than ${asOf}, the as-of date`);
}

function curveTypeIn(line: TypedLine): { readonly curveType?: CurveType } {
  const curveType = line.choice('type', ['PAR', 'TIPS']);
  return curveType === undefined ? {} : { curveType };
}

function yieldTable({ limit, first, cursor }: OperationQuery, line: TypedLine): Query {
  if (cursor !== undefined)
    throw new Problem(
      'bad-input',
      'use either --cursor or --wide: a cursor continues the rows of the service',
    );
  const maturity = line.choice('maturity', maturities);
  return {
    kind: 'yield-table',
    ...curveTypeIn(line),
    ...(maturity !== undefined && { maturity }),
    ...line.range(),
    ...(limit !== undefined && { limit }),
    ...(first !== undefined && { first }),
  };
}

const severalSeries: ArgumentSpec = {
  name: 'id',
  about: 'series ids; one with * (quoted) means every series whose id matches',
  several: true,
};

/** The flags of a command that puts answers of several requests together. */
function composed(own: readonly Flag[], outputFlags: readonly Flag[] = []): readonly Flag[] {
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

const diff: CommandSpec = {
  words: 'diff',
  heading: 'Series',
  summary: 'Compare series as of two dates',
  args: [
    severalSeries,
    { name: 'date1', about: 'first as-of date' },
    { name: 'date2', about: 'second as-of date' },
  ],
  flags: composed([
    { name: 'known-before', about: 'use only what was published before each of the two dates' },
    from,
    to,
    { name: 'all-rows', about: 'list dates with the same value too' },
    { name: 'exit-code', about: 'exit with code 1 when there are differences' },
  ]),
  read(line) {
    const strict = line.has('known-before');
    const known = (index: number, name: string) => line.known(line.dayArg(index, name), name, strict);
    const ids = line.args.slice(0, -2);
    const days = [known(ids.length, 'first date'), known(ids.length + 1, 'second date')] as const;
    const dates = [...ids.filter((id) => parseDay(id) !== undefined), ...days];
    if (dates.length > 2)
      throw new Problem(
        'bad-input',
        `diff compares two dates, and these are ${dates.length}: ${dates.join(', ')}`,
      );
    const query = { kind: 'diff', ids, days, ...line.range(), allRows: line.has('all-rows') } as const;
    return queryLine('diff', query, line);
  },
};

/** The command of a panel; `inPlan` leaves the last as-of date to what the plan is bound to. */
function panel(inPlan: boolean): CommandSpec {
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
          about: 'newest value known on each month-end, week-end (Sunday) or day from --from to --to',
          choices: rhythms,
        },
        { ...from, about: 'first date; with --as-of-each, first as-of date' },
        { ...to, about: 'last date; with --as-of-each, last as-of date' },
        versionFlags.vs,
        { name: 'wide', about: 'one column per series' },
        { name: 'with-dates', about: 'with --as-of-each --wide, the observation date beside each value' },
        {
          name: 'beyond',
          value: 'choice',
          about: 'with --as-of-each, the cells after the coverage of a series',
          choices: beyondChoices,
          fallback: beyondChoices[0],
        },
        sort,
      ],
      [plot, ...sharedFlags.charts],
    ),
    read: (line) => queryLine('panel', panelQuery(line, inPlan), line),
  };
}

function panelQuery(line: TypedLine, inPlan: boolean): Query {
  const form = { ids: line.args, ...line.range(), wide: line.has('wide'), sort: sortIn(line) };
  const each = line.choice('as-of-each', rhythms);
  const [beyond, withDates] = [line.choice('beyond', beyondChoices), line.has('with-dates')];
  if (each === undefined) {
    if (beyond !== undefined)
      throw new Problem('bad-input', '--beyond is about as-of dates: use --as-of-each');
    if (withDates)
      throw new Problem('bad-input', '--with-dates needs --as-of-each: each row of this panel is a date');
    return versionsIn(line, form) ?? { kind: 'panel', ...form, ...knownOn(line) };
  }
  if (withDates && !form.wide)
    throw new Problem('bad-input', '--with-dates needs --wide: a long panel has the dates');
  if (line.has('vs')) throw new Problem('bad-input', 'use either --vs or --as-of-each');
  if (line.has('as-of') || line.has('known-before'))
    throw new Problem('bad-input', '--as-of-each sets the as-of dates: leave out --as-of and --known-before');
  const query = {
    kind: 'real-time-panel',
    ...form,
    each,
    beyond: beyond ?? beyondChoices[0],
    withDates,
  } as const;
  if (query.from === undefined || (query.to === undefined && !inPlan))
    throw new Problem('bad-input', '--as-of-each needs --from and --to: the first and the last as-of date');
  if (query.to === undefined) return query;
  const last = asOfDates(query).at(-1);
  if (last !== undefined) line.known(last, '--to', false);
  return query;
}

/** Every command that asks for data; `inPlan` for a line of a plan, which need not name the day that it is bound to. */
export function queryCommands(inPlan: boolean): readonly CommandSpec[] {
  const asked = operations
    .filter(({ command: { flag } }) => flag === undefined)
    .map((operation) => {
      const others = operations.filter(
        (other) => other !== operation && other.command.words === operation.command.words,
      );
      return operationCommand(operation, others, extrasOf(operation));
    });
  return [...asked, diff, panel(inPlan)];
}
