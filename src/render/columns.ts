import { didYouMean } from '../domain/search/words.ts';
import { Problem } from '../errors/problem.ts';
import type { Cell, Row } from '../operations/envelope.ts';
import { type Field, fieldKinds } from '../operations/field.ts';

/** The fields of an output, in order, and whether the user chose them. */
export type Columns = {
  readonly fields: readonly Field[];
  readonly chosen: boolean;
  readonly all: readonly Field[];
};

/** Selects fields by name, by default `defaults`; `all` is every field; throws for an unknown or repeated name. */
export function selectColumns(
  fields: readonly Field[],
  defaults: readonly string[],
  names?: readonly string[],
): Columns {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const shown = new Map<string, Field>();
  const isAll = names?.length === 1 && names[0]?.trim() === 'all' && !byName.has('all');
  const asked = isAll ? [...byName.keys()] : (names ?? defaults);
  for (const name of asked.map((text) => text.trim())) {
    const field = byName.get(name);
    if (field === undefined || shown.has(name)) {
      const known = [...byName.keys()];
      const reason = `unknown column '${name}': the columns are ${known.join(', ')}`;
      throw new Problem('bad-input', shown.has(name) ? `column '${name}' is named twice` : reason, {
        field: 'columns',
        hints: field === undefined ? didYouMean(name, known) : [],
      });
    }
    shown.set(name, field);
  }
  return { fields: [...shown.values()], chosen: names !== undefined, all: fields };
}

/** Makes a function for the text of a field's cells in files and tables; that of a missing cell is empty. */
export function cellText({ type, words }: Field): (cell: Cell | undefined) => string {
  const { text } = fieldKinds[type];
  return (cell) => {
    if (cell === undefined || cell === null) return '';
    const plain = text(cell);
    return words?.[plain] ?? plain;
  };
}

/** Makes a function for the texts of a row in files and tables. */
export function cellTexts(fields: readonly Field[]): (row: Row) => string[] {
  const columns = fields.map((field) => ({ name: field.name, textOf: cellText(field) }));
  return (row) => columns.map(({ name, textOf }) => textOf(row[name]));
}
