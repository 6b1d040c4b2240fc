import { diff } from './series/diff.ts';

/** Every question that asks others, by the name of its method. */
export const questions = { diff };

/** A question of the table. */
export type KnownQuestion = (typeof questions)[keyof typeof questions];
