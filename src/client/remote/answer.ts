import { Problem, type ProblemKind, type ProblemOptions } from '../../errors/problem.ts';
import { changedSince, type Envelope, identityOf, type Row } from '../../operations/envelope.ts';
import { type Field, fieldKinds } from '../../operations/field.ts';
import { type Operation, valuesIn } from '../../operations/operation.ts';
import { type Param, type Params, type ParamTexts, textOf } from '../../operations/param.ts';
import type { Clock } from '../../operations/value.ts';
import { headFromWire } from '../../operations/wire.ts';
import { defined } from '../../platform/defined.ts';
import { type HttpReply, retryAfterOf } from './exchange.ts';

/** A query, and the parameters sent to a service that announces them. */
type SentQuery<R> = {
  readonly operation: Operation<Params, R>;
  readonly asked: ParamTexts;
  readonly sent: ParamTexts;
  readonly clock: Clock;
  readonly service: string;
};

const kinds: Readonly<Record<number, ProblemKind>> = {
  400: 'validation-error',
  401: 'unauthorized',
  403: 'plan-upgrade-required',
  405: 'method-not-allowed',
  406: 'not-acceptable',
  414: 'uri-too-long',
  429: 'rate-limit-exceeded',
  431: 'header-fields-too-large',
  500: 'internal-error',
  503: 'service-unavailable',
};

/** Reads the page in a service's reply; throws the matching Problem for any other reply. */
export function readAnswer<R extends Row>(reply: HttpReply, sent: SentQuery<R>): Envelope<R> {
  if (reply.status === 200)
    return readEnvelope(readJson(reply), sent, { url: reply.url, requestId: reply.headers['x-request-id'] });
  if (reply.status >= 200 && reply.status < 400)
    throw badAnswer(reply, `${reply.status}, which is not an answer of the contract`);
  throw failureOf(reply, sent);
}

/** Parses the JSON of a reply; throws a Problem that describes other content. */
export function readJson(reply: HttpReply): unknown {
  if (mediaType(reply) !== 'application/json') throw badAnswer(reply, `${whatItIs(reply)} instead of JSON`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(reply.body));
  } catch (cause) {
    const reason = reply.body.length === 0 ? 'an empty body' : 'JSON that is damaged or breaks off';
    throw badAnswer(reply, reason, { cause });
  }
}

function badAnswer({ url }: Pick<HttpReply, 'url'>, what: string, options?: ProblemOptions): Problem {
  return new Problem('bad-answer', `${url} answered with ${what}`, options);
}

function failureOf(reply: HttpReply, sent: SentQuery<unknown>): Problem {
  const said = problemIn(reply);
  if (reply.status === 404) return notFound(reply, said, sent);
  if (reply.status === 429) return quotaUsedUp(reply, said);
  const kind = kinds[reply.status];
  if (said !== undefined && kind !== undefined) {
    // The contract has no error type for changed data, but this text.
    const changed = said.options.field === 'cursor' && said.detail === changedSince().detail;
    // The contract's form of a refused value; fronts name the value in other ways.
    const [, param, reason] = /^invalid '(\w+)': (.*)$/s.exec(said.detail) ?? [];
    const refusal = reason === undefined ? {} : { refusal: { param: String(param), reason } };
    return new Problem(changed ? 'data-changed' : kind, said.detail, { ...said.options, ...refusal });
  }
  const what =
    said === undefined ? `${reply.status} and ${whatItIs(reply)}` : `${reply.status}: ${said.detail}`;
  return badAnswer(reply, what, said?.options);
}

/** Makes the Problem for a 404: only the contract's text means an unknown series, others an unknown path. */
function notFound(
  { url }: HttpReply,
  said: StatedProblem | undefined,
  { operation, service }: SentQuery<unknown>,
): Problem {
  const unknownSeries =
    operation.path.includes('{id}') && /^series '.*' not found$/s.test(said?.detail ?? '');
  if (said !== undefined && unknownSeries) return new Problem('not-found', said.detail, said.options);
  const path = url.startsWith(service) ? url.slice(service.length) : url;
  return new Problem('bad-answer', `the service at ${service} has no ${path}`, {
    ...said?.options,
    missing: true,
    hints: [whyNotFound(operation, service)],
  });
}

