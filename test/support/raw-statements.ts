import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readSheet } from 'read-excel-file/node';
import { readData } from './repository.ts';

// Readers of the raw files that share no code with those of asof. The tests compare the sample with them.
// A statement is `date as-of-day value`, a rate `date maturity rate`; a withdrawal ends after the day.

/** The variables of the Real-Time Data Set, and the ids under which the sample has them. */
export const variables: Readonly<Record<string, string>> = Object.fromEntries(
  `CPI:CPIAUCSL EMPLOY:PAYEMS M2:M2SL NCON:PCEC NCPROFAT:CP NPI:PINCOME OPH:OPHPBS P:P PCONX:JCXFE
  PCPIX:CPILFESL RATESAV:RATESAV RCON:PCECC96 RCOND:PCDGCC96 RCONND:PCNDGC96 RCONS:PCESVC96
  REX:EXPGSC1 RG:GCEC1 RIMP:IMPGSC1 RINVBF:PNFIC1 RINVRESID:PRFIC1 RNX:NETEXC ROUTPUT:GDPC1
  RUC:UNRATE ULC:ULCBS WSD:WSD`
    .split(/\s+/)
    .map((pair) => pair.split(':')),
);

/** The statements about GDP in FRED's file of all vintages. */
export function rawGdp(data: string): string[] {
  const text = readData(data, 'macro/fred-api/GDP-observations-all-realtime.json').toString('utf8');
  const answer = JSON.parse(text) as { observations: Record<string, string>[] };
  return answer.observations.map(
    ({ date, realtime_start, value }) => `${date} ${realtime_start} ${value === '.' ? '' : value}`,
  );
}

/** FRED's description of GDP. */
export function rawGdpDescription(data: string): Record<string, string> {
  const text = readFileSync(join(data, 'macro/fred-api/GDP-series.json'), 'utf8');
  const [series] = (JSON.parse(text) as { seriess: Record<string, string>[] }).seriess;
  return series ?? {};
}

/** The names of the workbooks of the Real-Time Data Set. */
export function rawWorkbooks(data: string): string[] {
  return readdirSync(join(data, 'macro/rtdsm'));
}

/** The statements in every cell of a workbook of the Real-Time Data Set. */
export async function rawWorkbook(data: string, name: string): Promise<string[]> {
  const [header = [], ...rows] = await readSheet(join(data, 'macro/rtdsm', name));
  const dates = rows.map(([label]) => workbookDate(String(label)));
  return header.slice(1).flatMap((title, column) => {
    const cells = rows.map((row) => row[column + 1] ?? null);
    const first = cells.findIndex((cell) => typeof cell === 'number');
    const last = cells.findLastIndex((cell) => typeof cell === 'number');
    const asOf = workbookVintage(String(title));
    return cells.flatMap((cell, row) => {
      if (cell === null && (row < first || row > last)) return [];
      return [`${dates[row]} ${asOf} ${typeof cell === 'number' ? cell : ''}`];
    });
  });
}

function workbookDate(label: string): string {
  const [year, part = ''] = label.split(':');
  const month = part.startsWith('Q') ? 3 * Number(part[1]) - 2 : Number(part);
  return `${year}-${String(month).padStart(2, '0')}-01`;
}

function workbookVintage(title: string): string {
  const [, year = '', unit, number] = /(\d\d)([QM])(\d+)$/i.exec(title) ?? [];
  const month = unit?.toUpperCase() === 'Q' ? 3 * Number(number) - 1 : Number(number);
  return `${Number(year) < 60 ? 20 : 19}${year}-${String(month).padStart(2, '0')}-15`;
}

/** The statements of the dated panels about a series; quarterly figures are in the last month of a quarter. */
export function rawPanel(data: string, seriesId: string, frequency: string): string[] {
  const folder = join(data, 'macro/dated-panel');
  return readdirSync(folder).flatMap((file) => {
    const [header = [], ...rows] = table(join(folder, file));
    const column = header.indexOf(seriesId);
    const cells = rows.map((row) => row[column] ?? '');
    const first = cells.findIndex((cell) => cell !== '');
    const last = cells.findLastIndex((cell) => cell !== '');
    return rows.flatMap(([date = ''], row) => {
      const month = Number(date.slice(5, 7));
      if (row < first || row > last || (frequency === 'Q' && month % 3 !== 0)) return [];
      const start = frequency === 'Q' ? `${date.slice(0, 4)}-${String(month - 2).padStart(2, '0')}-01` : date;
      const value = cells[row] ?? '';
      return [`${start} ${basename(file, '.csv')} ${value === '.' || value === '#N/A' ? '' : value}`];
    });
  });
}

/** Every rate of Treasury's par curve. */
export function rawParRates(data: string): string[] {
  const folder = join(data, 'treasury/par-csv');
  return readdirSync(folder).flatMap((file) => {
    const [header = [], ...rows] = table(join(folder, file));
    const maturities = header.map((name) => name.replace(/ Mo(nth)?$/, 'M').replace(/ Yr$/, 'Y'));
    return rows.flatMap(([date = '', ...rates]) =>
      rates.flatMap((rate, i) => (rate === '' ? [] : [`${tradeDate(date)} ${maturities[i + 1]} ${rate}`])),
    );
  });
}

function tradeDate(text: string): string {
  const [month = '', day = '', year = ''] = text.split('/');
  const century = year.length === 4 ? '' : Number(year) < 90 ? '20' : '19';
  return `${century}${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** Every rate of the real curve in the files of the H.15 release. */
export function rawTipsRates(data: string): string[] {
  const folder = join(data, 'treasury/h15-dfii');
  return readdirSync(folder).flatMap((file) => {
    const maturity = `${basename(file, '.csv').slice('DFII'.length)}Y`;
    const [, ...rows] = table(join(folder, file));
    return rows.flatMap(([date, rate]) => (rate === '.' ? [] : [`${date} ${maturity} ${rate}`]));
  });
}

/** A column of FRED-QD (published in April 2021) by the first day of each quarter, empty cells left out. */
export function rawFredQd(data: string, column: string): Map<string, number> {
  const [header = [], , , ...rows] = table(join(data, 'macro/fred-qd/fredqd.csv'));
  const index = header.indexOf(column);
  const filled = rows.filter((row) => (row[index] ?? '') !== '');
  return new Map(
    filled.map((row) => {
      const [lastMonth, , year] = (row[0] ?? '').split('/');
      return [`${year}-${String(Number(lastMonth) - 2).padStart(2, '0')}-01`, Number(row[index])];
    }),
  );
}

/** The cells of a file in which no cell holds its separator; blank lines are skipped. */
function table(path: string, separator = ','): string[][] {
  const lines = readFileSync(path, 'utf8').split(/\r?\n/);
  return lines.filter((line) => line !== '').map((line) => line.replaceAll('"', '').split(separator));
}

/** A few of the entries that only one of two lists has, or has twice. */
export function differences(held: readonly string[], expected: readonly string[]): string[] {
  const [a, b] = [new Set(held), new Set(expected)];
  const extra = held.filter((line) => !b.has(line)).slice(0, 5);
  const missing = expected.filter((line) => !a.has(line)).slice(0, 5);
  const twice = held.length === a.size ? [] : [`${held.length - a.size} held twice`];
  return [
    ...extra.map((line) => `not published: ${line}`),
    ...missing.map((line) => `missing: ${line}`),
    ...twice,
  ];
}
