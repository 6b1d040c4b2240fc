import type { Cell, Envelope, Row } from './envelope.ts';
import { type Field, fieldKinds } from './field.ts';

type Convert = <R extends object>(row: R) => R;

/** Makes a function that converts rows to their form in JSON, where days are date-times. */
export function toWire(fields: readonly Field[]): Convert {
  return converter(fields, 'toWire');
}

/** Makes a function that converts rows of a checked answer to asof's form, where days are `YYYY-MM-DD`. */
export function fromWire(fields: readonly Field[]): Convert {
  return converter(fields, 'fromWire');
}

function days(...names: readonly string[]): readonly Field[] {
  return names.map((name) => ({ name, type: 'day', description: '' }));
}

function member(name: string, fields: readonly Field[]): Field {
  return { name, type: 'records', description: '', fields };
}

const head: readonly Field[] = [
  member('coverage', days('first_vintage', 'last_vintage', 'first_date', 'covered_to')),
  member('vintage', days('as_of_date')),
  ...days('covered_to'),
];

/** Converts the members of an envelope, other than its rows, to their form in JSON. */
export const headToWire = toWire(head);

/** Converts the members of an envelope, other than its rows, to asof's form. */
export const headFromWire = fromWire(head);

/** Converts an envelope with rows of these fields to its form in JSON. */
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
  return <R extends object>(row: R): R => {
    const converted = { ...row } as R & Record<string, Cell | undefined>;
    const cells: Record<string, Cell | undefined> = converted;
    for (const [name, change] of changes) {
      const cell = cells[name];
      if (cell !== undefined && cell !== null) cells[name] = change(cell);
    }
    return converted;
  };
}

function cellChange(field: Field, direction: 'fromWire' | 'toWire'): CellChange | undefined {
  if (field.fields !== undefined) {
    const convert = converter(field.fields, direction);
    const converted = (cell: Cell) => (isRow(cell) ? convert(cell) : cell);
    return (cell) => (Array.isArray(cell) ? cell.map(converted) : converted(cell));
  }
  const change = fieldKinds[field.type][direction];
  return change && ((cell) => (typeof cell === 'string' ? change(cell) : cell));
}

function isRow(cell: Cell): cell is Row {
  return typeof cell === 'object' && cell !== null && !Array.isArray(cell);
}
