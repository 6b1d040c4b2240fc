import type { Row } from '../../operations/envelope.ts';
import { type Field, fieldKinds } from '../../operations/field.ts';
import type { Operation } from '../../operations/operation.ts';
import { identityOf } from '../../operations/order.ts';
import { type Params, type ParamTexts, textOf } from '../../operations/param.ts';
import type { Requirement } from '../../operations/requirement.ts';
import type { Clock } from '../../operations/value.ts';
import { fromWire } from '../../operations/wire.ts';

/** A query, and what a service was sent for it: without the parameters that it does not announce. */
export type SentQuery<R> = {
  readonly operation: Operation<Params, R>;
  readonly asked: ParamTexts;
  readonly sent: ParamTexts;
  readonly clock: Clock;
};

/** A JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * A row in asof's form, or what is wrong with it. `unsent` is set if the fault concerns a parameter that was not
 * sent: whether a service without that parameter gives all rows, or those of its default.
 */
type ReadRow<R> = { readonly row: R } | { readonly fault: string; readonly unsent?: 'all' | 'default' };

/**
 * Reads the rows of an answer: their cells have the types of the contract, they match the query, and nothing in them
 * is later than the as-of date. Throws the contract's validation error if the query itself breaks its rules.
 */
export function rowReader<R extends Row>(query: SentQuery<R>): (value: unknown) => ReadRow<R> {
  const { operation, asked } = query;
  const { fields, knownBy, identity = [] } = operation;
  const complete = completion(fields, idsAsked(operation.params, asked));
  const decode = fromWire(fields);
  const { held, applied } = requirementsOf(query);
  const asOf = textOf(asked, 'as_of');
  const seen = new Set<string>();
  let before: R | undefined;
  const isRow = (value: unknown): value is R => wrongRow(fields, value) === undefined;
  return (value) => {
    if (!isRow(value)) return { fault: wrongRow(fields, value) ?? '' };
    const row = decode(complete(value));
    const shownIn = (field: string) => `.${field} is ${shown(Reflect.get(value, field))}`;
    const late = asOf === undefined ? undefined : laterThan(asOf, fields, knownBy, row);
    if (late !== undefined) return { fault: shownIn(late.field) + late.words };
    for (const { field, fault, met } of held) if (!met(row)) return { fault: shownIn(field) + fault };
    const failing = applied.filter(({ met }) => !met(row));
    const [first] = failing;
    if (first === undefined) {
      const name = identityOf(identity, row);
      if (name !== undefined && seen.size === seen.add(name).size)
        return { fault: `${identity.map(shownIn).join(' and ')} a second time` };
      const fault = operation.contradiction?.(row, before);
      before = row;
      return fault === undefined ? { row } : { fault };
    }
    const other = failing.find(({ param }) => hasDefault(operation.params[param]));
    const { field, fault } = other ?? first;
    return { fault: shownIn(field) + fault, unsent: other === undefined ? 'all' : 'default' };
  };
}

function hasDefault(param: Params[string] | undefined): boolean {
  return param?.fallback !== undefined && param.fallback !== '';
}

/**
 * What rows must hold: for the parameters that were sent, and for those that were requested or are defaults and were
 * not sent.
 */
function requirementsOf<R>({ operation, asked, sent, clock }: SentQuery<R>) {
  const changed = (name: string) => {
    const text = textOf(sent, name);
    return text !== undefined && text !== textOf(asked, name);
  };
  const all: readonly Requirement<R>[] = [
    ...operation.requirements(asked, clock),
    ...operation.requirements(sent, clock).filter(({ param }) => changed(param)),
  ];
  const isSent = ({ param }: Requirement<R>) => textOf(sent, param) !== undefined;
  return { held: all.filter(isSent), applied: all.filter((one) => !isSent(one)) };
}

