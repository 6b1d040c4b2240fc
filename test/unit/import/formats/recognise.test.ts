import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { formatOfKind, formats, recognise } from '../../../../src/import/formats/recognise.ts';
import { tempFile } from '../../../support/temp-files.ts';
import { zipOf } from '../../../support/zip-writer.ts';

const kinds = formats.map(({ kind }) => kind).join(', ');
const kindOf = async (name: string, content: string | Uint8Array) =>
  (await recognise(await tempFile(name, content))).kind;
const feed = '<?xml version="1.0"?><feed><title>DailyTreasuryYieldCurveRateData</title></feed>';

describe('the format of a file', () => {
  it.each([
    ['a.csv', 'Date,"1 Mo","30 Yr"\n12/31/2024,4.40,4.78\n', 'treasury-par-csv'],
    ['a.csv', '\ufeffDate,1 Mo,30 Yr\r\n1/2/90,,8\r\n', 'treasury-par-csv'],
    ['a.csv', 'Date,5Yr,10Yr\n2003-01-02,1.75,2.43\n', 'treasury-real-csv'],
    ['a.txt', feed, 'treasury-xml'],
    ['a.csv.gz', gzipSync(feed), 'treasury-xml'],
    ['a.csv', 'DATE,DFII10\n2003-01-02,2.43\n', 'h15-csv'],
    ['2016-06-29.csv', 'date,DGS10\n2003-01-02,2.43\n', 'h15-csv'],
    ['a.csv', 'OBSERVATION_DATE,DGS10\n2003-01-02,4.07\n', 'h15-csv'],
    ['a.csv', 'OBSERVATION_DATE,GDP\n2014-10-01,17710.7\n', 'fred-csv'],
    ['a.csv', 'date,GDP_20150130,GDP_20150227\n2014-10-01,17710.7,17701.3\n', 'alfred-wide'],
    ['2015-02-27.csv', 'Date,GDP_2015-01-30\n2014-10-01,17710.7\n', 'alfred-wide'],
    ['a.csv', ',DATE,GDP\n0,2014-10-01,17710.7\n', 'fred-csv'],
    ['a.csv', ',Date,GDP\n0,2014-10-01,17710.7\n', 'plain-csv'],
    ['a.csv', 'Unnamed: 0,date,GDP_20150130\n0,2014-10-01,17710.7\n', 'alfred-wide'],
    ['a.csv', ',Date,1 Mo,30 Yr\n0,12/31/2024,4.40,4.78\n', 'treasury-par-csv'],
    ['a.csv', 'index,DATE,DGS10\n0,2003-01-02,4.07\n', 'h15-csv'],
    ['a.csv', 'series_id,date,as_of_date,value\n', 'asof-csv'],
    ['a.txt', Buffer.from('\ufeffDate\t1 Mo\n', 'utf16le'), 'treasury-par-csv'],
    ['a.txt', Buffer.from('Date,1 Mo\n', 'utf16le'), 'treasury-par-csv'],
    ['a.txt', Buffer.from('Date,1 Mo\n', 'utf16le').swap16(), 'treasury-par-csv'],
    ['a.json', Buffer.from('\ufeff{"realtime_start":"2024-12-19","observations":[]}', 'utf16le'), 'fred-api'],
    ['2016-06-29.csv', 'date,PAYEMS\n1985-01-01,96373\n', 'dated-panel'],
    ['a.json', '{"realtime_start":"2024-12-19","observations":[]}', 'fred-api'],
    ['a.xml', '<?xml version="1.0"?><ownershipDocument>', 'sec-ownership-xml'],
    ['a.txt', '<SEC-DOCUMENT>0001.txt\nCONFORMED SUBMISSION TYPE:\t4/A\n', 'sec-submission-text'],
    ['a.tsv', 'ACCESSION_NUMBER\tNONDERIV_TRANS_SK\n', 'sec-form345'],
    ['a.json', '{"cik":"1","filings":{"recent":{"accessionNumber":[]}}}', 'sec-submissions-json'],
  ])('is recognised for %s of %j', async (name, content, kind) => {
    expect(await kindOf(name, content)).toBe(kind);
  });

  it('is recognised when the head ends within a character', async () => {
    expect(await kindOf('a.csv', `Date,1 Mo\n${'x'.repeat(65_525)}é\n`)).toBe('treasury-par-csv');
  });

  it('is the one of --kind, for any content', async () => {
    const file = await tempFile('a.csv', 'Date,1 Mo\n');
    for (const { kind } of formats) expect((await recognise(file, formatOfKind(kind))).kind).toBe(kind);
  });

  it('has a unique kind, and takes no --as-of if it is one of curves', () => {
    expect(new Set(formats.map(({ kind }) => kind)).size).toBe(formats.length);
    const curves = formats.filter(({ kind }) => /^treasury-|^h15-/.test(kind));
    expect(curves.map(({ whole, takesAsOf }) => [whole, takesAsOf])).toEqual(
      Array(4).fill([undefined, undefined]),
    );
  });
});

describe('an unknown --kind', () => {
  it('is refused with a list of the kinds', async () => {
    await expect(async () => formatOfKind('csv')).rejects.toMatchObject({
      kind: 'bad-input',
      field: 'kind',
      detail: 'unknown kind of file "csv"',
      hints: [`the kinds are ${kinds}`],
    });
  });
});

