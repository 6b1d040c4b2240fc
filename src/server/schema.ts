import { type Field, fieldKinds, type Schema } from '../operations/field.ts';
import type { Operation } from '../operations/operation.ts';

function fieldSchema({ type, description, nullable, sparse, fields }: Field): Schema {
  const { schema } = fieldKinds[type];
  return {
    ...schema,
    ...(sparse === true && { items: { type: ['string', 'null'] } }),
    ...(fields !== undefined && { items: recordSchema(fields) }),
    ...(nullable === true && { type: [schema.type, 'null'] }),
    description,
  };
}

/** The schema of an operation's rows. */
export function rowSchema({ fields }: Operation): Schema {
  return recordSchema(fields);
}

function recordSchema(fields: readonly Field[]): Schema {
  return {
    type: 'object',
    required: fields.map(({ name }) => name),
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
  };
}

const requestId: Schema = {
  type: 'string',
  pattern: '^req_[0-9a-f]{32}$',
  description: 'Identifies the request, time-ordered; to quote in support requests.',
};

/** The schema of an operation's envelope around rows of another schema. */
export function envelopeSchema(operation: Operation, rows: Schema): Schema {
  const paged = Object.hasOwn(operation.params, 'cursor');
  return {
    type: 'object',
    required: ['object', 'request_id', 'status', 'results', 'results_count', 'has_more'],
    properties: {
      object: { const: operation.object },
      request_id: requestId,
      status: { const: 'ok' },
      ...Object.fromEntries((operation.members ?? []).map((name) => [name, memberSchemas[name]])),
      results: { type: 'array', items: rows },
      results_count: { type: 'integer', minimum: 0 },
      has_more: { type: 'boolean' },
      ...(paged && { next_cursor: { type: 'string', description: 'Exactly when has_more is true.' } }),
    },
  };
}

const dateTime = fieldKinds.day.schema;

const memberSchemas: Readonly<Record<NonNullable<Operation['members']>[number], Schema>> = {
  as_of: { type: 'string', format: 'date', description: 'The knowledge date, when as_of was used.' },
  series: {
    type: 'object',
    description: 'A summary of the series, when as_of was used.',
    required: ['id', 'title', 'frequency'],
    properties: { id: { type: 'string' }, title: { type: 'string' }, frequency: { type: 'string' } },
  },
  coverage: {
    type: 'object',
    description: 'Which days the knowledge of the series spans, and its first date.',
    required: ['first_vintage', 'last_vintage', 'first_date', 'covered_to'],
    properties: {
      first_vintage: dateTime,
      last_vintage: dateTime,
      first_date: { ...dateTime, type: ['string', 'null'] },
      covered_to: dateTime,
    },
  },
  vintage: {
    type: 'object',
    description:
      'The newest vintage on or before the day, how it came about, and the one after it. Of first releases, only the kinds of all vintages up to the day.',
    required: ['as_of_date', 'vintage_kind', 'next_date', 'next_kind'],
    properties: {
      as_of_date: { ...dateTime, type: ['string', 'null'] },
      vintage_kind: {
        type: 'string',
        description: 'exact, fetched, sampled or unknown; empty before the first vintage.',
      },
      next_date: { ...dateTime, type: ['string', 'null'] },
      next_kind: { type: ['string', 'null'] },
    },
  },
  covered_to: {
    ...dateTime,
    type: ['string', 'null'],
    description: 'The last day that the data speak for.',
  },
};

/** The schema of what readiness says of each thing that the service needs. */
export const checksSchema: Schema = {
  type: 'object',
  additionalProperties: { type: 'string', enum: ['healthy', 'unhealthy'] },
};

/** The schema of every failure (RFC 9457). */
export const problemSchema: Schema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'The error type; its page explains it.' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'What went wrong in this request.' },
    instance: { type: 'string', description: 'The path of the request.' },
    request_id: requestId,
    field: { type: 'string', description: 'The parameter at fault, on validation errors.' },
    checks: { ...checksSchema, description: 'Of readiness alone.' },
  },
};
