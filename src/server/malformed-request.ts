import { METHODS, STATUS_CODES } from 'node:http';
import { Problem } from '../errors/problem.ts';
import type { ParamTexts } from '../operations/param.ts';
import { newRequestId } from '../service/service.ts';

/** A request that Node cannot parse, or that no endpoint takes: the status and the detail of its answer. */
export type MalformedRequest = {
  readonly status: number;
  readonly detail: string;
  readonly path?: string;
  /** Whether the answer has no body: to HEAD, or where the method is not known. */
  readonly bodiless?: boolean;
};

/** A problem document for a malformed request, with the headers that go with it. */
export function malformedAnswer({ status, detail, path = '/' }: MalformedRequest, publicUrl: string) {
  const requestId = newRequestId(new Date());
  const text = JSON.stringify({
    type: status === 400 ? `${publicUrl}/errors/validation-error` : 'about:blank',
    title: status === 400 ? 'Validation Error' : STATUS_CODES[status],
    status,
    detail,
    instance: path,
    request_id: requestId,
  });
  return {
    requestId,
    text,
    headers: {
      'Content-Type': 'application/problem+json',
      'Content-Length': String(Buffer.byteLength(text)),
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      Connection: 'close',
      ...(status === 405 && { Allow: 'GET, HEAD' }),
    },
  };
}

/** The whole HTTP message of that answer, for a socket that has no response object. */
export function malformedMessage(malformed: MalformedRequest, publicUrl: string) {
  const { requestId, text, headers: described } = malformedAnswer(malformed, publicUrl);
  const bodiless = malformed.bodiless === true;
  const headers = bodiless ? { ...described, 'Content-Length': '0' } : described;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const phrase = STATUS_CODES[malformed.status] ?? '';
  return {
    requestId,
    message: `HTTP/1.1 ${malformed.status} ${phrase}\r\n${lines.join('')}\r\n${bodiless ? '' : text}`,
  };
}

/**
 * The malformed request behind an error of Node's parser, on a connection from which `bytesRead` bytes were read;
 * undefined if the client is gone.
 */
export function malformedRequest(error: Error, bytesRead: number): MalformedRequest | undefined {
  const { code = '', rawPacket, bytesParsed } = error as ParserError;
  if (code === 'ECONNRESET' || code === 'EPIPE') return undefined;
  const { length, method, path } = requestLine(rawPacket, bytesParsed);
  // Of a request in several packets the parser shows the last, which does not have the method, or only the end of it.
  const mayBegin = bytesRead === (rawPacket?.length ?? 0) || METHODS.includes(method ?? '');
  const where = {
    ...(path !== undefined && { path }),
    bodiless: mayBeHead(rawPacket) || !mayBegin,
  };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, detail: 'the request did not arrive in time', ...where };
  if (code !== 'HPE_HEADER_OVERFLOW')
    return { status: 400, detail: 'this is not a valid HTTP request', ...where };
  if (length > longestTarget)
    return { status: 414, detail: 'the address of the request is too long', ...where, path: '/' };
  return { status: 431, detail: 'the headers of the request are too long', ...where };
}

/** Whether one of the requests in a packet is a HEAD: the parser does not show which one is broken. */
function mayBeHead(packet: Buffer | undefined): boolean {
  return /^HEAD /m.test(packet?.toString('latin1') ?? '');
}

/** What Node says of the bytes that it cannot parse. */
type ParserError = { readonly code?: string; readonly rawPacket?: Buffer; readonly bytesParsed?: number };

/**
 * The request line of the request in which the parser stopped, which may follow others in its packet; a packet that
 * does not begin with it belongs to the headers.
 */
function requestLine(
  packet: Buffer = Buffer.alloc(0),
  stopped = 0,
): { readonly length: number; readonly method?: string; readonly path?: string } {
  const text = packet.toString('latin1');
  const others = [...text.slice(0, stopped).matchAll(/\n\r?\n/g)].at(-1);
  const start = others === undefined ? 0 : others.index + others[0].length;
  const [line = ''] = text.slice(start).split('\n', 1);
  const [, method, path] = /^([A-Z]+) (\/[^ ?#\r]*)/.exec(line) ?? [];
  return method === undefined || path === undefined ? { length: 0 } : { length: line.length, method, path };
}

/** The most characters that the path and query of a request may have. */
export const longestTarget = 8192;

/** The path and the query of a request, as they were sent. */
export type RequestTarget = { readonly path: string; readonly query: string };

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
