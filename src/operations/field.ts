import { instantRules } from '../domain/calendar/zones.ts';
import { frequencies } from '../domain/series/series.ts';
import type { Day } from '../domain/values/date.ts';
import type { HeldNumbers } from '../domain/values/decimal.ts';
import type { Cell, Row } from './envelope.ts';

/** The type of a cell by kind of field; a missing value is null. */
type CellTypes = {
  readonly text: string;
  /** The exact text of a number: `-?digits[.digits]`. */
  readonly decimal: string;
  readonly day: Day;
  /** A Day, or a date-time in UTC if a service gives a time of day. */
  readonly instant: string;
  /** A date-time in UTC to the second: `2009-01-30T13:30:00Z`. */
  readonly moment: string;
  readonly integer: number;
  /** A number of a user's table, in double precision. */
  readonly double: number;
  /** A Day, or a day and a time without a zone, of a user's table. */
  readonly timestamp: string;
  readonly boolean: boolean;
  readonly list: readonly (string | null)[];
  readonly records: readonly Row[];
};

type FieldType = keyof CellTypes;

/** A JSON Schema (2020-12), as in OpenAPI 3.1. */
export type Schema = { readonly [keyword: string]: unknown };

/** What all fields of a kind share. */
export type FieldKind = {
  /** The name of such a value in an error message. */
  readonly noun: string;
  readonly schema: Schema;
  readonly isOnWire: (value: unknown) => boolean;
  /** How tables align cells: at decimal points, as text that may be cut, or as text that may not. */
  readonly alignment: 'number' | 'text' | 'rigid';
  readonly parquet:
    | 'BOOLEAN'
    | 'DATE'
    | 'DECIMAL'
    | 'DOUBLE'
    | 'INT64'
    | 'LIST'
    | 'MOMENT'
    | 'STRING'
    | 'TIMESTAMP';
  readonly text: (cell: Cell) => string;
  readonly fromWire?: CellChange;
  readonly toWire?: CellChange;
};

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const isBoolean = (value: unknown) => typeof value === 'boolean';
const matching = (form: RegExp) => (value: unknown) => isText(value) && form.test(value);
const isDateTime = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]00:00)$/);

const dayLength = 'YYYY-MM-DD'.length;
const midnightPattern = /^\d{4}-\d\d-\d\dT00:00:00(\.0+)?(Z|[+-]00:00)$/;

function kind(
  noun: string,
  schema: Schema,
  isOnWire: FieldKind['isOnWire'],
  alignment: FieldKind['alignment'],
  parquet: FieldKind['parquet'],
  text: FieldKind['text'] = String,
): FieldKind {
  return { noun, schema, isOnWire, alignment, parquet, text };
}

const ofText =
  (change: (text: string) => string): CellChange =>
  (cell) =>
    isText(cell) ? change(cell) : cell;

