// Why: docs/decisions/password-files-and-addresses.md
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import pg, { type ClientConfig } from 'pg';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { defined } from '../../platform/defined.ts';
import { shownAddress } from '../address.ts';

type DatabaseAddress = {
  /** The address without passwords. */
  readonly shown: string;
  readonly schema: string;
  readonly config: ClientConfig;
  /** Ways to connect, in the order to try: `sslmode=prefer` tries TLS first, then without TLS. */
  readonly ways: readonly (ConnectionOptions | false)[];
};

const known: ReadonlySet<string> = new Set(
  `host port dbname user password service schema options application_name connect_timeout channel_binding
   sslmode sslrootcert sslcert sslkey`.split(/\s+/),
);

type DatabasePlace = Readonly<Record<'database' | 'host' | 'user', string>> & { readonly port: number };
type Parameters = Readonly<Record<string, string>>;
type Environment = Readonly<Record<string, string | undefined>>;

const usualSchema = 'asof';

/** Parses an address as `libpq` does: its parameters override a service file, which overrides `PG…`. */
export function parseAddress(address: string, env: Environment = process.env): DatabaseAddress {
  const shown = shownAddress(address);
  const refused = (reason: string) =>
    new Problem('bad-input', `${shown}: ${reason}`, {
      hints: ['postgres://USER@HOST:PORT/DATABASE names a store in PostgreSQL'],
    });
  const own = parametersOf(address, refused);
  const unknown = Object.keys(own).find((name) => !known.has(name));
  if (unknown !== undefined) throw refused(`unknown parameter '${unknown}'`);
  const service = own.service ?? env.PGSERVICE;
  const given: Parameters = { ...(service !== undefined && serviceParameters(service, env)), ...own };
  const text = (name: string, variable: string) => given[name] ?? env[variable];
  const { schema, others } = schemaIn(text('options', 'PGOPTIONS') ?? '');
  const named = given.schema ?? schema ?? usualSchema;
  if (!/^[\p{L}_][\p{L}\p{N}_$]{0,62}$/u.test(named)) throw refused(`'${named}' cannot name a schema`);
  const port = Number(text('port', 'PGPORT') ?? 5432);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw refused('its port is not a number to 65535');
  const [host, user] = [text('host', 'PGHOST'), text('user', 'PGUSER')];
  const [database, password] = [text('dbname', 'PGDATABASE'), text('password', 'PGPASSWORD')];
  const login = user ?? pg.defaults.user ?? '';
  const seconds = Number(text('connect_timeout', 'PGCONNECT_TIMEOUT') ?? 10);
  if (host?.includes(',')) throw refused('it names several hosts: name one');
  const place = { host: host ?? 'localhost', port, user: login, database: database ?? login };
  return {
    shown,
    schema: named,
    config: {
      port,
      keepAlive: true,
      application_name: text('application_name', 'PGAPPNAME') ?? 'asof',
      connectionTimeoutMillis: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0,
      enableChannelBinding: given.channel_binding !== 'disable',
      ...defined({ host, user, database }),
      password: password ?? (() => filedPassword(place, shown, env)),
      ...(others !== '' && { options: others }),
    },
    ways: tlsWays(given, env, place.host, refused),
  };
}

function parametersOf(address: string, refused: (reason: string) => Problem): Parameters {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw refused('it is not a valid address; %XX encodes special characters of a password');
  }
  try {
    const place = {
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      host: decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1'),
      port: url.port,
      dbname: decodeURIComponent(url.pathname.slice(1)),
    };
    const stated = Object.entries(place).filter(([, value]) => value !== '');
    return { ...Object.fromEntries(stated), ...Object.fromEntries(url.searchParams) };
  } catch {
    throw refused('it is not encoded as an address must be (%XX)');
  }
}

function serviceParameters(service: string, env: Environment): Parameters {
  const paths = [
    env.PGSERVICEFILE ?? join(env.HOME ?? homedir(), '.pg_service.conf'),
    ...(env.PGSYSCONFDIR === undefined ? [] : [join(env.PGSYSCONFDIR, 'pg_service.conf')]),
  ];
  for (const path of paths) {
    const found = sectionOf(textOf(path), service);
    if (found !== undefined) return found;
  }
  throw new Problem('bad-input', `there is no service '${service}' in ${paths.join(' or ')}`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw systemProblem('read', path, cause);
  }
}

