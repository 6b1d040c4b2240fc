import { publishers } from '../../../domain/series/publishers.ts';
import type { SeriesMetadata } from '../../../domain/series/series.ts';
import { Statements } from '../../../domain/series/statements.ts';
import { type Day, type KnownFrequency, later, monthNumber } from '../../../domain/values/date.ts';
import { entryOf } from '../../../domain/values/groups.ts';
import { parsePeriod, sdmxFrequency } from '../../../domain/values/period.ts';
import { counted, listed } from '../../../errors/wording.ts';
import { defined } from '../../../platform/defined.ts';
import { type FilePlace, refusal, type SourceFile } from '../../files/source-file.ts';
import { type CsvRow, delimitedRows } from '../../readers/cells.ts';
import { linesOf, readCsvBody, textHead } from '../../readers/csv.ts';
import { otherWidth } from '../../readers/delimited.ts';
import {
  fieldOf,
  isJsonObject,
  jsonText,
  readJsonObject,
  textField,
  type UncheckedObject,
} from '../../readers/json.ts';
import { type Batch, type ImportFormat, readDay, readNumber, readSeriesId } from '../format.ts';

/** The columns of SDMX-CSV that are not dimensions. */
const otherColumns = new Set([
  ...['STRUCTURE', 'STRUCTURE_ID', 'STRUCTURE_NAME', 'DATAFLOW', 'LAST UPDATE'],
  ...['TIME_PERIOD', 'OBS_VALUE', 'OBS_FLAG', 'CONF_STATUS'],
]);

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
        if (values.length !== periods.length)
          throw otherWidth(file, row, own.length, { ...form, width: periods.length + 1 });
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

/** A vintage table of Eurostat. Each row is a series as published on its `revdate`. */
type EurostatTable = {
  readonly name: string;
  readonly title: string;
  /** The table with the vintages of the same series before 2021. */
  readonly before?: string;
  /** The dimensions in the ids of series, in order; the table also has `revdate` and the period. */
  readonly dimensions: readonly string[];
  /** Periods of the table by which its series are listed, and those of the one before. */
  readonly periods: readonly [now: readonly string[], before?: readonly string[]];
};

/** Lists a period of every fifth year; each series has figures for more than five years. */
function everyFifthYear(period: string, last: number): readonly string[] {
  const first = 1995;
  return Array.from({ length: (last - first) / 5 + 1 }, (_, at) => `${first + 5 * at}-${period}`);
}

/** The vintage tables of Eurostat, by name. */
export const eurostatTables: readonly EurostatTable[] = [
  {
    name: 'EI_IS_M_VTG',
    title: 'Industrial production by country, monthly, vintages since 2001',
    before: 'EI_IS_M_VTGFIX',
    dimensions: ['freq', 's_adj', 'nace_r2', 'unit', 'geo'],
    periods: [everyFifthYear('10', 2025), everyFifthYear('10', 2020)],
  },
  {
    name: 'EI_LM_M_VTG',
    title: 'Unemployment by country, monthly, vintages since 2001',
    before: 'EI_LM_M_VTGFIX',
    dimensions: ['freq', 'unit', 's_adj', 'sex', 'age', 'geo'],
    periods: [everyFifthYear('10', 2025), everyFifthYear('10', 2020)],
  },
  {
    name: 'EI_NA_Q_VTG',
    title: 'Gross domestic product of the euro area and the EU, quarterly, vintages since 2014',
    dimensions: ['freq', 's_adj', 'unit', 'geo'],
    periods: [everyFifthYear('Q4', 2025)],
  },
];

/** Finds a table by its name, or by that of the table before it, in any case. */
export function eurostatTable(name: string): EurostatTable | undefined {
  const wanted = name.toUpperCase();
  return eurostatTables.find((table) => table.name === wanted || table.before === wanted);
}

const revisionDate = 'revdate';

