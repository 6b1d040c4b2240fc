import type { Day } from '../domain/values/date.ts';
import { type Problem, quoted, type Sentence, type Voice } from '../errors/problem.ts';
import type { AskFollowed, StoreView } from '../store/store.ts';
import type { Drawing } from './drawing.ts';
import type { Envelope, Page, PagePosition, Row, RowOrder } from './envelope.ts';
import type { CompleteRow, Field, RowFrom } from './field.ts';
import { checkRange, flagName, invalid, type Params, type ParamTexts, type ParamValues } from './param.ts';
import type { CommandWords } from './typed-line.ts';
import { type Clock, isPlain, type NamedValues } from './value.ts';

/** Who sends a request, and what the plan allows. */
export type Principal = {
  readonly plan: string;
  readonly monthlyLimit: number;
  readonly dailyLimit: number;
  readonly ratePerMinute: number;
  readonly vintageAccess: boolean;
};

/** The requests of a key in this UTC day and month, including the current one. */
export type Usage = { readonly day: number; readonly month: number };

type Context = {
  readonly view: StoreView;
  readonly principal: Principal;
  readonly usage?: Usage;
  readonly position?: PagePosition;
};

type RunContext = Context & { readonly clock: Clock };

/** The headings of commands in help and of endpoints, and their descriptions. */
export const operationHeadings = {
  Series: 'Economic series: what they are, and their values as they were known on a day.',
  Calendar: 'When statistics were released, and when they are due.',
  'Treasury rates': 'Daily yield curves of the U.S. Treasury, par and real.',
  Insiders: 'Trades that insiders of companies reported to the SEC, and clusters of purchases.',
  Service: 'What a key may ask, whether the service works, and its description.',
} as const;

/** The command of an operation, besides its parameters. */
export type CommandDeclaration = Pick<CommandWords, 'alias' | 'examples' | 'words'> & {
  readonly heading: keyof typeof operationHeadings;
  /** The flag with which a command of these words runs this operation instead of its own. */
  readonly flag?: { readonly name: string; readonly description: string };
  /** The parameter that the command takes as an argument; help shows its placeholder. */
  readonly argument?: string;
  /** True if an answer without rows means an exit code of 9 without a flag. */
  readonly exitsWithoutRows?: boolean;
  /** The texts of parameters that a command or a method sends by default. */
  readonly defaults?: Readonly<Record<string, string>>;
};

/** Tests of rows for parameters that no field repeats. */
type RowTests<P extends Params, R, N extends string = string> = {
  readonly [K in keyof P]?: {
    readonly field: N;
    met(row: R, values: ParamValues<P>, clock: Clock): boolean;
  };
};

type Member =
  | 'as_of'
  | 'known_at'
  | 'series'
  | 'coverage'
  | 'vintage'
  | 'covered_to'
  | 'unknown_ticker'
  | 'missing';

