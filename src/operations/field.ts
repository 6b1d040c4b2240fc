import type { Day } from '../domain/series/date.ts';
import type { Cell, Row } from './envelope.ts';

/** The type of the cells of each kind of field in asof's form; a missing value is null. */
type CellTypes = {
  readonly text: string;
  /** The exact text of a number: `-?digits[.digits]`. */
  readonly decimal: string;
  readonly day: Day;
  /** A Day, or a date-time in UTC where a service gives a time of day. */
  readonly instant: string;
  readonly integer: number;
  /** A number of a user's own table, in double precision. */
  readonly double: number;
  /** A Day, or a day and a time without a zone, of a user's own table. */
  readonly timestamp: string;
  readonly boolean: boolean;
  readonly list: readonly (string | null)[];
  readonly records: readonly Row[];
};

type FieldType = keyof CellTypes;

/** A JSON Schema (2020-12), as OpenAPI 3.1 takes it. */
export type Schema = { readonly [keyword: string]: unknown };

/** The properties that all fields of a kind share. */
export type FieldKind = {
  /** What an error message calls a value of this kind. */
  readonly noun: string;
  readonly schema: Schema;
  /** Whether a value in an answer has this kind's form on the wire. */
  readonly isOnWire: (value: unknown) => boolean;
  /** Converts a text on the wire to a cell, if the two differ. */
  readonly fromWire?: (text: string) => string;
  /** Converts a cell to its text on the wire, if the two differ. */
  readonly toWire?: (text: string) => string;
  readonly text: (cell: Cell) => string;
  /** How tables align it: numbers at their decimal points; texts may be cut; `rigid` ones may not. */
  readonly alignment: 'number' | 'text' | 'rigid';
  readonly parquet: 'BOOLEAN' | 'DATE' | 'DECIMAL' | 'DOUBLE' | 'INT64' | 'LIST' | 'STRING' | 'TIMESTAMP';
};

const isText = (value: unknown): value is string => typeof value === 'string';

const dateTimePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]00:00)$/;
const midnightPattern = /^\d{4}-\d\d-\d\dT00:00:00(\.0+)?(Z|[+-]00:00)$/;
const dayPattern = /^\d{4}-\d\d-\d\d$/;

const isDateTime = (value: unknown) => isText(value) && dateTimePattern.test(value);

const day: FieldKind = {
  noun: 'a date-time in UTC',
  schema: { type: 'string', format: 'date-time' },
  isOnWire: isDateTime,
  fromWire: (text) => text.slice(0, 10),
  // Another service writes an unknown day as an empty text.
  toWire: (text) => (dayPattern.test(text) ? `${text}T00:00:00Z` : text),
  text: String,
  alignment: 'rigid',
  parquet: 'DATE',
};

