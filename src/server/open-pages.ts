import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Problem } from '../errors/problem.ts';
import { builtPath } from '../platform/installation.ts';
import { freshnessOf } from '../store/followed.ts';
import type { Exchange, Log, WireReply } from './exchange.ts';
import type { Gate } from './keys/gate.ts';
import { namesTag, notModified, respond, respondJson, respondProblem, tagOf } from './respond.ts';
import type { Services } from './service-lease.ts';

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

/** What tells whether a service is ready. */
export type ReadinessSource = {
  readonly services: Services;
  readonly gate: Pick<Gate, 'check'>;
  readonly log: Log;
  readonly stopping?: () => boolean;
};

/** Answers `/readyz`: 503 with the failing checks named, or while the service shuts down. */
export async function readiness(
  exchange: Exchange,
  { services, gate, log, stopping = () => false }: ReadinessSource,
): Promise<WireReply> {
  const health = async (name: string, check: () => Promise<unknown>) => {
    try {
      await check();
      return 'healthy';
    } catch (err) {
      log.error({ request_id: exchange.requestId, check: name, err });
      return 'unhealthy';
    }
  };
  const [store, access] = await Promise.all([
    health('store', () => services.use((service) => service.state())),
    health('access', () => gate.check()),
  ]);
  const checks = { store, access };
  const failing = Object.entries(checks).filter(([, found]) => found === 'unhealthy');
  const reasons = [
    ...(stopping() ? ['the service is shutting down'] : []),
    ...failing.map(([name]) => `${name} is unhealthy`),
  ];
  if (reasons.length > 0)
    return respondProblem(exchange, new Problem('service-unavailable', reasons.join('; ')), { checks });
  return respondJson(exchange, { status: 'ok', checks, ...(await freshness(services)) });
}

/** How fresh the followed items are; an empty object if the store follows none. */
async function freshness(services: Services): Promise<object> {
  const { count, upTo, lastRun, unfinished } = freshnessOf(
    await services.use((service) => service.followed()),
  );
  if (count === 0) return {};
  return { followed: { count, up_to: upTo ?? null, last_run: lastRun ?? null, unfinished } };
}

type FileAnswer = (exchange: Exchange) => Promise<WireReply>;

/** The pages for people that a service shows. */
export type ShownPages = {
  readonly explorer?: boolean;
  /**
   * The store that the commands on the page of the explorer name, empty for the usual one; without it, they name the
   * service.
   */
  readonly storeName?: string;
};

/** Returns the pages for people and the files that they load, by their paths. */
export function pages({ explorer = false, storeName }: ShownPages): ReadonlyMap<string, FileAnswer> {
  const moved = {
    status: 308,
    type: 'text/plain; charset=utf-8',
    body: '',
    headers: { Location: '../docs' },
  };
  return new Map([
    // The page names its files relative to its own address.
    ['/docs/', (exchange) => respond(exchange, moved)],
    ...pageFiles({ folder: 'swagger-ui', page: '/docs', files: '/docs', policy: referencePolicy }),
    ...(explorer
      ? pageFiles({ folder: 'explorer', page: '/', files: '/explorer', policy: explorerPolicy, storeName })
      : []),
  ]);
}

/** swagger-ui sets styles of its elements, and has pictures in its style sheet. */
const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Pictures are made in the page, and saved through `blob:` addresses. */
const explorerPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const fileTypes: Readonly<Record<string, string>> = { '.css': 'text/css', '.js': 'text/javascript' };

type BuiltPage = {
  /** The folder of the build, with `page.html` and the files that it loads. */
  readonly folder: 'explorer' | 'swagger-ui';
  readonly page: string;
  /** The path below which the service answers the files. */
  readonly files: string;
  readonly policy: string;
  readonly storeName?: string | undefined;
};

/** The answers of a page and its files by their paths. */
function pageFiles(built: BuiltPage): readonly (readonly [path: string, answer: FileAnswer])[] {
  const { folder, page, files } = built;
  const loaded = readdirSync(builtPath(folder)).flatMap((name) => {
    const type = fileTypes[extname(name)];
    return type === undefined ? [] : [[`${files}/${name}`, fileAnswer(built, name, type)] as const];
  });
  return [[page, fileAnswer(built, 'page.html', 'text/html')], ...loaded];
}

/** Answers a file, which is read at the first request; a browser asks each time whether its copy is still current. */
function fileAnswer({ folder, policy, storeName }: BuiltPage, name: string, type: string): FileAnswer {
  const made = async () => {
    const content = await readFile(join(builtPath(folder), name));
    const isNamed = name === 'page.html' && storeName !== undefined;
    const body = isNamed ? withStoreName(content, storeName) : content;
    const tag = tagOf(body);
    const headers = {
      ETag: `W/"${tag}"`,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
    };
    return { tag, headers, status: 200, type: `${type}; charset=utf-8`, body, coded: new Map() };
  };
  let read: ReturnType<typeof made> | undefined;
  return async (exchange) => {
    read ??= made();
    const { tag, ...answer } = await read;
    return namesTag(exchange.request, tag)
      ? notModified(exchange, answer.headers)
      : respond(exchange, answer);
  };
}

function withStoreName(page: Buffer, name: string): Buffer {
  const escaped = name.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return Buffer.from(String(page).replace('<html ', () => `<html data-store="${escaped}" `));
}
