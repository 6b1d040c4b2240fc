import type { Query } from '../analysis/query.ts';
import {
  checkedValues,
  paramsOf,
  type Question,
  type QuestionQuery,
  transformationIn,
} from '../analysis/question.ts';
import { inVoice, Problem, quoted, type Voice } from '../errors/problem.ts';
import { listed } from '../errors/wording.ts';
import { commandNaming } from '../operations/operation.ts';
import { flagName } from '../operations/param.ts';
import type { TypedLine } from '../operations/typed-line.ts';
import type { NamedValues } from '../operations/value.ts';
import type { CommandSpec } from './command.ts';
import { seriesIn, sortIn } from './line-values.ts';
import { queryLine } from './operation-command.ts';
import { paramFlags, typedValue } from './param-flags.ts';
import { sharedFlags } from './shared-flags.ts';
import { versionFlags, versionsIn } from './version-query.ts';

/**
 * Returns the command of a question, or nothing if only other commands ask it. In a plan (`inPlan`) a line need not
 * name the day that it is bound to.
 */
export function questionCommand(question: Question, inPlan: boolean): readonly CommandSpec[] {
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
          ...Object.entries(params).flatMap(([name, param]) => [
            ...paramFlags(name, param),
            ...(name === command.comparedAfter ? [versionFlags.vs] : []),
          ]),
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
        const asked = questionIn(question, line, inPlan);
        const compared = command.comparedAfter === undefined ? undefined : comparedIn(asked.values, line);
        const read = queryLine(words, compared ?? asked, line);
        return exitsWithDifferences ? { ...read, exitCode: true } : read;
      },
    },
  ];
}

/** Reads the question that a line asks; a refusal names flags. */
function questionIn(question: Question, line: TypedLine, inPlan: boolean): QuestionQuery {
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
    values: inVoice(voiceOf(question, line), () => checkedValues(question, all, { ...line.clock, inPlan })),
  };
}

/** Refuses two flags that say how many rows there are. */
function checkExtent({ params }: Question, line: TypedLine): void {
  if (!Object.hasOwn(params, 'limit')) return;
  const extents = ['all', 'limit', 'first', ...(line.has('first') ? ['cursor'] : [])];
  const [one, other] = extents.filter((name) => line.has(name)).map((name) => `--${name}`);
  if (other !== undefined) throw new Problem('bad-input', `use either ${one} or ${other}`);
}

/** The comparison that a line asks for instead, of the same series, dates and units. */
function comparedIn(values: NamedValues, line: TypedLine): Query | undefined {
  const transformation = transformationIn(values);
  return versionsIn(line, {
    ...seriesIn(line, line.args),
    ...line.range(),
    ...{ wide: line.has('wide'), sort: sortIn(line) },
    ...(transformation && { transformation }),
  });
}

/** Names the parameters of a question by their flags: of several, by those that were typed. */
function voiceOf(question: Question, line: TypedLine): Voice {
  const params = paramsOf(question);
  const flagsOf = (name: string): readonly string[] => {
    const all = params[name]?.typed?.flags.map((flag) => flag.name) ?? [flagName(name, params[name])];
    const typed = all.filter((flag) => line.has(flag));
    return typed.length === 0 ? all : typed;
  };
  const param = (name: string, value?: string) => {
    const flags = flagsOf(name).map((flag) => `--${flag}`);
    return `${listed(flags, 'or')}${value === undefined ? '' : ` ${value}`}`;
  };
  return {
    ...commandNaming,
    param,
    refused: ({ param: name = 'value', value, reason }) => `${param(name)}${quoted(value)}: ${reason}`,
  };
}
