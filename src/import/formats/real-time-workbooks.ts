import { publishers } from '../../domain/series/publishers.ts';
import { realTimeVariables } from '../../domain/series/real-time-data-set.ts';
import { parseSeriesId, type SeriesMetadata, seriesIdForm } from '../../domain/series/series.ts';
import { type Day, dayOf, parseDay } from '../../domain/values/date.ts';
import { parseDecimal } from '../../domain/values/decimal.ts';
import { missingTexts } from '../../domain/values/missing-value.ts';
import { parsePeriod } from '../../domain/values/period.ts';
import { counted, listed } from '../../errors/wording.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import { isWorkbook, readSheets } from '../readers/xlsx.ts';
import { type ImportFormat, readDay } from './format.ts';
import { readVintageCsv, type VintageColumn, type VintageTable, vintageBatches } from './panels.ts';

/** The row of the days of release, and the row below it of their quarters; rows count from 1. */
const [dayRow, quarterRow] = [10, 11];

/** A sheet of figures has this row of quarters. */
const quarterHeader = /^time,"?\d{4}q[1-4]\b/m;

/**
 * The real-time data set for Switzerland (Indergand and Leist, 2014): a sheet for each variable, a column for each
 * release. Each series is named after its sheet: `SECO:GDP`.
 */
export const swissWorkbook: ImportFormat = {
  kind: 'seco-realtime',
  summary: [
    'Swiss real-time workbook',
    ' (realtime_database-gdp.xlsx), a series for each sheet, one vintage per column',
  ],
  source: publishers.seco.name,
  vintageKind: 'exact',
  whole: true,
  recognise: ({ sheets = [] }) => sheets.some(({ head }) => quarterHeader.test(head.text)),
  async *read(file) {
    const all = await readSheets(file);
    const sheets = all.filter(({ rows }) => rows.some(isHeader));
    if (sheets.length === 0) throw refusal(file, {}, 'no sheet has a row of quarters below the word time');
    const others = all.filter(
      (sheet) => !sheets.includes(sheet) && sheet.name.toLowerCase() !== explanations,
    );
    for (const sheet of others) refuseFigures({ ...file, path: sheet.csv.path }, sheet);
    yield { notes: others.flatMap(leftOut) };
    for (const sheet of sheets) {
      const own = { ...file, path: sheet.csv.path };
      const seriesId = idOf(own, sheet);
      const { table, notes } = tableOf(own, sheet, seriesId);
      yield { metadata: [metadataOf(sheet, seriesId)], notes };
      if (table.columns.length > 0) yield* vintageBatches(own, table, { withdrawals: [], frequency: 'Q' });
    }
  },
};

/** The sheet of the publisher's explanations. */
const explanations = 'info';

const quarterName = /^\d{4}q[1-4]$/i;

function isHeader([first = '', second = '']: readonly string[]): boolean {
  return first.trim() === 'time' && quarterName.test(second.trim());
}

/** Throws a refusal for a sheet that has quarters, days of release or numbers, but no row that says what they are. */
function refuseFigures(file: SourceFile, { rows }: SwissSheet): void {
  const isFigures = (cells: readonly string[], row: number) =>
    cells.some((cell, index) => {
      const text = cell.trim();
      if (quarterName.test(text)) return true;
      return row === dayRow ? parseDay(text) !== undefined : index > 0 && parseDecimal(text) !== undefined;
    });
  const found = rows.findIndex((cells, index) => isFigures(cells, index + 1));
  if (found === -1) return;
  const ofQuarters = rows.findIndex((cells) => cells.some((cell) => quarterName.test(cell.trim())));
  const row = ofQuarters === -1 ? quarterRow : ofQuarters + 1;
  const place = { row, column: '1', value: (rows[row - 1]?.[0] ?? '').trim() };
  const reason = 'a sheet of figures has the word time here, and the quarters of release beside it';
  throw refusal(file, place, reason, ['remove the sheet from a copy of the workbook to import the others']);
}

/** Names a sheet of text, unless it is blank. */
function leftOut({ name, rows }: SwissSheet): readonly string[] {
  const isBlank = rows.every((cells) => cells.every((cell) => cell.trim() === ''));
  return isBlank ? [] : [`sheet ${name} is left out: it has no figures`];
}

function idOf(file: SourceFile, { name }: SwissSheet): string {
  const id = parseSeriesId(`SECO:${name}`);
  if (id !== undefined) return id;
  throw refusal(file, {}, `the name of the sheet makes no series id: ${seriesIdForm}`);
}

