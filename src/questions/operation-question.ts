// Why: docs/decisions/operations-below-questions.md
import { type Ask, counted, type QueryAnswer, textsOf } from '../answering/answer.ts';
import { type Argument, type BoundValues, commandOf, type Question } from '../answering/question.ts';
import { pagesOf } from '../client/pagination.ts';
import type { Day } from '../domain/values/date.ts';
import { contradiction } from '../errors/problem.ts';
import { type Operation, prepare, type RowOf } from '../operations/operation.ts';
import { flagName, isAboutKnowledge, type Param, type Params, param } from '../operations/param.ts';
import { flag, type NamedValues } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { aboutAsOf, extentParams, oneSeries, ownValues } from './series/shared.ts';

type Flagged = readonly (Operation & { readonly command: { readonly flag: { readonly name: string } } })[];

/** The question of an operation; its method takes the argument of the command by position. */
type OperationQuestion<O extends Operation, F extends Flagged> = OneOperation<O, F> &
  (O['params'] extends { readonly cursor: unknown } ? { readonly all: OneOperation<O, F> } : unknown);

type OneOperation<O extends Operation, F extends Flagged> = Omit<Question, Typed> & {
  readonly name: O['name'];
  readonly operation: O;
  readonly isAboutData: 'covered_to' extends NonNullable<O['members']>[number] ? true : false;
  readonly args: [ArgumentOf<O>] extends [never]
    ? readonly []
    : readonly [argument: O['params'][ArgumentOf<O>] & { readonly name: string }];
  readonly params: Omit<O['params'], ArgumentOf<O>> &
    ExtraOf<O> & {
      // With a flag, another operation gives the rows.
      readonly [K in F[number]['command']['flag']['name']]: Param<false | undefined, false>;
    };
  answer(values: never, ask: Ask): Promise<QueryAnswer<RowOf<O>>>;
};

type Typed = 'all' | 'answer' | 'args' | 'isAboutData' | 'method' | 'name' | 'operation' | 'params';

type ArgumentOf<O> = O extends { readonly command: { readonly argument: infer A extends string } }
  ? A
  : never;

type ExtraOf<O> = O extends { readonly extra?: infer E extends Params }
  ? { readonly [K in keyof E as string extends K ? never : K]: E[K] }
  : unknown;

/** Returns the question that asks one operation, or another one that a flag of the same command selects. */
export function asking<O extends Operation, F extends Flagged>(
  operation: O,
  ...others: F
): OperationQuestion<O, F>;
export function asking(operation: Operation, ...others: Flagged): object {
  const { name, command, params, extra, members = [], drawing } = operation;
  const { defaults, argument = '' } = command;
  const { [argument]: typed, limit, cursor: _, ...own } = params;
  const asked = (values: NamedValues): Operation => chosen(operation, others, values);
  const comparedAfter = Object.keys(own).at(-1);
  const question: Question = {
    ...{ name, operation },
    isAboutData: members.includes('covered_to'),
    ...(command.flag === undefined && {
      command: { ...commandOf(operation), ...defined({ comparedAfter }) },
    }),
    args: typed === undefined ? [] : [argumentOf(argument, typed)],
    params: {
      ...withoutDefaults(own),
      ...flagParams(others),
      ...(limit && { limit: limitParam(extra), ...extra, cursor: extentParams.cursor }),
    },
    ...defined({ defaults }),
    check: (values, clock) => void prepare(asked(values), textsOf(ownValues(asked(values), values)), clock),
    layout: asked,
    ...(drawing && { drawing: (values) => async () => drawing(values) }),
    knownOn: (values) => dayIn(asked(values), values),
    aboutValues(values) {
      const { boundBy = '' } = asked(values);
      const { id: _, [boundBy]: asOf, ...named } = ownValues(asked(values), values);
      const [day, ...others] = aboutAsOf(String(asOf), named);
      return asOf === undefined || day === undefined ? others : [day, ...others];
    },
    ...(operation.boundBy !== undefined && { bind: (values, day) => boundTo(asked(values), values, day) }),
    answer: (values, ask) => answer(asked(values), values, ask),
  };
  return limit === undefined ? question : { ...question, all: question };
}

function chosen(operation: Operation, others: Flagged, values: NamedValues): Operation {
  const [one, other] = others.filter(({ command }) => values[command.flag.name] === true);
  if (one === undefined || other === undefined) return one ?? operation;
  const { name } = one.command.flag;
  throw contradiction(name, ({ param }) => `use either ${param(name)} or ${param(other.command.flag.name)}`);
}

function flagParams(others: Flagged): Params {
  return Object.fromEntries(
    others.map(({ command: { flag: asking } }) => [asking.name, param(flag, asking.description, undefined)]),
  );
}

function argumentOf(name: string, declared: Param): Argument {
  if (declared.namesSeries === true) return oneSeries;
  const { placeholder: label = name, complete, required } = declared;
  return {
    ...declared,
    name,
    label,
    fallback: undefined,
    typed: {
      flags: [],
      // Words need no quotes: several are one text.
      args: [{ name: label, several: true, ...defined({ complete }), ...(!required && { optional: true }) }],
      read: ({ args }) => (args.length === 0 ? undefined : args.join(' ')),
    },
  };
}

/** Returns the parameters without their defaults, which a request leaves out. */
function withoutDefaults(params: Params): Params {
  return Object.fromEntries(
    Object.entries(params).map(([name, one]) => [name, { ...one, fallback: undefined }]),
  );
}

function limitParam(extra: Params | undefined): Param {
  const { limit } = extentParams;
  return extra === undefined ? { ...limit, help: { about: 'maximum rows' } } : limit;
}

function dayIn({ boundBy = '' }: Operation, values: NamedValues): Day | undefined {
  const { [boundBy]: day } = values;
  return day === undefined ? undefined : String(day);
}

function boundTo(operation: Operation, values: NamedValues, day: Day): BoundValues<NamedValues> {
  const { params, boundBy = '' } = operation;
  const named = Object.entries(ownValues(operation, values));
  const days = named.filter(([name]) => isAboutKnowledge(params[name]));
  return {
    values: { ...values, [boundBy]: values[boundBy] ?? day },
    days: days.map(([name, text]) => [name, String(text)]),
    asOf: String(values.as_of ?? day),
    words: values[boundBy] === undefined ? [`--${flagName(boundBy)}`, day] : [],
  };
}

async function answer(operation: Operation, values: NamedValues, context: Ask): Promise<QueryAnswer> {
  // Loaded here: a line is read without it.
  const { remarked } = await import('../answering/run.ts');
  const { client, signal, progress } = context;
  const { limit, first, cursor } = values as Partial<Record<'limit' | 'first', number> & { cursor: string }>;
  const texts = textsOf(ownValues(operation, values));
  const received = pagesOf(client, operation, texts, defined({ limit, first, cursor }), signal);
  return {
    ...defined({ card: operation.card }),
    pages: remarked(operation, texts, counted(received, progress), context),
  };
}
