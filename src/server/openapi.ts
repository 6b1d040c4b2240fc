import { overdueAfter } from '../domain/calendar/due.ts';
import { codeVoice, Problem, type ProblemKind, type ProblemOptions, saidIn } from '../errors/problem.ts';
import type { Envelope } from '../operations/envelope.ts';
import { type Field, fieldKinds, memberFields, type Schema } from '../operations/field.ts';
import { operationHeadings } from '../operations/operation.ts';
import type { Param } from '../operations/param.ts';
import { defined } from '../platform/defined.ts';
import { builtFile } from '../platform/installation.ts';
import { answerFormats, type Endpoint, notAcceptable } from './endpoints.ts';

/** Returns the OpenAPI 3.1 description of a service with these endpoints. */
export function openApi(endpoints: readonly Endpoint[], publicUrl: string): Schema {
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
      ...Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, pathItem(endpoint)])),
      ...openPaths,
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
      parameters: { Format: formatParameter },
      responses: {
        ...Object.fromEntries(failures.map((one) => [`Problem${one.problem.status}`, failureResponse(one)])),
        Problem: failureResponse(otherFailure),
      },
      schemas: {
        ...Object.fromEntries(endpoints.flatMap(answerSchemas)),
        Problem: problemSchema,
        Checks: checksSchema,
      },
    },
  };
}

function ref(part: string): Schema {
  return { $ref: `#/components/${part}` };
}

function object(properties: Schema, required = Object.keys(properties)): Schema {
  return { type: 'object', required, properties };
}

const count: Schema = { type: 'integer', minimum: 0 };

const headers: Schema = {
  RequestId: { description: 'The request_id of the body.', schema: { type: 'string' } },
  RateLimitLimit: { description: 'The quota of the window with the fewest requests left.', schema: count },
  RateLimitRemaining: { description: 'Requests left in this window.', schema: count },
  RateLimitReset: { description: 'Seconds until this window ends.', schema: count },
  RetryAfter: { description: 'Seconds to wait before the next request.', schema: count },
  ETag: { description: 'Weak validator of the answer.', schema: { type: 'string' } },
  Link: {
    description: 'The address of the next page (rel="next"), of a format without an envelope and with limit.',
    schema: { type: 'string' },
  },
};

const requestIdHeader = { 'X-Request-Id': ref('headers/RequestId') };

const answerHeaders = {
  ...requestIdHeader,
  'RateLimit-Limit': ref('headers/RateLimitLimit'),
  'RateLimit-Remaining': ref('headers/RateLimitRemaining'),
  'RateLimit-Reset': ref('headers/RateLimitReset'),
};

const path = '/v1/series/GDP/observations';

function failure(kind: ProblemKind, detail: string, example: string, text: string, options?: ProblemOptions) {
  return { problem: new Problem(kind, detail, { instance: path, ...options }), example, text };
}

/** The failures of requests, each with a request that fails so, and what that means. */
const failures = [
  failure(
    'validation-error',
    "invalid 'as_of' date: use YYYY-MM-DD format",
    `\`GET ${path}?as_of=2015-02-30\``,
    `A parameter of the request is unknown, repeated or missing, or its value is not valid.
The problem names it in "field" and says in "detail" what was expected.
Dates are YYYY-MM-DD. /v1/openapi.json describes every parameter.`,
    { field: 'as_of' },
  ),
  failure(
    'unauthorized',
    'missing X-API-Key header',
    `\`GET ${path}\` without the header X-API-Key`,
    `The request has no API key, or one that is unknown or revoked.
Send the key in the header X-API-Key; the header Authorization is not read.
The operator of this service gives out keys.`,
  ),
  failure(
    'plan-upgrade-required',
    "point-in-time queries need the pro plan or higher; this key is on 'free': ask the operator of this service",
    `\`GET ${path}?as_of=2015-01-30\` with a key of the plan free`,
    `The request needs a plan with vintage access: as_of, release and the history of values do.
GET /v1/ping shows the plan of a key; "detail" says how to upgrade.`,
  ),
  failure(
    'not-found',
    "series 'GDPX' not found",
    '`GET /v1/series/GDPX/observations`',
    `There is no such series, or no such endpoint; "detail" says which.
Series ids are upper case; GET /v1/series?q=... finds them.`,
    { instance: '/v1/series/GDPX/observations' },
  ),
  failure(
    'not-acceptable',
    notAcceptable,
    `\`GET ${path}\` with \`Accept: image/png\``,
    'The client takes none of the formats.',
  ),
  failure(
    'rate-limit-exceeded',
    'rate limit of 30 requests per minute exceeded',
    `\`GET ${path}\` for the 31st time in a minute, with a key of the plan free`,
    `The key has used up the requests of this minute, this day or this month (UTC).
Or more of its requests for tables wait than the service allows; Retry-After is 1 then.
Retry-After gives the seconds until that window ends. Refused requests do not count.`,
  ),
  failure(
    'internal-error',
    'an internal error occurred',
    `\`GET ${path}\` when the data cannot be read`,
    `The service failed. The request may be valid.
Try again later, or report the request_id to the operator, whose log holds the cause.`,
  ),
];

