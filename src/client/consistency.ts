import { Problem } from '../errors/problem.ts';
import type { Client } from './client.ts';

/** How often work is restarted because the data changed. */
const maxRestarts = 3;

/** Output that can be taken back while none of it is committed. */
export type Revocable = {
  /** Whether anything was written that cannot be taken back. */
  readonly committed: () => boolean;
  /** Takes back what was written. */
  readonly restart: () => Promise<void>;
};

const noOutput: Revocable = { committed: () => false, restart: async () => undefined };

/** The Problem of work that read from two states of the data. */
export function dataChanged(): Problem {
  return new Problem('data-changed', 'the data changed while it was being read', {
    hints: ['try again when the import is done'],
  });
}

/** Whether work failed because the data changed between two of its requests. */
export function isDataChange(error: unknown): boolean {
  return error instanceof Problem && error.kind === 'data-changed';
}

/** Does work again from its beginning when the data changed meanwhile, at most three times and while nothing is committed. */
export async function restartOnChange<T>(work: () => Promise<T>, output: Revocable = noOutput): Promise<T> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isDataChange(error) || output.committed() || restarts === maxRestarts) throw error;
      await output.restart();
    }
  }
}

/** Does work of several requests, and again when the data changed meanwhile: its result is from one state of the data. */
export function readConsistently<T>(client: Client, work: () => Promise<T>): Promise<T> {
  return restartOnChange(async () => {
    const watch = await client.watch();
    const result = await work();
    if (await watch.changed()) throw dataChanged();
    return result;
  });
}
