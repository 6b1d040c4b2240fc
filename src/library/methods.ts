import {
  type Ask,
  type Asker,
  askOf,
  type Note,
  type Outcome,
  type QueryAnswer,
} from '../answering/answer.ts';
import type { Demands, SubjectBasis } from '../answering/basis.ts';
import { notesOf } from '../answering/notes.ts';
import {
  type Argument,
  checkedValues,
  demandsOf,
  type Query,
  type Question,
  splitDemands,
} from '../answering/question.ts';
import { run } from '../answering/run.ts';
import type { UserTable } from '../answering/table.ts';
import { withSuggestion } from '../answering/unknown-series.ts';
import { restartOnChange } from '../client/client.ts';
import { addDays, type Day, latestDay, utcDay } from '../domain/values/date.ts';
import { contradiction, inVoice, Problem } from '../errors/problem.ts';
import type { AnswerVintage, Coverage, KnownInstant, Row, SeriesSummary } from '../operations/envelope.ts';
import { camelCase, type Field } from '../operations/field.ts';
import type { Param, ParamsOf } from '../operations/param.ts';
import { type Clock, clockAt, day, type NamedValues } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { questions } from '../questions/table.ts';
import { bind, boundedClient } from '../snapshot/bind.ts';
import type { Store } from '../store/store.ts';
import type { Kind, Session, Signature } from './call.ts';

/** The rows of an answer: days as `YYYY-MM-DD`, exact decimal texts, null if missing. */
export type Result<R> = {
  readonly rows: readonly R[];
  /** The id of the first request, for support. */
  readonly requestId: string;
  /** The requested as-of date. */
  readonly asOf?: Day;
  /** How an instant became the as-of date, in answers to `knownAt`. */
  readonly knownAt?: KnownInstant;
  /** The series of observations as of a date. */
  readonly series?: SeriesSummary;
  /** The coverage of the series, in answers about vintages. */
  readonly coverage?: Coverage;
  /** The vintage of the observations. */
  readonly vintage?: AnswerVintage;
  /** In a wide panel, the kinds of vintages by column. */
  readonly vintageKinds?: { readonly [column: string]: string };
  /** The last day that the data cover, in answers without an as-of date. */
  readonly coveredTo?: Day;
  /** The coverage and kinds of vintages of each series, curve or list of filings in the answer. */
  readonly basis: readonly SubjectBasis[];
  /** The ids that no series has, left out by `skipMissing`. */
  readonly missing?: readonly string[];
  /** The ids of the series that the aliases in the call stand for. */
  readonly aliases?: { readonly [alias: string]: string };
  /** True if `limit` or `first` left out rows, of any series. */
  readonly hasMore: boolean;
  /** Continues after the rows that `limit` cut off. */
  readonly nextCursor?: string;
};

/** Where the data comes from, and how methods ask for it. */
export type LibrarySource = Asker & {
  readonly clock: () => Date;
  readonly session: Session;
  readonly store?: Store;
  /** The day that binds every answer. */
  readonly asOf?: Day;
};

/** A result, with the fields of its rows and the notes on it. */
export type Answered = {
  readonly result: Result<Row>;
  readonly fields: readonly Field[];
  readonly notes: readonly Note[];
};

/** Answers a query with all rows, again if the data change meanwhile. */
export function allRows(
  query: Query,
  demands: Demands,
  source: Omit<LibrarySource, 'session'>,
): Promise<Answered> {
  return restartOnChange(async () => {
    const ask = { ...basedOn(source, demands), explained: true };
    const rows: Row[] = [];
    try {
      const { fields, pages } = await run(query, ask);
      let step = await pages.next();
      for (; step.done !== true; step = await pages.next())
        for (const row of step.value.results) rows.push(row);
      const result = resultOf(rows, step.value, source.asOf ?? latestDay(source.clock()));
      return { result, fields, notes: notesOf(ask) };
    } catch (error) {
      throw await withSuggestion(error, ask);
    }
  });
}

function resultOf(rows: readonly Row[], outcome: Outcome, day: Day): Result<Row> {
  const { head, basis, hasMore, cursor } = outcome;
  return {
    rows,
    requestId: head?.request_id ?? '',
    ...defined({
      asOf: head?.as_of,
      knownAt: head?.known_at,
      series: head?.series,
      coverage: head?.coverage,
      vintage: head?.vintage,
      vintageKinds: head?.vintage_kinds,
      coveredTo: head?.covered_to ?? undefined,
    }),
    basis: basis.upTo(day),
    ...(basis.missing.size > 0 && { missing: [...basis.missing] }),
    ...(basis.aliases.size > 0 && { aliases: Object.fromEntries(basis.aliases) }),
    hasMore,
    ...defined({ nextCursor: cursor }),
  };
}

