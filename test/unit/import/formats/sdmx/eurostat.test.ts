import { describe, expect, it } from 'vitest';
import { formatOfKind, recognise } from '../../../../../src/import/formats/recognise.ts';
import {
  asJsonStat,
  asSdmxCsv,
  asSdmxCsv1,
  asTsv,
  type EurostatCell,
  type EurostatTable,
  recordedGdpCsv,
  recordedGdpTable,
} from '../../../../support/eurostat.ts';
import { lines, readAll, refuses, sourceFile } from '../../../../support/source-file.ts';

const eurostat = formatOfKind('eurostat-vintages');

const euroArea =
  'Euro area (EA11-1999, EA12-2001, EA13-2007, EA15-2008, EA16-2009, EA17-2011, EA18-2014, EA19-2015, EA20-2023)';

/** A table of unemployment rates, whose revision date stands behind the other dimensions. */
const rates = (cells: readonly EurostatCell[], name = 'EI_LM_M_VTG'): EurostatTable => ({
  ...{ name, title: 'Unemployment - monthly data - vintages from 2021 onwards', cells },
  dimensions: ['freq', 'unit', 's_adj', 'sex', 'age', 'geo', 'revdate'],
  labels: { PC_ACT: 'Percentage of population in the labour force', EA: euroArea, DE: 'Germany' },
  updated: '2026-09-14T23:00:00+0200',
});

const rate = (geo: string, revdate: string, period: string, figure: string, flag = ''): EurostatCell => ({
  ...{ codes: ['M', 'PC_ACT', 'SA', 'T', 'TOTAL', geo, revdate], period, figure },
  ...(/[A-Z]/.test(flag) ? { conf: flag } : { flag }),
});

/** First releases of Eurostat's news: the euro area on 4 March and 6 April 2021. */
const published = [
  rate('EA', '2021-03-04', '2020-12', '8.1'),
  rate('EA', '2021-03-04', '2021-01', '8.1', 'p'),
  rate('EA', '2021-04-06', '2021-02', '8.3'),
  rate('DE', '2021-04-06', '2021-01', '4.5', 'be'),
  rate('DE', '2021-04-06', '2021-02', ':', 'C'),
  rate('DE', '2021-04-06', '2021-03', ':', 'u'),
];

const statedRates = [
  'ESTAT:EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.DE,2021-01-01,2021-04-06,4.5',
  'ESTAT:EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.EA,2020-12-01,2021-03-04,8.1',
  'ESTAT:EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.EA,2021-01-01,2021-03-04,8.1',
  'ESTAT:EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.EA,2021-02-01,2021-04-06,8.3',
];

