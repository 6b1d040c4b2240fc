import { describe, expect, test } from 'vitest';
import { seriesIdForm } from '../../../../src/domain/series/series.ts';
import { formatOfKind, recognise } from '../../../../src/import/formats/recognise.ts';
import { filing, filingRow, owner } from '../../../support/filings.ts';
import { operations } from '../../../support/operations.ts';
import { failureOf } from '../../../support/scratch-store.ts';
import { readTogether } from '../../../support/sec-documents.ts';
import { lines, readAll, refusalOf, refuses, sourceFile } from '../../../support/source-file.ts';

const asofCsv = formatOfKind('asof-csv');
const metadataCsv = formatOfKind('metadata-csv');
const asofFilings = formatOfKind('asof-filings');
const asofRates = formatOfKind('asof-rates');
const asofSeries = formatOfKind('asof-series');

const csv = (...rows: string[]) => sourceFile('x.csv', `${rows.join('\n')}\n`);
const noId = `not a series id: ${seriesIdForm}`;

describe("asof's own CSV", () => {
  const header = 'series_id,date,as_of_date,value';

  test('states each line exactly, and an empty value as a withdrawal', async () => {
    const rows = [
      'GDP,2014-10-01,2015-01-30,17710.70',
      'GDP,2014-10-01,2015-02-27,',
      'S&P 500,2014-10-01,2015-02-27,-0.5',
    ];
    const records = await readAll(asofCsv, csv(header, ...rows));
    expect(lines(records.statements)).toEqual(rows);
    expect([records.metadata, records.implied, asofCsv.source]).toEqual([[], [], undefined]);
  });

  test('takes its columns in any order and its ids in lower case, and expands exponents', async () => {
    const { statements } = await readAll(
      asofCsv,
      csv('value,series_id,as_of_date,date', '1.5e3,gdp,2015-01-30,2014-10-01'),
    );
    expect(lines(statements)).toEqual(['GDP,2014-10-01,2015-01-30,1500']);
  });

  test('covers each series to the last day of its statements', async () => {
    const rows = ['A,2014-10-01,2015-02-27,1', 'B,2014-10-01,2016-01-01,1', 'A,2014-10-01,2015-01-30,2'];
    expect((await readAll(asofCsv, csv(header, ...rows))).coverage).toEqual([
      { seriesId: 'A', coveredTo: '2015-02-27' },
      { seriesId: 'B', coveredTo: '2016-01-01' },
    ]);
  });

  test('takes what its rows say of their series, and the unit of each vintage', async () => {
    const rows = [
      'A,2014-10-01,2015-01-30,1,"Bread, white",Cents,M,2015-06-30',
      'A,2014-10-01,2015-02-27,2,"Bread, white",Dollars,M,2015-06-30',
      'B,2014-10-01,2015-02-27,3,,,,',
    ];
    const { metadata, units } = await readAll(
      asofCsv,
      csv(`${header},title,units,frequency,covered_to`, ...rows),
    );
    expect(metadata).toEqual([
      { seriesId: 'A', title: 'Bread, white', frequency: 'M', coveredTo: '2015-06-30' },
    ]);
    expect(units).toEqual([
      { seriesId: 'A', asOf: '2015-01-30', units: 'Cents' },
      { seriesId: 'A', asOf: '2015-02-27', units: 'Dollars' },
    ]);
  });

  test.each([16, 70, 65_536])(
    'names the first row with a wrong day, read in chunks of %d bytes',
    async (chunkSize) => {
      const good = ['A,2014-10-01,2015-01-30,1', 'A,2014-07-01,2015-01-30,2', 'B,2014-10-01,2015-02-27,3'];
      const wrong = 'B,2014-09-31,2015-02-27,4';
      const text = `${[header, ...good, ...good, wrong, ...good, wrong].join('\n')}\n`;
      expect(await refusalOf(asofCsv, sourceFile('facts.csv', text, { chunkSize }))).toBe(
        'Problem: facts.csv, row 8, column "date": "2014-09-31": there is no such date',
      );
    },
  );

  test('reads more than a hundred thousand texts of days, each of which has several forms', async () => {
    const forms = ['', ' 00:00', 'T00:00:00', ' 0:00'];
    const said = Array.from({ length: 160_000 }, (_, row) => ({
      day: new Date(Date.UTC(1900, 0, 1 + (row % 40_000))).toISOString().slice(0, 10),
      form: forms[Math.floor(row / 40_000)],
    }));
    const rows = said.map(({ day, form }) => `A,${day}${form},2015-01-30,1`);
    const file = sourceFile('facts.csv', `${[header, ...rows].join('\n')}\n`);
    const { statements } = await readAll(asofCsv, file);
    expect(statements.findIndex(({ date }, row) => date !== said[row]?.day)).toBe(-1);
    expect(statements).toHaveLength(said.length);
  });

  // Of more than 400 characters: a one before 400 zeros, `-0.` before 399 decimals, or 401 nines.
  const nines = '9'.repeat(401);
  const tooLong = 'use a number of at most 400 characters without an exponent';
  refuses(asofCsv, 'facts.csv', {
    [`, row 2, column "value": "1e400": ${tooLong}`]: `${header}\nGDP,2014-10-01,2015-01-30,1e400\n`,
    [`, row 2, column "value": "-1E-399": ${tooLong}`]: `${header}\nGDP,2014-10-01,2015-01-30,-1E-399\n`,
    [`, row 2, column "value": "1e99999": ${tooLong}`]: `${header}\nGDP,2014-10-01,2015-01-30,1e99999\n`,
    [`, row 2, column "value": "${nines.slice(0, 77)}...": ${tooLong}`]: `${header}\nGDP,2014-10-01,2015-01-30,${nines}\n`,
  });

  test('takes a number of 400 characters, written out', async () => {
    const { statements } = await readAll(asofCsv, csv(header, 'GDP,2014-10-01,2015-01-30,1e399'));
    expect(statements.map(({ value }) => value)).toEqual([`1${'0'.repeat(399)}`]);
  });

  const noValue = 'neither a decimal number nor empty, as a withdrawal is';
  refuses(asofCsv, 'facts.csv', {
    [`, row 2, column "value": "0x1f": ${noValue}`]: `${header}\nGDP,2014-10-01,2015-01-30,0x1f\n`,
    [`, row 2, column "value": ".": ${noValue}`]: `${header}\nGDP,2014-10-01,2015-01-30,.\n`,
    ', row 2, column "date": "2014-02-30": there is no such date': `${header}\nGDP,2014-02-30,2015-01-30,1\n`,
    ', row 2, column "as_of_date": "2015-02-30": there is no such date': `${header}\nGDP,2014-10-01,2/30/2015,1\n`,
    [`, row 2, column "series_id": "": ${noId}`]: `${header}\n,2014-10-01,2015-01-30,1\n`,
    ', row 2, column "date": "": not a date: use YYYY-MM-DD': `${header}\nGDP,,2015-01-30,1\n`,
    ', row 3, column "title": "B": row 2 says "A" of GDP': `${header},title\nGDP,2014-10-01,2015-01-30,1,A\nGDP,2014-07-01,2015-01-30,1,B\n`,
    ', row 3, column "units": "": row 2 says "Dollars" of GDP as of 2015-01-30': `${header},units\nGDP,2014-10-01,2015-01-30,1,Dollars\nGDP,2014-07-01,2015-01-30,1,\n`,
    ', row 2, column "frequency": "X": not a frequency: D, W, BW, M, Q, SA or A': `${header},frequency\nGDP,2014-10-01,2015-01-30,1,X\n`,
    ', row 1, column "note": unknown column; the columns are series_id, date, as_of_date, value, vintage_kind, title, units, frequency, seasonal_adjustment, source, covered_to': `${header},note\nA,2014-10-01,2015-02-27,1,x\n`,
  });
});

