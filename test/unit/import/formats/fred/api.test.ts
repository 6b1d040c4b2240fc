import { describe, expect, test } from 'vitest';
import { seriesIdForm } from '../../../../../src/domain/series/series.ts';
import type { SourceFile } from '../../../../../src/import/files/source-file.ts';
import { fredApi, fredSeries } from '../../../../../src/import/formats/fred/api.ts';
import { recognise } from '../../../../../src/import/formats/recognise.ts';
import { lines, readAll, refusalOf, refuses, sourceFile } from '../../../../support/source-file.ts';

type Row = readonly [start: string, end: string, date: string, value: string];
type Fields = Readonly<Record<string, unknown>>;

const forever = '9999-12-31';

function answer(rows: readonly Row[], fields: Fields = {}): string {
  const observations = rows.map(([realtime_start, realtime_end, date, value]) => ({
    realtime_start,
    realtime_end,
    date,
    value,
  }));
  const own = { realtime_start: '1776-07-04', realtime_end: forever, units: 'lin', output_type: 1 };
  return JSON.stringify({ ...own, count: rows.length, observations, ...fields });
}

const observed = (rows: readonly Row[], fields: Fields = {}) => sourceFile('obs.json', answer(rows, fields));
const described = (id: string, ...others: string[]): SourceFile =>
  sourceFile(
    `${id}.json`,
    JSON.stringify({ seriess: [id, ...others].map((name) => ({ id: name, title: `Title of ${name}` })) }),
  );
const gdp = { series: 'GDP' };

const history: readonly Row[] = [
  ['1992-12-22', '1996-01-18', '1946-01-01', '199.7'],
  ['1996-01-19', '1997-05-06', '1946-01-01', '.'],
  ['1997-05-07', forever, '1946-01-01', '210.40'],
];

describe('a FRED response with real-time periods', () => {
  test('states each value on the first day of its period, and . as a withdrawal', async () => {
    for (const rows of [history, [...history].reverse()]) {
      const { statements, coverage } = await readAll(fredApi, observed(rows), gdp);
      expect(lines(statements).sort()).toEqual([
        'GDP,1946-01-01,1992-12-22,199.7',
        'GDP,1946-01-01,1996-01-19,',
        'GDP,1946-01-01,1997-05-07,210.40',
      ]);
      // Without an end, it covers up to its last change.
      expect(coverage).toEqual([{ seriesId: 'GDP', coveredTo: '1997-05-07' }]);
    }
  });

  test('with an end covers up to it, and a period that ends there is not withdrawn', async () => {
    const rows: Row[] = [['1992-12-22', '1996-01-18', '1946-01-01', '199.7']];
    const records = await readAll(fredApi, observed(rows, { realtime_end: '1996-01-18' }), gdp);
    expect(records.coverage).toEqual([{ seriesId: 'GDP', coveredTo: '1996-01-18' }]);
    expect(lines(records.statements)).toEqual(['GDP,1946-01-01,1992-12-22,199.7']);
  });

  test('states a value that begins with the response on its first day, which may be too late', async () => {
    const rows: Row[] = [
      ['2024-12-19', '2024-12-19', '1946-01-01', '1'],
      ['2024-12-20', '2024-12-20', '1946-01-01', '2'],
    ];
    const own = { realtime_start: '2024-12-19', realtime_end: '2024-12-20' };
    expect((await readAll(fredApi, observed(rows, own), gdp)).statements).toEqual([
      { seriesId: 'GDP', date: '1946-01-01', asOf: '2024-12-19', value: '1', kind: 'clipped' },
      { seriesId: 'GDP', date: '1946-01-01', asOf: '2024-12-20', value: '2' },
    ]);
  });

  const [first, second, third] = history as readonly [Row, Row, Row];
  const early = 'the period of 1946-01-01 ends before the response does (9999-12-31)';
  refuses(
    fredApi,
    'obs.json',
    {
      ', column "units": "pch": these are changes, not the published values; request them again with units=lin':
        observed(history, { units: 'pch' }),
      ', column "output_type": "4": only output_type=1 has every real-time period; request it again with that':
        observed(history, { output_type: 4 }),
      ', column "count": "4": the response has 3 of 4 observations; request it again with limit=100000&offset=0':
        observed(history, { count: 4 }),
      ', column "observations": the response has no observations': observed([]),
      ', column "units": this field is missing': observed(history, { units: undefined }),
      ', column "count": "\\"3\\"": this field has an unexpected value': observed(history, { count: '3' }),
      [`, row 2, column "realtime_end": "1997-05-06": ${early}, and nothing follows`]: observed([
        first,
        second,
      ]),
      [`, row 1, column "realtime_end": "1996-01-18": ${early}, and the next, row 2, begins on 1997-05-07`]:
        observed([first, third]),
      [`, row 1, column "realtime_end": "1996-01-18": ${early}, and nothing follows`]: observed([
        first,
        ['1996-01-19', forever, '1946-04-01', '1'],
      ]),
      ', row 2, column "realtime_start": "1996-01-18": the period of 1946-01-01 from 1996-01-18 overlaps the one in row 1':
        observed([first, ['1996-01-18', forever, '1946-01-01', '1']]),
      ', row 2, column "realtime_start": "1997-05-07": the period of 1946-01-01 from 1997-05-07 overlaps the one in row 1':
        observed([third, third]),
      ', row 1, column "realtime_end": "9999-12-31": 1997-05-07 to 9999-12-31 is outside the response\'s real-time period, 2000-01-01 to 9999-12-31':
        observed([third], { realtime_start: '2000-01-01' }),
      ', row 1, column "realtime_end": "1997-05-06": the period ends before it starts, 1997-05-07': observed([
        ['1997-05-07', '1997-05-06', '1946-01-01', '1'],
      ]),
      ', row 1, column "value": "1,5": neither a decimal number nor . (not available)': observed([
        ['1997-05-07', forever, '1946-01-01', '1,5'],
      ]),
      ', row 1, column "date": "1946-02-30": there is no such date': observed([
        ['1997-05-07', forever, '1946-02-30', '1'],
      ]),
      ', row 1, column "date": this field is missing': answer(history).replace('"date":"1946-01-01",', ''),
      ', row 1, column "observations": "7": this entry is not an object':
        '{"units":"lin","output_type":1,"observations":[7]}',
      ': broken JSON: …': '{"observations": [',
      ': this JSON is not an object': '[1]',
    },
    gdp,
  );
});

