import { XMLValidator } from 'fast-xml-parser';
import { spawn } from 'node-pty';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { asof, days, type Ended, linesOf, type Surroundings, statements } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { builtProgram } from '../../support/repository.ts';
import { readText } from '../../support/rows.ts';

// The commands do real work, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = newFolder();
const store = folder.path('store.db');

// ALFRED's figures of GDP for the last quarter of 2014, and of real GDP; Treasury's par curves of two days.
const facts = [
  'GDP,2014-07-01,2014-10-30,17535.4',
  'GDP,2014-07-01,2014-12-23,17599.8',
  'GDP,2014-10-01,2015-01-30,17710.7',
  'GDP,2014-10-01,2015-02-27,17701.3',
  'GDP,2014-10-01,2015-03-27,17703.7',
  'GDPC1,2014-07-01,2014-12-23,16205.6',
  'GDPC1,2014-10-01,2015-01-30,16311.6',
  ...days.map((day, i) => `LONG,${day},2020-06-30,${i === 1700 ? -40 : i % 50}`),
  'GONE,2020-01-01,2020-02-01,3',
  'GONE,2020-01-01,2020-03-01,',
  ...Array.from({ length: 9 }, (_, i) => `MANY${i},2020-01-01,2020-02-01,${i}`),
];
const metadata = [
  'series_id,title,units,frequency,seasonal_adjustment,source',
  'GDP,Gross Domestic Product,Billions of Dollars,Q,SAAR,BEA',
  '"GDPC1","Real ""GDP"" <\u001B]0;owned\u0007>",Billions of 2009 Dollars,Q,SAAR,BEA & others',
];
const par = [
  'DATE,DGS1MO,DGS3MO,DGS2,DGS10,DGS30',
  '2007-06-29,4.28,4.82,4.87,5.03,5.12',
  '2019-08-28,2.07,1.99,1.50,1.47,1.94',
];

beforeAll(async () => {
  const files = [
    folder.write('facts.csv', statements(facts)),
    folder.write('metadata.csv', `${metadata.join('\n')}\n`),
    folder.write('par.csv', `${par.join('\n')}\n`),
  ];
  const { code, err } = await asof(['import', ...files, '--store', store]);
  if (code !== 0) throw new Error(err);
});

function run(line: string, surroundings?: Surroundings): Promise<Ended> {
  return asof([...line.split(' '), '--store', store], surroundings);
}

/** Command lines, each with the beginnings of the first lines of its chart, and of its source if it has one. */
const named = `
obs GDP --as-of 2015-01-30
  GDP: Gross Domestic Product | As known on 2015-01-30 | Billions of Dollars — BEA
obs gdp
  GDP: Gross Domestic Product | Latest values, the newest published on 2015-03-27 — BEA
obs GDP --first-release
  GDP: Gross Domestic Product | First releases, the newest published on 2015-01-30 — BEA
obs GDP --first-release --as-of 2015-02-01
  GDP: Gross Domestic Product | First releases, as known on 2015-02-01 — BEA
obs LONG
  LONG | Latest values, the newest published on 2020-06-30 |  60 ┤
obs GDP GDPC1
  GDP and GDPC1 | Latest values, the newest published on 2015-03-27 | GDP, Billions of Dollars — BEA; BEA & others
revisions GDP --date 2014-10-01
  GDP: Gross Domestic Product | The value for 2014-10-01 as it was published, up to 2015-03-27 | Billions of Dollars — BEA
revisions GDP --date 2014-07-01
  GDP: Gross Domestic Product | The value for 2014-07-01 as it was published, up to 2015-03-27 — BEA
revisions GDP --date 2014-10-01 --as-of 2015-03-01
  GDP: Gross Domestic Product | The value for 2014-10-01 as it was published, up to 2015-03-01 — BEA
spread --long 10y --short 2Y
  Treasury par yield curve: 10Y less 2Y | Basis points — Federal Reserve H.15
curve --date 2007-06-29
  Treasury par yield curve | 2007-06-29 | Percent — Federal Reserve H.15
curve --date 2007-06-29 --vs 2019-08-28
  Treasury par yield curve | 2007-06-29 and 2019-08-28 | Percent — Federal Reserve H.15
yields --maturity 10Y
  Treasury par yield curve: 10Y | Percent — Federal Reserve H.15
yields
  Treasury par yield curve: 3M, 2Y, 10Y and 30Y | Percent — Federal Reserve H.15
yields --wide
  Treasury par yield curve: 3M, 2Y, 10Y and 30Y | Percent
panel GDP GDPC1 --as-of 2015-01-30 --wide
  GDP and GDPC1 | As known on 2015-01-30 | GDP, Billions of Dollars — BEA; BEA & others
panel GDP GDPC1 --as-of-each month-end --from 2014-12-31 --to 2015-01-30
  GDP and GDPC1 | The newest value known on each month-end | GDP, Billions of Dollars — BEA; BEA & others
vintages GDP --as-of 2015-02-27
  GDP: Gross Domestic Product | Dates that each vintage changed, up to 2015-02-27 | Dates added — BEA
`;

