import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../../src/cli/dispatch.ts';
import { Problem } from '../../../src/errors/problem.ts';
import { lineOf } from '../../../src/errors/wording.ts';
import { planLineParser } from '../../../src/lines/parse.ts';
import { bindPlan, readPlan, wordsOf } from '../../../src/snapshot/plan.ts';

const day = '2015-02-01';
const parseLine = planLineParser(new Date('2026-03-15T12:00:00Z'), await allCommands(true));

const read = (text: string | Uint8Array) => readPlan(Buffer.from(text), 'plan.txt');
const bound = (text: string) => bindPlan('plan.txt', Buffer.from(text), { asOf: day }, parseLine).lines;

/** The error of usage that some work throws; `accepted` if there is none. */
function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem && error.kind === 'bad-input') return error.detail;
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
    expect(read(text)).toEqual([
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
    expect(read(text)).toEqual([{ number, name: 'a.csv', words: ['ping'] }]);
  });

  it.each([
    ['is empty', '', 'has no lines'],
    ['is all comments', '# a\n', 'has no lines'],
    ['has a file without a command', '\na.csv\n', 'line 2: a.csv has no command'],
    ['has a file without more than a comment', 'a.csv # ping', 'line 1: a.csv has no command'],
    ['makes a file twice', 'a.csv x\n# b\na.csv y', 'line 3: a.csv is already written by line 1'],
    ['makes it twice but for case', 'a.csv x\nA.CSV x', 'line 2: A.CSV is already written by line 1'],
    ['makes it twice but for its encoding', '\u00e9.csv x\ne\u0301.csv x', 'line 2: e\u0301.csv is already'],
    ['has an open quote', "a.csv obs 'GDP", "line 1: a quote is not closed: 'GDP"],
    ['has an open double quote', 'a.csv obs "GDP\\"', 'line 1: a quote is not closed: "GDP\\"'],
    ['goes on in the next line', 'a.csv obs \\\n GDP', 'line 1: it ends in a backslash'],
    ['holds a control character', 'a.csv obs G\u0007', 'line 1: it contains the control character U+0007'],
    ['has line ends of 1984', 'a.csv x\rb.csv x', 'line 1: it contains the control character U+000D'],
    ['is not text', new Uint8Array([0x61, 0xff]), 'is not a UTF-8 text'],
  ])('that %s is refused with its line', (_, text, said) => {
    expect(refusal(() => read(text))).toContain(`plan.txt ${said}`);
  });

  it.each([
    ['../a.csv', 'all files are in one folder'],
    ['/etc/passwd', 'all files are in one folder'],
    ["'a\\b.csv'", 'all files are in one folder'],
    ['.a.csv', 'it starts with a dot'],
    ['..', 'it starts with a dot'],
    ['-rf', 'it starts with a dash'],
    ["''", 'it is empty'],
    ['Manifest.JSON', 'asof writes that file itself'],
    ['a\u202Evsc.b', 'it contains an invisible character'],
    [`${'é'.repeat(99)}.csv`, 'it is longer than 200 bytes'],
  ])('that would make the file %s is refused', (name, reason) => {
    expect(refusal(() => read(`# x\n${name} observations GDP`))).toMatch(
      new RegExp(`^plan\\.txt line 2: ".*" cannot name a file of a snapshot: ${reason}$`),
    );
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
    ['é 💶 \\💶x', ['é', '💶', '💶x']],
  ])('%s', (line, words) => {
    expect(wordsOf(line)).toEqual(words);
  });

  it('are read back from the line that is made of them, for any words', () => {
    const printable = fc.string({ unit: 'grapheme' }).filter((text) => !/\p{Cc}/u.test(text));
    fc.assert(
      fc.property(fc.array(printable), (words) => {
        expect(wordsOf(lineOf(words))).toEqual(words);
      }),
    );
  });

  it('are never guessed: a word has a blank, a quote or a backslash only if one was quoted or escaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab \t\'"\\#') }), (line) => {
        let words: readonly string[] = [];
        refusal(() => {
          words = wordsOf(line);
        });
        if (words.some((word) => /[ \t'"\\]/.test(word))) expect(line).toMatch(/['"\\]/);
      }),
    );
  });
});

