import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agreeing, days, onePerKey, runs, seriesIds } from '../../support/arbitrary.ts';
import { begun, begunStore } from '../../support/begun-stores.ts';
import { asof } from '../../support/command.ts';
import { scratchFolder } from '../../support/folders.ts';
import { asOf, emptyModel, importInto, type ModelStatement, statementsOf } from '../../support/knowledge.ts';

const folder = scratchFolder();

const storeOf = (said: readonly ModelStatement[]) => begunStore(folder, said);

function known(said: readonly ModelStatement[]) {
  return importInto(emptyModel, [...begun, ...said]).after;
}

function before(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}

/** The output of a command that reads this text from standard input. */
async function output(line: string, text: string, store: string) {
  const stdin = Readable.from([Buffer.from(text)], { objectMode: false });
  const { code, out, err } = await asof([...line.split(' '), '--csv', '-q', '--store', store], { stdin });
  expect(err).toBe('');
  return { code, lines: out.trimEnd().split('\n') };
}

const statements = agreeing.map((items) => onePerKey(items.map(({ said }) => said)));
const someDays = fc.array(
  fc.constantFrom(
    ...days,
    '2019-11-30',
    '2020-02-14',
    '2020-03-01',
    '2020-07-31',
    '2022-05-05',
    '2025-12-01',
  ),
  { minLength: 1, maxLength: 12 },
);

describe('for any statements and any rows', () => {
  it('a join has in each cell the newest observation that was known on the day of the row', async () => {
    await fc.assert(
      fc.asyncProperty(
        statements,
        someDays,
        fc.boolean(),
        fc.integer({ min: 0, max: 2 }),
        async (said, rows, strict, lag) => {
          const [store, knowledge] = [await storeOf(said), known(said)];
          const text = ['n,day', ...rows.map((day, n) => `${n},${day}`)].join('\n');
          const flags = `--with-dates${strict ? ' --strict' : ''} --lag ${lag}`;
          const { lines } = await output(`join - --on day ${seriesIds.join(' ')} ${flags}`, text, store);
          expect(lines.slice(1)).toEqual(
            rows.map((day, n) => {
              const cells = seriesIds.map((id) => {
                const { value = '', date = '' } = asOf(knowledge, id, strict ? before(day) : day)[lag] ?? {};
                return `${value},${date}`;
              });
              return [n, day, ...cells].join(',');
            }),
          );
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it('a join has what the observations as of the day have, transformed or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        statements,
        fc.constantFrom(...days),
        fc.constantFrom('', ' --units chg', ' --units pc1 --frequency q --partial'),
        async (said, day, units) => {
          const store = await storeOf(said);
          const { lines } = await output(`join - --on day GDP --with-dates${units}`, `day\n${day}\n`, store);
          const line = `observations GDP --as-of ${day} --limit 1 --columns value,date${units}`;
          const { lines: observed } = await output(line, '', store);
          expect(lines[1]).toBe(`${day},${observed[1] ?? ','}`);
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it('nothing that was published after the last day of the rows changes a join', async () => {
    await fc.assert(
      fc.asyncProperty(
        statements,
        someDays,
        fc.constantFrom('', ' --strict', ' --lag 1', ' --units pch --with-age', ' --frequency q --partial'),
        async (said, rows, flags) => {
          const last = [...rows].sort().at(-1) ?? '';
          const line = `join - --on day ${seriesIds.join(' ')} --with-dates${flags}`;
          const text = ['day', ...rows].join('\n');
          const whole = await output(line, text, await storeOf(said));
          const cut = await output(line, text, await storeOf(said.filter((one) => one.asOf <= last)));
          expect(whole).toEqual(cut);
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it('a check passes what a join has written', async () => {
    await fc.assert(
      fc.asyncProperty(
        statements,
        someDays,
        fc.constantFrom('', ' --strict', ' --units chg'),
        fc.constantFrom('', ' --with-dates'),
        async (said, rows, flags, dates) => {
          const store = await storeOf(said);
          const line = `join - --on day ${seriesIds.join(' ')}${flags}${dates}`;
          const { lines } = await output(line, ['day', ...rows].join('\n'), store);
          // A table without a value is refused: there is nothing to check.
          if (lines.slice(1).every((row) => /^[^,]*,*$/.test(row))) return;
          const { code, lines: found } = await output(`check - --on day${flags}`, lines.join('\n'), store);
          expect({ code, found: found.slice(1) }).toEqual({ code: 0, found: [] });
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it('a check finds every value that no statement up to the day has, and the first later statement that has it', async () => {
    await fc.assert(
      fc.asyncProperty(statements, fc.constantFrom(...days), async (said, day) => {
        const [store, knowledge] = [await storeOf(said), known(said)];
        // All values that were ever published, of the newest date known on the day or a later one.
        const newest = asOf(knowledge, 'GDP', day)[0]?.date ?? '';
        const all = statementsOf(knowledge, 'GDP');
        const early = new Set(all.filter((one) => one.asOf <= day).map(({ value }) => Number(value)));
        const ahead = all.filter(
          ({ value, date, asOf: since }) =>
            value !== null && since > day && date >= newest && !early.has(Number(value)),
        );
        for (const { value } of ahead) {
          const same = ahead.filter((one) => Number(one.value) === Number(value));
          const first = same.map((one) => one.asOf).sort()[0];
          const { code, lines } = await output('check -', `day,GDP\n${day},${value}\n`, store);
          expect(code).toBe(1);
          const cells = lines[1]?.split(',') ?? [];
          expect([cells[7], cells[9]]).toEqual([first, 'ahead']);
        }
      }),
      { numRuns: runs(30) },
    );
  });
});
