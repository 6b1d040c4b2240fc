import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { formatOfKind, formats, recognise } from '../../../../src/import/formats/recognise.ts';
import { namedWorkbook, pairsOf, type Row, sourceFile, zipOf } from '../../../support/source-file.ts';

const kinds = formats.map(({ kind }) => kind);

/** The kind of a file that begins so, or why none is found. */
const kindOf = (name: string, head: string | Buffer) =>
  recognise(sourceFile(name, head)).then(
    ({ kind }) => kind,
    (error: unknown) => String(error),
  );

const feed = '<?xml version="1.0"?><feed><title>DailyTreasuryYieldCurveRateData</title></feed>';

/** Beginnings of files by their format. */
const heads: Readonly<Record<string, string | readonly string[]>> = {
  'asof-csv': [
    'series_id,date,as_of_date,value\n',
    '\uFEFF"value","date","series_id","as_of_date"\r\n',
    'series_id;date;as_of_date;value\r\n',
  ],
  'metadata-csv': ['series_id,title,units,frequency,seasonal_adjustment,source\n', 'source,series_id\n'],
  'asof-series': [
    'id,title,units,frequency,observation_count,last_updated,source\n',
    'id\tcovered_to\n',
    '{"object": "series_list", "results": [',
    '{\n  "object": "series",\n  "request_id": "req_1"',
    '{"id":"GDP","title":"Gross Domestic Product","last_updated":"2024-12-19T00:00:00Z"}\n{"id":',
  ],
  'asof-rates': [
    'trade_date,maturity,rate,curve_type,source\n',
    '{"object":"yield_curve","request_id":"req_1"',
  ],
  'fred-api': [
    '{"realtime_start":"1776-07-04","observations":[{',
    '{\n  "realtime_start" : "1776-07-04",\n  "observations" : [ {',
  ],
  'fred-series': '{"realtime_start":"2024-12-19","seriess":[{"id":"GDP","notes":"not \\"observations\\":[]"',
  'alfred-wide': [
    'observation_date,GDPC1_20150130\n',
    'DATE,GDPC1_2015-01-30,GDPC1_20150227\n',
    'date,GDP_20150130,GDP_20150227\n2014-10-01,17710.7,17701.3\n',
    'Unnamed: 0,date,GDP_20150130\n0,2014-10-01,17710.7\n',
    'observation_date,DGS10_20240102\n',
  ],
  'fred-csv': [
    'observation_date,GDP\n',
    'OBSERVATION_DATE,GDP\n2014-10-01,17710.7\n',
    'observation_date;GDP\r\n',
    'DATE\tIC4WSA\tICNSA\tICSA\n',
    'DATE,GDP,UNRATE\n',
    'DATE,DGS10,GDP\n',
    'DATE,VALUE\n',
    'DATE,X_2015-0130\n',
    ',DATE,GDP\n0,2014-10-01,17710.7\n',
  ],
  'eurostat-vintages': [
    '{"version":"2.0","class":"dataset","label":"Unemployment","source":"ESTAT","updated":"2026-09-14T23:00:00+0200",',
    'STRUCTURE,STRUCTURE_ID,freq,revdate,unit,TIME_PERIOD,OBS_VALUE\ndataflow,ESTAT:EI_LM_M_VTG(1.0),M,2026-08-25',
    'DATAFLOW,LAST UPDATE,freq,TIME_PERIOD,OBS_VALUE,OBS_FLAG\nESTAT:EI_LM_M_VTG(1.0),14/09/26 23:00:00,M',
    'freq,unit,s_adj,sex,age,geo,revdate\\TIME_PERIOD\t2026-06 \t2026-07 \r\n',
  ],
  'fred-md': 'sasdate,RPI\nTransform:,5\n1/1/1959,1\n',
  'fred-qd': 'sasdate,GDPC1\r\nfactors,0\r\ntransform,5\r\n',
  'plain-csv': [
    'date,value\n',
    'Date,UNRATE\n',
    'date,MYSALES,MYCOST\n',
    'Date,MYSALES,MYCOST\n',
    'date,GDP,DGS10\n',
    'date,GDP,10YR_RATE\n',
    'Date,Close\n',
    ',Date,GDP\n0,2014-10-01,17710.7\n',
  ],
  'ecb-log': [
    'KEY,FREQ,TIME_PERIOD,OBS_VALUE,ACTION,VALID_FROM,VALID_TO\n',
    'KEY,FREQ,TIME_PERIOD,OBS_VALUE,OBS_STATUS,TITLE,ACTION,VALID_FROM,VALID_TO\r\n',
  ],
  'ecb-vintage': [' ,"Employment: by status",,\nName:,A,B,C\n', 'Block,\nName:,A\n'],
  rtdsm: ['DATE,ROUTPUT65Q4,ROUTPUT66Q1\n', 'DATE,EMPLOY64M12\n'],
  'treasury-par-csv': [
    'Date,"1 Mo","2 Mo"\n',
    'Date,"1 Mo","30 Yr"\n12/31/2024,4.40,4.78\n',
    '\ufeffDate,1 Mo,30 Yr\r\n1/2/90,,8\r\n',
    'Date,2 Yr,40 Yr\n',
    ',Date,1 Mo,30 Yr\n0,12/31/2024,4.40,4.78\n',
    // The head ends within a character.
    `Date,1 Mo\n${'x'.repeat(65_525)}é\n`,
  ],
  'treasury-real-csv': [
    'Date,5Yr,7Yr,10Yr,20Yr,30Yr\r\n',
    'Date,5Yr,10Yr\n2003-01-02,1.75,2.43\n',
    'Date,"5 YR","7 YR","10 YR","20 YR","30 YR"\n',
    'Date,"5 YR","30 YR"',
  ],
  'treasury-xml': [
    feed,
    feed.replace('YieldCurve', 'RealYieldCurve'),
    feed.replace(/<title>.*<\/title>/, '<entry><d:BC_1MONTH>4</d:BC_1MONTH></entry>'),
  ],
  'h15-csv': [
    'DATE,DFII10\n2003-01-02,2.43\n',
    'observation_date,DGS10,DGS3MO\n',
    'OBSERVATION_DATE,DGS10\n2003-01-02,4.07\n',
    'date,DGS10\n',
    'index,DATE,DGS10\n0,2003-01-02,4.07\n',
  ],
  'sec-form345': 'ACCESSION_NUMBER\tNONDERIV_TRANS_SK\n',
  'sec-ownership-xml': [
    '<?xml version="1.0"?><ownershipDocument>',
    '<ownershipDocument>',
    '<?xml version="1.0"?>\n<!-- a --><!-- b -->\n<ownershipDocument>',
  ],
  'sec-submission-text': [
    '<SEC-DOCUMENT>0001.txt\nCONFORMED SUBMISSION TYPE:\t4/A\n',
    '<SEC-HEADER>\nCONFORMED SUBMISSION TYPE: 3/A\n',
  ],
  'sec-submissions-json': [
    '{"cik":"1","filings":{"recent":{"accessionNumber":[]}}}',
    '{"accessionNumber":["0000929638-23-009999"],"filingDate":["2023-08-01"]}',
  ],
};

