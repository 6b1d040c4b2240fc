import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, sqlite } from '../../support/engines.ts';
import { newFolder } from '../../support/folders.ts';
import { inDatabase, schemaOf } from '../../support/postgres/schemas.ts';
import { builtProgram } from '../../support/repository.ts';
import { facts, importPaths, manyStatements } from '../../support/scratch-store.ts';
import { contentOf } from '../../support/store-content.ts';

const folder = newFolder();
const env = { PATH: process.env.PATH ?? '', HOME: folder.path('.') };
const many = folder.write('many.csv', manyStatements(40_000, 400));
const small = folder.write('small.csv', facts('GDP 2014-10-01 2015-01-30 17710.7'));

const start = (args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [builtProgram, ...args], { env, stdio: 'ignore' });

function run(...args: readonly string[]) {
  const { status, stderr } = spawnSync(process.execPath, [builtProgram, ...args], { env, encoding: 'utf8' });
  return { status, stderr };
}

/** Whether a copy to an address has begun. */
async function hasBegun(address: string): Promise<boolean> {
  if (!address.startsWith('postgres')) return existsSync(`${address}.unfinished`);
  const table = `${schemaOf(address)}.store`;
  const { rows } = await inDatabase((client) => client.query('select to_regclass($1) as found', [table]));
  return rows[0].found !== null;
}

async function startCopy(args: readonly string[], address: string): Promise<ChildProcess> {
  const child = start(args);
  while (!(await hasBegun(address))) {
    expect(child.exitCode, 'the copy ended before it began').toBeNull();
    await delay(2);
  }
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const end = once(child, 'close');
  child.kill('SIGKILL');
  await end;
}

onEveryEngine((engine) => {
  describe('a copy', () => {
    let store = '';
    beforeAll(async () => {
      store = engine.newAddress();
      await importPaths(store, [many]);
    });

    it.each([0, 50, 150])(
      'that is killed %i ms after it began leaves no lock, and blocks no later command',
      async (milliseconds) => {
        const [copy, other, backup] = [engine.newAddress(), engine.newAddress(), sqlite.newAddress()];
        const copies = ['store', 'copy', store, copy, '--yes'];
        const child = await startCopy(copies, copy);
        await delay(milliseconds);
        await kill(child);
        expect(child.signalCode).toBe('SIGKILL');
        const lines = [
          ['import', small, '--store', store],
          ['obs', 'S7', '--as-of', '2025-01-01', '-q', '--store', store],
          ['store', 'copy', store, other, '--yes'],
          ['store', 'backup', backup, '--store', store],
          copies,
          ['store', 'check', '--store', copy],
        ];
        const place = engine === sqlite ? dirname(copy) : undefined;
        for (const line of lines) {
          const left = place === undefined ? [] : readdirSync(place);
          expect(left.filter((name) => /lock/.test(name))).toEqual([]);
          expect([line, run(...line)]).toMatchObject([line, { status: 0 }]);
        }
        if (place !== undefined)
          expect(readdirSync(place).filter((name) => /unfinished/.test(name))).toEqual([]);
        expect(await contentOf(copy)).toEqual(await contentOf(store));
      },
    );

    it('that is killed as a backup leaves no lock, and a backup of another store begins again', async () => {
      const [backup, another] = [sqlite.newAddress(), engine.newAddress()];
      await importPaths(another, [small]);
      const child = await startCopy(['store', 'backup', backup, '--store', store], backup);
      await delay(100);
      await kill(child);
      expect(run('store', 'backup', backup, '--store', another)).toMatchObject({ status: 0 });
      expect(readdirSync(dirname(backup))).toEqual([basename(backup)]);
      expect(await contentOf(backup)).toEqual(await contentOf(another));
    });

    it('into a file refuses a second one meanwhile, and names the file', async () => {
      const copy = sqlite.newAddress();
      const line = ['store', 'copy', store, copy, '--yes'];
      const child = await startCopy(line, copy);
      const stopped = once(child, 'close');
      // It locks the file before it writes the first byte.
      while (statSync(`${copy}.unfinished`).size === 0) await delay(2);
      // A process that is stopped keeps its locks.
      child.kill('SIGSTOP');
      const second = run(...line);
      child.kill('SIGCONT');
      await stopped;
      expect(second).toMatchObject({
        status: 10,
        stderr: expect.stringContaining(`another process writes ${copy}.unfinished`),
      });
      expect(child.exitCode).toBe(0);
      expect(await contentOf(copy)).toEqual(await contentOf(store));
    });
  });
});
