import { Problem } from '../../errors/problem.ts';
import type { Operation } from '../../operations/operation.ts';
import type { ParamTexts } from '../../operations/param.ts';

/** A base URL: its origin, the prefix of its paths (empty, or `/…` without a trailing slash), and both joined. */
export type BaseUrl = { readonly origin: string; readonly prefix: string; readonly href: string };

/** Parses a base URL; throws a Problem, which never repeats a password, if the text is not one. */
export function parseBaseUrl(text: string): BaseUrl {
  const typed = text.trim();
  // A user name, a query or a fragment may hold a secret.
  const shown = /[@?#]/.test(text) ? undefined : text;
  const notBase = (reason: string, hint = 'such as https://data.example.com') =>
    new Problem('bad-input', `invalid base URL: ${reason}`, {
      field: 'base_url',
      refusal: { param: 'base_url', reason, value: shown },
      hints: [hint],
    });
  if (!URL.canParse(typed)) throw notBase('it is not a URL', withScheme(typed));
  const url = new URL(typed);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw notBase('it does not begin with http:// or https://', withScheme(typed));
  if (url.username !== '' || url.password !== '') throw notBase('it may not hold a user name or a password');
  if (url.search !== '' || url.hash !== '') throw notBase("it may not have a '?' or a '#'");
  const prefix = url.pathname.replace(/\/+$/, '');
  return { origin: url.origin, prefix, href: url.origin + prefix };
}

/** Suggests a scheme for a host without one, the most common mistake; undefined for any other text. */
function withScheme(typed: string): string | undefined {
  return /^(localhost|[\w-]+(\.[\w-]+)+)(:\d+)?(\/[\w./-]*)?$/.test(typed)
    ? `did you mean https://${typed}?`
    : undefined;
}

/** An operation's request as a path below the base URL: path parameters in their places, all others as the query. */
export function requestPath({ path, params }: Pick<Operation, 'params' | 'path'>, texts: ParamTexts): string {
  const inPath = new Map<string, string>();
  const query: string[] = [];
  for (const [name, text] of texts) {
    // A repeated path parameter goes into the query, and the service refuses it.
    if (params[name]?.in === 'path' && !inPath.has(name)) inPath.set(name, text);
    else query.push(`${encodeURIComponent(name)}=${encodeURIComponent(text)}`);
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath.get(name) ?? ''));
  for (const name of Object.keys(params).filter((name) => params[name]?.in === 'path'))
    checkSegment(name, inPath.get(name), filled);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

function checkSegment(name: string, text: string | undefined, instance: string): void {
  if (text === undefined)
    throw new Problem('validation-error', `parameter '${name}' is missing`, { field: name, instance });
  // URL parsers resolve `.` and `..`, so the request would reach another endpoint. No series has such an id.
  if (/^\.{0,2}$/.test(text)) throw new Problem('not-found', `series '${text}' not found`, { instance });
}
