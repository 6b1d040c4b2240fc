import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { exchangesOf, machine, withShown } from '../support/console.ts';

const root = join(import.meta.dirname, '..', '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const exchanges = exchangesOf(readme);
const folder = mkdtempSync(join(tmpdir(), 'asof-docs-'));
const { run, close } = machine(folder);

afterAll(() => {
  close();
  rmSync(folder, { recursive: true, force: true });
});

/** Programs that the README shows asof together with, and that not every machine has. */
const optional = ['jq', 'sqlite3'];
const missing = optional.filter((name) => spawnSync(name, ['--version']).error !== undefined);

/** The programs of a command that are not here. */
function lacking(command: string): string[] {
  return missing.filter((name) => new RegExp(`(^|[|;&(]\\s*|\n\\s*)${name}\\b`).test(command));
}

/** `UPDATE_README=1` writes down what the commands show now, for a person to read before it is committed. */
const update = process.env.UPDATE_README === '1';

describe('README.md', () => {
  it('has at least ten examples', () => {
    expect(exchanges.length).toBeGreaterThanOrEqual(10);
  });

  describe.skipIf(update)('shows what its commands show, in order', () => {
    for (const { command, shown } of exchanges) {
      const absent = lacking(command);
      const why = absent.length === 0 ? '' : ` (${absent.join(', ')} is not installed)`;
      it.skipIf(absent.length > 0)(`${command}${why}`, async () => {
        expect(await run(command)).toBe(shown);
      });
    }
  });

  it.runIf(update)('is brought up to date', async () => {
    const shown: string[] = [];
    for (const { command, shown: before } of exchanges)
      shown.push(lacking(command).length > 0 ? before : await run(command));
    writeFileSync(join(root, 'README.md'), withShown(readme, shown));
  });

  it('installs and tests with the commands that a clean checkout runs', () => {
    const commands = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
      block.trim().split('\n'),
    );
    expect(commands).toEqual([
      'npm ci && npx asof observations GDP --as-of 2015-01-30 --limit 8',
      'npm test',
    ]);
    const ci = readFileSync(join(root, '.ci', 'run'), 'utf8');
    expect(ci).toContain('npm ci\n');
    expect(ci).toContain('npm test\n');
  });
});
