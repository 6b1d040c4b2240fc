import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import yauzl from 'yauzl';
import { runAsof } from './run-asof.mjs';

// Makes the compressed files of data/ from the raw files: node scripts/make-sample-data.mjs FOLDER_OF_RAW_FILES
// data/series.csv is written by hand; it names every series and so chooses those of the panels.

const data = fileURLToPath(new URL('../data/', import.meta.url));

/** Variables of the Real-Time Data Set by the agency that publishes the figures, with their ids in the sample. */
const realTimeDataSet = {
  bea: {
    NCON: 'PCEC',
    NCPROFAT: 'CP',
    NPI: 'PINCOME',
    P: 'P',
    PCONX: 'JCXFE',
    RATESAV: 'RATESAV',
    RCON: 'PCECC96',
    RCOND: 'PCDGCC96',
    RCONND: 'PCNDGC96',
    RCONS: 'PCESVC96',
    REX: 'EXPGSC1',
    RG: 'GCEC1',
    RIMP: 'IMPGSC1',
    RINVBF: 'PNFIC1',
    RINVRESID: 'PRFIC1',
    RNX: 'NETEXC',
    ROUTPUT: 'GDPC1',
    WSD: 'WSD',
  },
  bls: { CPI: 'CPIAUCSL', EMPLOY: 'PAYEMS', OPH: 'OPHPBS', PCPIX: 'CPILFESL', RUC: 'UNRATE', ULC: 'ULCBS' },
  frb: { M2: 'M2SL' },
};

const parColumns = {
  '1M': '1 Mo',
  '1.5M': '1.5 Month',
  '2M': '2 Mo',
  '3M': '3 Mo',
  '4M': '4 Mo',
  '6M': '6 Mo',
  '1Y': '1 Yr',
  '2Y': '2 Yr',
  '3Y': '3 Yr',
  '5Y': '5 Yr',
  '7Y': '7 Yr',
  '10Y': '10 Yr',
  '20Y': '20 Yr',
  '30Y': '30 Yr',
};

const tipsColumns = { '5Y': 'DFII5', '7Y': 'DFII7', '10Y': 'DFII10', '20Y': 'DFII20', '30Y': 'DFII30' };