describe.each([
  ['JSON-stat', 'x.json', asJsonStat],
  ['SDMX-CSV with labels', 'x.csv', (table: EurostatTable) => asSdmxCsv(table, true)],
  ['SDMX-CSV without labels', 'x.csv', (table: EurostatTable) => asSdmxCsv(table, false)],
  ['SDMX-CSV 1.0', 'x.csv', asSdmxCsv1],
  ['TSV', 'x.tsv', asTsv],
] as const)('a vintage table of Eurostat as %s', (form, name, write) => {
  const read = (table: EurostatTable) => readAll(eurostat, sourceFile(name, write(table)));

  it('is recognised', async () => {
    expect((await recognise(sourceFile(name, write(rates(published))))).kind).toBe('eurostat-vintages');
  });

  it('states the figures of each row as of its revision date, without flags', async () => {
    expect(lines((await read(rates(published))).statements).sort()).toEqual(statedRates);
  });

  it('covers all of its series up to its last revision date', async () => {
    expect((await read(rates(published))).coverage.map(({ coveredTo }) => coveredTo)).toEqual([
      '2021-04-06',
      '2021-04-06',
    ]);
  });

  it('takes a cell without a figure as no statement, and counts those with flags', async () => {
    expect([...(await read(rates(published))).notes].sort()).toEqual([
      '1 cell without a figure, with the flag C: no statement, so an earlier figure stands',
      '1 cell without a figure, with the flag u: no statement, so an earlier figure stands',
    ]);
  });

  it('names the series of the table up to 2020 after the table since 2021', async () => {
    const old = rates([rate('EA', '2020-12-02', '2020-10', '8.4')], 'EI_LM_M_VTGFIX');
    expect(lines((await read(old)).statements)).toEqual([
      'ESTAT:EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.EA,2020-10-01,2020-12-02,8.4',
    ]);
  });

  it('keeps every digit of a figure', async () => {
    const long = rates([rate('EA', '2021-03-04', '2020-12', '-12345678901234567.890')]);
    expect((await read(long)).statements.map(({ value }) => value)).toEqual(['-12345678901234567.890']);
  });

  it.each([
    ['not a day', 'DE', '2021-4-6', '2021-01', '4.5', /"2021-4-6": not a date/],
    ['another period', 'DE', '2021-04-06', '2021-Q1', '4.5', /"2021-Q1": not a period of the frequency M/],
    ['no number', 'DE', '2021-04-06', '2021-01', '4;5', /"4;5": neither a decimal number nor :/],
    ['a label for a code', 'Germany (all)', '2021-04-06', '2021-01', '4.5', /not a code: download the table/],
  ])('is refused by name for %s', async (_what, geo, revdate, period, figure, reason) => {
    const wrong = rates([
      rate(geo, revdate, period, form === 'JSON-stat' && figure === '4;5' ? '"4;5"' : figure),
    ]);
    await expect(read(wrong)).rejects.toThrow(reason);
  });

  it.each([
    ['a new dimension', [...rates([]).dimensions, 'worktime'], /EI_LM_M_VTG has a new dimension worktime/],
    [
      'a dimension less',
      rates([]).dimensions.filter((id) => id !== 'age'),
      /EI_LM_M_VTG has no dimension age/,
    ],
    [
      'a dimension with a new name',
      rates([]).dimensions.map((id) => (id === 'age' ? 'ages' : id)),
      /EI_LM_M_VTG has a new dimension ages and no dimension age/,
    ],
    [
      'no revision dates',
      rates([]).dimensions.map((id) => (id === 'revdate' ? 'rev' : id)),
      /has no column revdate/,
    ],
  ])('is refused by name for %s', async (_what, dimensions, reason) => {
    const codes = dimensions.map((id) => (id === 'freq' ? 'M' : 'X'));
    const changed = { ...rates([]), dimensions, cells: [{ codes, period: '2021-01', figure: '1' }] };
    await expect(readAll(eurostat, sourceFile(`ei_lm_m_vtg${name}`, write(changed)))).rejects.toThrow(reason);
  });
});

describe('a vintage table of Eurostat that may be cut short', () => {
  const cutShort = /: the last line has no end, so the file is probably cut short|is the file truncated/;

  it.each([
    ['TSV', 'x.tsv', asTsv],
    ['SDMX-CSV', 'x.csv', (table: EurostatTable) => asSdmxCsv(table, false)],
  ] as const)('as %s within its last cell is refused', async (_, name, write) => {
    const text = write(rates([...published, rate('EA', '2021-05-03', '2021-03', '123.45', 'p')]));
    const end = /(?:\r?\n)$/.exec(text)?.index ?? 0;
    for (const cut of [end, end - 1]) {
      const file = sourceFile(name, text.slice(0, cut));
      await expect(readAll(eurostat, file)).rejects.toThrow(cutShort);
    }
  });

  it('as SDMX-CSV between two figures of its last vintage is refused', async () => {
    const lines = recordedGdpCsv.trimEnd().split('\r\n');
    const day = (line: string) => /,(\d{4}-\d\d-\d\d),\1,/.exec(line)?.[1] ?? '';
    const last = lines.findIndex((line) => day(line) === day(lines.at(-1) ?? ''));
    expect(lines.length - last).toBeGreaterThan(100);
    for (const count of [last + 1, last + 40, lines.length - 12]) {
      const file = sourceFile('gdp.csv', `${lines.slice(0, count).join('\r\n')}\r\n`);
      await expect(readAll(eurostat, file)).rejects.toThrow(
        /as of 2025-03-07 ends with \d{4}-\d\d-01, and an earlier vintage with 2024-10-01, so the file is probably cut/,
      );
    }
  });

  it.each([
    ['TSV', 'x.tsv', asTsv],
    ['JSON-stat', 'x.json', asJsonStat],
    ['SDMX-CSV', 'x.csv', (table: EurostatTable) => asSdmxCsv(table, false)],
  ] as const)(
    'as %s is read, with a note, if a vintage ends long before an earlier one',
    async (_, name, write) => {
      // Slovenia's industrial production of 2024-08-05 ends in 1999.
      const table = rates([
        rate('SI', '2024-07-05', '1999-12', '7.1'),
        rate('SI', '2024-07-05', '2024-05', '3.5'),
        rate('SI', '2024-08-05', '1999-12', '7.2'),
        rate('SI', '2024-09-05', '2024-07', '3.4'),
      ]);
      const { notes, statements } = await readAll(eurostat, sourceFile(name, write(table)));
      expect([statements.length, notes]).toEqual([
        4,
        [
          'ESTAT:EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.SI as of 2024-08-05 ends with 1999-12-01, and an earlier vintage with 2024-05-01: earlier figures stand for the rest',
        ],
      ]);
    },
  );
});

