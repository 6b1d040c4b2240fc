import { Problem } from '../../errors/problem.ts';
import { integer, seconds } from '../../operations/value.ts';

const day = 86_400;

/** In seconds for one request. */
export const longestWait = 7 * day;

/** The limits of a user's options: seconds for a try, retries, and seconds of waiting for one request. */
export const requestLimits = {
  timeout: seconds('some', day),
  retries: integer(0, 100),
  maxWait: seconds('any', longestWait),
} as const;

/** The parts of a base URL; `prefix` is empty or `/…` without a trailing slash. */
export type BaseUrl = { readonly origin: string; readonly prefix: string; readonly href: string };

/** Parses a base URL; throws a Problem, which never repeats a password, if the text is invalid. */
export function parseBaseUrl(text: string): BaseUrl {
  const typed = text.trim();
  // A user name, a query or a fragment may contain a secret.
  const shown = /[@?#]/.test(text) ? undefined : text;
  const notBase = (reason: string) =>
    new Problem('bad-input', `invalid base URL: ${reason}`, {
      field: 'base_url',
      refusal: { param: 'base_url', reason, value: shown },
      hints: ['such as https://data.example.com'],
    });
  if (!URL.canParse(typed)) throw notBase('it is not a URL');
  const url = new URL(typed);
  if (!/^https?:$/.test(url.protocol)) throw notBase('it does not begin with http:// or https://');
  if (url.username !== '' || url.password !== '') throw notBase('it may not hold a user name or a password');
  if (url.search !== '' || url.hash !== '') throw notBase("it may not have a '?' or a '#'");
  const prefix = url.pathname.replace(/\/+$/, '');
  return { origin: url.origin, prefix, href: url.origin + prefix };
}
