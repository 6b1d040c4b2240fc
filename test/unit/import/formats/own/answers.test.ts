import { describe, expect, test } from 'vitest';
import { formatOfKind, recognise } from '../../../../../src/import/formats/recognise.ts';
import { operations } from '../../../../../src/operations/index.ts';
import { filing, filingRow, owner } from '../../../../support/filings.ts';
import { failureOf } from '../../../../support/scratch-store.ts';
import { readTogether } from '../../../../support/sec-documents.ts';
import { readAll, refusalOf, sourceFile } from '../../../../support/source-file.ts';

const asofFilings = formatOfKind('asof-filings');
const asofRates = formatOfKind('asof-rates');
const asofSeries = formatOfKind('asof-series');

const csv = (...rows: string[]) => sourceFile('x.csv', `${rows.join('\n')}\n`);
const columnsOf = (name: string) => operations.find((operation) => operation.name === name)?.columns ?? [];
const fieldsOf = (name: string) =>
  operations.find((operation) => operation.name === name)?.fields.map((field) => field.name) ?? [];

describe('a list of series that asof wrote', () => {
  test('states descriptions and coverage, and nothing where a cell is empty', async () => {
    const records = await readAll(
      asofSeries,
      csv(
        'id,title,units,frequency,observation_count,last_updated,source,covered_to',
        'GDP,"Gross ""Domestic"" Product",Billions of Dollars,Q,311,2024-12-19,FRED,2024-12-20',
        'X,,,,1,2024-12-19,,',
      ),
    );
    expect(records.metadata).toEqual([
      {
        seriesId: 'GDP',
        title: 'Gross "Domestic" Product',
        units: 'Billions of Dollars',
        frequency: 'Q',
        source: 'FRED',
        coveredTo: '2024-12-20',
      },
      { seriesId: 'X' },
    ]);
  });

  test('states the same as TSV, with tabs, quotes and backslashes in its texts', async () => {
    const rows = ['id\ttitle\tlast_updated', 'A\t"a"\\tb\\\\t\\nc\t2024-12-19'];
    const { metadata } = await readAll(asofSeries, sourceFile('x.tsv', `${rows.join('\n')}\n`));
    expect(metadata).toEqual([{ seriesId: 'A', title: '"a"\tb\\t\nc' }]);
  });

  test.each([
    ['the answer in JSON', '{\n "object": "series_list",\n "results": [ROW]\n}\n', asofSeries],
    ['the answer of one series', '{"object":"series","request_id":"req_1","results":[ROW]}', asofSeries],
    ['lines of JSON', 'ROW\n', asofSeries],
  ])('states the same as %s', async (_, frame, format) => {
    const row =
      '{"id":"A","title":"a, b","last_updated":"2024-12-19T00:00:00Z","covered_to":"2024-12-19T00:00:00Z"}';
    const file = sourceFile('x.json', frame.replace('ROW', row));
    expect(await recognise(file)).toBe(format);
    expect((await readAll(format, file)).metadata).toEqual([
      { seriesId: 'A', title: 'a, b', coveredTo: '2024-12-19' },
    ]);
  });

  test('states nothing of series that the curves answer', async () => {
    const records = await readAll(asofSeries, csv('id,title,last_updated', 'DGS10,Ten years,2024-12-19'));
    expect(records.metadata).toEqual([]);
  });

  test('is recognised with every column of the command', async () => {
    for (const name of ['series_search', 'series_show']) {
      expect(await recognise(csv(columnsOf(name).join(','), 'x'))).toBe(asofSeries);
      expect(await recognise(csv(fieldsOf(name).join(','), 'x'))).toBe(asofSeries);
    }
  });

  test.each([
    ['id,last_updated\n-,2024-12-19', 'x.csv, row 2, column "id": "-": not a series id'],
    ['id,frequency,last_updated\nA,monthly,', 'x.csv, row 2, column "frequency": "monthly": not a frequency'],
    ['id,covered_to\nA,soon', 'x.csv, row 2, column "covered_to": "soon": not a date'],
    ['title,last_updated\nA,', 'x.csv, row 2, column "id": this column is missing'],
    ['id\tlast_updated\nA', 'x.csv, row 2: 1 cell, but the header has 2; is the file truncated?'],
    ['id\tlast_updated', 'x.csv: the answer has no rows'],
    ['{"id":"A"}\n[1]', 'x.csv, row 2: this line is not an object of JSON'],
    ['{"object":"series_list"}', 'x.csv, column "results": this field is missing'],
  ])('is refused as %j', async (text, message) => {
    expect(await refusalOf(asofSeries, sourceFile('x.csv', text))).toContain(message);
  });
});

