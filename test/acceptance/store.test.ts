import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { spawn as spawnPty } from 'node-pty';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkStore } from '../../src/maintenance/check.ts';
import { openWriter, readStoreIfAny } from '../../src/store/open.ts';
import { onEveryEngine, sqlite } from '../support/engines.ts';
import { newFolder, scratchFolder } from '../support/folders.ts';
import { builtProgram as asof } from '../support/repository.ts';
import {
  contentOf,
  digestOf,
  facts,
  importPaths,
  manyStatements,
  newStorePath,
} from '../support/scratch-store.ts';

const folder = newFolder();
const env = { PATH: process.env.PATH ?? '', HOME: folder.path('.') };
const small = folder.write(
  'small.csv',
  facts('GDP 2014-10-01 2015-01-30 17710.7', 'S3 1950-01-01 2019-01-01 1'),
);
const rates = folder.write('par.csv', 'Date,"1 Mo","10 Yr"\n2015-01-02,0.02,2.12\n2015-01-05,0.02,2.04\n');
const large = folder.write('large.csv', manyStatements(12_000, 200));
const store = folder.path('store.db');

beforeAll(() => importPaths(store, [large]));

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [asof, ...args], { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

const start = (...args: readonly string[]) => spawn(process.execPath, [asof, ...args], { env });

async function codeOf(child: ChildProcess): Promise<number | null> {
  return (await once(child, 'close'))[0];
}

/** Runs a command that may write no more than some blocks of 512 bytes into one file, as on a full disk. */
function onFullDisk(blocks: number, ...args: readonly string[]) {
  const limited = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`;
  return spawnSync('sh', ['-c', limited, process.execPath, asof, ...args], { encoding: 'utf8' });
}

describe('on a full disk', () => {
  it('a backup fails with the reason removes no older one, and leaves nothing', () => {
    const place = scratchFolder();
    const args = ['store', 'backup', place, '--keep', '1', '--store', store];
    expect(run(...args).status).toBe(0);
    const before = readdirSync(place);
    const { status, stderr } = onFullDisk(1024, ...args);
    expect([status, stderr]).toEqual([10, expect.stringMatching(/^asof: cannot use the store .*\n/)]);
    expect(readdirSync(place)).toEqual(before);
    expect(run(...args).status).toBe(0);
    const after = readdirSync(place);
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
  });

  it('a store answers, and refuses changes with the reason', () => {
    const path = folder.path('full.db');
    cpSync(store, path);
    const facts = ['facts', 'S7', 'S59'];
    // SQLite cannot even make the files that readers share.
    expect(onFullDisk(0, ...facts, '--store', path)).toMatchObject({
      status: 0,
      stdout: run(...facts, '--store', store).stdout,
    });
    const { status, stderr } = onFullDisk(0, 'series', 'rm', 'S7', '--yes', '--store', path);
    expect(stderr).toMatch(/^asof: cannot use the store .*: the disk is full or reports an error\n/);
    expect(status).toBe(10);
  });
});

describe('two commands at once', () => {
  it('that import into a new store leave one, with what succeeded; the other adds to it or says why not', async () => {
    const path = newStorePath(folder.path('.'));
    const lines = [small, rates].map((file) => ['import', file, '--store', path]);
    const codes = await Promise.all(lines.map((line) => codeOf(start(...line))));
    expect(codes).toContain(0);
    for (const code of codes) expect([0, 10]).toContain(code);
    for (const line of lines) expect(run(...line).status).toBe(0);
    const { series, others } = await contentOf(path);
    expect([series.length, others.length]).toEqual([2, 4]);
  });

  it('that create the same store: the one that finishes later does not replace the first', async () => {
    const path = newStorePath(folder.path('.'));
    const writer = await openWriter(path);
    expect(run('import', small, '--store', path).status).toBe(0);
    const before = digestOf(path);
    await expect(writer.commit()).rejects.toThrow(`another command made the store ${path} meanwhile`);
    expect(digestOf(path)).toBe(before);
  });

  it('that copy to one file: the one that finishes later does not replace the first', async () => {
    const copy = newStorePath(folder.path('.'));
    const line = ['store', 'copy', store, copy, '--yes'];
    const codes = await Promise.all([codeOf(start(...line)), codeOf(start(...line))]);
    // The second finds the store of the first when it begins (2) or when it ends (10).
    expect(codes.sort()).toEqual([0, expect.toBeOneOf([2, 10])]);
    expect(readdirSync(dirname(copy))).toEqual(['asof.db']);
  });
});

describe.concurrent('an import', () => {
  it('waits some seconds for another one that is writing, and then says so', async ({ expect }) => {
    const path = newStorePath(folder.path('.'));
    await importPaths(path, [small]);
    const writer = await openWriter(path);
    const child = start('import', small, '--store', path);
    let told = '';
    child.stderr.on('data', (text) => {
      told += text;
    });
    expect(await codeOf(child)).toBe(10);
    expect(told).toContain('another import is writing to it; try again when it is done');
    await writer.rollback();
  });

  it('of a file of 65 MB does not keep its text in memory, even if each line begins with a long id', async ({
    expect,
  }) => {
    const lines = Array.from({ length: 600_000 }, (_, i) => {
      const day = new Date(Date.UTC(1950, 0, 1 + (i % 500))).toISOString().slice(0, 10);
      return `LONG${String(Math.floor(i / 500)).padStart(76, '0')},${day},2020-01-01,${i % 500}.5\n`;
    });
    const file = folder.write('long.csv', `series_id,date,as_of_date,value\n${lines.join('')}`);
    // Enough MB for everything that the import needs at one time, but not also for the text of its file.
    const line = ['--max-old-space-size=88', asof, 'import', file];
    const child = spawn(process.execPath, [...line, '--store', folder.path('long.db')], { env });
    let told = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        told += text;
      });
    expect(await codeOf(child)).toBe(0);
    expect(told).toContain('600,000 new statements');
  });
});

/** What a terminal shows of a command to which something is typed when it asks. */
function onTerminal(args: readonly string[], answer: string): Promise<{ code: number; text: string }> {
  const held = ['-c', '"$@"; code=$?; sleep 0.2; exit $code', 'sh'];
  const terminal = { cols: 200, rows: 40, env: { ...env, TERM: 'xterm' } };
  const pty = spawnPty('sh', [...held, process.execPath, asof, ...args], terminal);
  let text = '';
  pty.onData((data) => {
    if (!text.includes('[y/N]') && (text + data).includes('[y/N]')) pty.write(answer);
    text += data;
  });
  return new Promise((resolve) => pty.onExit(({ exitCode }) => resolve({ code: exitCode, text })));
}

describe('on a terminal', () => {
  it('a copy asks first; only yes makes it', async () => {
    const copy = folder.path('asked.db');
    const args = ['store', 'copy', store, copy];
    const refused = ['\r', 'n\r', '\u0003', '\u0004'].map(async (answer) => {
      const { code, text } = await onTerminal(args, answer);
      expect(text).toContain(`copy ${store} to ${copy}? [y/N]`);
      expect(text).toContain('nothing was changed');
      expect(code).toBe(130);
    });
    await Promise.all(refused);
    expect(existsSync(copy)).toBe(false);
    const { code, text } = await onTerminal(args, 'y\r');
    expect(text).toContain('read again and compared');
    expect(code).toBe(0);
    expect(existsSync(copy)).toBe(true);
  });
});

/** Runs a command, and kills it after some time if it has not ended. */
async function killed(args: readonly string[], milliseconds: number): Promise<void> {
  const child = spawn(process.execPath, [asof, ...args], { env, stdio: 'ignore' });
  const end = once(child, 'close');
  await Promise.race([end, delay(milliseconds)]);
  child.kill('SIGKILL');
  await end;
}

/** Runs a command to its end; the milliseconds that it took. */
function ended(args: readonly string[]): number {
  const begun = Date.now();
  expect({ args, ...run(...args) }).toMatchObject({ args, status: 0 });
  return Date.now() - begun;
}

/** Everything that a store holds; `nothing` where there is none that can be read. */
function contentIn(address: string): Promise<string> {
  return contentOf(address).then(JSON.stringify, (error: unknown) => {
    expect(String(error)).toMatch(/there is no (?:such file|store in the schema)/);
    return 'nothing';
  });
}

onEveryEngine((engine) => {
  it('an import in parts that is killed between two of them left whole series, and goes on behind them', async () => {
    const file = folder.write(`parts-${engine.name}.csv`, manyStatements(3 * 5100, 3));
    const parted = engine.newAddress();
    const line = ['import', file, '--chunked', '--store', parted];
    const child = start(...line);
    const end = once(child, 'close');
    const reached = () => readStoreIfAny(parted, (view) => view.sources.unfinished());
    let before: Awaited<ReturnType<typeof reached>> = [];
    while (before === undefined || before.length === 0) {
      before = await reached();
      await delay(2);
    }
    child.kill('SIGKILL');
    expect((await end)[1]).toBe('SIGKILL');
    const [stopped] = (await reached()) ?? [];
    const { totals, ids } = await readStoreIfAny(parted, async ({ contents }) => ({
      totals: await contents.totals(),
      ids: await contents.seriesIds(),
    })).then((found) => found ?? expect.fail('there is no store'));
    expect(stopped).toMatchObject({ paths: file, series: ids.length, total: 5100 });
    expect(ids.length % 1000).toBe(0);
    expect(totals).toMatchObject({ series: ids.length, facts: 3 * ids.length });
    expect((await checkStore(parted)).faults).toEqual([]);
    expect(run(...line)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(`went on behind ${ids.length / 1000},000 of 5,100 series`),
    });
    expect(await reached()).toEqual([]);
    const whole = engine.newAddress();
    await importPaths(whole, [file]);
    expect(await contentIn(parted)).toBe(await contentIn(whole));
  });

  describe('a command that is killed at any moment', () => {
    let [whole, after] = ['', ''];
    let time = 0;

    async function smallStore(): Promise<string> {
      const address = engine.newAddress();
      await importPaths(address, [small, rates]);
      return address;
    }

    async function largeStore(): Promise<string> {
      const address = await smallStore();
      await importPaths(address, [large]);
      return address;
    }

    const none = async () => engine.newAddress();

    beforeAll(async () => {
      whole = await smallStore();
      time = ended(['import', large, '--store', whole]);
      after = await contentIn(whole);
    });

    type Killed = readonly [name: string, begin: () => Promise<string>, line: (store: string) => string[]];
    const lines: readonly Killed[] = [
      ['import', smallStore, (store) => ['import', large, '--store', store]],
      ['import into a new store', none, (store) => ['import', small, rates, large, '--store', store]],
      ['store merge', smallStore, (store) => ['store', 'merge', whole, '--yes', '--store', store]],
      ['store undo', largeStore, (store) => ['store', 'undo', '--yes', '--store', store]],
      ['store restore', smallStore, (store) => ['store', 'restore', whole, '--yes', '--store', store]],
      ['store copy', none, (store) => ['store', 'copy', whole, store, '--yes']],
      [
        'store backup',
        async () => sqlite.newAddress(),
        (file) => ['store', 'backup', file, '--store', whole],
      ],
    ];

    // A copy of a file is what a backup is; in PostgreSQL one transaction is all that the others have in common.
    const left = engine === sqlite ? /copy/ : /^import$|merge|restore|backup/;
    it.each(lines.filter(([name]) => !left.test(name)))(
      'leaves what was there or what is to be there, and no lock, and succeeds when it is repeated: %s',
      async (name, begin, line) => {
        const to = name === 'store undo' ? await contentIn(await smallStore()) : after;
        const store = await begin();
        const from = await contentIn(store);
        // Node itself takes the first third.
        const moment = time * (0.35 + Math.random() * 0.6);
        await killed(line(store), moment);
        const now = await contentIn(store);
        expect([from, to], `killed after ${Math.round(moment)} ms`).toContain(now);
        if (now === from) ended(line(store));
        expect(await contentIn(store)).toBe(to);
        expect((await checkStore(store)).faults).toEqual([]);
        await importPaths(store, [small]);
        if (!store.startsWith('postgres'))
          expect(readdirSync(dirname(store)).filter((file) => !/-(?:wal|shm)$/.test(file))).toEqual([
            basename(store),
          ]);
      },
    );
  });
});
