import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { asof } from '../../support/command.ts';
import { type Folder, newFolder } from '../../support/folders.ts';
import { envelope, pong, reply, serve } from '../../support/service-double.ts';

const key = 'asof_live_sk_abcdEFGHijklMNOPqrstUVWXyz0123456789_-abcde';
const other = 'asof_live_sk_zzzzEFGHijklMNOPqrstUVWXyz0123456789_-abcde';

let folder: Folder;
let env: Readonly<Record<string, string>>;
let file: string;

beforeEach(() => {
  folder = newFolder();
  env = { ASOF_CONFIG_DIR: folder.path('mine') };
  file = join(folder.path('mine'), 'keys.json');
});

const run = (line: readonly string[], stdin = '', more: Readonly<Record<string, string>> = {}) =>
  asof(line, { env: { ...env, ...more }, stdin: Readable.from([stdin]) });
const login = (url: string, token = key) =>
  run(['auth', 'login', '--with-token', '--base-url', url], `${token}\n`);
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** A service that answers with the key of each request. */
async function service() {
  const { url, asked } = await serve((_, response) => reply(response, 200, envelope('ping', [pong])));
  return { url, keys: () => asked.map(({ headers }) => headers['x-api-key']) };
}

describe('asof auth login', () => {
  it('stores the key from stdin for the origin, readable by its owner alone, and shows nothing of it', async () => {
    const { code, out, err } = await login('https://data.example.com/prefix');
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain(`stored the key for https://data.example.com in ${file}`);
    expect(err).not.toContain('abcd');
    expect(JSON.parse(folder.read('mine/keys.json'))).toEqual({ 'https://data.example.com': key });
    expect([mode(folder.path('mine')), mode(file)]).toEqual(['700', '600']);
  });

  it('keeps one key for each origin, and replaces the old one', async () => {
    await login('https://a.example.com', other);
    await login('https://b.example.com');
    await login('https://a.example.com/again');
    expect(JSON.parse(folder.read('mine/keys.json'))).toEqual({
      'https://a.example.com': key,
      'https://b.example.com': key,
    });
  });

  it.each([
    ['an empty one', '', 'the key of stdin is empty'],
    ['one of several words', 'not a key', 'the key of stdin holds characters that no key has'],
    ['a whole file', 'x'.repeat(70_000), 'too long to be a key'],
  ])('refuses %s', async (_, token, words) => {
    const { code, out, err } = await login('https://data.example.com', token);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(words)]);
    expect(folder.has('mine')).toBe(false);
  });

  it('needs a base URL', async () => {
    const { code, err } = await run(['auth', 'login', '--with-token'], key);
    expect([code, err]).toEqual([2, expect.stringContaining('no service selected; pass --base-url')]);
  });

  it('takes the service of ASOF_BASE_URL or of the setting', async () => {
    await run(['auth', 'login', '--with-token'], key, { ASOF_BASE_URL: 'http://localhost:1' });
    await run(['config', 'set', 'base_url', 'http://localhost:2']);
    await run(['auth', 'login', '--with-token'], key);
    expect(Object.keys(JSON.parse(folder.read('mine/keys.json')))).toEqual([
      'http://localhost:1',
      'http://localhost:2',
    ]);
  });

  it('warns if others can read the key on the network, or another key takes precedence', async () => {
    expect((await login('http://data.example.com')).err).toContain('it is not https');
    expect((await login('http://127.0.0.1:8787')).err).not.toContain('it is not https');
    const more = { ASOF_API_KEY: other };
    const { err } = await run(
      ['auth', 'login', '--with-token', '--base-url', 'http://localhost:1'],
      key,
      more,
    );
    expect(err).toContain('ASOF_API_KEY is set and takes precedence over the stored key');
  });

  it('without a terminal names the other ways', async () => {
    const { code, err } = await run(['auth', 'login', '--base-url', 'http://localhost:1'], key);
    expect([code, err]).toEqual([
      2,
      'asof: there is no terminal to ask for the key\n      --with-token reads it from stdin\n',
    ]);
  });
});

describe('the prompt for a key', () => {
  /** A terminal on which someone types; `raw` records when its echo was turned off and on. */
  function terminal(...typed: readonly string[]) {
    const raw: boolean[] = [];
    const stdin = Object.assign(new Readable({ read: () => undefined }), {
      isTTY: true,
      setRawMode(on: boolean) {
        raw.push(on);
        if (on) for (const text of typed) setImmediate(() => stdin.push(text));
      },
    });
    return { stdin, raw };
  }
  const prompt = (stdin: Readable, signal?: AbortSignal) =>
    asof(['auth', 'login', '--base-url', 'http://localhost:1'], { env, stdin, ...(signal && { signal }) });

  it.each([
    ['typed', [...key, '\r']],
    ['pasted', [`${key}\n`]],
    ['corrected', ['wrong\u0015', `${key}xy\u007F\b\r`]],
    ['ended with Ctrl-D', [key, '\u0004']],
  ])('takes what is %s and shows nothing of it', async (_, typed) => {
    const { stdin, raw } = terminal(...typed);
    const { code, out, err } = await prompt(stdin);
    expect([code, out, raw]).toEqual([0, '', [true, false]]);
    expect(err).toMatch(/^Key for http:\/\/localhost:1: \nasof: stored the key/);
    expect(JSON.parse(folder.read('mine/keys.json'))).toEqual({ 'http://localhost:1': key });
  });

  it('ends with Ctrl-C, with nothing stored and the terminal as it was', async () => {
    const { stdin, raw } = terminal('abc', '\u0003');
    expect((await prompt(stdin)).code).toBe(130);
    expect(raw).toEqual([true, false]);
    expect(folder.has('mine')).toBe(false);
  });

  it('ends with SIGTERM', async () => {
    const stop = new AbortController();
    const { stdin, raw } = terminal('abc');
    setTimeout(() => stop.abort('SIGTERM'), 100);
    expect((await prompt(stdin, stop.signal)).code).toBe(143);
    expect(raw).toEqual([true, false]);
  });
});

