import { type Day, dayOf, type Frequency, monthEnd, parseDay } from '../../../domain/series/date.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { cellsOf, headerOf } from '../../readers/csv.ts';
import type { ImportFormat, ReadOptions } from '../format.ts';
import {
  columnId,
  fredCells,
  readVintageCsv,
  unknownVintage,
  type VintageTable,
  vintageBatches,
} from '../vintage-table.ts';

/** McCracken and Ng's monthly panel, one vintage per file; its date is the last day of the month in the file name. */
export const fredMd: ImportFormat = panel({
  kind: 'fred-md',
  summary: 'FRED-MD monthly panel, one vintage per file, named 2015-01.csv',
  source: 'FRED-MD',
  frequency: 'M',
  secondRow: /^transform:?$/i,
});

/** Their quarterly panel; each quarter is dated by its last month. */
export const fredQd: ImportFormat = panel({
  kind: 'fred-qd',
  summary: 'FRED-QD quarterly panel, one vintage per file, named 2021-04.csv',
  source: 'FRED-QD',
  frequency: 'Q',
  secondRow: /^factors:?$/i,
});

type PanelKind = {
  readonly kind: string;
  readonly summary: string;
  readonly source: string;
  readonly frequency: Frequency;
  /** The first cell below `sasdate`, in which the two panels differ. */
  readonly secondRow: RegExp;
};

function panel({ kind, summary, source, frequency, secondRow }: PanelKind): ImportFormat {
  return {
    kind,
    summary,
    source,
    vintageKind: 'sampled',
    whole: true,
    takesAsOf: true,
    recognise: (head) =>
      headerOf(head)[0]?.toLowerCase() === 'sasdate' && secondRow.test(cellsOf(head, 1)[0] ?? ''),
    async *read(file, options) {
      const vintage = vintageOf(file, options);
      let shortYears = false;
      const table = await readVintageCsv(file, {
        column: (name) => ({ seriesId: columnId(file, name), vintage }),
        date: (text) => {
          const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d\d)$/.exec(text) ?? [];
          if (year === undefined) return text.endsWith('-01') ? parseDay(text) : undefined;
          shortYears = true;
          return Number(day) === 1 ? dayOf(fullYear(Number(year)), Number(month), 1) : undefined;
        },
        dateForm: 'M/D/YYYY, the first day of a month',
        dateOrder: 'M/D/YYYY',
        isNote: (label) => /^(?:factors|transform):?$/i.test(label),
      });
      if (shortYears) refuseDisorder(file, table);
      yield* vintageBatches(file, table, { ...fredCells, frequency });
    },
  };
}

/** The panels begin in 1959, so two-digit years from 59 are in the 1900s; `refuseDisorder` catches the exceptions. */
function fullYear(year: number): number {
  return year + (year >= 59 ? 1900 : 2000);
}

function refuseDisorder(file: SourceFile, { rows }: VintageTable): void {
  let before = '';
  for (const { row, date } of rows) {
    if (date < before) {
      const reason = `with two-digit years, dates must ascend; the row above has ${before}`;
      throw refusal(file, { row, value: date }, reason);
    }
    before = date;
  }
}

/** Published file names: `2015-01.csv`, `2024-12-md.csv`, `FRED-MD_2020m05.csv`. */
const fileMonth = /^(?:FRED-?[MQ]D[-_]?)?(\d{4})(?:-|m)(\d{1,2})(?:-?[mq]d?)?\.csv$/i;

function vintageOf(file: SourceFile, options: ReadOptions): Day {
  if (options.asOf !== undefined) return options.asOf;
  const [, year, month] = fileMonth.exec(file.name) ?? [];
  const first = dayOf(Number(year), Number(month), 1);
  if (first !== undefined) return monthEnd(first);
  throw unknownVintage(file, 'the file name is not the month of its vintage, such as 2015-01.csv');
}
