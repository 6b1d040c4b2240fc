import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { onTestFinished } from 'vitest';
import { Problem } from '../../src/errors/problem.ts';
import type { Envelope } from '../../src/operations/envelope.ts';
import type { Operation, Principal } from '../../src/operations/operation.ts';
import type { ParamTexts } from '../../src/operations/param.ts';
import { createHandler } from '../../src/server/handler.ts';
import { Gate, newKey } from '../../src/server/keys/gate.ts';
import { parsePlans } from '../../src/server/keys/plans.ts';
import { bytesOf, createLog, isWhole } from '../../src/server/respond.ts';
import { targetOf } from '../../src/server/server.ts';
import { type OpenService, Services, serviceOf } from '../../src/server/tables/service-lease.ts';
import { createService, owner, type Service, type ServiceOptions } from '../../src/service/service.ts';
import { openAccess, openStore } from '../../src/store/open.ts';
import { newQuarterlyStore } from './example-stores.ts';
import { scratchFolder } from './folders.ts';
import { countedStore, withStore } from './scratch-store.ts';
import { textsOf } from './service-double.ts';

/** The plans of the tests: one with high limits, one without vintages, one with three requests a minute. */
const plans = parsePlans(
  JSON.stringify(
    [
      ['pro', 1_000_000, true],
      ['free', 1_000_000, false],
      ['three', 3, true],
    ].map(([name, rate, vintage]) => ({
      name,
      monthly_limit: 1_000_000,
      daily_limit: 1_000_000,
      rate_per_minute: rate,
      vintage_access: vintage,
    })),
  ),
  'plans.json',
);

/** A service in this process, without a port. */
export type HttpService = {
  readonly path: string;
  /** Keys of each plan. */
  readonly keys: Readonly<Record<'pro' | 'free' | 'three', string>>;
  readonly clock: { now: Date };
  readonly log: () => string;
  /** The number of queries to the store, without those for its state. */
  readonly queries: () => number;
  readonly stop: { now: boolean };
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
  /** Asks with the key of the plan pro. */
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Response>;
  readonly replace: (next: OpenService) => void;
  readonly close: () => Promise<void>;
};

/** What differs from the usual service. */
type HttpServiceOptions = {
  readonly service?: (service: Service) => Service;
  readonly corsOrigins?: readonly string[];
  /** Whether it shows the explorer. */
  readonly explorer?: boolean;
  /** Makes its store. Default: `newQuarterlyStore`. */
  readonly newStore?: () => Promise<string>;
};

/** A service over a new store and three new keys. */
export async function newHttpService({
  service = (made) => made,
  corsOrigins = [],
  explorer = false,
  newStore = newQuarterlyStore,
}: HttpServiceOptions = {}): Promise<HttpService> {
  const path = await newStore();
  const accessPath = join(scratchFolder(), 'access.db');
  const access = await openAccess(accessPath, { counting: true });
  const clock = { now: new Date('2026-01-15T12:00:00Z') };
  const keys = { pro: '', free: '', three: '' };
  for (const plan of ['pro', 'free', 'three'] as const) {
    const { secret, stored } = newKey({ name: plan, plan, now: clock.now });
    await access.addKey(stored);
    keys[plan] = secret;
  }
  const gate = await Gate.open(access, plans);
  let queries = 0;
  const store = countedStore(await openStore(path), () => {
    queries += 1;
  });
  const made = createService({
    store,
    clock: () => clock.now,
  });
  const services = new Services(serviceOf({ store }, { service: service(made) }));
  let said = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      said += chunk;
      done();
    },
  });
  const stop = { now: false };
  const handler = createHandler({
    services,
    gate,
    log: createLog(stream),
    publicUrl: 'https://data.example/asof',
    stopping: () => stop.now,
    corsOrigins,
    explorer,
    clock: () => clock.now,
  });
  const ask = async (address: string, init?: RequestInit) => {
    const { url, method, headers: sent, signal } = new Request(`http://localhost${address}`, init);
    const target = targetOf(url);
    if (target === undefined) throw new Error(`${url} is not an address`);
    const header = (name: string) => sent.get(name) ?? undefined;
    const request = { method, ...target, header, signal: () => signal };
    const { status, headers, body = [], sent: ended } = await handler(request);
    ended?.('all');
    if (!isWhole(body)) throw new Error('without a connection, an answer is whole');
    const bytes = Buffer.from(bytesOf(body));
    return new Response(method === 'HEAD' || status === 304 || status === 204 ? null : bytes, {
      status,
      headers,
    });
  };
  return {
    path,
    keys,
    clock,
    log: () => said,
    queries: () => queries,
    stop,
    ask,
    get: (target, headers = {}) => ask(target, { headers: { 'x-api-key': keys.pro, ...headers } }),
    replace: (next) => services.replace(next),
    async close() {
      await services.close();
      await access.close();
    },
  };
}

