import { dateTime } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import {
  curve,
  insiderClusters,
  insiderFilings,
  observations,
  revisions,
  spread,
  vintages,
  yields,
} from '../../operations/index.ts';
import type { Field, FieldType, Operation } from '../../operations/operation.ts';

type Given = readonly (readonly [name: string, text: string])[];

/** What was asked, as far as an envelope must answer to it. */
type Asked = { readonly operation: Operation; readonly given: Given };

type Fields = Readonly<Record<string, unknown>>;

/**
 * The envelope that `value` is, when it keeps the contract and answers what was asked; else a Problem that says where
 * it does not. It must be of the day of knowledge asked for: a service that overlooks `as_of` would show the future.
 */
export function checkEnvelope(value: unknown, { operation, given }: Asked, url: string): Envelope {
  const refuse = (what: string): never => {
    throw new Problem('bad-answer', `${url} answered outside the contract: ${what}`);
  };
  if (!isObject(value)) return refuse('no JSON object');
  if (value.object !== operation.object)
    return refuse(`object is ${shown(value.object)}, not "${operation.object}"`);
  for (const [name, holds, type] of envelopeFields) {
    if (!holds(value[name])) return refuse(`${name} is ${shown(value[name])}, not ${type}`);
  }
  const results = value.results as readonly unknown[];
  const wrong =
    wrongPaging(value, results.length, operation, given) ??
    wrongKnowledge(value, operation, given) ??
    wrongSeries(value, given);
  if (wrong !== undefined) return refuse(wrong);
  const check = rowCheck(operation, given);
  results.forEach((row, index) => {
    const fault = check(row);
    if (fault !== undefined) refuse(`results[${index}]${fault}`);
  });
  return inOneForm(value as Envelope, operation);
}

/** The envelope as asof's own service writes it: one spelling of midnight, and a cursor only where there are more rows. */
function inOneForm({ next_cursor, ...envelope }: Envelope, { fields }: Operation): Envelope {
  const days = fields.filter(({ type }) => type === 'day').map(({ name }) => name);
  return {
    ...envelope,
    results: envelope.results.map((row) => withMidnights(row, days)),
    ...(envelope.has_more && next_cursor !== undefined && { next_cursor }),
  };
}

function withMidnights(row: Row, days: readonly string[]): Row {
  const other = days.filter((name) => otherMidnight.test(String(row[name])));
  if (other.length === 0) return row;
  return {
    ...row,
    ...Object.fromEntries(other.map((name) => [name, dateTime(String(row[name]).slice(0, 10))])),
  };
}

const otherMidnight = /^\d{4}-\d\d-\d\dT00:00:00(?!Z$)(\.0+)?(Z|[+-]00:00)$/;

const isText = (value: unknown): value is string => typeof value === 'string';

const envelopeFields: readonly (readonly [name: string, holds: (value: unknown) => boolean, type: string])[] =
  [
    ['request_id', isText, 'a text'],
    ['status', isText, 'a text'],
    ['results', Array.isArray, 'a list'],
    ['results_count', Number.isSafeInteger, 'a number'],
    ['has_more', (value) => typeof value === 'boolean', 'true or false'],
  ];

function wrongPaging(
  { results_count, has_more, next_cursor }: Fields,
  rows: number,
  { params }: Operation,
  given: Given,
): string | undefined {
  if (results_count !== rows) return `results_count is ${results_count}, but there are ${rows} results`;
  const limit = textOf(given, 'limit');
  if (limit !== undefined && rows > Number(limit)) return `${rows} results, more than the limit of ${limit}`;
  if (has_more !== true) return undefined;
  if (!Object.hasOwn(params, 'cursor')) return 'it says has_more, but is not a listing';
  return isText(next_cursor) && next_cursor !== ''
    ? undefined
    : `it says has_more, but next_cursor is ${shown(next_cursor)}`;
}

function wrongKnowledge(envelope: Fields, { object }: Operation, given: Given): string | undefined {
  const asOf = textOf(given, 'as_of');
  if (asOf === undefined || envelope.as_of === asOf) return undefined;
  if (envelope.as_of === undefined && object !== observations.object) return undefined;
  return `as_of is ${shown(envelope.as_of)}, but ${asOf} was asked for`;
}

