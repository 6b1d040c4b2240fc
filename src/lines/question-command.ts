import { checkedValues, paramsOf, type Query, type Question } from '../answering/question.ts';
import { inVoice, Problem, quoted, type Voice } from '../errors/problem.ts';
import { listed } from '../errors/wording.ts';
import { commandNaming } from '../operations/operation.ts';
import { flagName } from '../operations/param.ts';
import type { Flag, TypedLine } from '../operations/typed-line.ts';
import { defined } from '../platform/defined.ts';
import { observations, observationsOfSeveral } from '../questions/series/observations.ts';
import { versions } from '../questions/series/versions.ts';
import { type CommandSpec, chartFlags, connection, demands, messages, output, paramPart } from './command.ts';

const allRows: Flag = { name: 'all', about: 'show all rows, on a terminal too', group: 'Output' };

const dryRun: Flag = { name: 'dry-run', about: 'print only the number of requests' };

/**
 * Returns the commands that ask for data; a question about one series is asked as the one about several.
 * In a plan (`inPlan`) a line need not name the day that it is bound to.
 */
export function queryCommands(
  questions: Readonly<Record<string, Question>>,
  inPlan: boolean,
): readonly CommandSpec[] {
  const all = Object.values(questions);
  const asked = new Set(all.map((one) => (one.command === undefined ? (one.all ?? one) : one)));
  return [...asked].flatMap((one) => questionCommand(one, all, inPlan));
}

/** Returns the command that most lines have, enough for a line that begins with it. */
export function observationsCommand(): readonly CommandSpec[] {
  return queryCommands({ observations, observationsOfSeveral, versions }, false);
}

function questionCommand(
  question: Question,
  all: readonly Question[],
  inPlan: boolean,
): readonly CommandSpec[] {
  const { command, args, params } = question;
  if (command === undefined) return [];
  const {
    exitsWithDifferences = false,
    exitsWithoutRows = false,
    comparedAfter,
    flags: own = [],
    ...described
  } = command;
  const { words } = described;
  const others = all.filter(({ askedBy }) => askedBy?.words.includes(words) === true);
  return [
    {
      ...described,
      args: args.flatMap(({ name, typed }) => typed?.args ?? [{ name }]),
      // Made on demand, because a line needs only the flags of its own command.
      get flags() {
        const charts = question.drawing === undefined ? [] : chartFlags;
        const limited = Object.hasOwn(params, 'limit') ? [allRows] : [];
        return [
          ...ownFlags(question),
          ...Object.entries(params).flatMap(([name, param]) => [
            ...paramPart(name, param, question.defaults?.[name]).flags,
            ...(name === comparedAfter ? others.flatMap(ownFlags) : []),
          ]),
          ...own,
          ...(question.reading === undefined ? [...charts, ...limited] : [dryRun, allRows, ...charts]),
          ...output.flags,
          ...(question.isAboutData === false ? [] : demands.flags),
          ...connection.flags,
          ...messages.flags,
        ];
      },
      read(line) {
        const asked = questionIn(question, line, inPlan);
        return {
          command: 'query',
          words,
          query: questionByFlags(question, others, line, inPlan) ?? asked,
          demands: demands.read(line),
          output: { ...output.read(line), ...(exitsWithoutRows && { failEmpty: true }) },
          connection: connection.read(line),
          messages: messages.read(line),
          dryRun: line.has('dry-run'),
          exitCode: exitsWithDifferences || line.has('exit-code'),
          typed: line.typed,
          resolved: line.resolved,
        };
      },
    },
  ];
}

/** Returns the flags of a question's arguments, and those that ask it by another question's command. */
function ownFlags({ args, askedBy }: Question): readonly Flag[] {
  return [...(askedBy?.flags ?? []), ...args.flatMap(({ typed }) => typed?.flags ?? [])];
}

function questionByFlags(
  usual: Question,
  others: readonly Question[],
  line: TypedLine,
  inPlan: boolean,
): Query | undefined {
  const asked = others.flatMap((question) => {
    const flag = ownFlags(question).find(({ name }) => line.has(name));
    return flag === undefined ? [] : [{ question, flag: `--${flag.name}` }];
  });
  const [one, other] = asked;
  if (one === undefined) return undefined;
  if (other !== undefined) throw new Problem('bad-input', `use either ${one.flag} or ${other.flag}`);
  const { question } = one;
  const needless = flagsOnlyOf(usual, question).find((name) => line.has(name));
  if (needless !== undefined) throw new Problem('bad-input', `--${needless} does not go with ${one.flag}`);
  return questionIn(question, line, inPlan);
}

function flagsOnlyOf(usual: Question, asked: Question): readonly string[] {
  const { reads = [] } = asked.askedBy ?? {};
  const known = new Set([...valueFlags(asked), ...reads]);
  return valueFlags(usual).filter((name) => !known.has(name));
}

function valueFlags(question: Question): readonly string[] {
  const flags = Object.entries(question.params).flatMap(([name, param]) => paramPart(name, param).flags);
  return [...ownFlags(question), ...flags].map(({ name }) => name);
}

function questionIn(question: Question, line: TypedLine, inPlan: boolean): Query {
  checkExtent(question, line);
  const given = question.args.map(({ name, typed, parse }, i) => [
    name,
    typed === undefined ? parse(line.arg(i), name, line.clock) : typed.read(line),
  ]);
  const flags = Object.entries(question.params).map(([name, param]) => [
    name,
    paramPart(name, param).read(line),
  ]);
  const all = { ...question.defaults, ...defined(Object.fromEntries([...given, ...flags])) };
  return {
    question,
    values: inVoice(voiceOf(question, line), () => checkedValues(question, all, { ...line.clock, inPlan })),
  };
}

function checkExtent({ params }: Question, line: TypedLine): void {
  if (!Object.hasOwn(params, 'limit')) return;
  const extents = ['all', 'limit', 'first', ...(line.has('first') ? ['cursor'] : [])];
  const [one, other] = extents.filter((name) => line.has(name)).map((name) => `--${name}`);
  if (other !== undefined) throw new Problem('bad-input', `use either ${one} or ${other}`);
}

/** Returns a voice that names parameters by their flags; if a parameter has several, by the typed ones. */
function voiceOf(question: Question, line: TypedLine): Voice {
  const params = paramsOf(question);
  const flagsOf = (name: string): readonly string[] => {
    const all = params[name]?.typed?.flags.map((flag) => flag.name) ?? [flagName(name, params[name])];
    const typed = all.filter((flag) => line.has(flag));
    return typed.length === 0 ? all : typed;
  };
  const param = (name: string, value?: string) => {
    const flags = flagsOf(name).map((flag) => `--${flag}`);
    const [argument] = params[name]?.typed?.args ?? [];
    const named = flags.length === 0 && argument !== undefined ? `the ${argument.name}` : listed(flags, 'or');
    return `${named}${value === undefined ? '' : ` ${value}`}`;
  };
  return {
    ...commandNaming,
    param,
    refused: ({ param: name = 'value', value, reason }) => `${param(name)}${quoted(value)}: ${reason}`,
  };
}