/** Finds the table of a file by its stated name, or by its dimensions; throws if a dimension is new or missing. */
function tableOf(file: SourceFile, name: string | undefined, dimensions: readonly string[]): EurostatTable {
  const tables = eurostatTables.map((table) => table.name).join(', ');
  if (!dimensions.includes(revisionDate)) {
    const reason = `${name ?? 'this table'} has no column revdate, so it has no vintages; asof reads ${tables}`;
    throw refusal(file, {}, reason);
  }
  const own = dimensions.filter((dimension) => dimension !== revisionDate);
  const isComplete = (table: EurostatTable) => [...table.dimensions].sort().join() === [...own].sort().join();
  const table = name === undefined ? eurostatTables.find(isComplete) : eurostatTable(name);
  if (table === undefined) {
    const what = name ?? `a table by ${own.join(', ')}`;
    throw refusal(file, {}, `${what} is not a vintage table that asof knows: ${tables}`);
  }
  const added = own.filter((dimension) => !table.dimensions.includes(dimension));
  const missing = table.dimensions.filter((dimension) => !own.includes(dimension));
  const changes = [
    ...(added.length === 0 ? [] : [`a new dimension ${listed(added, 'and')}`]),
    ...(missing.length === 0 ? [] : [`no dimension ${listed(missing, 'and')}`]),
  ];
  if (changes.length === 0) return table;
  const reason = `${table.name} has ${changes.join(' and ')}: its series would need other ids`;
  throw refusal(file, {}, reason, ['the source may have changed; a newer asof may read it']);
}

/** What a file says in words; nothing without labels. */
type Labels = {
  readonly table?: string | undefined;
  of(dimension: string, code: string): string | undefined;
};

type TableSeries = { readonly id: string; readonly frequency: KnownFrequency };

/** Turns the cells of a table into statements, and describes each series once. */
class Cells {
  readonly #file: SourceFile;
  readonly #table: EurostatTable;
  readonly #labels: Labels;
  readonly #series = new Map<string, TableSeries>();
  readonly #days = new Map<string, Day>();
  readonly #periods = new Map<string, Day>();
  /** The flags of cells without a figure, and their number. */
  readonly #flags = new Map<string, number>();
  /** The last date of each vintage, by series and revision date. */
  readonly #ends = new Map<string, Map<Day, Day>>();
  #metadata: SeriesMetadata[] = [];
  readonly #statements = new Map<string, Statements>();
  /** The number of cells in the statements. */
  #count = 0;
  #last: Day = '';
  /** The vintage of the last figure in the file. */
  #latest: { readonly id: string; readonly asOf: Day } | undefined;

  constructor(file: SourceFile, table: EurostatTable, labels: Labels = { of: () => undefined }) {
    this.#file = file;
    this.#table = table;
    this.#labels = labels;
  }