/** The same until the end of a test, which may change it. */
export async function ownHttpService(options?: HttpServiceOptions): Promise<HttpService> {
  const made = await newHttpService(options);
  onTestFinished(() => made.close());
  return made;
}

/** The members of the JSON bodies of the service; each body has some of them. */
export type Body = {
  readonly object: string;
  readonly request_id: string;
  readonly status: string | number;
  readonly results: readonly Readonly<Record<string, unknown>>[];
  readonly results_count: number;
  readonly has_more: boolean;
  readonly next_cursor?: string;
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly instance: string;
  readonly checks: Readonly<Record<string, string>>;
};

/** The JSON body of a response. */
export async function bodyOf(response: Response | Promise<Response>): Promise<Body> {
  return (await (await response).json()) as Body;
}

/** A plan without vintage access. */
export const free: Principal = {
  plan: 'free',
  monthlyLimit: 10000,
  dailyLimit: 500,
  ratePerMinute: 30,
  vintageAccess: false,
};

/** The time of a request, its plan, and the settings of the service. */
type RequestSetting = Partial<Omit<ServiceOptions, 'store' | 'clock'>> & {
  readonly now?: string;
  readonly principal?: Principal;
};

/** The answer of the service of a store; by default to the owner of the store, at noon of 2026-01-15. */
export function ask(
  path: string,
  operation: Operation,
  texts: ParamTexts | string = [],
  setting: RequestSetting = {},
): Promise<Envelope> {
  const { now = '2026-01-15T12:00:00Z', principal = owner, ...options } = setting;
  return withStore(path, (store) =>
    createService({ store, clock: () => new Date(now), ...options }).answer(
      operation,
      typeof texts === 'string' ? textsOf(texts) : texts,
      principal,
    ),
  );
}

/** The problem with which the service of a store refuses a request. */
export async function problemOf(
  path: string,
  operation: Operation,
  texts: ParamTexts | string,
  setting: RequestSetting = {},
): Promise<Problem> {
  const outcome = await ask(path, operation, texts, setting).catch((error: unknown) => error);
  if (outcome instanceof Problem) return outcome;
  throw new Error(`the service answered ${JSON.stringify(outcome)}`);
}

/** All pages of an answer; `ask` gets the cursor of each but the first. */
export async function everyPage(ask: (cursor: ParamTexts) => Promise<Envelope>): Promise<Envelope[]> {
  const pages: Envelope[] = [];
  for (let cursor: ParamTexts = []; pages.length < 1000; ) {
    const page = await ask(cursor);
    pages.push(page);
    if (page.next_cursor === undefined) break;
    cursor = [['cursor', page.next_cursor]];
  }
  return pages;
}

/** `ask` and `problemOf` for one store. */
export function askedService(path: string) {
  return {
    ask: (operation: Operation, texts: ParamTexts = [], setting: RequestSetting = {}) =>
      ask(path, operation, texts, setting),
    problemOf: (operation: Operation, texts: ParamTexts, setting: RequestSetting = {}) =>
      problemOf(path, operation, texts, setting),
  };
}

