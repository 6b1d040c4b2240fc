import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Cell } from '../../../src/operations/envelope.ts';
import { csvRenderer, formatCsvRecord, tsvRenderer } from '../../../src/render/formats/delimited.ts';
import { latexRenderer, markdownRenderer } from '../../../src/render/formats/markup.ts';
import { printable } from '../../../src/render/printable.ts';
import { anyText, field, layout, observation, observationFields, output } from '../../support/rows.ts';

type Start = typeof csvRenderer;

const gdp = observation('2014-10-01', '17710.70');
const unit = 'Billions of Dollars, Seasonally Adjusted Annual Rate';
const two = layout([field('a'), field('b')]);

/** Expects random texts in two columns to be read back from an output, on one page or on two. */
function expectReadBack(start: Start, texts: fc.Arbitrary<string>, read: (text: string) => string[][]): void {
  fc.assert(
    fc.property(fc.array(fc.tuple(texts, texts), { maxLength: 20 }), fc.nat(20), (rows, at) => {
      const all = rows.map(([a, b]) => ({ a, b }));
      const text = output(start(two), all.slice(0, at), all.slice(at));
      expect(text).toBe(output(start(two), all));
      expect(read(text)).toEqual([['a', 'b'], ...rows]);
    }),
  );
}

describe.each<readonly [string, Start, header: string, row: string]>([
  [
    'CSV',
    csvRenderer,
    'date,value,as_of_date,series_id,unit,frequency,source\n',
    `2014-10-01,17710.70,2015-01-30,GDP,"${unit}",Q,FRED\n`,
  ],
  [
    'TSV',
    tsvRenderer,
    'date\tvalue\tas_of_date\tseries_id\tunit\tfrequency\tsource\n',
    `2014-10-01\t17710.70\t2015-01-30\tGDP\t${unit}\tQ\tFRED\n`,
  ],
  [
    'Markdown',
    markdownRenderer,
    '| date | value | as_of_date | series_id | unit | frequency | source |\n| --- | ---: | --- | --- | --- | --- | --- |\n',
    `| 2014-10-01 | 17710.70 | 2015-01-30 | GDP | ${unit} | Q | FRED |\n`,
  ],
])('%s', (_, start, header, row) => {
  const observations = layout(observationFields);

  it('has LF line ends, days without a time, exact digits, and its header once over many pages', () => {
    expect(output(start(observations), [gdp], [], [gdp])).toBe(header + row + row);
    const renderer = start(observations);
    expect(renderer.page({ results: [gdp] } as never)).toBe(header + row);
  });

  it('has its header even without rows and without a page', () => {
    expect([output(start(observations), []), output(start(observations))]).toEqual([header, header]);
  });
});

