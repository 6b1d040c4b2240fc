import { Problem } from '../errors/problem.ts';
import type { Schema } from '../operations/field.ts';
import { answerFormats, notAcceptable } from './answer-format.ts';
import { problemExample } from './schema.ts';

/** A reference to a part of the description. */
export function reference(kind: 'headers' | 'parameters' | 'responses' | 'schemas', name: string): Schema {
  return { $ref: `#/components/${kind}/${name}` };
}

const count: Schema = { type: 'integer', minimum: 0 };

/** The headers of answers. */
export const headers: Schema = {
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

/** The content of a problem, with an example of it. */
export function problemContent(problem: Problem, instance: string, more: Schema = {}): Schema {
  const example = { ...problemExample(problem, instance), ...more };
  return { 'application/problem+json': { schema: reference('schemas', 'Problem'), example } };
}

/**
 * What a status means, a request that is answered with it, and under which condition, and the problem that it is
 * answered with.
 */
type FailureExample = {
  readonly meaning: string;
  readonly path: string;
  readonly query?: string;
  readonly condition?: string;
  readonly method?: string;
  readonly problem: Problem;
};

const ofGdp = '/v1/series/GDP/observations';

const failures: readonly FailureExample[] = [
  {
    meaning: 'A parameter is unknown, repeated, missing or invalid, or the request has a body.',
    path: ofGdp,
    query: '?as_of=2015-02-30',
    problem: new Problem('validation-error', "invalid 'as_of' date: use YYYY-MM-DD format", {
      field: 'as_of',
    }),
  },
  {
    meaning: 'The key is missing or invalid.',
    path: ofGdp,
    condition: 'without the header X-API-Key',
    problem: new Problem('unauthorized', 'missing X-API-Key header'),
  },
  {
    meaning: 'The plan of the key does not allow it.',
    path: ofGdp,
    query: '?as_of=2015-01-30',
    condition: 'with a key of the plan free',
    problem: new Problem(
      'plan-upgrade-required',
      "point-in-time queries need the pro plan or higher; this key is on 'free': ask the operator of this service",
    ),
  },
  {
    meaning: 'There is no such series.',
    path: '/v1/series/GDPX/observations',
    problem: new Problem('not-found', "series 'GDPX' not found"),
  },
  {
    meaning: 'The client takes none of the formats.',
    path: ofGdp,
    condition: 'with `Accept: image/png`',
    problem: new Problem('not-acceptable', notAcceptable),
  },
  {
    meaning: 'A quota of the key is used up.',
    path: ofGdp,
    condition: 'for the 31st time in a minute, with a key of the plan free',
    problem: new Problem('rate-limit-exceeded', 'rate limit of 30 requests per minute exceeded'),
  },
  {
    meaning: 'The service failed.',
    path: ofGdp,
    condition: 'when the data cannot be read',
    problem: new Problem('internal-error', 'an internal error occurred'),
  },
];

const otherFailure: FailureExample = {
  meaning: 'Any other failure.',
  path: ofGdp,
  method: 'POST',
  problem: new Problem('method-not-allowed', 'this service is read-only: use GET or HEAD'),
};

/** A request as an example in a description. */
export function exampleOf(request: string, condition?: string): string {
  return `Example: \`${request}\`${condition === undefined ? '' : ` ${condition}`}.`;
}

function failureAnswer({ meaning, path, query = '', condition, method = 'GET', problem }: FailureExample) {
  return {
    description: `${meaning} ${exampleOf(`${method} ${path}${query}`, condition)}`,
    content: problemContent(problem, path),
  };
}

/** The answers to requests that fail, by their statuses. */
export const problemResponses: Schema = {
  ...Object.fromEntries(
    failures.map((failure) => [
      `Problem${failure.problem.status}`,
      {
        ...failureAnswer(failure),
        headers: {
          ...(failure.problem.status === 401 ? requestIdHeader : answerHeaders),
          ...(failure.problem.status === 429 && { 'Retry-After': reference('headers', 'RetryAfter') }),
        },
      },
    ]),
  ),
  Problem: { ...failureAnswer(otherFailure), headers: requestIdHeader },
};

/**
 * The parameter of every question that names the format of the answer. The answers list JSON alone, so that the types
 * of a client are those of its rows, without a union with a text.
 */
export const formatParameter: Schema = {
  name: 'format',
  in: 'query',
  required: false,
  description: `The format of the answer, where the client cannot set Accept (${Object.values(answerFormats).join(', ')}). All but json have no pages: without \`limit\` the answer is whole, and the connection is cut if the rest of it fails.`,
  schema: { type: 'string', enum: Object.keys(answerFormats), default: 'json' },
};

/** The answers to an operation or a question whose envelope has a schema. */
export function responsesOf(
  schema: string,
  example: Schema,
  { gated, ofSeries }: { readonly gated: boolean; readonly ofSeries: boolean },
): Schema {
  const problems = [
    '400',
    '401',
    ...(gated ? ['403'] : []),
    ...(ofSeries ? ['404'] : []),
    '406',
    '429',
    '500',
  ];
  return {
    200: {
      description: 'The answer.',
      headers: { ...answerHeaders, ETag: reference('headers', 'ETag'), Link: reference('headers', 'Link') },
      content: {
        'application/json': { schema: reference('schemas', schema), example },
      },
    },
    304: { description: 'The answer is the one that If-None-Match names.', headers: answerHeaders },
    ...Object.fromEntries(problems.map((status) => [status, reference('responses', `Problem${status}`)])),
    default: reference('responses', 'Problem'),
  };
}
