import type { Day } from '../domain/series/date.ts';
import { type Transformation, transformationOf } from '../domain/series/transformation.ts';
import { refused, type Sentence } from '../errors/problem.ts';
import type { Drawing } from '../operations/drawing.ts';
import type { Row } from '../operations/envelope.ts';
import type { RowLayout } from '../operations/field.ts';
import type { Operation, operationHeadings } from '../operations/operation.ts';
import {
  checkRange,
  invalid,
  type Param,
  type Params,
  type ParamTexts,
  type ParamValues,
  param,
} from '../operations/param.ts';
import type { CommandGroup, CommandWords, Flag } from '../operations/typed-line.ts';
import { type Clock, flag, integer, type NamedValues, type Value } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import type { Ask, QueryAnswer } from './answer.ts';
import type { Demands } from './basis.ts';
import type { ResolvedSeries } from './series-ids.ts';

/** When a question is asked; in a plan, binding its values to a day completes them. */
type AskedAt = Clock & { readonly inPlan?: boolean };

/** Reads the days in a file; with `strict`, on which something was known before each. */
type DayFileReader = (file: string, strict: boolean) => Promise<readonly Day[]>;

type QuestionCommand = CommandWords & {
  readonly heading: CommandGroup;
  /** Flags that say nothing about the answer, such as those about the exit code. */
  readonly flags?: readonly Flag[];
  /** Whether rows mean an exit code of 1, without a flag. */
  readonly exitsWithDifferences?: boolean;
  /** The parameter after whose flag help lists those that ask another question, such as `--vs`. */
  readonly comparedAfter?: string;
};

/** How flags of other commands ask a question, which has no command of its own: those of its arguments. */
type AskedByFlags = {
  readonly words: readonly string[];
  readonly flags?: readonly Flag[];
  /** Flags of these commands that its arguments read too; others that say nothing about it are refused. */
  readonly reads?: readonly string[];
  /** How flags of these commands are refused, if not as those that do not go with the flag that asks it. */
  readonly refusals?: Readonly<Record<string, string>>;
  /** The question that they ask together with another flag. */
  readonly together?: { readonly flag: string; readonly question: Question };
};

/** The endpoint of a service that answers a question; asof's own extension of the contract. */
type QuestionEndpoint = Pick<
  Operation,
  'description' | 'example' | 'knownBy' | 'object' | 'path' | 'summary'
> & {
  readonly heading: keyof typeof operationHeadings;
  readonly layout: RowLayout;
  readonly mayBeWide?: boolean;
  readonly members: NonNullable<Operation['members']>;
  /** Values of parameters that no request can set. */
  readonly fixed?: NamedValues;
};

/** A parameter that a method takes by its place. */
export type Argument<N extends string = string, T = unknown> = Param<T> & {
  readonly name: N;
  /** What methods and messages call it, if not by its name on the wire. */
  readonly label?: string;
  /** Whether a list may be given by its only member. */
  readonly orOne?: boolean;
};

/** A day, and the parameter that names it, or in words which one it is. */
type NamedDay = readonly [name: string, day: Day];

/** What an answer reads: each series as of some days, its whole history for some days, or panels of a service. */
export type Reading = { readonly series: readonly ResolvedSeries[] } & (
  | { readonly asOf: number }
  | { readonly days: number }
  | { readonly panels: number }
);

/** Values that ask for nothing later than a day. */
export type BoundValues<V> = {
  readonly values: V;
  /** The days that the values name, which may not be later. */
  readonly days: readonly NamedDay[];
  /** The as-of date of the answer; the day itself by default. */
  readonly asOf?: Day;
  /** The words that bind a command line in the same way; none if the line names its dates itself. */
  readonly words: readonly string[];
};

