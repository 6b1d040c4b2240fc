import { describe, expect, it } from 'vitest';
import { bashLine, type Quote, shells } from '../../../../src/cli/completion/scripts.ts';

/** The script without comments and the contents of quotes, so that only its syntax is left. */
function syntaxOf(script: string): string {
  return script
    .replace(/^\s*#.*$/gm, '')
    .replace(/\\./g, '')
    .replace(/'[^'\n]*'|"[^"\n]*"/g, '');
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

const { bash, fish, zsh } = shells;

describe.each([
  ['bash', bash, 'complete -o default -F _asof asof'],
  ['zsh', zsh, 'compdef _asof asof'],
  ['fish', fish, "complete -c asof -f -k -a '(__asof_choices)'"],
] as const)('the completion script for %s', (name, { script }, registration) => {
  it('calls the same asof that wrote it, without its errors and without the terminal as stdin', () => {
    const calls = script
      .split('\n')
      .filter((line) => line.includes('asof completion') && !/^\s*#/.test(line));
    expect(calls).toHaveLength(1);
    expect(calls[0]).toContain(`asof completion ${name} -- `);
    expect(calls[0]).toContain('2>/dev/null </dev/null');
  });

  it('registers one function for asof, and says in its first lines how to install it', () => {
    expect(script.split(registration)).toHaveLength(2);
    expect(script.split('\n').slice(0, 2).join('\n')).toContain(`asof completion ${name}`);
  });

  it('closes every quote, bracket and block that it opens', () => {
    const syntax = syntaxOf(script);
    expect(syntax).not.toMatch(/['"]/);
    // In bash and zsh a bare `)` ends each pattern of a `case`.
    expect(count(syntax, /\(/g) + count(syntax, /^\s*\w+\)/gm)).toBe(count(syntax, /\)/g));
    expect(count(syntax, /\[/g)).toBe(count(syntax, /\]/g));
    expect(count(syntax, /\{/g)).toBe(count(syntax, /\}/g));
    if (name === 'fish')
      expect(count(syntax, /^\s*(function|if|for|while|switch|begin)\b/gm)).toBe(
        count(syntax, /^\s*end\b/gm),
      );
    else {
      expect(count(syntax, /\bcase\b/g)).toBe(count(syntax, /\besac\b/g));
      expect(count(syntax, /\bif\b/g)).toBe(count(syntax, /\bfi\b/g));
      expect(count(syntax, /;\s*do\b/g)).toBe(count(syntax, /\bdone\b/g));
    }
  });

  it('ends in a line break and has no placeholder left', () => {
    expect(script).toMatch(/\n$/);
    expect(script).not.toMatch(/undefined|\[object|NaN/);
  });
});

describe('a bash line up to the cursor', () => {
  it.each<readonly [line: string, words: readonly string[], current: string, quote: Quote]>([
    ['asof ', [], '', ''],
    ['asof obs', [], 'obs', ''],
    ['asof obs "GDP" u', ['obs', 'GDP'], 'u', ''],
    ['asof obs "A B', ['obs'], 'A B', '"'],
    ["asof obs 'A \\B", ['obs'], 'A \\B', "'"],
    ['asof obs A\\ B', ['obs'], 'A B', ''],
    ['asof obs "a\\"b\\$c\\d', ['obs'], 'a"b$c\\d', '"'],
    ['asof obs a"b"\'c\'d', ['obs'], 'abcd', ''],
    ['asof obs "" x', ['obs', ''], 'x', ''],
    ['asof obs --format=cs', ['obs'], '--format=cs', ''],
    ['/opt/asof obs B:C', ['obs'], 'B:C', ''],
    ['asof obs \\\n  x', ['obs'], 'x', ''],
    ['asof obs $HOME/x', ['obs'], '$HOME/x', ''],
    ['asof obs $(ls) x', ['obs', '$', 'ls'], 'x', ''],
    ['asof obs GDP 2> err x', ['obs', 'GDP'], 'x', ''],
  ])('%j is split without expanding anything', (line, words, current, quote) => {
    expect(bashLine(line)).toMatchObject({ words, current, quote, redirected: false });
  });

  it.each(['asof obs > x', 'asof obs GDP 2>x', 'asof obs GDP >>', 'asof import < "a b'])(
    '%j ends in the file of a redirection',
    (line) => expect(bashLine(line).redirected).toBe(true),
  );
});