describe('the format of a file', () => {
  it.each(pairsOf(heads))('is found to be %s for %j', async (kind, head) => {
    expect(await kindOf('x.csv', head)).toBe(kind);
  });

  it.each([
    ['2016-07-29.csv', 'date,PAYEMS,GDPC1\n', 'dated-panel'],
    ['2016-07-29.csv', 'date,GDP,DGS10\n', 'dated-panel'],
    ['2016-07-29.csv', 'date,value\n', 'plain-csv'],
    ['2016-07-29.csv', 'Date,MYSALES\n', 'plain-csv'],
    ['2016-07-29.csv', 'date,DGS10\n2003-01-02,2.43\n', 'h15-csv'],
    ['2015-02-27.csv', 'Date,GDP_2015-01-30\n2014-10-01,17710.7\n', 'alfred-wide'],
    ['2016-07.csv', 'date,PAYEMS\n', 'plain-csv'],
    ['x.xlsx', 'date,GDP', 'plain-csv'],
    [
      'vintages.zip',
      'PK\u0003\u0004\u0014\u0000[Content_Types].xml',
      'Problem: vintages.zip: this looks like an Office document, but not a workbook of a known kind',
    ],
  ])('depends on its name: %s that begins with %j is %s', async (name, head, kind) => {
    expect(await kindOf(name, head)).toBe(kind);
  });

  it.each(['Date,10 Yr\n', 'Date,"5 Yr","7 Yr","10 Yr"\n'])(
    'is open for a part of the table of par rates whose maturities real rates have, too: %j',
    async (head) => {
      expect(await kindOf('x.csv', head)).toBe(
        'Problem: x.csv: could be treasury-par-csv or treasury-real-csv',
      );
    },
  );

  it('is the one of --kind, for any content but none', async () => {
    const file = sourceFile('a.csv', 'Date,1 Mo\n');
    for (const kind of kinds) {
      const chosen = formatOfKind(kind);
      expect(await recognise(file, chosen)).toBe(chosen);
      await expect(recognise(sourceFile('a.csv', ''), chosen)).rejects.toThrow(
        'a.csv: the file is empty (0 bytes)',
      );
    }
    await expect(async () => formatOfKind('csv')).rejects.toMatchObject({
      kind: 'bad-input',
      field: 'kind',
      detail: 'unknown kind of file "csv"',
      hints: [`the kinds are ${kinds.join(', ')}`],
    });
  });

  it('is none for a table whose lines end in CR alone, as programs of old Macs write them', async () => {
    const statements = 'series_id,date,as_of_date,value\rGDP,2014-10-01,2015-02-27,17701.3\r';
    for (const chosen of [undefined, formatOfKind('asof-csv')])
      await expect(recognise(sourceFile('a.csv', statements), chosen)).rejects.toMatchObject({
        message: 'a.csv: its lines end in CR alone, as programs of old Macs write them',
        hints: ['save it with the line ends LF or CRLF'],
      });
    expect(await kindOf('a.csv', statements.replaceAll('\r', '\r\n'))).toBe('asof-csv');
    expect(await kindOf('a.json', '{"observations": [],\r"realtime_start": "2015-02-27"}')).not.toContain(
      'CR',
    );
  });

  it('has a unique kind, and takes no --as-of if it is one of curves', () => {
    expect(new Set(kinds).size).toBe(kinds.length);
    const curves = formats.filter(({ kind }) => /^treasury-|^h15-/.test(kind));
    expect(curves.map(({ whole, takesAsOf }) => [whole, takesAsOf])).toEqual(
      Array(4).fill([undefined, undefined]),
    );
  });
});

