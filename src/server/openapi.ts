import { codeVoice, Problem, saidIn } from '../errors/problem.ts';
import type { Schema } from '../operations/field.ts';
import { operationHeadings } from '../operations/operation.ts';
import type { Param } from '../operations/param.ts';
import { answerFormats, type Endpoint, notAcceptable } from './endpoints.ts';
import { errorPages } from './open-pages.ts';
import { answerContent, problemContent, reference, schemasOf } from './schema.ts';

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

const requestIdHeader = { 'X-Request-Id': reference('headers', 'RequestId') };

const answerHeaders = {
  ...requestIdHeader,
  'RateLimit-Limit': reference('headers', 'RateLimitLimit'),
  'RateLimit-Remaining': reference('headers', 'RateLimitRemaining'),
  'RateLimit-Reset': reference('headers', 'RateLimitReset'),
};

/** What a status means, with a request that is answered with it, and the problem in the answer. */
type Failure = {
  readonly meaning: string;
  readonly request?: string;
  readonly condition?: string;
  readonly problem: Problem;
};

const observations = '/v1/series/GDP/observations';

const failures: readonly Failure[] = [
  {
    meaning: 'A parameter is unknown, repeated, missing or invalid, or the request has a body.',
    request: `GET ${observations}?as_of=2015-02-30`,
    problem: new Problem('validation-error', "invalid 'as_of' date: use YYYY-MM-DD format", {
      field: 'as_of',
    }),
  },
  {
    meaning: 'The key is missing or invalid.',
    condition: 'without the header X-API-Key',
    problem: new Problem('unauthorized', 'missing X-API-Key header'),
  },
  {
    meaning: 'The plan of the key does not allow it.',
    request: `GET ${observations}?as_of=2015-01-30`,
    condition: 'with a key of the plan free',
    problem: new Problem(
      'plan-upgrade-required',
      "point-in-time queries need the pro plan or higher; this key is on 'free': ask the operator of this service",
    ),
  },
  {
    meaning: 'There is no such series.',
    request: 'GET /v1/series/GDPX/observations',
    problem: new Problem('not-found', "series 'GDPX' not found", {
      instance: '/v1/series/GDPX/observations',
    }),
  },
  {
    meaning: 'The client takes none of the formats.',
    condition: 'with `Accept: image/png`',
    problem: new Problem('not-acceptable', notAcceptable),
  },
  {
    meaning: 'A quota of the key is used up.',
    condition: 'for the 31st time in a minute, with a key of the plan free',
    problem: new Problem('rate-limit-exceeded', 'rate limit of 30 requests per minute exceeded'),
  },
  {
    meaning: 'The service failed.',
    condition: 'when the data cannot be read',
    problem: new Problem('internal-error', 'an internal error occurred'),
  },
];

const otherFailure: Failure = {
  meaning: 'Any other failure.',
  request: `POST ${observations}`,
  problem: new Problem('method-not-allowed', 'this service is read-only: use GET or HEAD'),
};

function failureAnswer({ meaning, request = `GET ${observations}`, condition, problem }: Failure): Schema {
  return {
    description: `${meaning} ${exampleOf(request, condition)}`,
    content: problemContent(problem.with({ instance: problem.instance ?? observations })),
  };
}

function exampleOf(request: string, condition?: string): string {
  return `Example: \`${request}\`${condition === undefined ? '' : ` ${condition}`}.`;
}

function problemResponse(failure: Failure): readonly [name: string, response: Schema] {
  const { status } = failure.problem;
  const headers = {
    ...(status === 401 ? requestIdHeader : answerHeaders),
    ...(status === 429 && { 'Retry-After': reference('headers', 'RetryAfter') }),
  };
  return [`Problem${status}`, { ...failureAnswer(failure), headers }];
}

const problemResponses: Schema = {
  ...Object.fromEntries(failures.map(problemResponse)),
  Problem: { ...failureAnswer(otherFailure), headers: requestIdHeader },
};

/**
 * The parameter of every question that names the format of the answer. The answers list only JSON, so that a typed
 * client has the types of the rows, without a union with text.
 */
const formatParameter: Schema = {
  name: 'format',
  in: 'query',
  required: false,
  description: `The format of the answer, where the client cannot set Accept (${Object.values(answerFormats).join(', ')}). All but json have no pages: without \`limit\` the answer is whole, and the connection is cut if the rest of it fails.`,
  schema: { type: 'string', enum: Object.keys(answerFormats), default: 'json' },
};

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
      ...Object.fromEntries(Object.entries(openPaths).map(([path, open]) => [path, openItem(open)])),
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
      responses: problemResponses,
      schemas: schemasOf(endpoints),
    },
  };
}

