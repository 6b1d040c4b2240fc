import { kindOfStatus, Problem, type ProblemOptions } from '../../errors/problem.ts';
import { changedSince, type Envelope, identityOf, type Row } from '../../operations/envelope.ts';
import { type Field, fieldKinds, headFromWire, memberFields } from '../../operations/field.ts';
import { type Operation, valuesIn } from '../../operations/operation.ts';
import { type Param, type Params, type ParamTexts, textOf } from '../../operations/param.ts';
import { type Clock, clockAt } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import { retryAfterOf } from './exchange.ts';
import type { HttpReply } from './transport.ts';

/** A query, and the parameters sent to a service that announces them. */
type SentQuery<R> = {
  readonly operation: Operation<Params, R>;
  readonly asked: ParamTexts;
  readonly sent: ParamTexts;
  readonly clock: Clock;
  readonly service: string;
};

/** Reads the page in a service's reply; throws the matching Problem for any other reply. */
export function readAnswer<R extends Row>(reply: HttpReply, sent: SentQuery<R>): Envelope<R> {
  if (reply.status === 200) {
    const value = readJson(reply);
    const { url, headers } = reply;
    return readEnvelope(value, meantBy(value, sent), { url, requestId: headers['x-request-id'] });
  }
  if (reply.status >= 200 && reply.status < 400)
    throw badAnswer(reply, `${reply.status}, which is not an answer of the contract`);
  throw failureOf(reply, sent);
}

