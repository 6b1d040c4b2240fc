import type { OperationQuery, Query } from '../analysis/query.ts';
import type { Question } from '../analysis/question.ts';
import { type CurveType, maturities } from '../domain/treasury/curve.ts';
import { Problem } from '../errors/problem.ts';
import { figures } from '../operations/figures.ts';
import type { Flag } from '../operations/flag.ts';
import type { CommandDeclaration, CommandFeature, Operation } from '../operations/operation.ts';
import type { TypedLine } from '../operations/typed-line.ts';
import { questions } from '../questions/table.ts';
import type { CommandSpec } from './command.ts';
import { knownOn, seriesIn, sortIn, transformedIn } from './line-values.ts';
import { type CommandExtras, operationCommand } from './operation-command.ts';
import { questionCommand } from './question-command.ts';
import { sharedFlags } from './shared-flags.ts';
import { releaseFlags, revisionsQuery, versionFlags, versionsIn } from './version-query.ts';

const { asOf, knownBefore, sort, plot } = sharedFlags;

/** The flags of the features that an operation may declare for its command; that of `oldest` is beside `--limit`. */
const featureFlags: Readonly<Partial<Record<CommandFeature, readonly Flag[]>>> = {
  'as-of': [asOf, knownBefore],
  vs: [
    {
      name: 'vs',
      value: 'date',
      complete: 'days',
      about: 'compare with the curve of another date, in basis points',
    },
  ],
  nearest: [{ name: 'on-or-before', about: 'use the newest curve on or before the date' }],
  sort: [sort],
  versions: [versionFlags.vs, versionFlags.vintages],
  units: sharedFlags.units,
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
function extrasOf({ command: { analysis, several, features = [] }, chart }: Operation): CommandExtras {
  return {
    flags: [
      ...features.flatMap((feature) => featureFlags[feature] ?? []),
      ...(several === true ? [sharedFlags.skipMissing] : []),
      ...(analysis === 'revisions' ? releaseFlags : []),
    ],
    outputFlags: chart === undefined ? [] : [plot, ...sharedFlags.charts],
    query(asked, line) {
      if (analysis !== undefined) return analysisQuery[analysis](asked, line);
      if (features.includes('wide') && line.has('wide')) return yieldTable(asked, line);
      const sort = sortIn(line);
      const made = features.includes('units') ? transformedIn(line) : {};
      const { ids = [], limit } = asked;
      const about = {
        ...seriesIn(line, ids),
        ...line.range(),
        sort,
        wide: false,
        ...(limit !== undefined && { limit }),
        ...made,
      };
      const versions = features.includes('versions') ? versionsIn(line, about) : undefined;
      return versions ?? { ...asked, ...(features.includes('sort') && { sort }), ...made };
    },
  };
}

/** The days of publication in a line; a Problem if the first is later than the as-of date. */
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

/**
 * Returns the commands that ask for data: a question takes the place of the operation with its words. In a plan
 * (`inPlan`) a line need not name the day that it is bound to.
 */
export function queryCommands(operations: readonly Operation[], inPlan: boolean): readonly CommandSpec[] {
  const composed = Object.values<Question>(questions).flatMap((one) => questionCommand(one, inPlan));
  const ofWords = (words: string) => composed.find((command) => command.words === words);
  const asked = operations
    .filter(({ command: { flag } }) => flag === undefined)
    .map((operation) => {
      const { words } = operation.command;
      const others = operations.filter((other) => other !== operation && other.command.words === words);
      return ofWords(words) ?? operationCommand(operation, others, extrasOf(operation));
    });
  const own = composed.filter((command) => !asked.includes(command));
  return [...asked, ...own];
}

/** The commands about series and rates, all that a line needs which begins with one of them. */
export function figureCommands(): readonly CommandSpec[] {
  return queryCommands(figures, false);
}