/** Files that no format recognises, by what they look like. */
const lookAlikes: Readonly<Record<string, string | Buffer | readonly (string | Buffer)[]>> = {
  'a web page, perhaps an error or login page saved instead of the file; download it again': [
    '<!DOCTYPE html>\n<html>',
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "x">',
    '<!-- x -->\n<HTML lang="en">',
  ],
  'XML with a document type declaration (DOCTYPE), which could include other files; remove the declaration':
    '<?xml version="1.0"?>\n<!-- x -->\n<!DOCTYPE ownershipDocument SYSTEM "x.dtd">\n<ownershipDocument>',
  'output of asof without vintages; import the output of `asof facts`': [
    '{"object":"observation_series","request_id":"req_1"}',
    '{"type":"about:blank","request_id":"req_0f"}',
    'date,value,as_of_date,series_id,unit,frequency,source\n',
  ],
  'a file of the SEC, but not a form 3, 4 or 5, a list of filings (CIK….json) or an Insider Transactions Data Set':
    [
      '<SEC-DOCUMENT>0001.txt\nCONFORMED SUBMISSION TYPE: 10-K\n',
      '<?xml version="1.0"?>\n<edgarSubmission xmlns="x">',
      'ACCESSION_NUMBER\tINFOTABLE_SK\n',
      '{"cik":1835632,"entityName":"Marvell Technology, Inc.","facts":{"dei":{}}}',
      '{"cik":1835632,"recent":{"accessionNumber":[]}}',
    ],
  'a response of the FRED API, but not of series/observations, which has the figures, series or release dates (JSON)':
    [
      '{"realtime_start":"1776-07-04","count":2,"vintage_dates":["1991-12-04"]}',
      '{"count":1,"releases":[{"id":53}]}',
      '<?xml version="1.0"?><vintage_dates realtime_start="2024-12-19">',
    ],
  'data of the ECB without their history; request them with includeHistory=true':
    'KEY,FREQ,CURRENCY,TIME_PERIOD,OBS_VALUE,OBS_STATUS\nEXR.D.USD,D,USD,2026-08-07,1.15,A\n',
  'an error response of the FRED API; request it again': '{"error_code":400,"error_message":"Bad Request."}',
  'a Git LFS pointer, not the file itself; run `git lfs pull`':
    'version https://git-lfs.github.com/spec/v1\noid',
  'an Office document, but not a workbook of a known kind': zipOf([
    { name: '[Content_Types].xml', content: 'x' },
  ]),
  'an old Word file, or an old Excel file that is not named .xls': Buffer.from('d0cf11e0a1b11ae1', 'hex'),
  'a PDF document; save its table as CSV': '%PDF-1.7',
  'a SQLite database, perhaps a store of asof; stores cannot be imported': 'SQLite format 3\0',
  'a compressed file; unpack it first': [gzipSync('x'), Buffer.from('28b52ffd00', 'hex')],
  'a tar archive; unpack it and import the folder': Buffer.concat([
    Buffer.from('a.csv'),
    Buffer.alloc(252),
    Buffer.from('ustar'),
  ]),
  'a Parquet file; save it as CSV': 'PAR1\0',
};

