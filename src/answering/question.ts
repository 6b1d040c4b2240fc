import {
  type NamedSeries,
  namedSeries,
  type Transformation,
  transformationOf,
} from '../domain/series/transformation.ts';
import type { Day } from '../domain/values/date.ts';
import type { Sentence } from '../errors/problem.ts';
import type { Drawing } from '../operations/drawing.ts';
import type { Row } from '../operations/envelope.ts';
import type { RowLayout } from '../operations/field.ts';
import type { Operation, operationHeadings } from '../operations/operation.ts';
import { checkRange, type Param, type Params, type ParamValues, param } from '../operations/param.ts';
import type { CommandGroup, CommandWords, Flag } from '../operations/typed-line.ts';
import { type Clock, flag, integer, type NamedValues, type Value } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import type { Ask, QueryAnswer } from './answer.ts';
import type { Demands } from './basis.ts';
import type { ResolvedSeries } from './series-ids.ts';

/** When a question is asked; a plan binds its values to a day later, and a path of the contract has an id alone. */
type AskedAt = Clock & { readonly inPlan?: boolean; readonly inPath?: boolean };

type QuestionCommand = CommandWords & {
  readonly heading: CommandGroup;
  /** Flags that do not change the answer, such as those for the exit code. */
  readonly flags?: readonly Flag[];
  /** True if rows mean an exit code of 1 without a flag. */
  readonly exitsWithDifferences?: boolean;
  /** True if no rows mean an exit code of 9 without a flag. */
  readonly exitsWithoutRows?: boolean;
  /** The parameter after whose flag help lists the flags of another question, such as `--vs`. */
  readonly comparedAfter?: string;
};

/** The flags of other commands that ask a question. */
type AskedByFlags = {
  readonly words: readonly string[];
  readonly flags?: readonly Flag[];
  /** Flags of these commands that its arguments read too; others are refused. */
  readonly reads?: readonly string[];
};

/** The endpoint of a question, an extension of the contract. */
type QuestionEndpoint = Pick<
  Operation,
  'description' | 'example' | 'knownBy' | 'object' | 'path' | 'summary'
> & {
  readonly heading: keyof typeof operationHeadings;
  readonly layout: RowLayout;
  readonly mayBeWide?: boolean;
  readonly members: NonNullable<Operation['members']>;
  /** Values of parameters that a request cannot set. */
  readonly fixed?: NamedValues;
};

/** A parameter that a method takes by position. */
export type Argument<N extends string = string, T = unknown> = Param<T> & {
  readonly name: N;
  /** The name in methods and messages. Default: `name`. */
  readonly label?: string;
  /** True if a single value stands for a list of one. */
  readonly orOne?: boolean;
};

/** A day, and the parameter or the words that name it. */
type NamedDay = readonly [name: string, day: Day];

/** What an answer reads, for a dry run: series as of some days, their histories, or all in a few requests. */
export type Reading = {
  readonly series: readonly ResolvedSeries[];
  readonly reads: number | 'histories' | { readonly requests: number };
};

/** Values that ask for nothing later than a day. */
export type BoundValues<V> = {
  readonly values: V;
  /** The days that the values name; none may be later. */
  readonly days: readonly NamedDay[];
  /** The as-of date of the answer. Default: the day itself. */
  readonly asOf?: Day;
  /** Words that bind a command line in the same way; none if the line names its dates. */
  readonly words: readonly string[];
};

