import { Problem } from '../errors/problem.ts';
import type { Client } from './client.ts';

/** The maximum number of restarts because the data changed. */
const maxRestarts = 3;

/** Output that can be discarded until it is committed. */
export type Revocable = {
  /** Whether anything was written that can no longer be discarded. */
  readonly committed: () => boolean;
  /** Discards what was written. */
  readonly restart: () => Promise<void>;
};

const noOutput: Revocable = { committed: () => false, restart: async () => undefined };

/** The Problem of work whose answers come from two states of the data. */
export function dataChanged(): Problem {
  return new Problem('data-changed', 'the data changed while it was being read', {
    hints: ['try again when the import is done'],
  });
}

/** Whether work failed because the data changed between two of its requests. */
export function isDataChange(error: unknown): boolean {
  return error instanceof Problem && error.kind === 'data-changed';
}

/** Runs `work`. If the data changed meanwhile and no output is committed, runs it again from the beginning, at most three times. */
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

/** Runs work of several requests, and runs it again if the data changed meanwhile: the result comes from one state of the data. */
export function readConsistently<T>(client: Client, work: () => Promise<T>): Promise<T> {
  return restartOnChange(async () => {
    const watch = await client.watch();
    const result = await work();
    if (await watch.changed()) throw dataChanged();
    return result;
  });
}