describe('CSV', () => {
  it('has no header if it is turned off', () => {
    expect(output(csvRenderer(layout(observationFields, { header: false })), [])).toBe('');
    expect(output(tsvRenderer(layout(observationFields, { header: false })), [])).toBe('');
    expect(output(csvRenderer(layout([field('id')], { header: false })), [{ id: 'GDP' }])).toBe('GDP\n');
  });

  it.each([
    ['a missing value is empty', 'decimal', null, ''],
    ['a value that the row lacks is empty', 'decimal', undefined, ''],
    ['booleans are true and false', 'boolean', false, 'false'],
    ['integers are digits', 'integer', 2147483647, '2147483647'],
    ['lists are joined by ;', 'list', ['0001-24-1', '0001-24-2'], '0001-24-1;0001-24-2'],
    ['objects in lists are left out', 'list', [{ owner_name: 'A' }, { owner_name: 'B' }], ''],
    ['a formula stays unchanged', 'text', '=SUM(A1)', '=SUM(A1)'],
    ['a negative number stays unchanged', 'decimal', '-0.50', '-0.50'],
    ['a time of day is not lost', 'day', '2024-07-31T16:05:00Z', '2024-07-31T16:05:00Z'],
    ['a lone carriage return is quoted', 'text', 'a\rb', '"a\rb"'],
    ['quotes are doubled', 'text', 'the "core"', '"the ""core"""'],
  ] as const)('%s', (_, type, cell, expected) => {
    const row = cell === undefined ? { b: 'x' } : { a: cell as Cell, b: 'x' };
    const text = output(csvRenderer(layout([field('a', type), field('b')])), [row]);
    expect(text).toBe(`a,b\n${expected},x\n`);
  });

  it('quotes a missing value of a single column, because readers skip empty lines', () => {
    const text = output(csvRenderer(layout([field('value', 'decimal')])), [{ value: null }, { value: '1' }]);
    expect(text).toBe('value\n""\n1\n');
    expect(parse(text, { skip_empty_lines: true })).toEqual([['value'], [''], ['1']]);
  });

  it('is read back unchanged by another reader, for random texts and any paging', () => {
    const awkward = fc.oneof(
      anyText,
      fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', ' ', 'a', '字', '=', '-', '\t') }),
      fc.tuple(fc.constantFrom('=', '+', '-', '@', "'", '"'), fc.string()).map((parts) => parts.join('')),
    );
    expectReadBack(csvRenderer, awkward, (text) => parse(text, { record_delimiter: '\n' }));
  });

  it('has records as csv-stringify writes them, except for a lone carriage return', () => {
    const cell = anyText.filter((text) => !text.includes('\r'));
    const special = fc.constantFrom('', ',', '"', '""', '\n', ' a ', '=1+1', '-1.5', '\t', 'ä', '"a",b\n');
    fc.assert(
      fc.property(fc.array(fc.oneof(cell, special), { minLength: 2, maxLength: 5 }), (cells) => {
        expect(formatCsvRecord(cells)).toBe(stringify([cells]));
      }),
    );
  });
});

test.each<readonly [string, Start, separator: string]>([
  ['CSV', csvRenderer, ','],
  ['TSV', tsvRenderer, '\t'],
])('each row of %s is written alike, whatever the row above it has', (_, start, separator) => {
  const cells = [fc.constantFrom(null, 'a', 'b'), fc.constantFrom(null, '1.5', '-2')] as const;
  const columns = layout([field('text'), field('number', 'decimal'), field('last')], { header: false });
  fc.assert(
    fc.property(fc.array(fc.tuple(...cells, fc.constantFrom('', 'ä')), { maxLength: 9 }), (all) => {
      const rows = all.map(([text, number, last]) => ({ text, number, last }));
      expect(output(start(columns), rows)).toBe(all.map((row) => `${row.join(separator)}\n`).join(''));
    }),
  );
});

describe('TSV', () => {
  const escapes: Readonly<Record<string, string>> = { '\\t': '\t', '\\n': '\n', '\\r': '\r', '\\\\': '\\' };
  const unescaped = (text: string) => text.replace(/\\[\s\S]/g, (pair) => escapes[pair] ?? `?${pair}`);

  it('escapes tabs, line ends and backslashes, and nothing else', () => {
    const cells = ['a\tb', 'a\nb', 'a\rb', 'a\\tb', 'the "core"', '=1+1'];
    const text = output(
      tsvRenderer(two),
      cells.map((a) => ({ a, b: null })),
    );
    expect(text).toBe('a\tb\na\\tb\t\na\\nb\t\na\\rb\t\na\\\\tb\t\nthe "core"\t\n=1+1\t\n');
  });

  it('is read back by splitting and unescaping, for random texts and any paging', () => {
    const texts = fc.oneof(anyText, fc.string({ unit: fc.constantFrom(...'\\\t\n\rtn"') }));
    expectReadBack(tsvRenderer, texts, (text) =>
      text
        .slice(0, -1)
        .split('\n')
        .map((line) => line.split('\t').map(unescaped)),
    );
  });
});