const otherFailure = failure(
  'method-not-allowed',
  'this service is read-only: use GET or HEAD',
  `\`POST ${path}\``,
  'Any other failure.',
);

/** The page of each of the contract's error types as plain text, by the last segment of `type`. */
export const errorPages: ReadonlyMap<string, string> = new Map(
  failures.flatMap(({ problem, text }) => {
    const { title, type } = problem.toDocument('');
    return type === 'about:blank' ? [] : [[problem.kind, `${title} (${problem.status})\n\n${text}\n`]];
  }),
);

function failureResponse({ problem, example, text }: typeof otherFailure): Schema {
  const { status } = problem;
  return {
    description: `${text.replaceAll('\n', ' ')} Example: ${example}.`,
    headers: {
      ...(status === 401 || status === 405 ? requestIdHeader : answerHeaders),
      ...(status === 429 && { 'Retry-After': ref('headers/RetryAfter') }),
    },
    content: problemContent(problem),
  };
}

function problemContent(problem: Problem, more: Schema = {}): Schema {
  const answered = problem.with({ requestId: requestIdExample });
  const example = { ...answered.toDocument('https://service.example/errors'), ...more };
  return { 'application/problem+json': { schema: ref('schemas/Problem'), example } };
}

/** Responses list only JSON, so that typed clients have the types of rows, without a union with text. */
const formatParameter: Schema = {
  name: 'format',
  in: 'query',
  required: false,
  description: `The format of the answer, where the client cannot set Accept (${Object.values(answerFormats).join(', ')}). All but json have no pages: without \`limit\` the answer is whole, and the connection is cut if the rest of it fails. \`answer\` is JSON with the type of each column, rows as lists of cells, and notes.`,
  schema: { type: 'string', enum: Object.keys(answerFormats), default: 'json' },
};

function pathItem(endpoint: Endpoint): Schema {
  const { name: operationId, heading, summary, params, example } = endpoint;
  return {
    parameters: [ref('parameters/Format')],
    get: {
      operationId,
      tags: [heading],
      summary,
      description: describedWithExample(endpoint),
      parameters: Object.entries(params).map(([name, param]) => parameter(name, param, example[name])),
      responses: responsesOf(endpoint),
    },
  };
}

function responsesOf(endpoint: Endpoint): Schema {
  const { operation, path, gated } = endpoint;
  const isOfSeries = operation === undefined || path.includes('{');
  const problems = [400, 401, ...(gated ? [403] : []), ...(isOfSeries ? [404] : []), 406, 429, 500];
  return {
    200: {
      description: 'The answer.',
      headers: { ...answerHeaders, ETag: ref('headers/ETag'), Link: ref('headers/Link') },
      content: { 'application/json': answerContent(endpoint) },
    },
    304: { description: 'The answer is the one that If-None-Match names.', headers: answerHeaders },
    ...Object.fromEntries(problems.map((status) => [status, ref(`responses/Problem${status}`)])),
    default: ref('responses/Problem'),
  };
}

function parameter(name: string, param: Param, text: string | undefined): Schema {
  const { in: place, required, description, schema } = param;
  const mayBeList = schema.type === 'array' || schema.anyOf !== undefined;
  const example = text === undefined ? undefined : typed(schema, text);
  return {
    ...{ name, in: place, required, description },
    // Commas separate a list.
    ...(mayBeList && { style: 'form', explode: false }),
    schema: { ...schema, ...(example !== undefined && { examples: [example] }) },
    ...defined({ example }),
  };
}

function typed({ type }: Schema, text: string): unknown {
  if (type === 'array') return text.split(',');
  if (type === 'boolean') return text === 'true';
  return type === 'integer' ? Number(text) : text;
}

