import { type Asker, askOf, pagesAbout, type QueryContext, textsOf } from '../analysis/answer.ts';
import type { Demands, SubjectBasis } from '../analysis/basis.ts';
import { withBasis } from '../analysis/coverage.ts';
import type { OperationQuery } from '../analysis/query.ts';
import { remarked, transformedContext } from '../analysis/run.ts';
import { missingText, resolveSeries, withSuggestion } from '../analysis/series-ids.ts';
import { restartOnChange } from '../client/client.ts';
import { type Extent, pagesOf } from '../client/pagination.ts';
import { type Day, latestDay, utcDay } from '../domain/series/date.ts';
import type { AnswerVintage, Coverage, Envelope, Row, SeriesSummary } from '../operations/envelope.ts';
import { type KnownOperation, operations } from '../operations/index.ts';
import type { Naming, Operation, RowOf } from '../operations/operation.ts';
import {
  type CamelCase,
  camelCase,
  type ParamsOf,
  type ParamTexts,
  paramTexts,
} from '../operations/param.ts';
import type { NamedValues } from '../operations/value.ts';
import type { unitsParams } from '../questions/series/shared.ts';
import { type KnownQuestion, questionNamed } from '../questions/table.ts';
import { bind, boundedClient, ofCalls } from '../snapshot/bind.ts';
import type { SeveralParams, WithParams } from './arguments.ts';
import { askedOf, signaturesOf } from './operation-signatures.ts';
import type { Session } from './session.ts';

/** The rows of an answer. Days are `YYYY-MM-DD`, numbers of facts are exact decimal texts, missing values are null. */
export type Result<R> = {
  readonly rows: readonly R[];
  /** Identifies the request, for support requests; if there were several, the first one. */
  readonly requestId: string;
  /** The as-of date, if one was requested. */
  readonly asOf?: Day;
  /** The series of observations that were requested as of a date. */
  readonly series?: SeriesSummary;
  /** What the series covers, in answers about vintages. */
  readonly coverage?: Coverage;
  /** The vintage of the observations, and how it came about. */
  readonly vintage?: AnswerVintage;
  /** In a wide panel: by column, how the vintages of its values came about. */
  readonly vintageKinds?: { readonly [column: string]: string };
  /** The last day that the data cover, in answers that are not as of a day. */
  readonly coveredTo?: Day;
  /**
   * What the answer is based on: to which day each series, curve or list of filings is covered, and its kinds of
   * vintages.
   */
  readonly basis: readonly SubjectBasis[];
  /** The ids that no series has, which `skipMissing` left out. */
  readonly missing?: readonly string[];
  /** Whether there are more rows than `limit`. */
  readonly hasMore: boolean;
  /** Continues after the rows that `limit` cut off. */
  readonly nextCursor?: string;
};

/** What methods ask with. */
export type AnswerSource = Asker & {
  readonly naming: Naming;
  readonly clock: () => Date;
  readonly session: Session;
  /** The day that every answer is bound to, if there is one. */
  readonly asOf?: Day;
};

type BasedSource = AnswerSource & QueryContext;

/** Reads all pages of an answer, again from the beginning if the data change meanwhile. */
export function resultOf<R extends Row>(
  source: AnswerSource,
  demands: Demands,
  answer: (ask: BasedSource) => Promise<{ readonly pages: AsyncIterable<Envelope<R>> }>,
): Promise<Result<R>> {
  return restartOnChange(async () => {
    const based = basedOn(source, demands);
    const rows: R[] = [];
    let [first, last]: (Envelope<R> | undefined)[] = [];
    try {
      const { pages } = await answer(based);
      for await (const page of pages) {
        for (const row of page.results) rows.push(row);
        first ??= page;
        last = page;
      }
    } catch (error) {
      throw await withSuggestion(error, based);
    }
    const { missing } = based.basis;
    return {
      rows,
      requestId: first?.request_id ?? '',
      ...(first?.as_of !== undefined && { asOf: first.as_of }),
      ...(first?.series !== undefined && { series: first.series }),
      ...(first?.coverage !== undefined && { coverage: first.coverage }),
      ...(first?.vintage !== undefined && { vintage: first.vintage }),
      ...(first?.vintage_kinds !== undefined && { vintageKinds: first.vintage_kinds }),
      ...(typeof first?.covered_to === 'string' && { coveredTo: first.covered_to }),
      basis: based.basis.upTo(source.asOf ?? latestDay(source.clock())),
      ...(missing.size > 0 && { missing: [...missing] }),
      hasMore: last?.has_more === true,
      ...(last?.next_cursor !== undefined && { nextCursor: last.next_cursor }),
    };
  });
}

