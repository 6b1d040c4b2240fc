import type { Exchange } from './exchange.ts';

/** The headers that a page of another origin may read, besides those that it always may. */
const exposed =
  'ETag, Link, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id';

/** Seconds for which a browser need not ask again. */
const maxAge = 7200;

/** Which origins' pages may read the answers of the service: those that the operator lists; `*` is every origin. */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** The headers of an answer to a request, which say whether a page may read it. */
  headersFor({ headers }: Request): Readonly<Record<string, string>> {
    const allowed = this.#allowed(headers);
    return {
      Vary: 'Accept, Accept-Encoding, Origin, X-API-Key',
      ...(allowed !== undefined && {
        'Access-Control-Allow-Origin': allowed,
        'Access-Control-Expose-Headers': exposed,
      }),
    };
  }

  /**
   * The answer to a browser that asks whether a page may send a request, without a key; undefined for any other
   * request.
   */
  preflight({ request, requestId }: Exchange): Response | undefined {
    const { method, headers } = request;
    if (method !== 'OPTIONS' || !headers.has('access-control-request-method')) return undefined;
    if (this.#allowed(headers) === undefined) return undefined;
    return new Response(null, {
      status: 204,
      headers: {
        ...this.headersFor(request),
        'Access-Control-Allow-Methods': 'GET, HEAD',
        'Access-Control-Allow-Headers': 'Accept, If-None-Match, X-API-Key',
        'Access-Control-Max-Age': String(maxAge),
        'X-Request-Id': requestId,
      },
    });
  }

  #allowed(headers: Headers): string | undefined {
    const origin = headers.get('origin');
    if (origin === null) return undefined;
    if (this.#origins.has('*')) return '*';
    return this.#origins.has(origin) ? origin : undefined;
  }
}
