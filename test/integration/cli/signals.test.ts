import { describe, expect, it } from 'vitest';
import { samplePath } from '../../../src/platform/installation.ts';
import { asof, linesOf } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

const folder = newFolder();
const run = (line: string) => asof([...line.split(' '), '--store', samplePath()]);
const signals = 'insider clusters --signals --ticker MAIA --min-value 50000';

describe('the signals of a plan', () => {
  it('are those of the as-of date of the snapshot, which is verified', async () => {
    const plan = folder.write('plan.txt', `signals.csv ${signals}\n`);
    const out = folder.path('desk');
    expect((await run(`snapshot ${plan} --out ${out} --as-of 2025-11-28`)).code).toBe(0);
    const known = await run(`${signals} --as-of 2025-11-28 --csv`);
    expect(folder.read('desk/signals.csv')).toBe(known.out);
    expect(linesOf(known.out)[1]).toBe('2025-11-28,MAIA,3,56076.05,2025-11-21,2025-11-25,P,0001878313');
    expect((await run(`verify ${out}`)).code).toBe(0);
  });

  it('are as of any day those that are listed up to it later', async () => {
    const { out } = await run(`${signals} --csv --no-header`);
    const all = linesOf(out);
    expect(all.length).toBeGreaterThan(5);
    for (const day of all.map((line) => line.slice(0, 10)).filter((one) => one < '2026-03')) {
      const then = await run(`${signals} --csv --no-header --as-of ${day}`);
      expect(linesOf(then.out)).toEqual(all.filter((line) => line.slice(0, 10) <= day));
    }
  });
});

describe('clusters without rows', () => {
  it('say which trades would make one', async () => {
    const { code, out, err } = await run(
      'insider clusters --code S --min-value 9 --ticker TSLA --no-header --csv',
    );
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain('a cluster takes sales by 3 insiders within 14 days, worth 9 or more');
  });
});
