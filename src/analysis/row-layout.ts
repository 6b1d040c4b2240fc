import type { Field } from '../operations/field.ts';

/** The fields that the rows of an answer may show, and those shown unless others are chosen. */
export type RowLayout = { readonly fields: readonly Field[]; readonly columns: readonly string[] };

/** The layout that shows all fields. */
export function showing(fields: readonly Field[]): RowLayout {
  return { fields, columns: fields.map(({ name }) => name) };
}
