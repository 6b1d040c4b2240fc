import { Problem } from '../errors/problem.ts';
import { type AskFollowed, type Followed, freshnessOf } from '../store/followed.ts';
import type { Exchange } from './exchange.ts';
import { jsonAnswer, respond, respondProblem } from './respond.ts';

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
    'Or more of its requests for tables wait than the service allows; Retry-After is 1 then.',
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

/** Something that the service needs, by name; the check throws when it does not work. */
type Check = readonly [name: string, check: () => unknown];

/** What readiness depends on. */
export type Readiness = {
  readonly checks: readonly Check[];
  readonly stopping: () => boolean;
  /** The items that the store follows at live sources. */
  readonly followed: AskFollowed;
  readonly errorsBase: () => string;
  readonly onFailure: (name: string, cause: unknown) => void;
};

/** How fresh the followed items are; an empty object if the store follows none. */
function freshnessReport(followed: readonly Followed[]): object {
  const { count, upTo, lastRun, unfinished } = freshnessOf(followed);
  if (count === 0) return {};
  return { followed: { count, up_to: upTo ?? null, last_run: lastRun ?? null, unfinished } };
}

/** The answer to `/readyz`: 503 with the failing checks named, or while the service shuts down. */
export async function readiness(exchange: Exchange, options: Readiness): Promise<Response> {
  const { checks, stopping, followed, errorsBase, onFailure } = options;
  const found = await Promise.all(
    checks.map(async ([name, check]) => {
      try {
        await check();
        return [name, 'healthy'] as const;
      } catch (error) {
        onFailure(name, error);
        return [name, 'unhealthy'] as const;
      }
    }),
  );
  const failing = found.flatMap(([name, health]) => (health === 'healthy' ? [] : [name]));
  const reasons = [
    ...(stopping() ? ['the service is shutting down'] : []),
    ...failing.map((name) => `${name} is unhealthy`),
  ];
  const report = { checks: Object.fromEntries(found) };
  if (reasons.length === 0)
    return respond(exchange, jsonAnswer({ status: 'ok', ...report, ...freshnessReport(await followed()) }));
  const problem = new Problem('service-unavailable', reasons.join('; '));
  return respondProblem(exchange, problem, errorsBase(), report);
}
