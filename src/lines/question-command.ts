import { checkedValues, paramsOf, type Question, type QuestionQuery } from '../analysis/question.ts';
import { inVoice, Problem, quoted, type Voice } from '../errors/problem.ts';
import { commandNaming } from '../operations/operation.ts';
import { flagName } from '../operations/param.ts';
import type { TypedLine } from '../operations/typed-line.ts';
import type { CommandSpec } from './command.ts';
import { queryLine } from './operation-command.ts';
import { paramFlags, typedValue } from './param-flags.ts';
import { sharedFlags } from './shared-flags.ts';

/** Returns the command of a question, or nothing if only other commands ask it. */
export function questionCommand(question: Question): readonly CommandSpec[] {
  const { command, args, params } = question;
  if (command === undefined) return [];
  const { words, heading, summary, about, examples, exitsWithDifferences = false } = command;
  return [
    {
      words,
      heading,
      summary,
      ...(about !== undefined && { about }),
      ...(examples !== undefined && { examples }),
      args: args.flatMap(({ name, typed }) => typed?.args ?? [{ name }]),
      // Made when they are read, because a line needs only those of its own command.
      get flags() {
        const charts = question.isDrawable === undefined ? [] : [sharedFlags.plot, ...sharedFlags.charts];
        return [
          ...args.flatMap(({ typed }) => typed?.flags ?? []),
          ...Object.entries(params).flatMap(([name, param]) => paramFlags(name, param)),
          ...(command.flags ?? []),
          ...(question.reading === undefined ? [] : [sharedFlags.dryRun]),
          ...(question.reading === undefined ? [...charts, sharedFlags.all] : [sharedFlags.all, ...charts]),
          ...sharedFlags.output,
          ...sharedFlags.demands,
          ...sharedFlags.connection,
          ...sharedFlags.messages,
        ];
      },
      read(line) {
        const read = queryLine(words, questionIn(question, line), line);
        return exitsWithDifferences ? { ...read, exitCode: true } : read;
      },
    },
  ];
}

/** Reads the question that a line asks; a refusal names flags. */
function questionIn(question: Question, line: TypedLine): QuestionQuery {
  checkExtent(question, line);
  const given = question.args.map(({ name, typed, parse }, i) => [
    name,
    typed === undefined ? parse(line.arg(i), name, line.clock) : typed.read(line),
  ]);
  const flags = Object.entries(question.params).map(([name, param]) => [name, typedValue(name, param, line)]);
  const all = Object.fromEntries([...given, ...flags]);
  return {
    kind: 'question',
    question,
    values: inVoice(voiceOf(question), () => checkedValues(question, all)),
  };
}

/** Refuses two flags that say how many rows there are. */
function checkExtent({ params }: Question, line: TypedLine): void {
  if (!Object.hasOwn(params, 'limit')) return;
  const extents = ['all', 'limit', 'first', ...(line.has('first') ? ['cursor'] : [])];
  const [one, other] = extents.filter((name) => line.has(name)).map((name) => `--${name}`);
  if (other !== undefined) throw new Problem('bad-input', `use either ${one} or ${other}`);
}

/** Names the parameters of a question by their flags. */
function voiceOf(question: Question): Voice {
  const params = paramsOf(question);
  const param = (name: string, value?: string) =>
    `--${flagName(name, params[name])}${value === undefined ? '' : ` ${value}`}`;
  return {
    ...commandNaming,
    param,
    refused: ({ param: name = 'value', value, reason }) => `${param(name)}${quoted(value)}: ${reason}`,
  };
}
