import { Problem } from '../../errors/problem.ts';
import type { AnswerVintage, Envelope, Row } from '../../operations/envelope.ts';
import { type Field, fieldKinds } from '../../operations/field.ts';
import { limitTaken, type Operation } from '../../operations/operation.ts';
import { type Params, type ParamTexts, type RowBound, textOf } from '../../operations/param.ts';
import { fromWire, headFromWire } from '../../operations/wire.ts';

/** A query that was sent; its answer must match it. */
export type SentQuery<R> = { readonly operation: Operation<Params, R>; readonly texts: ParamTexts };

type Members = Readonly<Record<string, unknown>>;

/**
 * The envelope in `value`. Throws a Problem that names the place if it breaks the contract or does not match the query. It
 * must be as of the requested day: a service that ignores `as_of` would show the future.
 */
export function readEnvelope<R extends Row>(
  value: unknown,
  { operation, texts }: SentQuery<R>,
  url: string,
): Envelope<R> {
  const refuse = (what: string): never => {
    throw new Problem('bad-answer', `${url} answered outside the contract: ${what}`);
  };
  if (!isObject(value)) return refuse('not a JSON object');
  if (!isEnvelope(value, operation.object)) return refuse(wrongMember(value, operation.object) ?? '');
  const wrong =
    wrongPaging(value, operation, texts) ??
    wrongAsOf(value, operation.params, texts) ??
    wrongSeries(value, texts);
  if (wrong !== undefined) return refuse(wrong);
  const check = rowCheck(operation, texts);
  const isRow = (row: unknown, index: number): row is R => {
    const fault = check(row);
    return fault === undefined || refuse(`results[${index}]${fault}`);
  };
  return inOneForm(value, value.results.filter(isRow).map(fromWire(operation.fields)));
}

/** The envelope in asof's form: days as `YYYY-MM-DD`, and a cursor only if there are more rows. */
function inOneForm<R>(received: Envelope<unknown>, results: readonly R[]): Envelope<R> {
  const { next_cursor, ...envelope } = headFromWire(ofOurMembers(received));
  return {
    ...envelope,
    results,
    ...(envelope.has_more && next_cursor !== undefined && { next_cursor }),
  };
}

/** The envelope without members of another service that have the names of our additions. */
function ofOurMembers<R>(received: Envelope<R>): Envelope<R> {
  const { vintage, covered_to, ...others } = received;
  const [ours, day] = [
    vintage === undefined || isVintage(vintage),
    covered_to === undefined || isDayOrNull(covered_to),
  ];
  if (ours && day) return received;
  return {
    ...others,
    ...(ours && vintage && { vintage }),
    ...(day && covered_to !== undefined && { covered_to }),
  };
}

function isVintage(value: unknown): value is AnswerVintage {
  if (!isObject(value) || !isText(value.vintage_kind) || !isDayOrNull(value.as_of_date)) return false;
  const { next_date = null, next_kind = null } = value;
  return isDayOrNull(next_date) && (next_kind === null || isText(next_kind));
}

function isDayOrNull(value: unknown): value is string | null {
  return value === null || fieldKinds.day.isOnWire(value);
}

const isText = (value: unknown): value is string => typeof value === 'string';

const envelopeMembers: readonly (readonly [
  name: string,
  holds: (value: unknown) => boolean,
  type: string,
])[] = [
  ['request_id', isText, 'a text'],
  ['status', isText, 'a text'],
  ['results', Array.isArray, 'a list'],
  ['results_count', Number.isSafeInteger, 'a number'],
  ['has_more', (value) => typeof value === 'boolean', 'true or false'],
];

function isEnvelope(value: Members, object: string): value is Members & Envelope<unknown> {
  return wrongMember(value, object) === undefined;
}

function wrongMember(value: Members, object: string): string | undefined {
  if (value.object !== object) return `object is ${shown(value.object)}, not "${object}"`;
  for (const [name, holds, type] of envelopeMembers) {
    if (!holds(value[name])) return `${name} is ${shown(value[name])}, not ${type}`;
  }
  return undefined;
}

function wrongPaging(
  { results, results_count, has_more, next_cursor }: Envelope<unknown>,
  operation: Operation<Params, unknown>,
  texts: ParamTexts,
): string | undefined {
  const rows = results.length;
  if (results_count !== rows) return `results_count is ${results_count}, but there are ${rows} results`;
  const limit = textOf(texts, 'limit');
  if (limit !== undefined && limitTaken(operation, results.filter(isObject)) > Number(limit))
    return `${rows} results, more than the limit of ${limit}`;
  if (!has_more) return undefined;
  if (!Object.hasOwn(operation.params, 'cursor')) return 'has_more is true, but this is not a listing';
  return isText(next_cursor) && next_cursor !== ''
    ? undefined
    : `has_more is true, but next_cursor is ${shown(next_cursor)}`;
}

