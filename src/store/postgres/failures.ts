import pg from 'pg';
import { Problem } from '../../errors/problem.ts';

/** Why the server refuses a request, in plain words, and what to do about it. */
type Refusal = {
  readonly reason: string;
  readonly hints?: readonly string[];
  /** Whether the same may succeed a moment later. */
  readonly passes?: true;
};

/** Refusals by the code of the error, or by its first two characters. */
const refusals: Readonly<Record<string, Refusal>> = {
  '28P01': { reason: 'the password is wrong' },
  '28000': { reason: 'the server refuses this user' },
  '3D000': {
    reason: 'there is no such database',
    hints: ['asof makes schemas and tables, and no databases'],
  },
  '42501': {
    reason: 'this user may not do that',
    hints: ['who asks needs usage on the schema and select on its tables; who imports must own them'],
  },
  '25006': {
    reason: 'the server is read-only, or this user only reads',
    hints: ['a standby answers questions; imports need its primary server'],
  },
  '25P03': {
    reason: 'the server ends transactions that wait as long',
    hints: ['idle_in_transaction_session_timeout of this user or of the server is the longest wait'],
    passes: true,
  },
  '25P04': {
    reason: 'the server ends transactions that take as long',
    hints: ['transaction_timeout of this user or of the server is the longest time'],
    passes: true,
  },
  '53100': { reason: 'the disk of the server is full' },
  '53200': { reason: 'the server is out of memory' },
  '53300': {
    reason: 'the server has no connection left',
    hints: [
      'max_connections of the server, or the limit of the user or the database, is their number',
      'a pooler such as PgBouncer shares a few among many processes',
    ],
    passes: true,
  },
  '53': { reason: 'the server has reached one of its limits' },
  '55P03': { reason: 'another import holds it for longer than lock_timeout', passes: true },
  '57014': {
    reason: 'the server ended a statement',
    hints: ['statement_timeout of this user or of the server is the longest time of a statement'],
    passes: true,
  },
  '58': { reason: 'the server reports an error of its disk' },
  XX: { reason: 'the server reports that data are damaged' },
  '40P01': { reason: 'another import is writing to it; try again when it is done' },
  // asof uses no serializable transactions, so only a standby or Citus ends one with this code.
  '40001': {
    reason: 'the server ended the transaction because of another one; try again',
    hints: [
      'max_standby_streaming_delay of a standby is how long a question may hold up what its primary sends',
    ],
    passes: true,
  },
};

/** Codes of a server that is unavailable for a while, because it stops or starts. */
const away = /^(?:08|57P0)/;

/** Whether a connection is unusable after an error, because it broke or the server ended it. */
export function endsConnection(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  const { code = '' } = error;
  return away.test(code) || code === '25P03' || code === '25P04';
}

/** Node's error codes for a server that does not answer. */
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

/** An error of the server or of the connection as a Problem that names the store; returns any other error as it is. */
export function asProblem(shown: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  const { code } = error as { code?: unknown };
  if (error instanceof pg.DatabaseError && typeof code === 'string') {
    if (away.test(code)) return unreachableProblem(shown, error.message, error);
    const refusal = refusals[code] ?? refusals[code.slice(0, 2)];
    // Any other code means a mistake in our own SQL.
    if (refusal === undefined) return error;
    const { reason, hints = [], passes } = refusal;
    const detail = `cannot use the store ${shown}: ${reason} (${error.message})`;
    return new Problem(passes ? 'unreachable' : 'local-io', detail, {
      cause: error,
      hints,
      ...(passes && { retryAfter: 1 }),
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

/** What to do about a certificate that is not trusted, or has another name. */
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