describe('rates that asof wrote', () => {
  const header = 'trade_date,maturity,rate,curve_type,source';

  test('are points with their digits and sources', async () => {
    const { points } = await readAll(
      asofRates,
      csv(header, '2024-03-28,10Y,4.20,PAR,U.S. Treasury', '2024-03-28,5Y,1.850,TIPS,"a, b"'),
    );
    const tradeDate = '2024-03-28';
    expect(points).toEqual([
      { tradeDate, maturity: '10Y', rate: '4.20', curveType: 'PAR', source: 'U.S. Treasury' },
      { tradeDate, maturity: '5Y', rate: '1.850', curveType: 'TIPS', source: 'a, b' },
    ]);
  });

  test('are recognised with every column of the commands', async () => {
    for (const name of ['curve', 'yields'])
      expect(await recognise(csv(columnsOf(name).join(','), 'x'))).toBe(asofRates);
  });

  test.each([
    ['2024-03-30,10Y,4.2,PAR,x', '2024-03-30 is a Saturday'],
    ['2017-03-28,2M,4.2,PAR,x', 'there is no 2M rate before 2018-10-16'],
    ['2024-03-28,2Y,4.2,TIPS,x', 'row 2, column "maturity": "2Y": not a maturity of the TIPS curve'],
    ['2024-03-28,10Y,4.2,REAL,x', 'row 2, column "curve_type": "REAL": not PAR or TIPS'],
    ['2024-03-28,10Y,N/A,PAR,x', 'row 2, column "rate": "N/A": not a decimal number'],
    ['2024-03-28,10Y,4.2,PAR,', 'row 2, column "source": the source of the rate is missing here'],
    ['2024-03-28,10Y,0.00,PAR,x', 'all rates are zero'],
  ])('are refused as %j, as in every format of curves', async (row, message) => {
    expect(await refusalOf(asofRates, csv(header, row))).toContain(message);
  });

  test('are refused at the distance of averages', async () => {
    const rows = ['2024-01-02', '2024-02-01', '2024-03-01'].map((day) => `${day},10Y,4.2,PAR,x`);
    expect(await refusalOf(asofRates, csv(header, ...rows))).toContain('these are monthly figures');
  });

  test('are refused without a column that the command writes', async () => {
    expect(await refusalOf(asofRates, csv('trade_date,maturity,rate', '2024-03-28,10Y,4.2'))).toContain(
      'column "curve_type": this column is missing',
    );
  });
});

