import type { Question } from '../analysis/question.ts';
import { diff } from './series/diff.ts';
import { panel } from './series/panel.ts';

/** Every question that asks others, by the name of its method. */
export const questions = { diff, panel };

/** A question of the table. */
export type KnownQuestion = (typeof questions)[keyof typeof questions];

/** Returns the question of a name on the wire, which may take the place of an operation of that name. */
export function questionNamed(name: string): Question | undefined {
  return Object.values<Question>(questions).find((question) => question.name === name);
}
