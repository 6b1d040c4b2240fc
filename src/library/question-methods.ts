import type { Demands } from '../analysis/basis.ts';
import {
  type Argument,
  checkedValues,
  demandParams,
  type MethodType,
  type Question,
  type QuestionQuery,
  type QuestionRow,
  splitDemands,
} from '../analysis/question.ts';
import { run } from '../analysis/run.ts';
import type { UserTable } from '../analysis/table.ts';
import { inVoice, Problem } from '../errors/problem.ts';
import type { Row } from '../operations/envelope.ts';
import { camelCase, type Param, type ParamsOf } from '../operations/param.ts';
import { type Clock, clockAt, type NamedValues } from '../operations/value.ts';
import { questions } from '../questions/table.ts';
import { bind, ofCalls } from '../snapshot/bind.ts';
import { kindOf, type WithParams } from './arguments.ts';
import { methodNaming, type Signature } from './call.ts';
import { type AnswerSource, type Result, resultOf } from './operation-methods.ts';

/** What a method takes for an argument. */
type Given<A, T> = A extends { readonly orOne: true } ? T | (T extends readonly (infer E)[] ? E : never) : T;

type GivenArguments<A extends readonly Argument[]> = {
  [I in keyof A]: A[I] extends Param<infer T> ? Given<A[I], T> : never;
};

/** The method of a question, with the types of its arguments, parameters and rows. */
export type QuestionMethod<Q extends Question> = Q extends {
  readonly method?: readonly [infer First extends MethodType, ...infer Others extends readonly MethodType[]];
}
  ? Overloads<[First, ...Others]>
  : (
      ...asked: [...GivenArguments<Q['args']>, ...WithParams<ParamsOf<Q> & Demands>]
    ) => Promise<Result<QuestionRow<Q>>>;

/** A method that may be asked in several ways, the first that fits first. */
type Overloads<M extends readonly MethodType[]> = M extends readonly [
  readonly [infer Asked extends readonly unknown[], infer R extends Row],
  ...infer Others extends readonly MethodType[],
]
  ? ((...asked: Asked) => Promise<Result<R>>) & Overloads<Others>
  : unknown;

/** A method for each question that asks others, by its name in camel case. */
export type QuestionMethods = {
  // Mapped over the table itself, so that editors show its documentation.
  readonly [K in keyof typeof questions]: QuestionMethod<(typeof questions)[K]>;
};

/** Returns the methods of all questions that ask others. */
export function questionMethods(source: AnswerSource): QuestionMethods {
  const methods = Object.values<Question>(questions).map((question) => {
    const method = (...asked: readonly unknown[]) => answer(question, asked, source);
    return [camelCase(question.name), source.session.guarded(signatureOf(question), method)];
  });
  // The names and types of the methods come from the table of questions, their only source.
  return Object.fromEntries(methods) as QuestionMethods;
}

/** Returns what the method of a question takes. */
export function signatureOf(question: Question): Signature {
  const { name, about, args, params, limitsRows } = question;
  const own = Object.entries({ ...params, ...demandParams });
  return {
    name: camelCase(name),
    ...(about !== undefined && { about }),
    args: args.map((one) => ({ name: camelCase(one.name), kind: kindOf(one) })),
    params: {
      noun: 'parameter',
      kinds: Object.fromEntries(own.map(([key, one]) => [camelCase(key), kindOf(one)])),
      required: own.filter(([, { required }]) => required).map(([key]) => camelCase(key)),
      ...(limitsRows && { limitsRows: (values) => limitsRows(wireNamed(question, values)) }),
    },
  };
}

/** Returns the values of parameters by their names on the wire, in their usual forms. */
function wireNamed({ params }: Question, given: NamedValues, clock?: Clock): NamedValues {
  const entries = Object.entries({ ...params, ...demandParams }).flatMap(([name, one]) => {
    const value = given[camelCase(name)];
    if (value === undefined) return [];
    return [[name, clock === undefined ? value : one.check(value, name, clock)]];
  });
  return Object.fromEntries(entries);
}

/** Checks values; the field of a refusal is the name of a parameter of the method. */
function checkedNames(question: Question, given: NamedValues, clock: Clock): NamedValues {
  try {
    return checkedValues(question, given, clock);
  } catch (error) {
    if (!(error instanceof Problem) || error.field === undefined) throw error;
    throw error.with({ field: camelCase(error.field) });
  }
}

async function answer(question: Question, asked: readonly unknown[], source: AnswerSource) {
  const { naming, asOf } = source;
  const clock = clockAt(source.clock());
  const { args } = question;
  const named = args.map(({ name, check }, i) => [name, check(asked[i], name, clock)]);
  const given = wireNamed(question, { ...Object(asked[args.length]) }, clock);
  const { demands, values: own } = splitDemands(given);
  const values = inVoice(methodNaming, () =>
    checkedNames(question, { ...Object.fromEntries(named), ...own }, clock),
  );
  const query: QuestionQuery = { kind: 'question', question, values };
  const tables = { open: openTable, latest: clock.latest };
  const bound = asOf === undefined ? query : bind(query, asOf, ofCalls(naming)).query;
  return resultOf(source, demands, (ask) => run(bound, { ...ask, explained: true, tables }));
}

async function openTable(path: string): Promise<UserTable> {
  return (await import('../table/open.ts')).openTable(path);
}
