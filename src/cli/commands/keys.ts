import { existsSync } from 'node:fs';
import { addDays, type Day, parseDay } from '../../domain/values/date.ts';
import { Problem, refused } from '../../errors/problem.ts';
import { output as allOutput, messages, option, partOf, textOption } from '../../lines/command.ts';
import type { ArgumentSpec } from '../../operations/typed-line.ts';
import { formed } from '../../operations/value.ts';
import { variable } from '../../platform/installation.ts';
import { print } from '../../platform/sink.ts';
import { newKey, newSecret } from '../../server/keys/gate.ts';
import { loadPlans } from '../../server/keys/plans.ts';
import type { AccessStore, KeyRecord, WindowName } from '../../store/access-store.ts';
import { isDatabase, shownAddress } from '../../store/address.ts';
import { openAccess } from '../../store/open.ts';
import { accessPath } from '../config/settings.ts';
import { printTable, type RecordTable } from '../run/rows.ts';
import type { Io } from '../terminal/io.ts';
import { command } from './command.ts';
import { serveSettings } from './serve.ts';

const access = option('access', serveSettings.access.about, serveSettings.access.value);

const plans = option('plans', serveSettings.plans.about, serveSettings.plans.value);

const output = partOf(allOutput, ['format', 'csv', 'json']);

const keyId: ArgumentSpec = { name: 'key-id', about: 'id of the key, as asof keys list shows it' };

const keyName = formed(
  (given, refuse) => {
    const name = given.trim();
    if (name !== '' && name.length <= 100 && !/\p{C}/u.test(name)) return name;
    throw refuse('use 1 to 100 printable characters');
  },
  { placeholder: 'name' },
);

const createKey = command({
  words: 'keys create',
  summary: 'Create a key (it is shown only once)',
  examples: `
# a key for Ann, written to a file
asof keys create --name ann --plan pro > ann.key
# a key without access to vintages, for three months
asof keys create --name guest --plan free --expires 90d
`,
  parts: {
    name: option('name', 'name of the key', keyName, { required: true }),
    plan: textOption('plan', 'plan', 'plan of the key', { complete: 'plans', fallback: 'free' }),
    expires: option('expires', 'last valid day (UTC), or a number of days such as 90d', {
      placeholder: 'date',
      complete: 'days',
      parse: (text, _, { today }) => lastDay(text, today),
    }),
    plans,
    access,
    messages,
  },
  async run({ name = '', plan = 'free', expires, plans: file, access, messages }, io) {
    const plans = await chosenPlans(file, io);
    if (!plans.has(plan))
      throw new Problem(
        'bad-input',
        `--plan ${JSON.stringify(plan)}: the plans are ${[...plans.keys()].join(', ')}`,
      );
    const expiresAt = expires === undefined ? {} : { expiresAt: `${addDays(expires, 1)}T00:00:00.000Z` };
    const { secret, stored } = newKey({ name, plan, now: io.clock(), ...expiresAt });
    await withAccess(accessPath(io, access), (store) => store.addKey(stored));
    messages.note(`asof: key ${stored.id} of '${name}' on the plan ${plan} (it is shown only once)`);
    await print(`${secret}\n`, io);
  },
});

function dayCount(text: string, least: number, use = `a number of days of at least ${least},`): number {
  const days = Number(/^(\d{1,5})d?$/.exec(text)?.[1] ?? Number.NaN);
  if (days >= least) return days;
  throw refused({ reason: `use ${use} such as 90d` });
}

function lastDay(text: string, today: Day): Day {
  const day = parseDay(text) ?? addDays(today, dayCount(text, 1, 'YYYY-MM-DD, or a number of days'));
  if (day >= today) return day;
  throw refused({ reason: 'this date is over' });
}

const keyTable: RecordTable<KeyRecord> = {
  object: 'key_list',
  columns: ['id', 'name', 'plan', 'start', 'createdAt', 'revokedAt', 'expiresAt', 'previousUntil'],
};

const listKeys = command({
  words: 'keys list',
  summary: 'List keys (secrets are not stored)',
  examples: `
# all keys
asof keys list
# the ids of the keys that are not revoked
asof keys list --csv | awk -F, 'NR > 1 && $6 == "" { print $1 }'
`,
  parts: { access, output, messages },
  async run({ access, output, messages }, io) {
    const path = accessPath(io, access);
    const keys = await stored(path, (store) => store.keys());
    if (keys.length === 0) messages.note(noKeysText(path));
    await printTable(output, keyTable, keys, io);
  },
});

const overlap = option(
  'overlap',
  'time until the old secret expires',
  { placeholder: 'days', parse: (text) => dayCount(text, 0) },
  { fallback: '7d' },
);

const rotateKey = command({
  words: 'keys rotate',
  summary: 'Give a key a new secret; the old secret stays valid for a while',
  examples: `
# a new secret; the old secret works for another week (needs a key with that id)
asof keys rotate k_0a1b2c3d > ann.key
# a new secret; the old secret stops at once (needs a key with that id)
asof keys rotate k_0a1b2c3d --overlap 0d
`,
  args: [keyId],
  parts: {
    overlap: { ...overlap, read: (line) => overlap.read(line) ?? 7 },
    access,
    messages,
  },
  async run({ args: [typed = ''], overlap, access, messages }, io) {
    const { secret, stored } = newSecret();
    const now = io.clock();
    const until = new Date(now.getTime() + overlap * 86_400_000).toISOString();
    // No secret ends unnoticed: with two secrets, a key can be rotated only without an overlap.
    const sole = overlap === 0 ? undefined : now.toISOString();
    const asked = { id: typed, path: accessPath(io, access), noun: 'valid key' };
    const { id, name } = await changed(asked, (store) => store.rotateKey(typed, stored, until, sole));
    const before =
      overlap === 0 ? 'every older one is refused from now on' : `the old one is valid until ${until}`;
    messages.note(`asof: key ${id} of '${name}' has a new secret (it is shown only once); ${before}`);
    await print(`${secret}\n`, io);
  },
});

