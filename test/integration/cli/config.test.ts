import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { asof } from '../../support/command.ts';
import { type Folder, newFolder } from '../../support/folders.ts';

let folder: Folder;
let env: Readonly<Record<string, string>>;
let file: string;

beforeEach(() => {
  folder = newFolder();
  env = { ASOF_CONFIG_DIR: folder.path('mine') };
  file = join(folder.path('mine'), 'config.json');
});

const run = (...line: readonly string[]) => asof(line, { env });
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('asof config', () => {
  it.each([
    ['base_url', 'https://data.example.com/x/', 'https://data.example.com/x'],
    ['base-url', 'http://localhost:8787', 'http://localhost:8787'],
    ['store', '/data/asof.db', '/data/asof.db'],
    ['format', 'ndjson', 'ndjson'],
    ['timeout', '2.5', '2.5'],
    ['retries', '0', '0'],
    ['MAX-WAIT', '3600', '3600'],
  ])('remembers %s %s', async (name, value, kept) => {
    expect(await run('config', 'set', name, value)).toEqual({ code: 0, out: '', err: '' });
    expect(await run('config', 'get', name)).toEqual({ code: 0, out: `${kept}\n`, err: '' });
    await run('config', 'unset', name);
    const { code, out, err } = await run('config', 'get', name);
    expect([code, out, err]).toEqual([3, '', expect.stringContaining('is not set')]);
  });

  it.each([
    ['base_url', 'data.example.com', 'invalid base_url "data.example.com": it is not a URL'],
    ['base_url', 'https://me:hunter2@data.example.com', 'user name or a password'],
    ['store', '', 'invalid store "": it may not be empty'],
    ['format', 'ods', 'invalid format "ods"'],
    ['timeout', '0', 'invalid timeout "0"'],
    ['timeout', '1e3', 'invalid timeout "1e3"'],
    ['timeout', '86401', 'invalid timeout "86401"'],
    ['retries', '-1', 'invalid retries "-1"'],
    ['retries', '1.5', 'invalid retries "1.5"'],
    ['max_wait', 'forever', 'invalid max_wait "forever"'],
    ['colour', 'blue', "unknown setting 'colour'"],
    ['api_key', 'secret', "unknown setting 'api_key'"],
  ])('refuses %s %j', async (name, value, words) => {
    const { code, out, err } = await run('config', 'set', '--', name, value);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(words);
    expect(err).not.toContain('hunter2');
    expect(folder.has('mine')).toBe(false);
  });

  it('keeps a store by its full path, so that it means the same everywhere', async () => {
    await run('config', 'set', 'store', 'here.db');
    expect((await run('config', 'get', 'store')).out).toBe(`${join(process.cwd(), 'here.db')}\n`);
  });

  it('suggests the setting that was meant', async () => {
    expect((await run('config', 'get', 'basurl')).err).toContain('did you mean base_url?');
  });

  it('lists what is set, and says where', async () => {
    await run('config', 'set', 'timeout', '5');
    await run('config', 'set', 'base_url', 'http://localhost:1');
    expect((await run('config', 'list')).out).toBe('base_url=http://localhost:1\ntimeout=5\n');
    expect((await run('config', 'path')).out).toBe(`${file}\n`);
  });

  it('keeps file and folder for their owner alone', async () => {
    await run('config', 'set', 'timeout', '5');
    expect([mode(folder.path('mine')), mode(file)]).toEqual(['700', '600']);
  });

  it('makes its own folder private again, but never a folder with other files', async () => {
    for (const [others, expected] of [
      [[], '700'],
      [['letters.txt'], '755'],
    ] as const) {
      const path = folder.path(`shared-${others.length}`);
      mkdirSync(path);
      chmodSync(path, 0o755);
      for (const name of others) writeFileSync(join(path, name), '');
      const { code } = await asof(['config', 'set', 'timeout', '5'], { env: { ASOF_CONFIG_DIR: path } });
      expect([code, mode(path), mode(join(path, 'config.json'))]).toEqual([0, expected, '600']);
    }
  });

  it('is in the user’s folder of settings unless another is named; an empty variable names none', async () => {
    const folders = { data: folder.path('data'), config: folder.path('config'), cache: folder.path('cache') };
    const at = async (named: Readonly<Record<string, string>>) =>
      (await asof(['config', 'path'], { env: named, folders })).out;
    expect(await at({})).toBe(`${join(folders.config, 'config.json')}\n`);
    expect(await at({ ASOF_CONFIG_DIR: '' })).toBe(`${join(folders.config, 'config.json')}\n`);
    expect(await at({ ASOF_CONFIG_DIR: folder.path('c') })).toBe(`${folder.path('c')}/config.json\n`);
  });

  it.each(['{"timeout": 5', '[]', 'null', ''])(
    'names a damaged file (%j) and what to do, and leaves it',
    async (text) => {
      mkdirSync(folder.path('mine'));
      writeFileSync(file, text);
      for (const line of [['config', 'list'], ['config', 'set', 'timeout', '5'], ['ping']]) {
        const { code, out, err } = await run(...line);
        expect([code, out]).toEqual([10, '']);
        expect(err).toContain(`cannot read ${file}`);
        expect(err).toContain('repair it, or delete it');
      }
      expect(folder.read('mine/config.json')).toBe(text);
      expect((await run('config', 'path')).code).toBe(0);
    },
  );

  it('names an invalid value, and how to remove it', async () => {
    mkdirSync(folder.path('mine'));
    writeFileSync(file, '{"timeout": "soon", "kept": [1]}');
    const { code, err } = await run('ping');
    expect([code, err]).toEqual([
      10,
      `asof: ${file}: the setting timeout cannot be "soon"\n      asof config unset timeout\n`,
    ]);
    expect((await run('config', 'unset', 'timeout')).code).toBe(0);
    expect(JSON.parse(folder.read('mine/config.json'))).toEqual({ kept: [1] });
  });

  it('replaces the file that a symbolic link leads to, and the link stays', async () => {
    mkdirSync(folder.path('mine'));
    folder.write('elsewhere.json', '{"timeout": 5}');
    symlinkSync(folder.path('elsewhere.json'), file);
    expect((await run('config', 'set', 'retries', '1')).code).toBe(0);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(folder.read('elsewhere.json')).toBe('{\n  "timeout": 5,\n  "retries": 1\n}\n');
  });

  it('leaves nothing but the file, and what it was where a folder has taken its place', async () => {
    await run('config', 'set', 'timeout', '5');
    expect(readdirSync(folder.path('mine'))).toEqual(['config.json']);
    mkdirSync(folder.path('taken/config.json'), { recursive: true });
    const { code, err } = await asof(['config', 'set', 'timeout', '5'], {
      env: { ASOF_CONFIG_DIR: folder.path('taken') },
    });
    expect([code, err]).toEqual([10, expect.stringContaining('taken/config.json: ')]);
    expect(readdirSync(folder.path('taken'))).toEqual(['config.json']);
  });

  it('has settings of a release that used other names, which stay as they are', async () => {
    mkdirSync(folder.path('mine'));
    writeFileSync(file, '{"colour": "blue", "__internal__": {"a": 1}}');
    await run('config', 'set', 'timeout', '5');
    expect(JSON.parse(folder.read('mine/config.json'))).toEqual({
      colour: 'blue',
      __internal__: { a: 1 },
      timeout: 5,
    });
  });

  it('says so when the file cannot be written', async () => {
    writeFileSync(folder.path('file'), '');
    const blocked = { ASOF_CONFIG_DIR: join(folder.path('file'), 'below') };
    const { code, err } = await asof(['config', 'set', 'timeout', '5'], { env: blocked });
    expect([code, err]).toEqual([
      10,
      expect.stringContaining(`cannot write to ${join(blocked.ASOF_CONFIG_DIR, 'config.json')}`),
    ]);
  });
});

describe('settings', () => {
  it('give the format that no flag and no variable gives', async () => {
    await run('config', 'set', 'format', 'tsv');
    const first = async (line: readonly string[], more = {}) =>
      (await asof(line, { env: { ...env, ...more } })).out.split('\n')[0];
    expect(await first(['ping'])).toContain('status\tmessage');
    expect(await first(['ping', '--csv'])).toContain('status,message');
    expect(await first(['ping'], { ASOF_FORMAT: 'csv' })).toContain('status,message');
  });

  it('give the store that no flag and no variable gives', async () => {
    await run('config', 'set', 'store', folder.path('none.db'));
    const said = async (line: readonly string[], more = {}) =>
      (await asof(line, { env: { ...env, ...more } })).err;
    expect(await said(['ping'])).toContain('the setting store names this store');
    expect(await said(['ping', '--store', folder.path('flag.db')])).toContain('flag.db');
    expect(await said(['ping'], { ASOF_STORE: folder.path('variable.db') })).toContain(
      'ASOF_STORE names this store',
    );
  });

  it('are never written by a query', async () => {
    await run('ping');
    expect(folder.has('mine')).toBe(false);
  });
});