function basedOn(source: Omit<LibrarySource, 'session'>, demands: Demands): Ask {
  const now = source.clock();
  const tables = { open: openTable, latest: latestDay(now) };
  const based = askOf({ ...source, tables }, demands, utcDay(now));
  const { asOf } = source;
  return asOf === undefined ? based : { ...based, client: boundedClient(based.client, asOf) };
}

/** The parameters of a method, besides its arguments. */
export type MethodParams<Q> = ParamsOf<Q> & (Q extends { readonly isAboutData: false } ? unknown : Demands);

type Method<Asked extends readonly unknown[], R> = (...asked: Asked) => Promise<Result<R>>;

type Listing<Asked extends readonly unknown[], R> = Method<Asked, R> & {
  /** Yields the rows without keeping them all; of several series one after the other. */
  all(...asked: Asked): AsyncIterable<R>;
};

type Given<A, T> = A extends { readonly orOne: true } ? T | (T extends readonly (infer E)[] ? E : never) : T;

type GivenArguments<A extends readonly Argument[]> = {
  [I in keyof A]: A[I] extends Param<infer T> ? Given<A[I], T> : never;
};

type Options<P> = [keyof P] extends [never]
  ? []
  : Record<never, never> extends P
    ? [params?: P]
    : [params: P];

type QuestionArguments<Q extends Question> = [
  ...(Q['args'] extends readonly [{ readonly required: false }]
    ? Partial<GivenArguments<Q['args']>>
    : GivenArguments<Q['args']>),
  ...Options<MethodParams<Q>>,
];

/** The method of a question, with its types. */
export type QuestionMethod<Q extends Question> = Q extends {
  readonly method?: infer M extends readonly [TypedCall, ...TypedCall[]];
}
  ? Overloads<M, Q>
  : Method<QuestionArguments<Q>, QuestionRow<Q>> &
      (Q extends { readonly all?: infer A extends Question }
        ? Pick<Listing<QuestionArguments<A>, QuestionRow<A>>, 'all'>
        : unknown);

type TypedCall = NonNullable<Question['method']>[number];

type Overloads<M, Q> = M extends readonly [
  readonly [infer Asked extends readonly unknown[], infer R extends Row],
  ...infer Others extends readonly TypedCall[],
]
  ? (Q extends { readonly all?: Question } ? Listing<Asked, R> : Method<Asked, R>) & Overloads<Others, Q>
  : unknown;

/** The type of the rows of a question. */
export type QuestionRow<Q> = Q extends { answer(...asked: never): Promise<QueryAnswer<infer R>> } ? R : never;

type Methods = {
  // Mapped over the table itself, so that editors show its docstrings.
  readonly [K in keyof typeof questions]: QuestionMethod<(typeof questions)[K]>;
};

/** Returns the methods of all questions. */
export function methodsOf(source: LibrarySource): Methods {
  const methods = Object.values<Question>(questions).map((one) => [
    camelCase(one.name),
    guardedMethod(one, source),
  ]);
  // Names and types of methods come only from the table of questions.
  return Object.fromEntries(methods) as Methods;
}

/** Returns a function that answers a question as its method does, with fields and notes. */
export function answering(question: Question, source: LibrarySource) {
  const params = wireParams(question);
  return source.session.guarded(signatureOf(question), async (...asked) => {
    const { query, demands } = queryIn(question, params, asked, source);
    return allRows(query, demands, source);
  });
}

function guardedMethod(question: Question, source: LibrarySource) {
  const { session } = source;
  const answer = answering(question, source);
  const method = async (...asked: readonly unknown[]) => (await answer(...asked)).result;
  const { all: listing } = question;
  if (listing === undefined) return method;
  const signature = { ...signatureOf(listing), name: `${camelCase(question.name)}.all` };
  const all = session.guardedRows(signature, (...asked) => rowsOf(listing, asked, source));
  return Object.assign(method, { all });
}

async function* rowsOf(
  question: Question,
  asked: readonly unknown[],
  source: LibrarySource,
): AsyncGenerator<Row> {
  const { query, demands } = queryIn(question, wireParams(question), asked, source);
  const ask = basedOn(source, demands);
  let isFirst = true;
  try {
    const { pages } = await run(query, ask);
    for await (const page of pages) {
      const missing = isFirst ? notesOf(ask).filter(({ kind }) => kind === 'missing') : [];
      for (const note of missing) source.note?.(note);
      isFirst = false;
      yield* page.results;
    }
  } catch (error) {
    throw await withSuggestion(error, ask);
  }
}