/** A question, declared once; its command, method, endpoint, tool and binding to a day follow from this. */
export type Question<V extends NamedValues = NamedValues, R extends Row = Row> = {
  /** Its name on the wire; that of the method is the same in camel case. */
  readonly name: string;
  /** What it answers, in a few sentences; without it, assistants do not ask the question. */
  readonly about?: string | Sentence;
  readonly command?: QuestionCommand;
  readonly askedBy?: AskedByFlags;
  readonly endpoint?: QuestionEndpoint;
  readonly args: readonly Argument[];
  readonly params: Params;
  /** The types of the method, where its rows depend on its parameters; it is never read. */
  readonly method?: readonly MethodType[];
  /** The question whose rows `all` of the method gives one by one. */
  readonly all?: Question | undefined;
  /** The values that a command or a method asks for if it is given none. */
  readonly defaults?: NamedValues;
  /** Whether its data are covered to a day, so that demands can be made of them; yes by default. */
  readonly isAboutData?: boolean;
  /** Refuses values that contradict each other, or that ask for what nobody can know yet. */
  check?(values: V, asked: AskedAt): void;
  /** The layout of the rows; undefined if the columns depend on the data. */
  layout(values: V): RowLayout | undefined;
  /** Returns how the rows are drawn; undefined if rows of these values cannot be drawn. */
  drawing?(values: V): ((ask: Ask) => Promise<Drawing>) | undefined;
  /** The last day on which the contents of the answer were known; undefined for the newest data. */
  knownOn?(values: V): Day | undefined;
  /** The days as of which the contents were known, in words, each for a line of its own. */
  asOfTexts?(values: V): readonly string[];
  /** What a file with notes says about the values, besides how they were transformed. */
  valueTexts?(values: V): readonly (readonly [about: string, text: string])[];
  namedParams?(values: V): readonly (readonly [name: string, value: unknown])[];
  /** Whether its answer transforms values itself; otherwise it asks for transformed ones. */
  readonly transformsOwn?: boolean;
  /** Whether `limit` counts rows of the answer, and not dates that it is computed from; yes by default. */
  limitsRows?(values: V): boolean;
  /** Binds the values to a day; throws a Problem if nothing can bind them. Missing if no day can bind the answer. */
  bind?(values: V, day: Day): BoundValues<V>;
  /** Replaces the files that a command line names by what is in them, before the question is asked. */
  withFiles?(values: V, readDays: DayFileReader): Promise<V>;
  /** Whether the rows are values as they are known now, up to the newest; no by default. */
  showsNewest?(values: V): boolean;
  /** What the answer reads, from which a dry run works out the number of requests. */
  reading?(values: V, ask: Ask): Promise<Reading>;
  answer(values: V, ask: Ask): Promise<QueryAnswer<R>>;
};

/** What a method may be asked, and the type of the rows that it then has. */
type MethodType = readonly [asked: readonly unknown[], row: Row];

/** Returns the types of a method as a member of a declaration. */
export function typed<M extends readonly MethodType[]>(): M {
  // Nobody reads the member.
  return [] as readonly MethodType[] as M;
}

/** A question and the values of its parameters. */
export type Query = {
  readonly question: Question;
  readonly values: NamedValues;
};

/** Tells whether the rows of the answer can be drawn. */
export function isDrawable({ question, values }: Query): boolean {
  return question.drawing?.(values) !== undefined;
}

type ArgumentValues<A extends readonly Argument[]> = {
  readonly [K in A[number] as K['name']]: K extends Param<infer T> ? T : never;
};

// An intersection with the members of Question would accept parameters of any name.
type TypedQuestion<A extends readonly Argument[], P extends Params, R extends Row> = Omit<
  Question<ArgumentValues<A> & ParamValues<P>, R>,
  'all' | 'args' | 'method' | 'params'
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
>(
  declaration: TypedQuestion<A, P, R> & { readonly name: N; readonly method?: M; readonly all?: L },
): TypedQuestion<A, P, R> & { readonly name: N; readonly method?: M; readonly all?: L } {
  return declaration;
}

