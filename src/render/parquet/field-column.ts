import type { ColumnSource } from 'hyparquet-writer';
import { dayNumber } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { Cell } from '../../operations/envelope.ts';
import type { Field, FieldType } from '../../operations/operation.ts';
import { type KeptCell, optional, type ParquetColumn } from './column.ts';
import { DecimalColumn } from './decimal.ts';

/** Makes the column of a field. Its type follows from the field alone, so that files with different rows fit together. */
export function parquetColumn({ name, type }: Field): ParquetColumn {
  const column = kinds[type](name);
  // In the contract an empty text means unknown, as for a unit.
  const isMissing = (cell: Cell | undefined) => cell === undefined || cell === null || cell === '';
  return {
    keep: (cell) => (isMissing(cell) ? null : column.keep(cell)),
    elements: () => column.elements(),
    stored: (kept) => column.stored(kept),
  };
}

const kinds: Readonly<Record<FieldType, (name: string) => ParquetColumn>> = {
  decimal: (name) => new DecimalColumn(name),
  day: (name) => ({
    keep: (cell) => (isDay(cell) ? dayNumber(cell) : misfit(name, cell, 'a day without a time')),
    elements: () => [
      optional(name, { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }),
    ],
    stored: asKept,
  }),
  integer: (name) => ({
    keep: (cell) => (Number.isSafeInteger(cell) ? Number(cell) : misfit(name, cell, 'an integer')),
    elements: () => [optional(name, { type: 'INT64' })],
    stored: (kept) => kept.map((number) => (number === null ? null : BigInt(Number(number)))),
  }),
  boolean: (name) => ({
    keep: (cell) => (typeof cell === 'boolean' ? cell : misfit(name, cell, 'true or false')),
    elements: () => [optional(name, { type: 'BOOLEAN' })],
    stored: asKept,
  }),
  text: (name) => ({ keep: textOf, elements: () => [textElement(name)], stored: asKept }),
  list: (name) => ({
    keep: (cell) =>
      Array.isArray(cell)
        ? cell.map((entry) => (entry === null ? null : textOf(entry)))
        : misfit(name, cell, 'a list'),
    elements: () => [
      optional(name, { converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1 }),
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      textElement('element'),
    ],
    stored: asKept,
  }),
};

function textElement(name: string) {
  return optional(name, { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } });
}

function asKept(kept: readonly KeptCell[]): ColumnSource['data'] {
  return [...kept];
}

/** A text unchanged; an object in a list as JSON. */
function textOf(cell: Cell | undefined): string {
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

function isDay(cell: Cell | undefined): cell is string {
  return typeof cell === 'string' && /^\d{4}-\d\d-\d\d(T00:00:00Z)?$/.test(cell);
}

function misfit(name: string, cell: Cell | undefined, type: string): never {
  const text = JSON.stringify(cell ?? null);
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  throw new Problem('bad-input', `column '${name}' has ${shown}, and Parquet would hold ${type}`, {
    hints: ['-f csv writes it as it is; --columns leaves it out'],
  });
}
