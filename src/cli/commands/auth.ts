import { Problem } from '../../errors/problem.ts';
import { configPath } from '../config/config-file.ts';
import { type ChosenBaseUrl, chosenBaseUrl, isUnencrypted } from '../config/places.ts';
import { askSecret } from '../config/secret-prompt.ts';
import { checkedKey, forgetKey, keyFor, maskedKey, storedKeys, storeKey } from '../config/user-key.ts';
import type { AuthLine } from '../options/line.ts';
import { exitCode } from '../terminal/exit-code.ts';
import { type Io, variable } from '../terminal/io.ts';
import { type Messages, messagesOf } from '../terminal/messages.ts';
import { print } from '../terminal/sink.ts';

/** `asof auth login|status|logout`: the keys that this user sends, one for the origin of each base URL. */
export async function runAuth(line: AuthLine, io: Io): Promise<number> {
  const messages = messagesOf(line.messages, io);
  switch (line.command) {
    case 'auth login':
      return login(line, io, messages);
    case 'auth status':
      return status(line, io, messages);
    case 'auth logout':
      return logout(line, io, messages);
  }
}

async function login(line: AuthLine, io: Io, { note }: Messages): Promise<number> {
  const { base } = serviceOf(line, io);
  const key = line.withToken
    ? checkedKey(await wholeText(io), 'stdin')
    : checkedKey(await askSecret(io, `Key for ${base.origin}: `), 'the prompt');
  await storeKey(io, base.origin, key);
  note(`asof: stored the key for ${base.origin} in ${configPath(io, 'keys')}; \`asof ping\` tries it`);
  if (isUnencrypted(base)) note(`asof: others can read what is sent to ${base.origin}: it is not https`);
  for (const name of ['ASOF_API_KEY', 'ASOF_API_KEY_FILE'])
    if (variable(io, name) !== undefined)
      note(`asof: ${name} is set and takes precedence over the stored key`);
  return exitCode.success;
}

async function status({ baseUrl }: AuthLine, io: Io, messages: Messages): Promise<number> {
  const chosen = chosenBaseUrl(io, baseUrl === undefined ? {} : { baseUrl });
  for (const [origin, key] of storedKeys(io))
    await print(`${origin}  ${maskedKey(key)}  ${configPath(io, 'keys')}\n`, io);
  if (chosen === undefined) {
    if (storedKeys(io).size > 0) return exitCode.success;
    messages.note('asof: no key is stored; a local store needs none');
    return exitCode.unauthorized;
  }
  const { origin } = chosen.base;
  const used = keyFor(io, origin, messages);
  messages.note(
    used === undefined ? `asof: no key for ${origin}` : `asof: ${origin} gets the key of ${used.from}`,
  );
  return used === undefined ? exitCode.unauthorized : exitCode.success;
}

async function logout(line: AuthLine, io: Io, { note }: Messages): Promise<number> {
  const { origin } = serviceOf(line, io).base;
  if (!storedKeys(io).has(origin)) throw new Problem('not-found', `no key is stored for ${origin}`);
  await forgetKey(io, origin);
  note(`asof: removed the key for ${origin}`);
  return exitCode.success;
}

function serviceOf({ baseUrl }: AuthLine, io: Io): ChosenBaseUrl {
  const chosen = chosenBaseUrl(io, baseUrl === undefined ? {} : { baseUrl });
  if (chosen !== undefined) return chosen;
  throw new Problem('bad-input', 'no service selected; pass --base-url', {
    hints: ['ASOF_BASE_URL and `asof config set base_url URL` select one too'],
  });
}

/** More than any key: what comes in by mistake is not read to its end. */
const longestInput = 64 * 1024;

async function wholeText(io: Io): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of io.stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > longestInput) throw new Problem('bad-input', 'stdin is too long to be a key');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