function describedWithExample({ path, description, example }: Endpoint): string {
  const given = Object.entries(example).map(
    ([name, text]) => [name, encodeURIComponent(text).replaceAll('%2C', ',')] as const,
  );
  const filled = given.reduce((whole, [name, text]) => whole.replace(`{${name}}`, text), path);
  const query = given.flatMap(([name, text]) => (path.includes(`{${name}}`) ? [] : [`${name}=${text}`]));
  const address = query.length === 0 ? filled : `${filled}?${query.join('&')}`;
  return `${saidIn(codeVoice, description)}\n\nExample: \`GET ${address}\`.`;
}

function typeName({ name }: Pick<Endpoint, 'name'>): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function answerSchemas(endpoint: Endpoint): readonly (readonly [name: string, schema: Schema])[] {
  const name = typeName(endpoint);
  return [
    [`${name}Row`, recordSchema(endpoint.fields)],
    ...(endpoint.mayBeWide === true ? [['WideRow', wideRowSchema] as const] : []),
    [name, envelopeSchema(endpoint)],
  ];
}

function fieldSchema({ type, description, nullable, sparse, choices, fields }: Field): Schema {
  const { schema } = fieldKinds[type];
  return {
    ...schema,
    ...(sparse === true && { items: { type: ['string', 'null'] } }),
    ...(fields !== undefined && { items: recordSchema(fields) }),
    ...(choices !== undefined && { enum: nullable === true ? [...choices, null] : choices }),
    ...(nullable === true && { type: [schema.type, 'null'] }),
    ...(description !== '' && { description }),
  };
}

function recordSchema(fields: readonly Field[]): Schema {
  const required = fields.filter(({ occasional }) => occasional !== true).map(({ name }) => name);
  return object(Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])), required);
}

const wideRowSchema: Schema = {
  type: 'object',
  description: 'The day of the row, and a value or null under each requested id, spelled as in the request.',
  additionalProperties: { type: ['string', 'null'] },
};

const vintageKindsSchema: Schema = {
  type: 'object',
  description: 'Of wide rows: for each column, how the vintages of its values came about.',
  additionalProperties: { type: 'string' },
};

const aliasesSchema: Schema = {
  type: 'object',
  description: 'The ids of the series that the aliases in the request stand for.',
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
  const { members = [], params, mayBeWide } = endpoint;
  const paged = Object.hasOwn(params, 'cursor');
  const row = ref(`schemas/${typeName(endpoint)}Row`);
  const rows = mayBeWide === true ? { anyOf: [row, ref('schemas/WideRow')] } : row;
  return object(
    {
      object: { const: endpoint.object },
      request_id: requestId,
      status: { const: 'ok' },
      ...Object.fromEntries(members.map((name) => [name, memberSchema(name)])),
      ...(Object.values(params).some(({ complete }) => complete === 'ids') && { aliases: aliasesSchema }),
      results: { type: 'array', items: rows },
      results_count: count,
      has_more: Object.hasOwn(params, 'limit') ? { type: 'boolean' } : { const: false },
      ...(paged && { next_cursor: { type: 'string', description: 'Exactly when has_more is true.' } }),
      ...(mayBeWide === true && { vintage_kinds: vintageKindsSchema }),
    },
    ['object', 'request_id', 'status', 'results', 'results_count', 'has_more'],
  );
}

/** The sample's answers to the endpoints' examples, by name, with one row; the build makes them with this module. */
const answers: Readonly<Record<string, Envelope>> = readAnswers();

function readAnswers(): typeof answers {
  try {
    return JSON.parse(String(builtFile('examples.json')));
  } catch {
    return {};
  }
}

function answerContent(endpoint: Endpoint): Schema {
  const answer = answers[endpoint.name];
  const example = answer && { ...answer, request_id: requestIdExample };
  return { schema: ref(`schemas/${typeName(endpoint)}`), ...defined({ example }) };
}

const plainMembers = {
  as_of: { type: 'string', format: 'date', description: 'The as-of date, when as_of was used.' },
  missing: {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    description: 'The ids that no series has, which skip_missing left out.',
  },
} as const;

function memberSchema(name: NonNullable<Endpoint['members']>[number]): Schema {
  if (name === 'as_of' || name === 'missing') return plainMembers[name];
  const member: Field = memberFields[name];
  const { description, fields } = member;
  return fields === undefined ? fieldSchema(member) : { description, ...recordSchema(fields) };
}

