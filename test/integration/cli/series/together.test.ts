import { beforeAll, describe, expect, it } from 'vitest';
import { addDays } from '../../../../src/domain/values/date.ts';
import { asof, linesOf } from '../../../support/command.ts';
import { scratchFolder } from '../../../support/folders.ts';
import { importFiles, newStorePath } from '../../../support/scratch-store.ts';

const store = newStorePath(scratchFolder());

const header = 'series_id,date,as_of_date,value';
const days = (count: number) => Array.from({ length: count }, (_, i) => addDays('2000-01-01', i));

/** More values than a page has; in LATER, only as of its first vintage. */
const [long, later] = [days(1300), days(1200)];

beforeAll(async () => {
  const lines = [
    ...['FIRST,2015-01-01,2015-02-10,1', 'FIRST,2015-02-01,2015-03-10,2', 'FIRST,2015-01-01,2015-04-10,'],
    ...['GONE,2015-01-01,2015-02-10,7', 'GONE,2015-01-01,2015-03-10,'],
    ...later.map((date) => `LATER,${date},2015-02-10,3`),
    ...later.slice(100).map((date) => `LATER,${date},2015-04-10,`),
    ...long.map((date) => `LONG,${date},2015-02-10,4`),
    ...['YOUNG,2015-01-01,2015-03-20,5.50', 'YOUNG,2015-02-01,2015-03-20,6'],
  ];
  await importFiles(store, { 'made.csv': `${[header, ...lines].join('\n')}\n` });
});

const ids = ['FIRST', 'GONE', 'LATER', 'LONG', 'YOUNG'];

async function answered(asked: readonly string[], flags: string) {
  return asof(['obs', ...asked, ...flags.split(' ').filter(Boolean), '--csv', '--store', store]);
}

describe('several series of a file', () => {
  it.each([
    '',
    '--as-of 2015-02-20',
    '--as-of 2015-03-15',
    '--as-of 2015-04-30 --from 2014-06-01',
    '--as-of 2015-01-31',
    '--first-release --to 2015-06-01',
    '--sort asc --limit 3',
  ])('have the rows of each, one series after the other, with %j', async (flags) => {
    const each = await Promise.all(ids.map((id) => answered([id], `${flags} -q`)));
    const rows = each.flatMap(({ out }) => linesOf(out).slice(1));
    const all = await answered(ids, `${flags} -q`);
    expect([all.code, linesOf(all.out).slice(1)]).toEqual([0, rows]);
    expect(linesOf((await answered(['*'], `${flags} -q`)).out).slice(1)).toEqual(rows);
  });

  it('are asked for one by one; a series that has more values than a page now, in larger pages', async () => {
    const { err } = await answered(['FIRST', 'LATER', 'LONG'], '-v --as-of 2015-02-20');
    const asked = [...err.matchAll(/observations id=(\w+).*: (\d+) rows/g)].map(([, ...found]) => found);
    expect(asked).toEqual([
      ['FIRST', '1'],
      ['LATER', '1000'],
      ['LATER', '200'],
      ['LONG', '1300'],
    ]);
  });

  it('fail with the name of the one that misses a demand', async () => {
    const { code, err, out } = await answered(['FIRST', 'YOUNG'], '--max-age 30 --as-of 2015-04-25');
    expect([code, out.includes('YOUNG')]).toEqual([9, false]);
    expect(err).toContain('YOUNG is covered to 2015-03-20, 36 days before 2015-04-25');
  });
});