/** Returns the arguments that the method of a question takes. */
export function signatureOf(question: Question): Signature {
  const { name, args, params, limitsRows } = question;
  const own = Object.entries({ ...params, ...demandsOf(question) });
  const named = wireParams(question);
  return {
    name: camelCase(name),
    args: args.map((one) => ({
      name: camelCase(one.label ?? one.name),
      kind: kindOf(one),
      isOptional: !one.required,
    })),
    params: {
      noun: 'parameter',
      kinds: Object.fromEntries(
        own.flatMap(([key, one]) => [[camelCase(key), kindOf(one)], ...strictKind(one)]),
      ),
      required: own.filter(([, { required }]) => required).map(([key]) => camelCase(key)),
      ...(limitsRows && { limitsRows: (values) => limitsRows(wireNamed(named, values)) }),
    },
  };
}

function kindOf(param: Param): Kind {
  return { ...param, schema: { ...param.schema, description: param.description } };
}

function strictKind({ strictly }: Param): readonly (readonly [name: string, kind: Kind])[] {
  if (strictly === undefined) return [];
  const { name, description } = strictly;
  return [[camelCase(name), { check: dayBefore, schema: { ...day.schema, description } }]];
}

/** Checks a day whose start bounds what is known; returns the last day before it. */
function dayBefore(value: unknown, name: string, clock: Clock): Day {
  const before = addDays(day.check(value, name, clock), -1);
  if (before <= clock.latest) return before;
  throw contradiction(name, ({ param }) => `${param(name)} ${value} is in the future: its eve is not over`);
}

/** A parameter of a question, or what bounds the same parameter strictly. */
type WireParam = { readonly name: string; readonly one: Param; readonly strictly?: Param['strictly'] };

/** Returns the parameters of a question by their names in a method. */
function wireParams(question: Question): ReadonlyMap<string, WireParam> {
  const all = Object.entries({ ...question.params, ...demandsOf(question) });
  return new Map(
    all.flatMap(([name, one]): readonly (readonly [string, WireParam])[] => {
      const { strictly } = one;
      const plain = [camelCase(name), { name, one }] as const;
      return strictly === undefined ? [plain] : [plain, [camelCase(strictly.name), { name, one, strictly }]];
    }),
  );
}

function wireNamed(params: ReadonlyMap<string, WireParam>, given: NamedValues, clock?: Clock): NamedValues {
  const entries = Object.entries(given).flatMap(([member, value]) => {
    const { name, one, strictly } = params.get(member) ?? {};
    if (name === undefined || one === undefined || value === undefined) return [];
    if (strictly === undefined) return [[name, clock === undefined ? value : one.check(value, name, clock)]];
    const other = [name, 'known_at'].find((also) => given[camelCase(also)] !== undefined);
    if (other !== undefined)
      throw contradiction(other, ({ param }) => `use either ${param(other)} or ${param(strictly.name)}`);
    return [[name, clock === undefined ? value : dayBefore(value, strictly.name, clock)]];
  });
  return Object.fromEntries(entries);
}

function checkedNames(question: Question, given: NamedValues, clock: Clock): NamedValues {
  try {
    return checkedValues(question, given, clock);
  } catch (error) {
    if (!(error instanceof Problem) || error.field === undefined) throw error;
    throw error.with({ field: camelCase(error.field) });
  }
}

function queryIn(
  question: Question,
  params: ReadonlyMap<string, WireParam>,
  asked: readonly unknown[],
  { clock, naming, asOf }: LibrarySource,
) {
  const now = clockAt(clock());
  const { args } = question;
  const named = args.flatMap(({ name, label = name, check }, i) =>
    asked[i] === undefined ? [] : [[name, check(asked[i], label, now)]],
  );
  const given = inVoice(naming, () => wireNamed(params, { ...Object(asked[args.length]) }, now));
  const { demands, values: own } = splitDemands(given);
  const values = inVoice(naming, () =>
    checkedNames(question, { ...question.defaults, ...Object.fromEntries(named), ...own }, now),
  );
  const query: Query = { question, values };
  const isBound = asOf !== undefined && question.bind !== undefined;
  return { demands, query: isBound ? bind(query, asOf, naming).query : query };
}

async function openTable(path: string): Promise<UserTable> {
  return (await import('../table/open.ts')).openTable(path);
}
