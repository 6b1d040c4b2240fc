import { Problem } from '../../errors/problem.ts';

/** The parts of a base URL; `prefix` is empty or `/…` without a trailing slash. */
export type BaseUrl = { readonly origin: string; readonly prefix: string; readonly href: string };

/** Parses a base URL; throws a Problem, which never repeats a password, if the text is invalid. */
export function parseBaseUrl(text: string): BaseUrl {
  const typed = text.trim();
  // A user name, a query or a fragment may contain a secret.
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
