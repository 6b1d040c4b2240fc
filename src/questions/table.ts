import type { Question } from '../analysis/question.ts';
import { check } from './files/check.ts';
import { join } from './files/join.ts';
import { curve } from './rates/curve.ts';
import { yieldTable } from './rates/yield-table.ts';
import { compare } from './series/compare.ts';
import { diff } from './series/diff.ts';
import { panel } from './series/panel.ts';
import { revisions } from './series/revisions.ts';
import { versions } from './series/versions.ts';
import { vintages } from './series/vintages.ts';

/** Every question that asks others, by the name of its method. */
export const questions = {
  revisions,
  vintages,
  curve,
  yieldTable,
  diff,
  compare,
  versions,
  panel,
  join,
  check,
};

/** A question of the table. */
export type KnownQuestion = (typeof questions)[keyof typeof questions];

/** Returns the question of a name on the wire, which may take the place of an operation of that name. */
export function questionNamed(name: string): Question | undefined {
  return Object.values<Question>(questions).find((question) => question.name === name);
}