/** The properties of each kind of field: on the wire, in files and tables, and in Parquet. */
export const fieldKinds: Readonly<Record<FieldType, FieldKind>> = {
  text: {
    noun: 'a text',
    schema: { type: 'string' },
    isOnWire: isText,
    text: String,
    alignment: 'text',
    parquet: 'STRING',
  },
  decimal: {
    noun: 'a decimal text',
    schema: { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$' },
    isOnWire: (value) => isText(value) && /^-?\d+(\.\d+)?$/.test(value),
    text: String,
    alignment: 'number',
    parquet: 'DECIMAL',
  },
  day,
  // Only midnight becomes a day, so no time of day is lost.
  instant: { ...day, fromWire: (text) => (midnightPattern.test(text) ? text.slice(0, 10) : text) },
  integer: {
    noun: 'an integer',
    schema: { type: 'integer' },
    isOnWire: Number.isSafeInteger,
    text: String,
    alignment: 'number',
    parquet: 'INT64',
  },
  double: {
    noun: 'a number',
    schema: { type: 'number' },
    isOnWire: (value) => typeof value === 'number',
    text: String,
    alignment: 'number',
    parquet: 'DOUBLE',
  },
  timestamp: {
    noun: 'a time',
    schema: { type: 'string' },
    isOnWire: isText,
    text: String,
    alignment: 'rigid',
    parquet: 'TIMESTAMP',
  },
  boolean: {
    noun: 'true or false',
    schema: { type: 'boolean' },
    isOnWire: (value) => typeof value === 'boolean',
    text: String,
    alignment: 'rigid',
    parquet: 'BOOLEAN',
  },
  list: {
    noun: 'a list',
    schema: { type: 'array', items: { type: 'string' } },
    isOnWire: Array.isArray,
    text: (cell) =>
      Array.isArray(cell)
        ? cell
            .filter((entry) => entry === null || typeof entry !== 'object')
            .map((entry) => entry ?? '')
            .join(';')
        : String(cell),
    alignment: 'text',
    parquet: 'LIST',
  },
  records: {
    noun: 'a list',
    schema: { type: 'array' },
    isOnWire: Array.isArray,
    text: (cell) => JSON.stringify(cell),
    alignment: 'text',
    parquet: 'LIST',
  },
};

/** One field of a row; its kind decides how it is checked, written and drawn. */
export type Field = {
  readonly name: string;
  readonly type: FieldType;
  readonly description: string;
  readonly nullable?: boolean;
  /** Whether it is our addition to the contract: rows of another service may lack it. */
  readonly extension?: boolean;
  /** Whether a row of another service may lack it; it is then empty, or what was asked for. */
  readonly mayLack?: boolean;
  /** Whether rows leave it out when it says nothing, even rows of asof itself. */
  readonly occasional?: boolean;
  /** Whether later vintages change it, so that its value as of an earlier day is not known. */
  readonly grows?: boolean;
  /** Whether it is the day of an event that has happened by the day on which the row is known. */
  readonly happened?: boolean;
  /** Whether its texts are those of a user's file, which may be numbers or days. */
  readonly asWritten?: boolean;
  /** Its only values, if there are few; rows of another service may have others. */
  readonly choices?: readonly string[];
  /** What a table on a terminal calls it, to save room. */
  readonly head?: string;
  /** Whether a table on a narrow terminal leaves it out last (`high`) or first (`low`). */
  readonly rank?: 'high' | 'low';
  /** The words that files and tables show for certain values, such as a limit that means no limit. */
  readonly words?: Readonly<Record<string, string>>;
  /** In a list, the field of its entries that says when each became known. */
  readonly knownBy?: string;
  /** In a list, whether entries may be missing (null). */
  readonly sparse?: boolean;
  readonly fields?: readonly Field[];
};

type PresentCell<F extends Field> = F extends {
  readonly type: 'records';
  readonly fields: readonly (infer E extends Field)[];
}
  ? readonly RowFrom<E>[]
  : F extends { readonly type: 'list'; readonly sparse?: false }
    ? readonly string[]
    : CellTypes[F['type']];

type CellOf<F extends Field> = PresentCell<F> | (F extends { readonly nullable: true } ? null : never);

/** The type of rows with these fields; extension fields may be absent or null in rows of another service. */
export type RowFrom<F extends Field> = Flat<
  {
    readonly [X in F as X extends { readonly extension: true } ? never : X['name']]: CellOf<X>;
  } & {
    readonly [X in F as X extends { readonly extension: true } ? X['name'] : never]?: CellOf<X> | null;
  }
>;

/** The same type as one object, which editors show field by field. */
export type Flat<T> = { [K in keyof T]: T[K] };

/** The type of rows that asof itself gives: only occasional fields are absent, and only nullable fields are null. */
export type CompleteRow<F extends Field> = RowFrom<F> & {
  readonly [X in F as X extends { readonly occasional: true } ? never : X['name']]: CellOf<X>;
};

type FieldOptions = Omit<Field, 'name' | 'type' | 'description'>;

function declaring<const S extends FieldOptions>(shared: S) {
  return <
    const N extends string,
    const T extends FieldType,
    const O extends FieldOptions = Record<never, never>,
  >(
    name: N,
    type: T,
    description: string,
    options?: O,
  ) => Object.assign({ name, type, description }, options, shared);
}

/** Declares a field of the contract. */
export const field = declaring({});

/** Declares a field of the contract that may be null. */
export const nullable = declaring({ nullable: true });

/** Declares an extension field. */
export const extension = declaring({ extension: true });

/** Declares an extension field that may be null. */
export const nullableExtension = declaring({ nullable: true, extension: true });

/** The fields that the rows of an answer may show, and those shown unless others are chosen. */
export type RowLayout = { readonly fields: readonly Field[]; readonly columns: readonly string[] };

/** The layout that shows all fields. */
export function showing(fields: readonly Field[]): RowLayout {
  return { fields, columns: fields.map(({ name }) => name) };
}