describe('a line of a plan', () => {
  it.each([
    ["obs 'GD*' GDP", '--as-of 2015-02-01'],
    ['obs GDP --as-of 2014-12-31', ''],
    ['obs GDP --from 2014-01-01 --to 2030-12-31', '--as-of 2015-02-01'],
    ['revisions GDP --date 2030-01-01', '--as-of 2015-02-01'],
    ['vintages GDP', '--as-of 2015-02-01'],
    ['diff GDP 2015-01-01 2014-01-02 --to 2030-12-31', ''],
    ['panel GDP --to 2030-12-31', '--as-of 2015-02-01'],
    ['panel GDP --as-of-each day --from 2015-01-01', '--to 2015-02-01'],
    ['curve', '--date 2015-02-01 --on-or-before'],
    ['curve --vs 2014-01-31', '--date 2015-02-01 --on-or-before'],
    ['yields --maturity 10Y', '--to 2015-02-01'],
    ['yields --wide --to 2015-01-30', ''],
    ['spread', '--to 2015-02-01'],
    ['insider filings --ticker MAIA', '--as-of 2015-02-01'],
    ['insider clusters --signals', '--as-of 2015-02-01'],
  ])('asks for nothing later than the day: %s', (line, words) => {
    const own = wordsOf(line);
    const added = words === '' ? [] : words.split(' ');
    expect(bound(`a.csv ${line}`)).toMatchObject([{ words: [...own, ...added] }]);
  });

  it('is as of the day, unless it names an earlier one', () => {
    expect(bound('a.csv diff GDP 2015-01-01 2014-01-02\nb.csv obs GDP --as-of 2014-12-31')).toMatchObject([
      { asOf: day },
      { asOf: '2014-12-31' },
    ]);
  });

  it.each<readonly [line: string, said: string]>([
    ['ping', "'ping' has no as-of date"],
    ['series search GDP', "'series search' has no as-of date"],
    ['series show GDP', "'series show' has no as-of date"],
    ['series', "'series' is not a command that reads data"],
    ['import x.csv', "'import x.csv' is not a command that reads data"],
    ['snapshot p --out x', "'snapshot p --out x' is not a command that reads data"],
    ['obs GDP --help', "'obs GDP --help' is not a command that reads data"],
    ['--version', "'--version' is not a command that reads data"],
    ['asof obs GDP', "every command of a plan is an asof command: leave out 'asof'"],
    ['obs -- GDP', "a plan cannot use '--'"],
    ['obs', "missing required argument 'id' (usage: asof observations <id...>)"],
    ['obsevations GDP', "unknown command 'obsevations' (did you mean observations?)"],
    ['obs GDP --bogus', "unknown option '--bogus'"],
    ['obs GDP -o x.csv', 'a plan cannot use --output: the line starts with the name of its file'],
    ['obs GDP --store x', 'a plan cannot use --store: it is a flag of the snapshot as a whole'],
    ['obs GDP --base-url http://x', 'a plan cannot use --base-url'],
    ['obs GDP --timeout 3', 'a plan cannot use --timeout'],
    ['obs GDP --retries 3', 'a plan cannot use --retries'],
    ['obs GDP --max-wait 3', 'a plan cannot use --max-wait'],
    ['obs GDP -q', 'a plan cannot use --quiet'],
    ['obs GDP -v', 'a plan cannot use --verbose'],
    ['obs GDP --debug', 'a plan cannot use --debug'],
    ['obs GDP --cursor x', 'a plan cannot use --cursor: it continues an earlier answer'],
    ['obs GDP --known-before 2015-01-01', 'a plan cannot use --known-before: the snapshot has one'],
    ['diff GDP 2015-01-01 2015-01-02 --exit-code', 'a plan cannot use --exit-code'],
    ['panel GDP --dry-run', 'a plan cannot use --dry-run: the line has a file to write'],
    ['obs GDP --as-of today', "a plan cannot use 'today': it means another day in each run"],
    ['yields --from -30d', "a plan cannot use '-30d'"],
    ['diff GDP today 2015-01-01', "a plan cannot use 'today'"],
    ['obs GDP --as-of 2015-02-02', `--as-of 2015-02-02 is later than ${day}, the as-of date of the snapshot`],
    ['revisions GDP --date 2014-01-01 --as-of 2015-02-02', '--as-of 2015-02-02 is later'],
    ['panel GDP --as-of 2015-02-02', '--as-of 2015-02-02 is later'],
    ['panel GDP --as-of-each day --from 2015-01-01 --to 2015-02-02', '--to 2015-02-02 is later'],
    ['diff GDP 2015-02-02 2015-01-01', 'the first date 2015-02-02 is later'],
    ['diff GDP 2015-01-01 2015-02-02', 'the second date 2015-02-02 is later'],
    ['vintages GDP --to 2015-02-02', '--to 2015-02-02 is later'],
    ['curve --date 2015-02-02', '--date 2015-02-02 is later'],
    ['curve --date 2015-01-30 --vs 2015-02-02', '--vs 2015-02-02 is later'],
    ['curve --date 2015-01-30 --vs 2015-02-02 --on-or-before', '--vs 2015-02-02 is later'],
    ['yields --to 2015-02-02', '--to 2015-02-02 is later'],
    ['yields --from 2015-02-02', '--from 2015-02-02 is later'],
    ['spread --to 2015-02-02', '--to 2015-02-02 is later'],
    ['insider filings --to 2015-02-02', '--to 2015-02-02 is later'],
    ['insider clusters --from 2015-02-02', '--from 2015-02-02 is later'],
    ['obs GDP --as-of 2015-02-30', '--as-of "2015-02-30": there is no such date'],
    ['obs GDP --columns date,valu', "unknown column 'valu'"],
    ['obs GDP -f cvs', '--format "cvs": use table'],
    ['panel GDP --as-of-each month-end', '--as-of-each needs --from'],
  ])('is refused: %s', (line, said) => {
    const found = refusal(() => bound(`good.csv obs GDP\nbad.csv ${line}`));
    expect(found.slice(0, 17 + said.length)).toBe(`plan.txt line 2: ${said}`);
  });

  it.each([
    ['observations GDP -o gdp.csv', 'gdp.csv observations GDP'],
    ['obs GDP --from 2014-01-01 --output gdp.parquet', 'gdp.parquet obs GDP --from 2014-01-01'],
    ['curve --on-or-before', 'FILE.csv curve --on-or-before'],
    ['series show GDP', 'FILE.csv series show GDP'],
  ])('that begins with its command is refused, and shown as it is meant: %s', (line, meant) => {
    expect(refusal(() => bound(`good.csv obs GDP\n${line}`))).toBe(
      `plan.txt line 2: the line begins with its command, and not with the name of its file (write ${meant})`,
    );
  });

  it('needs a file name with a format, unless a flag names one', () => {
    expect(refusal(() => bound('a obs GDP'))).toBe(
      'plan.txt line 1: the name a has no format (use an ending such as .csv, or add --format)',
    );
    expect(refusal(() => bound('a.dat obs GDP'))).toContain('asof writes no .dat files');
    expect(bound('a.dat obs GDP --csv')).toMatchObject([{ output: { format: 'csv' } }]);
  });
});
