import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filings } from '../support/contract-cases.ts';
import { scratchFolder } from '../support/folders.ts';
import { facts, importFiles, newStorePath } from '../support/scratch-store.ts';
import { type Answer, answersIn } from './http-parser.ts';
import { bytesOf, type Conversation, conversation } from './request.ts';
import { fuzz, fuzzTimeout } from './run.ts';
import { ServiceProcess } from './service-process.ts';

const months = ['2014-01-01', '2014-02-01', '2014-03-01', '2014-04-01', '2014-05-01', '2014-06-01'];

/** The first value of every month, which was revised: only a plan with vintage access may see it. */
const revised = '77777.7';

const vintages = facts(
  ...['GDP', 'UNRATE'].flatMap((id) =>
    months.flatMap((month) => [`${id} ${month} 2015-01-30 ${revised}`, `${id} ${month} 2015-03-01 12345.6`]),
  ),
);

const folder = scratchFolder();
const store = newStorePath(folder);
let service: ServiceProcess;
let cursors: readonly string[];

beforeAll(async () => {
  const curve = 'Date,"1 Mo","2 Yr","10 Yr"\n01/02/2015,0.02,0.7,2.12\n01/14/2015,0.02,0.7,1.86\n';
  await importFiles(store, { 'facts.csv': vintages, 'par.csv': curve, ...filings });
  service = await ServiceProcess.start(folder, store);
  const pages = await Promise.all(
    [
      '/v1/series?limit=1',
      '/v1/series/GDP/observations?limit=1',
      '/v1/series/GDP/observations?limit=1&as_of=2015-01-30',
      '/v1/series/GDP/observations?limit=1&release=first',
      '/v1/series/GDP/vintages?limit=1',
      '/v1/treasury/yields?limit=1',
    ].map((target) => service.get(target)),
  );
  cursors = pages.flatMap(({ next_cursor }) => next_cursor ?? []);
});
afterAll(() => service.stop());

/** Answered after everything else on the connection, which the service then closes. */
const sentinel = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

function keyLines(who: string): readonly string[] {
  if (who === 'pro' || who === 'free') return [`X-API-Key: ${service.keys[who]}`];
  if (who === 'bearer') return [`Authorization: Bearer ${service.keys.pro}`];
  return who === 'stranger' ? [`X-API-Key: asof_live_sk_${'A'.repeat(43)}`] : [];
}

/** The first word of each message: a header that is empty ends a request, and the lines after it are another one. */
function methodsIn(sent: Buffer): readonly string[] {
  const messages = sent.toString('latin1').split(/\r?\n\r?\n/);
  return messages.flatMap((message) => /^\s*(\S+)\s/.exec(message)?.[1] ?? []);
}

async function check(one: Conversation): Promise<void> {
  const requests = bytesOf(one, keyLines(one.who), cursors);
  const all = Buffer.concat([...requests, Buffer.from(sentinel)]);
  const sent = one.cut === undefined ? all : all.subarray(0, Math.floor((one.cut / 1e6) * all.length));
  const { received, ended } = await service.ask(sent, one.piece, one.cut !== undefined);
  service.checkHealth();
  const methods = methodsIn(sent);
  const answers = answersIn(received, methods);
  for (const [i, answer] of answers.entries()) {
    checkAnswer(answer, methods[i]);
    checkPlan(answer, one.who);
    if (i < answers.length - 1) expect(answer.headers.get('connection')).not.toBe('close');
  }
  if (one.cut !== undefined || !ended) return;
  expect(answers.length).toBeGreaterThan(0);
  // A request that breaks HTTP may end the connection without an answer; after others, an answer says that it ends.
  if (one.body === undefined && one.requests.every(isPlain))
    expect(answers.at(-1)?.headers.get('connection')).toBe('close');
}

function isPlain({ method, target, version, headers, host, end }: Conversation['requests'][number]): boolean {
  const known =
    ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].includes(method) && version === 'HTTP/1.1';
  return (
    known && headers.length === 0 && host !== undefined && end === '\r\n' && /^\/[!-~]{0,8000}$/.test(target)
  );
}

const statuses = [200, 304, 400, 401, 403, 404, 405, 406, 408, 413, 414, 417, 431];

function checkAnswer({ status, headers, raw, body }: Answer, method: string | undefined): void {
  expect(statuses).toContain(status);
  expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
  if (method === 'HEAD') return;
  if (status === 304) return;
  // The method of a request that is broken before it ends may be unknown, and the answer to HEAD has no body.
  if (status >= 400 && raw.length === 0) expect(headers.get('connection')).toBe('close');
  if (status >= 400 && raw.length === 0) return;
  expect(headers.get('content-length')).toBe(String(raw.length));
  const type = headers.get('content-type');
  if (status === 200 && type === 'text/plain; charset=utf-8') return;
  expect(type).toBe(status === 200 ? 'application/json' : 'application/problem+json');
  const document = JSON.parse(body);
  if (status !== 200) checkProblem(document, status, headers);
  if (status !== 200 || document.openapi !== undefined || document.results === undefined) return;
  const { results, results_count, has_more, next_cursor, object, request_id } = document;
  expect(document.status).toBe('ok');
  expect(object).toMatch(/^[a-z_]+$/);
  expect(request_id).toBe(headers.get('x-request-id'));
  expect(results_count).toBe(results.length);
  expect(has_more).toBe(next_cursor !== undefined);
  for (const { as_of_date = '' } of results)
    if (document.as_of !== undefined) expect(as_of_date.slice(0, 10) <= document.as_of).toBe(true);
}

function checkProblem(
  { type, title, status, detail, instance, request_id }: Readonly<Record<string, unknown>>,
  expected: number,
  headers: Answer['headers'],
): void {
  expect(type).toMatch(/^(about:blank|(https?:\/\/[^ ]+)?\/errors\/[a-z-]+)$/);
  expect(title).toMatch(/^[A-Z]/);
  expect(status).toBe(expected);
  expect(detail).toMatch(/./);
  expect(instance).toMatch(/^/);
  expect(request_id).toBe(headers.get('x-request-id'));
  if (expected === 405) expect(headers.get('allow')).toBe('GET, HEAD');
}

/** Nothing but the latest values without vintage access, and no rows without a key. */
function checkPlan({ status, body }: Answer, who: string): void {
  // The public description has examples.
  if (who === 'pro' || body.startsWith('{"openapi":')) return;
  expect(body).not.toContain(revised);
  expect(body).not.toContain('"as_of":');
  if (who !== 'free' && status === 200) expect(body).not.toContain('"results":');
}

/** Connections after which the memory of a service no longer grows much. */
const warmUp = 2000;

describe('hostile requests', () => {
  it(
    'are each answered by an envelope or a problem that is valid HTTP, without rows that the plan does not allow, in constant memory',
    async () => {
      let warm = 0;
      let count = 0;
      const clients = fc.array(conversation, { minLength: 1, maxLength: 16 });
      await fuzz('requests', clients, async (all) => {
        // The search for the smallest case goes on with a new service where one has ended.
        if (!service.isRunning) service = await ServiceProcess.start(folder, store);
        await Promise.all(all.map(check));
        count += all.length;
        if (warm === 0 && count >= warmUp) warm = service.memory();
      });
      const end = service.memory();
      console.log(
        `fuzz requests: ${count} connections; memory ${Math.round(warm)} MB after ${warmUp}, ${Math.round(end)} MB at the end`,
      );
      if (warm > 0) expect(end).toBeLessThan(2 * warm + 64);
    },
    fuzzTimeout,
  );
});
