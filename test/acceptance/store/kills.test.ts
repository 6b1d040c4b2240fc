import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkStore } from '../../../src/maintenance/check.ts';
import { onEveryEngine, sqlite } from '../../support/engines.ts';
import { newFolder } from '../../support/folders.ts';
import { builtProgram } from '../../support/repository.ts';
import { facts, importPaths, manyStatements } from '../../support/scratch-store.ts';
import { contentOf } from '../../support/store-content.ts';

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
  expect({ status, stderr }).toMatchObject({ status: 0 });
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

    beforeAll(async () => {
      whole = await smallStore();
      time = ended(['import', large, '--store', whole]);
    });

    type Killed = readonly [name: string, begin: () => Promise<string>, line: (store: string) => string[]];
    const lines: readonly Killed[] = [
      ['import', smallStore, (store) => ['import', large, '--store', store]],
      ['store merge', smallStore, (store) => ['store', 'merge', whole, '--yes', '--store', store]],
      ['store undo', largeStore, (store) => ['store', 'undo', '--yes', '--store', store]],
      ['store restore', smallStore, (store) => ['store', 'restore', whole, '--yes', '--store', store]],
      ['store copy', async () => engine.newAddress(), (store) => ['store', 'copy', whole, store, '--yes']],
    ];

    // Imports into files are killed by crash.test.ts, and a backup is a file.
    it.each(lines.filter(([name]) => name !== (engine === sqlite ? 'import' : 'store restore')))(
      'leaves what was there or what is to be there, and succeeds when it is repeated: %s',
      async (name, begin, line) => {
        const to = name === 'store undo' ? await contentIn(await smallStore()) : await contentIn(whole);
        const store = await begin();
        const from = await contentIn(store);
        // Node itself takes the first third.
        for (const least of [0.35, 0.65]) {
          const share = least + Math.random() * 0.3;
          await killed(line(store), time * share);
          const now = await contentIn(store);
          expect([from, to], `killed after ${Math.round(time * share)} ms`).toContain(now);
          if (now === from) continue;
          expect((await checkStore(store)).faults).toEqual([]);
          return;
        }
        ended(line(store));
        expect(await contentIn(store)).toBe(to);
        expect((await checkStore(store)).faults).toEqual([]);
      },
    );
  });
});
