import { Problem } from '../errors/problem.ts';

/**
 * Two imports need the same series in different orders, so one of them has to begin again; `needed` is what it must
 * lock first, for the engine that threw it.
 */
export class ImportsCollide extends Problem {
  readonly needed: 'everything' | readonly string[];

  constructor(needed: 'everything' | readonly string[]) {
    super('local-io', 'another import is writing to the same series', {
      hints: ['try again when it is done'],
    });
    this.needed = needed;
  }
}