function whyNotFound({ inContract }: Operation<Params, unknown>, service: string): string {
  if (service.endsWith('/v1')) return 'the base URL is given without /v1';
  return inContract === true
    ? 'is the base URL right?'
    : 'this service does not offer it; everything else works';
}

/** Makes the Problem for a 429, with or without a problem document: a proxy can limit requests too. */
function quotaUsedUp(reply: HttpReply, said: StatedProblem | undefined): Problem {
  const seconds = retryAfterOf(reply, new Date());
  return new Problem('rate-limit-exceeded', said?.detail ?? `${reply.url} takes no more requests for now`, {
    instance: new URL(reply.url).pathname,
    ...said?.options,
    ...(seconds !== undefined && { retryAfter: seconds, hints: [`try again in ${seconds} s`] }),
  });
}

type StatedProblem = { readonly detail: string; readonly options: ProblemOptions };

function problemIn(reply: HttpReply): StatedProblem | undefined {
  if (!['application/problem+json', 'application/json'].includes(mediaType(reply))) return undefined;
  let document: unknown;
  try {
    document = JSON.parse(reply.body.toString('utf8'));
  } catch {
    return undefined;
  }
  if (!isObject(document)) return undefined;
  const { type, title, status, detail, instance, request_id, field } = document;
  if (typeof type !== 'string' || typeof title !== 'string' || typeof status !== 'number') return undefined;
  const requestId = shortText(request_id) ?? shortText(reply.headers['x-request-id']);
  const options = { type, ...defined({ requestId, instance: shortText(instance), field: shortText(field) }) };
  return { detail: shortText(detail) ?? title, options };
}

/** Cuts a text at 2000 characters, because error messages show it; undefined for other values. */
function shortText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.length > 2000 ? `${value.slice(0, 2000)}…` : value;
}

function mediaType({ headers }: HttpReply): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

function whatItIs(reply: HttpReply): string {
  const type = mediaType(reply);
  if (reply.body.length === 0) return 'an empty body';
  if (type === 'text/html') return 'an HTML page (of a proxy, or of another site?)';
  return type === '' ? 'a body of no stated type' : `a body of type ${type}`;
}

/**
 * Reads the page in `value`; throws a Problem with the place of what breaks the contract or the query.
 * It must be as of the requested day: a service that ignores `as_of` would show the future.
 */
function readEnvelope<R extends Row>(
  value: unknown,
  query: SentQuery<R>,
  { url, requestId = '' }: { readonly url: string; readonly requestId?: string | undefined },
): Envelope<R> {
  const refuse = (what: string): never => {
    throw new Problem('bad-answer', `${url} answered outside the contract: ${what}`);
  };
  const { operation, asked, sent } = query;
  if (!isObject(value)) return refuse('not a JSON object');
  const received = withDefaults(value, requestId);
  if (!isEnvelope(received, operation.object)) return refuse(wrongMember(received, operation.object) ?? '');
  const wrong =
    wrongPaging(received, operation) ?? wrongAsOf(received, operation, sent) ?? wrongSeries(received, asked);
  if (wrong !== undefined) return refuse(wrong);
  const read = rowReader(query);
  const rows = received.results.map((result, index) => {
    const found = read(result);
    return 'row' in found ? found.row : refuse(`results[${index}]${found.fault}`);
  });
  return inOneForm(received, rows, textOf(asked, 'as_of'));
}

/**
 * Adds members that another service may leave out, and drops its members with the names of our additions.
 * An answer without a cursor is the last page.
 */
function withDefaults(value: Members, requestId: string): Members {
  const known = Object.fromEntries(Object.entries(value).filter(([name, one]) => isOurs(name, one)));
  const { object, request_id = requestId, status = 'ok', results, next_cursor, ...others } = known;
  const { results_count = Array.isArray(results) ? results.length : 0, ...rest } = others;
  const { has_more = isText(next_cursor) && next_cursor !== '', ...more } = rest;
  return { object, request_id, status, ...more, results, results_count, has_more, next_cursor };
}

