import type { Statement } from '../../../domain/series/revision-history.ts';
import type { SeriesMetadata } from '../../../domain/series/series.ts';
import { type Day, type KnownFrequency, later, monthNumber } from '../../../domain/values/date.ts';
import { entryOf } from '../../../domain/values/groups.ts';
import { parsePeriod, sdmxFrequency } from '../../../domain/values/period.ts';
import { counted, listed } from '../../../errors/wording.ts';
import { defined } from '../../../platform/defined.ts';
import { type FilePlace, refusal, type SourceFile } from '../../files/source-file.ts';
import { type Batch, readDay, readNumber, readSeriesId } from '../format.ts';

/** A vintage table of Eurostat. Each row is a series as published on its `revdate`. */
export type EurostatTable = {
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

export const revisionDate = 'revdate';

/** Finds the table of a file by its stated name, or by its dimensions; throws if a dimension is new or missing. */
export function tableOf(
  file: SourceFile,
  name: string | undefined,
  dimensions: readonly string[],
): EurostatTable {
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
export type Labels = {
  readonly table?: string | undefined;
  of(dimension: string, code: string): string | undefined;
};

const noLabels: Labels = { of: () => undefined };

type TableSeries = { readonly id: string; readonly frequency: KnownFrequency };

/** Turns the cells of a table into statements, and describes each series once. */
export class Cells {
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
  #statements: Statement[] = [];
  #last: Day = '';
  /** The vintage of the last figure in the file. */
  #latest: { readonly id: string; readonly asOf: Day } | undefined;

  constructor(file: SourceFile, table: EurostatTable, labels: Labels = noLabels) {
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
    const date = entryOf(this.#periods, `${frequency} ${period}`, () =>
      this.#start(period, frequency, place),
    );
    const { figure, flag } = cellIn(cell);
    if (figure === '') {
      if (flag !== '') this.#flags.set(flag, (this.#flags.get(flag) ?? 0) + 1);
      return;
    }
    const value = readNumber(this.#file, { ...place, value: figure }, [], ': (not available)');
    this.#statements.push({ seriesId: id, date, asOf, value });
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

  /** Takes the statements out if they are many. */
  *full(): Generator<Batch> {
    if (this.#statements.length >= batchSize) yield this.#taken();
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
    const batch = { metadata: this.#metadata, statements: this.#statements };
    this.#metadata = [];
    this.#statements = [];
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

  #start(value: string, frequency: KnownFrequency, place: FilePlace): Day {
    const period = parsePeriod(value);
    if (period?.frequency === frequency) return period.start;
    throw refusal(this.#file, { ...place, value }, `not a period of the frequency ${frequency}`);
  }
}

/** A vintage that ends long before an earlier one of its series, and where they end. */
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
