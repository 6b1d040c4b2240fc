import { describe, expect, test } from 'vitest';
import type { SourceFile } from '../../../../../src/import/files/source-file.ts';
import { fredApi } from '../../../../../src/import/formats/fred/api.ts';
import { testData } from '../../../../support/repository.ts';
import { lines, readAll, realFile, refusalOf, sourceFile } from '../../../../support/source-file.ts';
import { naiveAsOf, trueAnswers } from '../../../../support/true-answers.ts';

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
    const records = await readAll(fredApi, observed(history), gdp);
    expect(lines(records.statements)).toEqual([
      'GDP,1946-01-01,1992-12-22,199.7',
      'GDP,1946-01-01,1996-01-19,',
      'GDP,1946-01-01,1997-05-07,210.40',
    ]);
  });

  test('without an end covers up to its last change', async () => {
    const records = await readAll(fredApi, observed(history), gdp);
    expect(records.coverage).toEqual([{ seriesId: 'GDP', coveredTo: '1997-05-07' }]);
  });

  test('with an end covers up to it, and a period that ends there is not withdrawn', async () => {
    const rows: Row[] = [['1992-12-22', '1996-01-18', '1946-01-01', '199.7']];
    const records = await readAll(fredApi, observed(rows, { realtime_end: '1996-01-18' }), gdp);
    expect(records.coverage).toEqual([{ seriesId: 'GDP', coveredTo: '1996-01-18' }]);
    expect(lines(records.statements)).toEqual(['GDP,1946-01-01,1992-12-22,199.7']);
  });

  test('states a value that begins with the response on its first day', async () => {
    const rows: Row[] = [['2024-12-19', '2024-12-19', '1946-01-01', '1']];
    const own = { realtime_start: '2024-12-19', realtime_end: '2024-12-19' };
    const records = await readAll(fredApi, observed(rows, own), gdp);
    expect(lines(records.statements)).toEqual(['GDP,1946-01-01,2024-12-19,1']);
  });

  test('may have its rows in any order', async () => {
    expect((await readAll(fredApi, observed([...history].reverse()), gdp)).statements).toHaveLength(3);
  });

  const [first, second, third] = history as readonly [Row, Row, Row];
  test.each<[string, readonly Row[], Fields, string]>([
    [
      'other units',
      history,
      { units: 'pch' },
      ', column "units": "pch": these are changes, not the published values; request them again with units=lin',
    ],
    [
      'another output type',
      history,
      { output_type: 4 },
      ', column "output_type": "4": only output_type=1 has every real-time period; request it again with that',
    ],
    [
      'rows missing because of a limit',
      history,
      { count: 4 },
      ', column "count": "4": the response has 3 of 4 observations; request it again with limit=100000&offset=0',
    ],
    ['no rows', [], {}, ', column "observations": the response has no observations'],
    ['a missing field', history, { units: undefined }, ', column "units": this field is missing'],
    [
      'a field of another type',
      history,
      { count: '3' },
      ', column "count": "\\"3\\"": this field has an unexpected value',
    ],
    [
      'an early end',
      [first, second],
      {},
      ', row 2, column "realtime_end": "1997-05-06": the period of 1946-01-01 ends before the response does (9999-12-31), and nothing follows',
    ],
    [
      'a gap',
      [first, third],
      {},
      ', row 1, column "realtime_end": "1996-01-18": the period of 1946-01-01 ends before the response does (9999-12-31), and the next, row 2, begins on 1997-05-07',
    ],
    [
      'a successor of another date',
      [first, ['1996-01-19', forever, '1946-04-01', '1']],
      {},
      ', row 1, column "realtime_end": "1996-01-18": the period of 1946-01-01 ends before the response does (9999-12-31), and nothing follows',
    ],
    [
      'an overlap',
      [first, ['1996-01-18', forever, '1946-01-01', '1']],
      {},
      ', row 2, column "realtime_start": "1996-01-18": the period of 1946-01-01 from 1996-01-18 overlaps the one in row 1',
    ],
    [
      'a repeated row',
      [third, third],
      {},
      ', row 2, column "realtime_start": "1997-05-07": the period of 1946-01-01 from 1997-05-07 overlaps the one in row 1',
    ],
    [
      'a period before that of the response',
      [third],
      { realtime_start: '2000-01-01' },
      ', row 1, column "realtime_end": "9999-12-31": 1997-05-07 to 9999-12-31 is outside the response\'s real-time period, 2000-01-01 to 9999-12-31',
    ],
    [
      'a period that ends before it starts',
      [['1997-05-07', '1997-05-06', '1946-01-01', '1']],
      {},
      ', row 1, column "realtime_end": "1997-05-06": the period ends before it starts, 1997-05-07',
    ],
    [
      'a value that is not a number',
      [['1997-05-07', forever, '1946-01-01', '1,5']],
      {},
      ', row 1, column "value": "1,5": neither a decimal number nor . (not available)',
    ],
    [
      'an invalid date',
      [['1997-05-07', forever, '1946-02-30', '1']],
      {},
      ', row 1, column "date": "1946-02-30": there is no such date',
    ],
  ])('is refused with %s, with the place and a hint', async (_, rows, fields, message) => {
    expect(await refusalOf(fredApi, observed(rows, fields), gdp)).toBe(`Problem: obs.json${message}`);
  });

  test.each([
    ['{"observations": [', /^Problem: obs\.json: broken JSON: /],
    ['[1]', /^Problem: obs\.json: this JSON is not an object$/],
    [Buffer.from('{"a":"\xfc"}', 'latin1'), /^Problem: obs\.json: this is not UTF-8 text$/],
    [
      '{"units":"lin","output_type":1,"observations":[7]}',
      /^Problem: obs\.json, row 1, column "observations": "7": this entry is not an object$/,
    ],
    [
      answer(history).replace('"date":"1946-01-01",', ''),
      /^Problem: obs\.json, row 1, column "date": this field is missing$/,
    ],
  ])('is refused when it is broken: %s', async (content, message) => {
    expect(await refusalOf(fredApi, sourceFile('obs.json', content), gdp)).toMatch(message);
  });
});

