import pg from 'pg';
import { Problem } from '../../errors/problem.ts';

/** Why the server refuses, in plain words, by its code (or the first two letters of it). */
const refusals: Readonly<Record<string, string>> = {
  '28P01': 'the password is wrong',
  '28000': 'the server refuses this user',
  '3D000': 'there is no such database',
  '42501': 'this user may not do that',
  '25006': 'the server is read-only',
  '53100': 'the disk of the server is full',
  '53200': 'the server is out of memory',
  '58': 'the server reports an error of its disk',
  XX: 'the server reports that data are damaged',
  '40P01': 'another import is writing to it; try again when it is done',
  '40001': 'another import is writing to it; try again when it is done',
};

/** Codes of a server that is away for a while: it stops, starts, or has no connection left. */
const away = /^(?:08|57P0|53300|57014$)/;

/** Codes of Node for a server that does not answer. */
const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ETIMEDOUT: 'the server does not answer',
  EHOSTUNREACH: 'there is no way to the server',
  ENETUNREACH: 'there is no way to the server',
  ENOENT: 'there is no such socket',
  EACCES: 'permission denied',
};

/** Turns an error of the server or of the connection into a Problem that names the store; any other error stays as it is. */
export function asProblem(shown: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  const { code } = error as { code?: unknown };
  if (error instanceof pg.DatabaseError && typeof code === 'string') {
    if (away.test(code)) return unreachableProblem(shown, error.message, error);
    const reason = refusals[code] ?? refusals[code.slice(0, 2)];
    // Any other code is a mistake in our own SQL, which stays as it is.
    if (reason === undefined) return error;
    return new Problem('local-io', `cannot use the store ${shown}: ${reason} (${error.message})`, {
      cause: error,
    });
  }
  if (typeof code === 'string' && unreachable[code] !== undefined)
    return unreachableProblem(shown, unreachable[code], error);
  if (error instanceof AggregateError) return asProblem(shown, error.errors[0]);
  if (
    /^(?:Connection terminated|timeout exceeded|Client has encountered|Client was closed)/.test(error.message)
  )
    return unreachableProblem(shown, 'the connection was closed or does not come about', error);
  if (
    /SSL|certificate|SASL|SCRAM|self-signed|password/i.test(error.message) ||
    code?.toString().includes('CERT')
  )
    return new Problem('local-io', `cannot use the store ${shown}: ${error.message}`, {
      cause: error,
      hints: hintsAtCertificate(String(code)),
    });
  return error;
}

/** What to do about a certificate that is not trusted, or that is of another name. */
function hintsAtCertificate(code: string): readonly string[] {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return ['name the host as its certificate does; sslmode=verify-ca checks the authority and not the name'];
  return /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(code)
    ? ['sslrootcert=FILE in the address, or PGSSLROOTCERT, names the certificate of the authority']
    : [];
}

function unreachableProblem(shown: string, reason: string, cause: Error): Problem {
  return new Problem('unreachable', `cannot reach the store ${shown}: ${reason}`, {
    retryAfter: 1,
    cause,
  });
}
