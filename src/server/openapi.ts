import { Problem } from '../errors/problem.ts';
import type { Schema } from '../operations/field.ts';
import { type Operation, operationHeadings } from '../operations/operation.ts';
import type { Param } from '../operations/param.ts';
import { errorSuffixes } from './open-pages.ts';
import {
  checksSchema,
  envelopeExample,
  envelopeSchema,
  problemExample,
  problemSchema,
  rowSchema,
} from './schema.ts';

/** The OpenAPI 3.1 description of the service, made from the operations that it serves. */
export function openApi(operations: readonly Operation[], publicUrl: string): Schema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'asof: point-in-time economic and treasury data',
      version: '1.0.0',
      description:
        'Economic series as they were known on a day, treasury yield curves, and trades of insiders. Numbers are decimal strings, exact as published.',
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    security: [{ ApiKey: [] }],
    tags: Object.entries(operationHeadings).map(([name, description]) => ({ name, description })),
    paths: {
      ...Object.fromEntries(operations.map((operation) => [operation.path, pathItem(operation)])),
      ...probes,
    },
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description:
            'A key that the operator of the service gave out. The header Authorization is not read.',
        },
      },
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
      tags: [operation.command.heading],
      summary: operation.summary,
      description: operation.description,
      parameters: Object.entries(operation.params).map(([name, param]) => ({
        name,
        in: param.in,
        required: param.required,
        description: param.description,
        schema: paramSchema(param, operation.example.params[name]),
      })),
      responses: {
        200: {
          description: 'The answer.',
          headers: { ...answerHeaders, ETag: reference('headers', 'ETag') },
          content: {
            'application/json': {
              schema: reference('schemas', typeName(operation)),
              example: envelopeExample(operation),
            },
          },
        },
        304: { description: 'The answer is the one that If-None-Match names.', headers: answerHeaders },
        ...Object.fromEntries(problems.map((status) => [status, reference('responses', `Problem${status}`)])),
        default: reference('responses', 'Problem'),
      },
    },
  };
}

function paramSchema({ schema }: Param, example: string | undefined): Schema {
  if (example === undefined) return schema;
  return { ...schema, examples: [schema.type === 'integer' ? Number(example) : example] };
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

/** What a status means, and a problem of that status. */
const failures: readonly (readonly [meaning: string, example: Problem])[] = [
  [
    'A parameter is unknown, repeated, missing or invalid, or the request has a body.',
    new Problem('validation-error', "invalid 'as_of' date: use YYYY-MM-DD format", { field: 'as_of' }),
  ],
  ['The key is missing or invalid.', new Problem('unauthorized', 'missing X-API-Key header')],
  [
    'The plan of the key does not allow it.',
    new Problem(
      'plan-upgrade-required',
      "point-in-time queries need the pro plan or higher; this key is on 'free': ask the operator of this service",
    ),
  ],
  ['There is no such series.', new Problem('not-found', "series 'GDPX' not found")],
  [
    'The client does not take JSON.',
    new Problem('not-acceptable', 'answers are application/json, which the Accept header rules out'),
  ],
  [
    'A quota of the key is used up.',
    new Problem('rate-limit-exceeded', 'rate limit of 30 requests per minute exceeded'),
  ],
  ['The service failed.', new Problem('internal-error', 'an internal error occurred')],
];

const problemResponses: Schema = {
  ...Object.fromEntries(
    failures.map(([description, problem]) => [
      `Problem${problem.status}`,
      {
        description,
        headers: {
          ...(problem.status === 401 ? requestIdHeader : answerHeaders),
          ...(problem.status === 429 && { 'Retry-After': reference('headers', 'RetryAfter') }),
        },
        content: {
          'application/problem+json': {
            schema: reference('schemas', 'Problem'),
            example: problemExample(problem),
          },
        },
      },
    ]),
  ),
  Problem: { description: 'Any other failure.', headers: requestIdHeader, content: problemContent },
};

const ok: Schema = { const: 'ok' };

/** What the operations on paths without a key have in common. */
const open = { tags: ['Service' satisfies keyof typeof operationHeadings], security: [] };

const openProblems = {
  400: reference('responses', 'Problem400'),
  default: reference('responses', 'Problem'),
};

/** The schema of what `/readyz` says of live sources. */
const followedSchema: Schema = {
  type: 'object',
  description: 'How fresh the store is, if it follows live sources: of several things, the oldest counts.',
  required: ['count', 'up_to', 'last_run', 'unfinished'],
  properties: {
    count: { type: 'integer', description: 'What it follows.' },
    up_to: { type: ['string', 'null'], format: 'date', description: 'The last day that all of it reaches.' },
    last_run: { type: ['string', 'null'], format: 'date-time', description: 'When it was pulled last.' },
    unfinished: { type: 'integer', description: 'What the last pull left undone.' },
  },
};

const probes: Schema = {
  '/healthz': {
    get: {
      operationId: 'healthz',
      ...open,
      summary: 'Whether the process answers',
      description: 'Answers as soon as the process does, whether or not its store works.',
      responses: {
        200: json('The process answers.', {
          type: 'object',
          required: ['status'],
          properties: { status: ok },
        }),
        ...openProblems,
      },
    },
  },
  '/readyz': {
    get: {
      operationId: 'readyz',
      ...open,
      summary: 'Whether the service can answer requests',
      description: 'Checks what the service needs. It is not ready while it shuts down.',
      responses: {
        200: json('The service can answer requests.', {
          type: 'object',
          required: ['status', 'checks'],
          properties: { status: ok, checks: reference('schemas', 'Checks'), followed: followedSchema },
        }),
        503: {
          description: 'The service cannot answer requests or is shutting down; the failing check is named.',
          content: problemContent,
        },
        ...openProblems,
      },
    },
  },
  '/v1/openapi.json': {
    get: {
      operationId: 'openapi',
      ...open,
      summary: 'This description',
      description: 'Made from the table of operations that answers the requests.',
      responses: { 200: json('The description.', { type: 'object' }), ...openProblems },
    },
  },
  '/errors/{suffix}': {
    get: {
      operationId: 'error_page',
      ...open,
      summary: "A page on an error type, so that a problem's type can be opened",
      description: 'What an error of this type means and what to do, as plain text.',
      parameters: [
        {
          name: 'suffix',
          in: 'path',
          required: true,
          description: 'The last segment of the type of a problem.',
          schema: { type: 'string', enum: errorSuffixes },
        },
      ],
      responses: {
        200: { description: 'The page.', content: { 'text/plain': { schema: { type: 'string' } } } },
        ...openProblems,
        404: reference('responses', 'Problem404'),
      },
    },
  },
};

function json(description: string, schema: Schema): Schema {
  return { description, content: { 'application/json': { schema } } };
}
