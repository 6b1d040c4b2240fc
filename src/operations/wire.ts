import type { Day } from '../domain/values/date.ts';
import type { AnswerVintage, Cell, Coverage, Envelope, Row } from './envelope.ts';
import { type Field, fieldKinds } from './field.ts';

type Convert = <R extends Row>(row: R) => R;

/** Makes a function that converts rows to their form in JSON, where days are date-times. */
export function toWire(fields: readonly Field[]): Convert {
  return converter(fields, 'toWire');
}

/** Makes a function that converts rows of a checked answer to asof's form, where days are `YYYY-MM-DD`. */
export function fromWire(fields: readonly Field[]): Convert {
  return converter(fields, 'fromWire');
}

function dayFields(...names: readonly string[]): readonly Field[] {
  return names.map((name) => ({ name, type: 'day', description: '' }));
}

const days = {
  coverage: dayFields('first_vintage', 'last_vintage', 'first_date', 'covered_to'),
  vintage: dayFields('as_of_date'),
  envelope: dayFields('covered_to'),
};

type Head = {
  readonly coverage?: Coverage;
  readonly vintage?: AnswerVintage;
  readonly covered_to?: Day | null;
};

/** Converts the members of an envelope, other than its rows, to their form in JSON. */
export const headToWire = headConverter(toWire);

/** Converts the members of an envelope, other than its rows, to asof's form. */
export const headFromWire = headConverter(fromWire);

function headConverter(
  converterOf: (fields: readonly Field[]) => Convert,
): <E extends Head>(envelope: E) => E {
  const [ofCoverage, ofVintage] = [converterOf(days.coverage), converterOf(days.vintage)];
  const ofEnvelope = converterOf(days.envelope);
  return (envelope) => {
    const { coverage, vintage, covered_to } = envelope;
    return {
      ...envelope,
      ...(coverage !== undefined && { coverage: ofCoverage(coverage) }),
      ...(vintage !== undefined && { vintage: ofVintage(vintage) }),
      ...(covered_to !== undefined && ofEnvelope({ covered_to })),
    };
  };
}

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
