/** The text of the page of each error type. */
const pages: Readonly<Record<string, readonly [title: string, ...lines: string[]]>> = {
  'validation-error': [
    'Validation Error (400)',
    'A parameter of the request is unknown, repeated or missing, or its value is not valid.',
    'The problem names it in "field" and says in "detail" what was expected.',
    'Dates are YYYY-MM-DD. /v1/openapi.json describes every parameter.',
  ],
  unauthorized: [
    'Unauthorized (401)',
    'The request has no API key, or one that is unknown or revoked.',
    'Send the key in the header X-API-Key; the header Authorization is not read.',
    'The operator of this service gives out keys.',
  ],
  'plan-upgrade-required': [
    'Plan Upgrade Required (403)',
    'The request needs a plan with vintage access: as_of, release and the history of values do.',
    'GET /v1/ping shows the plan of a key; "detail" says how to upgrade.',
  ],
  'not-found': [
    'Not Found (404)',
    'There is no such series, or no such endpoint; "detail" says which.',
    'Series ids are upper case; GET /v1/series?q=... finds them.',
  ],
  'rate-limit-exceeded': [
    'Rate Limit Exceeded (429)',
    'The key has used up the requests of this minute, this day or this month (UTC).',
    'Retry-After gives the seconds until that window ends. Refused requests do not count.',
  ],
  'internal-error': [
    'Internal Error (500)',
    'The service failed. The request may be valid.',
    'Try again later, or report the request_id to the operator, whose log holds the cause.',
  ],
};

/** The error types that have a page: the last segments of a problem's `type`. */
export const errorSuffixes: readonly string[] = Object.keys(pages);

/** The page of an error type as plain text, or undefined when there is none. */
export function errorPage(suffix: string): string | undefined {
  if (!Object.hasOwn(pages, suffix)) return undefined;
  const [title = '', ...lines] = pages[suffix] ?? [];
  return `${title}\n\n${lines.join('\n')}\n`;
}