describe('metadata in CSV', () => {
  const header = 'series_id,title,units,frequency,seasonal_adjustment,source,covered_to';

  test('states its cells, and nothing for empty ones', async () => {
    const { metadata } = await readAll(
      metadataCsv,
      csv(header, 'gdp,"Gross Domestic Product, nominal",Bil. of $,q,SAAR,FRED,2024-12-19', 'X,,,,,,'),
    );
    expect(metadata).toEqual([
      {
        seriesId: 'GDP',
        title: 'Gross Domestic Product, nominal',
        units: 'Bil. of $',
        frequency: 'Q',
        seasonalAdjustment: 'SAAR',
        source: 'FRED',
        coveredTo: '2024-12-19',
      },
      { seriesId: 'X' },
    ]);
  });

  test('needs only the id column, and takes columns in any order', async () => {
    const { metadata } = await readAll(metadataCsv, csv('title,series_id', 'Output,GDPC1'));
    expect(metadata).toEqual([{ seriesId: 'GDPC1', title: 'Output' }]);
  });

  refuses(metadataCsv, 'series.csv', {
    ', row 2, column "frequency": "X": not a frequency: D, W, BW, M, Q, SA or A': `${header}\nA,,,X,,,\n`,
    ', row 2, column "covered_to": "2024-02-30": not a date of the form YYYY-MM-DD': `${header}\nA,,,,,,2024-02-30\n`,
    [`, row 2, column "series_id": "A$": ${noId}`]: `${header}\nA$,,,,,,\n`,
    ', row 3, column "series_id": "A": row 2 already describes this series': `${header}\nA,,,,,,\na,,,,,,\n`,
  });
});