describe('asof auth status and logout', () => {
  it('show for which origins there are keys, but not the keys', async () => {
    await login('https://a.example.com');
    await login('https://b.example.com', 'anotherservicesecret');
    const { code, out } = await run(['auth', 'status']);
    expect(code).toBe(0);
    expect(out).toBe(
      `https://a.example.com  asof_live_sk_abcd…  ${file}\nhttps://b.example.com  …  ${file}\n`,
    );
  });

  it('say which key a service is sent, and exit with 4 if there is none', async () => {
    await login('https://a.example.com');
    const status = (url: string, more = {}) => run(['auth', 'status', '--base-url', url], '', more);
    const found = await status('https://a.example.com/x');
    expect([found.code, found.err]).toEqual([0, `asof: https://a.example.com gets the key of ${file}\n`]);
    const none = await status('https://b.example.com');
    expect([none.code, none.err]).toEqual([4, 'asof: no key for https://b.example.com\n']);
    const variable = await status('https://b.example.com', { ASOF_API_KEY: other });
    expect([variable.code, variable.err]).toEqual([
      0,
      'asof: https://b.example.com gets the key of ASOF_API_KEY\n',
    ]);
    expect((await run(['auth', 'status'], '', { ASOF_CONFIG_DIR: folder.path('empty') })).code).toBe(4);
  });

  it('remove a key, and say if there is none', async () => {
    await login('https://a.example.com');
    await login('https://b.example.com');
    expect((await run(['auth', 'logout', '--base-url', 'https://a.example.com'])).code).toBe(0);
    expect(Object.keys(JSON.parse(folder.read('mine/keys.json')))).toEqual(['https://b.example.com']);
    const again = await run(['auth', 'logout', '--base-url', 'https://a.example.com']);
    expect([again.code, again.err]).toEqual([3, 'asof: no key is stored for https://a.example.com\n']);
  });

  it('name a damaged file of keys and what to do, without showing its content', async () => {
    mkdirSync(folder.path('mine'));
    writeFileSync(file, `{"https://a.example.com": "${key}"`);
    for (const line of [
      ['auth', 'status'],
      ['auth', 'login', '--with-token', '--base-url', 'https://a.example.com'],
      ['ping', '--base-url', 'https://a.example.com'],
    ]) {
      const { code, out, err } = await run(line, key);
      expect([code, out]).toEqual([10, '']);
      expect(err).toContain(`cannot read ${file}`);
      expect(err).not.toContain(key);
    }
  });
});

describe('the key that is sent', () => {
  it('is that of the origin and no other', async () => {
    const [mine, foreign] = [await service(), await service()];
    await login(`${mine.url}/prefix`);
    await run(['ping', '--base-url', mine.url]);
    await run(['ping', '--base-url', foreign.url]);
    expect([mine.keys(), foreign.keys()]).toEqual([[key], [undefined]]);
  });

  it('is that of ASOF_API_KEY before that of ASOF_API_KEY_FILE before the stored one; empty is unset', async () => {
    const { url, keys } = await service();
    await login(url, 'stored');
    const ASOF_API_KEY_FILE = folder.write('key', 'of-the-file\n');
    chmodSync(ASOF_API_KEY_FILE, 0o600);
    const ping = (more: Readonly<Record<string, string>>) => run(['ping', '--base-url', url], '', more);
    await ping({ ASOF_API_KEY: 'of-the-variable', ASOF_API_KEY_FILE });
    expect((await ping({ ASOF_API_KEY: '', ASOF_API_KEY_FILE })).err).toBe('');
    await ping({ ASOF_API_KEY: '', ASOF_API_KEY_FILE: '' });
    expect(keys()).toEqual(['of-the-variable', 'of-the-file', 'stored']);
  });

  it('is sent with a warning if others can read its file', async () => {
    const { url, keys } = await service();
    const path = folder.write('key', key);
    chmodSync(path, 0o644);
    const { code, err } = await run(['ping', '--base-url', url], '', { ASOF_API_KEY_FILE: path });
    expect([code, err, keys()]).toEqual([
      0,
      `asof: others can read the key in ${path}; chmod 600 keeps it yours\n`,
      [key],
    ]);
  });

  it.each([
    [
      'a file that is not there',
      { ASOF_API_KEY_FILE: '/nowhere/key' },
      10,
      'there is no such file or folder',
    ],
    [
      'a variable of several lines',
      { ASOF_API_KEY: 'se\ncret' },
      2,
      'the key of ASOF_API_KEY holds characters',
    ],
  ])('is never guessed: %s', async (_, more, status, words) => {
    const { url, keys } = await service();
    const { code, err } = await run(['ping', '--base-url', url], '', more);
    expect([code, err, keys()]).toEqual([status, expect.stringContaining(words), []]);
    expect(err).not.toContain('cret');
  });

  it('is not read if the embedded store answers', async () => {
    mkdirSync(folder.path('mine'));
    writeFileSync(file, 'damaged');
    expect((await run(['ping'])).code).toBe(0);
  });
});