  /** Returns the series that has a code in each dimension; throws for a code that cannot be part of an id. */
  series(codeOf: (dimension: string) => string, place: FilePlace): TableSeries {
    const codes = this.#table.dimensions.map(codeOf);
    const key = codes.join('.');
    return entryOf(this.#series, key, () => this.#described(key, codes, place));
  }

  /** Adds a cell; one without a figure states nothing, because Eurostat does not say that it took a figure back. */
  add(
    { id, frequency }: TableSeries,
    { revdate, period, cell }: { readonly revdate: string; readonly period: string; readonly cell: string },
    place: FilePlace,
  ): void {
    const asOf = entryOf(this.#days, revdate, () =>
      readDay(this.#file, { ...place, column: revisionDate, value: revdate }),
    );
    const date = entryOf(this.#periods, `${frequency} ${period}`, () => {
      const found = parsePeriod(period);
      if (found?.frequency === frequency) return found.start;
      const reason = `not a period of the frequency ${frequency}`;
      throw refusal(this.#file, { ...place, value: period }, reason);
    });
    const { figure, flag } = cellIn(cell);
    if (figure === '') {
      if (flag !== '') this.#flags.set(flag, (this.#flags.get(flag) ?? 0) + 1);
      return;
    }
    const value = readNumber(this.#file, { ...place, value: figure }, [], ': (not available)');
    entryOf(this.#statements, id, () => new Statements(id)).add(date, asOf, value);
    this.#count += 1;
    if (asOf > this.#last) this.#last = asOf;
    const ends = entryOf(this.#ends, id, () => new Map<Day, Day>());
    ends.set(asOf, later(date, ends.get(asOf) ?? ''));
    this.#latest = { id, asOf };
  }

  /** Throws a refusal if the last vintage in the file is short: a cut between two figures leaves it so. */
  refuseShortEnd(): void {
    const cut = this.#shortVintages().find(
      ({ id, asOf }) => id === this.#latest?.id && asOf === this.#latest.asOf,
    );
    if (cut === undefined) return;
    const reason = `${described(cut)}, so the file is probably cut short`;
    throw refusal(this.#file, {}, reason, [
      'download it again, or as JSON-stat, which cannot be cut unnoticed',
    ]);
  }

  /** Lists the vintages that end long before an earlier one of their series. */
  #shortVintages(): readonly ShortVintage[] {
    return Array.from(this.#ends, ([id, ends]) => {
      let before: Day = '';
      return [...ends].sort().flatMap(([asOf, end]) => {
        const isShort = before !== '' && monthNumber(before) - monthNumber(end) > longestLoss;
        const short = { id, asOf, end, before };
        before = later(before, end);
        return isShort ? [short] : [];
      });
    }).flat();
  }

  *full(): Generator<Batch> {
    if (this.#count >= batchSize) yield this.#taken();
  }

  /** Yields the rest, and how far it goes: a table has the vintages of all its series up to its last one. */
  *end(last = this.#last): Generator<Batch> {
    const rest = this.#taken();
    if (this.#last === '') throw refusal(this.#file, {}, 'the table has no figures');
    const coverage = Array.from(this.#series.values(), ({ id }) => ({ seriesId: id, coveredTo: last }));
    const notes = Array.from(this.#flags, ([flag, count]) => {
      const cells = counted(count, 'cell');
      return `${cells} without a figure, with the flag ${flag}: no statement, so an earlier figure stands`;
    });
    const [short, ...others] = this.#shortVintages();
    if (short !== undefined) {
      const more = others.length === 0 ? '' : `, and ${counted(others.length, 'vintage')} more`;
      notes.push(`${described(short)}${more}: earlier figures stand for the rest`);
    }
    yield { ...rest, coverage, notes };
  }

  #taken(): Batch {
    const batch = { metadata: this.#metadata, statements: [...this.#statements.values()] };
    this.#metadata = [];
    this.#statements.clear();
    this.#count = 0;
    return batch;
  }

  #described(key: string, codes: readonly string[], place: FilePlace): TableSeries {
    const { name, dimensions } = this.#table;
    const code = (dimension: string) => codes[dimensions.indexOf(dimension)] ?? '';
    for (const [index, text] of codes.entries()) {
      if (/^[\w-]+$/.test(text)) continue;
      const column = dimensions[index] ?? '';
      const reason = 'not a code: download the table with codes, or with codes and labels';
      throw refusal(this.#file, { ...place, column, value: text }, reason);
    }
    const frequency = sdmxFrequency(code('freq'));
    if (frequency === undefined) {
      const reason = 'not a code of a frequency, such as Q or M';
      throw refusal(this.#file, { ...place, column: 'freq', value: code('freq') }, reason);
    }
    const id = readSeriesId(this.#file, { ...place, value: eurostatId(`${name}.${key}`) });
    const words = (dimension: string) => this.#labels.of(dimension, code(dimension));
    const parts = dimensions.filter(
      (dimension) => !isDescribed.has(dimension) && !/^T(?:OTAL)?$/.test(code(dimension)),
    );
    const table = this.#labels.table?.replace(/\s+/g, ' ').replace(/ - vintages\b.*$/i, '');
    const subject = [...['geo', ...parts].flatMap((part) => words(part) ?? [])].map(withoutMembers);
    this.#metadata.push({
      ...{ seriesId: id, frequency, seasonalAdjustment: code('s_adj') },
      ...defined({ units: words('unit'), title: table && [table, subject.join(', ')].join(': ') }),
    });
    return { id, frequency };
  }
}

type ShortVintage = { readonly id: string; readonly asOf: Day; readonly end: Day; readonly before: Day };

/** In months. Eurostat revises a series as a whole, so a vintage goes on at least where an earlier one ended. */
const longestLoss = 24;

function described({ id, asOf, end, before }: ShortVintage): string {
  return `${id} as of ${asOf} ends with ${end}, and an earlier vintage with ${before}`;
}

const batchSize = 5000;

/** Splits a cell into its figure, empty if there is none, and its flags: `1234.5 p`, `: c`, `:C`, `: @C`. */
function cellIn(text: string): { readonly figure: string; readonly flag: string } {
  const [, figure = '', flag = ''] = /^\s*(:|[^\s:]*)(.*)$/s.exec(text) ?? [];
  return { figure: figure === ':' ? '' : figure, flag: flag.replace(/[@|\s]+/g, '') };
}

/** The dimensions that the title of a series does not repeat. */
const isDescribed = new Set(['freq', 's_adj', 'unit', 'geo']);

/** Returns the id of the series with a key that begins with the name of its table. */
export function eurostatId(key: string): string {
  return `ESTAT:${key}`.toUpperCase();
}

/** Says that an area changes, where Eurostat lists its members by year; the list grows from year to year. */
function withoutMembers(label: string): string {
  return label.replace(/ \((?:E[AU]\d+-\d{4}(?:, )?)+\)/, ' (changing composition)');
}

/** Reads a table in JSON-stat; throws for a dimension that is new or missing, and for a table without vintages. */
export async function readEurostatCube(file: SourceFile) {
  const cube = await readJsonObject(file, 'texts');
  const extension = fieldOf(file, cube, 'extension', isJsonObject);
  const name = textField(file, extension, 'id').toUpperCase();
  const ids = fieldOf(file, cube, 'id', isTexts);
  const sizes = fieldOf(file, cube, 'size', isTexts).map(Number);
  const dimensionIds = ids.filter((id) => id !== 'time');
  const table = tableOf(file, name, dimensionIds);
  const all = fieldOf(file, cube, 'dimension', isJsonObject);
  const dimensions = ids.map((id, at) => readDimension(file, all, id, sizes[at]));
  const strides = sizes.map((_, at) => sizes.slice(at + 1).reduce((product, size) => product * size, 1));
  const total = sizes.reduce((product, size) => product * size, 1);
  const codeAt = (index: number, id: string): string => {
    const at = ids.indexOf(id);
    return dimensions[at]?.codes[Math.floor(index / (strides[at] ?? 1)) % (sizes[at] ?? 1)] ?? '';
  };
  const cells = function* (): Generator<readonly [index: number, cell: string]> {
    const [value, status] = ['value', 'status'].map((field) => entriesIn(file, cube, field));
    for (const [index, text] of value ?? []) yield [index, `${text} ${status?.get(index) ?? ''}`];
    for (const [index, text] of status ?? []) if (value?.has(index) !== true) yield [index, `: ${text}`];
  };
  const labels: Labels = {
    table: textField(file, cube, 'label'),
    of: (id, code) => dimensions[ids.indexOf(id)]?.labels[code]?.toString(),
  };
  const lastRevision = dimensions[ids.indexOf(revisionDate)]?.codes.reduce(later, '') ?? '';
  const indexes = () => Array.from(cells(), ([index]) => index);
  return {
    /** The name of the table, which may be the one before. */
    name,
    /** When Eurostat last changed the table, ISO 8601. */
    updated: textField(file, cube, 'updated'),
    /** The newest vintage of any series in the table. */
    lastRevision,
    /** Lists the keys of series that have a figure. */
    keys: (): ReadonlySet<string> =>
      new Set(indexes().map((index) => table.dimensions.map((id) => codeAt(index, id)).join('.'))),
    /** Lists the codes of dimensions, each as `geo=UK`, without a figure in this part. */
    unused: (): readonly string[] =>
      table.dimensions.flatMap((id) => {
        const used = new Set(indexes().map((index) => codeAt(index, id)));
        const { codes = [] } = dimensions[ids.indexOf(id)] ?? {};
        return codes.filter((code) => !used.has(code)).map((code) => `${id}=${code}`);
      }),
    *batches(): Generator<Batch> {
      const found = new Cells(file, table, labels);
      for (const [index, cell] of cells()) {
        const place = { column: 'value', value: String(index) };
        if (!(index < total)) throw refusal(file, place, `outside of the ${total} cells of the table`);
        const observed = { revdate: codeAt(index, revisionDate), period: codeAt(index, 'time'), cell };
        const series = found.series((id) => codeAt(index, id), place);
        found.add(series, observed, place);
        yield* found.full();
      }
      yield* found.end(lastRevision);
    },
  };
}

type Dimension = { readonly codes: readonly string[]; readonly labels: UncheckedObject };

function readDimension(
  file: SourceFile,
  all: UncheckedObject,
  id: string,
  size: number | undefined,
): Dimension {
  const dimension = fieldOf(file, all, id, isJsonObject);
  const { index, label } = fieldOf(file, dimension, 'category', isJsonObject);
  const places = isJsonObject(index) ? Object.entries(index) : [];
  const codes = Array.isArray(index) ? index.map(String) : [];
  for (const [code, place] of places) codes[Number(place)] = code;
  if (codes.length !== size || codes.includes(undefined as never)) {
    const reason = `the dimension has ${codes.length} codes, and the size ${size}`;
    throw refusal(file, { column: id }, reason);
  }
  return { codes, labels: isJsonObject(label) ? label : {} };
}

/** Reads values or statuses by the index of their cell; JSON-stat writes a list or an object. */
function entriesIn(file: SourceFile, cube: UncheckedObject, field: string): ReadonlyMap<number, string> {
  const { [field]: all = {} } = cube;
  if (typeof all !== 'object' || all === null)
    throw refusal(file, { column: field, value: jsonText(all) }, 'neither a list nor an object');
  const entries = Object.entries(all).filter(([, text]) => text !== null);
  return new Map(entries.map(([index, text]) => [Number(index), String(text)]));
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
