import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { asof, transcript } from '../../support/command.ts';
import { type Folder, newFolder } from '../../support/folders.ts';
import { envelope, pong, reply, serve } from '../../support/service-double.ts';

const key = 'asof_live_sk_abcdEFGHijklMNOPqrstUVWXyz0123456789_-abcde';
const other = 'asof_live_sk_zzzzEFGHijklMNOPqrstUVWXyz0123456789_-abcde';

let folder: Folder;
/** The folder of settings and keys. */
let mine = '';
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  folder = newFolder();
  mine = folder.path('mine');
  env = { ASOF_CONFIG_DIR: mine };
});

type Variables = Readonly<Record<string, string>>;
const run = (line: string, more: Variables = {}, stdin = '') =>
  asof(line.split(' '), { env: { ...env, ...more }, stdin: Readable.from([stdin]) });
const login = (url: string, token = key, more: Variables = {}) =>
  run(`auth login --with-token --base-url ${url}`, more, `${token}\n`);
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const keys = () => JSON.parse(folder.read('mine/keys.json'));

/** Makes the folder with a file that asof did not write. */
function writeMine(name: string, text: string): string {
  mkdirSync(mine, { recursive: true });
  return folder.write(`mine/${name}`, text);
}

describe('asof config', () => {
  it.each([
    ['base_url', 'https://data.example.com/x/', 'https://data.example.com/x'],
    ['base-url', 'http://localhost:8787', 'http://localhost:8787'],
    ['store', '/data/asof.db', '/data/asof.db'],
    // It means the same everywhere.
    ['store', 'here.db', join(process.cwd(), 'here.db')],
    ['format', 'ndjson', 'ndjson'],
    ['timeout', '2.5', '2.5'],
    ['retries', '0', '0'],
    ['MAX-WAIT', '3600', '3600'],
  ])('remembers %s %s', async (name, value, kept) => {
    expect(await run(`config set ${name} ${value}`)).toEqual({ code: 0, out: '', err: '' });
    expect(await run(`config get ${name}`)).toEqual({ code: 0, out: `${kept}\n`, err: '' });
    await run(`config unset ${name}`);
    const { code, out, err } = await run(`config get ${name}`);
    expect([code, out, err]).toEqual([3, '', expect.stringContaining('is not set')]);
  });

  it.each([
    ['base_url data.example.com', 'invalid base_url "data.example.com": it is not a URL'],
    ['base_url https://me:hunter2@data.example.com', 'user name or a password'],
    ['store ', 'invalid store "": it may not be empty'],
    ['format ods', 'invalid format "ods"'],
    ['timeout 86401', 'invalid timeout "86401"'],
    ['retries -1', 'invalid retries "-1"'],
    ['colour blue', "unknown setting 'colour'"],
    ['basurl x', 'did you mean base_url?'],
    ['api_key secret', "unknown setting 'api_key'"],
  ])('refuses %s', async (words, said) => {
    const { code, out, err } = await run(`config set -- ${words}`);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(said)]);
    expect(err).not.toContain('hunter2');
    expect(folder.has('mine')).toBe(false);
  });

  it('lists what is set, says where, and keeps file and folder for their owner alone', async () => {
    await run('config set timeout 5');
    await run('config set base_url http://localhost:1');
    expect((await run('config list')).out).toBe('base_url=http://localhost:1\ntimeout=5\n');
    expect((await run('config path')).out).toBe(`${mine}/config.json\n`);
    expect([mode(mine), mode(`${mine}/config.json`)]).toEqual(['700', '600']);
  });

  it('leaves the mode of a folder that is there', async () => {
    writeMine('config.json', '{}');
    chmodSync(mine, 0o755);
    expect((await run('config set timeout 5')).code).toBe(0);
    expect([mode(mine), mode(`${mine}/config.json`)]).toEqual(['755', '600']);
  });

  it('is in the user’s folder of settings unless another is named; an empty variable names none', async () => {
    const folders = { data: folder.path('data'), config: folder.path('config'), cache: folder.path('cache') };
    for (const named of [{}, { ASOF_CONFIG_DIR: '' }]) {
      const { out } = await asof(['config', 'path'], { env: named, folders });
      expect(out).toBe(`${folders.config}/config.json\n`);
    }
  });

  it('replaces the file that a symbolic link leads to, and the link stays', async () => {
    const elsewhere = writeMine('elsewhere.json', '{"timeout": 5}');
    symlinkSync(elsewhere, `${mine}/config.json`);
    expect((await run('config set retries 1')).code).toBe(0);
    expect(lstatSync(`${mine}/config.json`).isSymbolicLink()).toBe(true);
    expect(folder.read('mine/elsewhere.json')).toBe('{\n  "timeout": 5,\n  "retries": 1\n}\n');
  });

  it('leaves no draft, and a folder that has taken the place of the file as it was', async () => {
    await run('config set timeout 5');
    expect(readdirSync(mine)).toEqual(['config.json']);
    mkdirSync(folder.path('taken/config.json'), { recursive: true });
    const { code, err } = await run('config set timeout 5', { ASOF_CONFIG_DIR: folder.path('taken') });
    expect([code, err]).toEqual([10, expect.stringContaining('taken/config.json: ')]);
    expect(readdirSync(folder.path('taken'))).toEqual(['config.json']);
  });

  it('keeps entries that this release does not know', async () => {
    writeMine('config.json', '{"colour": "blue", "__internal__": {"a": 1}}');
    await run('config set timeout 5');
    const kept = { colour: 'blue', __internal__: { a: 1 }, timeout: 5 };
    expect(JSON.parse(folder.read('mine/config.json'))).toEqual(kept);
  });

  it.each(['{"timeout": 5', '[]', 'null', ''])(
    'names a damaged file (%j) and what to do, and leaves it',
    async (text) => {
      const file = writeMine('config.json', text);
      for (const line of ['config list', 'config set timeout 5', 'ping']) {
        const { code, out, err } = await run(line);
        expect([code, out, err]).toEqual([10, '', expect.stringContaining(`cannot read ${file}`)]);
        expect(err).toContain('repair it, or delete it');
      }
      expect(folder.read('mine/config.json')).toBe(text);
      expect((await run('config path')).code).toBe(0);
    },
  );

  it('names an invalid value, and how to remove it', async () => {
    const file = writeMine('config.json', '{"timeout": "soon", "kept": [1]}');
    const err = `asof: ${file}: the setting timeout cannot be "soon"\n      asof config unset timeout\n`;
    expect(await run('ping')).toEqual({ code: 10, out: '', err });
    expect((await run('config unset timeout')).code).toBe(0);
    expect(JSON.parse(folder.read('mine/config.json'))).toEqual({ kept: [1] });
  });

  it('says so when the file cannot be written', async () => {
    const below = join(folder.write('file', ''), 'below');
    const { code, err } = await run('config set timeout 5', { ASOF_CONFIG_DIR: below });
    expect([code, err]).toEqual([10, expect.stringContaining(`cannot write to ${below}/config.json`)]);
  });

  it('gives the format that no flag and no variable gives', async () => {
    await run('config set format tsv');
    expect((await run('ping')).out).toContain('status\tmessage');
    expect((await run('ping --csv')).out).toContain('status,message');
    expect((await run('ping', { ASOF_FORMAT: 'csv' })).out).toContain('status,message');
  });

  it('gives the store that no flag and no variable gives', async () => {
    await run(`config set store ${folder.path('none.db')}`);
    expect((await run('ping')).err).toContain('the setting store names this store');
    expect((await run(`ping --store ${folder.path('flag.db')}`)).err).toContain('flag.db');
    const variable = { ASOF_STORE: folder.path('variable.db') };
    expect((await run('ping', variable)).err).toContain('ASOF_STORE names this store');
  });

  it('is never written by a query', async () => {
    await run('ping');
    expect(folder.has('mine')).toBe(false);
  });
});

