// Why: docs/decisions/node-http-for-remote-queries.md
/** A GET request; the path goes out exactly as it is given. */
export type HttpRequest = {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** A response; reading its body to the end, or stopping early, frees the connection. */
export type HttpResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Buffer>;
};

/** Sends requests over connections that it keeps open. Sets no time limits: the request's signal has the deadline. */
export interface Transport {
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Closes every connection, including those that are still being made. */
  close(): Promise<void>;
}

/** The proxies to use, as URLs; an empty text is no proxy. */
export type Proxies = { readonly http: string; readonly https: string; readonly no: string };

/** The proxies that an environment names by the usual variables, lower case first. */
export function proxiesOf(env: Readonly<Record<string, string | undefined>>): Proxies {
  const first = (...names: readonly string[]) =>
    names.map((name) => env[name]).find((value) => value !== undefined && value !== '') ?? '';
  return {
    http: first('http_proxy', 'HTTP_PROXY'),
    https: first('https_proxy', 'HTTPS_PROXY'),
    no: first('no_proxy', 'NO_PROXY'),
  };
}
