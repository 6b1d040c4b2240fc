import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { agreeing, onePerKey, runs } from '../../support/arbitrary.ts';
import { asof } from '../../support/command.ts';
import { worldUpTo } from '../../support/example-stores.ts';
import { scratchFolder } from '../../support/folders.ts';
import { newStorePath } from '../../support/scratch-store.ts';

const folder = scratchFolder();

const lines = [
  "all.csv obs '*'",
  'gdp.json obs GDP --json',
  "first.csv obs '*' --first-release",
  'story.json revisions GDP --date 2020-02-01',
  'vintages.json vintages GDP',
  "long.csv panel '*'",
  "wide.csv panel '*' --wide",
  // The coverage of the curves, which ends the values of their series otherwise, is that of the store.
  "each.csv panel '*' --as-of-each month-end --from 2019-11-15 --beyond repeat",
  'diff.csv diff GDP 2019-12-31 2020-01-31',
  'curve.csv curve',
  'rates.csv yields --wide',
  'spread.csv spread --short 2Y',
  'filings.csv insider filings --from 2019-01-01',
  'clusters.csv insider clusters --min-insiders 2 --days 30',
  'explained.json insider clusters --min-insiders 2 --days 30 --explain',
  'signals.csv insider clusters --min-insiders 2 --days 30 --signals',
];

async function filesOf(store: string, day: string): Promise<readonly (readonly string[])[]> {
  const work = mkdtempSync(join(folder, 'law-'));
  const [plan, out] = [join(work, 'plan.txt'), join(work, 'snap')];
  writeFileSync(plan, lines.join('\n'));
  const line = ['snapshot', plan, '--out', out, '-q', '--as-of', day, '--store', store];
  expect(await asof(line)).toEqual({ code: 0, out: '', err: '' });
  const names = lines.map((line) => line.split(' ')[0] ?? '');
  return names.map((name) => [name, readFileSync(join(out, name), 'utf8')]);
}

it('nothing that is published after the day of a snapshot changes a file of it, for any statements', async () => {
  const day = fc.constantFrom('2020-01-31', '2020-03-01', '2020-07-31', '2021-02-28');
  const said = agreeing.map((items) => onePerKey(items.map((item) => item.said)));
  await fc.assert(
    fc.asyncProperty(said, day, async (all, asOf) => {
      const whole = await worldUpTo('9999-12-31', all, newStorePath(folder));
      const cut = await worldUpTo(asOf, all, newStorePath(folder));
      expect(await filesOf(whole, asOf)).toEqual(await filesOf(cut, asOf));
    }),
    { numRuns: runs(6) },
  );
});
