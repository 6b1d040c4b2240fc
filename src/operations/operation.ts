import type { Day } from '../domain/series/date.ts';
import type { StoreView } from '../store/store.ts';
import type { Coverage, Row, SeriesSummary } from './envelope.ts';
import type { CompleteRow, Field, RowFrom } from './field.ts';
import { type Clock, type Params, type ParamTexts, type ParamValues, readParams } from './param.ts';
import { type Requirement, type RowTests, requirementsOf, shownParams } from './requirement.ts';

/** Who asks: the plan decides what is allowed. */
export type Principal = {
  readonly plan: string;
  readonly monthlyLimit: number;
  readonly ratePerMinute: number;
  readonly vintageAccess: boolean;
};

/** Where a listing continues: the last key given out, and the version of the data that the page was cut from. */
export type PagePosition = { readonly key: readonly string[]; readonly version?: number };

/** What an operation may use to answer. */
type Context = {
  readonly view: StoreView;
  readonly principal: Principal;
  readonly position?: PagePosition;
};

/** One page of rows, and where the next begins if there is one. */
export type Page<R = Row> = {
  readonly rows: readonly R[];
  readonly next?: PagePosition;
  readonly asOf?: Day;
  readonly series?: SeriesSummary;
  readonly coverage?: Coverage;
};

/** The heading under which help lists a command. */
type CommandHeading = 'Series' | 'Treasury rates' | 'Insiders' | 'Service';

/** A feature that the command of an operation has besides its parameters. */
export type CommandFeature = 'as-of' | 'comparison' | 'nearest' | 'sort' | 'wide';

/** The command of an operation: what the command line needs besides the parameters. */
export type CommandDeclaration = {
  /** The words of the command, such as `series search`. */
  readonly words: string;
  readonly heading: CommandHeading;
  readonly alias?: string;
  /** The flag with which the command of those words asks this operation instead of its own. */
  readonly flag?: { readonly name: string; readonly about: string };
  /** The parameter that the command takes as an argument; it is shown as the parameter's placeholder. */
  readonly argument?: string;
  /** Whether it takes several arguments, each a query of its own. */
  readonly several?: boolean;
  /** The texts of parameters that the command sends where no flag does. */
  readonly defaults?: Readonly<Record<string, string>>;
  readonly features?: readonly CommandFeature[];
  /** The analysis that the command asks instead of the bare operation. */
  readonly analysis?: 'curve' | 'revisions' | 'vintages';
};

/** A query whose parameters were read and go together, ready to be run. */
type PreparedQuery<R = Row> = {
  /** Whether it asks for what only a plan with vintage access may see. */
  readonly needsVintageAccess: boolean;
  /** Whether its answer may be another one tomorrow although nothing was imported. */
  readonly dependsOnToday: boolean;
  readonly run: (context: Context) => Promise<Page<R>>;
};

/** How a client asks another question of a service that does not announce all parameters of the one that it is asked. */
export type Substitute<R = Row> = {
  /** The texts of parameters that change; undefined leaves one out. */
  readonly params: { readonly [name: string]: string | undefined };
  /** Where the answer is a selection of all rows: those rows in their order, and what tells a row from all others. */
  readonly selection?: {
    select(rows: readonly R[]): readonly R[];
    keyOf(row: R): string;
  };
};

/**
 * A question that asof answers, declared once: its command, route, parameter checks, OpenAPI entry, remote requests and
 * their checks, and the types of its parameters and rows are made from this.
 */
export type Operation<P extends Params = Params, R = Row> = {
  readonly name: string;
  readonly command: CommandDeclaration;
  readonly summary: string;
  readonly path: string;
  readonly object: string;
  readonly params: P;
  readonly fields: readonly Field[];
  /** The fixed columns of its CSV. */
  readonly columns: readonly string[];
  /** The field of a row that says since when the row could be known; without one, no day bounds an answer. */
  readonly knownBy?: string;
  /** The parameter that keeps an answer to what was known on a day, if there is one. */
  readonly boundBy?: string;
  /**
   * The field by which rows come newest first, each value once. A client sorts the rows of a service that gives them in
   * another order, and refuses a value that comes twice.
   */
  readonly newestFirst?: string;
  /** What a chart of the rows shows; without it rows cannot be drawn. */
  readonly chart?: 'curve' | 'revisions' | 'series' | 'spread';
  /** The fields whose values tell apart what `limit` counts, where several rows count as one. */
  readonly limitCounts?: readonly string[];
  /** The field of a series' description that says how many rows there are without any parameter but the id. */
  readonly countedBy?: string;
  /** Whether the contract describes it, so that every service has it. */
  readonly inContract?: boolean;
  /** What its envelope may hold besides what every envelope holds. */
  readonly members?: readonly ('as_of' | 'series' | 'coverage')[];
  /** Whether any of its answers needs a plan with vintage access. */
  readonly gated: boolean;
  /** Reads the texts of a query's parameters; throws the contract's validation error. */
  readonly prepare: (texts: ParamTexts, clock: Clock) => PreparedQuery<R>;
  /** The parameters whose values the rows show, so that a client can apply them itself. */
  readonly shown: ReadonlySet<string>;
  /** What every row of an answer to these texts must hold; throws the contract's validation error. */
  readonly requirements: (texts: ParamTexts, clock: Clock) => readonly Requirement<R>[];
  /** How a client does without these parameters; undefined where the others ask for the same rows or more. */
  readonly substitute?: (
    texts: ParamTexts,
    clock: Clock,
    lacking: ReadonlySet<string>,
  ) => Substitute<R> | undefined;
};