const list = { type: 'array', items: { type: 'string' } };
const decimal = { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$' };

const day: FieldKind = {
  ...kind('a date-time in UTC', { type: 'string', format: 'date-time' }, isDateTime, 'rigid', 'DATE'),
  fromWire: ofText((text) => text.slice(0, 10)),
  // Another service writes an unknown day as an empty text.
  toWire: ofText((text) => (text.length === dayLength ? `${text}T00:00:00Z` : text)),
};

/** Each kind of field: on the wire, in files and tables, and in Parquet. */
export const fieldKinds: Readonly<Record<FieldType, FieldKind>> = {
  text: kind('a text', { type: 'string' }, isText, 'text', 'STRING'),
  decimal: kind('a decimal text', decimal, matching(/^-?\d+(\.\d+)?$/), 'number', 'DECIMAL'),
  day,
  // Only midnight becomes a day, so no time of day is lost.
  instant: { ...day, fromWire: ofText((text) => (midnightPattern.test(text) ? text.slice(0, 10) : text)) },
  moment: kind('a date-time in UTC', { type: 'string', format: 'date-time' }, isDateTime, 'rigid', 'MOMENT'),
  integer: kind('an integer', { type: 'integer' }, Number.isSafeInteger, 'number', 'INT64'),
  double: {
    ...kind('a number', { type: 'number' }, isNumber, 'number', 'DOUBLE'),
    // JSON has no infinite number.
    toWire: (cell) => (Number.isFinite(cell) ? cell : String(cell)),
  },
  timestamp: kind('a time', { type: 'string' }, isText, 'rigid', 'TIMESTAMP'),
  boolean: kind('true or false', { type: 'boolean' }, isBoolean, 'rigid', 'BOOLEAN'),
  list: kind('a list', list, Array.isArray, 'text', 'LIST', listText),
  records: kind('a list', { type: 'array' }, Array.isArray, 'text', 'LIST', (cell) => JSON.stringify(cell)),
};

/** Tells whether no text of a type, such as a number or a day, has a character that CSV or JSON escapes. */
export function isPlainType(type: FieldType): boolean {
  // A table never cuts these.
  return fieldKinds[type].alignment !== 'text';
}

function listText(cell: Cell): string {
  if (!Array.isArray(cell)) return String(cell);
  const entries = cell.filter((entry) => entry === null || typeof entry !== 'object');
  return entries.map((entry) => entry ?? '').join(';');
}

/** One field of a row. */
export type Field = {
  readonly name: string;
  readonly type: FieldType;
  readonly description: string;
  readonly nullable?: boolean;
  /** True for our addition to the contract, which rows of another service may lack. */
  readonly extension?: boolean;
  /** True if a row of another service may lack the field, which is then empty, or as requested. */
  readonly mayLack?: boolean;
  /** True if rows leave the field out when it says nothing, even rows of asof itself. */
  readonly occasional?: boolean;
  /** True if later vintages change the field, so that its value as of an earlier day is unknown. */
  readonly grows?: boolean;
  /** True for the day of an event that has happened by the day on which the row is known. */
  readonly happened?: boolean;
  /** Finds the type that all texts of a column of a user's file have, for formats with types; reads the file. */
  readonly typeInFile?: () => Promise<FieldType>;
  /** How the user's Parquet file holds the numbers of a column; Parquet holds them so again. */
  readonly held?: HeldNumbers;
  /** True for a number beside a user's doubles: Parquet has it in double precision, too. */
  readonly nearest?: boolean;
  /** All values, if they are few; rows of another service may have others. */
  readonly choices?: readonly string[];
  readonly head?: string;
  /** What a table on a narrow terminal leaves out last (`high`), and never puts above it, or first (`low`). */
  readonly rank?: 'high' | 'low';
  /** The decimals that a table on a terminal shows of a computed number. Default: all. */
  readonly digits?: number;
  /** Words in files and tables for certain values, such as a limit that means no limit. */
  readonly words?: Readonly<Record<string, string>>;
  /** In a list, the field of an entry with the day on which the entry became known. */
  readonly knownBy?: string;
  /** True for a list whose entries may be null. */
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

/** A name in camel case: `as_of` is `asOf`. */
export type CamelCase<S> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** Converts a name on the wire to camel case: `as_of` becomes `asOf`. */
export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The type of rows with some fields; rows of another service may lack extension fields. */
export type RowFrom<F extends Field> = Flat<
  { readonly [X in F as X extends { readonly extension: true } ? never : X['name']]: CellOf<X> } & {
    readonly [X in F as X extends { readonly extension: true } ? X['name'] : never]?: CellOf<X> | null;
  }
>;

/** A type as one object, which editors show field by field. */
export type Flat<T> = { [K in keyof T]: T[K] };

/** The type of asof's own rows: only occasional fields are absent, and only nullable fields are null. */
export type CompleteRow<F extends Field> = RowFrom<F> & {
  readonly [X in F as X extends { readonly occasional: true } ? never : X['name']]: CellOf<X>;
};

type SourceCell<F extends Field> = F extends {
  readonly type: 'records';
  readonly fields: readonly (infer E extends Field)[];
}
  ? readonly RowSource<E>[]
  : CellOf<F>;

type MayMiss = { readonly occasional: true } | { readonly nullable: true };

type RowSource<F extends Field> = {
  readonly [X in F as X extends MayMiss ? never : CamelCase<X['name']>]: SourceCell<X>;
} & {
  readonly [X in F as X extends MayMiss ? CamelCase<X['name']> : never]?: SourceCell<X> | undefined;
};

type NamedCells = Readonly<Record<string, unknown>>;

/**
 * Makes a function that makes rows of fields from values with the same names in camel case.
 * What the first value lacks is in the second one; spreading both would take longer than the query.
 * A cell that both lack is null.
 */
export function rowsFrom<const F extends Field>(fields: readonly F[]) {
  const rowOf = rowMaker(fields);
  return <A extends Partial<RowSource<F>>>(own: A, rest: Omit<RowSource<F>, keyof A>) =>
    // The fields give the row its names and types.
    rowOf(own, rest) as CompleteRow<F>;
}

function rowMaker(fields: readonly Field[]): (own: NamedCells, rest: NamedCells) => object {
  const members = fields.map(({ name, fields: inner }) => {
    const entryOf = inner && rowMaker(inner);
    return {
      name,
      member: camelCase(name),
      rowOf: entryOf && ((entry: NamedCells) => entryOf(entry, entry)),
    };
  });
  const present = fields.filter(({ occasional }) => occasional !== true);
  const empty = Object.fromEntries(present.map(({ name }) => [name, null]));
  return (own, rest) => {
    const row: Record<string, unknown> = { ...empty };
    for (const { name, member, rowOf } of members) {
      const cell = Object.hasOwn(own, member) ? own[member] : rest[member];
      if (cell !== undefined) row[name] = rowOf && Array.isArray(cell) ? cell.map(rowOf) : cell;
    }
    return row;
  };
}

/** Completes a timestamp to `YYYY-MM-DDTHH:MM:SS` with its decimals; returns another text as it is. */
export function wholeTime(text: string): string {
  const [, day, time = '00:00', rest = ':00'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?$/.exec(text) ?? [];
  return day === undefined ? text : `${day}T${time}${rest}`;
}

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

/** The fields of an answer's rows, and those shown by default. */
export type RowLayout = {
  readonly fields: readonly Field[];
  readonly columns: readonly string[];
  /** True if rows are releases by day: a terminal shows a date once, and ics has them as events. */
  readonly byDay?: boolean;
};

/** Makes the layout that shows all fields but one, which is shown on request. */
export function showing(fields: readonly Field[], hidden?: string): RowLayout {
  return { fields, columns: fields.map(({ name }) => name).filter((name) => name !== hidden) };
}

type Convert = <R extends object>(row: R) => R;

/** Makes a function that converts rows to their form in JSON, where days are date-times. */
export function toWire(fields: readonly Field[]): Convert {
  return converter(fields, 'toWire');
}

/** Makes a function that converts rows of a checked answer to asof's form, where days are `YYYY-MM-DD`. */
export function fromWire(fields: readonly Field[]): Convert {
  return converter(fields, 'fromWire');
}

function member(name: string, description: string, ...fields: readonly Field[]): Field {
  return { name, type: 'records', description, fields };
}

/** The members of an envelope with parts or days, other than its rows. */
export const memberFields = {
  series: member(
    'series',
    'A summary of the series, when as_of was used.',
    ...[field('id', 'text', ''), field('title', 'text', '')],
    field('frequency', 'text', '', { choices: [...frequencies, ''] }),
  ),
  coverage: member(
    'coverage',
    'The first and the last vintage of the series, its first date, and the last day that is covered.',
    ...[field('first_vintage', 'day', ''), field('last_vintage', 'day', '')],
    ...[nullable('first_date', 'day', ''), field('covered_to', 'day', '')],
  ),
  vintage: member(
    'vintage',
    'The newest vintage on or before the day, and how it came about. Of first releases, only the kinds of all vintages up to the day.',
    nullable('as_of_date', 'day', ''),
    field('vintage_kind', 'text', 'exact, fetched, sampled or unknown; empty before the first vintage.'),
  ),
  covered_to: nullable('covered_to', 'day', 'The last day that the data cover.'),
  known_at: member(
    'known_at',
    'How the instant of known_at became the day in as_of.',
    field('instant', 'moment', 'The instant in UTC.'),
    field(
      'rule',
      'text',
      'time: a calendar gives the time of a release on that day, so the answer is strict to the minute; day before: none does, so nothing of that day counts; times differ: several are given, so nothing of that day counts either.',
      { choices: instantRules },
    ),
    nullableExtension('seen', 'day', 'The day on which a calendar that has the release was last seen.', {
      occasional: true,
    }),
  ),
  unknown_ticker: member(
    'unknown_ticker',
    'The requested ticker, if the store has no filing of it on any day, and the most similar stored ticker.',
    ...[field('ticker', 'text', ''), nullable('nearest', 'text', '')],
  ),
} as const;

const head: readonly Field[] = Object.values(memberFields);

/** Converts the members of an envelope, other than its rows, to their form in JSON. */
export const headToWire = toWire(head);

/** Converts the members of an envelope, other than its rows, to asof's form. */
export const headFromWire = fromWire(head);

/** Changes a cell to its form in JSON, or back. */
export type CellChange = (cell: Cell) => Cell;

/** Returns how the cells of fields change; nothing for a field whose cells stay the same. */
export function changesOf(
  fields: readonly Field[],
  direction: 'fromWire' | 'toWire',
): readonly (readonly [name: string, change: CellChange])[] {
  return fields.flatMap((field) => {
    const change = cellChange(field, direction);
    return change === undefined ? [] : [[field.name, change] as const];
  });
}

function converter(fields: readonly Field[], direction: 'fromWire' | 'toWire'): Convert {
  const changes = changesOf(fields, direction);
  if (changes.length === 0) return (row) => row;
  return <R extends object>(row: R): R => {
    const converted = { ...row } as R & Record<string, Cell | undefined>;
    const cells: Record<string, Cell | undefined> = converted;
    for (const [name, change] of changes) {
      const cell = cells[name];
      if (cell !== undefined && cell !== null) cells[name] = change(cell);
    }
    return converted;
  };
}

function cellChange(field: Field, direction: 'fromWire' | 'toWire'): CellChange | undefined {
  if (field.fields !== undefined) {
    const convert = converter(field.fields, direction);
    const converted = (cell: Cell) => (isRow(cell) ? convert(cell) : cell);
    return (cell) => (Array.isArray(cell) ? cell.map(converted) : converted(cell));
  }
  return fieldKinds[field.type][direction];
}

function isRow(cell: Cell): cell is Row {
  return typeof cell === 'object' && cell !== null && !Array.isArray(cell);
}