function isOurs(name: string, value: unknown): boolean {
  switch (name) {
    case 'vintage':
      return isObject(value) && isText(value.vintage_kind) && isDayOrNull(value.as_of_date);
    case 'covered_to':
      return isDayOrNull(value);
    case 'unknown_ticker':
      return isObject(value) && isText(value.ticker) && (value.nearest === null || isText(value.nearest));
    default:
      return true;
  }
}

/** Converts an envelope to asof's form: days as `YYYY-MM-DD`, and a cursor only if there are more rows. */
function inOneForm<R>(
  received: Envelope<unknown>,
  results: readonly R[],
  asOf: string | undefined,
): Envelope<R> {
  const { object, request_id, status, next_cursor, ...rest } = headFromWire(received);
  return {
    object,
    request_id,
    status,
    // The client applies an as-of date that the service was not sent.
    ...defined({ as_of: asOf }),
    ...rest,
    results,
    results_count: results.length,
    ...(rest.has_more && next_cursor !== undefined && { next_cursor }),
  };
}

function isDayOrNull(value: unknown): boolean {
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
): string | undefined {
  const rows = results.length;
  if (results_count !== rows) return `results_count is ${results_count}, but there are ${rows} results`;
  if (!has_more) return undefined;
  if (!Object.hasOwn(operation.params, 'cursor')) return 'has_more is true, but this is not a listing';
  return isText(next_cursor) && next_cursor !== ''
    ? undefined
    : `has_more is true, but next_cursor is ${shown(next_cursor)}`;
}

/** Says what is wrong with `as_of` in an answer: the contract has it if a day was requested, and only then. */
function wrongAsOf(
  { as_of: found }: Envelope<unknown>,
  { inContract }: Operation<Params, unknown>,
  sent: ParamTexts,
): string | undefined {
  const asOf = textOf(sent, 'as_of');
  if (asOf !== undefined && found !== asOf) return `as_of is ${shown(found)}, but ${asOf} was asked for`;
  return asOf === undefined && found !== undefined && inContract === true
    ? `as_of is ${shown(found)}, but none was asked for`
    : undefined;
}

function wrongSeries({ series }: Envelope<unknown>, asked: ParamTexts): string | undefined {
  const id = textOf(asked, 'id');
  if (id === undefined || !isObject(series) || series.id === id) return undefined;
  return `series.id is ${shown(series.id)}, but ${id} was asked for`;
}

type Members = Readonly<Record<string, unknown>>;

type ReadRow<R> = { readonly row: R } | { readonly fault: string };

/** Makes a reader of rows, which checks types, the query, and that nothing is later than the as-of date. */
function rowReader<R extends Row>(query: SentQuery<R>): (value: unknown) => ReadRow<R> {
  const { operation, asked, sent, clock } = query;
  const { fields, knownBy, identity = [] } = operation;
  const ids = idsAsked(operation.params, asked);
  const requirements = requirementsOf(operation, sent, clock);
  const asOf = textOf(asked, 'as_of');
  const seen = new Set<string>();
  let before: R | undefined;
  return (value) => {
    if (!isObject(value)) return { fault: ' is not an object' };
    const read = readFields(fields, value, ids);
    if ('fault' in read) return { fault: `.${read.field} ${read.fault}` };
    const row = read.row as R;
    const shownIn = (field: string) => `.${field} is ${shown(value[field])}`;
    const late = asOf === undefined ? undefined : laterThan(asOf, fields, knownBy, row);
    if (late !== undefined) return { fault: shownIn(late.field) + late.words };
    for (const { field, fault, met } of requirements) if (!met(row)) return { fault: shownIn(field) + fault };
    const name = identityOf(identity, row);
    if (name !== undefined && seen.size === seen.add(name).size)
      return { fault: `${identity.map(shownIn).join(' and ')} a second time` };
    const fault = operation.contradiction?.(row, before);
    before = row;
    return fault === undefined ? { row } : { fault };
  };
}

/** Finds what in a row is later than the as-of date, or not known to be known by then. */
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

function idsAsked(params: Params, asked: ParamTexts): ReadonlyMap<string, string> {
  return new Map(
    asked.flatMap(([name, text]) => {
      const { bounds } = params[name] ?? {};
      return bounds?.is === 'equal' ? [[bounds.field, text] as const] : [];
    }),
  );
}