function wrongAsOf(envelope: Envelope<unknown>, params: Params, texts: ParamTexts): string | undefined {
  const asOf = textOf(texts, 'as_of');
  if (asOf === undefined || envelope.as_of === asOf) return undefined;
  if (envelope.as_of === undefined && params.as_of?.repeated !== true) return undefined;
  return `as_of is ${shown(envelope.as_of)}, but ${asOf} was asked for`;
}

function wrongSeries({ series }: Envelope<unknown>, texts: ParamTexts): string | undefined {
  const id = textOf(texts, 'id');
  if (id === undefined || !isObject(series) || series.id === id) return undefined;
  return `series.id is ${shown(series.id)}, but ${id} was asked for`;
}

/** Gives what is wrong with a row; undefined if nothing is. */
type RowCheck<T> = (row: T) => string | undefined;

function rowCheck(operation: Operation<Params, unknown>, texts: ParamTexts): RowCheck<unknown> {
  const { fields, knownBy, newestFirst, params } = operation;
  const asOf = textOf(texts, 'as_of');
  const seen = new Set<string>();
  const bounds = texts.flatMap(([name, text]) => boundCheck(params[name]?.bounds, fields, text));
  return (row) => {
    if (!isObject(row)) return ' is not an object';
    for (const field of fields) {
      const fault = wrongCell(field, row[field.name]);
      if (fault !== undefined) return `.${field.name} ${fault}`;
    }
    if (asOf !== undefined && knownBy !== undefined && dayIn(row[knownBy]) > asOf)
      return `.${knownBy} is ${shown(row[knownBy])}: not yet known on ${asOf}`;
    if (newestFirst !== undefined && seen.size === seen.add(dayIn(row[newestFirst])).size)
      return `.${newestFirst} is ${shown(row[newestFirst])} a second time`;
    for (const check of bounds) {
      const fault = check(row);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

/** The check of rows against the text of a parameter; empty if rows have no field for that parameter. */
function boundCheck(
  bounds: RowBound | undefined,
  fields: readonly Field[],
  text: string,
): RowCheck<Members>[] {
  const field = fields.find(({ name }) => name === bounds?.field);
  if (bounds === undefined || field === undefined) return [];
  const { fromWire: decoded = (wire: string) => wire } = fieldKinds[field.type];
  return [
    (row) => {
      const cell = row[field.name];
      const value = decoded(String(cell ?? ''));
      if (bounds.is === 'equal' && value !== text)
        return `.${field.name} is ${shown(cell)}, but ${text} was asked for`;
      if (bounds.is === 'from' && value < text) return `.${field.name} is ${shown(cell)}: before ${text}`;
      return bounds.is === 'to' && value > text
        ? `.${field.name} is ${shown(cell)}: after ${text}`
        : undefined;
    },
  ];
}

/** The day of a date-time. */
function dayIn(value: unknown): string {
  return String(value ?? '').slice(0, 10);
}

function wrongCell({ type, nullable, extension, fields }: Field, value: unknown): string | undefined {
  if (value === undefined) return extension === true ? undefined : 'is missing';
  if (value === null && (nullable === true || extension === true)) return undefined;
  const { isOnWire, noun } = fieldKinds[type];
  // In our extensions, an empty text is a day that the service does not know.
  if (extension === true && value === '') return undefined;
  if (!isOnWire(value)) return `is ${shown(value)}, not ${noun}`;
  return fields !== undefined && Array.isArray(value) ? wrongRecord(fields, value) : undefined;
}

/** What is wrong with a list of records, whose nullable fields may also be absent. */
function wrongRecord(fields: readonly Field[], records: readonly unknown[]): string | undefined {
  for (const [index, record] of records.entries()) {
    if (!isObject(record)) return `holds ${shown(record)} at ${index}, which is not an object`;
    for (const field of fields) {
      const value = record[field.name];
      const fault = value === undefined && field.nullable === true ? undefined : wrongCell(field, value);
      if (fault !== undefined) return `holds a record at ${index} whose ${field.name} ${fault}`;
    }
  }
  return undefined;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as error messages show it. */
function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