/** The names of the columns of an operation, and of all fields that it has. */
function namesIn(name: string): { readonly columns: string; readonly fields: string } {
  const { columns = [], fields = [] } = operations.find((operation) => operation.name === name) ?? {};
  return { columns: columns.join(','), fields: fields.map((field) => field.name).join(',') };
}

describe('an answer that asof wrote', () => {
  test.each([
    ['series_search', asofSeries, namesIn('series_search').columns],
    ['series_search', asofSeries, namesIn('series_search').fields],
    ['series_show', asofSeries, namesIn('series_show').columns],
    ['series_show', asofSeries, namesIn('series_show').fields],
    ['curve', asofRates, namesIn('curve').columns],
    ['yields', asofRates, namesIn('yields').columns],
    ['insider_filings', asofFilings, namesIn('insider_filings').columns],
  ])('is recognised with every column of %s (%#)', async (_, format, columns) => {
    expect(await recognise(csv(columns, 'x'))).toBe(format);
  });
});

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

  const row =
    '{"id":"A","title":"a, b","last_updated":"2024-12-19T00:00:00Z","covered_to":"2024-12-19T00:00:00Z"}';
  test.each([
    ['the answer in JSON', `{\n "object": "series_list",\n "results": [${row}]\n}\n`],
    ['the answer of one series', `{"object":"series","request_id":"req_1","results":[${row}]}`],
    ['lines of JSON', `${row}\n`],
  ])('states the same as %s', async (_, text) => {
    const file = sourceFile('x.json', text);
    expect(await recognise(file)).toBe(asofSeries);
    expect((await readAll(asofSeries, file)).metadata).toEqual([
      { seriesId: 'A', title: 'a, b', coveredTo: '2024-12-19' },
    ]);
  });

  test('states nothing of series that the curves answer', async () => {
    const records = await readAll(asofSeries, csv('id,title,last_updated', 'DGS10,Ten years,2024-12-19'));
    expect(records.metadata).toEqual([]);
  });

  refuses(asofSeries, 'x.csv', {
    [`, row 2, column "id": "-": ${noId}`]: 'id,last_updated\n-,2024-12-19',
    ', row 2, column "frequency": "monthly": not a frequency: D, W, BW, M, Q, SA or A':
      'id,frequency,last_updated\nA,monthly,',
    ', row 2, column "covered_to": "soon": not a date of the form YYYY-MM-DD': 'id,covered_to\nA,soon',
    ', row 2, column "id": this column is missing': 'title,last_updated\nA,',
    ', row 2: 1 cell, but the header has 2; is the file truncated, or is this a footer?':
      'id\tlast_updated\nA',
    ': the file has a header and no rows': 'id\tlast_updated',
    ', row 2: this line is not an object of JSON': '{"id":"A"}\n[1]',
    ', column "results": this field is missing': '{"object":"series_list"}',
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

  refuses(asofRates, 'x.csv', {
    '…: 2024-03-30 is a Saturday, on which no curve is published…': `${header}\n2024-03-30,10Y,4.2,PAR,x\n`,
    ', row 2, column "maturity": "2Y": not a maturity of the TIPS curve…': `${header}\n2024-03-28,2Y,4.2,TIPS,x\n`,
    ', row 2, column "curve_type": "REAL": not PAR or TIPS': `${header}\n2024-03-28,10Y,4.2,REAL,x\n`,
    ', row 2, column "rate": "N/A": not a decimal number': `${header}\n2024-03-28,10Y,N/A,PAR,x\n`,
    ', row 2, column "source": the source of the rate is missing here': `${header}\n2024-03-28,10Y,4.2,PAR,\n`,
    ': "2024-03-28": all rates are zero, as of no trade date': `${header}\n2024-03-28,10Y,0.00,PAR,x\n`,
    ': these are monthly figures, such as averages; a curve has the rates of trade dates': `${header}\n2024-01-02,10Y,4.2,PAR,x\n2024-02-01,10Y,4.2,PAR,x\n2024-03-01,10Y,4.2,PAR,x\n`,
    ', row 2, column "curve_type": this column is missing': 'trade_date,maturity,rate\n2024-03-28,10Y,4.2\n',
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

  test.each([
    [{ other_owners: ['Fund LP'] }, 'joint filers'],
    [{ form_type: '4/A', original_filing_date: undefined }, 'the row is of an amendment'],
    [{ accession_number: null }, 'no accession number'],
    [{ is_derivative: true }, 'column "row": "1"'],
    [{ other_owners: ['x'], owners: [{ cik: null }] }, 'the name of the owner is missing'],
    [{ other_owners: ['x'], owners: 'x' }, 'not a list of owners'],
  ])('are refused with %j: %s', async (changes, message) => {
    expect(await refusalOf(asofFilings, file(changes))).toContain(message);
  });
});

describe('other answers of asof', () => {
  const filings = '`asof insider filings -f ndjson`';
  const rates = '`asof yields` without --wide';
  test.each([
    ['maturity,rate,vs_rate,change_bps,trade_date,vs_trade_date,curve_type', '`asof yields`'],
    ['trade_date,long_rate,short_rate,spread_bps,long_maturity,short_maturity', '`asof yields`'],
    ['trade_date,1M,2Y,10Y', rates],
    ['ticker,issuer_name,cluster_size,total_shares', filings],
    ['ticker,date_first,verdict,accession_number', filings],
    ['as_of_date,added,revised,withdrawn', '`asof facts`'],
    ['series_id,date,old,new,change,percent,kind', '`asof facts`'],
    ['as_of,GDP,PAYEMS', '`asof facts`'],
    ['{"object":"observation_series","results":[]}', '`asof facts`'],
    ['{"object":"yield_table","results":[]}', rates],
    ['{"object":"insider_clusters","results":[]}', filings],
  ])('such as %s are refused, with the export that holds enough: %s', async (head, wayOut) => {
    const refused = await failureOf(recognise(sourceFile('x', `${head}\n2024-01-02,1,2,3\n`)));
    expect(refused).toMatch(/^x: this looks like output of asof without /);
    expect(refused).toContain(`import the output of ${wayOut}`);
  });
});