/** Returns the query with the id of its series, if the answer says that it names an alias. */
function meantBy<R>(value: unknown, query: SentQuery<R>): SentQuery<R> {
  const aliases = isObject(value) && isAliases(value.aliases) ? value.aliases : undefined;
  const { params } = query.operation;
  const meant = (texts: ParamTexts): ParamTexts =>
    texts.map(([name, text]) => {
      const id = params[name]?.namesSeries === true ? aliases?.[text.toUpperCase()] : text;
      return [name, id ?? text];
    });
  return aliases === undefined ? query : { ...query, asked: meant(query.asked), sent: meant(query.sent) };
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

/** Makes the Problem of a failure; a proxy can fail too, without a problem document. */
function failureOf(reply: HttpReply, { operation, asked, service }: SentQuery<unknown>): Problem {
  const { status, url } = reply;
  const said = problemIn(reply);
  const { detail = '', options } = said ?? {};
  if (status === 404) {
    // Only the contract's text means an unknown series.
    const namesSeries = asked.some(([name]) => operation.params[name]?.complete === 'ids');
    if (namesSeries && /^series '.*' not found$/s.test(detail))
      return new Problem('not-found', detail, options);
    const path = url.startsWith(service) ? url.slice(service.length) : url;
    const reason = operation.inContract
      ? 'is the base URL right?'
      : 'this service does not offer it; everything else works';
    const hint = service.endsWith('/v1') ? 'the base URL is given without /v1' : reason;
    const missing = { ...options, missing: true, hints: [hint] };
    return new Problem('bad-answer', `the service at ${service} has no ${path}`, missing);
  }
  if (status === 429) {
    const seconds = retryAfterOf(reply, new Date());
    return new Problem('rate-limit-exceeded', said?.detail ?? `${url} takes no more requests for now`, {
      instance: new URL(url).pathname,
      ...options,
      ...(seconds !== undefined && { retryAfter: seconds, hints: [`try again in ${seconds} s`] }),
    });
  }
  const kind = kindOfStatus(status);
  if (said === undefined || kind === undefined)
    return badAnswer(reply, said ? `${status}: ${detail}` : `${status} and ${whatItIs(reply)}`, options);
  // The contract has no error type for changed data, but this text.
  const changed = options?.field === 'cursor' && detail === changedSince().detail;
  // The contract's form of a refused value; fronts name the value in other ways.
  const [, param, reason] = /^invalid '(\w+)': (.*)$/s.exec(detail) ?? [];
  const refusal = reason === undefined ? {} : { refusal: { param: String(param), reason } };
  return new Problem(changed ? 'data-changed' : kind, detail, { ...options, ...refusal });
}

function problemIn(
  reply: HttpReply,
): { readonly detail: string; readonly options: ProblemOptions } | undefined {
  if (!['application/problem+json', 'application/json'].includes(mediaType(reply))) return undefined;
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder().decode(reply.body));
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

type Members = Readonly<Record<string, unknown>>;

/** Throws the Problem of an answer, with the place of what breaks the contract or the query. */
type Refuse = (what: string) => never;

/**
 * Reads the page in `value` into asof's form: days as `YYYY-MM-DD`, and a cursor only if there are more rows.
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
  if (!isObject(value)) return refuse('not a JSON object');
  const received = withDefaults(value, requestId);
  checkEnvelope(received, query, refuse);
  const isInstant = textOf(query.sent, 'known_at') !== undefined;
  const read = rowReader(query, isInstant ? received.as_of : undefined, refuse);
  const results = received.results.map((result, i) => read(result, `results[${i}]`));
  const { object, request_id, status, next_cursor, ...rest } = headFromWire(received);
  return {
    ...{ object, request_id, status },
    // The client applies an as-of date that the service was not sent.
    ...defined({ as_of: textOf(query.asked, 'as_of') }),
    ...rest,
    ...{ results, results_count: results.length },
    ...(rest.has_more && next_cursor !== undefined && { next_cursor }),
  };
}

/**
 * Adds members that another service may leave out, and drops its members with the names of our additions.
 * An answer without a cursor is the last page.
 */
function withDefaults(value: Members, requestId: string): Members {
  const known = Object.fromEntries(
    Object.entries(value).filter(([name, one]) => formOf[name]?.(one) ?? true),
  );
  const { object, request_id = requestId, status = 'ok', results, next_cursor, ...others } = known;
  const { results_count = Array.isArray(results) ? results.length : 0, ...rest } = others;
  const { has_more = isText(next_cursor) && next_cursor !== '', ...more } = rest;
  return { object, request_id, status, ...more, results, results_count, has_more, next_cursor };
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Our additions to the contract. */
const { series: _series, coverage: _coverage, ...ours }: Readonly<Record<string, Field>> = memberFields;

const formOf: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...Object.fromEntries(
    Object.entries(ours).map(([name, one]) => [name, (value: unknown) => isInForm(one, value)]),
  ),
  aliases: isAliases,
};

function isAliases(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every(isText);
}

function isInForm({ type, nullable, fields }: Field, value: unknown): boolean {
  if (fields === undefined) return (value === null && nullable === true) || fieldKinds[type].isOnWire(value);
  return isObject(value) && fields.every((one) => isInForm(one, value[one.name]));
}

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

function checkEnvelope<R>(
  value: Members,
  { operation, asked, sent }: SentQuery<R>,
  refuse: Refuse,
): asserts value is Members & Envelope<unknown> {
  const { object, results, results_count, has_more, next_cursor, as_of, series } = value;
  if (object !== operation.object) refuse(`object is ${shown(object)}, not "${operation.object}"`);
  for (const [name, holds, type] of envelopeMembers)
    if (!holds(value[name])) refuse(`${name} is ${shown(value[name])}, not ${type}`);
  const rows = Array.isArray(results) ? results.length : 0;
  if (results_count !== rows) refuse(`results_count is ${results_count}, but there are ${rows} results`);
  if (has_more === true) {
    if (!Object.hasOwn(operation.params, 'cursor')) refuse('has_more is true, but this is not a listing');
    if (!isText(next_cursor) || next_cursor === '')
      refuse(`has_more is true, but next_cursor is ${shown(next_cursor)}`);
  }
  // The contract has `as_of` if a day was requested, and only then.
  const [day, id] = [textOf(sent, 'as_of'), textOf(asked, 'id')];
  if (day !== undefined && as_of !== day) refuse(`as_of is ${shown(as_of)}, but ${day} was asked for`);
  const instant = textOf(sent, 'known_at');
  if (instant !== undefined) checkInstant(value, instant, refuse);
  else if (day === undefined && as_of !== undefined && operation.inContract === true)
    refuse(`as_of is ${shown(as_of)}, but none was asked for`);
  if (id !== undefined && isObject(series) && series.id !== id)
    refuse(`series.id is ${shown(series.id)}, but ${id} was asked for`);
}

/** Refuses an answer to an instant without the day to which it came, or with a day that had not begun by then. */
function checkInstant({ as_of, known_at }: Members, instant: string, refuse: Refuse): void {
  const { now, latest } = clockAt(new Date(instant));
  if (!isObject(known_at) || known_at.instant !== now)
    refuse(`known_at is ${shown(known_at)}, but ${instant} was asked for`);
  if (!isText(as_of) || as_of > latest)
    refuse(`as_of is ${shown(as_of)}, which is no day that had begun at ${instant}`);
}

/** Makes a reader of rows, which checks types, the query, and that nothing is later than the as-of date. */
function rowReader<R extends Row>(
  query: SentQuery<R>,
  resolved: unknown,
  refuse: Refuse,
): (value: unknown, place: string) => R {
  const { operation, asked, sent, clock } = query;
  const { fields, knownBy, identity = [], params } = operation;
  const ids = new Map(
    asked.flatMap(([name, text]) => {
      const { bounds } = params[name] ?? {};
      return bounds?.is === 'equal' ? [[bounds.field, text] as const] : [];
    }),
  );
  const requirements = requirementsOf(operation, sent, clock);
  const asOf = textOf(asked, 'as_of') ?? (isText(resolved) ? resolved : undefined);
  const seen = new Set<string>();
  let before: R | undefined;
  return (value, place) => {
    const row = readFields(fields, value, place, refuse, ids) as R;
    const shownIn = (field: string) => `.${field} is ${shown((value as Members)[field])}`;
    const late = asOf === undefined ? undefined : laterThan(asOf, fields, knownBy, row);
    if (late !== undefined) refuse(place + shownIn(late.field) + late.words);
    for (const { field, fault, met } of requirements) if (!met(row)) refuse(place + shownIn(field) + fault);
    const name = identityOf(identity, row);
    if (name !== undefined && seen.size === seen.add(name).size)
      refuse(`${place}${identity.map(shownIn).join(' and ')} a second time`);
    const fault = operation.contradiction?.(row, before);
    if (fault !== undefined) refuse(place + fault);
    before = row;
    return row;
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

function readFields(
  fields: readonly Field[],
  value: unknown,
  place: string,
  refuse: Refuse,
  asked?: ReadonlyMap<string, string>,
): Members {
  if (!isObject(value)) return refuse(`${place} is not an object`);
  const row: Record<string, unknown> = { ...value };
  for (const field of fields) {
    const { name } = field;
    const cell = readCell(field, value[name], `${place}.${name}`, refuse, asked?.get(name));
    if (cell !== undefined) row[name] = cell;
  }
  return row;
}

/** Reads a cell into asof's form; a missing cell that rows may lack gets the requested value, if any. */
function readCell(field: Field, value: unknown, place: string, refuse: Refuse, asked = ''): unknown {
  const { type, nullable = false, extension = false, mayLack = false, fields } = field;
  // Another service may send an empty text for an unknown value.
  const isAbsent = value === undefined || value === null || value === '';
  if (isAbsent && mayLack) return value ?? asked;
  if (isAbsent && nullable && fields === undefined && !(value === undefined && extension)) return null;
  if (isAbsent && (nullable || extension)) return value;
  if (value === undefined) refuse(`${place} is missing`);
  const { isOnWire, noun, fromWire } = fieldKinds[type];
  if (!isOnWire(value)) refuse(`${place} is ${shown(value)}, not ${noun}`);
  if (fields !== undefined && Array.isArray(value))
    return value.map((record, i) => readFields(fields, record, `${place}[${i}]`, refuse));
  return fromWire !== undefined && isText(value) ? fromWire(value) : value;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

type Requirement<R> = {
  readonly field: string;
  /** What is wrong with a row, after the value of the field in a message. */
  readonly fault: string;
  met(row: R): boolean;
};

type Bound = NonNullable<Param['bounds']>['is'];

/** How a cell meets a bound, and what is wrong with one that does not. */
const bounding: Readonly<
  Record<Bound, readonly [met: (cell: string, to: string) => boolean, fault: string]>
> = {
  equal: [(cell, to) => cell === to, ', but $ was asked for'],
  from: [(cell, to) => cell >= to, ': before $'],
  to: [(cell, to) => cell <= to, ': after $'],
  least: [(cell, to) => Number(cell) >= Number(to), ': fewer than $'],
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
    const faultOf = (is: Bound) => bounding[is][1].replace('$', () => String(value));
    const shown = fields.find((one) => one.name === bounds?.field);
    if (bounds !== undefined && shown !== undefined)
      found.push({
        field: bounds.field,
        fault: faultOf(bounds.is),
        met: ({ [bounds.field]: cell }) =>
          (cell == null && shown.extension === true) ||
          bounding[bounds.is][0](String(cell ?? ''), String(value)),
      });
    const test = rowTests[name];
    if (test !== undefined && textOf(texts, name) !== undefined)
      found.push({ field: test.field, fault: faultOf('equal'), met: (row) => test.met(row, values, clock) });
  }
  return found;
}
