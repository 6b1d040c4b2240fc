import pg from 'pg';
import { Problem } from '../../errors/problem.ts';

/** Refusals by the code of the error, or by its first two characters: the reason, and hints. */
const refusals: Readonly<Record<string, readonly [reason: string, ...hints: string[]]>> = {
  '28P01': ['the password is wrong'],
  '28000': ['the server refuses this user'],
  '3D000': ['there is no such database', 'asof makes schemas and tables, and no databases'],
  '42501': [
    'this user may not do that',
    'readers need usage on the schema and select on its tables; importers must own the tables',
  ],
  '25006': [
    'the server or this user is read-only',
    'a standby answers questions; imports need its primary server',
  ],
  '25P03': [
    'the server ends transactions that wait this long',
    'raise idle_in_transaction_session_timeout for this user or the server',
  ],
  '25P04': [
    'the server ends transactions that take this long',
    'raise transaction_timeout for this user or the server',
  ],
  '53100': ['the disk of the server is full'],
  '53200': ['the server is out of memory'],
  '53300': [
    'the server has no connection left',
    'raise max_connections of the server, or the limit of the user or the database',
    'a pooler such as PgBouncer shares a few among many processes',
  ],
  '53': ['the server has reached one of its limits'],
  '55P03': ['another import holds it for longer than lock_timeout'],
  '57014': ['the server ended a statement', 'raise statement_timeout for this user or the server'],
  '58': ['the server reports a disk error'],
  XX: ['the server reports that data are damaged'],
  '40P01': ['another import is writing to it; try again when it is done'],
  // asof uses no serializable transactions, so only a standby or Citus ends one with this code.
  '40001': [
    'the server ended the transaction because of another one; try again',
    'raise max_standby_streaming_delay of the standby: a query may delay replication that long',
  ],
};

/** Codes after which the same statement may succeed a moment later. */
const passing = /^(?:25P0[34]|40001|53300|55P03|57014)$/;

/** Codes of a server that is stopping or starting. */
const away = /^(?:08|57P0)/;

/**
 * Tells whether a connection is unusable after an error, because it broke or the server ended it. After the end of a
 * statement that took too long, Citus may wait for a frozen node before it answers again.
 */
export function endsConnection(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  const { code = '' } = error;
  return away.test(code) || code === '25P03' || code === '25P04' || code === '57014';
}

/** Tells whether a connection failed because the server has no TLS. */
export function lacksTls(error: unknown): boolean {
  return /does not support SSL|^SSL/i.test(String((error as Error).message));
}

/** Tells whether a named statement is unknown or known already, behind a pooler, or no longer fits the tables. */
export function isOfNames(error: unknown): boolean {
  const { code = '' } = error as { readonly code?: string };
  return code === '26000' || code === '42P05' || code === '0A000';
}

/** Tells whether an import failed because another one was ahead of it: with a row, a lock, or in a deadlock. */
export function isCollision(error: unknown, sql: string): boolean {
  const { code } = error as { readonly code?: string };
  return code === '23505' || code === '40P01' || (code === '55P03' && sql.endsWith(' nowait'));
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

/** Turns an error of the server or the connection into a Problem; returns any other error unchanged. */
export function asProblem(shown: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  const { code } = error as { code?: unknown };
  if (error instanceof pg.DatabaseError && typeof code === 'string') {
    if (away.test(code)) return unreachableProblem(shown, error.message, error);
    const refusal = refusals[code] ?? refusals[code.slice(0, 2)];
    // Any other code means a mistake in our own SQL.
    if (refusal === undefined) return error;
    const [reason, ...hints] = refusal;
    const passes = passing.test(code);
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
    return unreachableProblem(shown, 'the connection was closed or cannot be made', error);
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
