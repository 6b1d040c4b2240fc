import { extname } from 'node:path';
import { Problem } from '../errors/problem.ts';
import { defined } from '../platform/defined.ts';
import { builtFile, builtNames } from '../platform/installation.ts';
import { freshnessOf } from '../store/store.ts';
import { endpoints } from './endpoints.ts';
import type { Gate } from './keys/gate.ts';
import { errorPages, openApi } from './openapi.ts';
import {
  type Answering,
  type Exchange,
  type Log,
  namesTag,
  noEndpoint,
  notModified,
  respond,
  respondProblem,
  tagOf,
  type WireReply,
} from './respond.ts';
import type { Services } from './tables/service-lease.ts';

type OpenPagesOptions = ShownPages & {
  readonly services: Services;
  readonly gate: Pick<Gate, 'check'>;
  readonly log: Log;
  readonly stopping?: () => boolean;
  readonly pages?: ReadonlyMap<string, Answering>;
  /** The service's address for clients. Default: the Host header of each request. */
  readonly publicUrl?: string;
};

/** Returns the pages without a key, by their patterns. */
export function openPages(options: OpenPagesOptions): ReadonlyMap<string, Answering> {
  const { publicUrl = '/' } = options;
  return new Map<string, Answering>([
    ...(options.pages ?? []),
    ['/healthz', (exchange) => respondJson(exchange, { status: 'ok' })],
    ['/readyz', (exchange) => readiness(exchange, options)],
    ['/v1/openapi.json', (exchange) => respondJson(exchange, openApi(endpoints, publicUrl))],
    ['/', homePage],
    ...shownPages(options),
    ['/errors/{suffix}', errorPage],
  ]);
}

function respondJson(exchange: Exchange, content: unknown): ReturnType<Answering> {
  const body = [JSON.stringify(content)];
  const headers = { 'Cache-Control': 'no-store' };
  return respond(exchange, { status: 200, type: 'application/json', body, headers });
}

/** Answers `/` where there is no explorer: as a page to browsers, which ask for HTML, and as text to others. */
function homePage(exchange: Exchange): ReturnType<Answering> {
  const isBrowser = /\btext\/html\b/.test(exchange.request.header('accept') ?? '');
  const headers = {
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': "default-src 'none'; img-src data:",
  };
  const type = isBrowser ? 'text/html' : 'text/plain';
  return respond(exchange, {
    status: 200,
    type: `${type}; charset=utf-8`,
    body: [isBrowser ? homeForBrowsers : homeAsText],
    headers,
  });
}

const about =
  'This service answers questions about economic data as they were known on a day. Programs ask it below v1/, with a key.';

/** What to look at next, as addresses below that of the service. */
const places = [
  ['docs', 'What it answers, with a form for each question'],
  ['v1/openapi.json', 'The description for programs (OpenAPI)'],
  ['readyz', 'Whether it is ready'],
] as const;

const explorerIsOff = 'Its explorer, a page of charts, is off; asof serve --explorer on shows it here.';

const homeAsText = `asof

${about}

${places.map(([address, what]) => `  /${address.padEnd(17)} ${what}`).join('\n')}

${explorerIsOff}
`;

const homeForBrowsers = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>asof</title>
<link rel="icon" href="data:,">
</head>
<body>
<h1>asof</h1>
<p>${about}</p>
<ul>
${places.map(([address, what]) => `<li><a href="${address}">${what}</a></li>`).join('\n')}
</ul>
<p>${explorerIsOff}</p>
</body>
</html>
`;

function errorPage(exchange: Exchange): ReturnType<Answering> {
  const body = errorPages.get(exchange.request.path.slice('/errors/'.length));
  if (body === undefined) throw noEndpoint();
  return respond(exchange, { status: 200, type: 'text/plain; charset=utf-8', body: [body] });
}

/** Answers `/readyz`: 503 with the names of failing checks, or during shutdown. */
async function readiness(
  exchange: Exchange,
  { services, gate, log, stopping = () => false }: OpenPagesOptions,
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
  let answering: number | undefined;
  const readStore = async () => {
    await services.use((service) => service.state());
    answering = await services.use((service) => service.answering());
    if (answering === 0) throw new Error('no node of the store answers');
  };
  const [store, access] = await Promise.all([
    health('store', readStore),
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
  return respondJson(exchange, {
    status: 'ok',
    checks,
    ...defined({ answering }),
    ...(await freshness(services)),
  });
}

async function freshness(services: Services): Promise<object> {
  const { count, upTo, lastRun, unfinished } = freshnessOf(
    await services.use((service) => service.followed()),
  );
  if (count === 0) return {};
  const overdue = await services.use((service) => service.overdue());
  return { followed: { count, up_to: upTo ?? null, last_run: lastRun ?? null, unfinished, overdue } };
}

type ShownPages = {
  readonly explorer?: boolean;
  /** The store named in the explorer's commands, empty for the default store. Default: the service. */
  readonly storeName?: string;
};

/** Returns the pages for people and their files, by path. */
export function shownPages({ explorer = false, storeName }: ShownPages): ReadonlyMap<string, Answering> {
  return new Map([
    ...pageFiles({ folder: 'swagger-ui', page: '/docs', files: '/docs', policy: referencePolicy }),
    ...(explorer
      ? pageFiles({ folder: 'explorer', page: '/', files: '/explorer', policy: explorerPolicy, storeName })
      : []),
  ]);
}

/** swagger-ui styles its elements, and has pictures in its style sheet. */
const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page makes pictures, and saves them through `blob:` addresses. */
const explorerPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const fileTypes: Readonly<Record<string, string>> = { '.css': 'text/css', '.js': 'text/javascript' };

type BuiltPage = {
  readonly folder: 'explorer' | 'swagger-ui';
  readonly page: string;
  readonly files: string;
  readonly policy: string;
  readonly storeName?: string | undefined;
};

function pageFiles(built: BuiltPage): readonly (readonly [path: string, answer: Answering])[] {
  const { folder, page, files } = built;
  const loaded = builtNames(folder).flatMap((name) => {
    const type = fileTypes[extname(name)];
    return type === undefined ? [] : [[`${files}/${name}`, fileAnswer(built, name, type)] as const];
  });
  return [[page, fileAnswer(built, 'page.html', 'text/html')], ...loaded];
}

/** Answers a file, read at the first request; browsers ask each time whether their copy is current. */
function fileAnswer({ folder, policy, storeName }: BuiltPage, name: string, type: string): Answering {
  const made = async () => {
    const content = builtFile(`${folder}/${name}`);
    const isNamed = name === 'page.html' && storeName !== undefined;
    const body = isNamed ? withStoreName(content, storeName) : content;
    const tag = tagOf(body);
    const headers = {
      ETag: `W/"${tag}"`,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
    };
    return { tag, headers, status: 200, type: `${type}; charset=utf-8`, body: [body], coded: new Map() };
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
