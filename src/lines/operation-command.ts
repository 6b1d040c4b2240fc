import { textsOf } from '../analysis/answer.ts';
import type { OperationQuery, Query } from '../analysis/query.ts';
import { parseDay } from '../domain/series/date.ts';
import { inVoice, Problem, quoted, type Voice } from '../errors/problem.ts';
import type { ArgumentSpec, Flag } from '../operations/flag.ts';
import { commandNaming, type Operation } from '../operations/operation.ts';
import { flagName, type Param, type Params, type QueryParams } from '../operations/param.ts';
import type { TypedLine } from '../operations/typed-line.ts';
import type { Clock } from '../operations/value.ts';
import { type CommandSpec, connectionIn, demandsIn, messagesIn, outputIn } from './command.ts';
import type { QueryLine } from './line.ts';
import { seriesIn } from './line-values.ts';
import { completion, paramFlags, typedValue } from './param-flags.ts';
import { sharedFlags } from './shared-flags.ts';

/** What the command of an operation has besides its parameters. */
export type CommandExtras = {
  readonly flags: readonly Flag[];
  /** Flags that are listed under a heading of help. */
  readonly outputFlags: readonly Flag[];
  /** The query, if it is not just the operation with the values of its parameters. */
  readonly query: (asked: OperationQuery, line: TypedLine) => Query;
};

/** The command of an operation; `others` are the operations that its flags can ask instead. */
export function operationCommand(
  operation: Operation,
  others: readonly Operation[],
  { flags, outputFlags, query }: CommandExtras,
): CommandSpec {
  const { words, heading, alias, examples } = operation.command;
  const isListing = Object.hasOwn(operation.params, 'limit');
  const askedOf = (line: TypedLine): Operation => {
    const [one, other] = others.filter(({ command: { flag } }) => flag !== undefined && line.has(flag.name));
    if (other === undefined) return one ?? operation;
    const names = [one, other].map((asked) => `--${asked?.command.flag?.name}`);
    throw new Problem('bad-input', `use either ${names.join(' or ')}`);
  };
  return {
    words,
    heading,
    summary: operation.summary,
    ...(alias !== undefined && { alias }),
    ...(examples !== undefined && { examples }),
    args: argumentsOf(operation),
    // Made when they are read, because a line needs only those of its own command.
    get flags() {
      return [
        ...flagged(operation).flatMap(([name, param]) =>
          paramFlags(name, param, operation.command.defaults?.[name]),
        ),
        ...flags,
        ...others.flatMap(({ command: { flag } }) => flag ?? []),
        ...(isListing ? listingFlags(operation) : []),
        ...outputFlags,
        ...(isListing ? [sharedFlags.all] : []),
        ...sharedFlags.output,
        ...(isAboutData(operation) ? sharedFlags.demands : []),
        ...sharedFlags.connection,
        ...sharedFlags.messages,
      ];
    },
    read: (line) => queryLine(words, query(askedBy(askedOf(line), line), line), line),
  };
}

/** Whether the answers of an operation are figures or filings, whose data are covered to a day. */
function isAboutData({ members = [] }: Operation): boolean {
  return members.includes('covered_to') || members.includes('coverage');
}

/** A line that asks a query, with what its shared flags say. */
export function queryLine(words: string, query: Query, line: TypedLine): QueryLine {
  return {
    command: 'query',
    words,
    query,
    demands: demandsIn(line),
    output: outputIn(line),
    connection: connectionIn(line),
    messages: messagesIn(line),
    dryRun: line.has('dry-run'),
    exitCode: line.has('exit-code'),
    typed: line.typed,
    resolved: line.resolved,
  };
}

type ParamEntry = readonly [name: string, param: Param];

/** The parameters that become flags: all but those in the path, the command's argument, and those of paging. */
function flagged({ params, command }: Operation): readonly ParamEntry[] {
  return Object.entries(params).filter(
    ([name, param]) =>
      param.in === 'query' && name !== command.argument && name !== 'limit' && name !== 'cursor',
  );
}

function argumentsOf({ command: { argument, several }, params }: Operation): readonly ArgumentSpec[] {
  const param = argument === undefined ? undefined : params[argument];
  if (param === undefined) return [];
  const { placeholder: name = '', required } = param;
  return [
    {
      name,
      ...completion(param),
      ...(!required && { optional: true }),
      ...(several === true && { several }),
    },
  ];
}

function listingFlags({ command: { several, features = [] } }: Operation): readonly Flag[] {
  const about = `maximum rows${several === true ? ' per series' : ''}`;
  const hasOldest = features.includes('oldest');
  return [
    { name: 'limit', value: 'n', about: hasOldest ? `${about}, the newest` : about },
    ...(hasOldest ? [{ name: 'first', value: 'n', about: `${about}, the oldest` }] : []),
    { name: 'cursor', value: 'cursor', about: 'cursor of the page to continue from' },
  ];
}

function askedBy(operation: Operation, line: TypedLine): OperationQuery {
  const { argument, several, defaults } = operation.command;
  const [limit, first, cursor] = [line.count('limit'), line.count('first'), line.text('cursor')];
  const extents = ['all', 'limit', 'first', ...(first === undefined ? [] : ['cursor'])];
  const [one, other] = extents.filter((name) => line.has(name)).map((name) => `--${name}`);
  if (other !== undefined) throw new Problem('bad-input', `use either ${one} or ${other}`);
  if (cursor !== undefined && several === true && line.args.length !== 1)
    throw new Problem('bad-input', '--cursor continues one series: name one id');
  const date = several === true ? line.args.find((id) => parseDay(id) !== undefined) : undefined;
  if (date !== undefined)
    throw new Problem('bad-input', `${date} is a date, not the id of a series`, {
      hints: [`did you mean --as-of ${date}?`],
    });
  const typed = argument === undefined ? {} : typedArgument(argument, line.args[0], operation.params);
  const params = { ...defaults, ...flagParams(operation, line) };
  checkTogether(operation, { ...typed, ...params }, line.clock);
  return {
    kind: 'operation',
    operation,
    params: several === true ? params : { ...typed, ...params },
    ...(several === true && seriesIn(line, line.args)),
    ...(limit !== undefined && { limit }),
    ...(first !== undefined && { first }),
    ...(cursor !== undefined && { cursor }),
  };
}

function typedArgument(name: string, text: string | undefined, params: Params): QueryParams {
  if (text === undefined) return {};
  return { [name]: params[name]?.namesSeries === true ? text.toUpperCase() : text };
}

/** The values that flags give to the parameters of an operation. */
function flagParams(operation: Operation, line: TypedLine): QueryParams {
  const entries = flagged(operation).flatMap(([name, param]): (readonly [string, string | number])[] => {
    const value = typedValue(name, param, line);
    if (value === undefined) return [];
    return [[name, typeof value === 'number' ? value : String(value)]];
  });
  return Object.fromEntries(entries);
}

/** Refuses values that do not go together, as the service would, but names flags instead of parameters. */
function checkTogether({ params, prepare, command }: Operation, values: QueryParams, clock: Clock): void {
  const nameOf = (name: string) => {
    const param = params[name];
    return name === command.argument ? `the ${param?.placeholder}` : `--${flagName(name, param)}`;
  };
  const refused: Voice['refused'] = ({ param = '', value, reason }) =>
    `${nameOf(param)}${quoted(value)}: ${reason}`;
  inVoice({ ...commandNaming, param: nameOf, refused }, () => prepare(textsOf(values), clock));
}
