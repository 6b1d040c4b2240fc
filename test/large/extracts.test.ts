import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { allBytes } from '../../src/import/files/source-file.ts';
import { sourceFiles } from '../../src/import/files/walk.ts';
import { largeData, readData, testData } from '../support/repository.ts';
import { zipOf } from '../support/source-file.ts';

/** `UPDATE_TEST_DATA=1 npm run test:large -- extracts` writes the extracts instead of comparing them. */
const update = process.env.UPDATE_TEST_DATA === '1';

/** Folders of what is cut from no file of the large data; `test/data/README.md` says where it comes from. */
const madeOtherwise = ['calendar', 'macro/xls', 'revisions', 'stores', 'treasury/closed-days', 'units'];

/** The words of a text. */
function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Cuts the text of a whole file. */
type Cut = (text: string) => string;

const whole: Cut = (text) => text;

const firstLines =
  (count: number): Cut =>
  (text) =>
    linesOf(text).slice(0, count).join('');

/** Keeps the first `header` lines, and of the others those that pass. */
const linesWhere =
  (passes: (line: string) => boolean, header = 1): Cut =>
  (text) =>
    linesOf(text)
      .filter((line, i) => i < header || passes(line))
      .join('');

/** Keeps some columns of a table whose cells are not quoted. */
const columns =
  (names: readonly string[], separator = ','): Cut =>
  (text) => {
    const lines = linesOf(text);
    const header = (lines[0] ?? '').trimEnd().split(separator);
    const indexes = names.map((name) => header.indexOf(name));
    if (indexes.includes(-1)) throw new Error(`there is no column ${names[indexes.indexOf(-1)]}`);
    return lines
      .map((line) => {
        const [, content = '', end = ''] = /^(.*?)(\r?\n?)$/s.exec(line) ?? [];
        const cells = content.split(separator);
        return indexes.map((index) => cells[index] ?? '').join(separator) + end;
      })
      .join('');
  };

/** Keeps the columns of a table at some places, with the cells as they are written. */
const columnsAt =
  (places: readonly number[]): Cut =>
  (text) =>
    linesOf(text)
      .map((line) => {
        const [, content = '', end = ''] = /^(.*?)(\r?\n?)$/s.exec(line) ?? [];
        const cells = content.match(/(?<=^|,)(?:"(?:[^"]|"")*"|[^,]*)/g) ?? [];
        return (content === '' ? '' : places.map((place) => cells[place] ?? '').join(',')) + end;
      })
      .join('');