const revokeKey = command({
  words: 'keys revoke',
  summary: 'Revoke a key at once',
  examples: `
# one key (needs a key with that id)
asof keys revoke k_0a1b2c3d
# every key named ann
asof keys list --csv | awk -F, '$2 == "ann" { print $1 }' | xargs -r -n 1 asof keys revoke
`,
  args: [keyId],
  parts: { access, messages },
  async run({ args: [typed = ''], access, messages }, io) {
    const now = io.clock().toISOString();
    const asked = { id: typed, path: accessPath(io, access), noun: 'key' };
    const { id, name, revokedAt } = await changed(asked, (store) => store.revokeKey(typed, now));
    messages.note(`asof: key ${id} of '${name}' was revoked at ${revokedAt}`);
  },
});

type UsedKey = Pick<KeyRecord, 'id' | 'name' | 'plan'> & {
  readonly lastUsed: string | undefined;
  readonly day: number;
  readonly dayLimit: number | undefined;
  readonly month: number;
  readonly monthLimit: number | undefined;
};

const usageTable: RecordTable<UsedKey> = {
  object: 'key_usage',
  columns: ['id', 'name', 'plan', 'lastUsed', 'day', 'dayLimit', 'month', 'monthLimit'],
};

const showUsage = command({
  words: 'keys usage',
  summary: 'Show when each key was last used, and how much of its quota is used',
  examples: `
# all keys
asof keys usage
# the keys that were never used
asof keys usage --csv | awk -F, 'NR > 1 && $4 == "" { print $1 }'
`,
  parts: { plans, access, output, messages },
  async run({ plans: file, access, output, messages }, io) {
    const plans = await chosenPlans(file, io);
    const path = accessPath(io, access);
    const now = io.clock().toISOString();
    const keys = await stored(path, async (store) => {
      const usage = await store.usage();
      return (await store.keys()).map((key): UsedKey => {
        const windowOf = (wanted: WindowName) =>
          usage.find(({ keyId, window }) => keyId === key.id && window === wanted);
        // An ended window no longer counts. Of an instant, ten characters are the day, and seven the month.
        const countIn = (wanted: WindowName, length: number) => {
          const found = windowOf(wanted);
          return found?.began.toISOString().slice(0, length) === now.slice(0, length) ? found.count : 0;
        };
        const { dailyLimit, monthlyLimit } = plans.get(key.plan) ?? {};
        return {
          ...key,
          lastUsed: windowOf('minute')?.began.toISOString(),
          ...{ day: countIn('day', 10), dayLimit: dailyLimit },
          ...{ month: countIn('month', 7), monthLimit: monthlyLimit },
        };
      });
    });
    if (keys.length === 0) messages.note(noKeysText(path));
    const others = new Set(keys.flatMap(({ plan }) => (plans.has(plan) ? [] : [plan])));
    if (others.size > 0)
      messages.note(
        `asof: no limits for ${[...others].join(', ')}: the plans are ${[...plans.keys()].join(', ')}; name the file of the service with --plans`,
      );
    await printTable(output, usageTable, keys, io);
  },
});

/** `asof keys …`: the access store of a service. */
export const commands = [createKey, listKeys, rotateKey, revokeKey, showUsage];

function chosenPlans(flag: string | undefined, io: Io) {
  return loadPlans(flag ?? variable(io, 'ASOF_PLANS'));
}

function noKeysText(path: string): string {
  const isThere = isDatabase(path) || existsSync(path);
  return `asof: there are no keys${isThere ? ` in ${shownAddress(path)}` : `: there is no file ${path}`}`;
}

/** Reads an access store; returns nothing without one, and does not create it. */
async function stored<T>(
  path: string,
  read: (store: AccessStore) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  return isDatabase(path) || existsSync(path) ? withAccess(path, read) : [];
}

async function withAccess<T>(path: string, work: (store: AccessStore) => Promise<T>): Promise<T> {
  const store = await openAccess(path, { counting: false });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function changed(
  { id, path, noun }: { readonly id: string; readonly path: string; readonly noun: string },
  change: (store: AccessStore) => Promise<KeyRecord | undefined>,
): Promise<KeyRecord> {
  const [key, refused] = await stored(path, async (store) => {
    const done = await change(store);
    return [done, done ?? (await store.keys()).find((key) => key.id === id && !key.revokedAt)];
  });
  if (key !== undefined) return key;
  if (refused !== undefined)
    throw new Problem(
      'bad-input',
      `key ${refused.id} of '${refused.name}' has two secrets until ${refused.previousUntil}, and may have no third`,
      { hints: [`asof keys rotate ${refused.id} --overlap 0d gives it a new one and ends both at once`] },
    );
  throw new Problem('not-found', `no ${noun} '${id}' in ${shownAddress(path)}`, {
    hints: ['asof keys list shows the ids'],
  });
}