/** An operation, from which its command, route, checks and types follow. */
export type Operation<P extends Params = Params, R = Row> = {
  readonly name: string;
  readonly command: CommandDeclaration;
  readonly summary: string;
  readonly description: string | Sentence;
  readonly path: string;
  readonly object: string;
  readonly params: P;
  /** More parameters of a listing, which a client answers from rows of the service. */
  readonly extra?: Params;
  readonly fields: readonly Field[];
  readonly columns: readonly string[];
  /** The field with the first day on which a row was known; without it, no as-of date can bound an answer. */
  readonly knownBy?: string;
  /** The parameter that limits an answer to what was known on a day. */
  readonly boundBy?: string;
  readonly order?: RowOrder;
  /** The fields that identify a row; the client refuses two rows that are equal in them. */
  readonly identity?: readonly string[];
  /** True if a terminal shows its row as a card: a line for each field. */
  readonly card?: boolean;
  /** True if its rows are releases by day, as those of the calendar. */
  readonly byDay?: boolean;
  /** True if its rows are values of a series by date, which can be transformed. */
  readonly isTransformable?: boolean;
  /** The fields that identify what `limit` counts, if several rows count as one. */
  readonly limitCounts?: readonly string[];
  /** True if the contract has it, so that every service offers it. */
  readonly inContract?: boolean;
  readonly members?: readonly Member[];
  /** The subject of `covered_to` in messages; `{name}` stands for a parameter. Default: the series. */
  readonly subject?: string;
  /** True for answers about the caller, such as ping. They are not cached. */
  readonly aboutCaller?: boolean;
  /** True for answers about what the store follows; a service gives them to keys on the plan `owner` alone. */
  readonly forOwner?: boolean;
  /** True for answers that may differ a second later without an import. They are not cached. */
  dependsOnNow?(texts: ParamTexts): boolean;
  /** The parameters of the example; descriptions show the first row that the sample gives for them. */
  readonly example: Readonly<Record<string, string>>;
  /** Refuses parameters that contradict each other, besides a range that ends before it begins. */
  check?(values: ParamValues<P>): void;
  /** Tells whether only plans with access to vintages may ask. Default: if the values have an as-of date. */
  needsVintageAccess?(values: ParamValues<P>): boolean;
  /** Tells whether an answer depends on the times of releases, which imports of calendars change. Default: no. */
  readsCalendars?(texts: ParamTexts): boolean;
  /** Tells whether an answer may differ tomorrow even without an import. */
  dependsOnToday?(values: ParamValues<P>): boolean;
  run(values: ParamValues<P>, context: RunContext): Promise<Page<R>>;
  /** Returns the last day that the data cover, if `run` does not. */
  coveredTo?(values: ParamValues<P>, view: StoreView): Promise<Day | undefined>;
  /** Returns what readers should know about an answer, by the rows of its first page. */
  remark?(rows: readonly R[], texts: ParamTexts, about: RemarkContext): Remark;
  /** Says why an answer has no rows, after further requests; throws a Problem if its subject does not exist. */
  whyEmpty?(texts: ParamTexts, ask: AskMore, naming: Naming): Promise<string | undefined>;
  drawing?(values: NamedValues): Drawing;
  readonly rowTests?: RowTests<P, R>;
  /** Says in a message, after the place of the row, how a row contradicts itself or the row before. */
  contradiction?(row: R, before: R | undefined): string | undefined;
  /** Returns the parameters to change for a service without `as_of`; undefined drops one. */
  boundsAsOf?(values: ParamValues<P>, clock: Clock): Readonly<Record<string, string | undefined>>;
};

type Remark = string | undefined | Promise<readonly string[]>;

type RemarkContext = {
  readonly ask: AskMore;
  readonly followed: AskFollowed;
  readonly naming: Naming;
  /** Says when the next figure of a series is due; undefined if nobody knows, or a service would have to be asked. */
  readonly whenDue: (id: string) => Promise<string | undefined>;
};

export type AskMore = <R extends Row>(
  operation: Operation<Params, R>,
  texts: ParamTexts,
) => Promise<Envelope<R>>;

/** The names of questions and parameters: as commands, methods, or tools. */
export type Naming = Voice & {
  /** Names a question by its operation and the values of parameters, by their names on the wire. */
  readonly question: (
    operation: Pick<Operation, 'name' | 'params'> & { readonly command?: Pick<CommandWords, 'words'> },
    values?: Readonly<Record<string, string | Readonly<Record<string, string>>>>,
  ) => string;
};

/** The type of an operation's rows: `RowOf<typeof observations>`. */
export type RowOf<O> = O extends { contradiction?(row: infer R, before: never): unknown } ? R : never;

/** Declares an operation, with the types of its values and rows. */
export function operation<
  const N extends string,
  const C extends CommandDeclaration,
  P extends Params,
  const F extends Field,
  const M extends Member = never,
  E extends Params = Record<never, never>,
