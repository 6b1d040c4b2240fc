import { existsSync } from 'node:fs';
import { builtProgram } from './repository.ts';

/** Fails the tests that run the built program if it was not built. */
export function setup(): void {
  if (!existsSync(builtProgram))
    throw new Error('these tests run the built program: run `npm run build` first');
}
