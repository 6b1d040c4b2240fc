import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asof } from '../support/command.ts';
import {
  exchangesOf,
  freePortsFor,
  Machine,
  ProgramFolder,
  programsOf,
  withOutputs,
  withShown,
} from '../support/console.ts';
import { scratchFolder } from '../support/folders.ts';
import { allPages, blocksOf, pageAt, root } from '../support/repository.ts';

/** `npm run docs:refresh` sets it: the pages are then rewritten with what their commands show today. */
const isRefresh = process.env.DOCS_REFRESH === '1';

const pages = allPages()
  .map((page) => ({ ...page, exchanges: exchangesOf(page.text) }))
  .filter(({ exchanges }) => exchanges.length > 0);

describe.each(pages)('the console blocks of $path, run on one machine', ({ path, text, exchanges }) => {
  const folder = scratchFolder();
  let machine: Machine;

  beforeAll(async () => {
    machine = new Machine(folder, await freePortsFor(exchanges.map(({ command }) => command)));
  });

  afterAll(() => machine.close());

  if (isRefresh) {
    it('are rewritten with what their commands show', async () => {
      const shown: string[] = [];
      for (const { command } of exchanges) shown.push(await machine.run(command));
      writeFileSync(join(root, path), withShown(text, shown));
    });
  } else {
    it.each(exchanges)('show what this command prints: $command', async ({ command, shown }) => {
      expect(await machine.run(command)).toBe(shown);
    });
  }
});

describe('the TypeScript blocks', () => {
  const programPages = allPages()
    .map(({ path, text }) => ({ path, programs: programsOf(text) }))
    .filter(({ programs }) => programs.length > 0);
  const folder = new ProgramFolder(scratchFolder());

  it('of every page compile under strict', () => {
    expect(folder.errorsOf(programPages.flatMap(({ programs }) => programs))).toEqual([]);
  });

  it.each(programPages)('of $path print what the page shows', async ({ path, programs }) => {
    const outputs = await folder.outputsOf(programs);
    if (isRefresh) writeFileSync(join(root, path), withOutputs(pageAt(path).text, outputs));
    else expect(outputs).toEqual(programs.map(({ shown = '' }) => shown));
  });
});

if (!isRefresh) {
  describe('the generated parts of docs', () => {
    it('show the flags, columns, endpoints and series of asof', async () => {
      const { stalePages } = await import(join(root, 'scripts', 'reference-pages.mjs'));
      const run = async (words: readonly string[], env: Readonly<Record<string, string>>) =>
        (await asof(words, { env, now: new Date().toISOString() })).out;
      // `npm run docs:refresh` writes these pages again.
      expect(await stalePages(run)).toEqual([]);
    });
  });
}

describe('README.md', () => {
  const readme = pageAt('README.md').text;

  it('installs and tests with the commands that a clean checkout runs', () => {
    const commands = blocksOf(readme, 'sh').map((block) => block.trim());
    expect(commands).toEqual([
      'npm ci --ignore-scripts && npm run -s build && npm run -s asof -- observations GDP --as-of 2015-01-30 --limit 8',
      'npm test',
    ]);
    const run = commands[0]?.split(' && npm ').at(-1) ?? '';
    const { status, stdout } = spawnSync('npm', run.split(' '), { cwd: root, encoding: 'utf8' });
    expect([status, stdout.split('\n').length]).toEqual([0, 1 + 8 + 1]);
    expect(stdout).toContain('17710.7');
    const ci = readFileSync(join(root, '.ci', 'run'), 'utf8');
    expect(ci).toContain('npm ci\n');
    expect(ci).toContain('npm test\n');
  });

  it('answers at least five questions', () => {
    expect(exchangesOf(readme).length).toBeGreaterThanOrEqual(5);
  });
});
