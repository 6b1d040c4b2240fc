import type { Row } from '../operations/envelope.ts';
import type { Field } from '../operations/field.ts';
import { fieldKinds } from '../operations/field-kinds.ts';

/** Makes the texts of a row for files and tables: missing is empty, and each kind of field has its own text. */
export function cellTexts(fields: readonly Field[]): (row: Row) => string[] {
  const readers = fields.map(({ name, type }) => ({ name, text: fieldKinds[type].text }));
  return (row) =>
    readers.map(({ name, text }) => {
      const cell = row[name];
      return cell === undefined || cell === null ? '' : text(cell);
    });
}