/** What an answer must be based on, as parameters of every question. */
export const demandParams = {
  exact: param(flag, 'Refuses answers from vintages whose days are not days of publication.', undefined, {
    help: {
      about:
        'refuse answers from sampled or fetched vintages: their days are not days of publication (exit 9)',
      group: 'Output',
    },
  }),
  max_age: {
    ...param(
      integer(0),
      'Refuses data that end more than this many days before the day asked for.',
      undefined,
    ),
    typed: {
      flags: [
        {
          name: 'max-age',
          value: 'days',
          about: 'refuse data that end more than this many days before the day asked for (exit 9)',
          group: 'Output',
        },
      ],
      read: (line) => line.value('max-age', daysOfAge),
    },
  },
} satisfies Params;

/** Reads a number of days as it is typed; a request has no unit. */
function daysOfAge(text: string): number {
  const days = /^(\d{1,6})d?$/.exec(text)?.[1];
  if (days !== undefined) return Number(days);
  throw refused({ reason: 'use a number of days, 0 or more' });
}

/** Returns a parameter that must be given: an argument of a method. */
export function argument<const N extends string, T>(
  name: N,
  value: Value<T>,
  description: string,
  typed?: Param<T>['typed'],
): Argument<N, T> & Param<T, true> {
  // No argument is ever left out, so the fallback is never used.
  const fallback = undefined as T;
  return { ...value, name, in: 'query', required: true, description, fallback, ...(typed && { typed }) };
}

/** Returns all parameters of a question by name, the arguments first. */
export function paramsOf({ args, params }: Pick<Question, 'args' | 'params'>): Params {
  return { ...Object.fromEntries(args.map((one) => [one.name, one])), ...params };
}

/** Fills in defaults and refuses values that contradict each other; the refusal is said in the voice of a front. */
export function checkedValues(question: Question, given: NamedValues, asked: AskedAt): NamedValues {
  const params = Object.entries(paramsOf(question));
  const values = Object.fromEntries(params.map(([name, { fallback }]) => [name, given[name] ?? fallback]));
  checkRange(values);
  transformationIn(values);
  question.check?.(values, asked);
  return values;
}

/** Returns the transformation that the values of a question ask for, if its parameters have units. */
export function transformationIn(values: NamedValues): Transformation | undefined {
  const { units, digits, frequency, aggregate, partial } = values as TransformationValues;
  return transformationOf(defined({ units, digits, frequency, aggregate, partial }));
}

type TransformationValues = {
  readonly [K in keyof Parameters<typeof transformationOf>[0]]:
    | Parameters<typeof transformationOf>[0][K]
    | undefined;
};

/** Returns the demands that can be made of the answer to a question, as parameters. */
export function demandsOf({ isAboutData }: Pick<Question, 'isAboutData'>): Params {
  return isAboutData === false ? {} : demandParams;
}

/** Separates what an answer must be based on from the other values. */
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

/** Reads the texts of a request; a validation error names the parameter. */
export function readTexts(question: Question, texts: ParamTexts, clock: Clock): NamedValues {
  const { fixed } = question.endpoint ?? {};
  const params = requestParams(question);
  const given: Record<string, unknown> = {};
  for (const [name, text] of texts) {
    const one = Object.hasOwn(params, name) ? params[name] : undefined;
    if (one === undefined)
      throw invalid(
        name,
        `unknown parameter '${name}': use ${[...Object.keys(params), 'format'].join(', ')}`,
      );
    if (Object.hasOwn(given, name))
      throw invalid(
        name,
        `parameter '${name}' is given more than once${one.schema.type === 'array' ? ': separate its values by commas' : ''}`,
      );
    given[name] = one.parse(text, name, clock);
  }
  const missing = question.args.find(({ name, required }) => required && given[name] === undefined)?.name;
  if (missing !== undefined) throw invalid(missing, `parameter '${missing}' is missing`);
  const { exact, max_age } = given;
  return { ...checkedValues(question, given, clock), ...fixed, exact, max_age };
}

/** Returns the parameters of a request that asks a question. */
export function requestParams(question: Question): Params {
  const all = Object.entries({ ...paramsOf(question), ...demandsOf(question) });
  const { fixed = {} } = question.endpoint ?? {};
  return Object.fromEntries(all.filter(([name]) => !Object.hasOwn(fixed, name)));
}
