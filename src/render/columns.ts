import { closeNames } from '../domain/search/words.ts';
import { Problem } from '../errors/problem.ts';
import type { Row } from '../operations/envelope.ts';
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
    if (field === undefined) {
      const known = [...byName.keys()];
      const hints = closeNames(name, known)
        .slice(0, 1)
        .map((meant) => `did you mean ${meant}?`);
      throw columnsProblem(`unknown column '${name}': the columns are ${known.join(', ')}`, hints);
    }
    if (shown.has(name)) throw columnsProblem(`column '${name}' is named twice`);
    shown.set(name, field);
  }
  return { fields: [...shown.values()], chosen: names !== undefined, all: fields };
}

function columnsProblem(detail: string, hints: readonly string[] = []): Problem {
  return new Problem('bad-input', detail, { field: 'columns', hints });
}

/** Makes a function for the texts of a row in files and tables; a missing cell is empty. */
export function cellTexts(fields: readonly Field[]): (row: Row) => string[] {
  const readers = fields.map(({ name, type, words }) => ({ name, text: fieldKinds[type].text, words }));
  return (row) =>
    readers.map(({ name, text, words }) => {
      const cell = row[name];
      if (cell === undefined || cell === null) return '';
      const plain = text(cell);
      return words?.[plain] ?? plain;
    });
}
