import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bashLine, bashText, type Quote } from '../../../../src/cli/completion/scripts.ts';

/** The words of each line, as bash itself splits it. */
function byBash(lines: readonly string[]): string[][] {
  const script = lines.map((line) => `printf '%s\\0' ${line}; printf '\\n\\0'`).join('\n');
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return stdout
    .split('\n\0')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1));
}

/**
 * The line after readline has inserted a text behind an open quote: it closes the quote unless the text ends with it.
 */
function completed([text, quote]: readonly [text: string, quote: Quote]): string {
  const typed = bashText(text, quote);
  return `${quote}${typed}${typed.endsWith(quote) ? '' : quote}`;
}

describe('a bash line', () => {
  it.each<readonly [line: string, words: readonly string[], current: string, quote: Quote]>([
    ['asof ', [], '', ''],
    ['asof obs', [], 'obs', ''],
    ['asof obs ', ['obs'], '', ''],
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
  ])('%j', (line, words, current, quote) => {
    expect(bashLine(line)).toMatchObject({ words, current, quote, redirected: false });
  });

  it.each(['asof obs > x', 'asof obs GDP 2>x', 'asof obs GDP >>', 'asof import < "a b'])(
    'ends in the file of a redirection: %s',
    (line) => {
      expect(bashLine(line).redirected).toBe(true);
    },
  );

  const text = fc.string({ unit: fc.constantFrom(...'aB9 $`"\'\\!*?[]{}()<>|&;~#:=.%+-_é€\t') });
  const quotes = fc.constantFrom<Quote>('', '"', "'");

  it('that is written after any quote is read by bash as one word, which is the text', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, quotes), { minLength: 1, maxLength: 40 }), (all) => {
        const kept = all.filter(([value]) => value !== '');
        const lines = kept.map(completed);
        expect(byBash(lines)).toEqual(kept.map(([value]) => [value]));
      }),
      { numRuns: 20 },
    );
  });

  it('is split as bash splits it', () => {
    const word = fc.tuple(
      text.filter((value) => value !== ''),
      quotes,
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(word, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 20 }),
        (all) => {
          const lines = all.map((words) => words.map(completed).join(' '));
          expect(lines.map((line) => bashLine(`asof ${line} `).words)).toEqual(byBash(lines));
        },
      ),
      { numRuns: 20 },
    );
  });
});
