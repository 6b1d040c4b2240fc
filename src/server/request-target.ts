import { Problem } from '../errors/problem.ts';
import type { ParamTexts } from '../operations/param.ts';

/** The most characters that the path and query of a request may have. */
export const longestTarget = 8192;

type RequestTarget = { readonly path: string; readonly query: string };

/** Characters that a URL parser leaves as they are. */
const plain = /^\/[!$&-;=?-[\]_a-z~]*$/;
const dotSegment = /\/\.\.?(?:[/?]|$)/;

/**
 * Reads the target of a request line, and what a URL parser makes of one with steps up or with characters that no URL
 * has; undefined if the target or the host is none.
 */
export function targetOf(text: string, host: string | undefined): RequestTarget | undefined {
  const isAbsolute = /^https?:\/\//.test(text);
  const [path = ''] = text.split('?', 1);
  if (path.includes('\\') || (!isAbsolute && (!path.startsWith('/') || !isHost(host)))) return undefined;
  if (!isAbsolute && plain.test(text) && !dotSegment.test(text))
    return { path, query: text.slice(path.length + 1) };
  const whole = isAbsolute ? text : `http://localhost${text}`;
  if (!URL.canParse(whole)) return undefined;
  const { pathname, search } = new URL(whole);
  return { path: pathname, query: search.slice(1) };
}

function isHost(host = ''): boolean {
  if (/^[\w.-]*(?::\d{1,4})?$/.test(host)) return true;
  const url = `http://${host}`;
  return URL.canParse(url) && new URL(url).hostname === host.replace(/:\d*$/, '').toLowerCase();
}

/** Finds what lies at a path: patterns have `{name}` where a path has any one segment. */
export class Paths<T> {
  readonly #fixed = new Map<string, T>();
  readonly #open: { readonly form: RegExp; readonly found: T }[] = [];

  add(pattern: string, found: T): void {
    if (!pattern.includes('{')) this.#fixed.set(pattern, found);
    else this.#open.push({ form: new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`), found });
  }

  find(path: string): T | undefined {
    const shown = path.includes('%') ? path.replace(/(?:%[0-9a-f]{2})+/gi, shownBytes) : path;
    return this.#fixed.get(shown) ?? this.#open.find(({ form }) => form.test(shown))?.found;
  }
}

/** Decodes bytes of a path, but no slash. */
function shownBytes(encoded: string): string {
  try {
    return decodeURI(encoded);
  } catch {
    return encoded;
  }
}

/** The parameters in a path, where its pattern has `{name}`. */
export function pathTexts(pattern: string, path: string): ParamTexts {
  const segments = path.split('/');
  return pattern.split('/').flatMap((part, i) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name === undefined ? [] : [[name, decoded(segments[i] ?? '', name)] as const];
  });
}

/** The parameters of a query, in their order. */
export function queryTexts(query: string): ParamTexts {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const mark = pair.indexOf('=');
      const [name, text] = mark < 0 ? [pair, ''] : [pair.slice(0, mark), pair.slice(mark + 1)];
      const field = decoded(plusAsSpace(name), name);
      return [field, decoded(plusAsSpace(text), field)];
    });
}

function plusAsSpace(text: string): string {
  return text.replaceAll('+', ' ');
}

function decoded(text: string, name: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Problem('validation-error', `invalid '${name}': the percent-encoding is broken`, {
      field: name,
    });
  }
}
