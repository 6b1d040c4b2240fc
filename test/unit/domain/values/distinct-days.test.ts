import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DayColumn, DistinctDays } from '../../../../src/domain/values/distinct-days.ts';

const days = fc.array(fc.constantFrom('2015-01-30', '2014-12-31', '2015-02-27', '1947-01-01', '2015-01-31'), {
  maxLength: 40,
});

function columnOf(cells: readonly string[], all = new DistinctDays()): DayColumn {
  const column = new DayColumn(all);
  for (const day of cells) column.push(day);
  return column;
}

function cellsOf(column: DayColumn): readonly string[] {
  return Array.from({ length: column.length }, (_, index) => column.at(index));
}

const monthOf = (day: string): string => `${day.slice(0, 7)}-01`;

describe('a column of days', () => {
  it('has the cells, distinct days and ranks of a list of days', () => {
    fc.assert(
      fc.property(days, days, (others, cells) => {
        const all = new DistinctDays();
        columnOf(others, all);
        const column = columnOf(cells, all);
        expect(cellsOf(column)).toEqual(cells);
        expect(new Set(column.distinct())).toEqual(new Set(cells));
        for (const convert of [(day: string) => day, monthOf]) {
          const ascending = [...new Set(cells.map(convert))].sort();
          const ranks = cells.map((day) => ascending.indexOf(convert(day)));
          expect(column.ranked(convert)).toEqual({ days: ascending, ranks: Uint32Array.from(ranks) });
        }
      }),
    );
  });

  it('appends a part of another column, whether the days are shared or not', () => {
    fc.assert(
      fc.property(days, days, fc.nat(40), fc.nat(40), fc.boolean(), (cells, others, one, two, areShared) => {
        const all = new DistinctDays();
        const column = columnOf(cells, all);
        const [from, to] = [Math.min(one, two, others.length), Math.min(Math.max(one, two), others.length)];
        column.append(columnOf(others, areShared ? all : new DistinctDays()), from, to);
        expect(cellsOf(column)).toEqual([...cells, ...others.slice(from, to)]);
      }),
    );
  });

  it('keeps the ranks of two columns of the same days apart', () => {
    const all = new DistinctDays();
    const [dates, asOf] = [
      columnOf(['2014-10-01', '2014-07-01'], all),
      columnOf(['2015-01-30', '2015-01-30'], all),
    ];
    expect(asOf.ranked().ranks).toEqual(Uint32Array.of(0, 0));
    expect(dates.ranked().ranks).toEqual(Uint32Array.of(1, 0));
    expect(dates.cellsAt(Uint32Array.of(1, 0))).toEqual(['2014-07-01', '2014-10-01']);
  });
});
