import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { allCommands } from '../../src/cli/dispatch.ts';
import { scratchFolder } from '../support/folders.ts';
import { builtProgram, manifest, root } from '../support/repository.ts';
import { facts } from '../support/scratch-store.ts';

const program = join(scratchFolder(), 'asof');

beforeAll(() => {
  const made = spawnSync(process.execPath, ['scripts/build-binary.mjs', program], {
    cwd: root,
    encoding: 'utf8',
  });
  expect([made.status, made.stderr]).toEqual([0, '']);
}, 300_000);

type Home = { readonly home: string; readonly env?: Readonly<Record<string, string>> };

/** Runs the executable where nothing else is: no variable but HOME, no program on a path. */
function asof(words: readonly string[], { home, env = {} }: Home) {
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: home,
    env: { HOME: home, ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('the single executable, on a machine without Node', () => {
  it('has the version of the package, and the help of every command with a first word of its own', async () => {
    const home = scratchFolder();
    expect(asof(['--version'], { home }).stdout).toBe(`${manifest.version}\n`);
    const first = new Map((await allCommands()).map(({ words }) => [words.split(' ')[0], words]));
    for (const words of first.values())
      expect([words, asof([...words.split(' '), '--help'], { home })]).toMatchObject([
        words,
        { status: 0, stderr: '' },
      ]);
    expect(readdirSync(home)).toEqual([]);
  });

  it('answers as the program in dist/ does, from one copy of the sample that only its user can write to', () => {
    const home = scratchFolder();
    const options = { cwd: home, env: { HOME: home }, encoding: 'utf8' } as const;
    for (const line of [
      'obs GDP --as-of 2015-01-30 --from 2014-10-01 --columns date,value,as_of_date',
      'panel GDP PAYEMS --as-of-each month-end --from 2008-01-01 --to 2008-06-30 --wide',
      'revisions GDP --date 2008-10-01 --plot',
      'series search inflation',
      // Cells with commas.
      'series search GDP --csv --columns all',
      'insider clusters --csv --columns all',
      'curve --date 2019-08-27',
      'insider clusters --ticker MAIA --from 2025-12-10',
      'obs CPIAUCSL --units pc1 --limit 3 -f xlsx -o a.xlsx',
      'obs CPIAUCSL --limit 9 -f markdown',
      'obs GDP --as-of never',
    ]) {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [builtProgram, ...line.split(' ')],
        options,
      );
      expect([line, asof(line.split(' '), { home })]).toEqual([line, { status, stdout, stderr }]);
    }
    expect(readdirSync(join(home, '.cache/asof/files'))).toEqual([
      expect.stringMatching(/^[\da-f]{16}-sample\.db$/),
    ]);
  });

  it('imports, joins, checks, draws PNG and PDF, makes and verifies a snapshot, and writes Parquet', () => {
    const home = scratchFolder();
    writeFileSync(
      join(home, 'facts.csv'),
      facts('S 2020-01-01 2020-02-01 1.50', 'S 2020-01-01 2020-03-01 2'),
    );
    writeFileSync(join(home, 'mine.csv'), 'day,px\n2020-02-10,7\n');
    writeFileSync(join(home, 'plan.txt'), 's.csv obs S\n');
    for (const line of [
      'import facts.csv -q',
      'join mine.csv --on day S -o joined.parquet',
      'obs S -o s.png',
      'obs S -o s.pdf',
      'snapshot plan.txt --out desk --as-of 2020-02-15',
      'verify desk',
      'store backup copy.db -q',
      'store check',
      'store undo --yes -q',
    ])
      expect([line, asof(line.split(' '), { home })]).toMatchObject([line, { status: 0 }]);
    expect(readFileSync(join(home, 'desk/s.csv'), 'utf8')).toContain('2020-01-01,1.50,2020-02-01,S');
    expect(readFileSync(join(home, 's.png')).subarray(1, 4).toString()).toBe('PNG');
    expect(readFileSync(join(home, 's.pdf')).subarray(0, 4).toString()).toBe('%PDF');
    expect(readFileSync(join(home, 'joined.parquet')).subarray(0, 4).toString()).toBe('PAR1');
    expect(asof(['obs', 'S', '--columns', 'value', '--store', 'copy.db'], { home }).stdout).toBe(
      'value\n2\n',
    );
  });

  it('serves pages, tables out of its threads, the explorer and the reference', async () => {
    const home = scratchFolder();
    const key = asof(['keys', 'create', '--name', 'ann', '--plan', 'pro', '-q'], { home }).stdout.trim();
    const child = spawn(program, ['serve', '--port', '0', '--explorer', 'on'], {
      cwd: home,
      env: { HOME: home },
    });
    try {
      const url = await new Promise<string>((resolve) => {
        let log = '';
        child.stderr.on('data', (part) => {
          log += part;
          const found = /"url":"(http:[^"]+)"/.exec(log)?.[1];
          if (found !== undefined) resolve(found);
        });
      });
      const get = async (path: string) =>
        await (await fetch(url + path, { headers: { 'x-api-key': key } })).text();
      expect(await get('/v1/observations?ids=GDP&as_of=2015-01-30&limit=1&format=csv')).toMatch(
        /\n2014-10-01,17710\.7,2015-01-30,GDP,/,
      );
      expect(await get('/')).toContain('<title>asof</title>');
      expect(await get('/docs')).toContain('swagger-ui-bundle.js');
      expect(JSON.parse(await get('/v1/openapi.json'))).toMatchObject({ openapi: '3.1.0' });
    } finally {
      child.kill();
    }
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('answers an assistant', async () => {
    const home = scratchFolder();
    const child = spawn(program, ['mcp'], { cwd: home, env: { HOME: home } });
    child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
    expect(await text(child.stdout)).toContain('"name":"observations"');
  });

  it('needs no place to write for a store of its user, and says what it cannot write for the sample', () => {
    const home = scratchFolder();
    writeFileSync(join(home, 'facts.csv'), facts('S 2020-01-01 2020-02-01 1.50'));
    expect(asof(['import', 'facts.csv', '-q'], { home }).status).toBe(0);
    const env = { XDG_CACHE_HOME: '/dev/null', TMPDIR: '/dev/null' };
    expect(asof(['obs', 'S', '--columns', 'value'], { home, env })).toMatchObject({
      status: 0,
      stdout: 'value\n1.50\n',
    });
    const { status, stderr } = asof(['obs', 'GDP'], { home: scratchFolder(), env });
    expect([status, stderr]).toEqual([
      10,
      'asof: cannot create the copy of the sample: a part of the path is not a folder\n',
    ]);
    expect(existsSync(join(home, '.cache'))).toBe(false);
  });
});
