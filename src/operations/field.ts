import type { CellTypes, FieldType } from './field-kinds.ts';

/** One field of a row: its kind says how it is checked, written and drawn. */
export type Field = {
  readonly name: string;
  readonly type: FieldType;
  readonly description: string;
  /** Whether it may be missing (null). */
  readonly nullable?: boolean;
  /** Whether it is our addition to the contract: rows of another service may lack it. */
  readonly extension?: boolean;
  /** How a table words certain values, such as a limit that means no limit. */
  readonly words?: Readonly<Record<string, string>>;
  /** Of a list: whether its entries may be missing (null). */
  readonly sparse?: boolean;
  /** Of records: the fields of each. */
  readonly fields?: readonly Field[];
};

/** A cell of a field where there is a value. */
type PresentCell<F extends Field> = F extends {
  readonly type: 'records';
  readonly fields: readonly (infer E extends Field)[];
}
  ? readonly RowFrom<E>[]
  : F extends { readonly type: 'list'; readonly sparse?: false }
    ? readonly string[]
    : CellTypes[F['type']];

/** The type of a field's cells. */
type CellOf<F extends Field> = PresentCell<F> | (F extends { readonly nullable: true } ? null : never);

/** The type of rows with these fields; what is our addition to the contract may be absent or null in rows of another service. */
export type RowFrom<F extends Field> = Flat<
  {
    readonly [X in F as X extends { readonly extension: true } ? never : X['name']]: CellOf<X>;
  } & {
    readonly [X in F as X extends { readonly extension: true } ? X['name'] : never]?: CellOf<X> | null;
  }
>;

/** The same type as one object, which editors show field by field. */
export type Flat<T> = { [K in keyof T]: T[K] };

/** The type of the rows that asof itself gives: nothing is absent, and null is only what may be. */
export type CompleteRow<F extends Field> = RowFrom<F> & {
  readonly [X in F as X['name']]: CellOf<X>;
};