describe('asof auth login', () => {
  it('stores the key from stdin for the origin, readable by its owner alone, and shows nothing of it', async () => {
    const { code, out, err } = await login('https://data.example.com/prefix');
    const said = `asof: stored the key for https://data.example.com in ${mine}/keys.json; \`asof ping\` tries it\n`;
    expect([code, out, err]).toEqual([0, '', said]);
    expect(keys()).toEqual({ 'https://data.example.com': key });
    expect([mode(mine), mode(`${mine}/keys.json`)]).toEqual(['700', '600']);
  });

  it('keeps one key for each origin, and replaces the old one', async () => {
    await login('https://a.example.com', other);
    await login('https://b.example.com', other);
    await login('https://a.example.com/again');
    expect(keys()).toEqual({ 'https://a.example.com': key, 'https://b.example.com': other });
  });

  it.each([
    ['an empty one', '', 'the key from stdin is empty'],
    ['one of several words', 'not a key', 'the key from stdin holds characters that no key has'],
    ['a whole file', 'x'.repeat(70_000), 'too long to be a key'],
  ])('refuses %s', async (_, token, words) => {
    const { code, out, err } = await login('https://data.example.com', token);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(words)]);
    expect(folder.has('mine')).toBe(false);
  });

  it('takes the service of ASOF_BASE_URL or of the setting', async () => {
    await run('auth login --with-token', { ASOF_BASE_URL: 'http://localhost:1' }, key);
    await run('config set base_url http://localhost:2');
    await run('auth login --with-token', {}, key);
    expect(Object.keys(keys())).toEqual(['http://localhost:1', 'http://localhost:2']);
  });

  it('warns if others can read the key on the network, or another key takes precedence', async () => {
    expect((await login('http://data.example.com')).err).toContain('it is not https');
    expect((await login('http://127.0.0.1:8787')).err).not.toContain('it is not https');
    expect((await login('http://localhost:1', key, { ASOF_API_KEY: other })).err).toContain(
      'ASOF_API_KEY is set and takes precedence over the stored key',
    );
  });

  transcript(
    `
    # needs a service, and a terminal or --with-token
    $ asof auth login --with-token
    ! asof: no service selected; pass --base-url
    !       ASOF_BASE_URL and \`asof config set base_url URL\` select one too
    [exit 2]
    $ asof auth login --base-url http://localhost:1
    ! asof: there is no terminal to ask for the key
    !       --with-token reads it from stdin
    [exit 2]
    `,
    () => ({ env }),
  );

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
  ])('asks for a key that is %s, and shows nothing of it', async (_, typed) => {
    const { stdin, raw } = terminal(...typed);
    const { code, out, err } = await prompt(stdin);
    expect([code, out, raw]).toEqual([0, '', [true, false]]);
    expect(err).toMatch(/^Key for http:\/\/localhost:1: \nasof: stored the key/);
    expect(keys()).toEqual({ 'http://localhost:1': key });
  });

  it('ends with Ctrl-C or SIGTERM, with nothing stored and the terminal as it was', async () => {
    const stop = new AbortController();
    for (const [keys, code] of [
      [['abc', '\u0003'], 130],
      [['abc'], 143],
    ] as const) {
      const { stdin, raw } = terminal(...keys);
      const ended = prompt(stdin, stop.signal);
      if (code === 143) setTimeout(() => stop.abort('SIGTERM'), 50);
      expect([(await ended).code, raw]).toEqual([code, [true, false]]);
    }
    expect(folder.has('mine')).toBe(false);
  });
});