const checksSchema: Schema = {
  type: 'object',
  additionalProperties: { type: 'string', enum: ['healthy', 'unhealthy'] },
};

const problemSchema = object(
  {
    type: { type: 'string', format: 'uri-reference', description: 'The error type; its page explains it.' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'What went wrong in this request.' },
    instance: { type: 'string', description: 'The path of the request.' },
    request_id: requestId,
    field: { type: 'string', description: 'The parameter at fault, on validation errors.' },
    checks: { ...checksSchema, description: 'Only in answers of /readyz.' },
  },
  ['type', 'title', 'status', 'detail', 'instance', 'request_id'],
);

const followedSchema: Schema = {
  description: 'How fresh the store is, if it follows live sources: of several things, the oldest counts.',
  ...object({
    count: { type: 'integer', description: 'Number of followed items.' },
    up_to: {
      type: ['string', 'null'],
      format: 'date',
      description: 'The last day up to which all items are pulled.',
    },
    last_run: { type: ['string', 'null'], format: 'date-time', description: 'When it was pulled last.' },
    unfinished: { type: 'integer', description: 'What the last pull left undone.' },
    overdue: {
      type: 'array',
      description: `Releases that passed more than ${overdueAfter} hours ago, and whose series have no vintage since.`,
      items: object({
        release: { type: 'string', description: 'Identifier of the release.' },
        name: { type: 'string', description: 'What is released.' },
        date: { type: 'string', format: 'date', description: 'The day on which it was due.' },
        items: { type: 'integer', description: 'Number of followed series in it.' },
      }),
    },
  }),
};

const answeringSchema: Schema = {
  type: 'number',
  minimum: 0,
  maximum: 1,
  description:
    'The share of the store that answers, if several servers hold it; below 1, requests for the other series get 503.',
};

const ready = {
  status: { const: 'ok' },
  checks: ref('schemas/Checks'),
  answering: answeringSchema,
  followed: followedSchema,
};
const unhealthy = { store: 'unhealthy', access: 'healthy' };

const openPaths: Schema = {
  '/healthz': openItem({
    operationId: 'healthz',
    summary: 'Whether the process answers',
    description: 'Answers as soon as the process does, whether or not its store works.',
    responses: { 200: json('The process answers.', object({ status: { const: 'ok' } }), { status: 'ok' }) },
  }),
  '/readyz': openItem({
    operationId: 'readyz',
    summary: 'Whether the service can answer requests',
    description: 'Checks what the service needs. It is not ready while it shuts down.',
    responses: {
      200: json('The service can answer requests.', object(ready, ['status', 'checks']), {
        status: 'ok',
        checks: { store: 'healthy', access: 'healthy' },
      }),
      503: {
        description: 'The service cannot answer requests or is shutting down; the failing check is named.',
        content: problemContent(
          new Problem('service-unavailable', 'store is unhealthy', { instance: '/readyz' }),
          { checks: unhealthy },
        ),
      },
    },
  }),
  '/v1/openapi.json': openItem({
    operationId: 'openapi',
    summary: 'This description',
    description: 'Made from the table of operations that answers the requests.',
    responses: { 200: json('The description.', { type: 'object' }, { openapi: '3.1.0' }) },
  }),
  '/errors/{suffix}': openItem({
    operationId: 'error_page',
    summary: "A page on an error type, so that a problem's type can be opened",
    description: 'What an error of this type means and what to do, as plain text.',
    parameters: [
      {
        ...{ name: 'suffix', in: 'path', required: true },
        description: 'The last segment of the type of a problem.',
        schema: { type: 'string', enum: [...errorPages.keys()] },
        example: 'not-found',
      },
    ],
    responses: {
      200: {
        description: 'The page.',
        content: { 'text/plain': { schema: { type: 'string' }, example: errorPages.get('not-found') } },
      },
      404: ref('responses/Problem404'),
    },
  }),
};

function json(description: string, schema: Schema, example: Schema): Schema {
  return { description, content: { 'application/json': { schema, example } } };
}

function openItem({ operationId, responses, ...described }: Schema & { readonly responses: Schema }): Schema {
  const tags = ['Service' satisfies keyof typeof operationHeadings];
  const failures = { 400: ref('responses/Problem400'), default: ref('responses/Problem') };
  return { get: { operationId, tags, security: [], ...described, responses: { ...responses, ...failures } } };
}
