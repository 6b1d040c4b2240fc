import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { agreeing, days, onePerKey, runs, seriesIds } from '../support/arbitrary.ts';
import { asAsofCsv, asFredCsv } from '../support/encodings.ts';
import { expectKnowledge } from '../support/expect-knowledge.ts';
import { scratchFolder } from '../support/folders.ts';
import { emptyModel, importInto } from '../support/knowledge.ts';
import { facts, importFiles, importPaths, newStorePath } from '../support/scratch-store.ts';

const folder = scratchFolder();

/** The output of `asof facts` for every series of a store. */
async function factsOf(store: string): Promise<string> {
  const output = join(dirname(store), 'facts.csv');
  expect((await runFacts(['*', '-o', output], store)).code).toBe(0);
  return output;
}

/** The exit code and the messages of `asof facts`. */
async function runFacts(argv: readonly string[], store: string) {
  const stderr = new PassThrough().setEncoding('utf8');
  const io = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr,
    env: {},
    folders: { data: '', config: '', cache: '' },
    clock: () => new Date('2026-01-15T12:00:00Z'),
    signal: new AbortController().signal,
  };
  return { code: await main(['facts', ...argv, '--store', store], io), said: String(stderr.read() ?? '') };
}

/** The same lines as asof writes them of days of publication. */
function exactFacts(...lines: readonly string[]): string {
  const [header, ...rows] = facts(...lines)
    .trim()
    .split('\n');
  return `${[`${header},vintage_kind`, ...rows.map((row) => `${row},exact`)].join('\n')}\n`;
}

/** A store that was made from the facts of another, and nothing else. */
async function copyOf(store: string): Promise<string> {
  const copy = newStorePath(folder);
  await importPaths(copy, [await factsOf(store)], { projections: true });
  return copy;
}

describe('the output of asof facts', () => {
  test('makes a store with the same statements and answers', async () => {
    await fc.assert(
      fc.asyncProperty(agreeing, async (statements) => {
        const said = statements.map((item) => item.said);
        const store = newStorePath(folder);
        await importFiles(store, asAsofCsv(said)[0]?.files ?? {}, { projections: true });
        const copy = await copyOf(store);
        await expectKnowledge(copy, importInto(emptyModel, said).after);
        expect(readFileSync(await factsOf(copy))).toEqual(readFileSync(await factsOf(store)));
      }),
      { numRuns: runs(25) },
    );
  });

  test('states every date that a complete vintage withdrew by not listing it', async () => {
    await fc.assert(
      fc.asyncProperty(
        agreeing,
        fc.constantFrom(...seriesIds),
        fc.constantFrom(...days),
        async (items, series, asOf) => {
          const said = onePerKey(items.map((item) => item.said));
          const isOfVintage = (item: { series: string; asOf: string }) =>
            item.series === series && item.asOf === asOf;
          const vintage = said.filter(isOfVintage);
          fc.pre(vintage.length > 0);
          const store = newStorePath(folder);
          for (const { files, flags } of asFredCsv(vintage))
            await importFiles(store, files, { ...flags, complete: true, projections: true });
          await importFiles(store, asAsofCsv(said.filter((item) => !isOfVintage(item)))[0]?.files ?? {}, {
            projections: true,
          }).catch(isEmptyFile);
          const copy = await copyOf(store);
          const known = importInto(emptyModel, said, { complete: [{ series, asOf }] }).after;
          await expectKnowledge(copy, known);
          // A date that no statement mentioned was withdrawn too; the copy has that as well.
          const late = { series, date: '2031-01-01', asOf: '1999-01-01', value: '5' };
          await importFiles(copy, asAsofCsv([late])[0]?.files ?? {}, { projections: true });
          await expectKnowledge(copy, importInto(known, [late]).after);
        },
      ),
      { numRuns: runs(20) },
    );
  });

  test('changes nothing when it is imported into the store that it came from', async () => {
    const store = newStorePath(folder);
    await importFiles(store, {
      'facts.csv': facts(
        'X 2020-03-31 2020-05-01 1.5',
        'X 2020-03-31 2020-06-01 1.50',
        'X 2020-06-30 2020-08-01',
        'X 2020-06-30 2020-09-01 2',
        'Y 2020-01-01 2020-05-01',
      ),
      'metadata.csv': 'series_id,frequency\nX,Q\n',
    });
    const before = readFileSync(await factsOf(store), 'utf8');
    expect(before).toBe(
      exactFacts(
        'X 2020-01-01 2020-05-01 1.5',
        'X 2020-01-01 2020-06-01 1.50',
        'X 2020-04-01 2020-08-01',
        'X 2020-04-01 2020-09-01 2',
        'Y 2020-01-01 2020-05-01',
      ),
    );
    const [summary] = await importPaths(store, [await factsOf(store)]);
    expect(summary).toMatchObject({ statementsNew: 0, statementsKnown: 5 });
    expect(readFileSync(await factsOf(store), 'utf8')).toBe(before);
    expect(readFileSync(await factsOf(await copyOf(store)), 'utf8')).toBe(before);
  });

  test('leaves out the series that the curves answer, and says so for an id of one', async () => {
    const store = newStorePath(folder);
    const curves = 'Date,"2 Yr","10 Yr"\n01/14/2015,0.53,1.86\n';
    await importFiles(store, { 'curves.csv': curves });
    const refused = "asof: series '%' has no statements: the curves answer it\n";
    for (const id of ['DGS10', 'T10Y2Y', '*', 'DGS*']) {
      const { code, said } = await runFacts([id, '-q'], store);
      expect([code, said.replace(/ {6}.*\n/, '')]).toEqual([3, refused.replace('%', id)]);
    }
    expect(await runFacts(['DFII', '-q'], store)).toMatchObject({ code: 3 });
    await importFiles(store, { 'facts.csv': facts('T10Y2Y 2015-01-14 2015-01-15 1.33') });
    expect(readFileSync(await factsOf(store), 'utf8')).toBe(exactFacts('T10Y2Y 2015-01-14 2015-01-15 1.33'));
  });
});

/** Ignores the refusal of an empty file, where every statement was in the vintage. */
function isEmptyFile(error: unknown): void {
  if (!(error instanceof Error && error.message.includes('has a header and no rows'))) throw error;
}
