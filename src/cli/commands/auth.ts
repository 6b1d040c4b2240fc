import { createInterface, type Interface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { Problem } from '../../errors/problem.ts';
import type { AuthLine } from '../../lines/line.ts';
import { configPath } from '../../platform/config-file.ts';
import { variable } from '../../platform/installation.ts';
import { unlessAborted } from '../../platform/promises.ts';
import { print } from '../../platform/sink.ts';
import { type ChosenBaseUrl, chosenBaseUrl, isUnencrypted } from '../config/places.ts';
import { checkedKey, forgetKey, keyFor, maskedKey, storedKeys, storeKey } from '../config/user-key.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { type Messages, messagesOf } from '../terminal/messages.ts';

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
  if (line.source !== undefined) {
    await storeKey(io, line.source, await typedKey(line, io, line.source.toUpperCase()));
    note(
      `asof: stored the key for ${line.source.toUpperCase()} in ${configPath(io, 'keys')}; \`asof ping --sources\` tries it`,
    );
    return exitCode.success;
  }
  const { base } = serviceOf(line, io);
  const key = await typedKey(line, io, base.origin);
  await storeKey(io, base.origin, key);
  note(`asof: stored the key for ${base.origin} in ${configPath(io, 'keys')}; \`asof ping\` tries it`);
  if (isUnencrypted(base)) note(`asof: others can read what is sent to ${base.origin}: it is not https`);
  for (const name of ['ASOF_API_KEY', 'ASOF_API_KEY_FILE'])
    if (variable(io, name) !== undefined)
      note(`asof: ${name} is set and takes precedence over the stored key`);
  return exitCode.success;
}

async function typedKey({ withToken }: AuthLine, io: Io, owner: string): Promise<string> {
  if (withToken) return checkedKey(await wholeText(io), 'stdin');
  return checkedKey(await askSecret(io, `Key for ${owner}: `), 'the prompt');
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
  const origin = line.source ?? serviceOf(line, io).base.origin;
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

/** Asks for a secret on the terminal without showing what is typed; a Problem where there is no terminal. */
async function askSecret(io: Io, question: string): Promise<string> {
  if (io.stdin.isTTY !== true) {
    throw new Problem('bad-input', 'there is no terminal to ask for the key', {
      hints: ['--with-token reads it from stdin'],
    });
  }
  io.stderr.write(question);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: io.stdin, output, terminal: true, historySize: 0 });
  try {
    return await unlessAborted(io.signal, typedLine(lines, io.stdin));
  } catch (cause) {
    throw new Problem('interrupted', 'interrupted', { cause });
  } finally {
    lines.close();
    io.stderr.write('\n');
  }
}

/** One line, ended by Enter or Ctrl-D; rejects on Ctrl-C. */
function typedLine(lines: Interface, terminal: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(''));
    lines.once('SIGINT', reject);
    terminal.on('keypress', (_text, key: { readonly ctrl: boolean; readonly name?: string }) => {
      // By itself, readline ends only an empty line with Ctrl-D.
      if (key.ctrl && key.name === 'd' && lines.line !== '') lines.write('\n');
    });
  });
}
