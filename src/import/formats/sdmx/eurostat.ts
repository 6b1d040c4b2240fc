import { publishers } from '../../../domain/series/publishers.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { type CsvRow, delimitedRows, linesOf, readCsvBody, textHead } from '../../readers/csv.ts';
import { otherWidth } from '../../readers/delimited.ts';
import type { ImportFormat } from '../format.ts';
import { readEurostatCube } from './eurostat-cube.ts';
import { Cells, type Labels, revisionDate, tableOf } from './eurostat-tables.ts';

/** The columns of SDMX-CSV that are not dimensions. */
const otherColumns = new Set([
  ...['STRUCTURE', 'STRUCTURE_ID', 'STRUCTURE_NAME', 'DATAFLOW', 'LAST UPDATE'],
  ...['TIME_PERIOD', 'OBS_VALUE', 'OBS_FLAG', 'CONF_STATUS'],
]);

/** One of the forms in which Eurostat gives a table. */
type Rendering = Pick<ImportFormat, 'recognise' | 'read'>;

/** SDMX-CSV: a line for each figure. */
const csv: Rendering = {
  recognise: ({ header, second }) =>
    header.includes('TIME_PERIOD') &&
    header.includes('OBS_VALUE') &&
    header.some((name, at) => /^(?:STRUCTURE_ID|DATAFLOW)$/.test(name) && /^ESTAT:/.test(second[at] ?? '')),
  async *read(file) {
    let cells: Cells | undefined;
    const words = new Map<string, string>();
    const labels: Labels = { of: (dimension, code) => words.get(`${dimension} ${code}`) };
    const form = { endsLines: true } as const;
    for await (const { header, rows } of readCsvBody(file, (row) => csvColumns(file, row), form)) {
      const { places, dimensions, isLabelled } = header;
      for (const { row, cells: own } of rows) {
        const text = (column: string) => own[places.get(column) ?? -1]?.trim() ?? '';
        if (cells === undefined) {
          const [, name] = /^ESTAT:(\w+)/.exec(text('STRUCTURE_ID') || text('DATAFLOW')) ?? [];
          const table = text('STRUCTURE_NAME') || undefined;
          cells = new Cells(file, tableOf(file, name, dimensions), { ...labels, table });
        }
        for (const dimension of isLabelled ? dimensions : [])
          words.set(`${dimension} ${text(dimension)}`, own[(places.get(dimension) ?? 0) + 1]?.trim() ?? '');
        const cell = `${text('OBS_VALUE') || ':'} ${text('OBS_FLAG')} ${text('CONF_STATUS')}`;
        const observed = { revdate: text(revisionDate), period: text('TIME_PERIOD'), cell };
        cells.add(cells.series(text, { row }), observed, { row });
      }
      if (cells !== undefined) yield* cells.full();
    }
    cells?.refuseShortEnd();
    if (cells !== undefined) yield* cells.end();
  },
};

/** Returns the places of columns; in a file with labels, each column has its labels in the next one. */
function csvColumns(file: SourceFile, { row, cells }: CsvRow) {
  const names = cells.map((cell) => cell.trim());
  const first = names.indexOf('STRUCTURE_NAME');
  const isLabelled = first !== -1;
  const places = new Map<string, number>();
  for (const [at, name] of names.entries()) {
    if (isLabelled && at > first && (at - first) % 2 === 0) continue;
    if (places.has(name)) throw refusal(file, { row, column: name }, 'this column appears twice');
    places.set(name, at);
  }
  const dimensions = [...places.keys()].filter((name) => !otherColumns.has(name));
  return { places, dimensions, isLabelled };
}

/** TSV: a row for each series and revision date, a column for each period. */
const tsv: Rendering = {
  recognise: ({ text }) => tsvHeader.test(linesOf(text, 1)[0] ?? ''),
  async *read(file) {
    let cells: Cells | undefined;
    let dimensions: readonly string[] = [];
    let periods: readonly string[] = [];
    // The file does not name its table, but its name may.
    const [name] = /ei_(?:na_q|lm_m|is_m)_vtg(?:fix)?/i.exec(file.name) ?? [];
    const form = { separator: '\t', quotes: 'none', endsLines: true } as const;
    for await (const rows of delimitedRows(file, form)) {
      for (const { row, cells: own } of rows) {
        const [key = '', ...values] = own;
        if (cells === undefined) {
          const [, names = ''] = tsvHeader.exec(`${key}\t`) ?? [];
          dimensions = names.toLowerCase().split(',');
          periods = values.map((period) => period.trim());
          cells = new Cells(file, tableOf(file, name, dimensions));
          continue;
        }
        if (values.length !== periods.length) throw otherWidth(file, row, own.length, periods.length + 1);
        const codes = key.trim().split(',');
        const code = (dimension: string) => codes[dimensions.indexOf(dimension)] ?? '';
        const series = cells.series(code, { row });
        const revdate = code(revisionDate);
        for (const [at, cell] of values.entries())
          if (cell !== ': ') {
            const period = periods[at] ?? '';
            cells.add(series, { revdate, period, cell }, { row, column: period });
          }
      }
      if (cells !== undefined) yield* cells.full();
    }
    if (cells === undefined) throw refusal(file, {}, 'the file is empty');
    yield* cells.end();
  },
};

/** The Data Browser writes the names in capitals. */
const tsvHeader = /^\uFEFF?(freq(?:,\w+)*)[\\/]TIME_PERIOD\t/i;

/** JSON-stat 2.0, the default of Eurostat's Statistics API. */
const json: Rendering = {
  recognise: ({ text }) =>
    /^\s*\{/.test(text) &&
    /"class"\s*:\s*"dataset"/.test(text) &&
    /"(?:source|agencyId)"\s*:\s*"ESTAT"/.test(text),
  async *read(file) {
    yield* (await readEurostatCube(file)).batches();
  },
};

const renderings = [json, csv, tsv];

/** A vintage table of Eurostat, or a part of it. */
export const eurostatTableFile: ImportFormat = {
  kind: 'eurostat-vintages',
  summary: ['vintage tables of Eurostat', ' (JSON-stat, SDMX-CSV with labels or without, TSV)'],
  source: publishers.eurostat.name,
  vintageKind: 'exact',
  recognise: (head) => renderings.some((one) => one.recognise(head)),
  async *read(file, options) {
    const head = textHead((await file.head()).toString('latin1'), file.name);
    const rendering = renderings.find((one) => one.recognise(head));
    if (rendering === undefined) throw refusal(file, {}, 'neither JSON-stat, SDMX-CSV nor TSV of Eurostat');
    yield* rendering.read(file, options);
  },
};
