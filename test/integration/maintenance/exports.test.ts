import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { samplePath } from '../../../src/platform/installation.ts';
import { runs } from '../../support/arbitrary.ts';
import { asof } from '../../support/command.ts';
import { importMixed, mixedImports } from '../../support/encodings.ts';
import { sqlite } from '../../support/engines.ts';
import { anyFiling, filing, owner } from '../../support/filings.ts';
import { scratchFolder } from '../../support/folders.ts';
import { root } from '../../support/repository.ts';
import { failureOf, importFilings, importPaths } from '../../support/scratch-store.ts';

const folder = scratchFolder();
let files = 0;

/** The output of a command that succeeds or finds nothing, without ids of requests. */
async function answer(line: string, store: string): Promise<string> {
  const { code, out, err } = await asof([...line.split(' '), '-q', '--store', store]);
  expect([0, 3], `asof ${line}: ${err}`).toContain(code);
  return out.replaceAll(/"request_id": ?"req_[0-9a-f]+"/g, '"request_id"');
}

/** The file into which a command writes its answer; undefined if that has no rows. */
async function exported(line: string, ending: string, store: string): Promise<string | undefined> {
  files += 1;
  const file = join(folder, `export-${files}.${ending}`);
  // Facts always have their header.
  const flags = line.startsWith('facts') ? [] : ['--fail-empty'];
  const { code, err } = await asof([...line.split(' '), ...flags, '-q', '-o', file, '--store', store]);
  expect([0, 9], `asof ${line}: ${err}`).toContain(code);
  return code === 0 ? file : undefined;
}

/** The same answer as it is written to a file. */
async function written(line: string, ending: string, store: string): Promise<string | undefined> {
  const file = await exported(line, ending, store);
  return file && readFileSync(file, 'latin1').replaceAll(/req_[0-9a-f]+/g, 'req_');
}

const everyFiling = 'insider filings --from 2000-01-01 --all';

/** What is asked of both stores. */
const questions = [
  'series search --all --json',
  'facts *',
  'observations GDP CPI X1 --as-of 2020-06-30 --all --json',
  'observations GDP CPI X1 --all --json',
  'vintages GDP --all --json',
  'revisions CPI --csv',
  `${everyFiling} --json`,
  'insider clusters --min-insiders 1 --json --all',
  'insider clusters --min-insiders 1 --explain --csv --all',
];

const ratesAsked = ['yields --all --json', 'curve --date 2015-01-05 --json', 'series show DGS10 --json'];

const tables = fc.constantFrom('csv', 'tsv', 'json', 'ndjson', 'parquet');

/** The columns of filings with those that JSON alone has unless they are named. */
const [, usual = ''] =
  /^Columns: (`filing_date`.*)\.$/m.exec(
    readFileSync(join(root, 'docs/reference/command-line.md'), 'utf8'),
  ) ?? [];
