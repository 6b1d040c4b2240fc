import type { Cell, Row } from '../operations/envelope.ts';
import type { Field } from '../operations/operation.ts';

/**
 * Makes the texts of a row for files and tables: a day is `YYYY-MM-DD`, a missing value is empty, the entries of a list
 * are joined by `;`. Objects, alone or in a list, are left out: only JSON can hold them.
 */
export function cellTexts(fields: readonly Field[]): (row: Row) => string[] {
  const readers = fields.map(({ name, type }) => ({ name, text: type === 'day' ? dayText : plainText }));
  return (row) => readers.map(({ name, text }) => text(row[name]));
}

const midnight = 'T00:00:00Z';

/** Removes midnight UTC and no other time, so that a time of day is never lost. */
function dayText(cell: Cell | undefined): string {
  const text = plainText(cell);
  return text.endsWith(midnight) ? text.slice(0, -midnight.length) : text;
}

function plainText(cell: Cell | undefined): string {
  if (typeof cell === 'string') return cell;
  if (cell === undefined || cell === null) return '';
  if (typeof cell !== 'object') return String(cell);
  if (!isList(cell)) return '';
  return cell
    .filter((item) => item === null || typeof item !== 'object')
    .map(plainText)
    .join(';');
}

function isList(cell: readonly Cell[] | { readonly [name: string]: Cell }): cell is readonly Cell[] {
  return Array.isArray(cell);
}