/** A question, from which its command, method, endpoint and tool follow. */
export type Question<V extends NamedValues = NamedValues, R extends Row = Row> = {
  /** The name on the wire; the method has the same name in camel case. */
  readonly name: string;
  /** What it answers, in a few sentences; without this text, assistants do not ask the question. */
  readonly about?: string | Sentence;
  readonly command?: QuestionCommand;
  readonly askedBy?: AskedByFlags;
  /** The operation that answers its path, page by page. */
  readonly operation?: Operation | undefined;
  readonly endpoint?: QuestionEndpoint;
  readonly args: readonly Argument[];
  readonly params: Params;
  /** The types of the method, if its rows depend on its parameters; never read at run time. */
  readonly method?: readonly MethodType[];
  /** The question whose rows `all` of the method yields. */
  readonly all?: Question | undefined;
  /** The default values of its command and its method. */
  readonly defaults?: NamedValues;
  /** False if no demands can be made of its data. Default: true. */
  readonly isAboutData?: boolean;
  /** Refuses values that contradict each other, or ask for what nobody can know yet. */
  check?(values: V, asked: AskedAt): void;
  /** Returns the layout of the rows; undefined if the columns depend on the data. */
  layout(values: V): RowLayout | undefined;
  /** Returns how the rows are drawn; undefined if they cannot be drawn. */
  drawing?(values: V): ((ask: Ask) => Promise<Drawing>) | undefined;
  /** Returns the last day on which the contents were known; undefined for the newest data. */
  knownOn?(values: V): Day | undefined;
  /** Returns what a file with notes says about the values, such as the as-of date, besides their transformation. */
  aboutValues?(values: V): readonly (readonly [name: string, text: string])[];
  /** Tells whether `limit` counts rows of the answer, and not dates that it is computed from. Default: yes. */
  limitsRows?(values: V): boolean;
  /** Binds the values to a day; throws a Problem if that is impossible. Missing if no day can bind the answer. */
  bind?(values: V, day: Day): BoundValues<V>;
  /** Tells whether the rows are values as known now, up to the newest. Default: no. */
  showsNewest?(values: V): boolean;
  /** Returns what the answer reads, from which a dry run computes the number of requests. */
  reading?(values: V, ask: Ask): Promise<Reading>;
  answer(values: V, ask: Ask): Promise<QueryAnswer<R>>;
};

/** Arguments of a method, and the rows that they give. */
type MethodType = readonly [asked: readonly unknown[], row: Row];

/** Declares the types of a method. */
export function typed<M extends readonly MethodType[]>(): M {
  // The member is never read.
  return [] as readonly MethodType[] as M;
}

/** A question and the values of its parameters. */
export type Query = {
  readonly question: Question;
  readonly values: NamedValues;
};

/** Tells whether the rows of the answer can be drawn, and whether they are releases by day. */
export function shapesOf({ question, values }: Query) {
  return {
    drawable: question.drawing?.(values) !== undefined,
    byDay: question.layout(values)?.byDay === true,
  };
}

type ArgumentValues<A extends readonly Argument[]> = {
  readonly [K in A[number] as K['name']]: K extends Param<infer T> ? T : never;
};

// An intersection with Question's members would accept parameters of any name.
type TypedQuestion<A extends readonly Argument[], P extends Params, R extends Row> = Omit<
  Question<ArgumentValues<A> & ParamValues<P>, R>,
  'all' | 'args' | 'method' | 'operation' | 'params'
> & {
  readonly args: A;
  readonly params: P;
};

/** Returns a question from its declaration, with the types of its values and rows. */
export function question<
  const N extends string,
  const A extends readonly Argument[],
  P extends Params,
  R extends Row,
  M extends readonly MethodType[] = readonly [],
  L extends Question | undefined = undefined,
  O extends Operation | undefined = undefined,
>(
  declaration: TypedQuestion<A, P, R> & Particulars<N, M, L, O>,
): TypedQuestion<A, P, R> & Particulars<N, M, L, O> {
  return declaration;
}

type Particulars<N, M, L, O> = {
  readonly name: N;
  readonly method?: M;
  readonly all?: L;
  readonly operation?: O;
};

/** Returns the command of a question that replaces an operation. */
export function commandOf({ command, summary }: Operation): QuestionCommand {
  const { words, heading, alias, examples, exitsWithoutRows } = command;
  return { words, heading, summary, ...defined({ alias, examples, exitsWithoutRows }) };
}

const daysOfAge = integer(0);

/** Parameters of every question for what its answer must be based on. */
export const demandParams = {
  exact: param(flag, 'Refuses answers from vintages whose days are not days of publication.', undefined, {
    help: {
      about: 'accept only vintages dated by their publication (else exit 9)',
      group: 'Output',
    },
  }),
  max_age: {
    ...param(
      daysOfAge,
      'Refuses data that end more than this many days before the day asked for.',
      undefined,
    ),
    typed: {
      flags: [
        {
          name: 'max-age',
          value: 'days',
          about: 'longest gap between the end of the data and the requested day (else exit 9)',
          group: 'Output',
        },
      ],
      // A unit may follow the number.
      read: (line) =>
        line.value('max-age', (text) => daysOfAge.parse(text.replace(/d$/, ''), 'max-age', line.clock)),
    },
  },
} satisfies Params;

