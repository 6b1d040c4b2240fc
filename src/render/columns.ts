import { closest } from '../domain/series/closest.ts';
import { Problem } from '../errors/problem.ts';
import type { Field } from '../operations/field.ts';

/** The fields that an output shows, in order, and whether the user chose them (JSON is cut down only to chosen ones). */
export type Columns = {
  readonly fields: readonly Field[];
  readonly chosen: boolean;
  /** All fields of the rows. */
  readonly all: readonly Field[];
};

/** The columns to show: the chosen names, else the defaults; a name that is no field, or given twice, is a Problem. */
export function columnsOf(
  fields: readonly Field[],
  defaults: readonly string[],
  chosen?: readonly string[],
): Columns {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const shown = new Map<string, Field>();
  for (const name of (chosen ?? defaults).map((given) => given.trim())) {
    const field = byName.get(name);
    if (field === undefined) throw unknown(name, [...byName.keys()]);
    if (shown.has(name)) throw refusal(`column '${name}' is named twice`);
    shown.set(name, field);
  }
  return { fields: [...shown.values()], chosen: chosen !== undefined, all: fields };
}

function unknown(name: string, names: readonly string[]): Problem {
  const meant = closest(name, names);
  const hints = meant === undefined ? [] : [`did you mean ${meant}?`];
  return refusal(`unknown column '${name}': the columns are ${names.join(', ')}`, hints);
}

function refusal(detail: string, hints: readonly string[] = []): Problem {
  return new Problem('bad-input', detail, { field: 'columns', hints });
}