/** Reads the title in the first row and the unit in the second, which ends with the adjustment. */
function metadataOf({ rows }: SwissSheet, seriesId: string): SeriesMetadata {
  const [title = '', unit = ''] = [rows[0]?.[0], rows[1]?.[0]].map((text) =>
    text?.replace(/\s+/g, ' ').trim(),
  );
  const [, units = unit, seasonalAdjustment] = /^(.*?), ((?:not )?seasonally\b.*)$/i.exec(unit) ?? [];
  return {
    seriesId,
    ...(title !== '' && { title }),
    ...(units !== '' && { units }),
    ...(seasonalAdjustment !== undefined && { seasonalAdjustment }),
  };
}

type SwissSheet = Awaited<ReturnType<typeof readSheets>>[number];

type SwissRelease = { readonly index: number; readonly name: string; readonly vintage: Day };

function tableOf(
  file: SourceFile,
  { rows }: SwissSheet,
  seriesId: string,
): { readonly table: VintageTable; readonly notes: readonly string[] } {
  const at = rows.findIndex(isHeader) + 1;
  if (at !== quarterRow)
    throw refusal(file, { row: at }, `the quarters of release are expected in row ${quarterRow}`);
  const body = rows
    .map((cells, index) => ({ row: index + 1, cells }))
    .filter(({ row, cells }) => row > quarterRow && cells.some((cell) => cell.trim() !== ''));
  const { releases, undated } = releasesOf(file, rows, (index) =>
    body.some(({ cells }) => (cells[index] ?? '').trim() !== ''),
  );
  let before = '';
  const figures = body.map(({ row, cells }) => {
    const place = { row, column: 'time', value: (cells[0] ?? '').trim() };
    const date = readDay(file, place, 'the first day of a quarter', quarterStart);
    if (date <= before) throw refusal(file, place, `quarters must ascend; the row above has ${before}`);
    before = date;
    return { row, date, cells: releases.map(({ index }) => cells[index] ?? '') };
  });
  const columns = releases.map(({ name, vintage }) => ({ name, seriesId, vintage }));
  const count = counted(undated.length, 'release');
  const without = `${seriesId}: row ${dayRow} has no day for ${count}, left out: ${listed(undated, 'and')}`;
  return { table: { columns, rows: figures }, notes: undated.length === 0 ? [] : [without] };
}

/** Lists the columns with a day of release, and the names of those that have figures without a day. */
function releasesOf(file: SourceFile, rows: SwissSheet['rows'], hasFigures: (index: number) => boolean) {
  const releases: SwissRelease[] = [];
  const undated: string[] = [];
  for (const [index, text] of (rows[quarterRow - 1] ?? []).entries()) {
    const name = text.trim();
    const day = (rows[dayRow - 1]?.[index] ?? '').trim();
    if (index === 0 || (name === '' && day === '' && !hasFigures(index))) continue;
    const place = { row: quarterRow, column: `${index + 1}`, value: name };
    if (!quarterName.test(name)) throw refusal(file, place, 'not a quarter of release, such as 2014q3');
    if (day !== '') releases.push(releaseOf(file, { index, name, day }, releases.at(-1)));
    else if (hasFigures(index)) undated.push(name);
  }
  return { releases, undated };
}

function releaseOf(
  file: SourceFile,
  { index, name, day }: { readonly index: number; readonly name: string; readonly day: string },
  before: SwissRelease | undefined,
): SwissRelease {
  const place = { row: dayRow, column: name, value: day };
  const vintage = readDay(file, place);
  if (before !== undefined && vintage <= before.vintage) {
    const is = vintage === before.vintage ? 'the same as' : 'earlier than';
    throw refusal(file, place, `this day of release is ${is} that of ${before.name}, ${before.vintage}`);
  }
  if (before !== undefined && name.toLowerCase() <= before.name.toLowerCase())
    throw refusal(file, { row: quarterRow, column: name }, `this quarter of release follows ${before.name}`);
  return { index, name, vintage };
}

function quarterStart(text: string): Day | undefined {
  const { start, frequency } = parsePeriod(text) ?? {};
  if (frequency === 'Q') return start;
  return /-(?:01|04|07|10)-01$/.test(text) ? parseDay(text) : undefined;
}

/**
 * The Real-Time Data Set of the Philadelphia Fed: a workbook per variable, a column per vintage.
 * A vintage is dated the 15th of its month or of the middle month of its quarter.
 */