describe('the series of a FRED response', () => {
  const response = (name: string, ...siblings: SourceFile[]) =>
    sourceFile(name, answer(history), { siblings });

  test('is the one of --series, with any files beside it', async () => {
    const file = response('obs.json', described('UNRATE'));
    const records = await readAll(fredApi, file, gdp);
    expect([records.coverage[0]?.seriesId, records.metadata]).toEqual(['GDP', []]);
    expect(await refusalOf(fredApi, file, { series: 'G$' })).toBe(
      `Problem: obs.json: "G$": not a series id: ${seriesIdForm}`,
    );
  });

  test('is the one described beside the file, with its metadata', async () => {
    const others = [described('A', 'B'), sourceFile('notes.txt', '"seriess":[')];
    const records = await readAll(fredApi, response('obs.json', described('GDP'), ...others));
    expect(records.coverage[0]?.seriesId).toBe('GDP');
    expect(records.metadata).toEqual([{ seriesId: 'GDP', title: 'Title of GDP', source: 'FRED' }]);
  });

  test('is, of several described, the one that begins the file name', async () => {
    const file = response('gdpc1-observations.json', described('GDP'), described('GDPC1'));
    expect((await readAll(fredApi, file)).coverage[0]?.seriesId).toBe('GDPC1');
  });

  const nothing = 'no series description is beside it';
  test.each([
    ['nothing is described beside it', 'obs.json', [], nothing],
    ['a description has several', 'obs.json', [described('A', 'B')], nothing],
    [
      'several are described',
      'obs.json',
      [described('A'), described('B')],
      'the files beside it describe A, B',
    ],
    [
      'its name begins with another id',
      'UNRATE.json',
      [described('GDP')],
      'the files beside it describe GDP',
    ],
    [
      'its name only begins like an id',
      'GDPC1-obs.json',
      [described('GDP')],
      'the files beside it describe GDP',
    ],
  ])('is not guessed when %s', async (_, name, siblings, found) => {
    expect(await refusalOf(fredApi, response(name, ...siblings))).toBe(
      `Problem: ${name}: the response does not name its series, and ${found}; pass --series ID`,
    );
  });
});

