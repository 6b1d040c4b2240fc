import { Problem } from '../../errors/problem.ts';

/** A try that got no reply, and whether another try may succeed. */
export type ConnectionFailure = { readonly problem: Problem; readonly transient: boolean };

/** Why no reply came, in plain words, and whether the reason may be gone a moment later. */
type FailureReason = { readonly words: string; readonly transient: boolean };

/** Reasons by the codes of Node and undici. */
const reasons: Readonly<Record<string, FailureReason>> = {
  ENOTFOUND: { words: 'there is no host of that name', transient: false },
  EAI_AGAIN: { words: 'the host name cannot be looked up at the moment', transient: true },
  ECONNREFUSED: { words: 'connection refused', transient: true },
  ECONNRESET: { words: 'the connection was reset', transient: true },
  EPIPE: { words: 'the connection was closed', transient: true },
  ETIMEDOUT: { words: 'the connection timed out', transient: true },
  EHOSTUNREACH: { words: 'no route to the host', transient: true },
  ENETUNREACH: { words: 'the network is unreachable', transient: true },
  UND_ERR_CONNECT_TIMEOUT: { words: 'no connection could be made in time', transient: true },
  UND_ERR_SOCKET: { words: 'the connection broke off', transient: true },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: { words: 'the answer broke off', transient: true },
  CERT_HAS_EXPIRED: { words: 'TLS: its certificate has expired', transient: false },
  DEPTH_ZERO_SELF_SIGNED_CERT: { words: 'TLS: its certificate is self-signed', transient: false },
  SELF_SIGNED_CERT_IN_CHAIN: { words: 'TLS: its certificate has an unknown issuer', transient: false },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { words: 'TLS: its certificate has an unknown issuer', transient: false },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    words: 'TLS: its certificate has an unknown issuer',
    transient: false,
  },
  ERR_TLS_CERT_ALTNAME_INVALID: { words: 'TLS: its certificate is for another host', transient: false },
};

/**
 * The destination of a failed try: the base URL, and the proxy that the environment names for it, without its
 * password.
 */
export type Destination = { readonly href: string; readonly proxy: string | undefined };

/** The failure for an error of the network. */
export function connectionFailure(error: unknown, destination: Destination): ConnectionFailure {
  const { code, name, message } = firstCause(error);
  const isNotHttp = code.startsWith('HPE_') || name === 'HTTPParserError';
  if (isNotHttp || code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'UND_ERR_PRX_TLS') {
    const hints = destination.href.startsWith('http:') ? ['does the base URL begin with https://?'] : [];
    const detail = `${destination.href} does not answer in HTTP that asof can read`;
    return { problem: new Problem('bad-answer', detail, { hints, cause: error }), transient: false };
  }
  const { words, transient } = reasons[code] ?? otherReason(code, message);
  const hints = [
    ...(words.includes('unknown issuer') || words.includes('self-signed')
      ? ['NODE_EXTRA_CA_CERTS names a file of more certificates to trust']
      : []),
    ...(destination.proxy === undefined
      ? []
      : [`the environment names a proxy, ${destination.proxy} (HTTP_PROXY, HTTPS_PROXY, NO_PROXY)`]),
  ];
  return { problem: unreachable(destination.href, words, hints, error), transient };
}

/** The failure of a try that got no answer within its time limit. */
export function timedOut(destination: Destination, seconds: number): ConnectionFailure {
  return {
    problem: unreachable(destination.href, `no answer within ${seconds} s (--timeout)`),
    transient: true,
  };
}

function unreachable(href: string, words: string, hints: readonly string[] = [], cause?: unknown): Problem {
  return new Problem('unreachable', `cannot reach ${href}: ${words}`, { hints, cause });
}

function otherReason(code: string, message: string): FailureReason {
  if (/^(ERR_SSL|ERR_TLS|EPROTO|CERT_|UNABLE_TO)/.test(code)) {
    const isPlainHttp = /wrong version number|packet length too long/i.test(message);
    return { words: isPlainHttp ? 'TLS: it answers, but not in TLS' : `TLS: ${code}`, transient: false };
  }
  const tunnel = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  if (tunnel !== undefined) return { words: `the proxy refused with status ${tunnel}`, transient: false };
  if (/^Proxy Authentication Required/.test(message))
    return { words: 'the proxy refused with status 407', transient: false };
  return { words: code === '' ? message : code, transient: true };
}

/** The innermost cause of an error; if several addresses were tried, the cause of the first failure. */
function firstCause(error: unknown): Pick<Error, 'name' | 'message'> & { readonly code: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return firstCause(error.errors[0]);
  if (!(error instanceof Error)) return { code: '', name: '', message: String(error) };
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined && error.cause !== undefined) return firstCause(error.cause);
  return { code: typeof code === 'string' ? code : '', name: error.name, message: error.message };
}
