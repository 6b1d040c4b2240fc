import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../src/cli/options/commands.ts';
import { agreeing, days, onePerKey, runs } from '../support/arbitrary.ts';
import { begunStore } from '../support/begun-stores.ts';
import { asof } from '../support/command.ts';
import { scratchFolder } from '../support/folders.ts';
import type { ModelStatement } from '../support/knowledge.ts';

const folder = scratchFolder();

const storeOf = (said: readonly ModelStatement[]) => begunStore(folder, said);

/** Command lines as of a day D, with an earlier day E and N, the day after D. */
const lines: Readonly<Record<string, readonly string[]>> = {
  observations: [
    'observations * --as-of D',
    'observations * --known-before N',
    'observations * --as-of D --first-release',
    'observations GDP --as-of D --json',
    'observations * --as-of D --units chg',
    'observations * --as-of D --first-release --units pch',
    'observations * --known-before N --units pc1 --frequency q --partial',
  ],
  revisions: [
    'revisions GDP --date 2020-02-01 --as-of D',
    'revisions GDP --date 2020-02-01 --known-before N --json',
  ],
  vintages: ['vintages GDP --as-of D', 'vintages GDP --known-before N --json', 'vintages GDP --to D'],
  diff: ['diff * E D --units pch', 'diff GDP E D', 'diff GDP D E --json', 'diff GDP E N --known-before'],
  panel: [
    'panel * --as-of D',
    'panel * --as-of D --wide --frequency sa --aggregate sum --partial',
    'panel GDP X1 --known-before N --wide --json',
    'panel * --as-of-each month-end --from 2019-11-15 --to D',
    'panel GDP CPI --as-of-each week-end --from 2020-01-01 --to D --wide',
    'panel GDP --as-of-each day --from E --to D --json',
    'panel * --as-of-each friday --from E --to D --last 3 --wide',
    'panel * --as-of-each day --from E --to D --units chg --known-before-each',
  ],
};

/** Commands with an as-of date that are not about vintages. */
const others: Readonly<Record<string, string>> = {
  mcp: 'test/acceptance/mcp.test.ts compares its answers with those of an open session',
  insider: 'filings are known from their filing date',
  snapshot: 'it runs the commands of this list',
};

function next(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}

function filled(line: string, day: string, earlier: string): string[] {
  const texts: Readonly<Record<string, string>> = { D: day, E: earlier, N: next(day) };
  return line.split(' ').map((word) => texts[word] ?? word);
}

/** The output and the exit code of a command line, without request ids. */
async function written(line: readonly string[], store: string): Promise<string> {
  const { code, out } = await asof([...line, '--store', store]);
  return `${out.replace(/req_[0-9a-f]{32}/g, 'req_')}exit ${code}`;
}

/** The first words of the commands that take an as-of date. */
function commandsWithAsOf(): readonly string[] {
  const found = allCommands().filter(({ flags }) =>
    flags.some(({ name }) => name === 'as-of' || name === 'known-before'),
  );
  return [...new Set(found.map(({ words }) => words.split(' ')[0] ?? ''))].filter(
    (name) => name !== 'import',
  );
}

const history = fc.record({
  statements: agreeing.map((items) => onePerKey(items.map(({ said }) => said))),
  day: fc.constantFrom(...days, '2020-03-01', '2020-07-31', '2022-05-05'),
  back: fc.integer({ min: 0, max: 400 }),
});

function earlierThan(day: string, back: number): string {
  const earlier = new Date(Date.parse(day) - back * 86_400_000).toISOString().slice(0, 10);
  return earlier < '2019-12-31' ? '2019-12-31' : earlier;
}

describe('nothing published after a day changes an answer as of that day', () => {
  it('in any command that takes an as-of date: all are tested', () => {
    expect(
      commandsWithAsOf()
        .filter((name) => !(name in others))
        .sort(),
    ).toEqual(Object.keys(lines).sort());
  });

  it.each(Object.keys(lines))('in asof %s', async (command) => {
    await fc.assert(
      fc.asyncProperty(history, async ({ statements, day, back }) => {
        const whole = await storeOf(statements);
        const cut = await storeOf(statements.filter(({ asOf }) => asOf <= day));
        for (const line of lines[command] ?? []) {
          const typed = filled(line, day, earlierThan(day, back));
          expect(await written(typed, whole)).toBe(await written(typed, cut));
        }
      }),
      { numRuns: runs(15) },
    );
  });

  it('and without an as-of date, later data only add revisions and vintages', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ statements, day }) => {
        const whole = await storeOf(statements);
        const cut = await storeOf(statements.filter(({ asOf }) => asOf <= day));
        const rows = async (line: string, store: string) =>
          (await asof([...line.split(' '), '--no-header', '--store', store])).out;
        const revisions = 'revisions GDP --date 2020-02-01';
        expect((await rows(revisions, whole)).startsWith(await rows(revisions, cut))).toBe(true);
        expect((await rows('vintages GDP', whole)).endsWith(await rows('vintages GDP', cut))).toBe(true);
      }),
      { numRuns: runs(15) },
    );
  });
});
