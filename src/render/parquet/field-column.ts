import type { ColumnSource } from 'hyparquet-writer';
import { dayNumber } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { Cell, Row } from '../../operations/envelope.ts';
import { type Field, type FieldKind, fieldKinds } from '../../operations/field.ts';
import { toWire } from '../../operations/wire.ts';
import { type KeptCell, optional, type ParquetColumn } from './column.ts';
import { DecimalColumn } from './decimal.ts';

/** Makes the column of a field. Its type follows from the field alone, so that files with different rows fit together. */
export function parquetColumn({ name, type, fields = [] }: Field): ParquetColumn {
  const column = columns[fieldKinds[type].parquet](name, toWire(fields));
  // In the contract an empty text means unknown, as for a unit.
  const isMissing = (cell: Cell | undefined) => cell === undefined || cell === null || cell === '';
  return {
    keep: (cell) => (isMissing(cell) ? null : column.keep(cell)),
    elements: () => column.elements(),
    stored: (kept) => column.stored(kept),
  };
}

const columns: Readonly<
  Record<FieldKind['parquet'], (name: string, wire: (record: Row) => Row) => ParquetColumn>
> = {
  DECIMAL: (name) => new DecimalColumn(name),
  DATE: (name) => ({
    keep: (cell) => (isDay(cell) ? dayNumber(cell) : misfit(name, cell, 'a day without a time')),
    elements: () => [
      optional(name, { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }),
    ],
    stored: asKept,
  }),
  INT64: (name) => ({
    keep: (cell) => (Number.isSafeInteger(cell) ? Number(cell) : misfit(name, cell, 'an integer')),
    elements: () => [optional(name, { type: 'INT64' })],
    stored: (kept) => kept.map((number) => (number === null ? null : BigInt(Number(number)))),
  }),
  BOOLEAN: (name) => ({
    keep: (cell) => (typeof cell === 'boolean' ? cell : misfit(name, cell, 'true or false')),
    elements: () => [optional(name, { type: 'BOOLEAN' })],
    stored: asKept,
  }),
  STRING: (name) => ({ keep: textOf, elements: () => [textElement(name)], stored: asKept }),
  LIST: (name, wire) => ({
    keep: (cell) =>
      Array.isArray(cell)
        ? cell.map((entry) => (entry === null ? null : entryText(entry, wire)))
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

/** A text unchanged; a record of a list as its JSON. */
function entryText(entry: Cell, wire: (record: Row) => Row): string {
  return isRecord(entry) ? JSON.stringify(wire(entry)) : textOf(entry);
}

function isRecord(entry: Cell): entry is Row {
  return typeof entry === 'object' && entry !== null && !Array.isArray(entry);
}

function textOf(cell: Cell | undefined): string {
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

function isDay(cell: Cell | undefined): cell is string {
  return typeof cell === 'string' && /^\d{4}-\d\d-\d\d$/.test(cell);
}

function misfit(name: string, cell: Cell | undefined, type: string): never {
  const text = JSON.stringify(cell ?? null);
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  throw new Problem('bad-input', `column '${name}' has ${shown}, and Parquet would hold ${type}`, {
    hints: ['-f csv writes it as it is; --columns leaves it out'],
  });
}