describe('the series of a FRED response', () => {
  const read = (name: string, ...siblings: SourceFile[]) =>
    readAll(fredApi, sourceFile(name, answer(history), { siblings }));
  const refused = (name: string, ...siblings: SourceFile[]) =>
    refusalOf(fredApi, sourceFile(name, answer(history), { siblings }));

  test('is the one of --series, with any files beside it', async () => {
    const file = sourceFile('obs.json', answer(history), { siblings: [described('UNRATE')] });
    const records = await readAll(fredApi, file, gdp);
    expect([records.coverage[0]?.seriesId, records.metadata]).toEqual(['GDP', []]);
    expect(await refusalOf(fredApi, file, { series: 'G$' })).toBe(
      'Problem: obs.json: "G$": not a series id: use at most 80 letters, digits, blanks and & : . % _ + ( ) -, beginning with a letter or digit',
    );
  });

  test('is the one described beside the file, with its metadata', async () => {
    const records = await read(
      'obs.json',
      described('GDP'),
      described('A', 'B'),
      sourceFile('notes.txt', '"seriess":['),
    );
    expect(records.coverage[0]?.seriesId).toBe('GDP');
    expect(records.metadata).toEqual([{ seriesId: 'GDP', title: 'Title of GDP', source: 'FRED' }]);
  });

  test('is, of several described, the one that begins the file name', async () => {
    const records = await read('gdpc1-observations.json', described('GDP'), described('GDPC1'));
    expect(records.coverage[0]?.seriesId).toBe('GDPC1');
  });

  test.each([
    ['nothing is described beside it', 'obs.json', [], 'no series description is beside it'],
    ['a description has several', 'obs.json', [described('A', 'B')], 'no series description is beside it'],
    [
      'several are described',
      'obs.json',
      [described('A'), described('B')],
      'the files beside it describe A, B',
    ],
    [
      'its name begins with another id',
      'UNRATE-obs.json',
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
    expect(await refused(name, ...siblings)).toBe(
      `Problem: ${name}: the response does not name its series, and ${found}; pass --series ID`,
    );
  });
});

describe('the real history of GDP', () => {
  const whole = () =>
    readAll(fredApi, realFile(testData, 'macro/fred-api/GDP-observations-all-realtime.json'));

  test('gives every true answer', async () => {
    const { statements } = await whole();
    const answers = trueAnswers('gdp-as-of.tsv');
    expect(answers).toHaveLength(400);
    expect(statements).toHaveLength(3201);
    const given = answers.map((fact) => {
      const { value, since } = naiveAsOf(statements, fact.date ?? '', fact.as_of ?? '');
      return { ...fact, value, as_of_date: since };
    });
    expect(given).toEqual(answers);
  });

  test('requested up to 2019-01-01 gives the same for every day until then', async () => {
    const clipped = await readAll(
      fredApi,
      realFile(testData, 'macro/fred-api/GDP-observations-realtime_end-2019-01-01.json'),
    );
    expect(clipped.coverage).toEqual([{ seriesId: 'GDP', coveredTo: '2019-01-01' }]);
    const until = (await whole()).statements.filter(({ asOf }) => asOf <= '2019-01-01');
    expect(lines(clipped.statements).sort()).toEqual(lines(until).sort());
  });

  test('agrees with the latest figures', async () => {
    const latest = await readAll(fredApi, realFile(testData, 'macro/fred-api/GDP-observations-latest.json'));
    const { statements } = await whole();
    expect(latest.statements).toHaveLength(315);
    for (const { date, value } of latest.statements) {
      expect([date, naiveAsOf(statements, date, '2024-12-19').value]).toEqual([date, value ?? '']);
    }
  });

  test('is not taken from first releases, which look alike', async () => {
    expect(
      await refusalOf(fredApi, realFile(testData, 'macro/fred-api/GDP-observations-output_type4.json')),
    ).toContain('only output_type=1 has every real-time period');
  });
});