function sectionOf(text: string, name: string): Parameters | undefined {
  const sections = text.split(/^\s*\[/m).map((section) => section.split(/\r?\n/));
  const [, ...lines] = sections.find(([head = '']) => head.trim() === `${name}]`) ?? [];
  if (lines.length === 0) return undefined;
  const pairs = lines.flatMap((line) => {
    const [, key, value] = /^\s*([^#=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    return key === undefined || value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(pairs);
}

/** Splits session options into the first schema of the search path and all other options. */
function schemaIn(options: string): { readonly schema: string | undefined; readonly others: string } {
  let schema: string | undefined;
  const others = options.replace(/(?:-c\s*|--)search_path=("[^"]*"|[^\s,]*)(?:,\S*)?/, (_, first: string) => {
    schema = first.replaceAll('"', '');
    return '';
  });
  return { schema, others: others.trim() };
}

/** Lists the ways to connect for an sslmode, as in psql, except that `allow` also tries TLS first. */
function tlsWays(
  given: Parameters,
  env: Environment,
  host: string,
  refused: (reason: string) => Problem,
): DatabaseAddress['ways'] {
  const file = (name: string, variable: string) => {
    const path = given[name] ?? env[variable];
    if (path === undefined || path === '' || path === 'system') return undefined;
    try {
      return readFileSync(path, 'utf8');
    } catch (cause) {
      throw systemProblem('read', path, cause);
    }
  };
  const mode = given.sslmode ?? env.PGSSLMODE ?? 'prefer';
  if (mode === 'disable') return [false];
  const ca = file('sslrootcert', 'PGSSLROOTCERT');
  const [cert, key] = [file('sslcert', 'PGSSLCERT'), file('sslkey', 'PGSSLKEY')];
  const files = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  const unverified = { ...files, rejectUnauthorized: false };
  // Checks that a trusted authority signed the certificate, but not the name in it.
  const byAuthority = { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  switch (mode) {
    case 'allow':
    case 'prefer':
      return host.startsWith('/') ? [false] : [unverified, false];
    case 'require':
      return [ca === undefined ? unverified : byAuthority];
    case 'verify-ca':
      return [byAuthority];
    case 'verify-full':
      return [{ ...files, rejectUnauthorized: true }];
    default:
      throw refused(`sslmode '${mode}' is none of disable, allow, prefer, require, verify-ca, verify-full`);
  }
}

/** Finds the password of a place in the password file; throws a Problem if it is missing or not private. */
export function filedPassword(place: DatabasePlace, shown: string, env: Environment = process.env): string {
  const home = env.HOME ?? homedir();
  const isWindows = process.platform === 'win32';
  const usual = isWindows ? join(env.APPDATA ?? home, 'postgresql', 'pgpass.conf') : join(home, '.pgpass');
  const file = env.PGPASSFILE ?? usual;
  const lacks = (hint: string) =>
    new Problem('local-io', `cannot use the store ${shown}: the server asks for a password`, {
      hints: [hint, 'PGPASSFILE names another file; PGPASSWORD holds the password itself'],
    });
  const { host, port, database, user } = place;
  const wanted = `${host}:${port}:${database}:${user}:PASSWORD`;
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) throw lacks(`${file} does not exist; it holds passwords in lines of ${wanted}`);
  if (!isWindows && (found.mode & 0o077) !== 0)
    throw lacks(`${file} is not used, because others may read it: chmod 600 ${file}`);
  const given = [host.startsWith('/') ? ['localhost', host] : [host], [String(port)], [database], [user]];
  for (const line of textOf(file).split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    const password = fields.slice(4).join(':');
    const fits = given.every((texts, i) => fields[i] === '*' || texts.includes(fields[i] ?? ''));
    if (fits && password !== '') return password;
  }
  throw lacks(`${file} has no line for it: ${wanted}`);
}

/** Splits a line at each `:`; a backslash makes the character after it literal. */
function fieldsOf(line: string): readonly string[] {
  return (line.match(/(?:^|:)(?:\\.|[^:\\])*/g) ?? []).map((field, i) =>
    (i === 0 ? field : field.slice(1)).replace(/\\(.)/g, '$1'),
  );
}