function basedOn(source: AnswerSource, demands: Demands): BasedSource {
  const based = askOf(source, demands, utcDay(source.clock()));
  const { asOf } = source;
  return asOf === undefined ? based : { ...based, client: boundedClient(based.client, asOf) };
}

type ArgumentName<O> = O extends { readonly command: { readonly argument: infer A extends string } }
  ? A
  : never;

/** The parameters of the method of an operation, besides its argument. */
export type MethodParams<O> = Omit<ParamsOf<O>, CamelCase<ArgumentName<O>>> &
  DemandsOf<O> &
  OldestRows<O> &
  UnitsOf<O> &
  WithoutFlags<FlagName<Flagged<O>>>;

type FeatureOf<O> = O extends { readonly command: { readonly features: infer F extends readonly string[] } }
  ? F[number]
  : never;

/** How a method may transform its rows, if they are values by date. */
type UnitsOf<O> = 'units' extends FeatureOf<O> ? ParamsOf<{ readonly params: typeof unitsParams }> : unknown;

/** What selects the oldest rows of a listing that is newest first. */
type OldestRows<O> = 'oldest' extends FeatureOf<O> ? { readonly first?: number | undefined } : unknown;

/** What a method may demand of its data, if it answers about data. */
type DemandsOf<O> = O extends { readonly members?: infer M extends readonly unknown[] }
  ? 'covered_to' extends M[number]
    ? Demands
    : unknown
  : unknown;

type ArgumentValue<O, Asked> =
  CamelCase<ArgumentName<O>> extends infer A ? (A extends keyof Asked ? Asked[A] : never) : never;

/** The arguments of a method: the one that its command takes, and the other parameters by name. */
type Arguments<O, Several = never> = [
  ...CommandArgument<O, ArgumentValue<O, ParamsOf<O>>, Several>,
  ...WithParams<MethodParams<O> & ([Several] extends [never] ? unknown : SeveralParams)>,
];

type CommandArgument<O, V, Several> = [ArgumentName<O>] extends [never]
  ? []
  : undefined extends V
    ? [argument?: V]
    : [argument: V | Several];

type SeveralIds<O> = O extends { readonly command: { readonly several: true } } ? readonly string[] : never;

/** The method of an operation: gives all rows, or at most `limit` of them (`first`: the oldest ones). */
type OperationMethod<O> = ((...asked: Arguments<O>) => Promise<Result<RowOf<O>>>) &
  (O extends { readonly params: { readonly cursor: unknown } }
    ? {
        /** The same rows one by one, without holding them all; for several series, one after the other. */
        all(...asked: Arguments<O, SeveralIds<O>>): AsyncIterable<RowOf<O>>;
      }
    : unknown);

/** The operation that a flag of the command runs instead. */
type Flagged<O> = O extends { readonly command: { readonly words: infer W; readonly flag?: undefined } }
  ? Extract<
      KnownOperation,
      { readonly command: { readonly words: W; readonly flag: { readonly name: string } } }
    >
  : never;

type FlagName<F> = F extends {
  readonly command: { readonly flag: { readonly name: infer N extends string } };
}
  ? N
  : never;

type WithoutFlags<N extends string> = [N] extends [never]
  ? unknown
  : { readonly [K in N]?: false | undefined };

/** The methods of all operations that flags run, each with its own parameters and rows. */
type FlaggedMethods<O> = (O extends unknown ? (method: FlaggedMethod<O>) => void : never) extends (
  methods: infer M,
) => void
  ? M
  : never;

type FlaggedMethod<O> = ListingMethod<MethodParams<O> & { readonly [K in FlagName<O>]: true }, RowOf<O>>;

type ListingMethod<P, R> = {
  (params: P): Promise<Result<R>>;
  all(params: P): AsyncIterable<R>;
};

/** The parameters of an operation, one of whose flags may be given. */
type MaybeFlagged<O, N extends string> = N extends unknown
  ? Omit<MethodParams<O>, N> & { readonly [K in N]?: boolean | undefined }
  : never;

type MethodOf<O> = [Flagged<O>] extends [never]
  ? OperationMethod<O>
  : FlaggedMethods<Flagged<O>> &
      OperationMethod<O> &
      ListingMethod<MaybeFlagged<O, FlagName<Flagged<O>>>, RowOf<Flagged<O> | O>>;