it('a TSV of the Data Browser, with names in capitals and a slash, gives the same', async () => {
  const text = asTsv(rates(published));
  const browser = text.replace(/^[^\t]*/, (names) => names.toUpperCase().replace('\\', '/'));
  expect((await recognise(sourceFile('x.tsv', browser))).kind).toBe('eurostat-vintages');
  expect(await readAll(eurostat, sourceFile('x.tsv', browser))).toEqual(
    await readAll(eurostat, sourceFile('x.tsv', text)),
  );
});

describe('the labels of a vintage table', () => {
  it.each([
    ['JSON-stat', asJsonStat],
    ['SDMX-CSV', (table: EurostatTable) => asSdmxCsv(table, true)],
  ] as const)('in %s give title and unit, and say that the euro area changes', async (_, write) => {
    const { metadata } = await readAll(eurostat, sourceFile('x', write(rates(published))));
    expect(metadata).toContainEqual({
      seriesId: 'ESTAT:EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.EA',
      title: 'Unemployment - monthly data: Euro area (changing composition)',
      units: 'Percentage of population in the labour force',
      frequency: 'M',
      seasonalAdjustment: 'SA',
    });
  });

  it('include the industries of industrial production', async () => {
    const industry: EurostatTable = {
      ...{ name: 'EI_IS_M_VTG', title: 'Industrial production - monthly data - vintages from 2021 onwards' },
      dimensions: ['freq', 'revdate', 's_adj', 'nace_r2', 'unit', 'geo'],
      labels: { 'B-D': 'Mining; manufacturing', I21: 'Index, 2021=100', DE: 'Germany' },
      updated: '',
      cells: [{ codes: ['M', '2026-08-07', 'SCA', 'B-D', 'I21', 'DE'], period: '2026-06', figure: '91.2' }],
    };
    const { metadata } = await readAll(eurostat, sourceFile('x.csv', asSdmxCsv(industry, true)));
    expect(metadata).toEqual([
      {
        seriesId: 'ESTAT:EI_IS_M_VTG.M.SCA.B-D.I21.DE',
        title: 'Industrial production - monthly data: Germany, Mining; manufacturing',
        units: 'Index, 2021=100',
        frequency: 'M',
        seasonalAdjustment: 'SCA',
      },
    ]);
  });
});

