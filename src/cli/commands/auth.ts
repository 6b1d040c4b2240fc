import type { Command } from 'commander';
import { Problem } from '../../errors/problem.ts';
import { type ChosenBaseUrl, chosenBaseUrl, isPlain } from '../config/base-url.ts';
import { configPath } from '../config/config-file.ts';
import { askSecret } from '../config/secret-prompt.ts';
import { checkedKey, forgetKey, keyFor, maskedKey, storedKeys, storeKey } from '../config/user-key.ts';
import { type TalkFlags, withTalkFlags } from '../options/flags.ts';
import { exitCode } from '../terminal/exit-code.ts';
import { type Io, variable } from '../terminal/io.ts';
import { talk } from '../terminal/messages.ts';

type AuthFlags = TalkFlags & { readonly baseUrl?: string; readonly withToken?: boolean };

/** Makes a subcommand of a name and a summary. */
type Subcommand = (name: string, summary: string) => Command;

/** `asof auth login|status|logout`: the key that this user sends, one for the origin of each base URL. */
export function authCommand(subcommand: Subcommand, io: Io, done: (code: number) => void): void {
  const action = (name: string, summary: string, run: (flags: AuthFlags) => Promise<number>): Command => {
    const command = withTalkFlags(subcommand(name, summary)).option('--base-url <url>', 'the service');
    return command.action(async () => done(await run(command.opts<AuthFlags>())));
  };
  action('login', 'Store the key for a service', (flags) => login(flags, io)).option(
    '--with-token',
    'read the key from stdin instead of asking for it',
  );
  action('status', 'Which keys there are, and where they come from', async (flags) => status(flags, io));
  action('logout', 'Forget the key for a service', (flags) => logout(flags, io));
}

async function login(flags: AuthFlags, io: Io): Promise<number> {
  const { note } = talk(flags, io);
  const { base } = service(flags, io);
  const key =
    flags.withToken === true
      ? checkedKey(await wholeText(io), 'stdin')
      : checkedKey(await askSecret(io, `Key for ${base.origin}: `), 'the prompt');
  await storeKey(io, base.origin, key);
  note(`asof: the key for ${base.origin} is stored in ${configPath(io, 'keys')}; \`asof ping\` tries it`);
  if (isPlain(base)) note(`asof: what is sent to ${base.origin} can be read on the way: it is not https`);
  for (const name of ['ASOF_API_KEY', 'ASOF_API_KEY_FILE'])
    if (variable(io, name) !== undefined) note(`asof: ${name} is set and goes before the stored key`);
  return exitCode.success;
}

function status(flags: AuthFlags, io: Io): number {
  const said = talk(flags, io);
  const chosen = chosenBaseUrl(io, flags);
  for (const [origin, key] of storedKeys(io))
    io.stdout.write(`${origin}  ${maskedKey(key)}  ${configPath(io, 'keys')}\n`);
  if (chosen === undefined) {
    if (storedKeys(io).size > 0) return exitCode.success;
    said.note('asof: no key is stored; the embedded store needs none');
    return exitCode.unauthorized;
  }
  const { origin } = chosen.base;
  const used = keyFor(io, origin, said);
  if (used === undefined) said.note(`asof: there is no key for ${origin}`);
  else said.note(`asof: ${origin} is sent the key of ${used.from}`);
  return used === undefined ? exitCode.unauthorized : exitCode.success;
}

async function logout(flags: AuthFlags, io: Io): Promise<number> {
  const { note } = talk(flags, io);
  const { origin } = service(flags, io).base;
  if (!storedKeys(io).has(origin)) throw new Problem('not-found', `no key is stored for ${origin}`);
  await forgetKey(io, origin);
  note(`asof: the key for ${origin} is forgotten`);
  return exitCode.success;
}

function service(flags: AuthFlags, io: Io): ChosenBaseUrl {
  const chosen = chosenBaseUrl(io, flags);
  if (chosen !== undefined) return chosen;
  throw new Problem('bad-input', 'for which service? a key belongs to a base URL', {
    hints: ['--base-url URL, ASOF_BASE_URL, or asof config set base_url URL'],
  });
}

/** More than any key: what comes in by mistake need not be read to its end. */
const longest = 64 * 1024;

async function wholeText(io: Io): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of io.stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > longest) throw new Problem('bad-input', 'what comes from stdin is too long to be a key');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