/** The type of an operation's rows: `RowOf<typeof observations>`. */
export type RowOf<O> = O extends { readonly prepare: (...texts: never) => PreparedQuery<infer R> }
  ? R
  : never;

type Declaration<N extends string, C extends CommandDeclaration, P extends Params, F extends Field> = Omit<
  Operation<P>,
  'columns' | 'fields' | 'gated' | 'prepare' | 'requirements' | 'shown' | 'substitute'
> & {
  readonly name: N;
  readonly command: C;
  readonly fields: readonly F[];
  readonly columns: readonly F['name'][];
  /** Refuses parameters that do not go together, before anything else is looked at. */
  readonly check?: (values: ParamValues<P>) => void;
  readonly needsVintageAccess?: (values: ParamValues<P>) => boolean;
  readonly dependsOnToday?: (values: ParamValues<P>) => boolean;
  readonly rowTests?: RowTests<P, F>;
  readonly substitute?: (
    values: ParamValues<P>,
    clock: Clock,
    lacking: ReadonlySet<string>,
  ) => Substitute<RowFrom<F>> | undefined;
  readonly run: (
    values: ParamValues<P>,
    context: Context & { readonly clock: Clock },
  ) => Promise<Page<CompleteRow<F>>>;
};

/** An operation from its declaration: `run` takes values with the types of the parameters, and gives rows with all fields. */
export function operation<
  const N extends string,
  const C extends CommandDeclaration,
  P extends Params,
  const F extends Field,
>(
  declaration: Declaration<N, C, P, F>,
): Operation<P, RowFrom<F>> & { readonly name: N; readonly command: C } {
  const { check, needsVintageAccess, dependsOnToday, rowTests, substitute, run, ...rest } = declaration;
  const rules = { params: rest.params, fields: rest.fields, rowTests };
  const read = (texts: ParamTexts, clock: Clock): ParamValues<P> => {
    const values = readParams(rest.params, texts, clock);
    check?.(values);
    return values;
  };
  return {
    ...rest,
    gated: needsVintageAccess !== undefined,
    prepare(texts, clock) {
      const values = read(texts, clock);
      return {
        needsVintageAccess: needsVintageAccess?.(values) ?? false,
        dependsOnToday: dependsOnToday?.(values) ?? false,
        run: (context) => run(values, { ...context, clock }),
      };
    },
    shown: shownParams(rules),
    requirements: (texts, clock) => requirementsOf(rules, texts, read(texts, clock), clock),
    ...(substitute !== undefined && {
      substitute: (texts: ParamTexts, clock: Clock, lacking: ReadonlySet<string>) =>
        substitute(read(texts, clock), clock, lacking),
    }),
  };
}

/** A page of what was found for one row more than its limit, which tells whether more follow, and where they begin. */
export function pageOf<T, R>(
  found: readonly T[],
  limit: number,
  rowOf: (one: T) => R,
  positionOf: (last: T) => PagePosition,
): Pick<Page<R>, 'rows' | 'next'> {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: shown.map((one) => rowOf(one)),
    ...(found.length > limit && last !== undefined && { next: positionOf(last) }),
  };
}

/** How much of a limit rows take: one each, or one for all that agree in the fields which the operation counts by. */
export function limitTaken(
  { limitCounts }: Pick<Operation, 'limitCounts'>,
  rows: readonly { readonly [field: string]: unknown }[],
): number {
  if (limitCounts === undefined) return rows.length;
  return new Set(rows.map((row) => JSON.stringify(limitCounts.map((name) => row[name])))).size;
}
