import { describe, expect, test } from 'vitest';
import { formats } from '../../../../src/import/formats/recognise.ts';
import { textHead } from '../../../../src/import/readers/csv.ts';

/** The formats of series and curves. */
const ours = formats.filter(({ kind }) => !kind.startsWith('sec-'));
const kindsOf = (head: string, name: string) =>
  ours.filter((format) => format.recognise(textHead(head, name))).map(({ kind }) => kind);

describe('the recognition of a file of series', () => {
  test.each([
    ['asof-csv', 'series_id,date,as_of_date,value\n'],
    ['asof-csv', '\uFEFF"value","date","series_id","as_of_date"\r\n'],
    ['asof-csv', 'date,value,as_of_date,series_id,unit,frequency,source\n'],
    ['metadata-csv', 'series_id,title,units,frequency,seasonal_adjustment,source\n'],
    ['metadata-csv', 'source,series_id\n'],
    ['asof-series', 'id,title,units,frequency,observation_count,last_updated,source\n'],
    ['asof-series', 'id\tcovered_to\n'],
    ['asof-series', '{"object": "series_list", "results": ['],
    ['asof-series', '{\n  "object": "series",\n  "request_id": "req_1"'],
    [
      'asof-series',
      '{"id":"GDP","title":"Gross Domestic Product","last_updated":"2024-12-19T00:00:00Z"}\n{"id":',
    ],
    ['asof-rates', 'trade_date,maturity,rate,curve_type,source\n'],
    ['asof-rates', '{"object":"yield_curve","request_id":"req_1"'],
    ['fred-api', '{"realtime_start":"1776-07-04","observations":[{'],
    ['fred-api', '{\n  "realtime_start" : "1776-07-04",\n  "observations" : [ {'],
    [
      'fred-series',
      '{"realtime_start":"2024-12-19","seriess":[{"id":"GDP","notes":"not \\"observations\\":[]"',
    ],
    ['plain-csv', 'date,value\n'],
    ['plain-csv', 'Date,UNRATE\n'],
    ['rtdsm', 'DATE,ROUTPUT65Q4,ROUTPUT66Q1\n'],
    ['rtdsm', 'DATE,EMPLOY64M12\n'],
    ['fred-csv', 'DATE\tIC4WSA\tICNSA\tICSA\n'],
    ['fred-csv', 'observation_date;GDP\r\n'],
    ['asof-csv', 'series_id;date;as_of_date;value\r\n'],
    ['alfred-wide', 'observation_date,GDPC1_20150130\n'],
    ['alfred-wide', 'DATE,GDPC1_2015-01-30,GDPC1_20150227\n'],
    ['fred-csv', 'observation_date,GDP\n'],
    ['fred-csv', 'DATE,GDP,UNRATE\n'],
    ['fred-csv', 'DATE,GDP,DGS10\n'],
    ['fred-csv', 'DATE,VALUE\n'],
    ['fred-csv', 'DATE,X_2015-0130\n'],
    ['fred-md', 'sasdate,RPI\nTransform:,5\n1/1/1959,1\n'],
    ['fred-qd', 'sasdate,GDPC1\r\nfactors,0\r\ntransform,5\r\n'],
    ['plain-csv', 'date,MYSALES,MYCOST\n'],
    ['plain-csv', 'Date,MYSALES,MYCOST\n'],
    ['plain-csv', 'date,GDP,DGS10\n'],
  ])('finds %s in %j', (kind, head) => {
    expect(kindsOf(head, 'x.csv')).toEqual([kind]);
  });

  test.each([
    ['dated-panel', '2016-07-29.csv', 'date,PAYEMS,GDPC1\n'],
    ['dated-panel', '2016-07-29.csv', 'date,GDP,DGS10\n'],
    ['plain-csv', '2016-07-29.csv', 'date,value\n'],
    ['plain-csv', '2016-07-29.csv', 'Date,MYSALES\n'],
    ['plain-csv', '2016-07.csv', 'date,PAYEMS\n'],
  ])('finds %s in a file named %s that begins with %j', (kind, name, head) => {
    expect(kindsOf(head, name)).toEqual([kind]);
  });

  test.each([
    ['a curve from FRED', 'DATE,DGS10,DGS1MO\n'],
    ['a real curve from FRED', 'observation_date,DFII10\n'],
    ['a curve with a lower-case date column', 'date,DGS10\n'],
    ['a curve from the Treasury', 'Date,"1 Mo","10 Yr"\n'],
    ['a curve with a lower-case date column', 'date,1 Mo,10 Yr\n'],
    ['yields as asof writes them, side by side', 'trade_date,1M,2Y,10Y\n'],
    ['some columns of series', 'id,title\n'],
    ['dates alone', 'DATE\n'],
    ['another FRED response', '{"realtime_start":"1776-07-04","vintage_dates":["1991-12-04"]}'],
    ['a list', '[{"observations":[]}]'],
    ['an empty file', ''],
  ])('does not claim %s: %j', (_, head) => {
    const curves = /^(?:treasury-|h15-)/;
    expect(kindsOf(head, 'x.csv').filter((kind) => !curves.test(kind))).toEqual([]);
  });

  test('needs the name of a workbook besides its content, which an archive may share', () => {
    const head = 'PK\u0003\u0004\u0014\u0000[Content_Types].xml';
    expect(kindsOf(head, 'ROUTPUTQvQd.XLSX')).toEqual(['rtdsm']);
    expect(kindsOf(head, 'vintages.zip')).toEqual([]);
    expect(kindsOf('date,GDP', 'x.xlsx')).toEqual(['plain-csv']);
  });
});