describe('a file that no format recognises', () => {
  it.each(pairsOf(lookAlikes))('is refused as what it looks like: %s', async (what, content) => {
    expect(await kindOf('a.dat', content)).toBe(`Problem: a.dat: this looks like ${what}`);
  });

  it.each([
    ['text', '\n\n  Hello world\r\nmore', '"  Hello world"'],
    ['a long line', 'a'.repeat(100), `"${'a'.repeat(60)}…"`],
    ['binary', Buffer.from([0, 1, 2, 255]), '"\\u0000\\u0001\\u0002ÿ"'],
    ['comments without end', '<!---->'.repeat(5000), `"${'<!---->'.repeat(9).slice(0, 60)}…"`],
    ['some columns of series', 'id,title\n', '"id,title"'],
    ['dates alone', 'DATE\n', '"DATE"'],
    ['a list', '[{"observations":[]}]', '"[{\\"observations\\":[]}]"'],
    ['maturities without a date', '5 Yr,7 Yr\n', '"5 Yr,7 Yr"'],
    ['a curve with a lower-case date column', 'date,1 Mo,10 Yr\n', '"date,1 Mo,10 Yr"'],
    ['real rates with a lower-case date column', 'date,5YR,7YR\n', '"date,5YR,7YR"'],
    ['cells between bars', 'observation_date|GDP\n2015-01-01|18063.529\n', '"observation_date|GDP"'],
    ['dates in its header', 'Indicator,2013,2014\nGDP,16880.7,17608.1\n', '"Indicator,2013,2014"'],
    ['other JSON', '{"filings":[]}', '"{\\"filings\\":[]}"'],
    ['another root of XML', '<feed><ownershipDocument/></feed>', '"<feed><ownershipDocument/></feed>"'],
  ])('is refused with its first line: %s', async (_, content, line) => {
    await expect(recognise(sourceFile('a.dat', content))).rejects.toMatchObject({
      detail: `a.dat: not a format that asof reads; it starts with ${line}`,
      hints: ['`asof help formats` shows the formats; --kind KIND reads the file as one of them'],
    });
  });

  it('is refused with the format that its sheet would have as CSV', async () => {
    const rows: Row[] = [
      ['series_id', 'date', 'as_of_date', 'value'],
      ['GDP', { day: '2014-10-01' }, { day: '2015-01-30' }, { number: '17710.7' }],
    ];
    await expect(recognise(sourceFile('x.xlsx', namedWorkbook({ S: rows })))).rejects.toMatchObject({
      detail: 'x.xlsx: like asof-csv, but in a workbook',
      hints: ['save the sheet as CSV'],
    });
  });
});

