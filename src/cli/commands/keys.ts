import { existsSync } from 'node:fs';
import { addDays, type Day, parseDay } from '../../domain/series/date.ts';
import { Problem, refused } from '../../errors/problem.ts';
import { type CommandSpec, messagesIn, outputIn } from '../../lines/command.ts';
import { sharedFlags } from '../../lines/shared-flags.ts';
import type { Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import type { ArgumentSpec, Flag } from '../../operations/flag.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import { variable } from '../../platform/installation.ts';
import { print } from '../../platform/sink.ts';
import { newKey, newSecret } from '../../server/keys/gate.ts';
import { loadPlans } from '../../server/keys/plans.ts';
import type { AccessStore, KeyRecord, WindowName } from '../../store/access-store.ts';
import { isDatabase, shownAddress } from '../../store/address.ts';
import { openAccess } from '../../store/open.ts';
import { accessPath } from '../config/places.ts';
import { serveSettings } from '../config/serve-settings.ts';
import { printRows } from '../run/rows.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';
import { command, type OtherCommand } from './command.ts';

const { messages, access, format } = sharedFlags;

const plans: Flag = { name: 'plans', value: 'file', complete: 'files', about: serveSettings.plans.about };

const keyId: ArgumentSpec = { name: 'key-id', about: 'id of the key, as asof keys list shows it' };

/** Declares a command about keys; `flags` are those besides the flags about messages. */
function keysCommand({
  flags,
  ...spec
}: Pick<CommandSpec, 'words' | 'summary' | 'examples' | 'args' | 'flags'> & {
  readonly run: (line: KeysLine, io: Io) => Promise<number>;
}): OtherCommand {
  return command({ ...spec, heading: 'Service', flags: [...flags, ...messages], read: valuesIn });
}

type KeysLine = ReturnType<typeof valuesIn>;

function valuesIn(line: TypedLine) {
  return {
    id: line.arg(0),
    name: line.has('name') ? keyName(line) : '',
    plan: line.text('plan') ?? 'free',
    expires: line.value('expires', (text) => lastDay(text, line.clock.today)),
    overlap: line.value('overlap', (text) => dayCount(text, 0)) ?? 7,
    plans: line.text('plans'),
    access: line.text('access'),
    output: outputIn(line),
    messages: messagesIn(line),
  };
}

/** `asof keys create`, `list`, `rotate`, `revoke` and `usage`: work on the access store of a service. */
export const commands = [
  keysCommand({
    words: 'keys create',
    summary: 'Create a key (it is shown only once)',
    examples: `
# a key for Ann, written to a file
asof keys create --name ann --plan pro > ann.key
# a key without access to vintages, for three months
asof keys create --name guest --plan free --expires 90d
`,
    args: [],
    flags: [
      { name: 'name', value: 'name', about: 'name of the key', required: true },
      { name: 'plan', value: 'plan', complete: 'plans', about: 'plan of the key', fallback: 'free' },
      {
        name: 'expires',
        value: 'date',
        complete: 'days',
        about: 'last day on which it is valid (UTC), or days such as 90d',
      },
      plans,
      access,
    ],
    run: createKey,
  }),
  keysCommand({
    words: 'keys list',
    summary: 'List keys (secrets are not stored)',
    examples: `
# all keys
asof keys list
# the ids of the keys that are not revoked
asof keys list --csv | awk -F, 'NR > 1 && $6 == "" { print $1 }'
`,
    args: [],
    flags: [access, ...format],
    run: listKeys,
  }),
  keysCommand({
    words: 'keys rotate',
    summary: 'Give a key a new secret; the old one stays valid for a while',
    examples: `
# a new secret; the old one works for another week (needs a key with that id)
asof keys rotate k_0a1b2c3d > ann.key
# the old one stops at once (needs a key with that id)
asof keys rotate k_0a1b2c3d --overlap 0d
`,
    args: [keyId],
    flags: [
      { name: 'overlap', value: 'days', about: 'how long the old secret stays valid', fallback: '7d' },
      access,
    ],
    run: rotateKey,
  }),
  keysCommand({
    words: 'keys revoke',
    summary: 'Revoke a key at once',
    examples: `
# one key (needs a key with that id)
asof keys revoke k_0a1b2c3d
# every key named ann
asof keys list --csv | awk -F, '$2 == "ann" { print $1 }' | xargs -r -n 1 asof keys revoke
`,
    args: [keyId],
    flags: [access],
    run: revokeKey,
  }),
  keysCommand({
    words: 'keys usage',
    summary: 'Show the last use of each key, and how much of its quota is used',
    examples: `
# all keys
asof keys usage
# the keys that were never used
asof keys usage --csv | awk -F, 'NR > 1 && $4 == "" { print $1 }'
`,
    args: [],
    flags: [plans, access, ...format],
    run: showUsage,
  }),
];

/** A number of days, such as 90 or 90d. */
function dayCount(text: string, least: number, use = `a number of days of at least ${least},`): number {
  const days = Number(/^(\d{1,5})d?$/.exec(text)?.[1] ?? Number.NaN);
  if (days >= least) return days;
  throw refused({ reason: `use ${use} such as 90d` });
}

/** The last day on which a key is valid: a date, or a number of days from today. */
function lastDay(text: string, today: Day): Day {
  const day = parseDay(text) ?? addDays(today, dayCount(text, 1, 'YYYY-MM-DD, or a number of days'));
  if (day >= today) return day;
  throw refused({ reason: 'this date is over' });
}

function keyName(line: TypedLine): string {
  const text = line.text('name') ?? '';
  const name = text.trim();
  if (name !== '' && name.length <= 100 && !/\p{C}/u.test(name)) return name;
  throw new Problem('bad-input', `--name ${JSON.stringify(text)}: use 1 to 100 printable characters`);
}

async function createKey(line: KeysLine, io: Io): Promise<number> {
  const { name, plan, expires } = line;
  const plans = await chosenPlans(line, io);
  if (!plans.has(plan))
    throw new Problem(
      'bad-input',
      `--plan ${JSON.stringify(plan)}: the plans are ${[...plans.keys()].join(', ')}`,
    );
  const expiresAt = expires === undefined ? {} : { expiresAt: `${addDays(expires, 1)}T00:00:00.000Z` };
  const { secret, stored } = newKey({ name, plan, now: io.clock(), ...expiresAt });
  const store = await openAccess(accessPath(io, line.access), { counting: false });
  try {
    await store.addKey(stored);
  } finally {
    await store.close();
  }
  messagesOf(line.messages, io).note(
    `asof: key ${stored.id} of '${name}' on the plan ${plan} (it is shown only once)`,
  );
  await print(`${secret}\n`, io);
  return exitCode.success;
}

/** The plans in the file that a flag or a variable names, otherwise the shipped ones. */
function chosenPlans({ plans }: KeysLine, io: Io) {
  return loadPlans(plans ?? variable(io, serveSettings.plans.variable));
}

const fields: readonly Field[] = [
  { name: 'id', type: 'text', description: 'For logs and for revoke.' },
  { name: 'name', type: 'text', description: 'Name of the key.' },
  { name: 'plan', type: 'text', description: 'Plan of the key.' },
  { name: 'start', type: 'text', description: 'The first characters of the secret.' },
  { name: 'created_at', type: 'text', description: 'When it was created.' },
  { name: 'revoked_at', type: 'text', description: 'When it was revoked, if it was.', nullable: true },
  { name: 'expires_at', type: 'text', description: 'From when it is not valid, if it ends.', nullable: true },
  {
    name: 'previous_until',
    type: 'text',
    description: 'Up to when the secret before the last rotation is valid.',
    nullable: true,
  },
];

async function listKeys(line: KeysLine, io: Io): Promise<number> {
  const path = accessPath(io, line.access);
  const keys = await held(path, (store) => store.keys());
  const results = keys.map(
    ({ id, name, plan, start, createdAt, revokedAt, expiresAt, previousUntil }): Row => ({
      id,
      name,
      plan,
      start,
      created_at: createdAt,
      revoked_at: revokedAt ?? null,
      expires_at: expiresAt ?? null,
      previous_until: previousUntil ?? null,
    }),
  );
  noteNone(results, line, path, io);
  return printRows(line.output, fields, results, io, { object: 'key_list' });
}

const usageFields: readonly Field[] = [
  { name: 'id', type: 'text', description: 'Key.' },
  { name: 'name', type: 'text', description: 'Name of the key.' },
  { name: 'plan', type: 'text', description: 'Plan of the key.' },
  {
    name: 'last_used',
    type: 'text',
    description: 'The minute of its last request (UTC), if it was used.',
    nullable: true,
  },
  { name: 'day', type: 'integer', description: 'Requests in this UTC day.' },
  { name: 'day_limit', type: 'integer', description: 'The quota of a day.', nullable: true },
  { name: 'month', type: 'integer', description: 'Requests in this UTC month.' },
  { name: 'month_limit', type: 'integer', description: 'The quota of a month.', nullable: true },
];

async function showUsage(line: KeysLine, io: Io): Promise<number> {
  const plans = await chosenPlans(line, io);
  const path = accessPath(io, line.access);
  const now = io.clock().toISOString();
  const results = await held(path, async (store) => {
    const usage = await store.usage();
    return (await store.keys()).map(({ id, name, plan }): Row => {
      const windowOf = (wanted: WindowName) =>
        usage.find(({ keyId, window }) => keyId === id && window === wanted);
      // A window that has ended no longer counts: the first ten characters of an instant are its day, the first seven
      // its month.
      const countIn = (wanted: WindowName, length: number) => {
        const { began, count } = windowOf(wanted) ?? {};
        return began?.toISOString().slice(0, length) === now.slice(0, length) ? (count ?? 0) : 0;
      };
      const { dailyLimit, monthlyLimit } = plans.get(plan) ?? {};
      return {
        id,
        name,
        plan,
        last_used: windowOf('minute')?.began.toISOString() ?? null,
        day: countIn('day', 10),
        day_limit: dailyLimit ?? null,
        month: countIn('month', 7),
        month_limit: monthlyLimit ?? null,
      };
    });
  });
  noteNone(results, line, path, io);
  const others = new Set(results.flatMap(({ plan }) => (plans.has(String(plan)) ? [] : [String(plan)])));
  if (others.size > 0)
    messagesOf(line.messages, io).note(
      `asof: no limits for ${[...others].join(', ')}: the plans are ${[...plans.keys()].join(', ')}; name the file of the service with --plans`,
    );
  return printRows(line.output, usageFields, results, io, { object: 'key_usage' });
}

/** Says that there are no keys, and in which store. */
function noteNone(results: readonly Row[], { messages }: KeysLine, path: string, io: Io): void {
  if (results.length > 0) return;
  const isThere = isDatabase(path) || existsSync(path);
  const where = isThere ? ` in ${shownAddress(path)}` : `: there is no file ${path}`;
  messagesOf(messages, io).note(`asof: there are no keys${where}`);
}

/** What an access store holds; nothing if there is none, which is not created. */
async function held<T>(
  path: string,
  read: (store: AccessStore) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  if (!isDatabase(path) && !existsSync(path)) return [];
  const store = await openAccess(path, { counting: false });
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

async function rotateKey(line: KeysLine, io: Io): Promise<number> {
  const { secret, stored } = newSecret();
  const now = io.clock();
  const until = new Date(now.getTime() + line.overlap * 86_400_000).toISOString();
  // No secret ends unnoticed: a key with two secrets can be rotated only without an overlap.
  const sole = line.overlap === 0 ? undefined : now.toISOString();
  const { id, name } = await changed(line, io, 'valid key', (store) =>
    store.rotateKey(line.id, stored, until, sole),
  );
  const before =
    line.overlap === 0 ? 'every older one is refused from now on' : `the old one is valid until ${until}`;
  messagesOf(line.messages, io).note(
    `asof: key ${id} of '${name}' has a new secret (it is shown only once); ${before}`,
  );
  await print(`${secret}\n`, io);
  return exitCode.success;
}

async function revokeKey(line: KeysLine, io: Io): Promise<number> {
  const now = io.clock().toISOString();
  const { id, name, revokedAt } = await changed(line, io, 'key', (store) => store.revokeKey(line.id, now));
  messagesOf(line.messages, io).note(`asof: key ${id} of '${name}' was revoked at ${revokedAt}`);
  return exitCode.success;
}

/** The key that a line names, after a change; a Problem if there is none that can be changed. */
async function changed(
  line: KeysLine,
  io: Io,
  noun: string,
  change: (store: AccessStore) => Promise<KeyRecord | undefined>,
): Promise<KeyRecord> {
  const path = accessPath(io, line.access);
  const [key, refused] = await held(path, async (store) => {
    const done = await change(store);
    return [done, done ?? (await store.keys()).find(({ id, revokedAt }) => id === line.id && !revokedAt)];
  });
  if (key !== undefined) return key;
  if (refused !== undefined)
    throw new Problem(
      'bad-input',
      `key ${refused.id} of '${refused.name}' has two secrets until ${refused.previousUntil}, and may have no third`,
      { hints: [`asof keys rotate ${refused.id} --overlap 0d gives it a new one and ends both at once`] },
    );
  throw new Problem('not-found', `no ${noun} '${line.id}' in ${shownAddress(path)}`, {
    hints: ['asof keys list shows the ids'],
  });
}
