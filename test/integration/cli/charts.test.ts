import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { XMLParser } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { samplePath } from '../../../src/platform/installation.ts';
import { asof } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

/** The texts of a chart of the sample as SVG, from above; the first is its title, and the second its subtitle. */
async function textsIn(line: string): Promise<readonly string[]> {
  return (await drawn(line)).texts;
}

async function drawn(line: string) {
  return read((await asof([...line.split(' '), '-f', 'svg', '--store', samplePath()])).out);
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  isArray: (_name, _path, _leaf, isAttribute) => !isAttribute,
});

function read(svg: string) {
  const root = parser.parse(svg).svg[0];
  const paths: readonly { readonly d: string }[] = root.path ?? [];
  const texts: readonly { readonly '#text': string }[] = root.text;
  return { texts: texts.map((one) => String(one['#text'])), paths: paths.map(({ d }) => d) };
}

it.each([
  ['obs GDP', 'FRED'],
  ['obs GDP --vintages 2009-01-30,latest', 'FRED'],
  ['panel GDP --as-of 2009-01-30', 'FRED'],
  ['panel GDP --as-of-each month-end --from 2008-01-01 --to 2009-01-01', 'FRED'],
  ['revisions GDP --date 2008Q4', 'FRED'],
  ['revisions GDP --release 1,final', 'FRED'],
  ['vintages GDP', 'FRED'],
  ['yields --maturity 10Y', 'U.S. Treasury'],
  ['curve --date 2009-01-30', 'U.S. Treasury'],
  ['curve --date 2009-01-30 --vs 2008-01-30', 'U.S. Treasury'],
  ['spread', 'U.S. Treasury'],
])('a chart of asof %s names its source', async (line, source) => {
  expect((await textsIn(line)).at(-1)).toContain(`Source: ${source}`);
});

describe('the words of a chart', () => {
  it('name the series below a title of the user', async () => {
    const [title, ...below] = await textsIn('obs GDP --as-of 2009-01-30 --from 2007 --title Mine');
    expect([title, below.join(' ')]).toEqual([
      'Mine',
      expect.stringContaining('GDP: Gross Domestic Product. As known on 2009-01-30'),
    ]);
  });

  it('have the bracket of a long title below the chart, and that of a short one in the title', async () => {
    const long = await textsIn('obs PAYEMS --from 2020');
    expect(long[0]).toBe('PAYEMS: All Employees, Total Nonfarm');
    expect(long.slice(-2)[0]).toBe('PAYEMS: mid-month snapshots');
    expect((await textsIn('obs UNRATE --from 2020'))[0]).toBe(
      'UNRATE: Unemployment Rate (mid-quarter snapshots)',
    );
  });
});

it('a panel of as-of dates is drawn in steps, as what is known changes', async () => {
  const { paths } = await drawn('panel GDP --as-of-each month-end --from 2008-01-01 --to 2009-12-31');
  const points = [...(paths[0] ?? '').matchAll(/[ML](\S+) ([^ML]+)/g)].map(([, x, y]) => [
    Number(x),
    Number(y),
  ]);
  expect(points.length).toBeGreaterThan(24);
  for (const [i, [x, y]] of points.slice(1).entries())
    expect([x === points[i]?.[0], y === points[i]?.[1]]).toContain(true);
});

it('vintages are drawn as bars, with a scale for each change', async () => {
  const line = 'vintages GDP --from 2009-01-01 --to 2010-12-31';
  const { texts, paths } = await drawn(line);
  expect(texts.filter((text) => text.startsWith('Dates '))).toEqual([
    'Dates that each vintage changed',
    'Dates added',
    'Dates revised',
  ]);
  const { out } = await asof([...line.split(' '), '--csv', '--store', samplePath()]);
  const rows = out
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => row.split(','));
  const bars = [1, 2].map((column) => rows.filter((cells) => Number(cells[column]) > 0).length);
  expect(paths.map((d) => d.match(/M/g)?.length)).toEqual(bars);
});

describe('a chart as PDF', () => {
  const folder = newFolder();
  const into = async (name: string, ...flags: readonly string[]) => {
    const line = ['obs', 'GDP', '--as-of', '2009-01-30', '--from', '2007', '-o', folder.path(name), ...flags];
    return asof([...line, '--store', samplePath()]);
  };

  /** The drawn texts: ISO 32000 has a page in a stream, and its texts as hexadecimal strings of one byte a letter. */
  const textsOf = (bytes: Buffer): readonly string[] => {
    const from = bytes.indexOf('stream\n') + 'stream\n'.length;
    const page = inflateSync(bytes.subarray(from, bytes.indexOf('\nendstream', from))).toString('latin1');
    return Array.from(page.matchAll(/\[(.*)\] TJ/g), ([, parts = '']) =>
      Array.from(parts.matchAll(/<([0-9a-f]*)>/g), ([, hex = '']) =>
        Buffer.from(hex, 'hex').toString('latin1'),
      ).join(''),
    );
  };

  it('has the texts of the SVG, its size in points, and the same bytes each time', async () => {
    for (const name of ['a.pdf', 'b.pdf', 'a.svg'])
      expect((await into(name, '--title', 'Größe')).code).toBe(0);
    const bytes = readFileSync(folder.path('a.pdf'));
    expect(bytes.equals(readFileSync(folder.path('b.pdf')))).toBe(true);
    const svg = folder.read('a.svg');
    expect(textsOf(bytes)).toEqual(read(svg).texts);
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
    expect(bytes.toString('latin1')).toContain(
      `/MediaBox [0 0 ${Number(width) * 0.75} ${Number(height) * 0.75}]`,
    );
  });

  it('is refused for letters that its font lacks, and leaves no file', async () => {
    const { code, err } = await into('c.pdf', '--title', 'ΔGDP');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('nothing was written: a PDF chart cannot show "Δ", which is in "ΔGDP"'),
    ]);
    expect(() => folder.read('c.pdf')).toThrow('ENOENT');
  });
});
