import type { Schema } from '../operations/field.ts';
import type { Operation } from '../operations/operation.ts';
import { errorSuffixes } from './open-pages.ts';
import { checksSchema, envelopeSchema, problemSchema, rowSchema } from './schema.ts';

/** The OpenAPI 3.1 description of the service, made from the operations that it serves. */
export function openApi(operations: readonly Operation[], publicUrl: string): Schema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'asof: point-in-time economic and treasury data',
      version: '1.0.0',
      description:
        'Economic series as they were known on a day, and treasury yield curves. Numbers are decimal strings, exact as published.',
    },
    servers: [{ url: publicUrl }],
    security: [{ ApiKey: [] }],
    paths: {
      ...Object.fromEntries(operations.map((operation) => [operation.path, pathItem(operation)])),
      ...probes,
    },
    components: {
      securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      headers,
      responses: problemResponses,
      schemas: {
        ...Object.fromEntries(operations.flatMap(schemasOf)),
        Problem: problemSchema,
        Checks: checksSchema,
      },
    },
  };
}

/** `series_search` is SeriesSearch. */
function typeName({ name }: Operation): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function schemasOf(operation: Operation): [string, Schema][] {
  const name = typeName(operation);
  return [
    [`${name}Row`, rowSchema(operation)],
    [name, envelopeSchema(operation, reference('schemas', `${name}Row`))],
  ];
}

function pathItem(operation: Operation): Schema {
  const inPath = Object.values(operation.params).some((param) => param.in === 'path');
  const problems = [
    '400',
    '401',
    ...(operation.gated ? ['403'] : []),
    ...(inPath ? ['404'] : []),
    '406',
    '429',
    '500',
  ];
  return {
    get: {
      operationId: operation.name,
      summary: operation.summary,
      parameters: Object.entries(operation.params).map(([name, param]) => ({
        name,
        in: param.in,
        required: param.required,
        description: param.description,
        schema: param.schema,
      })),
      responses: {
        200: {
          description: 'The answer.',
          headers: { ...answerHeaders, ETag: reference('headers', 'ETag') },
          content: { 'application/json': { schema: reference('schemas', typeName(operation)) } },
        },
        304: { description: 'The answer is the one that If-None-Match names.', headers: answerHeaders },
        ...Object.fromEntries(problems.map((status) => [status, reference('responses', `Problem${status}`)])),
        default: reference('responses', 'Problem'),
      },
    },
  };
}

function reference(kind: 'headers' | 'responses' | 'schemas', name: string): Schema {
  return { $ref: `#/components/${kind}/${name}` };
}

const count: Schema = { type: 'integer', minimum: 0 };

const headers: Schema = {
  RequestId: { description: 'The request_id of the body.', schema: { type: 'string' } },
  RateLimitLimit: { description: 'The quota of the window with the fewest requests left.', schema: count },
  RateLimitRemaining: { description: 'Requests left in this window.', schema: count },
  RateLimitReset: { description: 'Seconds until this window ends.', schema: count },
  RetryAfter: { description: 'Seconds to wait before the next request.', schema: count },
  ETag: { description: 'Weak validator of the answer.', schema: { type: 'string' } },
};

const requestIdHeader = { 'X-Request-Id': reference('headers', 'RequestId') };

const answerHeaders = {
  ...requestIdHeader,
  'RateLimit-Limit': reference('headers', 'RateLimitLimit'),
  'RateLimit-Remaining': reference('headers', 'RateLimitRemaining'),
  'RateLimit-Reset': reference('headers', 'RateLimitReset'),
};

const problemContent = { 'application/problem+json': { schema: reference('schemas', 'Problem') } };

const meanings: Readonly<Record<string, string>> = {
  400: 'A parameter is unknown, repeated, missing or invalid.',
  401: 'The key is missing or invalid.',
  403: 'The plan of the key does not allow it.',
  404: 'There is no such series.',
  406: 'The client does not take JSON.',
  429: 'A quota of the key is used up.',
  500: 'The service failed.',
};

const problemResponses: Schema = {
  ...Object.fromEntries(
    Object.entries(meanings).map(([status, description]) => [
      `Problem${status}`,
      {
        description,
        headers: {
          ...(status === '401' ? requestIdHeader : answerHeaders),
          ...(status === '429' && { 'Retry-After': reference('headers', 'RetryAfter') }),
        },
        content: problemContent,
      },
    ]),
  ),
  Problem: { description: 'Any other failure.', headers: requestIdHeader, content: problemContent },
};

const ok: Schema = { const: 'ok' };

const probes: Schema = {
  '/healthz': {
    get: {
      operationId: 'healthz',
      summary: 'Whether the process answers',
      security: [],
      responses: {
        200: json('The process answers.', {
          type: 'object',
          required: ['status'],
          properties: { status: ok },
        }),
      },
    },
  },
  '/readyz': {
    get: {
      operationId: 'readyz',
      summary: 'Whether the service can answer requests',
      security: [],
      responses: {
        200: json('The service can answer requests.', {
          type: 'object',
          required: ['status', 'checks'],
          properties: { status: ok, checks: reference('schemas', 'Checks') },
        }),
        503: {
          description: 'The service cannot answer requests or is shutting down; the failing check is named.',
          content: problemContent,
        },
      },
    },
  },
  '/v1/openapi.json': {
    get: {
      operationId: 'openapi',
      summary: 'This description',
      security: [],
      responses: { 200: json('The description.', { type: 'object' }) },
    },
  },
  '/errors/{suffix}': {
    get: {
      operationId: 'error_page',
      summary: "A page on an error type, so that a problem's type can be opened",
      security: [],
      parameters: [
        { name: 'suffix', in: 'path', required: true, schema: { type: 'string', enum: errorSuffixes } },
      ],
      responses: {
        200: { description: 'The page.', content: { 'text/plain': { schema: { type: 'string' } } } },
        404: reference('responses', 'Problem404'),
      },
    },
  },
};

function json(description: string, schema: Schema): Schema {
  return { description, content: { 'application/json': { schema } } };
}