describe('the recorded table of euro-area GDP', () => {
  const id = 'ESTAT:EI_NA_Q_VTG.Q.SCA.CLV05_MEUR.EA';
  const gdp = readAll(eurostat, sourceFile('gdp.csv', recordedGdpCsv));

  it('gives every figure of every row', async () => {
    const firstMonths: Readonly<Record<string, string>> = { Q1: '01', Q2: '04', Q3: '07', Q4: '10' };
    const raw = recordedGdpTable.cells.map(({ codes, period, figure }) => {
      const [year, quarter = ''] = period.split('-');
      return `${id},${year}-${firstMonths[quarter]}-01,${codes[1]},${figure}`;
    });
    expect(raw.length).toBe(recordedGdpCsv.trimEnd().split('\n').length - 1);
    expect(lines((await gdp).statements)).toEqual(raw);
  });

  // Growth on the quarter before, as Eurostat's news said on the day.
  it.each([
    ['2020-01-31', '2019-10-01', '2019-07-01', '0.1'],
    ['2020-04-30', '2020-01-01', '2019-10-01', '-3.8'],
    ['2020-07-31', '2020-04-01', '2020-01-01', '-12.1'],
    ['2020-08-14', '2020-04-01', '2020-01-01', '-12.1'],
    ['2020-09-08', '2020-04-01', '2020-01-01', '-11.8'],
    ['2020-10-30', '2020-07-01', '2020-04-01', '12.7'],
    ['2021-02-02', '2020-10-01', '2020-07-01', '-0.7'],
    ['2025-01-30', '2024-10-01', '2024-07-01', '0.0'],
    ['2025-02-14', '2024-10-01', '2024-07-01', '0.1'],
    ['2025-03-07', '2024-10-01', '2024-07-01', '0.2'],
  ])(
    'has on %s a growth in the quarter from %s (after %s) of %s percent',
    async (day, date, before, growth) => {
      const { statements } = await gdp;
      const level = (of: string) =>
        Number(statements.find((one) => one.asOf === day && one.date === of)?.value ?? Number.NaN);
      expect((100 * (level(date) / level(before) - 1)).toFixed(1)).toBe(growth);
    },
  );
});

const head = '{"version":"2.0","class":"dataset","label":"x","source":"ESTAT",';

refuses(eurostat, 'x.json', {
  ', column "extension": this field is missing': sourceFile('x.json', `${head}"id":[]}`),
  ': NAMQ_10_GDP has no column revdate, so it has no vintages; asof reads EI_IS_M_VTG, EI_LM_M_VTG, EI_NA_Q_VTG':
    sourceFile('x.json', `${head}"id":["geo","time"],"size":["1"],"extension":{"id":"NAMQ_10_GDP"}}`),
  ': EI_BS_M_VTG is not a vintage table that asof knows: EI_IS_M_VTG, EI_LM_M_VTG, EI_NA_Q_VTG': sourceFile(
    'x.json',
    `${head}"id":["revdate","time"],"size":[1,1],"extension":{"id":"EI_BS_M_VTG"}}`,
  ),
});

refuses(eurostat, 'x.tsv', {
  ', row 2: 2 cells, but the header has 3; is the file truncated, or is this a footer?': sourceFile(
    'x.tsv',
    'freq,revdate,s_adj,unit,geo\\TIME_PERIOD\t2020-Q1 \t2020-Q2 \r\nQ,2020-04-30,SCA,CLV05_MEUR,EA\t1.5 \r\n',
  ),
  ': the table has no figures': sourceFile(
    'x.tsv',
    'freq,revdate,s_adj,unit,geo\\TIME_PERIOD\t2020-Q1 \r\nQ,2020-04-30,SCA,CLV05_MEUR,EA\t: \r\n',
  ),
});

it('a table in JSON-stat with lists in the place of objects gives the same', async () => {
  const written = asJsonStat(rates(published.filter(({ flag }) => flag !== 'u')));
  const table = JSON.parse(written);
  const total = table.size.reduce((product: number, size: number) => product * size, 1);
  for (const field of ['value', 'status'])
    table[field] = Array.from({ length: total }, (_, index) => table[field][index] ?? null);
  for (const { category } of Object.values<{ category: { index: object } }>(table.dimension))
    category.index = Object.keys(category.index);
  const [lists, objects] = await Promise.all(
    [JSON.stringify(table), written].map((text) => readAll(eurostat, sourceFile('x.json', text))),
  );
  expect(lists).toEqual(objects);
});

describe('an answer in JSON-stat that is cut', () => {
  it('is refused at every length', async () => {
    const text = asJsonStat(rates(published));
    for (let length = 1; length < text.length; length += 97)
      await expect(readAll(eurostat, sourceFile('x.json', text.slice(0, length)))).rejects.toThrow(
        /broken JSON|neither JSON-stat/,
      );
  });
});
