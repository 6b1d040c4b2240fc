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

/** The content of a problem. */
export const problemContent = { 'application/problem+json': { schema: reference('schemas', 'Problem') } };

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
  ['The client takes none of the formats.', new Problem('not-acceptable', notAcceptable)],
  [
    'A quota of the key is used up.',
    new Problem('rate-limit-exceeded', 'rate limit of 30 requests per minute exceeded'),
  ],
  ['The service failed.', new Problem('internal-error', 'an internal error occurred')],
];

/** The answers to requests that fail, by their statuses. */
export const problemResponses: Schema = {
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

/**
 * The parameter of every question that names the format of the answer. The answers list JSON alone, so that the types of a
 * client are those of its rows, without a union with a text.
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