describe('asof auth status and logout', () => {
  it('show for which origins there are keys, but not the keys, and which one is sent', async () => {
    await login('https://a.example.com');
    await login('https://b.example.com', 'anotherservicesecret');
    const file = `${mine}/keys.json`;
    const out = `https://a.example.com  asof_live_sk_abcd…  ${file}\nhttps://b.example.com  …  ${file}\n`;
    expect(await run('auth status')).toEqual({ code: 0, out, err: '' });
    const status = (url: string, more: Variables = {}) => run(`auth status --base-url ${url}`, more);
    const told = (code: number, text: string) => ({ code, out, err: `asof: ${text}\n` });
    expect(await status('https://a.example.com/x')).toEqual(
      told(0, `https://a.example.com gets the key of ${file}`),
    );
    expect(await status('https://c.example.com')).toEqual(told(4, 'no key for https://c.example.com'));
    expect(await status('https://c.example.com', { ASOF_API_KEY: other })).toEqual(
      told(0, 'https://c.example.com gets the key of ASOF_API_KEY'),
    );
    expect((await run('auth status', { ASOF_CONFIG_DIR: folder.path('empty') })).code).toBe(4);
  });

  it('remove a key, and say if there is none', async () => {
    await login('https://a.example.com');
    await login('https://b.example.com');
    expect((await run('auth logout --base-url https://a.example.com')).code).toBe(0);
    expect(Object.keys(keys())).toEqual(['https://b.example.com']);
    const err = 'asof: no key is stored for https://a.example.com\n';
    expect(await run('auth logout --base-url https://a.example.com')).toEqual({ code: 3, out: '', err });
  });

  it('name a damaged file of keys, without showing its content', async () => {
    const file = writeMine('keys.json', `{"https://a.example.com": "${key}"`);
    for (const line of ['auth status', 'ping --base-url https://a.example.com']) {
      const { code, out, err } = await run(line, {}, key);
      expect([code, out, err]).toEqual([10, '', expect.stringContaining(`cannot read ${file}`)]);
      expect(err).not.toContain(key);
    }
    // The embedded store needs no key.
    expect((await run('ping')).code).toBe(0);
  });
});