/** Lines with their line ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The day of a line of Treasury's archive, such as `1/2/90`. */
function archiveDay(line: string): string {
  const [, month = '', day = '', year = ''] = /^(\d+)\/(\d+)\/(\d\d),/.exec(line) ?? [];
  return `${Number(year) < 90 ? 20 : 19}${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** The days around which Treasury began or paused a maturity; October 2018 is also in the extract of the XML feed. */
const archiveDays: readonly (readonly [from: string, to: string])[] = [
  ['1990-01-02', '1990-01-10'],
  ['1993-09-27', '1993-10-08'],
  ['2001-07-25', '2001-08-06'],
  ['2002-02-11', '2002-02-22'],
  ['2006-02-03', '2006-02-14'],
  ['2018-10-01', '2018-10-31'],
  ['2022-10-12', '2022-10-26'],
];
const isArchiveDay = (line: string) =>
  archiveDays.some(([from, to]) => archiveDay(line) >= from && archiveDay(line) <= to);

/** The entries of October 2018 of an XML feed. */
const october2018: Cut = (text) =>
  text.replace(/<entry>[\s\S]*?<\/entry>\s*/g, (entry) => (entry.includes('>2018-10-') ? entry : ''));

const fredMd = columns(
  words('sasdate RPI W875RX1 CMRMTSPLx RETAILx INDPRO CUMFNS UNRATE PAYEMS HOUST M2SL CPIAUCSL PCEPI'),
);
const fredMdRows = linesWhere((line) => /^(\D|\d+\/\d+\/(201[3-9]|202\d),|\s*$)/.test(line), 2);

const fredQd = columns(
  words('sasdate GDPC1 PCECC96 GCEC1 EXPGSC1 IMPGSC1 GDPCTPI UNRATE CPIAUCSL CPILFESL PAYEMS INDPRO'),
);

/** Ownership documents: one or more of each schema version, every odd one, and those that the quarter below lists. */
const documents = words(`
  000089924322035394__0000899243-22-035394.txt 000089924322035394__doc4.xml
  000092189525001190__0000921895-25-001190.txt 000161071726000146__test.txt
  000179056523000009__ownership-doc.txt 000138746725000038__multi_standard_acquisition.xml
  01d2f212943e__should_fail.xml 9f89d37912c1__xml_error.xml a1ddb077d325__xml_timestamp.xml
  69002cb4cfce__xml_no_price.xml c137c9dc919c__form4_sample.xml f32559ebcfe9__000120919123029527_form4.xml
  000118143111030813__rrd311776.xml 000089924321044370__doc3.xml 000149473011000004__edgardoc.xml
  000149473011000006__edgardoc.xml 000149473012000001__edgardoc.xml 000120919112032055__doc4.xml
  d6d74c6d5a85__000092963823001482_form4.xml 000121390023069436__ownership.xml
  000106299324014684__form4.xml 000132165524000181__wk-form4_1727395357.xml
  000141588924019064__form4-07022024_090704.xml 000141588924020383__form4-07302024_090705.xml
  000162828024030951__wk-form4_1719957769.xml 000162828024031146__wk-form4_1720039771.xml
  000162828024034864__wk-form4_1722895731.xml 000162828024038676__wk-form4_1724877016.xml
`);

/**
 * Filings of 2024Q3: those of the documents above, three with impossible trade dates, two amendments, and some
 * others.
 */
const filings: ReadonlySet<string> = new Set(
  words(`
    0001062993-24-014684 0001321655-24-000181 0001415889-24-019064 0001415889-24-020383 0001628280-24-030951
    0001628280-24-031146 0001628280-24-034864 0001628280-24-038676 0001437749-24-028508 0001437749-24-027747
    0001437749-24-024230 0001731122-24-001167 0000921895-24-001652 0001967680-24-000113 0001225208-24-007708
    0001493152-24-038908
  `),
);
const ofFilings = linesWhere((line) => filings.has(line.split('\t')[0] ?? ''));

/** The files of a folder of test/data, by their path there, each cut in the same way. */
function inFolder(
  folder: string,
  cut: Cut,
  names: string | readonly string[],
): Readonly<Record<string, Cut>> {
  const all = typeof names === 'string' ? words(names) : names;
  return Object.fromEntries(all.map((name) => [`${folder}/${name}`, cut]));
}

/**
 * Columns of the ECB's files: employment under one key twice, one that lost its key in March 2002, and of Japan, the
 * United States and the euro area some whose figures were removed or left blank, and real GDP.
 */
const ecbColumns = columnsAt([0, 1, 2, 18, 37, 38, 49, 50, 64]);

/** The months of the ECB's files. */
const ecbMonths = [2001, 2002].flatMap((year) =>
  Array.from({ length: 12 }, (_, i) => `${year}${String(i + 1).padStart(2, '0')}`),
);

/** The extracts, by their path in test/data; `.gz` is whole files, packed. */
const files: Readonly<Record<string, Cut>> = {
  ...inFolder('facts', whole, 'gdp-as-of.tsv rtdsm-as-of.tsv'),
  ...inFolder(
    'macro/fred-api',
    whole,
    `GDP-observations-all-realtime.json.gz GDP-observations-realtime_end-2019-01-01.json.gz GDP-series.json
    GDP-observations-latest.json GDP-observations-output_type4.json GDP-vintagedates.json catalogue-release.json
    catalogue-source.json catalogue-release_dates.json.gz catalogue-releases_dates.json.gz`,
  ),
  ...inFolder('macro/rtdsm', whole, 'ROUTPUTQvQd.xlsx'),
  ...inFolder('macro/fred-qd', fredQd, 'fredqd.csv'),
  ...inFolder(
    'macro/dated-panel',
    linesWhere((line) => line >= '2014'),
    '2016-07-29.csv 2016-08-05.csv 2017-01-27.csv',
  ),
  ...inFolder('macro/metadata', firstLines(13), 'fedstl.idx'),
  ...inFolder('treasury/par-csv', linesWhere(isArchiveDay), 'par-yield-curve-rates-1990-2022.csv'),
  ...inFolder('treasury/par-csv', whole, 'daily-treasury-rates-2025.csv'),
  ...inFolder('treasury/par-xml', october2018, '2018.xml'),
  ...inFolder(
    'treasury/h15-dfii',
    linesWhere((line) => /^(2004|2010|2022-11)-/.test(line)),
    'DFII5.csv DFII7.csv DFII10.csv DFII20.csv DFII30.csv',
  ),
  ...inFolder(
    'treasury/tips-csv',
    linesWhere((line) => /^(2004|2010)-/.test(line)),
    'treasury_real_yield_all.csv',
  ),
  ...inFolder(
    'recordings/eurostat',
    linesWhere((line) => /,(?:2020-\d\d-\d\d|2021-0[12]-\d\d|2025-0[1-3]-\d\d),/.test(line)),
    'ei_na_q_vtg_filtered_en.csv.gz',
  ),
  'sec/ownership-xml-INDEX.csv': linesWhere((line) => documents.includes(line.split(',')[0] ?? '')),
  ...inFolder('sec/ownership-xml', whole, documents),
  ...inFolder(
    'sec/form345-maia-reencoded',
    whole,
    'NONDERIV_TRANS.tsv REPORTINGOWNER.tsv SUBMISSION.tsv NOTE.txt',
  ),
  ...inFolder('sec/submissions-json', whole, 'cik1835632_submissions.json.gz'),
  ...inFolder(
    'recordings/sec',
    whole,
    `full-index-304.json full-index-403.json submissions-404.json filing-0000320193-22-000061.json.gz
    getcurrent-503.json.gz form.20200318.first-1200-lines.idx.gz submissions-0000310522-08Feb2026.json.gz
    submissions-0000310522-05Mar2026.json.gz submissions-0000789019-03Feb2026.json.gz
    submissions-0000789019-05Mar2026.json.gz submissions-0000320193-05Mar2026.json.gz
    submissions-0001796129-20Jun2026.json.gz`,
  ),
  ...inFolder('recordings/calendar', whole, 'bls-2023.ics.gz'),
  ...inFolder('recordings/ecb', whole, 'rtd-log-excerpt.csv.gz'),
  ...inFolder(
    'recordings/ecb',
    ecbColumns,
    ecbMonths.map((month) => `quarterly_${month}.csv.gz`),
  ),
  ...inFolder('recordings/swiss', whole, 'realtime_database-gdp.xlsx'),
  ...inFolder(
    'recordings/treasury',
    whole,
    `daily_treasury_real_yield_curve_2003.xml.gz daily_treasury_real_yield_curve_2004.xml.gz
    daily_treasury_real_yield_curve_2010.xml.gz daily_treasury_yield_curve_2009.xml.gz
    daily_treasury_yield_curve_2010.xml.gz daily_treasury_yield_curve_2023.xml.gz
    daily_treasury_yield_curve_2024.xml.gz`,
  ),
};

/** The extracts of archives, by the names of their members. */
const archives: Readonly<Record<string, Readonly<Record<string, Cut>>>> = {
  'macro/fred-md/fred-md-vintages.zip': {
    '2015-01.csv': (text) => fredMdRows(fredMd(text)),
    '2020-04.csv': (text) => fredMdRows(fredMd(text)),
    '2020-05.csv': (text) => fredMdRows(fredMd(text)),
  },
  'sec/form345/2024q3_form345_partial.zip': {
    'SUBMISSION.tsv': ofFilings,
    'DERIV_TRANS.tsv': ofFilings,
    'FORM_345_metadata.json': whole,
  },
};

describe('the extracts of test/data', () => {
  it.each(Object.keys(files))('%s is cut from the whole file', (name) => {
    const source = readData(largeData, name.replace(/\.gz$/, ''));
    const cut = files[name] ?? whole;
    // Latin-1 keeps every byte of a workbook.
    const expected = Buffer.from(cut(source.toString('latin1')), 'latin1');
    if (update) write(name, name.endsWith('.gz') ? gzipSync(expected) : expected);
    const found = readFileSync(join(testData, name));
    expect((name.endsWith('.gz') ? gunzipSync(found) : found).equals(expected)).toBe(true);
  });

  it.each(Object.keys(archives))('%s holds members cut from the whole archive', async (name) => {
    const members = await sourceFiles([join(largeData, name)]);
    const expected: { readonly name: string; readonly content: string }[] = [];
    for (const [member, cut] of Object.entries(archives[name] ?? {})) {
      const file = members.find((one) => one.name === member);
      if (file === undefined) throw new Error(`${name} has no ${member}`);
      expected.push({ name: member, content: cut((await allBytes(file)).toString('utf8')) });
    }
    if (update) write(name, zipOf(expected));
    const found = await sourceFiles([join(testData, name)]);
    const contents = await Promise.all(
      found.map(async (file) => ({ name: file.name, content: (await allBytes(file)).toString('utf8') })),
    );
    const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1);
    expect(contents.sort(byName)).toEqual(expected.sort(byName));
  });

  it('are all the files there, in less than 2 MB', () => {
    const found = readdirSync(testData, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(testData, name)).isFile(),
    );
    const extracts = found.filter((name) => !madeOtherwise.some((folder) => name.startsWith(`${folder}/`)));
    expect(extracts.sort()).toEqual(['README.md', ...Object.keys(files), ...Object.keys(archives)].sort());
    const bytes = found.reduce((sum, name) => sum + statSync(join(testData, name)).size, 0);
    expect(bytes).toBeLessThan(2_000_000);
  });
});

function write(name: string, content: Uint8Array): void {
  mkdirSync(dirname(join(testData, name)), { recursive: true });
  writeFileSync(join(testData, name), content);
}
