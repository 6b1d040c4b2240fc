import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkStore } from '../../../src/maintenance/check.ts';
import { onEveryEngine, sqlite } from '../../support/engines.ts';
import { newFolder } from '../../support/folders.ts';
import { builtProgram } from '../../support/repository.ts';
import { contentOf, facts, importPaths, manyStatements } from '../../support/scratch-store.ts';

const folder = newFolder();
const env = { PATH: process.env.PATH ?? '', HOME: folder.path('.') };
const small = folder.write(
  'small.csv',
  facts('GDP 2014-10-01 2015-01-30 17710.7', 'S3 1950-01-01 2019-01-01 1'),
);
const rates = folder.write('par.csv', 'Date,"1 Mo","10 Yr"\n2015-01-02,0.02,2.12\n2015-01-05,0.02,2.04\n');
const large = folder.write('large.csv', manyStatements(20_000, 1000));

/** Runs a command, and kills it after some time if it has not ended. */
async function killed(args: readonly string[], milliseconds: number): Promise<void> {
  const child = spawn(process.execPath, [builtProgram, ...args], { env, stdio: 'ignore' });
  const end = once(child, 'close');
  await Promise.race([end, delay(milliseconds)]);
  child.kill('SIGKILL');
  await end;
}

/** Runs a command to its end; the milliseconds that it took. */
function ended(args: readonly string[]): number {
  const begun = Date.now();
  const { status, stderr } = spawnSync(process.execPath, [builtProgram, ...args], { env, encoding: 'utf8' });
  expect({ args, status, stderr }).toMatchObject({ args, status: 0 });
  return Date.now() - begun;
}

/** Everything that a store holds; `nothing` where there is none that can be read. */
function contentIn(address: string): Promise<string> {
  return contentOf(address).then(JSON.stringify, (error: unknown) => {
    expect(String(error)).toMatch(/there is no (?:such file|store in the schema)|is an unfinished copy/);
    return 'nothing';
  });
}

onEveryEngine((engine) => {
  describe('a command that is killed at any moment', () => {
    let whole = '';
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

    // A backup that is restored is a file, and a copy of a file is what a backup is.
    const left = engine === sqlite ? 'store copy' : 'store restore';
    it.each(lines.filter(([name]) => name !== left))(
      'leaves what was there or what is to be there, and no lock, and succeeds when it is repeated: %s',
      async (name, begin, line) => {
        const to = name === 'store undo' ? await contentIn(await smallStore()) : await contentIn(whole);
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
        ended(['import', small, '--store', store]);
        if (!store.startsWith('postgres'))
          expect(readdirSync(dirname(store)).filter((file) => !/-(?:wal|shm)$/.test(file))).toEqual([
            basename(store),
          ]);
      },
    );
  });
});
