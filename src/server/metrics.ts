import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { overdueAfter } from '../domain/calendar/due.ts';
import { type Day, dayNumber, utcDay } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Service } from '../service/service.ts';
import { freshnessOf } from '../store/store.ts';
import { isSameSecret } from './keys/gate.ts';
import { type Answering, type Exchange, respond, type WireReply, type WireRequest } from './respond.ts';
import type { Services } from './tables/service-lease.ts';

/** Who may read metrics: by a separate port, a key, or both. */
export type MetricsAccess = { readonly port?: number; readonly key?: string };

type DataStatus = Awaited<ReturnType<Service['status']>>;

type MetricsSource = MetricsAccess & { readonly services: Services; readonly clock: () => Date };

/** In seconds, from cached answers to large tables. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts requests, and shows metrics in the format of Prometheus. */
export class Metrics {
  readonly pages: ReadonlyMap<string, Answering> = new Map([
    ['/metrics', (exchange) => this.#page(exchange)],
  ]);
  readonly #source: MetricsSource;
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: 'asof_http_requests_total',
    help: 'Requests that were answered, by endpoint and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [this.#registry],
  });
  readonly #durations = new Histogram({
    name: 'asof_http_request_duration_seconds',
    help: 'Time up to the first byte of an answer, by endpoint and status.',
    labelNames: ['route', 'status'],
    buckets,
    registers: [this.#registry],
  });
  readonly #refusals = new Counter({
    name: 'asof_quota_refusals_total',
    help: 'Requests that were refused because a quota was used up, by its window, or for concurrency.',
    labelNames: ['window'],
    registers: [this.#registry],
  });
  readonly #cache = new Counter({
    name: 'asof_response_cache_requests_total',
    help: 'Requests that the cache of answers had (hit) or did not have (miss).',
    labelNames: ['result'],
    registers: [this.#registry],
  });
  #known: { readonly state: string; readonly status: DataStatus } | undefined;

  constructor(source: MetricsSource) {
    this.#source = source;
    this.#addData();
    // CPU, memory, garbage collection and the lag of the event loop.
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Counts an answered request with its time in milliseconds. */
  count(exchange: Exchange, status: number, ms: number): void {
    const { request, route = 'none', admission, isCached } = exchange;
    this.#requests.inc({ method: request.method, route, status });
    this.#durations.observe({ route, status }, ms / 1000);
    if (isCached !== undefined) this.#cache.inc({ result: isCached ? 'hit' : 'miss' });
    if (admission?.refusedBy !== undefined) this.#refusals.inc({ window: admission.refusedBy });
  }

  #addData(): void {
    const { clock, services } = this.#source;
    const age = (day: Day) => dayNumber(utcDay(clock())) - dayNumber(day);
    const freshness = async () => freshnessOf(await services.use((service) => service.followed()));
    const add = (
      name: string,
      help: string,
      read: (gauge: Gauge) => Promise<void>,
      ...labelNames: string[]
    ) => {
      const gauge: Gauge = new Gauge({
        ...{ name, help, labelNames, registers: [this.#registry] },
        async collect() {
          gauge.reset();
          await read(gauge);
        },
      });
    };
    add('asof_store_revision', 'Grows with every import that changes the store.', async (gauge) =>
      gauge.set((await this.#status()).revision),
    );
    add(
      'asof_coverage_age_days',
      'Days since the last day that the data cover: the newest series, each kind of curve, filings.',
      async (gauge) => {
        for (const [subject, day] of Object.entries((await this.#status()).coveredTo))
          if (day !== undefined) gauge.set({ subject }, age(day));
      },
      'subject',
    );
    add(
      'asof_followed_age_days',
      'Days since the last day up to which all followed items are pulled.',
      async (gauge) => {
        const { upTo } = await freshness();
        if (upTo !== undefined) gauge.set(age(upTo));
      },
    );
    add(
      'asof_followed_overdue',
      `Followed series without a vintage since a release more than ${overdueAfter} hours ago.`,
      async (gauge) => {
        const overdue = await services.use((service) => service.overdue());
        gauge.set(overdue.reduce((sum, { items }) => sum + items, 0));
      },
    );
    add('asof_followed_unfinished', 'What the last pull left undone.', async (gauge) =>
      gauge.set((await freshness()).unfinished),
    );
  }

  async #status(): Promise<DataStatus> {
    return this.#source.services.use(async (service) => {
      const state = await service.state();
      if (this.#known?.state !== state) this.#known = { state, status: await service.status() };
      return this.#known.status;
    });
  }

  async #page(exchange: Exchange): Promise<WireReply> {
    this.#admit(exchange.request);
    const body = [await this.#registry.metrics()];
    const headers = { 'Cache-Control': 'no-store' };
    return respond(exchange, { status: 200, type: this.#registry.contentType, body, headers });
  }

  #admit({ header }: WireRequest): void {
    const { key } = this.#source;
    if (key === undefined) return;
    const bearer = /^Bearer +(\S+)$/i.exec(header('authorization') ?? '')?.[1];
    const given = bearer ?? header('x-api-key') ?? '';
    if (isSameSecret(given, key)) return;
    throw new Problem(
      'unauthorized',
      'the key of the metrics is missing or wrong: send it as Authorization: Bearer, or in X-API-Key',
    );
  }
}
