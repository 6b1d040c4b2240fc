import type { Day } from '../domain/series/date.ts';
import type { StoreView } from '../store/store.ts';
import type { Coverage, Row, SeriesSummary } from './envelope.ts';
import type { Clock, Param, Values } from './params.ts';

/** What a field of a row is: decides its alignment, its text in files, and its schema. */
export type FieldType = 'text' | 'decimal' | 'day' | 'integer' | 'boolean' | 'list';

/** One field of an operation's rows. A `day` is a date-time on the wire and `YYYY-MM-DD` in files and tables. */
export type Field = {
  readonly name: string;
  readonly type: FieldType;
  readonly description: string;
  /** Whether the contract lets it be missing (null). */
  readonly nullable?: boolean;
  /** Whether it is our addition to the contract, which another service may lack. */
  readonly extension?: boolean;
  /** How a table words certain values, such as a limit that means none. */
  readonly words?: Readonly<Record<string, string>>;
};

/** Who asks: the plan decides what is allowed. */
export type Principal = {
  readonly plan: string;
  readonly monthlyLimit: number;
  readonly ratePerMinute: number;
  readonly vintageAccess: boolean;
};

/** Where a listing continues: the last key given out, and the version of the data that the page was cut from. */
export type Position = { readonly key: readonly string[]; readonly version?: number };

/** What an operation may use to answer. */
type Context = {
  readonly view: StoreView;
  readonly principal: Principal;
  readonly clock: Clock;
  readonly position?: Position;
};

/** One page of rows, and where the next begins if there is one. */
export type Page = {
  readonly rows: readonly Row[];
  readonly next?: Position;
  readonly asOf?: Day;
  readonly series?: SeriesSummary;
  readonly coverage?: Coverage;
};

/** The parameters of an operation by name. */
export type Params = { readonly [name: string]: Param<unknown> };

/** A question that asof answers, declared once: everything that mentions it elsewhere is made from this. */
export type Operation = {
  readonly name: string;
  /** Words of its command, and the parameter that the command takes as an argument. */
  readonly command: { readonly words: string; readonly argument?: string };
  readonly summary: string;
  readonly path: string;
  readonly object: string;
  readonly params: Params;
  readonly fields: readonly Field[];
  /** The fixed columns of its CSV. */
  readonly columns: readonly string[];
  /** The field of a row that says since when the row could be known; without one, no day bounds an answer. */
  readonly knownBy?: string;
  /** Whether it is our addition to the contract, which another service may lack. */
  readonly extension?: boolean;
  /** What its envelope may hold besides what every envelope holds. */
  readonly members?: readonly ('as_of' | 'series' | 'coverage')[];
  /** Refuses parameters that do not go together, before anything else is looked at. */
  readonly check: (values: { readonly [name: string]: unknown }) => void;
  /** Whether any of its answers needs a plan with vintage access. */
  readonly gated: boolean;
  /** Whether these parameters ask for what only a plan with vintage access may see; given values, not texts. */
  readonly needsVintageAccess: (values: { readonly [name: string]: unknown }) => boolean;
  /** Whether the answer to these parameters may be another one tomorrow although nothing was imported. */
  readonly dependsOnToday: (values: { readonly [name: string]: unknown }) => boolean;
  readonly run: (values: { readonly [name: string]: unknown }, context: Context) => Promise<Page>;
};

type Declaration<P extends Params> = Omit<Operation, 'params' | Derived> & {
  readonly params: P;
  readonly check?: (values: Values<P>) => void;
  readonly needsVintageAccess?: (values: Values<P>) => boolean;
  readonly dependsOnToday?: (values: Values<P>) => boolean;
  readonly run: (values: Values<P>, context: Context) => Promise<Page>;
};

type Derived = 'check' | 'gated' | 'needsVintageAccess' | 'dependsOnToday' | 'run';

const never = () => false;

/** An operation from its declaration; `run` sees the values with the types that the parameters give. */
export function operation<P extends Params>(declaration: Declaration<P>): Operation {
  const { check = () => undefined, needsVintageAccess = never, dependsOnToday = never } = declaration;
  const { run, ...rest } = declaration;
  return {
    ...rest,
    check: (values) => check(values as Values<P>),
    gated: needsVintageAccess !== never,
    needsVintageAccess: (values) => needsVintageAccess(values as Values<P>),
    dependsOnToday: (values) => dependsOnToday(values as Values<P>),
    run: (values, context) => run(values as Values<P>, context),
  };
}
