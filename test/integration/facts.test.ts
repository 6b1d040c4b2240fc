import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agreeing, days, onePerKey, runs, seriesIds } from '../support/arbitrary.ts';
import { asof } from '../support/command.ts';
import { asAsofCsv, asFredCsv } from '../support/encodings.ts';
import { scratchFolder } from '../support/folders.ts';
import { emptyModel, expectKnowledge, importInto } from '../support/knowledge.ts';
import { facts, importFiles, importPaths, newStorePath } from '../support/scratch-store.ts';

const folder = scratchFolder();

/** The file of the facts of every series of a store. */
async function factsOf(store: string): Promise<string> {
  const output = join(dirname(store), 'facts.csv');
  expect((await asof(['facts', '*', '-o', output, '--store', store])).code).toBe(0);
  return output;
}

const textOf = async (store: string) => readFileSync(await factsOf(store), 'utf8');

/** A store that was made from the facts of another, and nothing else. */
async function copyOf(store: string): Promise<string> {
  const copy = newStorePath(folder);
  await importPaths(copy, [await factsOf(store)], { projections: true });
  return copy;
}

/** The same lines as asof writes them of days of publication; `about` has the rest of each series. */
const exactFacts = (about: Readonly<Record<string, string>>, ...lines: readonly string[]) =>
  facts(...lines)
    .replace(/\n/, ',vintage_kind,title,units,frequency,seasonal_adjustment,source,covered_to\n')
    .replace(/^([XY])(.*)$/gm, (_, id, rest) => `${id}${rest},exact,${about[id]}`);

describe('the output of asof facts', () => {
  it('makes a store with the same statements and answers, withdrawals by complete vintages among them', async () => {
    const [series, vintages] = [fc.constantFrom(...seriesIds), fc.constantFrom(...days)];
    await fc.assert(
      fc.asyncProperty(agreeing, series, vintages, async (items, seriesId, asOf) => {
        const said = onePerKey(items.map((item) => item.said));
        const vintage = said.filter((item) => item.series === seriesId && item.asOf === asOf);
        const others = said.filter((item) => !vintage.includes(item));
        const store = newStorePath(folder);
        for (const { files, flags } of asFredCsv(vintage))
          await importFiles(store, files, { ...flags, complete: true, projections: true });
        if (others.length > 0)
          await importFiles(store, asAsofCsv(others)[0]?.files ?? {}, { projections: true });
        const copy = await copyOf(store);
        const complete = vintage.length === 0 ? [] : [{ series: seriesId, asOf }];
        const known = importInto(emptyModel, said, { complete }).after;
        await expectKnowledge(copy, known);
        expect(await textOf(copy)).toBe(await textOf(store));
        // A date that no statement mentioned was withdrawn too; the copy has that as well.
        const late = { series: seriesId, date: '2031-01-01', asOf: '1999-01-01', value: '5' };
        await importFiles(copy, asAsofCsv([late])[0]?.files ?? {}, { projections: true });
        await expectKnowledge(copy, importInto(known, [late]).after);
      }),
      { numRuns: runs(15) },
    );
  });

  it('changes nothing when it is imported into the store that it came from', async () => {
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
    const before = exactFacts(
      { X: ',,Q,,,2020-09-01', Y: ',,,,,2020-05-01' },
      'X 2020-01-01 2020-05-01 1.5',
      'X 2020-01-01 2020-06-01 1.50',
      'X 2020-04-01 2020-08-01',
      'X 2020-04-01 2020-09-01 2',
      'Y 2020-01-01 2020-05-01',
    );
    expect(await textOf(store)).toBe(before);
    const [summary] = await importPaths(store, [await factsOf(store)]);
    expect(summary).toMatchObject({ statementsNew: 0, statementsKnown: 5 });
    expect([await textOf(store), await textOf(await copyOf(store))]).toEqual([before, before]);
  });

  it('brings titles, sources, coverage and the unit of each vintage into another store', async () => {
    const store = newStorePath(folder);
    const about = 'Real output,M,Seasonally adjusted,Own,2021-06-30';
    const header = `${facts().trim()},title,frequency,seasonal_adjustment,source,covered_to,units`;
    await importFiles(store, {
      'facts.csv': [
        header,
        `X,2020-01-01,2020-02-01,100,${about},Dollars of 2009`,
        `X,2020-01-01,2020-08-01,112,${about},Dollars of 2012`,
        '',
      ].join('\n'),
    });
    const copy = await copyOf(store);
    const shown = async (path: string, ...words: readonly string[]) =>
      JSON.parse((await asof([...words, '--json', '--store', path])).out).results;
    const [series] = await shown(copy, 'series', 'show', 'X');
    expect(series).toMatchObject({
      ...{ title: 'Real output', units: 'Dollars of 2012', frequency: 'M', source: 'Own' },
      ...{ seasonal_adjustment: 'Seasonally adjusted', covered_to: '2021-06-30T00:00:00Z' },
    });
    expect(await shown(store, 'series', 'show', 'X')).toEqual([series]);
    expect(await shown(copy, 'obs', 'X', '--as-of', '2020-03-01')).toMatchObject([
      { value: '100', unit: 'Dollars of 2009' },
    ]);
  });
});