const namedColumns = `--columns ${usual.replaceAll(/[` ]/g, '')},original_filing_date,owners,filing_id`;
const allColumns = [namedColumns, '--columns all'];

/** An export of filings in which joint filers, amendments and filings without an accession number are whole. */
const wholeFilings = fc
  .tuple(fc.constantFrom('json', 'ndjson', 'csv', 'tsv'), fc.constantFrom(...allColumns))
  .map(([ending, columns]) => ({ ending, flags: /json/.test(ending) ? '' : ` ${columns}` }));

/** Filings of which some have no accession number, and amendments that name the day of their original. */
const filings = fc.array(
  fc
    .record({ filing: anyFiling, isNamed: fc.boolean(), original: fc.constantFrom(null, '2025-12-30') })
    .map(({ filing, isNamed, original }) => ({
      ...filing,
      isDerivative: filing.row > 1000,
      ...(!isNamed && { accessionNumber: null, filingId: `sha256-${filing.filingId.replaceAll('-', '')}` }),
      ...(filing.formType.endsWith('/A') && { originalFiledOn: original }),
    })),
  { maxLength: 8 },
);

describe('an empty store into which everything is imported that asof exports of another', () => {
  it('answers the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(mixedImports, filings, tables, wholeFilings, async (imports, trades, table, whole) => {
        const store = sqlite.newAddress();
        for (const one of imports) await importMixed(store, one);
        if (trades.length > 0) await importFilings(store, trades, { replace: true });
        const rates = 'yields --all';
        const paths = [
          await exported('facts *', 'csv', store),
          await exported(rates, table, store),
          await exported(`${everyFiling}${whole.flags}`, whole.ending, store),
        ].flatMap((path) => path ?? []);
        const copy = sqlite.newAddress();
        await importPaths(copy, paths, { projections: true });
        expect(await written(rates, table, copy)).toBe(await written(rates, table, store));
        // Parquet has numbers without their texts.
        const asked = table === 'parquet' ? questions : [...questions, ...ratesAsked];
        for (const question of asked)
          expect(await answer(question, copy), question).toBe(await answer(question, store));
      }),
      { numRuns: runs(6) },
    );
  });

  it('has the joint filers of a filing from every format', async () => {
    const fund = owner({ cik: null, name: 'Fund; "A", LP', isDirector: false, isTenPercent: true });
    const joint = filing({
      pricePerShare: '1.5',
      owners: [fund, { ...fund, name: 'Ann\tLee', isDirector: true }],
    });
    const store = sqlite.newAddress();
    await importFilings(store, [joint]);
    const exports = ['csv', 'tsv', 'parquet'].flatMap((ending) =>
      allColumns.map((columns) => [ending, columns] as const),
    );
    for (const [ending, columns] of exports) {
      const path = await exported(`${everyFiling} ${columns}`, ending, store);
      const copy = sqlite.newAddress();
      await importPaths(copy, path === undefined ? [] : [path]);
      const asked = `${everyFiling} --json`;
      expect(await answer(asked, copy), ending).toBe(await answer(asked, store));
    }
  });

  it('lists the same series after an import of the list and of the facts', async () => {
    await fc.assert(
      fc.asyncProperty(mixedImports, tables, async (imports, table) => {
        const store = sqlite.newAddress();
        for (const one of imports) await importMixed(store, one);
        const paths = await Promise.all([
          exported('series search --all', table, store),
          exported('facts *', 'csv', store),
          exported('yields --all', 'json', store),
        ]);
        const copy = sqlite.newAddress();
        const found = paths.flatMap((path) => path ?? []);
        await importPaths(copy, found, { projections: true });
        expect(await written('series search --all', table, copy)).toBe(
          await written('series search --all', table, store),
        );
      }),
      { numRuns: runs(4) },
    );
  });
});

describe('answers that lack statements', () => {
  const lines = [
    'observations GDP --as-of 2015-01-30 --limit 3',
    'observations GDP --first-release --limit 3',
    'observations GDP --units pch --limit 3',
    'revisions GDP --date 2014-10-01',
    'panel GDP PAYEMS --as-of-each month-end --from 2008-12-01 --to 2009-01-31',
    'vintages GDP --limit 3',
  ];

  const endings = ['csv', 'tsv', 'json', 'ndjson', 'parquet'];

  // Every answer in one format, and one answer in every format.
  it.each([
    ...lines.map((line, i) => [line, endings[i % endings.length] ?? '']),
    ...endings.slice(1).map((ending) => [lines[0] ?? '', ending]),
  ])('are refused with the command whose export can be imported: asof %s in %s', async (line, ending) => {
    const file = await exported(line, ending, samplePath());
    expect(await failureOf(importPaths(join(folder, 'none.db'), file === undefined ? [] : [file]))).toMatch(
      /output of asof without vintages; import the output of `?asof facts`?/,
    );
  });
});

describe('a workbook of an answer that can be imported in other formats', () => {
  it.each(['series search GDP', 'curve --date 2024-03-28', everyFiling])(
    'is refused with the format that has everything: asof %s',
    async (line) => {
      const path = await exported(line, 'xlsx', samplePath());
      await expect(
        importPaths(join(folder, 'none.db'), path === undefined ? [] : [path]),
      ).rejects.toMatchObject({ hints: ['export it with -f ndjson, which has all digits'] });
    },
  );
});
