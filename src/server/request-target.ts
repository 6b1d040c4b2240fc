import { Problem } from '../errors/problem.ts';
import type { ParamTexts } from '../operations/param.ts';

/** The most characters that the path and query of a request may have. */
export const longestTarget = 8192;

/** The path and the query of a request, as they were sent. */
type RequestTarget = { readonly path: string; readonly query: string };

/** The target of a request's URL. */
export function targetOf(url: string): RequestTarget {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const [target = ''] = (start < 0 ? '/' : url.slice(start)).split('#', 1);
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
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
