import type { Day } from '../domain/series/date.ts';
import { quoted, type Sentence, type Voice } from '../errors/problem.ts';
import type { AskFollowed } from '../store/followed.ts';
import type { StoreView } from '../store/store.ts';
import type { Envelope, Remark, Row, RowOrder } from './envelope.ts';
import type { CompleteRow, Field, RowFrom } from './field.ts';
import type { Page, PagePosition } from './page.ts';
import { flagName, type Params, type ParamTexts, type ParamValues, readParams } from './param.ts';
import { type Requirement, type RowTests, requirementsOf } from './requirement.ts';
import type { Clock } from './value.ts';

/** Who sends a request, and what their plan allows. */
export type Principal = {
  readonly plan: string;
  readonly monthlyLimit: number;
  readonly dailyLimit: number;
  readonly ratePerMinute: number;
  readonly vintageAccess: boolean;
};

/** The requests of a key in this UTC day and month, the current one included. */
export type Usage = { readonly day: number; readonly month: number };

/** What an operation may use to answer. */
type Context = {
  readonly view: StoreView;
  readonly principal: Principal;
  /** Missing where requests are not counted. */
  readonly usage?: Usage;
  readonly position?: PagePosition;
  /** Whether a page may have all rows, whatever its limit; an operation need not heed it. */
  readonly whole?: boolean;
};

/** The headings under which help lists commands and a service describes its endpoints, with what each is about. */
export const operationHeadings = {
  Series: 'Economic series: what they are, and their values as they were known on a day.',
  'Treasury rates': 'Daily yield curves of the U.S. Treasury, par and real.',
  Insiders: 'Trades that insiders of companies reported to the SEC, and clusters of purchases.',
  Service: 'What a key may ask, whether the service works, and its description.',
} as const;

/** A question to the sample and the first row of its answer, which descriptions of the operation show. */
type Example<R = Row> = {
  readonly params: Readonly<Record<string, string>>;
  readonly row: R;
  /** What the envelope of the answer holds besides what every envelope holds. */
  readonly head?: Pick<Envelope, 'as_of' | 'series' | 'coverage' | 'vintage' | 'covered_to'>;
};

/** What the command line needs to know about an operation besides its parameters. */
export type CommandDeclaration = {
  /** The words of the command, such as `series search`. */
  readonly words: string;
  readonly heading: keyof typeof operationHeadings;
  readonly alias?: string;
  /** The flag with which the command of these words runs this operation instead of its own. */
  readonly flag?: { readonly name: string; readonly description: string };
  /** The parameter that the command takes as an argument; it is shown as the parameter's placeholder. */
  readonly argument?: string;
  /** The texts of parameters that a command or a method sends if it is given none. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** What help shows: comments, each with a command line below it; `(needs …)` names a prerequisite. */
  readonly examples?: string;
};

/** A query whose parameters are valid, ready to run. */
type PreparedQuery<R = Row> = {
  /** Whether its answer needs a plan with vintage access. */
  readonly needsVintageAccess: boolean;
  /** Whether its answer may differ tomorrow even without an import. */
  readonly dependsOnToday: boolean;
  readonly run: (context: Context) => Promise<Page<R>>;
};

/** Texts of parameters by name; undefined for one that is left out. */
type ChangedTexts = Readonly<Record<string, string | undefined>>;

/** Another question to the same service, whose first row proves a row that does not say all that was asked for. */
type Proof = {
  readonly operation: Operation;
  readonly texts: ParamTexts;
  /** The cell that must be the same number as `shownAs` of the first row. */
  readonly field: string;
  readonly shownAs: string;
  /** What the cell is, for messages. */
  readonly noun: string;
};

/** An optional member of an envelope, besides those of every listing. */
type Member = 'as_of' | 'series' | 'coverage' | 'vintage' | 'covered_to' | 'unknown_ticker' | 'missing';

