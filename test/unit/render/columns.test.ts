import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import { selectColumns } from '../../../src/render/columns.ts';
import { field } from '../../support/rows.ts';

const fields = [field('date', 'day'), field('value', 'decimal'), field('unit'), field('note')];
const defaults = ['date', 'value', 'unit'];

function problemOf(action: () => unknown): Problem {
  try {
    action();
  } catch (error) {
    if (error instanceof Problem) return error;
  }
  throw new Error('there was no Problem');
}

describe('the columns of an output', () => {
  it('are the defaults in their order, if none are chosen', () => {
    const columns = selectColumns(fields, defaults);
    expect(columns.fields.map(({ name }) => name)).toEqual(defaults);
    expect(columns.chosen).toBe(false);
  });

  it('are the chosen ones in their order, including columns beyond the defaults', () => {
    const columns = selectColumns(fields, defaults, ['note', ' date']);
    expect(columns.fields).toEqual([field('note'), field('date', 'day')]);
    expect(columns.chosen).toBe(true);
  });

  it('are all of them by the name all, unless a column has that name', () => {
    const columns = selectColumns(fields, defaults, ['all']);
    expect(columns.fields).toEqual(fields);
    expect(columns.chosen).toBe(true);
    const own = [...fields, field('all')];
    expect(selectColumns(own, defaults, ['all']).fields).toEqual([field('all')]);
    expect(problemOf(() => selectColumns(fields, defaults, ['all', 'date'])).detail).toContain("'all'");
  });

  it('refuse an unknown name, with the list of columns and the likely one', () => {
    const problem = problemOf(() => selectColumns(fields, defaults, ['date', 'valu']));
    expect(problem.kind).toBe('bad-input');
    expect(problem.field).toBe('columns');
    expect(problem.detail).toBe("unknown column 'valu': the columns are date, value, unit, note");
    expect(problem.hints).toEqual(['did you mean value?']);
  });

  it('refuse a name that resembles none, without a hint', () => {
    const problem = problemOf(() => selectColumns(fields, defaults, ['']));
    expect(problem.detail).toBe("unknown column '': the columns are date, value, unit, note");
    expect(problem.hints).toEqual([]);
  });

  it('refuse a name that is given twice', () => {
    const problem = problemOf(() => selectColumns(fields, defaults, ['unit', 'unit']));
    expect(problem.kind).toBe('bad-input');
    expect(problem.detail).toBe("column 'unit' is named twice");
  });
});