describe('LaTeX', () => {
  const bare = layout([field('a'), field('b')], { header: false });

  it('is a table with the rules of booktabs, numbers to the right and exact digits', () => {
    const fields = observationFields.slice(0, 4);
    const rows = [observation('2014-10-01', '17710.70'), observation('2014-07-01', '-0.5')];
    expect(output(latexRenderer(layout(fields)), rows, [observation('2014-04-01', '3')])).toBe(
      [
        '% needs \\usepackage{booktabs}',
        '\\begin{tabular}{lrll}',
        '\\toprule',
        'date & value & as\\_of\\_date & series\\_id \\\\',
        '\\midrule',
        '2014-10-01 & 17710.70 & 2015-01-30 & GDP \\\\',
        '2014-07-01 & $-$0.5 & 2015-01-30 & GDP \\\\',
        '2014-04-01 & 3 & 2015-01-30 & GDP \\\\',
        '\\bottomrule',
        '\\end{tabular}',
        '',
      ].join('\n'),
    );
  });

  it('is complete without rows, and may have no header', () => {
    expect(output(latexRenderer(bare), [])).toBe(
      '% needs \\usepackage{booktabs}\n\\begin{tabular}{ll}\n\\toprule\n\\bottomrule\n\\end{tabular}\n',
    );
  });

  it('escapes whatever LaTeX would read as a command', () => {
    const rows = [{ a: '50% of A&B_{x} \\input{f} $5 #1 ~^ "q" <b>|c', b: null }];
    expect(output(latexRenderer(bare), rows).split('\n')[3]).toBe(
      '50\\% of A\\&B\\_\\{x\\} \\textbackslash{}input\\{f\\} \\$5 \\#1 \\textasciitilde{}\\textasciicircum{} \\textquotedbl{}q\\textquotedbl{} \\textless{}b\\textgreater{}\\textbar{}c &  \\\\',
    );
  });

  it('has one line for each row, whatever the texts are', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 8 }), (texts) => {
        const rows = texts.map((a) => ({ a, b: 'x' }));
        const lines = output(latexRenderer(bare), rows).split('\n').slice(3, -3);
        expect(lines).toHaveLength(texts.length);
        for (const line of lines) expect(line.endsWith(' & x \\\\')).toBe(true);
      }),
    );
  });
});