describe('the key that is sent', () => {
  /** A service that answers, and the keys that it got. */
  async function service() {
    const { url, asked } = await serve((_, response) => reply(response, 200, envelope('ping', [pong])));
    return { url, keys: () => asked.map(({ headers }) => headers['x-api-key']) };
  }

  it('is that of the origin and no other', async () => {
    const [own, foreign] = [await service(), await service()];
    await login(`${own.url}/prefix`);
    for (const { url } of [own, foreign]) await run(`ping --base-url ${url}`);
    expect([own.keys(), foreign.keys()]).toEqual([[key], [undefined]]);
  });

  it('is that of ASOF_API_KEY before that of ASOF_API_KEY_FILE before the stored one; empty is unset', async () => {
    const { url, keys } = await service();
    await login(url, 'stored');
    const ASOF_API_KEY_FILE = folder.write('key', 'of-the-file\n');
    const ping = (more: Variables) => run(`ping --base-url ${url}`, more);
    chmodSync(ASOF_API_KEY_FILE, 0o644);
    expect((await ping({ ASOF_API_KEY: 'of-the-variable', ASOF_API_KEY_FILE })).err).toBe('');
    const warning = `asof: others can read the key in ${ASOF_API_KEY_FILE}; chmod 600 keeps it yours\n`;
    expect((await ping({ ASOF_API_KEY: '', ASOF_API_KEY_FILE })).err).toBe(warning);
    chmodSync(ASOF_API_KEY_FILE, 0o600);
    expect((await ping({ ASOF_API_KEY_FILE })).err).toBe('');
    await ping({ ASOF_API_KEY: '', ASOF_API_KEY_FILE: '' });
    expect(keys()).toEqual(['of-the-variable', 'of-the-file', 'of-the-file', 'stored']);
  });

  it.each([
    [
      'a file that is not there',
      { ASOF_API_KEY_FILE: '/nowhere/key' },
      10,
      'there is no such file or folder',
    ],
    [
      'a text of several lines',
      { ASOF_API_KEY: 'se\ncret' },
      2,
      'the key from ASOF_API_KEY holds characters',
    ],
  ])('is never guessed: %s', async (_, more, status, words) => {
    const { url, keys } = await service();
    const { code, err } = await run(`ping --base-url ${url}`, more);
    expect([code, err, keys()]).toEqual([status, expect.stringContaining(words), []]);
    expect(err).not.toContain('cret');
  });
});