/**
 * An operation of asof, declared once. Its command, route, parameter checks, OpenAPI entry, remote requests and their
 * checks, and the types of its parameters and rows follow from this.
 */
export type Operation<P extends Params = Params, R = Row> = {
  readonly name: string;
  readonly command: CommandDeclaration;
  readonly summary: string;
  /** What an answer holds and in which order, in a few sentences. */
  readonly description: string | Sentence;
  readonly path: string;
  readonly object: string;
  readonly params: P;
  /** What a listing can be asked besides; a client answers it from rows of the service. */
  readonly extra?: Params;
  readonly fields: readonly Field[];
  /** The fixed columns of its CSV. */
  readonly columns: readonly string[];
  /** The field with the first day on which a row was known; without it, no as-of date can bound an answer. */
  readonly knownBy?: string;
  /** The parameter that limits an answer to what was known on a day, if there is one. */
  readonly boundBy?: string;
  /** The order of the rows. If a service gives another one, the client sorts. */
  readonly order?: RowOrder;
  /** The fields that name a row: the client refuses an answer in which two rows are alike in them. */
  readonly identity?: readonly string[];
  /** Whether a terminal shows its row as a card: a line for each field. */
  readonly card?: boolean;
  /** Whether its rows are values of a series by date, which can be transformed. */
  readonly isTransformable?: boolean;
  /** The fields that identify what `limit` counts, if several rows count as one. */
  readonly limitCounts?: readonly string[];
  /** Whether the contract describes it, so that every service has it. */
  readonly inContract?: boolean;
  /** The optional members of the envelope of its answers. */
  readonly members?: readonly Member[];
  /**
   * What `covered_to` is about, for messages: `{name}` is replaced by the value of a parameter. The default is the
   * series.
   */
  readonly subject?: string;
  /** Whether its answer is about the key of the request, so that it differs with each request. */
  readonly aboutCaller?: boolean;
  /** Whether any of its answers needs a plan with vintage access. */
  readonly gated: boolean;
  readonly example: Example;
  /** Reads the texts of a query's parameters; throws the contract's validation error. */
  readonly prepare: (texts: ParamTexts, clock: Clock) => PreparedQuery<R>;
  /** What readers should know about an answer besides its rows, given those of its first page. */
  remark?(rows: readonly R[], texts: ParamTexts, about: RemarkContext): Remark;
  /** Why an answer has no rows, found by further questions; a Problem if what was asked about does not exist. */
  whyEmpty?(texts: ParamTexts, ask: AskMore, naming: Naming): Promise<string | undefined>;
  /** What every row of an answer to these texts must hold; throws the contract's validation error. */
  readonly requirements: (texts: ParamTexts, clock: Clock) => readonly Requirement<R>[];
  /** What contradicts itself in a row, or the row before it, as messages put it after the place of the row. */
  contradiction?(row: R, before: R | undefined): string | undefined;
  /** How a client proves a row of another service that does not show what was asked for. */
  proof?(row: R, texts: ParamTexts): Proof | undefined;
  /** The parameters that change for a service without `as_of`; undefined leaves one out. */
  readonly boundsAsOf?: (texts: ParamTexts, clock: Clock) => ChangedTexts;
};

/** What a remark may use: what the store follows, and what messages call questions and parameters. */
type RemarkContext = { readonly followed: AskFollowed; readonly naming: Naming };

/** Asks an operation for one page. */
export type AskMore = <R extends Row>(
  operation: Operation<Params, R>,
  texts: ParamTexts,
) => Promise<Envelope<R>>;

/**
 * How messages name questions and parameters, in the form in which their reader can use them: as commands and flags, as
 * methods and parameters of the library, or as tools of an assistant.
 */
export type Naming = Voice & {
  /** Names a question, given its operation and the values of parameters by their names on the wire. */
  readonly question: (
    operation: Pick<Operation, 'command' | 'name' | 'params'>,
    values?: Readonly<Record<string, string>>,
  ) => string;
};

