import type { Cell, Coverage, Envelope, Row } from './envelope.ts';
import { type Field, fieldKinds } from './field.ts';

/** Makes a row of the other form; its fields and their types are the same. */
type Convert = <R extends Row>(row: R) => R;

/** Makes rows as JSON has them, where days are date-times, out of rows as asof has them. */
export function toWire(fields: readonly Field[]): Convert {
  return converter(fields, 'toWire');
}

/** Makes rows as asof has them, where days are `YYYY-MM-DD`, out of the rows of an answer that was checked. */
export function fromWire(fields: readonly Field[]): Convert {
  return converter(fields, 'fromWire');
}

const coverageFields = ['first_vintage', 'last_vintage', 'first_date', 'covered_to'].map(
  (name): Field => ({ name, type: 'day', description: '' }),
);

/** What an envelope may hold besides its rows that differs on the wire. */
type Head = { readonly coverage?: Coverage };

/** Makes the members of an envelope other than its rows as JSON has them. */
export const headToWire = headConverter(toWire(coverageFields));

/** Makes the members of an envelope other than its rows as asof has them. */
export const headFromWire = headConverter(fromWire(coverageFields));

function headConverter(convert: Convert): <E extends Head>(envelope: E) => E {
  return (envelope) => {
    const { coverage } = envelope;
    return coverage === undefined ? envelope : { ...envelope, coverage: convert(coverage) };
  };
}

/** Makes an envelope as JSON has it, around rows with these fields. */
export function envelopeToWire(envelope: Envelope, fields: readonly Field[]): Envelope {
  return { ...headToWire(envelope), results: envelope.results.map(toWire(fields)) };
}

type CellChange = (cell: Cell) => Cell;

function converter(fields: readonly Field[], direction: 'fromWire' | 'toWire'): Convert {
  const changes: [name: string, change: CellChange][] = [];
  for (const field of fields) {
    const change = cellChange(field, direction);
    if (change !== undefined) changes.push([field.name, change]);
  }
  if (changes.length === 0) return (row) => row;
  return <R extends Row>(row: R): R => {
    const converted: R & Record<string, Cell> = { ...row };
    const cells: Record<string, Cell> = converted;
    for (const [name, change] of changes) {
      const cell = cells[name];
      if (cell !== undefined && cell !== null) cells[name] = change(cell);
    }
    return converted;
  };
}

/** How the cells of a field change; undefined where they are the same in both forms. */
function cellChange(field: Field, direction: 'fromWire' | 'toWire'): CellChange | undefined {
  if (field.fields !== undefined) {
    const convert = converter(field.fields, direction);
    return (cell) =>
      Array.isArray(cell) ? cell.map((entry) => (isRow(entry) ? convert(entry) : entry)) : cell;
  }
  const change = fieldKinds[field.type][direction];
  return change && ((cell) => (typeof cell === 'string' ? change(cell) : cell));
}

function isRow(cell: Cell): cell is Row {
  return typeof cell === 'object' && cell !== null && !Array.isArray(cell);
}