function wrongSeries({ series }: Fields, given: Given): string | undefined {
  const id = textOf(given, 'id');
  if (id === undefined || !isObject(series) || series.id === id) return undefined;
  return `series.id is ${shown(series.id)}, but ${id} was asked for`;
}

type RowCheck = (row: unknown) => string | undefined;

/** The fields that `from` and `to` bound. */
const bounded: Readonly<Record<string, string>> = {
  [observations.name]: 'date',
  [vintages.name]: 'as_of_date',
  [yields.name]: 'trade_date',
  [spread.name]: 'trade_date',
  [insiderFilings.name]: 'filing_date',
  [insiderClusters.name]: 'date_last',
};

/** The fields that must be the `date` asked for. */
const dated: Readonly<Record<string, string>> = { [revisions.name]: 'date', [curve.name]: 'trade_date' };

function rowCheck(operation: Operation, given: Given): RowCheck {
  const { fields, knownBy } = operation;
  const asOf = textOf(given, 'as_of');
  const beside = besideTheQuestion(operation, given);
  const dates = new Set<string>();
  return (row) => {
    if (!isObject(row)) return ' is no object';
    for (const field of fields) {
      const fault = wrongField(field, row[field.name]);
      if (fault !== undefined) return `.${field.name} ${fault}`;
    }
    if (asOf !== undefined && knownBy !== undefined && dayIn(row[knownBy]) > asOf)
      return `.${knownBy} is ${shown(row[knownBy])}: not yet known on ${asOf}`;
    if (operation.name === observations.name && dates.size === dates.add(dayIn(row.date)).size)
      return `.date is ${shown(row.date)} once more`;
    return beside(row);
  };
}

/** What is wrong with a row that is about another series, or about days outside of those asked for. */
function besideTheQuestion({ name, fields }: Operation, given: Given): (row: Fields) => string | undefined {
  const [id, date] = [textOf(given, 'id'), textOf(given, 'date')];
  const [from = '', to = '9'] = [textOf(given, 'from'), textOf(given, 'to')];
  const ofSeries = ['series_id', 'id'].find((field) => fields.some((one) => one.name === field));
  const [inRange, onDate] = [bounded[name], dated[name]];
  return (row) => {
    if (id !== undefined && ofSeries !== undefined && row[ofSeries] !== id)
      return `.${ofSeries} is ${shown(row[ofSeries])}, but ${id} was asked for`;
    if (date !== undefined && onDate !== undefined && dayIn(row[onDate]) !== date)
      return `.${onDate} is ${shown(row[onDate])}, but ${date} was asked for`;
    if (inRange === undefined) return undefined;
    const day = dayIn(row[inRange]);
    if (day < from) return `.${inRange} is ${shown(row[inRange])}: before ${from}`;
    return day > to ? `.${inRange} is ${shown(row[inRange])}: after ${to}` : undefined;
  };
}

function dayIn(value: unknown): string {
  return String(value ?? '').slice(0, 10);
}

function wrongField({ type, nullable, extension }: Field, value: unknown): string | undefined {
  if (value === undefined) return extension === true ? undefined : 'is missing';
  if (value === null && (nullable === true || extension === true)) return undefined;
  const { holds, name } = types[type];
  // A day that nobody knows is an empty text in the extensions.
  return holds(value) || (extension === true && value === '') ? undefined : `is ${shown(value)}, not ${name}`;
}

const types: Readonly<
  Record<FieldType, { readonly holds: (value: unknown) => boolean; readonly name: string }>
> = {
  text: { holds: isText, name: 'a text' },
  decimal: { holds: (value) => isText(value) && /^-?\d+(\.\d+)?$/.test(value), name: 'a decimal text' },
  day: {
    holds: (value) => isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]00:00)$/.test(value),
    name: 'a date-time in UTC',
  },
  integer: { holds: Number.isSafeInteger, name: 'an integer' },
  boolean: { holds: (value) => typeof value === 'boolean', name: 'true or false' },
  list: { holds: Array.isArray, name: 'a list' },
};

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(given: Given, name: string): string | undefined {
  return given.find(([key]) => key === name)?.[1];
}

/** A value as an error line shows it. */
function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