describe('a file that is nearly of a format', () => {
  const begin =
    'begin the file with the names of the columns: Date, then the id of each series, such as Date,GDP';
  const columns =
    'name or add the columns series_id,date,as_of_date,value; as_of_date is the day on which the value of a line became known';

  it.each([
    ['dates and figures without a header', '2015-01-01,18063.529\n2015-04-01,18279.784\n'],
    [
      'a data frame without the name of its dates',
      ',GDP,UNRATE\n2015-01-01,18063.529,5.7\n2015-04-01,18279.784,5.4\n',
    ],
    ['a table by month', 'Month,UNRATE\n2015-01-01,5.7\n2015-02-01,5.5\n'],
    ['dates in the last column', 'UNRATE,date\n5.7,2015-01-01\n5.5,2015-02-01\n'],
    ['FRED-MD without its row of transformations', 'sasdate,RPI\n1/1/1959,2289.8\n2/1/1959,2299.6\n'],
    [
      'notes above a header',
      'Source,BEA,FRED,GDP,Release\n\nobservation_date,GDP\n2015-01-01,18063.529\n2015-04-01,18279.784\n',
    ],
  ])('is refused with its first line, where a header is missing: %s', async (_, content) => {
    const line = JSON.stringify(content.split('\n')[0]);
    await expect(recognise(sourceFile('x.csv', content))).rejects.toMatchObject({
      kind: 'bad-input',
      detail: `x.csv: like plain-csv (figures by date), but its first line is ${line}`,
      hints: [begin],
    });
  });

  it.each([
    [
      'series_id,date,value\nGDP,2015-01-01,18063.529\nUNRATE,2015-01-01,5.7\n',
      'asof-csv (statements), but it has no column as_of_date',
      columns,
    ],
    [
      'variable,date,vintage_date,value\nGDP,2014-10-01,2015-01-30,17710.7\n',
      'asof-csv (statements), but it has no column series_id, as_of_date',
      columns,
    ],
  ])(
    'is refused with the nearest format and what is different: %j is like %s',
    async (content, like, hint) => {
      await expect(recognise(sourceFile('x.csv', content))).rejects.toMatchObject({
        kind: 'bad-input',
        detail: `x.csv: like ${like}`,
        hints: [hint],
      });
    },
  );

  it.each([
    ['a log', '2024-01-01 12:00 server started\n2024-01-01 12:01 server ready\n'],
    ['a letter', 'Dear Sir,\n\nplease find enclosed, as agreed, the data.\n'],
    ['a program', 'import pandas as pd\nframe = pd.read_csv("a.csv")\n'],
    ['a table of customers', 'name,city\nJane,Boston\nJohn,Chicago\n'],
  ])('is not found in a file of another kind: %s', async (_, content) => {
    await expect(recognise(sourceFile('a.txt', content))).rejects.toThrow(
      'not a format that asof reads; it starts with',
    );
  });
});
