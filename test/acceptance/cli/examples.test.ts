import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asof } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { builtProgram } from '../../support/repository.ts';

const folder = newFolder();

/** A line that help shows as an example, and whether it says that it needs something. */
type Example = { readonly line: string; readonly needs: boolean };

/** The examples of a help text: below `Examples:`, each is a comment and a line. */
function examplesIn(help: string): Example[] {
  const [, ...lines] = /\nExamples:\n([\s\S]*)$/.exec(help)?.[0].trimEnd().split('\n').slice(1) ?? [];
  return lines.flatMap((line, i) =>
    line.startsWith('  #')
      ? [{ line: lines[i + 1]?.slice(2) ?? '', needs: / \(needs .*\)$/.test(line) }]
      : [],
  );
}

const helpOf = async (words: string) =>
  (await asof(['help', ...words.split(' ').filter((word) => word !== '')])).out;

/** The lines of the commands that a help text lists under its headings; its flags begin with a dash. */
function commandLinesIn(help: string): readonly string[] {
  const [lists = ''] = help.split(/\n(?:Topics|Examples|Arguments):/);
  return lists.split('\n').filter((line) => /^ {2}[a-z]+/.test(line));
}

/** The commands that a help text lists. */
function commandsIn(help: string): string[] {
  return commandLinesIn(help).map((line) => /[a-z]+/.exec(line)?.[0] ?? '');
}

const top = commandsIn(await helpOf(''));
const below = await Promise.all(
  top.map(async (name) => commandsIn(await helpOf(name)).map((child) => `${name} ${child}`)),
);
const all = await Promise.all(
  [...top, ...below.flat()].map(async (words) => ({ words, help: await helpOf(words) })),
);
const runnable = all.flatMap(({ words, help }) => {
  const lines = examplesIn(help).filter(({ needs }) => !needs);
  // A group shows what its commands show.
  return commandsIn(help).length > 0 ? [] : lines.map(({ line }) => ({ words, line }));
});

/** Commands whose examples write, set up or explain; those of every other one read data. */
const notReading = /^(import|store|serve|keys|auth|config|completion|help)\b/;

describe('asof help', () => {
  it('defines no command that is not named: it lists them by their names alone', async () => {
    const listed = commandLinesIn(await helpOf(''));
    expect(listed.length).toBeGreaterThan(15);
    for (const line of listed) expect(line).toMatch(/^ {2}[a-z]+(\|obs)? {2,}[A-Z]/);
  });
});

describe('the help of every command', () => {
  it.each(all)('has two or more examples: $words', ({ help }) => {
    const { length } = examplesIn(help);
    expect(length).toBeGreaterThanOrEqual(2);
    expect(length).toBeLessThanOrEqual(5);
  });

  it.each(all)('has an example of the command itself: $words', ({ words, help }) => {
    const lines = examplesIn(help).map(({ line }) => line);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line.replace(/\bobs\b/, 'observations')).toContain(`asof ${words}`);
  });

  it.each(all)('shows them in both ways of asking: $words', async ({ words, help }) => {
    expect((await asof([...words.split(' '), '--help'])).out).toBe(help);
  });

  it('is shown for a group without a command too', async () => {
    const { code, err } = await asof(['keys']);
    expect(code).toBe(2);
    expect(examplesIn(err).length).toBeGreaterThan(1);
  });

  it.each(all)('knows every flag of its examples: $words', async ({ help }) => {
    for (const { line } of examplesIn(help)) {
      for (const [, words = '', flags = ''] of line.matchAll(/\basof ((?:[a-z]+ ?)+)([^|>&]*)/g)) {
        const [first = '', second = ''] = words.trim().split(' ');
        const name = commandsIn(await helpOf(first === 'obs' ? 'observations' : first)).includes(second)
          ? `${first} ${second}`
          : first;
        const known = await helpOf(name);
        for (const [flag] of flags.matchAll(/(?<= |^)--?[a-z-]+/g))
          expect(known).toMatch(new RegExp(`^ +.*${flag}\\b`, 'm'));
      }
    }
  });
});

describe('every example that needs nothing runs', () => {
  const bin = folder.path('bin');
  mkdirSync(bin);
  folder.write('bin/asof', `#!/bin/sh\nexec '${process.execPath}' '${builtProgram}' "$@"\n`);
  chmodSync(join(bin, 'asof'), 0o755);

  /** Runs a line as a new user would: in the home directory, with only the sample. */
  function run(line: string, i: number) {
    const home = folder.path(`home-${i}`);
    mkdirSync(home);
    const { status, stdout, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${line}`], {
      cwd: home,
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: home },
      encoding: 'utf8',
    });
    const [, file] = / (?:-o|>) ([~\w./-]*\.\w+)/.exec(line) ?? [];
    const path = file === undefined ? undefined : join(home, file.replace('~/', ''));
    return { status, stdout, stderr, written: path === undefined ? undefined : readFileSync(path, 'utf8') };
  }

  it.each(runnable.map((example, i) => ({ ...example, i })))('$line', ({ words, line, i }) => {
    const { status, stdout, stderr, written } = run(line, i);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    if (notReading.test(words)) return;
    // A header alone would show nothing.
    const rows = (written ?? stdout).trim().split('\n');
    const atLeast = line.includes('|') && written === undefined ? 1 : 2;
    expect(rows.filter((row) => row !== '' && row !== '0').length).toBeGreaterThanOrEqual(atLeast);
  });

  it('and there are many', () => {
    expect(runnable.length).toBeGreaterThan(30);
  });
});