/** Declares a parameter that is an argument of a method. */
export function argument<const N extends string, T>(
  name: N,
  value: Value<T>,
  description: string,
  typed?: Param<T>['typed'],
): Argument<N, T> & Param<T, true> {
  // An argument is never left out, so the fallback is never used.
  const fallback = undefined as T;
  return { ...value, name, in: 'query', required: true, description, fallback, ...(typed && { typed }) };
}

/** All parameters of the questions that were asked: each call needs them. */
const known = new WeakMap<Pick<Question, 'args' | 'params'>, Params>();

/** Returns all parameters of a question by name, the arguments first. */
export function paramsOf(question: Pick<Question, 'args' | 'params'>): Params {
  const before = known.get(question);
  if (before !== undefined) return before;
  const { args, params } = question;
  const all = { ...Object.fromEntries(args.map((one) => [one.name, one])), ...params };
  known.set(question, all);
  return all;
}

/** Fills in defaults, and refuses values that contradict each other in the voice of a front. */
export function checkedValues(question: Question, given: NamedValues, asked: AskedAt): NamedValues {
  const params = Object.entries(paramsOf(question));
  const whole = Object.fromEntries(params.map(([name, { fallback }]) => [name, given[name] ?? fallback]));
  const values =
    asked.inPath !== true && Object.hasOwn(question.params, 'units') ? withOwnUnits(whole) : whole;
  checkRange(values);
  checkTransformation(values);
  question.check?.(values, asked);
  return values;
}

/** Takes the units of the only series from its name. */
function withOwnUnits(values: NamedValues): NamedValues {
  const { id } = values;
  return typeof id === 'string' ? { ...values, ...defined(namedSeries(id)) } : values;
}

/** Throws a Problem if a parameter of a transformation needs another that no series has. */
function checkTransformation(values: NamedValues): void {
  // The columns of a table may have units of their own, which no value here names.
  if (values.id === undefined && values.ids === undefined) {
    transformed({ ...values, digits: undefined }, undefined);
    return;
  }
  const { ids = [] } = values as { readonly ids?: readonly string[] };
  const own = ids.map((id) => namedSeries(id).units).find((units) => (units ?? 'lin') !== 'lin');
  transformed(values, own);
}

/** Returns the transformation of a series, by its own units or else those of all; undefined without one. */
export function transformationIn(
  values: NamedValues,
  { units: own }: Pick<NamedSeries, 'units'> = {},
): Transformation | undefined {
  const { units = 'lin', frequency } = values as TransformationValues;
  // Digits are for the series whose values are computed.
  return (own ?? units) === 'lin' && frequency === undefined ? undefined : transformed(values, own);
}

function transformed(values: NamedValues, own: NamedSeries['units']): Transformation | undefined {
  const { units, digits, frequency, aggregate, partial } = values as TransformationValues;
  return transformationOf(defined({ units: own ?? units, digits, frequency, aggregate, partial }));
}

/** The values of the parameters of a transformation. */
export type TransformationValues = {
  readonly [K in keyof Parameters<typeof transformationOf>[0]]:
    | Parameters<typeof transformationOf>[0][K]
    | undefined;
};

/** Returns the demands that an answer to a question accepts, as parameters. */
export function demandsOf({ isAboutData }: Pick<Question, 'isAboutData'>): Params {
  return isAboutData === false ? {} : demandParams;
}

/** Separates the demands from the other values. */
export function splitDemands({ exact, max_age, ...values }: NamedValues): {
  readonly demands: Demands;
  readonly values: NamedValues;
} {
  return {
    demands: {
      ...(typeof exact === 'boolean' && { exact }),
      ...(typeof max_age === 'number' && { maxAge: max_age }),
    },
    values,
  };
}

/** Returns the parameters that a request to a question's endpoint may have. */
export function requestParams(question: Question): Params {
  const all = Object.entries({ ...paramsOf(question), ...demandsOf(question) });
  const { fixed = {} } = question.endpoint ?? {};
  return Object.fromEntries(all.filter(([name]) => !Object.hasOwn(fixed, name)));
}
