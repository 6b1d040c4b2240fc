import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import yauzl from 'yauzl';
import type { ImportOptions } from '../../src/import/options.ts';
import { filingRow } from '../support/filings.ts';
import { testData } from '../support/repository.ts';
import { alfredReadmeText, namedWorkbook, type Row, zipOf } from '../support/source-file.ts';
import { type Mutation, mutated } from './mutation.ts';

/** Files that are imported together, and the options without which asof refuses them. */
export type Original = {
  readonly files: Readonly<Record<string, Buffer>>;
  readonly options: Partial<ImportOptions>;
};

const real = (name: string, options: Partial<ImportOptions> = {}): Original => ({
  files: { [name.replace(/^.*\//, '')]: readFileSync(join(testData, name)) },
  options,
});

const folder = (name: string, take: RegExp): Original => ({
  files: Object.fromEntries(
    readdirSync(join(testData, name))
      .filter((file) => take.test(file))
      .map((file) => [file, readFileSync(join(testData, name, file))]),
  ),
  options: {},
});

const written = (name: string, text: string, options: Partial<ImportOptions> = {}): Original => ({
  files: { [name]: Buffer.from(text) },
  options,
});

/** The rows of a file after the ones that are wrong. */
const rowsAfter = (first: string, name: string): Original =>
  written(
    name.replace(/^.*\//, ''),
    readFileSync(join(testData, name), 'utf8')
      .split('\n')
      .filter((line, i) => i === 0 || line >= first)
      .join('\n'),
  );

const asOf = '2025-06-30';
const filedOn = '2026-01-15';

/** A document for every shape that ownership documents of the SEC have here. */
const documents = [
  '000089924321044370__doc3.xml',
  '000089924322035394__doc4.xml',
  '000106299324014684__form4.xml',
  '000149473011000004__edgardoc.xml',
  '69002cb4cfce__xml_no_price.xml',
  'a1ddb077d325__xml_timestamp.xml',
];

const n = (number: string) => ({ number });
const day = (text: string) => ({ day: text });

const readme = alfredReadmeText({
  id: 'GDP',
  title: ['Gross Domestic Product'],
  units: ['Billions of Dollars'],
  frequency: ['Quarterly'],
  adjustment: ['Seasonally Adjusted Annual Rate'],
});
const readmeSheet: Row[] = readme.split('\r\n').map((line) => [line.replaceAll('&', '&amp;')]);

const book = (
  name: string,
  sheets: Parameters<typeof namedWorkbook>[0],
  options: Partial<ImportOptions> = {},
): Original => ({ files: { [name]: namedWorkbook(sheets) }, options });

const answer = (outputType: number, ...observations: readonly string[]) =>
  `<?xml version="1.0" encoding="utf-8" ?>\n<observations realtime_start="1992-01-29" realtime_end="9999-12-31" observation_start="1776-07-04" observation_end="9999-12-31" units="lin" output_type="${outputType}" count="2" file_type="xml" order_by="observation_date" sort_order="asc" offset="0" limit="100000">\n${observations.map((one) => `  <observation ${one}/>`).join('\n')}\n</observations>\n`;

/** A real file or folder of every format that asof imports; of the small formats, lines of published figures. */
export const originals: readonly Original[] = [
  real('macro/dated-panel/2016-07-29.csv'),
  real('macro/fred-api/GDP-observations-all-realtime.json.gz', { series: 'GDP' }),
  real('macro/fred-api/GDP-observations-latest.json', { series: 'GDP' }),
  real('macro/fred-api/GDP-series.json'),
  real('macro/fred-md/fred-md-vintages.zip'),
  real('macro/fred-qd/fredqd.csv', { asOf }),
  real('macro/rtdsm/ROUTPUTQvQd.xlsx'),
  real('recordings/ecb/quarterly_200101.csv.gz'),
  real('recordings/eurostat/ei_na_q_vtg_filtered_en.csv.gz'),
  real('recordings/swiss/realtime_database-gdp.xlsx'),
  real('recordings/calendar/bls-2023.ics.gz', { asOf }),
  real('calendar/bea-excerpt.ics', { asOf: '2026-02-02' }),
  real('calendar/release_dates.json'),
  real('macro/fred-api/catalogue-release_dates.json.gz', { asOf }),
  real('macro/fred-api/catalogue-releases_dates.json.gz', { asOf }),
  written(
    'release_dates_50.txt',
    'Employment Situation\n\nRelease Dates:\n----------\n1996-01-19\n2025-09-05\n2025-11-20\n----------\n',
  ),
  written(
    'log.csv',
    'KEY,FREQ,TIME_PERIOD,OBS_VALUE,ACTION,VALID_FROM,VALID_TO\n' +
      'RTD.Q.S0.S.G_GDPM_TO_C.E,Q,1991-Q1,1274000.74,Replace,2001-01-03T15:30:00.000+01:00,\n' +
      'RTD.Q.S0.S.G_GDPM_TO_C.E,Q,1991-Q1,,Delete,,2021-09-08T15:30:00.000+02:00\n',
  ),
  written(
    'oecd.csv',
    'DATAFLOW,REF_AREA,FREQ,MEASURE,UNIT_MEASURE,ACTIVITY,EDITION,TIME_PERIOD,OBS_VALUE,OBS_STATUS,UNIT_MULT,DECIMALS,BASE_PER\n' +
      ['202310,2015-Q1,2279216154000', '202411,2015-Q1,2840470651000']
        .map(
          (row) =>
            `OECD.SDD.STES:DSD_STES_REVISIONS@DF_STES_REVISIONS(4.0),EA20,Q,B1GQ_Q,XDC,_T,${row},A,0,0,\n`,
        )
        .join(''),
  ),
  real('treasury/par-csv/daily-treasury-rates-2025.csv'),
  real('treasury/par-csv/par-yield-curve-rates-1990-2022.csv'),
  real('treasury/par-xml/2018.xml'),
  real('treasury/h15-dfii/DFII5.csv'),
  rowsAfter('2010-03', 'treasury/tips-csv/treasury_real_yield_all.csv'),
  real('sec/form345/2024q3_form345_partial.zip'),
  folder('sec/form345-maia-reencoded', /\.tsv$/),
  real('sec/ownership-xml/000138746725000038__multi_standard_acquisition.xml'),
  ...documents.map((name) => real(`sec/ownership-xml/${name}`, { filedOn })),
  real('sec/ownership-xml/000092189525001190__0000921895-25-001190.txt'),
  real('sec/submissions-json/cik1835632_submissions.json.gz'),
  written(
    'facts.csv',
    'series_id,date,as_of_date,value,vintage_kind\n' +
      'GDP,2014-07-01,2014-10-30,17535.4,exact\nGDP,2014-07-01,2014-11-25,17555.2,exact\n' +
      'GDP,,2014-12-23,,exact\nGDP,2014-07-01,2014-12-23,17599.8,exact\n' +
      'GDP,2014-10-01,2015-01-30,17710.7,fetched\nGDP,2014-10-01,2015-02-27,,\nUNRATE,2014-12-01,2015-01-09,5.6,\n',
  ),
  written(
    'series.ndjson',
    '{"id":"GDP","title":"Gross Domestic Product","units":"Billions of Dollars","observation_count":0,"source":"FRED","frequency":"Q","seasonal_adjustment":"SAAR"}\n',
  ),
  written(
    'rates.csv',
    'trade_date,maturity,rate,curve_type,source\n' +
      '2025-12-31,1M,3.74,PAR,U.S. Treasury\n2025-12-31,1.5M,3.75,PAR,U.S. Treasury\n2025-12-30,1M,3.71,PAR,U.S. Treasury\n',
  ),
  written('filings.ndjson', `${JSON.stringify(filingRow)}\n`),
  written(
    'metadata.csv',
    'series_id,title,units,frequency,seasonal_adjustment,source,vintage_kind\n' +
      'GDP,Gross Domestic Product,Billions of Dollars,Q,SAAR,BEA,exact\nUNRATE,"Unemployment, rate",Percent,M,SA,BLS,\n',
  ),
  written(
    'alfred.csv',
    'observation_date,GDP_20141030,GDP_20141125,GDP_20150130\n' +
      '2014-04-01,17328.2,17328.2,17328.2\n2014-07-01,17535.4,17555.2,17599.8\n2014-10-01,.,.,17710.7\n',
  ),
  written(
    'periods.csv',
    'period_start_date,GDP,realtime_start_date,realtime_end_date\n' +
      '2014-07-01,17535.4,2014-10-30,2014-11-24\n2014-07-01,17555.2,2014-11-25,\n' +
      '2014-10-01,17710.7,2015-01-30,2015-02-26\n2014-10-01,17701.3,2015-02-27,\n',
  ),
  written(
    'obs.,_initial_release_only.csv',
    'period_start_date,ICSA,realtime_start_date\n2018-11-03,214000,2018-11-08\n2018-11-10,216000,2018-11-15\n',
  ),
  written('README.txt', readme),
  book('vintages.xlsx', {
    README: readmeSheet,
    'Vintages Starting 2015-01-30': [
      ['observation_date', 'GDP_20150130', 'GDP_20150227'],
      [day('2014-07-01'), n('17599.8'), n('17599.8')],
      [day('2014-10-01'), n('17710.700000000001'), n('17701.3')],
    ],
  }),
  book(
    'fredgraph.xlsx',
    {
      README: [['FRED Graph Observations'], ['Federal Reserve Economic Data']],
      Quarterly: [
        ['observation_date', 'GDP'],
        [day('2014-07-01'), n('17599.8')],
        [day('2014-10-01'), n('17710.7')],
      ],
      Monthly: [['FRED Graph'], [null], ['observation_date', 'UNRATE'], [day('2014-12-01'), n('5.6')]],
    },
    { asOf },
  ),
  written(
    'GNPCA.xml',
    answer(
      1,
      'realtime_start="1992-01-29" realtime_end="1996-01-18" date="1929-01-01" value="821.8"',
      'realtime_start="1996-01-19" realtime_end="9999-12-31" date="1929-01-01" value="."',
    ),
    { series: 'GNPCA' },
  ),
  written('GDP.csv', 'observation_date,GDP\n2014-04-01,17328.2\n2014-07-01,17599.8\n2014-10-01,17710.7\n', {
    asOf,
  }),
  written('plain.csv', 'date;value\n01.04.2014;17328,2\n01.07.2014;17599,8\n01.10.2014;17710,7\n', {
    asOf,
    series: 'GDP',
    dateFormat: 'DD.MM.YYYY',
  }),
];

/** Mutations of one file; of a packed one, of a member if `member` is given. */
export type Damage = {
  readonly file: number;
  readonly member: number | null;
  readonly mutations: readonly Mutation[];
};

/** The files with the damage in one of them. */
export async function damaged({ files }: Original, { file, member, mutations }: Damage) {
  const names = Object.keys(files);
  const name = names[file % names.length] ?? '';
  const content = files[name] ?? Buffer.alloc(0);
  return { ...files, [name]: await damagedContent(content, member, mutations) };
}

const mutate = (content: Buffer, mutations: readonly Mutation[]) => mutations.reduce(mutated, content);

async function damagedContent(content: Buffer, member: number | null, mutations: readonly Mutation[]) {
  const start = content.toString('latin1', 0, 2);
  if (member === null || (start !== 'PK' && start !== '\x1f\x8b')) return mutate(content, mutations);
  if (start !== 'PK') return gzipSync(mutate(gunzipSync(content), mutations));
  const members = await membersOf(content);
  const chosen = member % members.length;
  return zipOf(
    members.map((one, i) => (i === chosen ? { ...one, content: mutate(one.content, mutations) } : one)),
  );
}

async function membersOf(archive: Buffer) {
  const zip = await yauzl.fromBufferPromise(archive, {});
  const members = [];
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk);
    members.push({ name: entry.fileName, content: Buffer.concat(chunks) });
  }
  return members;
}
