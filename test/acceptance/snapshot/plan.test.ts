import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import { lineOf, readPlan, wordsOf } from '../../../src/snapshot/plan.ts';

const plan = (text: string) => readPlan(Buffer.from(text), 'plan.txt');

/** The error for a plan, or `accepted`. */
function refusal(bytes: Uint8Array | string): string {
  try {
    readPlan(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, 'plan.txt');
  } catch (error) {
    if (error instanceof Problem) return `${error.kind}: ${error.detail}`;
    throw error;
  }
  return 'accepted';
}

describe('a plan', () => {
  it('is that of the documentation, line by line', () => {
    const text = `gdp.csv        observations GDP GDPC1 --from 2000-01-01
curve.csv      curve --on-or-before
clusters.json  insider clusters --min-insiders 3
`;
    expect(plan(text)).toEqual([
      { number: 1, name: 'gdp.csv', words: ['observations', 'GDP', 'GDPC1', '--from', '2000-01-01'] },
      { number: 2, name: 'curve.csv', words: ['curve', '--on-or-before'] },
      { number: 3, name: 'clusters.json', words: ['insider', 'clusters', '--min-insiders', '3'] },
    ]);
  });

  it.each([
    ['comments and empty lines, which count', '# a\n\n  \t\na.csv ping # b\n', 4],
    ['CRLF', '\r\na.csv ping\r\n', 2],
    ['a byte order mark', '\uFEFFa.csv ping', 1],
    ['no line break at its end', 'a.csv ping', 1],
    ['blanks and tabs around', ' \t a.csv \t ping \t ', 1],
  ])('may have %s', (_, text, number) => {
    expect(plan(text)).toEqual([{ number, name: 'a.csv', words: ['ping'] }]);
  });
});

describe('the words of a line', () => {
  it.each<readonly [line: string, words: readonly string[]]>([
    ['a b', ['a', 'b']],
    ["--owner 'De la Cruz'", ['--owner', 'De la Cruz']],
    ['--owner "De la Cruz"', ['--owner', 'De la Cruz']],
    ['--owner De\\ la\\ Cruz', ['--owner', 'De la Cruz']],
    ['--owner=De" la "Cruz', ['--owner=De la Cruz']],
    [`"it's" 'say "x"'`, ["it's", 'say "x"']],
    ['"a \\"b\\" \\\\ \\n"', ['a "b" \\ \\n']],
    ["'a \\ b'", ['a \\ b']],
    ['"" \'\'', ['', '']],
    ['#x', []],
    ['a #x y', ['a']],
    ['a#x', ['a#x']],
    ['\'#x\' \\#y "#z"', ['#x', '#y', '#z']],
    ["''#x", ['#x']],
    ['* ?[a] $HOME `x` ~ a;b|c>d & !', ['*', '?[a]', '$HOME', '`x`', '~', 'a;b|c>d', '&', '!']],
    ['é 💶 日本', ['é', '💶', '日本']],
    ['\\💶x', ['💶x']],
  ])('%s', (line, words) => {
    expect(wordsOf(line)).toEqual(words);
  });

  const printable = fc.string({ unit: 'grapheme' }).filter((text) => !/\p{Cc}/u.test(text));

  it('are read back from the line that is made of them, for any words', () => {
    fc.assert(
      fc.property(fc.array(printable), (words) => {
        expect(wordsOf(lineOf(words))).toEqual(words);
      }),
    );
  });

  it('are what a shell makes of that line, so that a recorded command can be pasted', () => {
    const some = fc.sample(fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), { minLength: 1 }), {
      numRuns: 40,
      seed: 6,
    });
    const awkward = [["it's"], ['a b', '*', '$HOME', '`x`', '!', '\\', '"', '~', '#a', '-x=1', '']];
    for (const words of [...some, ...awkward]) {
      const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${lineOf(words)}`], { encoding: 'utf8' });
      expect(stdout.split('\0').slice(0, -1)).toEqual(words);
    }
  });

  it('are never guessed: a text is words, or refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab \t\'"\\#') }), (line) => {
        let words: readonly string[];
        try {
          words = wordsOf(line);
        } catch (error) {
          expect(error).toBeInstanceOf(Problem);
          return;
        }
        // A word can contain a blank, a quote or a backslash only if it was quoted or escaped.
        if (words.some((word) => /[ \t'"\\]/.test(word))) expect(line).toMatch(/['"\\]/);
      }),
    );
  });
});

describe('a plan is refused, with its line, that', () => {
  it.each([
    ['is empty', '', 'plan.txt has no lines'],
    ['is all comments', '# a\n', 'plan.txt has no lines'],
    ['has a file without a command', '\na.csv\n', 'plan.txt line 2: a.csv has no command'],
    ['has a file without more than a comment', 'a.csv # ping', 'plan.txt line 1: a.csv has no command'],
    [
      'makes a file twice',
      'a.csv ping\n# b\na.csv curve',
      'plan.txt line 3: a.csv is already written by line 1',
    ],
    [
      'makes it twice but for case',
      'a.csv x\nA.CSV x',
      'plan.txt line 2: A.CSV is already written by line 1',
    ],
    [
      'makes it twice but for its encoding',
      '\u00e9.csv x\ne\u0301.csv x',
      'plan.txt line 2: e\u0301.csv is already written by line 1',
    ],
    ['has an open quote', "a.csv obs 'GDP", "plan.txt line 1: a quote is not closed: 'GDP"],
    ['has another one', 'a.csv obs "GDP\\"', 'plan.txt line 1: a quote is not closed: "GDP\\"'],
    ['goes on in the next line', 'a.csv obs \\\n GDP', 'plan.txt line 1: it ends in a backslash'],
    [
      'holds a control character',
      'a.csv obs G\u0007',
      'plan.txt line 1: it contains the control character U+0007',
    ],
    [
      'has line ends of 1984',
      'a.csv obs G\rb.csv obs H',
      'plan.txt line 1: it contains the control character U+000D',
    ],
  ])('%s', (_, text, said) => {
    expect(refusal(text)).toContain(`bad-input: ${said}`);
  });

  it('is not text', () => {
    expect(refusal(new Uint8Array([0x61, 0xff]))).toBe('bad-input: plan.txt is not a UTF-8 text');
  });

  it.each([
    ['../a.csv', 'all files are in one folder'],
    ['a/b.csv', 'all files are in one folder'],
    ['/etc/passwd', 'all files are in one folder'],
    ["'a\\b.csv'", 'all files are in one folder'],
    ['.', 'it starts with a dot'],
    ['..', 'it starts with a dot'],
    ['.a.csv', 'it starts with a dot'],
    ['-rf', 'it starts with a dash'],
    ["''", 'it is empty'],
    ['manifest.json', 'asof writes that file itself'],
    ['Manifest.JSON', 'asof writes that file itself'],
    ['a\u202Evsc.b', 'it contains an invisible character'],
    [`${'é'.repeat(99)}.csv`, 'it is longer than 200 bytes'],
  ])('would make the file %s', (name, reason) => {
    expect(refusal(`# x\n${name} observations GDP`)).toMatch(
      new RegExp(`^bad-input: plan\\.txt line 2: ".*" cannot name a file of a snapshot: ${reason}$`),
    );
  });
});
