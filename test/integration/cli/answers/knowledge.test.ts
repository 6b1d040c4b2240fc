import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agreeing, days, onePerKey, runs, seriesIds } from '../../../support/arbitrary.ts';
import { asof } from '../../../support/command.ts';
import { begun, begunStore } from '../../../support/example-stores.ts';
import { scratchFolder } from '../../../support/folders.ts';
import {
  asOf,
  emptyModel,
  importInto,
  type ModelStatement,
  statementsOf,
} from '../../../support/knowledge.ts';

const folder = scratchFolder();

/** Some statements, each with one store for all properties, as imports take longer than answers. */
const worlds = fc.constantFrom(
  ...fc.sample(
    agreeing.map((items) => onePerKey(items.map(({ said }) => said))),
    runs(20),
  ),
);
const stores = new Map<readonly ModelStatement[], Promise<string>>();

function storeOf(said: readonly ModelStatement[]): Promise<string> {
  const store = stores.get(said) ?? begunStore(folder, said);
  stores.set(said, store);
  return store;
}

function known(said: readonly ModelStatement[]) {
  return importInto(emptyModel, [...begun, ...said]).after;
}

const someDays = [
  ...days,
  '2019-11-30',
  '2020-01-31',
  '2020-02-14',
  '2020-03-01',
  '2020-07-31',
  '2025-11-30',
];

/** The rows that a command writes, without their header; it reads this text from standard input. */
async function rows(line: string, store: string, text = ''): Promise<readonly string[]> {
  const { lines, ...ended } = await output(line, store, text);
  expect(ended).toEqual({ code: 0, err: '' });
  return lines;
}

async function output(line: string, store: string, text: string) {
  const stdin = Readable.from([Buffer.from(text)], { objectMode: false });
  const surroundings = { stdin, env: { ASOF_STORE: store } };
  const { code, out, err } = await asof([...line.split(' '), '-q', '--no-header'], surroundings);
  return { code, lines: out === '' ? [] : out.trimEnd().split('\n'), err };
}

/** The number that a text states; `-0` is 0, as a diff has no row where the number stays. */
function number(text: string | null): number {
  return Number(text) + 0;
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}

