import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { latexRenderer } from '../../../src/render/latex.ts';
import { field, layout, observation, observationFields, output } from '../../support/rows.ts';

describe('LaTeX', () => {
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
    expect(output(latexRenderer(layout([field('a')], { header: false })), [])).toBe(
      '% needs \\usepackage{booktabs}\n\\begin{tabular}{l}\n\\toprule\n\\bottomrule\n\\end{tabular}\n',
    );
  });

  it('escapes whatever LaTeX would read as a command', () => {
    const rows = [{ a: '50% of A&B_{x} \\input{f} $5 #1 ~^ "q" <b>|c', b: null }];
    const text = output(latexRenderer(layout([field('a'), field('b')], { header: false })), rows);
    expect(text.split('\n')[3]).toBe(
      '50\\% of A\\&B\\_\\{x\\} \\textbackslash{}input\\{f\\} \\$5 \\#1 \\textasciitilde{}\\textasciicircum{} \\textquotedbl{}q\\textquotedbl{} \\textless{}b\\textgreater{}\\textbar{}c &  \\\\',
    );
  });

  it('has one line for each row, whatever the texts are', () => {
    const property = fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 8 }), (texts) => {
      const rows = texts.map((a) => ({ a, b: 'x' }));
      const text = output(latexRenderer(layout([field('a'), field('b')], { header: false })), rows);
      const lines = text.split('\n').slice(3, -3);
      expect(lines).toHaveLength(texts.length);
      for (const line of lines) expect(line.endsWith(' & x \\\\')).toBe(true);
    });
    fc.assert(property);
  });
});
