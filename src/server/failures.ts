import { Problem } from '../errors/problem.ts';
import { notAcceptable } from './endpoints.ts';

type Failure = {
  /** Default: `Problem` and the status. */
  readonly name?: string;
  readonly description: string;
  readonly problem: Problem;
  readonly page?: readonly string[];
};

const instance = '/v1/series/GDP/observations';

/** The failures of requests. */
export const failures: readonly Failure[] = [
  {
    description: `A parameter is unknown, repeated, missing or invalid, or the request has a body. Example: \`GET ${instance}?as_of=2015-02-30\`.`,
    problem: new Problem('validation-error', "invalid 'as_of' date: use YYYY-MM-DD format", {
      field: 'as_of',
      instance,
    }),
    page: [
      'A parameter of the request is unknown, repeated or missing, or its value is not valid.',
      'The problem names it in "field" and says in "detail" what was expected.',
      'Dates are YYYY-MM-DD. /v1/openapi.json describes every parameter.',
    ],
  },
  {
    description: `The key is missing or invalid. Example: \`GET ${instance}\` without the header X-API-Key.`,
    problem: new Problem('unauthorized', 'missing X-API-Key header', { instance }),
    page: [
      'The request has no API key, or one that is unknown or revoked.',
      'Send the key in the header X-API-Key; the header Authorization is not read.',
      'The operator of this service gives out keys.',
    ],
  },
  {
    description: `The plan of the key does not allow it. Example: \`GET ${instance}?as_of=2015-01-30\` with a key of the plan free.`,
    problem: new Problem(
      'plan-upgrade-required',
      "point-in-time queries need the pro plan or higher; this key is on 'free': ask the operator of this service",
      { instance },
    ),
    page: [
      'The request needs a plan with vintage access: as_of, release and the history of values do.',
      'GET /v1/ping shows the plan of a key; "detail" says how to upgrade.',
    ],
  },
  {
    description: 'There is no such series. Example: `GET /v1/series/GDPX/observations`.',
    problem: new Problem('not-found', "series 'GDPX' not found", {
      instance: '/v1/series/GDPX/observations',
    }),
    page: [
      'There is no such series, or no such endpoint; "detail" says which.',
      'Series ids are upper case; GET /v1/series?q=... finds them.',
    ],
  },
  {
    description: `The client takes none of the formats. Example: \`GET ${instance}\` with \`Accept: image/png\`.`,
    problem: new Problem('not-acceptable', notAcceptable, { instance }),
  },
  {
    description: `A quota of the key is used up. Example: \`GET ${instance}\` for the 31st time in a minute, with a key of the plan free.`,
    problem: new Problem('rate-limit-exceeded', 'rate limit of 30 requests per minute exceeded', {
      instance,
    }),
    page: [
      'The key has used up the requests of this minute, this day or this month (UTC).',
      'Or more of its requests for tables wait than the service allows; Retry-After is 1 then.',
      'Retry-After gives the seconds until that window ends. Refused requests do not count.',
    ],
  },
  {
    description: `The service failed. Example: \`GET ${instance}\` when the data cannot be read.`,
    problem: new Problem('internal-error', 'an internal error occurred', { instance }),
    page: [
      'The service failed. The request may be valid.',
      'Try again later, or report the request_id to the operator, whose log holds the cause.',
    ],
  },
  {
    name: 'Problem',
    description: `Any other failure. Example: \`POST ${instance}\`.`,
    problem: new Problem('method-not-allowed', 'this service is read-only: use GET or HEAD', { instance }),
  },
];

/** The page of each error type as plain text, by the last segment of `type`. */
export const errorPages: ReadonlyMap<string, string> = new Map(
  failures.flatMap(({ problem, page }) => {
    if (page === undefined) return [];
    const { title } = problem.toDocument('');
    return [[problem.kind, `${title} (${problem.status})\n\n${page.join('\n')}\n`]];
  }),
);