async function main(raw) {
  const work = await mkdtemp(join(tmpdir(), 'asof-sample-'));
  try {
    const described = parse(await readFile(join(data, 'series.csv')), { columns: true });
    const idsFrom = (source) => described.filter((row) => row.source === source).map((row) => row.series_id);
    await makeGdp(raw, work);
    await makeRealTimeDataSet(raw, work, idsFrom('Philadelphia Fed Real-Time Data Set'));
    await makePanel(raw, work, idsFrom('FRED dated panel'));
    await makeCurves(raw, work);
    await makeFilings(raw);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function makeGdp(raw, work) {
  const file = join(raw, 'macro/fred-api/GDP-observations-all-realtime.json');
  const store = await imported(work, 'gdp.db', [file, '--series', 'GDP']);
  await writeFacts(work, store, 'gdp.csv', ['GDP']);
}

async function makeRealTimeDataSet(raw, work, described) {
  const renames = Object.values(realTimeDataSet).flatMap((variables) => Object.entries(variables));
  const folder = join(raw, 'macro/rtdsm');
  const files = await readdir(folder);
  const ids = renames.map(([, id]) => id).sort();
  if (ids.length !== files.length || ids.join() !== described.sort().join()) {
    throw new Error(
      'the variables named here, the files of the Real-Time Data Set and data/series.csv differ',
    );
  }
  const store = await imported(work, 'rtdsm.db', [
    folder,
    ...renames.flatMap(([from, to]) => ['--id', `${from}=${to}`]),
  ]);
  for (const [agency, variables] of Object.entries(realTimeDataSet)) {
    await writeFacts(work, store, `rtdsm-${agency}.csv`, Object.values(variables).sort());
  }
}

async function makePanel(raw, work, described) {
  const store = await imported(work, 'panel.db', [join(raw, 'macro/dated-panel')]);
  await writeFacts(work, store, 'panel.csv', described.sort());
}

async function makeCurves(raw, work) {
  const store = await imported(work, 'curves.db', [
    join(raw, 'treasury/par-csv'),
    join(raw, 'treasury/h15-dfii'),
  ]);
  await writeCurve(work, store, { name: 'curve-par.csv', type: 'par', date: 'Date', columns: parColumns });
  await writeCurve(work, store, { name: 'curve-tips.csv', type: 'tips', date: 'DATE', columns: tipsColumns });
}

/** Makes a new store in the work folder with these parameters of `asof import`. */
async function imported(work, name, parameters) {
  const store = join(work, name);
  await runAsof(['import', ...parameters, '--store', store, '--quiet'], { cwd: work });
  return store;
}

async function writeFacts(work, store, name, ids) {
  const file = join(work, name);
  await runAsof(['facts', ...ids, '--store', store, '-o', file, '--quiet'], { cwd: work });
  await compress(file);
}

/** A curve in the layout of its publisher: a line for each day, oldest first, a column for each maturity. */
async function writeCurve(work, store, { name, type, date, columns }) {
  const file = join(work, name);
  await runAsof(['yields', '--type', type, '--all', '--store', store, '-f', 'csv', '-o', file, '--quiet'], {
    cwd: work,
  });
  const days = new Map();
  for (const { trade_date, maturity, rate } of parse(await readFile(file), { columns: true }).reverse()) {
    if (columns[maturity] === undefined) throw new Error(`${name} has no column for ${maturity}`);
    days.set(trade_date, { ...days.get(trade_date), [maturity]: rate });
  }
  const header = [date, ...Object.values(columns)];
  const lines = Array.from(days, ([day, rates]) => [
    day,
    ...Object.keys(columns).map((maturity) => rates[maturity] ?? ''),
  ]);
  await writeFile(file, `${[header, ...lines].map((cells) => cells.join(',')).join('\n')}\n`);
  await compress(file);
}

/**
 * Packs filings with known dates in the formats of the SEC: the tables of the re-encoded issuer, full submissions,
 * and documents that are also in the data set of 2024Q3, with its lines of the table SUBMISSION. Accession numbers
 * name files.
 */
async function makeFilings(raw) {
  const target = 'filings';
  await mkdir(join(data, target), { recursive: true });
  const tables = join(raw, 'sec/form345-maia-reencoded');
  for (const name of ['NONDERIV_TRANS.tsv', 'REPORTINGOWNER.tsv'])
    await pack(await readFile(join(tables, name)), join(target, name));
  const archive = join(raw, 'sec/form345/2024q3_form345_partial.zip');
  const listed = lines((await memberOf(archive, 'SUBMISSION.tsv')).toString());
  const own = lines(await readFile(join(tables, 'SUBMISSION.tsv'), 'utf8'));
  const documents = join(raw, 'sec/ownership-xml');
  for (const name of (await readdir(documents)).sort()) {
    const [, filer, year, count, extension] = /^(\d{10})(\d{2})(\d{6})__.*\.(xml|txt)$/.exec(name) ?? [];
    if (filer === undefined) continue;
    const line = listed.find((candidate) => candidate.startsWith(`${filer}-${year}-${count}\t`));
    if (extension === 'xml' && line === undefined) continue;
    if (extension === 'xml') own.push(inColumns(line, listed[0], own[0]));
    await pack(await readFile(join(documents, name)), join(target, `${filer}-${year}-${count}.${extension}`));
  }
  await pack(`${own.join('\n')}\n`, join(target, 'SUBMISSION.tsv'));
}

/** The lines of a table, its columns first. */
function lines(text) {
  return text.replaceAll('\r', '').replace(/\n+$/, '').split('\n');
}

/** A line of a table in the columns of another. */
function inColumns(line, from, to) {
  const [cells, names] = [line.split('\t'), from.split('\t')];
  return to
    .split('\t')
    .map((name) => cells[names.indexOf(name)] ?? '')
    .join('\t');
}

async function memberOf(archive, name) {
  const zip = await yauzl.openPromise(archive);
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName === name) return buffer(await zip.openReadStreamPromise(entry));
  }
  throw new Error(`${archive} has no ${name}`);
}

/** Compresses a file into data/. The bytes depend on its content alone: no name, no time, no operating system. */
async function compress(file) {
  await pack(await readFile(file), basename(file));
}

async function pack(content, name) {
  const packed = gzipSync(content, { level: 9, memLevel: 9 });
  packed[9] = 255;
  await writeFile(join(data, `${name}.gz`), packed);
}

const [, , raw] = process.argv;
if (raw === undefined) throw new Error('usage: node scripts/make-sample-data.mjs FOLDER_OF_RAW_FILES');
await main(resolve(raw));
