import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { asof, type Surroundings } from './command.ts';

/** Words of a command line, as a POSIX shell splits them, but without expansion. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double = '', single = '') => double + single),
  );
}

/** What a command printed, as a transcript shows it: without the id of its request, which differs each time. */
async function printed(line: string, surroundings: Surroundings): Promise<string> {
  const { code, out, err } = await asof(wordsOf(line), surroundings);
  const told = err
    .replace(/^.* request req_\w+\n/gm, '')
    .replace(/^(?=.)/gm, '! ')
    .replace(/\n$/, '');
  return [out.replace(/\n$/, ''), told, code === 0 ? '' : `[exit ${code}]`].filter(Boolean).join('\n');
}

/** Matches a text whose lines `…` stand for any number of lines, and whose `…` inside of a line for any characters. */
function pattern(text: string): RegExp {
  const quoted = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `^${quoted.replace(/^…\n/gm, '(?:.*\\n)*').replace(/\n…$/, '(?:\\n.*)*').replaceAll('…', '.*')}$`,
  );
}

/** A text without the indentation of its first line. */
function outdented(text: string): string {
  const indent = /^\n?( *)/.exec(text)?.[1] ?? '';
  return text.replaceAll(`\n${indent}`, '\n').trim();
}

type Around = () => Surroundings | Promise<Surroundings>;

/** Runs the commands of a transcript without titles, and expects them to print what it shows. */
export async function expectShown(text: string, surroundings: Around): Promise<void> {
  const [before, ...commands] = outdented(text).split(/^\$ asof ?/m);
  expect([before, commands.length > 0]).toEqual(['', true]);
  for (const shown of commands) {
    const [line = '', ...rest] = shown.trimEnd().split('\n');
    const typed = rest.filter((text) => text.startsWith('< '));
    const wanted = rest.slice(typed.length).join('\n');
    const stdin = Readable.from(typed.map((text) => Buffer.from(`${text.slice(2)}\n`)));
    const got = await printed(line, { ...(typed.length > 0 && { stdin }), ...(await surroundings()) });
    if (!pattern(wanted).test(got)) expect(`$ asof ${line}\n${got}`).toBe(`$ asof ${line}\n${wanted}`);
  }
}

/**
 * Tests command lines by what they print. A line `# title` begins a test, `$ asof …` a command of it; what follows is
 * its stdout, its stderr with `! ` before each line, and `[exit 4]` if the code is not 0. A line `…` stands for any lines.
 * Lines `< …` right after a command are its standard input.
 */
export function transcript(text: string, surroundings: Around): void {
  for (const part of outdented(text).split(/^# /m).slice(1)) {
    const [title = '', ...commands] = part.split('\n');
    it(title.trim(), () => expectShown(commands.join('\n'), surroundings));
  }
}
