import { type Day, dayOf, type Frequency, monthEnd } from '../../../domain/series/date.ts';
import { cellsOf, headerOf } from '../../readers/csv-table.ts';
import { columnId, readVintageCsv, unknownVintage } from '../vintage-csv.ts';
import { type Format, type ReadOptions, refusal, type SourceFile } from '../format.ts';
import { fredCells, type VintageTable, vintageBatches } from '../vintage-table.ts';

/** McCracken and Ng's monthly panel: one vintage a file, known by the last day of the month in the file's name. */
export const fredMd: Format = panel({
  kind: 'fred-md',
  summary: 'FRED-MD monthly panels (2015-01.csv), one vintage a file',
  source: 'FRED-MD',
  frequency: 'M',
  secondRow: /^transform:?$/i,
});

/** The quarterly panel of the same hands; its quarters stand on their last month. */
export const fredQd: Format = panel({
  kind: 'fred-qd',
  summary: 'FRED-QD quarterly panels (2021-04.csv), one vintage a file',
  source: 'FRED-QD',
  frequency: 'Q',
  secondRow: /^factors:?$/i,
});

type Panel = {
  readonly kind: string;
  readonly summary: string;
  readonly source: string;
  readonly frequency: Frequency;
  /** The first cell under `sasdate`, by which the two panels differ. */
  readonly secondRow: RegExp;
};

function panel({ kind, summary, source, frequency, secondRow }: Panel): Format {
  return {
    kind,
    summary,
    source,
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
          const parts = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d\d)$/.exec(text);
          if (parts?.[3]?.length === 2) shortYears = true;
          return parts === null ? undefined : dayOf(fullYear(parts[3]), Number(parts[1]), Number(parts[2]));
        },
        dateForm: 'M/D/YYYY',
        isNote: (label) => /^(?:factors|transform):?$/i.test(label),
      });
      if (shortYears) refuseDisorder(file, table);
      yield* vintageBatches(file, table, { ...fredCells, frequencyOf: () => frequency });
    },
  };
}

/** The panels begin in 1959, so 59..99 are of the last century; `refuseDisorder` catches where that fails. */
function fullYear(text = ''): number {
  if (text.length !== 2) return Number(text);
  return Number(text) + (Number(text) >= 59 ? 1900 : 2000);
}

function refuseDisorder(file: SourceFile, { rows }: VintageTable): void {
  let before = '';
  for (const { row, date } of rows) {
    if (date < before) {
      const reason = `with two-digit years, dates must rise from row to row; ${before} stands above`;
      throw refusal(file, { row, value: date }, reason);
    }
    before = date;
  }
}

/** The names that these panels have had: `2015-01.csv`, `2024-12-md.csv`, `FRED-MD_2020m05.csv`. */
const fileMonth = /^(?:FRED-?[MQ]D[-_]?)?(\d{4})(?:-|m)(\d{1,2})(?:-?[mq]d?)?\.csv$/i;

function vintageOf(file: SourceFile, options: ReadOptions): Day {
  if (options.asOf !== undefined) return options.asOf;
  const [, year, month] = fileMonth.exec(file.name) ?? [];
  const first = dayOf(Number(year), Number(month), 1);
  if (first !== undefined) return monthEnd(first);
  throw unknownVintage(file, 'the file name is not the month of its vintage, such as 2015-01.csv');
}
