import { describe, expect, it } from 'vitest';
import { dataChanged, isDataChange, readConsistently, restartOnChange } from '../../../src/client/client.ts';
import { Problem } from '../../../src/errors/problem.ts';
import { answerWith, madeUpClient } from '../../support/clients.ts';

/** Work that finds changed data a number of times, and the number of its attempts. */
function changing(times: number) {
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    if (attempts <= times) throw dataChanged();
    return 'done';
  };
  return { work, attempts: () => attempts };
}

/** Output that counts how often it was taken back. */
function output(isCommitted: boolean) {
  let restarts = 0;
  const revocable = {
    committed: () => isCommitted,
    restart: async () => {
      restarts += 1;
    },
  };
  return { revocable, restarts: () => restarts };
}

describe('work on data that changes', () => {
  it('is restarted up to three times, and its output is discarded each time', async () => {
    const { work, attempts } = changing(3);
    const { revocable, restarts } = output(false);
    expect(await restartOnChange(work, revocable)).toBe('done');
    expect([attempts(), restarts()]).toEqual([4, 3]);
  });

  it('fails when the data changes a fourth time', async () => {
    const { work, attempts } = changing(9);
    await expect(restartOnChange(work)).rejects.toSatisfy(isDataChange);
    expect(attempts()).toBe(4);
  });

  it('is not restarted once its output cannot be discarded', async () => {
    const { work, attempts } = changing(1);
    await expect(restartOnChange(work, output(true).revocable)).rejects.toSatisfy(isDataChange);
    expect(attempts()).toBe(1);
  });

  it('is not restarted after another failure', async () => {
    let attempts = 0;
    const work = async () => {
      attempts += 1;
      throw new Problem('bad-answer', 'no');
    };
    await expect(restartOnChange(work)).rejects.toThrow('no');
    expect(attempts).toBe(1);
  });
});

describe('reading consistently', () => {
  /** A client whose data changes during the first attempts. */
  const client = (changes: number) => {
    let watches = 0;
    return {
      ...madeUpClient(async (operation) => answerWith(operation, [])),
      async watch() {
        watches += 1;
        const isChanging = watches <= changes;
        return { changed: async () => isChanging, requests: () => 0 };
      },
    };
  };

  it.each([
    [0, 1],
    [2, 3],
  ])('starts again after each change: %i changes take %i attempts', async (changes, expected) => {
    let attempts = 0;
    const work = async () => {
      attempts += 1;
      return attempts;
    };
    expect(await readConsistently(client(changes), work)).toBe(expected);
  });

  it('fails when the data never stays the same', async () => {
    await expect(readConsistently(client(9), async () => 1)).rejects.toThrow(
      'the data changed while it was being read',
    );
  });
});