describe('filings that asof wrote', () => {
  const row = {
    ...filingRow,
    filing_date: '2026-06-02T00:00:00Z',
    transaction_date: '0022-06-01T00:00:00Z',
    accepted_at: '2026-06-02T10:00:00Z',
  };
  const file = (changes: object = {}) =>
    sourceFile('x.ndjson', `${JSON.stringify({ ...row, ...changes })}\n`);

  test('are trades with everything that a row has', async () => {
    expect(await recognise(file())).toBe(asofFilings);
    expect((await readTogether([file()])).get('x.ndjson')?.filings).toEqual([
      filing({
        filingId: '0001878313-26-000060',
        filedOn: '2026-06-02',
        acceptedAt: '2026-06-02T10:00:00Z',
        owners: [
          owner({
            cik: '0001913228',
            name: 'Gryaznov Sergei',
            isDirector: false,
            isOfficer: true,
            officerTitle: 'Chief Scientific Officer',
          }),
        ],
        transactionDate: '0022-06-01',
        shares: '2000.0',
        pricePerShare: '1.345',
        sharesOwnedAfter: '46511.0',
      }),
    ]);
  });

  test.each([
    ['as objects', (owner: object) => owner],
    ['as texts, which Parquet has', (owner: object) => JSON.stringify(owner)],
  ])('of joint filers have the roles of all, %s', async (_, written) => {
    const fund = { cik: null, name: 'Fund', officer_title: 'x', is_director: false, is_officer: false };
    const owners = ['A LP', 'B LP'].map((name) => written({ ...fund, name, is_ten_percent: true }));
    const read = (await readTogether([file({ other_owners: ['B LP'], owners })])).get('x.ndjson');
    expect(read?.filings).toMatchObject([
      {
        owners: [
          { name: 'A LP', isTenPercent: true, isDirector: false, cik: null, officerTitle: 'x' },
          { name: 'B LP', isTenPercent: true, isDirector: false, cik: null, officerTitle: 'x' },
        ],
      },
    ]);
  });

  test('are recognised with the columns that CSV has', async () => {
    expect(await recognise(csv(columnsOf('insider_filings').join(','), 'x'))).toBe(asofFilings);
  });

  test.each([
    [
      'of joint filers, without the column that has their roles',
      { other_owners: ['Fund LP'] },
      'joint filers',
    ],
    [
      'of an amendment, without the day of its original',
      { form_type: '4/A', original_filing_date: undefined },
      'the row is of an amendment',
    ],
    ['without an accession number and a name', { accession_number: null }, 'no accession number'],
    ['with a row of the other table', { is_derivative: true }, 'column "row": "1"'],
    [
      'with an owner who has no name',
      { other_owners: ['x'], owners: [{ cik: null }] },
      'not a list of owners',
    ],
    ['with owners that are no JSON', { other_owners: ['x'], owners: 'x' }, 'not a list of owners'],
  ])('are refused %s', async (_, changes, message) => {
    expect(await refusalOf(asofFilings, file(changes))).toContain(message);
  });
});

describe('other answers of asof', () => {
  test.each([
    [
      'a curve beside another',
      'maturity,rate,vs_rate,change_bps,trade_date,vs_trade_date,curve_type',
      '`asof yields`',
    ],
    ['spreads', 'trade_date,long_rate,short_rate,spread_bps,long_maturity,short_maturity', '`asof yields`'],
    ['rates side by side', 'trade_date,1M,2Y,10Y', '`asof yields` without --wide'],
    ['clusters', 'ticker,issuer_name,cluster_size,total_shares', '`asof insider filings -f ndjson`'],
    ['explained clusters', 'ticker,date_first,verdict,accession_number', '`asof insider filings -f ndjson`'],
    ['counts of vintages', 'as_of_date,added,revised,withdrawn', '`asof facts`'],
    ['differences', 'series_id,date,old,new,change,percent,kind', '`asof facts`'],
    ['a wide panel of many days', 'as_of,GDP,PAYEMS', '`asof facts`'],
    ['JSON of observations', '{"object":"observation_series","results":[]}', '`asof facts`'],
    ['JSON of rates side by side', '{"object":"yield_table","results":[]}', '`asof yields` without --wide'],
    ['JSON of clusters', '{"object":"insider_clusters","results":[]}', '`asof insider filings -f ndjson`'],
  ])('such as %s are refused, with the export that holds enough', async (_, head, wayOut) => {
    const refused = await failureOf(recognise(sourceFile('x', `${head}\n2024-01-02,1,2,3\n`)));
    expect(refused).toMatch(/^x: this looks like an answer of asof, which lacks /);
    expect(refused).toContain(`import what ${wayOut} writes`);
  });
});