describe('a FRED description of series', () => {
  const file = (...seriess: object[]) => sourceFile('series.json', JSON.stringify({ seriess }));

  test('gives id, title, units, frequency and the short seasonal adjustment', async () => {
    const entry = {
      id: 'ICSA',
      title: 'Initial Claims',
      units: 'Number',
      frequency: 'Weekly, Ending Saturday',
      frequency_short: 'W',
      seasonal_adjustment: 'Seasonally Adjusted',
      seasonal_adjustment_short: 'SA',
    };
    const { seasonal_adjustment_short: _, ...long } = { ...entry, id: 'ICSB' };
    const known = { title: 'Initial Claims', units: 'Number', frequency: 'W', source: 'FRED' };
    expect((await readAll(fredSeries, file(entry, long))).metadata).toEqual([
      { seriesId: 'ICSA', ...known, seasonalAdjustment: 'SA' },
      { seriesId: 'ICSB', ...known, seasonalAdjustment: 'Seasonally Adjusted' },
    ]);
  });

  test.each(['5Y', 'NA', ''])('leaves out a frequency without a code: %j', async (code) => {
    const records = await readAll(fredSeries, file({ id: 'X', frequency_short: code }));
    expect(records.metadata).toEqual([{ seriesId: 'X', source: 'FRED' }]);
  });

  test('takes the latest of several real-time periods, in any order', async () => {
    const records = await readAll(
      fredSeries,
      file(
        { id: 'GDP', title: 'new', realtime_end: '9999-12-31' },
        { id: 'GDP', title: 'old', realtime_end: '1999-12-31' },
      ),
    );
    expect(records.metadata.map(({ title }) => title)).toEqual(['new']);
  });

  refuses(fredSeries, 'series.json', {
    [`, row 2, column "id": "": not a series id: ${seriesIdForm}`]: file({ id: 'GDP' }, { title: 'x' }),
  });
});

describe('an answer of FRED in XML', () => {
  const gnp = { series: 'GNPCA' };
  /** An answer of FRED in XML, with the attributes that its documentation shows. */
  const xml = (attributes: string, ...observations: readonly string[]) =>
    sourceFile(
      'GNPCA.xml',
      `<?xml version="1.0" encoding="utf-8" ?>
<observations realtime_start="1992-01-29" realtime_end="9999-12-31" observation_start="1776-07-04" units="lin" ${attributes} file_type="xml" offset="0" limit="100000">
${observations.map((one) => `  <observation ${one}/>`).join('\n')}
</observations>
`,
    );
  const read = async (file: SourceFile, options = {}) => {
    expect((await recognise(file)).kind).toBe('fred-api');
    return readAll(fredApi, file, options);
  };

  test('with real-time periods is read as the JSON is', async () => {
    const file = xml(
      'output_type="1" count="2"',
      'realtime_start="1992-01-29" realtime_end="1996-01-18" date="1929-01-01" value="821.8"',
      'realtime_start="1996-01-19" realtime_end="9999-12-31" date="1929-01-01" value="."',
    );
    expect(lines((await read(file, gnp)).statements)).toEqual([
      'GNPCA,1929-01-01,1992-01-29,821.8',
      'GNPCA,1929-01-01,1996-01-19,',
    ]);
    expect(await refusalOf(fredApi, file)).toContain('pass --series ID');
  });

  const one = 'realtime_start="1992-01-29" realtime_end="9999-12-31" date="1929-01-01" value="1"';
  refuses(
    fredApi,
    'GNPCA.xml',
    {
      '…: only output_type=1…': xml('output_type="2" count="1"', 'date="1929-01-01" GNPCA_19920129="821.8"'),
      '…: the response has 1 of 3 observations…': xml('output_type="1" count="3"', one),
      ', column "count": this field is missing': xml('output_type="1"', one),
      ', column "observations": the response has no observations': xml('output_type="1" count="0"'),
    },
    gnp,
  );

  test('describes series', async () => {
    const file = sourceFile(
      'GNPCA.xml',
      '<?xml version="1.0" encoding="utf-8" ?>\n<seriess realtime_start="2013-08-14" realtime_end="2013-08-14">\n  <series id="GNPCA" realtime_start="2013-08-14" realtime_end="2013-08-14" title="Real Gross National Product &amp; More" frequency="Annual" frequency_short="A" units="Billions of Chained 2009 Dollars" seasonal_adjustment="Not Seasonally Adjusted" seasonal_adjustment_short="NSA"/>\n</seriess>\n',
    );
    expect((await recognise(file)).kind).toBe('fred-series');
    expect((await readAll(fredSeries, file)).metadata).toEqual([
      {
        seriesId: 'GNPCA',
        title: 'Real Gross National Product & More',
        units: 'Billions of Chained 2009 Dollars',
        frequency: 'A',
        seasonalAdjustment: 'NSA',
        source: 'FRED',
      },
    ]);
  });
});
