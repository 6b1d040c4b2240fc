import { dayNumber } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { Cell, Row } from '../../operations/envelope.ts';
import { type Field, type FieldKind, fieldKinds } from '../../operations/field.ts';
import { toWire } from '../../operations/wire.ts';
import { optional, type ParquetColumn } from './column.ts';
import { decimalColumn } from './decimal.ts';

/** Makes the column of a field. Its type follows from the field alone, so that files with different rows fit together. */
export function parquetColumn({ name, type, fields = [] }: Field): ParquetColumn {
  const { elements, stored } = columns[fieldKinds[type].parquet](name, toWire(fields));
  // In the contract an empty text means unknown, as for a unit.
  const isMissing = (cell: Cell | undefined) => cell === undefined || cell === null || cell === '';
  return { elements, stored: (cell) => (isMissing(cell) ? null : stored(cell)) };
}

const columns: Readonly<
  Record<FieldKind['parquet'], (name: string, wire: (record: Row) => Row) => ParquetColumn>
> = {
  DECIMAL: decimalColumn,
  DATE: (name) => ({
    elements: [optional(name, { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } })],
    stored: (cell) => (isDay(cell) ? dayNumber(cell) : misfit(name, cell, 'a day without a time')),
  }),
  INT64: (name) => ({
    elements: [optional(name, { type: 'INT64' })],
    stored: (cell) => (Number.isSafeInteger(cell) ? BigInt(Number(cell)) : misfit(name, cell, 'an integer')),
  }),
  BOOLEAN: (name) => ({
    elements: [optional(name, { type: 'BOOLEAN' })],
    stored: (cell) => (typeof cell === 'boolean' ? cell : misfit(name, cell, 'true or false')),
  }),
  STRING: (name) => ({ elements: [textElement(name)], stored: textOf }),
  LIST: (name, wire) => ({
    elements: [
      optional(name, { converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1 }),
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      textElement('element'),
    ],
    stored: (cell) =>
      Array.isArray(cell)
        ? cell.map((entry) => (entry === null ? null : entryText(entry, wire)))
        : misfit(name, cell, 'a list'),
  }),
};

function textElement(name: string) {
  return optional(name, { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } });
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