/** The cells of a row as GitHub shows them: `|` separates cells, `\` escapes a character, `<br>` breaks the line. */
function shownCells(row: string): string[] {
  const cells = [''];
  for (let i = 0; i < row.length; i += 1) {
    const sign = row[i] ?? '';
    const add = (text: string) => cells.push(`${cells.pop()}${text}`);
    if (row.startsWith('<br>', i)) {
      add('\n');
      i += 3;
    } else if (sign === '|') cells.push('');
    else if (sign === '\\') {
      i += 1;
      add(/[!-/:-@[-`{-~]/.test(row[i] ?? '') ? (row[i] ?? '') : `\\${row[i]}`);
    } else add(isMarkup(row, i) ? `⟨${sign}⟩` : sign);
  }
  return cells.slice(1, -1).map((text) => text.replace(/^ +| +$/g, ''));
}

/** Whether an unescaped character can begin or end markup on GitHub. By CommonMark 6.2 a `_` between letters cannot. */
function isMarkup(row: string, at: number): boolean {
  const neighbours = [[...row.slice(0, at)].at(-1), [...row.slice(at + 1)][0]];
  const inWord = neighbours.every((sign) => /^[\p{L}\p{N}]$/u.test(sign ?? ''));
  const sign = row[at] ?? '';
  if (sign === '_') return !inWord;
  return '*`[<~$'.includes(sign) || (sign === '&' && /^&#?\w+;/.test(row.slice(at)));
}

describe('Markdown', () => {
  /** The line of one cell. */
  function lineOf(text: Cell): string {
    const column = field('text', Array.isArray(text) ? 'list' : 'text');
    return output(markdownRenderer(layout([column])), [{ text }]).split('\n')[2] ?? '';
  }

  it.each([
    ['a missing value', null, '|  |'],
    ['a list', ['a', 'b'], '| a;b |'],
    ['a pipe', 'a|b', '| a\\|b |'],
    ['a backslash before a pipe', 'a\\|b', '| a\\\\\\|b |'],
    ['a backslash at the end', 'a\\', '| a\\\\ |'],
    ['line breaks', 'a\r\nb\nc\rd\u2028e', '| a<br>b<br>c<br>d<br>e |'],
    ['control characters', 'a\u001B[31m\tb\0', '| a␛\\[31m␉b␀ |'],
    ['a bidi override', 'a\u202Eb', '| a�b |'],
    ['HTML', '<img src=x onerror=alert(1)>', '| \\<img src=x onerror=alert(1)> |'],
    [
      'emphasis, code, links, formulas',
      '*a* _b_ `c` [d] ~e~ $f$',
      '| \\*a\\* \\_b\\_ \\`c\\` \\[d] \\~e\\~ \\$f\\$ |',
    ],
    ['a word with underscores, such as an id', 'MY_SERIES_1', '| MY_SERIES_1 |'],
    ['an ampersand', 'S&P 500', '| S&P 500 |'],
    ['a text like an entity', '&lt;&#60;', '| \\&lt;\\&#60; |'],
  ])('shows %s as text', (_, text, line) => {
    expect(lineOf(text)).toBe(line);
  });

  // GitHub links an address up to the next blank or `<`, without final punctuation, and shows a backslash in it.
  it.each([
    'http://www.econ.yale.edu/~shiller/data.htm',
    'see (https://a.b/~c/*d*/_e).',
    ['www.a.b/~c_/x; ~y~', 'www.a.b/~c_/x; \\~y\\~'],
    ['_a_ https://a.b/_c_/ _d_', '\\_a\\_ https://a.b/_c_/ \\_d\\_'],
    ['https://a.b/~c\nhttps://a.b/~d', 'https://a.b/~c<br>https://a.b/~d'],
    'https://a.b/?x=~1&lt=2',
    // These are not addresses, or the specification does not say where they end.
    ['https://a_b.c/~d', 'https://a_b.c/\\~d'],
    ['xhttps://a.b/~c', 'xhttps://a.b/\\~c'],
    ['https://a.b/~c*', 'https://a.b/\\~c\\*'],
    ['https://a.b/~c|d', 'https://a.b/\\~c\\|d'],
    ['https://a.b/~c\\', 'https://a.b/\\~c\\\\'],
    ['https://a.b/~c<x>', 'https://a.b/\\~c\\<x>'],
    ['https://a.b/~c&lt;', 'https://a.b/\\~c\\&lt;'],
  ])('leaves a web address unchanged, but escapes a text that only begins like one: %j', (address) => {
    const [text = '', line = text] = [address].flat();
    expect(lineOf(text)).toBe(`| ${line} |`);
  });

  it('shows random texts unchanged, in one line with one cell per column', () => {
    const cell = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'\\|`*_~[]<>&;$#!a1 \n') }),
      fc.string({ unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), (texts) => {
        const fields = texts.map((_, i) => field(`c${i}`));
        const row = Object.fromEntries(texts.map((text, i) => [`c${i}`, text]));
        const lines = output(markdownRenderer(layout(fields)), [row]).split('\n');
        expect(lines).toHaveLength(4);
        // Blanks at the edges of a cell belong to the layout.
        const shown = texts.map((text) =>
          text
            .split(/\r\n|[\r\n\u2028\u2029]/)
            .map(printable)
            .join('\n')
            .replace(/^ +| +$/g, ''),
        );
        expect(shownCells(lines[2] ?? '')).toEqual(shown);
      }),
      { numRuns: 300 },
    );
  });
});