describe('a file that no format recognises', () => {
  const refused: readonly [string, string | Uint8Array, string][] = [
    ['empty', '', 'the file is empty (0 bytes)'],
    ['empty in gzip', gzipSync(''), 'the file is empty (0 bytes)'],
    ['text', '\n\n  Hello world\r\nmore', 'not a format that asof reads; it starts with "  Hello world"'],
    ['a long line', 'a'.repeat(100), `not a format that asof reads; it starts with "${'a'.repeat(60)}…"`],
    [
      'binary',
      Buffer.from([0, 1, 2, 255]),
      'not a format that asof reads; it starts with "\\u0000\\u0001\\u0002ÿ"',
    ],
    [
      'a page',
      '<!DOCTYPE html>\n<html>',
      'this looks like a web page, perhaps an error or login page saved instead of the file; download it again',
    ],
    ['a page of XML', '<?xml version="1.0"?><!DOCTYPE html PUBLIC "x">', 'this looks like a web page'],
    [
      'an ownership document with a document type',
      '<?xml version="1.0"?>\n<!-- x -->\n<!DOCTYPE ownershipDocument SYSTEM "x.dtd">\n<ownershipDocument>',
      'this looks like XML with a document type declaration (DOCTYPE), which could include other files; remove the declaration',
    ],
    ['a page after a comment', '<!-- x -->\n<HTML lang="en">', 'this looks like a web page'],
    [
      'an answer of asof',
      '{"object":"observation_series","request_id":"req_1"}',
      'this looks like an answer of asof, which lacks statements; import what `asof facts` writes',
    ],
    [
      'a problem of asof',
      '{"type":"about:blank","request_id":"req_0f"}',
      'this looks like an answer of asof',
    ],
    [
      'an SEC submission of another form',
      '<SEC-DOCUMENT>0001.txt\nCONFORMED SUBMISSION TYPE: 10-K\n',
      'this looks like a submission to the SEC, but not of form 3, 4 or 5',
    ],
    [
      'another XML of the SEC',
      '<?xml version="1.0"?>\n<edgarSubmission xmlns="x">',
      'this looks like a part of a submission to the SEC, but not an ownership document',
    ],
    [
      'a table of another data set of the SEC',
      'ACCESSION_NUMBER\tINFOTABLE_SK\n',
      'this looks like a table of an SEC data set, but not of the Insider Transactions Data Sets',
    ],
    ['comments without end', '<!---->'.repeat(5000), 'not a format that asof reads; it starts with "<!---->'],
    [
      'FRED vintage dates',
      '{"realtime_start":"1776-07-04","count":2,"vintage_dates":["1991-12-04"]}',
      'this looks like a response of the FRED API, but not of series/observations, which has the figures, or series',
    ],
    [
      'FRED releases',
      '{"count":1,"releases":[{"id":53}]}',
      'this looks like a response of the FRED API, but not of series/observations, which has the figures, or series',
    ],
    [
      'a FRED error',
      '{"error_code":400,"error_message":"Bad Request."}',
      'this looks like an error response of the FRED API; request it again',
    ],
    [
      'a list of observations in JSON',
      '[{"date": "2015-01-01", "value": "18063.529"}, {"date": "2015-04-01", "value": "18279.784"}]',
      'this looks like observations of the FRED API without the whole answer around them; save that, or the figures as CSV with the columns date,value',
    ],
    [
      'the facts of a company in JSON',
      '{"cik":1835632,"entityName":"Marvell Technology, Inc.","facts":{"dei":{}}}',
      'this looks like the facts of a company; asof reads the SEC’s submissions (CIK….json) and ownership documents',
    ],
    [
      'a part of a list of filings',
      '{"cik":1835632,"recent":{"accessionNumber":[]}}',
      'this looks like a part of a list of filings of the SEC; save the whole answer (CIK….json)',
    ],
    [
      'FRED in XML',
      '<?xml version="1.0"?><vintage_dates realtime_start="2024-12-19">',
      'this looks like a response of the FRED API in XML, but not of series/observations or series',
    ],
    [
      'another Treasury feed',
      feed.replace('YieldCurve', 'Bill'),
      'this looks like a feed of the Treasury, but not of the daily par or real yield curve',
    ],
    [
      'a Git LFS pointer',
      'version https://git-lfs.github.com/spec/v1\noid',
      'this looks like a Git LFS pointer, not the file itself; run `git lfs pull`',
    ],
    [
      'a Word file',
      zipOf([{ name: '[Content_Types].xml', content: 'x' }]),
      'this looks like an Office document, but not a workbook of a known kind',
    ],
    [
      'an old Excel file',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'this looks like an old Word file, or an old Excel file that is not named .xls',
    ],
    ['a PDF', '%PDF-1.7', 'this looks like a PDF document; save its table as CSV'],
    [
      'a database',
      'SQLite format 3\0',
      'this looks like a SQLite database, perhaps a store of asof; stores cannot be imported',
    ],
    ['gzip in gzip', gzipSync(gzipSync('x')), 'this looks like a compressed file; unpack it first'],
    ['zstd', Buffer.from('28b52ffd00', 'hex'), 'this looks like a compressed file; unpack it first'],
    [
      'tar',
      Buffer.concat([Buffer.from('a.csv'), Buffer.alloc(252), Buffer.from('ustar')]),
      'this looks like a tar archive; unpack it and import the folder',
    ],
    ['Parquet', 'PAR1\0', 'this looks like a Parquet file; save it as CSV'],
  ];
  it.each(refused)('is refused with a description of what it is: %s', async (_, content, reason) => {
    const file = await tempFile('a.dat', content);
    await expect(recognise(file)).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringContaining(`${file.path}: ${reason}`),
    });
  });

  it('is refused with the way to name its kind', async () => {
    await expect(recognise(await tempFile('a.dat', 'x'))).rejects.toMatchObject({
      hints: ['`asof help formats` shows the formats; --kind KIND reads the file as one of them'],
    });
  });

  it('is refused when it is empty, also with --kind', async () => {
    await expect(recognise(await tempFile('a', ''), formatOfKind('h15-csv'))).rejects.toThrow(
      'the file is empty (0 bytes)',
    );
  });
});
