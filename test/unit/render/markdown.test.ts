import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownRenderer } from '../../../src/render/markdown.ts';
import { printable } from '../../../src/render/printable.ts';
import { field, layout, observation, observationFields, output } from '../../support/rows.ts';

const heading =
  '| date | value | as_of_date | series_id | unit | frequency | source |\n' +
  '| --- | ---: | --- | --- | --- | --- | --- |\n';

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
  it('is a table as on GitHub, with numbers to the right, exact digits and days without a time', () => {
    expect(output(markdownRenderer(layout(observationFields)), [observation('2014-10-01', '17710.70')])).toBe(
      `${heading}| 2014-10-01 | 17710.70 | 2015-01-30 | GDP | Billions of Dollars, Seasonally Adjusted Annual Rate | Q | FRED |\n`,
    );
  });

  it('is only the heading without rows and without a page', () => {
    expect(output(markdownRenderer(layout(observationFields)), [])).toBe(heading);
    expect(output(markdownRenderer(layout(observationFields)))).toBe(heading);
  });

  it('gives each page when it arrives, and the heading once', () => {
    const renderer = markdownRenderer(layout([field('n', 'integer')]));
    const page = (n: number) => renderer.page({ results: [{ n }] } as never);
    expect([page(1), page(2), renderer.end()]).toEqual(['| n |\n| ---: |\n| 1 |\n', '| 2 |\n', '']);
  });

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
    ['emphasis, code, a link, a formula', '*a* _b_ `c` [d](e) ~~f~~ $g$', null],
    ['a word with underscores, such as an id', 'MY_SERIES_1', '| MY_SERIES_1 |'],
    ['an ampersand', 'S&P 500', '| S&P 500 |'],
    ['a text like an entity', '&lt;&#60;', '| \\&lt;\\&#60; |'],
  ])('shows %s as text', (_, text, cell) => {
    const row =
      output(markdownRenderer(layout([field('text', Array.isArray(text) ? 'list' : 'text')])), [
        { text },
      ]).split('\n')[2] ?? '';
    if (cell !== null) expect(row).toBe(cell);
    else expect(shownCells(row)).toEqual([text]);
  });

  // GitHub links an address up to the next blank or `<`, without final punctuation, and shows a backslash in it.
  it.each([
    ['http://www.econ.yale.edu/~shiller/data.htm', null],
    ['see (https://a.b/~c/*d*/_e).', null],
    ['www.a.b/~c_/x; ~y~', 'www.a.b/~c_/x; \\~y\\~'],
    ['_a_ https://a.b/_c_/ _d_', '\\_a\\_ https://a.b/_c_/ \\_d\\_'],
    ['https://a.b/~c\nhttps://a.b/~d', 'https://a.b/~c<br>https://a.b/~d'],
    ['https://a.b/?x=~1&lt=2', null],
    // These are not addresses, or the specification does not say where they end.
    ['https://a_b.c/~d', 'https://a_b.c/\\~d'],
    ['xhttps://a.b/~c', 'xhttps://a.b/\\~c'],
    ['https://a.b/~c*', 'https://a.b/\\~c\\*'],
    ['https://a.b/~c|d', 'https://a.b/\\~c\\|d'],
    ['https://a.b/~c\\', 'https://a.b/\\~c\\\\'],
    ['https://a.b/~c<x>', 'https://a.b/\\~c\\<x>'],
    ['https://a.b/~c&lt;', 'https://a.b/\\~c\\&lt;'],
  ])('leaves a web address unchanged, but escapes a text that only begins like one: %j', (text, cell) => {
    const row = output(markdownRenderer(layout([field('text', Array.isArray(text) ? 'list' : 'text')])), [
      { text },
    ]).split('\n')[2];
    expect(row).toBe(`| ${cell ?? text} |`);
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
      { numRuns: 500 },
    );
  });
});
