import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agreeing, days, onePerKey, runs, seriesIds } from '../../support/arbitrary.ts';
import { asof } from '../../support/command.ts';
import { asAsofCsv } from '../../support/encodings.ts';
import { scratchFolder } from '../../support/folders.ts';
import { asOf, emptyModel, importInto, type NaiveModel } from '../../support/knowledge.ts';
import { importFiles, newStorePath } from '../../support/scratch-store.ts';

const folder = scratchFolder();

const statements = agreeing.map((items) => onePerKey(items.map(({ said }) => said)));
const someDays = [...days, '2020-01-31', '2020-02-29', '2020-03-31', '2021-02-28', '2025-11-30'].sort();
const twoDays = fc
  .tuple(fc.constantFrom(...someDays), fc.constantFrom(...someDays))
  .map(([a, b]) => (a < b ? ([a, b] as const) : ([b, a] as const)));

/** The series that have a statement. */
function seriesOf({ said }: NaiveModel): readonly string[] {
  return seriesIds.filter((id) => said.some(({ series }) => series === id));
}

async function storeAnd(said: Parameters<typeof importInto>[1]) {
  const store = newStorePath(folder);
  await importFiles(store, asAsofCsv(said)[0]?.files ?? {}, { projections: true });
  return { store, knowledge: importInto(emptyModel, said).after };
}

/** The rows of a command's CSV. */
async function rows(line: readonly string[], store: string): Promise<readonly string[]> {
  const { code, out, err } = await asof([...line, '--no-header', '-q', '--store', store]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out === '' ? [] : out.trimEnd().split('\n');
}

describe('for any statements', () => {
  it('a panel has for each day and series the newest value that was known, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(
        statements,
        twoDays,
        fc.constantFrom('month-end', 'week-end'),
        async (said, [from, to], rhythm) => {
          const { store, knowledge } = await storeAnd(said);
          const ids = seriesOf(knowledge);
          const wanted = daysOf(rhythm, from, to);
          if (wanted.length === 0) return;
          const each = ['--as-of-each', rhythm, '--from', from, '--to', to, '--beyond', 'repeat'];
          const line = ['panel', ...ids, ...each, '--sort', 'asc'];
          expect(await rows(line, store)).toEqual(
            wanted.flatMap((day) =>
              ids.map((id) => {
                const { date = '', value = '', asOfDate = '' } = asOf(knowledge, id, day)[0] ?? {};
                return [day, id, date, value, asOfDate].join(',');
              }),
            ),
          );
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('a panel as of a day has one row for each date that any series has, and empty cells for the others', async () => {
    await fc.assert(
      fc.asyncProperty(statements, fc.constantFrom(...someDays), async (said, day) => {
        const { store, knowledge } = await storeAnd(said);
        const ids = seriesOf(knowledge);
        const known = ids.map((id) => new Map(asOf(knowledge, id, day).map((one) => [one.date, one.value])));
        const dates = [...new Set(known.flatMap((one) => [...one.keys()]))].sort().reverse();
        expect(await rows(['panel', ...ids, '--as-of', day, '--wide'], store)).toEqual(
          dates.map((date) => [date, ...known.map((one) => one.get(date) ?? '')].join(',')),
        );
      }),
      { numRuns: runs(40) },
    );
  });

  it('a diff turns the one answer into the other', async () => {
    await fc.assert(
      fc.asyncProperty(statements, twoDays, async (said, [before, after]) => {
        const { store, knowledge } = await storeAnd(said);
        for (const id of seriesOf(knowledge)) {
          const known = new Map(asOf(knowledge, id, before).map(({ date, value }) => [date, Number(value)]));
          const columns = ['--columns', 'date,old,new,change,kind'];
          for (const row of await rows(['diff', id, before, after, ...columns], store)) {
            const [date = '', old = '', now = '', change = '', kind] = row.split(',');
            expect(known.get(date)).toBe(old === '' ? undefined : Number(old));
            if (kind === 'revised') expect(Number(change)).toBe(Number(now) - Number(old));
            expect(kind).toBe(old === '' ? 'added' : now === '' ? 'withdrawn' : 'revised');
            if (now === '') known.delete(date);
            else known.set(date, Number(now));
          }
          expect([...known].sort()).toEqual(
            asOf(knowledge, id, after)
              .map(({ date, value }) => [date, Number(value)])
              .sort(),
          );
        }
      }),
      { numRuns: runs(40) },
    );
  });
});

/** Every month-end, or every Sunday, between two days. */
function daysOf(rhythm: string, from: string, to: string): readonly string[] {
  const wanted: string[] = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += 86_400_000) {
    const [day, tomorrow] = [new Date(time), new Date(time + 86_400_000)];
    const ends = rhythm === 'week-end' ? day.getUTCDay() === 0 : tomorrow.getUTCDate() === 1;
    if (ends) wanted.push(day.toISOString().slice(0, 10));
  }
  return wanted;
}
