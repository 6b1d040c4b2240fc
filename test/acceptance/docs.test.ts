import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchangesOf, freePortsFor, Machine, withShown } from '../support/console.ts';
import { scratchFolder } from '../support/folders.ts';
import { allPages, blocksOf, pageAt } from '../support/pages.ts';
import { ProgramFolder, programsOf, withOutputs } from '../support/programs.ts';
import { root } from '../support/repository.ts';

/** `npm run docs:refresh` sets it: the pages are then rewritten with what their commands show today. */
const isRefresh = process.env.DOCS_REFRESH === '1';

const pages = allPages()
  .map((page) => ({ ...page, exchanges: exchangesOf(page.text) }))
  .filter(({ exchanges }) => exchanges.length > 0);

describe.each(pages)('the console blocks of $path, run in one shell', ({ path, text, exchanges }) => {
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

const programPages = allPages()
  .map((page) => ({ ...page, programs: programsOf(page.text) }))
  .filter(({ programs }) => programs.length > 0);

describe.each(programPages)('the TypeScript blocks of $path', ({ path, programs }) => {
  const folder = new ProgramFolder(scratchFolder());

  it('compile under strict', () => {
    expect(folder.errorsOf(programs)).toEqual([]);
  });

  if (isRefresh) {
    it('are rewritten with what they print', () => {
      const outputs = programs.map((program) => folder.outputOf(program));
      writeFileSync(join(root, path), withOutputs(pageAt(path).text, outputs));
    });
  } else {
    it.each(programs)('print what the page shows (block %#)', (program) => {
      expect(folder.outputOf(program)).toBe(program.shown ?? '');
    });
  }
});

if (!isRefresh) {
  describe('the generated parts of docs', () => {
    it('show the flags, columns, endpoints and series of the built program', () => {
      const script = join(root, 'scripts', 'reference-pages.mjs');
      const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    });
  });
}

describe('README.md', () => {
  const readme = pageAt('README.md').text;

  it('installs and tests with the commands that a clean checkout runs', () => {
    const commands = blocksOf(readme, 'sh').map((block) => block.trim());
    expect(commands).toEqual(['npm ci && npm run -s asof -- observations GDP --as-of 2015-01-30 --limit 8']);
    expect(readme).toContain('`npm test`');
    const [, run = ''] = commands[0]?.split(' && npm ') ?? [];
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
