import { frequencies } from '../domain/series/series.ts';
import type { Problem } from '../errors/problem.ts';
import type { Cell, Row } from '../operations/envelope.ts';
import { type Field, field, fieldKinds, nullable, type Schema } from '../operations/field.ts';
import { envelopeToWire, toWire } from '../operations/wire.ts';
import type { Endpoint } from './endpoints.ts';

/** A reference to a part of the description. */
export function reference(kind: 'headers' | 'parameters' | 'responses' | 'schemas', name: string): Schema {
  return { $ref: `#/components/${kind}/${name}` };
}

/** `series_search` is SeriesSearch. */
function typeName({ name }: Pick<Endpoint, 'name'>): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns every schema of the description, by its name. */
export function schemasOf(endpoints: readonly Endpoint[]): Schema {
  return {
    ...Object.fromEntries(endpoints.flatMap(answerSchemas)),
    Problem: problemSchema,
    Checks: checksSchema,
  };
}

/** Returns the schemas of the rows and of the envelope of an endpoint, by their names. */
function answerSchemas(endpoint: Endpoint): readonly (readonly [name: string, schema: Schema])[] {
  const { fields, example, mayBeWide } = endpoint;
  const name = typeName(endpoint);
  return [
    [`${name}Row`, recordSchema(fields, toWire(fields)(example.row))],
    ...(mayBeWide === true ? [['WideRow', wideRowSchema] as const] : []),
    [name, envelopeSchema(endpoint)],
  ];
}

function fieldSchema(
  { type, description, nullable, sparse, choices, fields }: Field,
  example: Cell | undefined,
): Schema {
  const { schema } = fieldKinds[type];
  return {
    ...schema,
    ...(sparse === true && { items: { type: ['string', 'null'] } }),
    ...(fields !== undefined && { items: recordSchema(fields, firstRecord(example)) }),
    ...(choices !== undefined && { enum: nullable === true ? [...choices, null] : choices }),
    ...(nullable === true && { type: [schema.type, 'null'] }),
    ...(description !== '' && { description }),
    // A list of records that is empty in the example shows none of its fields.
    ...(fields === undefined && example !== undefined && { examples: [example] }),
  };
}

function recordSchema(fields: readonly Field[], example: Row): Schema {
  return {
    type: 'object',
    required: fields.filter(({ occasional }) => occasional !== true).map(({ name }) => name),
    properties: Object.fromEntries(
      fields.map((field) => [field.name, fieldSchema(field, example[field.name])]),
    ),
  };
}

function firstRecord(example: Cell | undefined): Row {
  const [first]: readonly Cell[] = Array.isArray(example) ? example : [];
  return typeof first === 'object' && first !== null && !Array.isArray(first) ? (first as Row) : {};
}

const wideRowSchema: Schema = {
  type: 'object',
  description: 'The day of the row, and under each id as it was asked for a value or null.',
  additionalProperties: { type: ['string', 'null'] },
};

const vintageKindsSchema: Schema = {
  type: 'object',
  description: 'Of wide rows: by column, how the vintages came about that its values are from.',
  additionalProperties: { type: 'string' },
};

const requestIdExample = 'req_01978c6f8d3b7b0f9f3d5a6c1e2b4d60';

const requestId: Schema = {
  type: 'string',
  pattern: '^req_[0-9a-f]{32}$',
  description: 'Identifies the request, time-ordered; to quote in support requests.',
  examples: [requestIdExample],
};

function envelopeSchema(endpoint: Endpoint): Schema {
  const { members = [], object, params, mayBeWide } = endpoint;
  const paged = Object.hasOwn(params, 'cursor');
  const row = reference('schemas', `${typeName(endpoint)}Row`);
  const rows = mayBeWide === true ? { anyOf: [row, reference('schemas', 'WideRow')] } : row;
  return {
    type: 'object',
    required: ['object', 'request_id', 'status', 'results', 'results_count', 'has_more'],
    properties: {
      object: { const: object },
      request_id: requestId,
      status: { const: 'ok' },
      ...Object.fromEntries(members.map((name) => [name, memberSchemas[name]])),
      results: { type: 'array', items: rows },
      results_count: { type: 'integer', minimum: 0 },
      has_more: paged ? { type: 'boolean' } : { const: false },
      ...(paged && { next_cursor: { type: 'string', description: 'Exactly when has_more is true.' } }),
      ...(mayBeWide === true && { vintage_kinds: vintageKindsSchema }),
    },
  };
}

/** The content of an answer of an endpoint in JSON, with one row as the example. */
export function answerContent(endpoint: Endpoint): Schema {
  const { object, fields, example } = endpoint;
  const envelope = {
    object,
    request_id: requestIdExample,
    status: 'ok',
    ...example.head,
    results: [example.row],
    results_count: 1,
    has_more: false,
  };
  const schema = reference('schemas', typeName(endpoint));
  return { 'application/json': { schema, example: envelopeToWire(envelope, fields) } };
}

function memberSchema(description: string, fields: readonly Field[]): Schema {
  return { type: 'object', description, ...recordSchema(fields, {}) };
}

const memberSchemas: Readonly<Record<NonNullable<Endpoint['members']>[number], Schema>> = {
  as_of: { type: 'string', format: 'date', description: 'The as-of date, when as_of was used.' },
  missing: {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    description: 'The ids that no series has, which skip_missing left out.',
  },
  series: memberSchema('A summary of the series, when as_of was used.', [
    field('id', 'text', ''),
    field('title', 'text', ''),
    field('frequency', 'text', '', { choices: [...frequencies, ''] }),
  ]),
  coverage: memberSchema(
    'The first and the last vintage of the series, its first date, and the last day that is covered.',
    [
      field('first_vintage', 'day', ''),
      field('last_vintage', 'day', ''),
      nullable('first_date', 'day', ''),
      field('covered_to', 'day', ''),
    ],
  ),
  vintage: memberSchema(
    'The newest vintage on or before the day, and how it came about. Of first releases, only the kinds of all vintages up to the day.',
    [
      nullable('as_of_date', 'day', ''),
      field('vintage_kind', 'text', 'exact, fetched, sampled or unknown; empty before the first vintage.'),
    ],
  ),
  covered_to: fieldSchema(nullable('covered_to', 'day', 'The last day that the data speak for.'), undefined),
  unknown_ticker: memberSchema(
    'The ticker that was asked for, if no filing of it is held on any day, and the one that is spelled most like it.',
    [field('ticker', 'text', ''), nullable('nearest', 'text', '')],
  ),
};

const checksSchema: Schema = {
  type: 'object',
  additionalProperties: { type: 'string', enum: ['healthy', 'unhealthy'] },
};

const problemSchema: Schema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'The error type; its page explains it.' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'What went wrong in this request.' },
    instance: { type: 'string', description: 'The path of the request.' },
    request_id: requestId,
    field: { type: 'string', description: 'The parameter at fault, on validation errors.' },
    checks: { ...checksSchema, description: 'Only in answers of /readyz.' },
  },
};

/** The content of an answer with a problem, as a service answers it. */
export function problemContent(problem: Problem, more: Schema = {}): Schema {
  const answered = problem.with({ requestId: requestIdExample });
  const example = { ...answered.toDocument('https://service.example/errors'), ...more };
  return { 'application/problem+json': { schema: reference('schemas', 'Problem'), example } };
}