export const rtdsm: ImportFormat = {
  kind: 'rtdsm',
  summary: [
    'Philadelphia Fed real-time data set',
    ' (ROUTPUTQvQd.xlsx, or a CSV of it), one vintage per column',
  ],
  source: publishers.rtdsm.name,
  vintageKind: 'sampled',
  whole: true,
  recognise: ({ header, sheets = [{ head: { header } }] }) =>
    sheets.every(
      ({
        head: {
          header: [date, ...columns],
        },
      }) => date === 'DATE' && columns.length > 0 && columns.every((name) => vintageName.test(name)),
    ),
  async *read(file) {
    const inWorkbook = isWorkbook(await file.head());
    let ofQuarters: boolean | undefined;
    let variable: string | undefined;
    const table = await readVintageCsv(inWorkbook ? await onlySheet(file) : file, {
      column(name) {
        const column = variableColumn(file, name);
        variable ??= column.seriesId;
        if (column.seriesId === variable) return column;
        throw refusal(file, { row: 1, column: name }, `not a vintage of ${variable}, as the first column is`);
      },
      date(label) {
        const [, year, quarter, month] = /^(\d{4}):(?:Q([1-4])|(\d\d))$/.exec(label) ?? [];
        ofQuarters ??= quarter !== undefined;
        if (ofQuarters !== (quarter !== undefined)) return undefined;
        return dayOf(Number(year), quarter === undefined ? Number(month) : 3 * Number(quarter) - 2, 1);
      },
      dateForm: '1947:Q1 or 1947:01, in one form throughout',
    });
    // The publisher's workbooks write quarters as 1947:Q1.
    const title = realTimeVariables.get(variable ?? '')?.title;
    if (variable !== undefined && title !== undefined) yield { metadata: [{ seriesId: variable, title }] };
    const counted = !inWorkbook && ofQuarters !== true && countsQuarters(file, table, variable ?? '');
    const rows = counted ? table.rows.map((row) => ({ ...row, date: quarterOf(row.date) })) : table.rows;
    yield* vintageBatches(
      file,
      { ...table, rows },
      {
        withdrawals: missingTexts.realTimeDataSet,
        frequency: counted || ofQuarters === true ? 'Q' : 'M',
      },
    );
  },
};

async function onlySheet(file: SourceFile): Promise<SourceFile> {
  const [sheet, ...others] = await readSheets(file);
  if (sheet !== undefined && others.length === 0) return { ...sheet.csv, path: file.path };
  throw refusal(file, {}, `the workbook has ${others.length + 1} sheets; expected one`);
}

/** A variable and its vintage: `ROUTPUT65Q4`, `EMPLOY64M12`. */
const vintageName = /^(.+?)(\d\d)(?:Q([1-4])|M(\d{1,2}))$/i;

function variableColumn(file: SourceFile, name: string): Omit<VintageColumn, 'name'> {
  const [, prefix = '', digits = '', quarter, month] = vintageName.exec(name) ?? [];
  const seriesId = parseSeriesId(prefix);
  const year = Number(digits) + (Number(digits) >= 60 ? 1900 : 2000);
  const vintage = dayOf(year, quarter === undefined ? Number(month) : 3 * Number(quarter) - 1, 15);
  if (seriesId !== undefined && vintage !== undefined) return { seriesId, vintage };
  const reason = 'not a variable and its vintage, such as ROUTPUT65Q4 or EMPLOY64M12';
  throw refusal(file, { row: 1, column: name }, reason);
}

/**
 * Tells whether `1947:01` is a quarter: the rows count 01 to 04, then 01 again.
 * With too few rows to tell, the variable decides; throws for an unknown variable.
 */
function countsQuarters(file: SourceFile, { rows }: VintageTable, variable: string): boolean {
  const periods = rows.map(({ date }) => {
    const [year = 0, number = 0] = date.split('-').map(Number);
    return { year, number, place: 4 * year + number };
  });
  const [first] = periods;
  const isRun = periods.every(
    ({ number, place }, index) => number <= 4 && place === (first?.place ?? 0) + index,
  );
  if (!isRun) return false;
  const frequency = realTimeVariables.get(variable)?.frequency;
  if (periods.at(-1)?.year !== first?.year || frequency === 'Q') return true;
  if (frequency === 'M') return false;
  const reason =
    'this could be a month or a quarter, and the file is too short to decide it; write 1947:Q1 for quarters';
  throw refusal(file, { row: rows[0]?.row ?? 0, value: rows[0]?.date.slice(0, 7) ?? '' }, reason);
}

function quarterOf(date: string): string {
  const [year, number] = date.split('-').map(Number);
  return dayOf(year ?? 0, 3 * (number ?? 0) - 2, 1) ?? date;
}