describe('for any statements and any days', () => {
  const all = seriesIds.join(' ');
  const someDay = fc.constantFrom(...someDays);
  const dayRows = fc.array(someDay, { minLength: 1, maxLength: 12 });

  it('a panel has for each day and series the newest value that was known, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, dayRows, async (said, given) => {
        const knowledge = known(said);
        const line = `panel ${all} --as-of-file - --beyond repeat --sort asc`;
        expect(await rows(line, await storeOf(said), `day\n${given.join('\n')}\n`)).toEqual(
          [...new Set(given)].sort().flatMap((day) =>
            seriesIds.map((id) => {
              const { date = '', value = '', asOfDate = '' } = asOf(knowledge, id, day)[0] ?? {};
              return [day, id, date, value, asOfDate].join(',');
            }),
          ),
        );
      }),
      { numRuns: runs(40) },
    );
  });

  it('a panel as of a day has one row for each date that any series has, and empty cells for the others', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, someDay, async (said, day) => {
        const knowledge = known(said);
        const values = seriesIds.map(
          (id) => new Map(asOf(knowledge, id, day).map((one) => [one.date, one.value])),
        );
        const dates = [...new Set(values.flatMap((one) => [...one.keys()]))].sort().reverse();
        expect(await rows(`panel ${all} --as-of ${day} --wide`, await storeOf(said))).toEqual(
          dates.map((date) => [date, ...values.map((one) => one.get(date) ?? '')].join(',')),
        );
      }),
      { numRuns: runs(40) },
    );
  });

  it('a diff turns the one answer into the other', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, someDay, someDay, fc.constantFrom(...seriesIds), async (said, a, b, id) => {
        const [before = '', after = ''] = [a, b].sort();
        const knowledge = known(said);
        const valuesOn = (day: string) =>
          new Map(asOf(knowledge, id, day).map(({ date, value }) => [date, number(value)]));
        const values = valuesOn(before);
        const line = `diff ${id} ${before} ${after} --columns date,old,new,change,kind`;
        for (const row of await rows(line, await storeOf(said))) {
          const [date = '', old = '', now = '', change = '', kind] = row.split(',');
          expect(values.get(date)).toBe(old === '' ? undefined : number(old));
          if (kind === 'revised') expect(number(change)).toBe(number(now) - number(old));
          expect(kind).toBe(old === '' ? 'added' : now === '' ? 'withdrawn' : 'revised');
          if (now === '') values.delete(date);
          else values.set(date, number(now));
        }
        expect([...values].sort()).toEqual([...valuesOn(after)].sort());
      }),
      { numRuns: runs(80) },
    );
  });

  it('a join has in each cell the newest observation that was known on the day of the row', async () => {
    const lags = fc.integer({ min: 0, max: 2 });
    await fc.assert(
      fc.asyncProperty(worlds, dayRows, fc.boolean(), lags, async (said, given, strict, lag) => {
        const [store, knowledge] = [await storeOf(said), known(said)];
        const text = ['n,day', ...given.map((day, n) => `${n},${day}`)].join('\n');
        const flags = `--with-dates --lag ${lag}${strict ? ' --strict' : ''}`;
        expect(await rows(`join - --on day ${all} ${flags}`, store, text)).toEqual(
          given.map((day, n) => {
            const cells = seriesIds.map((id) => {
              const found = asOf(knowledge, id, strict ? dayBefore(day) : day)[lag];
              return `${found?.value ?? ''},${found?.date ?? ''}`;
            });
            return [n, day, ...cells].join(',');
          }),
        );
      }),
      { numRuns: runs(40) },
    );
  });

  it('a check passes what a join has written', async () => {
    const flags = fc.constantFrom('', ' --strict', ' --units chg');
    const dated = fc.constantFrom('', ' --with-dates');
    await fc.assert(
      fc.asyncProperty(worlds, dayRows, flags, dated, async (said, given, more, dates) => {
        const store = await storeOf(said);
        const line = `join - --on day ${all}${more}${dates}`;
        const joined = await rows(line, store, ['day', ...given].join('\n'));
        // A table without a value is refused: there is nothing to check.
        if (joined.every((row) => /^[^,]*,*$/.test(row))) return;
        const names = seriesIds.map((id) => (dates === '' ? id : `${id},${id}_date`)).join(',');
        const text = [`day,${names}`, ...joined].join('\n');
        expect(await rows(`check - --on day${more}`, store, text)).toEqual([]);
      }),
      { numRuns: runs(40) },
    );
  });

  it('a check finds every value that no statement up to the day has, and the first later statement that has it', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.constantFrom(...days), async (said, day) => {
        const [store, knowledge] = [await storeOf(said), known(said)];
        // All values that were ever published, of the newest date known on the day or a later one.
        const newest = asOf(knowledge, 'GDP', day)[0]?.date ?? '';
        const published = statementsOf(knowledge, 'GDP');
        const early = new Set(published.filter((one) => one.asOf <= day).map(({ value }) => Number(value)));
        const ahead = published.flatMap(({ value, date, asOf: since }) =>
          value !== null && since > day && date >= newest && !early.has(Number(value))
            ? [{ value, since }]
            : [],
        );
        if (ahead.length === 0) return;
        const text = `day,GDP\n${ahead.map(({ value }) => `${day},${value}\n`).join('')}`;
        const { code, lines } = await output('check - --columns first_known,kind', store, text);
        expect(code).toBe(1);
        expect(lines).toEqual(
          ahead.map(({ value }) => {
            const same = ahead.filter((one) => Number(one.value) === Number(value));
            return `${same.map(({ since }) => since).sort()[0]},ahead`;
          }),
        );
      }),
      { numRuns: runs(60) },
    );
  });
});