>(
  declaration: Omit<
    Operation<P, RowFrom<F>>,
    'columns' | 'fields' | 'identity' | 'rowTests' | 'run' | keyof Named<N, C, M, E>
  > &
    Named<N, C, M, E> & {
      readonly fields: readonly F[];
      readonly columns: readonly F['name'][];
      readonly identity?: readonly F['name'][];
      readonly rowTests?: RowTests<P, RowFrom<F>, F['name']>;
      run(values: ParamValues<P>, context: RunContext): Promise<Page<CompleteRow<F>>>;
    },
): Operation<P, RowFrom<F>> & Named<N, C, M, E> {
  return declaration;
}

type Named<N, C, M, E> = {
  readonly name: N;
  readonly command: C;
  readonly members?: readonly M[];
  readonly extra?: E;
};

/**
 * Reads the values of an operation's parameters from the texts of a query.
 * Unknown and repeated parameters are refused: a mistyped `asof=` must never answer with revised data.
 */
function readParams<P extends Params>(params: P, texts: ParamTexts, clock: Clock): ParamValues<P> {
  const given = new Map<string, string>();
  const inQuery = () => Object.keys(params).filter((name) => params[name]?.in === 'query');
  for (const [name, text] of texts) {
    if (!Object.hasOwn(params, name)) throw unknown(name, inQuery());
    // A parameter of the path is unknown in the query.
    if (given.has(name) && params[name]?.in === 'path') throw unknown(name, inQuery());
    if (given.has(name)) throw invalid(name, `parameter '${name}' is given more than once`);
    given.set(name, text);
  }
  const values = Object.entries(params).map(([name, param]) => {
    const text = given.get(name);
    if (text !== undefined) return [name, param.parse(text, name, clock)];
    if (param.required) throw invalid(name, `parameter '${name}' is missing`);
    return [name, param.fallback];
  });
  return Object.fromEntries(values);
}

function unknown(name: string, known: readonly string[]): Problem {
  return invalid(name, `unknown parameter '${name}': use ${known.join(', ') || 'none'}`);
}

/** Reads and checks the values of a query's parameters; throws the contract's validation error. */
export function valuesIn(
  operation: Pick<Operation<Params, unknown>, 'check' | 'params'>,
  texts: ParamTexts,
  clock: Clock,
): ParamValues<Params> {
  const values = readParams(operation.params, texts, clock);
  checkRange(values);
  operation.check?.(values);
  return values;
}

/** Prepares a query to run; a page of a listing whose limit counts rows may have more, up to `rows`. */
export function prepare<R>(operation: Operation<Params, R>, texts: ParamTexts, clock: Clock, rows = 0) {
  const read = valuesIn(operation, texts, clock);
  const isLarger = operation.limitCounts === undefined && Number(read.limit) < rows;
  const values = isLarger ? { ...read, limit: rows } : read;
  return {
    needsVintageAccess: operation.needsVintageAccess?.(values) ?? values.as_of !== undefined,
    dependsOnToday: operation.dependsOnToday?.(values) ?? false,
    async run(context: Context): Promise<Page<R>> {
      const running = operation.run(values, { ...context, clock });
      if (operation.coveredTo === undefined) return running;
      const [page, last = null] = await Promise.all([running, operation.coveredTo(values, context.view)]);
      return { ...page, covered_to: last };
    },
  };
}

/** Names of questions as commands, and of parameters as flags. */
export const commandNaming: Naming = {
  question({ name, command = { words: name }, params }, values = {}) {
    const flags = Object.entries(values).map(
      ([param, value]) => ` --${flagName(param, params[param])} ${typedText(value)}`,
    );
    return `asof ${command.words}${flags.join('')}`;
  },
  param: (name, value) => `--${flagName(name)}${value === undefined ? '' : ` ${value}`}`,
  refused: ({ param = 'value', value, reason }) => `--${flagName(param)}${quoted(value)}: ${reason}`,
  lead: () => '',
  kind: 'bad-input',
};

function typedText(value: unknown): string {
  if (!isPlain(value)) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name}=${one}`)
    .join(',');
}
