import { describe, expect, it } from 'vitest';
import { Turns } from '../../../../src/server/keys/gate.ts';

/** The places that may begin now, by their numbers. */
async function begun(turns: readonly ReturnType<Turns['take']>[]): Promise<readonly number[]> {
  const found: number[] = [];
  for (const [i, turn] of turns.entries()) void turn?.begun.then(() => found.push(i));
  await new Promise(setImmediate);
  return found;
}

describe('the computations of a key', () => {
  it('begin in their order, as many at a time as the plan says', async () => {
    const turns = new Turns(8);
    const taken = Array.from({ length: 5 }, () => turns.take('a', 2));
    expect(await begun(taken)).toEqual([0, 1]);
    taken[1]?.leave();
    taken[1]?.leave();
    expect(await begun(taken)).toEqual([0, 1, 2]);
    // One that gives up while it waits is passed over.
    taken[3]?.leave();
    taken[0]?.leave();
    expect(await begun(taken)).toEqual([0, 1, 2, 4]);
  });

  it('are refused when four wait for each one that runs', () => {
    const turns = new Turns(8);
    const taken = Array.from({ length: 2 + 8 }, () => turns.take('a', 2));
    expect(taken).not.toContain(undefined);
    expect(turns.take('a', 2)).toBeUndefined();
    taken[9]?.leave();
    expect(turns.take('a', 2)).toBeDefined();
    expect(turns.take('a', 2)).toBeUndefined();
  });

  it('do not wait for those of another key', async () => {
    const turns = new Turns(8);
    const taken = [turns.take('a', 1), turns.take('a', 1), turns.take('b', 1)];
    expect(await begun(taken)).toEqual([0, 2]);
  });

  it('leave a thread to another key, and wait while all threads are taken', async () => {
    const turns = new Turns(3);
    const taken = [
      ...Array.from({ length: 3 }, () => turns.take('a', 4)),
      turns.take('b', 4),
      turns.take('c', 4),
    ];
    expect(await begun(taken)).toEqual([0, 1, 3]);
    taken[3]?.leave();
    expect(await begun(taken)).toEqual([0, 1, 3, 4]);
    taken[0]?.leave();
    expect(await begun(taken)).toEqual([0, 1, 2, 3, 4]);
  });
});