function pathItem(endpoint: Endpoint): Schema {
  const { name, heading, summary, params, example } = endpoint;
  return {
    parameters: [reference('parameters', 'Format')],
    get: {
      operationId: name,
      tags: [heading],
      summary,
      description: describedWithExample(endpoint),
      parameters: Object.entries(params).map(([name, param]) =>
        parameter(name, param, typed(param, example.params[name])),
      ),
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
      headers: { ...answerHeaders, ETag: reference('headers', 'ETag'), Link: reference('headers', 'Link') },
      content: answerContent(endpoint),
    },
    304: { description: 'The answer is the one that If-None-Match names.', headers: answerHeaders },
    ...Object.fromEntries(problems.map((status) => [status, reference('responses', `Problem${status}`)])),
    default: reference('responses', 'Problem'),
  };
}

function parameter(name: string, param: Param, example: unknown): Schema {
  const { in: place, required, description, schema } = param;
  const mayBeList = schema.type === 'array' || schema.anyOf !== undefined;
  return {
    ...{ name, in: place, required, description },
    // A list is separated by commas.
    ...(mayBeList && { style: 'form', explode: false }),
    schema: { ...schema, ...(example !== undefined && { examples: [example] }) },
    ...(example !== undefined && { example }),
  };
}

function typed({ schema: { type } }: Param, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  if (type === 'array') return text.split(',');
  return type === 'integer' ? Number(text) : text;
}

function describedWithExample({ path, description, example }: Endpoint): string {
  const given = Object.entries(example.params).map(
    ([name, text]) => [name, encodeURIComponent(text).replaceAll('%2C', ',')] as const,
  );
  const filled = given.reduce((whole, [name, text]) => whole.replace(`{${name}}`, text), path);
  const query = given.flatMap(([name, text]) => (path.includes(`{${name}}`) ? [] : [`${name}=${text}`]));
  const address = query.length === 0 ? filled : `${filled}?${query.join('&')}`;
  return `${saidIn(codeVoice, description)}\n\n${exampleOf(`GET ${address}`)}`;
}

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

type OpenPath = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Schema[];
  readonly responses: Schema;
};

/** What is answered without a key. */
const openPaths: Readonly<Record<string, OpenPath>> = {
  '/healthz': {
    operationId: 'healthz',
    summary: 'Whether the process answers',
    description: 'Answers as soon as the process does, whether or not its store works.',
    responses: {
      200: json(
        'The process answers.',
        { type: 'object', required: ['status'], properties: { status: { const: 'ok' } } },
        { status: 'ok' },
      ),
    },
  },
  '/readyz': {
    operationId: 'readyz',
    summary: 'Whether the service can answer requests',
    description: 'Checks what the service needs. It is not ready while it shuts down.',
    responses: {
      200: json(
        'The service can answer requests.',
        {
          type: 'object',
          required: ['status', 'checks'],
          properties: {
            status: { const: 'ok' },
            checks: reference('schemas', 'Checks'),
            followed: followedSchema,
          },
        },
        { status: 'ok', checks: { store: 'healthy', access: 'healthy' } },
      ),
      503: {
        description: 'The service cannot answer requests or is shutting down; the failing check is named.',
        content: problemContent(
          new Problem('service-unavailable', 'store is unhealthy', { instance: '/readyz' }),
          { checks: { store: 'unhealthy', access: 'healthy' } },
        ),
      },
    },
  },
  '/v1/openapi.json': {
    operationId: 'openapi',
    summary: 'This description',
    description: 'Made from the table of operations that answers the requests.',
    responses: { 200: json('The description.', { type: 'object' }, { openapi: '3.1.0' }) },
  },
  '/errors/{suffix}': {
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
      404: reference('responses', 'Problem404'),
    },
  },
};

function json(description: string, schema: Schema, example: Schema): Schema {
  return { description, content: { 'application/json': { schema, example } } };
}

function openItem({ operationId, responses, ...described }: OpenPath): Schema {
  const tags = ['Service' satisfies keyof typeof operationHeadings];
  const failures = {
    400: reference('responses', 'Problem400'),
    default: reference('responses', 'Problem'),
  };
  return { get: { operationId, tags, security: [], ...described, responses: { ...responses, ...failures } } };
}