/** A method for each operation whose place no question takes, by its name in camel case. */
export type OperationMethods = {
  readonly [O in Exclude<KnownOperation, Pick<KnownQuestion, 'name'>> as CamelCase<O['name']>]: MethodOf<O>;
};

/** The methods of all operations. */
export function operationMethods(source: AnswerSource): OperationMethods {
  const methods = operations
    .filter(({ name }) => questionNamed(name) === undefined)
    .map((operation) => [camelCase(operation.name), methodOf(operation, source)]);
  // The names and types of the methods come from the table of operations, their only source.
  return Object.fromEntries(methods) as OperationMethods;
}

function methodOf(operation: Operation, source: AnswerSource) {
  const { session } = source;
  const method = (...asked: readonly unknown[]) => {
    const { chosen, ids, params, demands, transformation } = askedOf(operation, asked);
    return resultOf(source, demands, async (plain) => {
      const based = await transformedContext({ transformation }, plain);
      const pages = pagesFor(chosen, ids[0], params, based, true);
      return { pages: ids[0] === undefined ? pages : pagesAbout(ids[0], pages) };
    });
  };
  async function* all(...asked: readonly unknown[]): AsyncGenerator<Row> {
    const { chosen, ids, skipMissing, params, demands, transformation } = askedOf(operation, asked);
    const based = await transformedContext({ transformation }, basedOn(source, demands));
    try {
      for (const id of await meant(chosen, { ids, skipMissing, params }, based)) {
        const pages = pagesFor(chosen, id, params, based);
        for await (const page of id === undefined ? pages : pagesAbout(id, pages)) yield* page.results;
      }
    } catch (error) {
      throw await withSuggestion(error, based);
    }
  }
  const guarded = session.guarded(signaturesOf(operation, false), method);
  if (!Object.hasOwn(operation.params, 'cursor')) return guarded;
  const takesSeveral = operation.command.several === true;
  const rows = session.guardedRows(signaturesOf(operation, takesSeveral), all);
  return Object.assign(guarded, { all: rows });
}

async function meant(
  { command: { several } }: Operation,
  asked: {
    readonly ids: readonly (string | undefined)[];
    readonly skipMissing: boolean;
    readonly params: NamedValues;
  },
  based: BasedSource,
): Promise<readonly (string | undefined)[]> {
  if (several !== true) return asked.ids;
  const { skipMissing, params } = asked;
  const asOf = params.asOf === undefined ? undefined : String(params.asOf);
  const series = await resolveSeries({ ids: asked.ids.map(String), skipMissing, asOf }, based, true);
  const { missing } = based.basis;
  if (missing.size > 0) based.note?.({ kind: 'missing', text: missingText(missing) });
  return series.map(({ id }) => id);
}

function pagesFor(
  operation: Operation,
  argument: string | undefined,
  values: NamedValues,
  source: BasedSource,
  explained = false,
): AsyncGenerator<Envelope> {
  const { client, signal, naming, asOf } = source;
  const { command, params } = operation;
  const named =
    command.argument === undefined || argument === undefined
      ? {}
      : { [camelCase(command.argument)]: argument };
  // An operation that is not a listing refuses paging like any other parameter that it does not have.
  const { paging, others } = Object.hasOwn(params, 'limit')
    ? separated(values)
    : { paging: {}, others: values };
  const asked = paramTexts(params, { ...command.defaults, ...named, ...others }).map(
    ([name, text]) => [name, params[name]?.namesSeries === true ? text.toUpperCase() : text] as const,
  );
  const texts = asOf === undefined ? asked : boundTexts(operation, asked, asOf, naming);
  const pages = pagesOf(client, operation, texts, paging, signal);
  const context = { ...source, explained };
  return withBasis(operation, texts, remarked(operation, texts, pages, context), context);
}

/** The parameters bound to a day; those of a description, which no day bounds, stay the same. */
function boundTexts(operation: Operation, texts: ParamTexts, day: Day, naming: Naming): ParamTexts {
  if (operation.boundBy === undefined) return texts;
  const query = { kind: 'operation', operation, params: Object.fromEntries(texts) } as const;
  return textsOf(bind<OperationQuery>(query, day, ofCalls(naming)).query.params);
}

/** The extent that values ask for, and the other values. */
function separated({ limit, cursor, first, ...others }: NamedValues): {
  paging: Extent;
  others: NamedValues;
} {
  const paging = {
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(cursor !== undefined && { cursor: String(cursor) }),
    ...(first !== undefined && { first: Number(first) }),
  };
  return { paging, others };
}
