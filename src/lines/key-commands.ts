import { serveSettings } from '../cli/config/serve-settings.ts';
import { addDays, type Day, parseDay } from '../domain/series/date.ts';
import { Problem, refused } from '../errors/problem.ts';
import type { ArgumentSpec, Flag } from '../operations/flag.ts';
import type { TypedLine } from '../operations/typed-line.ts';
import { type CommandSpec, messagesIn, outputIn } from './command.ts';
import { sharedFlags } from './shared-flags.ts';

const { messages, access, format } = sharedFlags;

const plans: Flag = { name: 'plans', value: 'file', about: serveSettings.plans.about };

const keyId: ArgumentSpec = { name: 'key-id', about: 'id of the key, as asof keys list shows it' };

/** The commands for the keys of a service. */
export const keyCommands: readonly CommandSpec[] = [
  {
    words: 'keys create',
    heading: 'Service',
    summary: 'Create a key (it is shown only once)',
    args: [],
    flags: [
      { name: 'name', value: 'name', about: 'name of the key', required: true },
      { name: 'plan', value: 'plan', about: 'plan of the key', fallback: 'free' },
      { name: 'expires', value: 'date', about: 'last day on which it is valid (UTC), or days such as 90d' },
      plans,
      access,
      ...messages,
    ],
    read: (line) => ({
      command: 'keys create',
      name: keyName(line),
      plan: line.text('plan') ?? 'free',
      expires: line.value('expires', (text) => lastDay(text, line.clock.today)),
      plans: line.text('plans'),
      access: line.text('access'),
      messages: messagesIn(line),
    }),
  },
  {
    words: 'keys list',
    heading: 'Service',
    summary: 'List keys (secrets are not stored)',
    args: [],
    flags: [access, ...format, ...messages],
    read: (line) => ({
      command: 'keys list',
      output: outputIn(line),
      access: line.text('access'),
      messages: messagesIn(line),
    }),
  },
  {
    words: 'keys rotate',
    heading: 'Service',
    summary: 'Give a key a new secret; the old one stays valid for a while',
    args: [keyId],
    flags: [
      { name: 'overlap', value: 'days', about: 'how long the old secret stays valid', fallback: '7d' },
      access,
      ...messages,
    ],
    read: (line) => ({
      command: 'keys rotate',
      id: line.arg(0),
      overlap: line.value('overlap', (text) => dayCount(text, 0)) ?? 7,
      access: line.text('access'),
      messages: messagesIn(line),
    }),
  },
  {
    words: 'keys revoke',
    heading: 'Service',
    summary: 'Revoke a key at once',
    args: [keyId],
    flags: [access, ...messages],
    read: (line) => ({
      command: 'keys revoke',
      id: line.arg(0),
      access: line.text('access'),
      messages: messagesIn(line),
    }),
  },
  {
    words: 'keys usage',
    heading: 'Service',
    summary: 'Show the last use of each key, and how much of its quota is used',
    args: [],
    flags: [plans, access, ...format, ...messages],
    read: (line) => ({
      command: 'keys usage',
      output: outputIn(line),
      plans: line.text('plans'),
      access: line.text('access'),
      messages: messagesIn(line),
    }),
  },
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