function readFields(
  fields: readonly Field[],
  value: Members,
  asked?: ReadonlyMap<string, string>,
): { readonly row: Members } | { readonly field: string; readonly fault: string } {
  const row: Record<string, unknown> = { ...value };
  for (const field of fields) {
    const { name } = field;
    const read = readCell(field, value[name], asked?.get(name));
    if ('fault' in read) return { field: name, fault: read.fault };
    if (read.cell !== undefined) row[name] = read.cell;
  }
  return { row };
}

type ReadCell = { readonly cell: unknown } | { readonly fault: string };

/** Reads a cell into asof's form; a missing cell that rows may lack gets the requested value, if any. */
function readCell(field: Field, value: unknown, asked: string | undefined): ReadCell {
  const { type, nullable = false, extension = false, mayLack = false, fields } = field;
  // Another service may send an empty text for an unknown value.
  const isAbsent = value === undefined || value === null || value === '';
  if (isAbsent && (nullable || extension || mayLack)) {
    if (mayLack) return { cell: value ?? asked ?? '' };
    const isNull = nullable && fields === undefined && !(value === undefined && extension);
    return { cell: isNull ? null : value };
  }
  if (value === undefined) return { fault: 'is missing' };
  const { isOnWire, noun, fromWire } = fieldKinds[type];
  if (!isOnWire(value)) return { fault: `is ${shown(value)}, not ${noun}` };
  if (fields !== undefined && Array.isArray(value)) return readRecords(fields, value);
  return { cell: fromWire !== undefined && isText(value) ? fromWire(value) : value };
}

function readRecords(fields: readonly Field[], records: readonly unknown[]): ReadCell {
  const cell: Members[] = [];
  for (const [index, record] of records.entries()) {
    if (!isObject(record)) return { fault: `holds ${shown(record)} at ${index}, which is not an object` };
    const read = readFields(fields, record);
    if ('fault' in read) return { fault: `holds a record at ${index} whose ${read.field} ${read.fault}` };
    cell.push(read.row);
  }
  return { cell };
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

type Bound = NonNullable<Param['bounds']>;

type Requirement<R> = {
  readonly field: string;
  /** What is wrong with a row, after the value of the field in a message. */
  readonly fault: string;
  met(row: R): boolean;
};

/**
 * Returns the requirements on the rows of an answer.
 * A bound also applies to a parameter's default, a test only to a parameter in the texts.
 */
function requirementsOf<R extends Row>(
  operation: Operation<Params, R>,
  texts: ParamTexts,
  clock: Clock,
): readonly Requirement<R>[] {
  const { params, fields, rowTests = {} } = operation;
  const values = valuesIn(operation, texts, clock);
  const found: Requirement<R>[] = [];
  for (const [name, { bounds }] of Object.entries(params)) {
    const { [name]: value } = values;
    if (value === undefined || value === '') continue;
    const shown = fields.find((one) => one.name === bounds?.field);
    if (bounds !== undefined && shown !== undefined)
      found.push({
        field: bounds.field,
        fault: faultOf(bounds.is, String(value)),
        met(row) {
          const { [bounds.field]: cell } = row;
          return (cell == null && shown.extension === true) || isWithin(bounds.is, cell, value);
        },
      });
    const test = rowTests[name];
    if (test !== undefined && textOf(texts, name) !== undefined)
      found.push({
        field: test.field,
        fault: faultOf('equal', String(value)),
        met: (row) => test.met(row, values, clock),
      });
  }
  return found;
}

function isWithin(is: Bound['is'], cell: unknown, value: unknown): boolean {
  if (is === 'least') return Number(cell) >= Number(value);
  const [found, asked] = [String(cell ?? ''), String(value)];
  if (is === 'equal') return found === asked;
  return is === 'from' ? found >= asked : found <= asked;
}

function faultOf(is: Bound['is'], asked: string): string {
  if (is === 'equal') return `, but ${asked} was asked for`;
  if (is === 'from') return `: before ${asked}`;
  return is === 'to' ? `: after ${asked}` : `: fewer than ${asked}`;
}