/** What in a row is later than the as-of date, or not known to be known by then. */
function laterThan(asOf: string, fields: readonly Field[], knownBy: string | undefined, row: Row) {
  if (knownBy !== undefined) {
    const known = row[knownBy];
    if (typeof known !== 'string' || known === '')
      return { field: knownBy, words: `: nothing says that it was known on ${asOf}` };
    if (known.slice(0, 10) > asOf) return { field: knownBy, words: `: not yet known on ${asOf}` };
  }
  const late = fields.find((field) => happenedLater(asOf, field, row[field.name]));
  return late && { field: late.name, words: `: it holds a day after ${asOf}` };
}

function happenedLater(asOf: string, field: Field, cell: unknown): boolean {
  const { fields } = field;
  if (fields !== undefined && Array.isArray(cell))
    return cell.some((entry) =>
      fields.some((inner) => isObject(entry) && happenedLater(asOf, inner, entry[inner.name])),
    );
  return field.happened === true && typeof cell === 'string' && cell.slice(0, 10) > asOf;
}

/** The values of the fields that repeat a parameter as it is. */
function idsAsked(params: Params, asked: ParamTexts): ReadonlyMap<string, string> {
  return new Map(
    asked.flatMap(([name, text]) => {
      const { bounds } = params[name] ?? {};
      return bounds?.is === 'equal' ? [[bounds.field, text] as const] : [];
    }),
  );
}

/**
 * Fills in what another service leaves out: a nullable field that is absent or empty becomes null; a field that rows
 * may lack gets the requested value, or an empty text.
 */
function completion(
  fields: readonly Field[],
  asked: ReadonlyMap<string, string>,
): <R extends Row>(row: R) => R {
  const fills = fields.flatMap((field): [string, (cell: unknown) => unknown][] => {
    const { name, nullable, extension, mayLack, fields: inner } = field;
    if (inner !== undefined) {
      const complete = completion(inner, new Map());
      const each = (cell: unknown) => (Array.isArray(cell) ? cell.map((entry) => complete(entry)) : cell);
      return [[name, each]];
    }
    if (mayLack === true) return [[name, (cell) => cell ?? asked.get(name) ?? '']];
    if (nullable !== true) return [];
    return [[name, (cell) => (cell === '' || (cell === undefined && extension !== true) ? null : cell)]];
  });
  if (fills.length === 0) return (row) => row;
  return <R extends Row>(row: R): R => {
    const filled: R & Record<string, unknown> = { ...row };
    const cells: Record<string, unknown> = filled;
    for (const [name, fill] of fills) {
      const cell = fill(cells[name]);
      if (cell !== undefined) cells[name] = cell;
    }
    return filled;
  };
}

function wrongRow(fields: readonly Field[], row: unknown): string | undefined {
  if (!isObject(row)) return ' is not an object';
  for (const field of fields) {
    const fault = wrongCell(field, row[field.name]);
    if (fault !== undefined) return `.${field.name} ${fault}`;
  }
  return undefined;
}

function wrongCell(field: Field, value: unknown): string | undefined {
  const { type, nullable, extension, mayLack, fields } = field;
  const isOptional = nullable === true || extension === true || mayLack === true;
  if (value === undefined) return isOptional ? undefined : 'is missing';
  if (value === null && isOptional) return undefined;
  const { isOnWire, noun } = fieldKinds[type];
  // Another service may send an empty text for what it does not know.
  if (isOptional && value === '') return undefined;
  if (!isOnWire(value)) return `is ${shown(value)}, not ${noun}`;
  return fields !== undefined && Array.isArray(value) ? wrongRecord(fields, value) : undefined;
}

function wrongRecord(fields: readonly Field[], records: readonly unknown[]): string | undefined {
  for (const [index, record] of records.entries()) {
    if (!isObject(record)) return `holds ${shown(record)} at ${index}, which is not an object`;
    for (const field of fields) {
      const fault = wrongCell(field, record[field.name]);
      if (fault !== undefined) return `holds a record at ${index} whose ${field.name} ${fault}`;
    }
  }
  return undefined;
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as an error line shows it. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