/** The lines of a chart of which each value is drawn: its panel, the end of its drawing, and the values shown. */
async function drawnBy(line: string, surroundings?: Surroundings) {
  const { out } = await run(line, surroundings);
  const { panels, plotWidth, labels } = readText(out);
  const [panel = panels[0]] = panels;
  const dots = panel?.dots ?? [];
  const end = Math.max(...dots.map(({ x }) => x)) / (2 * plotWidth - 1);
  return { out, panel, labels, end, values: dots.map(({ y }) => panel?.valueAt(y) ?? Number.NaN) };
}

describe('--plot', () => {
  it.each(
    [...named.matchAll(/^(\S.*)\n {2}(.*)$/gm)].map(([, line = '', words = '']) => [line, words] as const),
  )('draws asof %s as a chart that names what it shows: %s', async (line, words) => {
    const [heading = '', source] = words.split(' — ');
    const begins = heading.split(' | ');
    const { code, out, err } = await run(`${line} --plot`);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = linesOf(out);
    const startOf = (text: string | undefined, part: string | undefined) => text?.slice(0, part?.length);
    expect(begins.map((part, i) => startOf(lines[i], part))).toEqual(begins);
    const last = lines.find((text) => text.startsWith('Source:'));
    expect(startOf(last, source && `Source: ${source}`)).toBe(source && `Source: ${source}`);
    expect(readText(out).panels.length).toBeGreaterThan(0);
    expect(XMLValidator.validate((await run(`${line} -f svg`)).out)).toBe(true);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it('draws every row of the query, also on a terminal', async () => {
    const size = { stdoutIsTerminal: true, columns: 120, env: { NO_COLOR: '1' } };
    // The one value below zero is older than the hundred newest, and than the first page.
    const { values } = await drawnBy('obs LONG --plot', size);
    expect(Math.min(...values)).toBeCloseTo(-40, -1);
    const { panel } = await drawnBy('obs LONG --plot --limit 100', size);
    expect(panel?.ticks.at(-1)?.value).toBe(0);
  });

  it.each<readonly [line: string, low: number, high: number]>([
    // The ten-year rate was 5.03 on one day and 1.47 on the other, and no rate of its curve was beyond.
    ['yields --maturity 10Y', 1.47, 5.03],
    ['yields --wide --maturity 10Y', 1.47, 5.03],
    // All maturities that are drawn: the three-month rate of 4.82 and the thirty-year rate of 5.12 are among them.
    ['yields --wide', 1.47, 5.12],
    // Ten years less two: 16 basis points in 2007, and -3 in 2019.
    ['spread --long 10Y --short 2Y', -3, 16],
    // At the end of October the third quarter was the newest; in February the fourth was known, twice revised by March.
    ['panel GDP --as-of-each month-end --from 2014-10-31 --to 2015-03-27', 17535.4, 17710.7],
    ['panel GDP --wide --as-of-each month-end --from 2014-10-31 --to 2015-03-27', 17535.4, 17710.7],
    ['panel GDP --as-of 2015-03-27', 17599.8, 17703.7],
  ])('draws asof %s from its lowest value, %d, to its highest, %d', async (line, low, high) => {
    const { panel, values } = await drawnBy(`${line} --plot`, { env: { COLUMNS: '100' } });
    // A cell has four dots, and a value without neighbours is one mark in a cell.
    const cell = Math.abs((panel?.valueAt(0) ?? 0) - (panel?.valueAt(4) ?? 0));
    expect(Math.abs(Math.max(...values) - high)).toBeLessThanOrEqual(cell);
    expect(Math.abs(Math.min(...values) - low)).toBeLessThanOrEqual(cell);
  });

  it('draws what each vintage added and revised', async () => {
    const { out } = await run('vintages GDP --plot -f svg');
    // Four vintages brought one of the two dates, three revised one: 2014-12-23, 2015-02-27 and 2015-03-27.
    expect(out).toContain('Dates added: from 1 (2014-10-30) to 1 (2015-01-30)');
    expect(out).toContain('Dates revised: from 1 (2014-12-23) to 1 (2015-03-27)');
  });

  // The units are FRED's names of the transformations.
  it.each([
    ['obs GDP --vintages 2015-01-30,latest --units pch', 'Percent Change', ['2015-01-30', 'latest']],
    ['obs GDP --vintages 2015-01-30,latest --units chg', 'Change, Billions of Dollars', ['latest']],
    ['obs GDP --as-of 2015-01-30 --vs latest --units log', 'Natural Log of Billions of Dollars', ['latest']],
    ['panel GDP --as-of 2015-01-30 --units pch', 'Percent Change', ['GDP']],
    ['obs GDP --vintages 2015-01-30,latest', 'Billions of Dollars', ['2015-01-30', 'latest']],
  ])('of %s is labelled %s', async (line, unit, lines) => {
    const text = await run(`${line} --plot`);
    expect([text.code, linesOf(text.out)[2]]).toEqual([0, unit]);
    const { out } = await run(`${line} -f svg`);
    for (const name of lines) expect(out).toContain(`${name}, ${unit}: `);
    expect(out.includes('Billions')).toBe(unit.includes('Billions'));
  });

  it('joins the years of several vintages, which a quarterly series has here', async () => {
    const line = 'obs LONG --vintages 2020-06-30,latest --frequency a --aggregate avg -f svg';
    const { code, out } = await run(line);
    expect(code).toBe(0);
    // Six whole years, each joined to the next.
    const lengths = [...out.matchAll(/<path [^>]*d="(M[^"]*)"/g)].map(
      ([, path = '']) => path.split('L').length,
    );
    expect(Math.max(...lengths)).toBe(6);
  });

  it('draws a gap where a panel has no values, beyond the coverage', async () => {
    const line = 'panel GDP --as-of-each month-end --from 2014-12-31 --to 2015-12-31 -q --plot';
    // The series is covered to March of a year that the axis shows to December.
    expect((await drawnBy(line)).end).toBeLessThan(0.3);
    expect((await drawnBy(`${line} --beyond repeat`)).end).toBe(1);
  });

  it.each<readonly [env: Record<string, string>, width: number]>([
    [{}, 80],
    [{ COLUMNS: '60' }, 60],
    [{ COLUMNS: 'wide' }, 80],
    [{ COLUMNS: '-1' }, 80],
  ])('writes no escape sequences into a pipe, and with %j uses %d columns', async (env, width) => {
    const { out } = await run('obs LONG --plot', { env });
    expect(out).not.toContain('\u001B');
    const rule = linesOf(out).find((text) => /^ *└/.test(text)) ?? '';
    expect(rule).toHaveLength(width);
  });

  it('writes text into a file, complete or not at all, and takes precedence over the environment', async () => {
    const { out } = await run('obs GDP --plot');
    const written = await run(`obs GDP --plot -o ${folder.path('chart.txt')}`, { env: { FORCE_COLOR: '1' } });
    expect(written).toEqual({ code: 0, out: '', err: '' });
    expect(folder.read('chart.txt')).toBe(out);
    expect((await run(`obs GDP NOPE --plot -o ${folder.path('none.txt')}`)).code).toBe(3);
    expect(folder.has('none.txt')).toBe(false);
    for (const ASOF_FORMAT of ['csv', 'json', 'svg'])
      expect((await run('obs GDP --plot', { env: { ASOF_FORMAT } })).out).toBe(out);
  });

  it('with --skip-missing draws the series that exist, and lists the others', async () => {
    expect(await run('obs GDPX GDP --plot')).toMatchObject({ code: 3, out: '' });
    const { code, out, err } = await run('obs GDPX GDP --plot --skip-missing');
    expect([code, err]).toEqual([0, 'asof: left out, because not found: GDPX\n']);
    expect(out).toContain('Billions of Dollars');
    // A line without a name beside it is the one that the title names.
    expect(linesOf(out)[0]).toBe('GDP: Gross Domestic Product');
    expect(out).not.toContain('GDPX');
  });

  it.each<readonly [line: string, title: string, subtitle: string]>([
    [
      'obs GDP GDPC1 --to 2014-07-01 --as-of 2014-11-30',
      'GDP: Gross Domestic Product',
      'As known on 2014-11-30; none of GDPC1',
    ],
    [
      'obs GONE MANY1 GDP MANY2 MANY3 --from 2020-01-01',
      'MANY1, MANY2 and MANY3',
      'Latest values, the newest published on 2020-02-01; none of GONE and GDP',
    ],
    ['obs GONE GDP --from 2020-01-01', 'GONE and GDP', 'Latest values'],
  ])('for asof %s names the series that it draws and those without a value', async (line, ...words) => {
    const { code, out } = await run(`${line} --plot -q`);
    expect(code).toBe(0);
    expect(linesOf(out).slice(0, 2)).toEqual(words);
    expect(out).not.toContain('GDPC1:');
  });

  it('says that there are no values, and --fail-empty applies', async () => {
    const line = 'obs GDP --as-of 1990-01-01 --plot -q';
    const out = 'GDP: Gross Domestic Product\nAs known on 1990-01-01\n\nno values\n';
    expect(await run(line)).toEqual({ code: 0, out, err: '' });
    expect(await run(`${line} --fail-empty`)).toEqual({ code: 9, out, err: '' });
    expect((await run('curve --date 2007-07-01 --plot')).out).toBe('Treasury par yield curve\n\nno values\n');
  });

  it.each([
    ['revisions GONE --date 2020-01-01', '2020-03'],
    ['revisions GDP --date 2014-07-01 --as-of 2015-03-01', '2015-03'],
    ['revisions GDP --date 2014-07-01 --as-of 2015-03-27', '2015-03'],
    ['revisions GDP --date 2014-07-01 --as-of 2019-01-01', '2015-03'],
  ])('draws asof %s up to a withdrawal, the as-of day or the end of the coverage: %s', async (line, last) => {
    const { labels, end } = await drawnBy(`${line} -q --plot`);
    expect([labels.at(-1)?.slice(0, 7), end]).toEqual([last, 1]);
  });

  const tooMany = 'a chart shows at most 8 series, not 9';
  it.each([
    ['obs MANY* --plot', tooMany],
    ['panel MANY* --plot', tooMany],
    ['panel MANY* --as-of-each friday --from 2020-02-01 --to 2020-03-31 --plot', tooMany],
    ['series show GDP --plot', "unknown option '--plot'"],
    ['diff GDP 2015-01-30 2015-02-27 -f svg', 'this query has no chart: choose another format than svg'],
  ])('is refused in asof %s: %s', async (line, said) => {
    const { code, out, err } = await run(line);
    expect({ code, out, said: linesOf(err)[0] }).toEqual({ code: 2, out: '', said: `asof: ${said}` });
  });

  it('is refused with --json, as a problem document', async () => {
    const { code, err } = await run('obs GDP --plot --json');
    expect([code, JSON.parse(err).detail]).toEqual([2, 'use either --plot or json']);
  });
});

describe('a chart as SVG', () => {
  it('is the same chart by -f, by the extension of -o, with --plot and by the environment', async () => {
    const { out } = await run('obs GDP -f svg');
    for (const flags of ['', ' --plot', ' -f svg']) {
      const written = await run(`obs GDP -o ${folder.path('chart.svg')}${flags}`);
      expect(written).toEqual({ code: 0, out: '', err: '' });
      expect(folder.read('chart.svg')).toBe(out);
    }
    expect((await run('obs GDP --plot -f svg')).out).toBe(out);
    expect((await run('obs GDP', { env: { ASOF_FORMAT: 'svg' } })).out).toBe(out);
  });

  it('describes itself: the ends of two curves, as Treasury has them', async () => {
    const { out } = await run('curve --date 2007-06-29 --vs 2019-08-28 -f svg');
    expect(out).toContain(
      '2007-06-29, Percent: from 4.28 (1M) to 5.12 (30Y), lowest 4.28 (1M), highest 5.12 (30Y).',
    );
    expect(out).toContain(
      '2019-08-28, Percent: from 2.07 (1M) to 1.94 (30Y), lowest 1.47 (10Y), highest 2.07 (1M).',
    );
  });
});

describe('a chart on a terminal', () => {
  function onTerminal(line: string, cols: number, rows: number, env: Record<string, string> = {}) {
    // The last output of a process is lost unless another process keeps the pseudo-terminal open a little longer.
    const held = ['-c', '"$@"; code=$?; sleep 0.2; exit $code', 'sh'];
    const pty = spawn('sh', [...held, process.execPath, builtProgram, ...line.split(' '), '--store', store], {
      cols,
      rows,
      env: { PATH: process.env.PATH ?? '', HOME: folder.path('home'), TERM: 'xterm', ...env },
    });
    const shown: string[] = [];
    pty.onData((data) => shown.push(data));
    return new Promise<{ code: number; text: string }>((resolve) => {
      pty.onExit(({ exitCode }) =>
        resolve({ code: exitCode, text: shown.join('').replaceAll('\r\n', '\n') }),
      );
    });
  }

  it.each([
    [100, 30],
    [50, 16],
    [24, 12],
  ])('fits into %d columns and %d lines', async (columns, rows) => {
    const { code, text } = await onTerminal('obs GDP LONG --plot', columns, rows, { NO_COLOR: '1' });
    expect(text).not.toContain('\u001B');
    if (rows === 12)
      expect(text.replace(/\s+/g, ' ')).toMatch(
        /^asof: this chart needs \d+ lines, and there is room for 10 /,
      );
    else {
      expect(code).toBe(0);
      expect(linesOf(text).length).toBeLessThanOrEqual(rows - 2);
      expect(Math.max(...linesOf(text).map(({ length }) => length))).toBeLessThanOrEqual(columns);
      expect((linesOf(text).find((line) => /^ *└/.test(line)) ?? '').length).toBe(columns);
    }
  });

  it('is coloured unless colours are turned off', async () => {
    const { text } = await onTerminal('obs GDP LONG --plot', 100, 40);
    expect(text).toContain('\u001B[1mGDP and LONG\u001B[22m\n');
    expect(text).toContain('\u001B[36m');
    for (const [flag, env] of [['', { TERM: 'dumb' }] as const, [' --no-color', {}] as const])
      expect((await onTerminal(`obs GDP LONG --plot${flag}`, 100, 40, env)).text).not.toContain('\u001B');
  });
});