/** The type of an operation's rows: `RowOf<typeof observations>`. */
export type RowOf<O> = O extends { readonly prepare: (...texts: never) => PreparedQuery<infer R> }
  ? R
  : never;

type Declaration<
  N extends string,
  C extends CommandDeclaration,
  P extends Params,
  F extends Field,
  M extends Member,
  E extends Params,
> = Omit<
  Operation<P>,
  | 'boundsAsOf'
  | 'columns'
  | 'contradiction'
  | 'example'
  | 'extra'
  | 'fields'
  | 'gated'
  | 'identity'
  | 'members'
  | 'prepare'
  | 'proof'
  | 'remark'
  | 'requirements'
> & {
  readonly extra?: E;
  readonly members?: readonly M[];
  readonly name: N;
  readonly command: C;
  readonly fields: readonly F[];
  readonly columns: readonly F['name'][];
  readonly example: Example<CompleteRow<F>>;
  readonly identity?: readonly F['name'][];
  contradiction?(row: RowFrom<F>, before: RowFrom<F> | undefined): string | undefined;
  proof?(row: RowFrom<F>, texts: ParamTexts): Proof | undefined;
  /** Refuses parameters that contradict each other, before any access to the store. */
  readonly check?: (values: ParamValues<P>) => void;
  readonly needsVintageAccess?: (values: ParamValues<P>) => boolean;
  readonly dependsOnToday?: (values: ParamValues<P>) => boolean;
  remark?(rows: readonly RowFrom<F>[], texts: ParamTexts, about: RemarkContext): Remark;
  readonly rowTests?: RowTests<P, F>;
  readonly boundsAsOf?: (values: ParamValues<P>, clock: Clock) => ChangedTexts;
  readonly run: (
    values: ParamValues<P>,
    context: Context & { readonly clock: Clock },
  ) => Promise<Page<CompleteRow<F>>>;
  /** The last day that the data cover, if `run` does not give it. */
  readonly coveredTo?: (values: ParamValues<P>, view: StoreView) => Promise<Day | undefined>;
};

/** An operation from its declaration: `run` takes typed values of the parameters, and gives rows with all fields. */
export function operation<
  const N extends string,
  const C extends CommandDeclaration,
  P extends Params,
  const F extends Field,
  const M extends Member = never,
  E extends Params = Record<never, never>,
>(
  declaration: Declaration<N, C, P, F, M, E>,
): Operation<P, RowFrom<F>> & {
  readonly name: N;
  readonly command: C;
  readonly members?: readonly M[];
  readonly extra?: E;
} {
  const { check, needsVintageAccess, dependsOnToday, rowTests, boundsAsOf, run, coveredTo, ...rest } =
    declaration;
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
        async run(context) {
          if (coveredTo === undefined) return run(values, { ...context, clock });
          const [page, last = null] = await Promise.all([
            run(values, { ...context, clock }),
            coveredTo(values, context.view),
          ]);
          return { ...page, coveredTo: last };
        },
      };
    },
    requirements: (texts, clock) => requirementsOf(rules, texts, read(texts, clock), clock),
    ...(boundsAsOf !== undefined && {
      boundsAsOf: (texts: ParamTexts, clock: Clock) => boundsAsOf(read(texts, clock), clock),
    }),
  };
}

/** Names questions as commands, and parameters as flags. */
export const commandNaming: Naming = {
  question({ command, params }, values = {}) {
    const flags = Object.entries(values).map(
      ([param, value]) => ` --${flagName(param, params[param])} ${value}`,
    );
    return `asof ${command.words}${flags.join('')}`;
  },
  param: (name, value) => `--${flagName(name)}${value === undefined ? '' : ` ${value}`}`,
  refused: ({ param = 'value', value, reason }) => `--${flagName(param)}${quoted(value)}: ${reason}`,
  lead: () => '',
  kind: 'bad-input',
};