/** A JSON object. */
export type Json = { readonly [name: string]: unknown };

/** A parameter of an endpoint as the description has it. */
export type DescribedParameter = {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Json;
};

/** The OpenAPI description of a service, as a judge of its answers: they have only what it describes. */
export class Description {
  readonly document: Json;
  readonly #ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));

  constructor(document: Json) {
    this.document = document;
    this.#ajv.addSchema({ $id: 'asof:api', ...(closed(document) as Json) });
  }

  /** The endpoints. */
  get paths(): readonly string[] {
    return Object.keys(this.document.paths as Json);
  }

  /** What an endpoint takes. */
  parametersOf(path: string): readonly DescribedParameter[] {
    const of = (place: readonly string[]) => (this.at(place) ?? []) as readonly (Json | DescribedParameter)[];
    return [...of(['paths', path, 'parameters']), ...of(['paths', path, 'get', 'parameters'])].map(
      (one) => this.#resolved(one) as DescribedParameter,
    );
  }

  /** The part of the document at these names; undefined if it has none. */
  at(place: readonly string[]): unknown {
    return place.reduce<unknown>((node, name) => (node as Json | undefined)?.[name], this.document);
  }

  /** The points where a response breaks the description of its endpoint; `body` is parsed if it is JSON. */
  faults(path: string, response: Pick<Response, 'headers' | 'status'>, body: unknown): readonly unknown[] {
    const { status, headers } = response;
    const [type = ''] = (headers.get('content-type') ?? '').split(';');
    const responses = ['paths', path, 'get', 'responses'];
    const found = this.at([...responses, String(status)]) === undefined ? 'default' : String(status);
    const stated = this.#place([...responses, found]);
    const wrong = this.#faultsOfHeaders(stated, headers);
    if (status === 304) return wrong;
    const schema = [...stated, 'content', type, 'schema'];
    if (this.at(schema) === undefined) return [...wrong, `${path}: ${status} ${type} is not described`];
    return [...wrong, ...this.faultsAt(schema, body)];
  }

  /** The points where a value breaks the schema at a place of the document. */
  faultsAt(place: readonly string[], value: unknown): readonly unknown[] {
    const validate = this.#ajv.getSchema(`asof:api#/${place.map(escaped).join('/')}`);
    if (validate === undefined) return [`no schema at ${place.join('/')}`];
    return validate(value) ? [] : (validate.errors ?? ['invalid']);
  }

  #faultsOfHeaders(stated: readonly string[], headers: Response['headers']): readonly unknown[] {
    return Object.keys((this.at([...stated, 'headers']) ?? {}) as Json).flatMap(
      (name): readonly unknown[] => {
        const text = headers.get(name);
        if (text === null) return [];
        const place = [...this.#place([...stated, 'headers', name]), 'schema'];
        const isNumber = (this.at(place) as Json).type === 'integer';
        return this.faultsAt(place, isNumber ? Number(text) : text).map((fault) => [name, text, fault]);
      },
    );
  }

  /** A place, or the one that a reference there leads to. */
  #place(place: readonly string[]): readonly string[] {
    const { $ref } = (this.at(place) ?? {}) as { readonly $ref?: string };
    return $ref === undefined ? place : $ref.slice('#/'.length).split('/');
  }

  #resolved(node: unknown): unknown {
    const { $ref } = node as { readonly $ref?: string };
    return $ref === undefined ? node : this.at($ref.slice('#/'.length).split('/'));
  }
}

/** The same schema, which allows no fields in an answer that it does not describe. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [key, closed(value)]);
  const isObject = 'properties' in node && 'type' in node && node.type === 'object';
  return { ...Object.fromEntries(entries), ...(isObject && { additionalProperties: false }) };
}

function escaped(text: string): string {
  return encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
}
