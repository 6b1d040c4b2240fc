import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../errors/problem.ts';
import { builtPath } from '../platform/installation.ts';
import { type AskFollowed, type Followed, freshnessOf } from '../store/followed.ts';
import type { Exchange, WireReply } from './exchange.ts';
import { fileAnswer, type HttpAnswer, jsonAnswer, respond, respondProblem } from './respond.ts';

const errorTexts: Readonly<Record<string, readonly [title: string, ...lines: string[]]>> = {
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

/** The page of each error type as plain text, by the last segment of a problem's `type`. */
export const errorPages: ReadonlyMap<string, string> = new Map(
  Object.entries(errorTexts).map(([suffix, [title, ...lines]]) => [
    suffix,
    `${title}\n\n${lines.join('\n')}\n`,
  ]),
);

type FileAnswer = (exchange: Exchange) => Promise<WireReply>;

/** Returns the pages for people and their files, by their paths: the reference, and the explorer where it is shown. */
export function pages(explorer?: { readonly store?: string }): ReadonlyMap<string, FileAnswer> {
  return new Map([...referencePage(), ...(explorer === undefined ? [] : explorerFiles(explorer.store))]);
}

type Check = readonly [name: string, check: () => unknown];

type Readiness = {
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
export async function readiness(exchange: Exchange, options: Readiness): Promise<WireReply> {
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

/** Everything comes from the service; pictures are made in the page, and saved through `blob:` addresses. */
const explorerPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const types: Readonly<Record<string, string>> = { css: 'text/css', js: 'text/javascript' };

/**
 * The page of the explorer and what it loads, by their paths. The commands that the page shows name this store, where
 * it is empty the usual one; without a store, the service at the address of the page.
 */
function explorerFiles(store?: string): ReadonlyMap<string, FileAnswer> {
  const answer = (name: string, type: string, change = (text: Buffer) => text) => {
    const content = async () => change(await readFile(join(builtPath('explorer'), name)));
    return fileAnswer({ type: `${type}; charset=utf-8`, policy: explorerPolicy, content });
  };
  const withStore = (page: Buffer): Buffer =>
    store === undefined
      ? page
      : Buffer.from(String(page).replace('<html ', () => `<html data-store="${escaped(store)}" `));
  const loaded = readdirSync(builtPath('explorer')).flatMap((name) => {
    const type = types[name.split('.').at(-1) ?? ''];
    return type === undefined ? [] : [[`/explorer/${name}`, answer(name, type)] as const];
  });
  return new Map([['/', answer('page.html', 'text/html', withStore)], ...loaded]);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Addresses are relative, so that the page works below the prefix of a proxy. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>asof: HTTP reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<main id="reference"></main>
<noscript>This page needs JavaScript. <a href="v1/openapi.json">The description of the service</a> does not.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/page.js"></script>
</body>
</html>
`;

/** Nothing is sent to another host, and a key that is typed in is kept until the page is closed. */
const script = `SwaggerUIBundle({
  url: new URL('v1/openapi.json', location.href).href,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** Scripts come only from the service; swagger-ui sets styles of its elements, and has pictures in its style sheet. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The reference page of the service and its files, by their paths; the files of swagger-ui are read on request. */
function referencePage(): ReadonlyMap<string, FileAnswer> {
  return new Map<string, FileAnswer>([
    // The page names its files relative to its own address.
    ['/docs/', (exchange) => respond(exchange, moved('../docs'))],
    ['/docs', pageFile('text/html', async () => Buffer.from(page))],
    ['/docs/page.js', pageFile('text/javascript', async () => Buffer.from(script))],
    ['/docs/swagger-ui.css', pageFile('text/css', () => swaggerFile('swagger-ui.css'))],
    ['/docs/swagger-ui-bundle.js', pageFile('text/javascript', () => swaggerFile('swagger-ui-bundle.js'))],
  ]);
}

function pageFile(type: string, content: () => Promise<Buffer>): FileAnswer {
  return fileAnswer({ type: `${type}; charset=utf-8`, policy, content });
}

function moved(to: string): HttpAnswer {
  return { status: 308, type: 'text/plain; charset=utf-8', body: '', headers: { Location: to } };
}

function swaggerFile(name: string): Promise<Buffer> {
  return readFile(join(builtPath('swagger-ui'), name));
}
