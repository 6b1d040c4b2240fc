import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../support/arbitrary.ts';
import { asof } from '../../support/command.ts';
import {
  asJsonStat,
  asSdmxCsv,
  asSdmxCsv1,
  asTsv,
  type EurostatCell,
  type EurostatTable,
  recordedGdpCsv,
  recordedGdpTable,
} from '../../support/eurostat.ts';
import { scratchFolder } from '../../support/folders.ts';
import { contentOf as seriesIn } from '../../support/pull/pulling.ts';
import { allStatements, contentOf, importFiles, newStorePath, reading } from '../../support/scratch-store.ts';

const folder = scratchFolder();

/** The forms of a table; those with labels come first. */
const forms: readonly (readonly [name: string, write: (table: EurostatTable) => string])[] = [
  ['a.json', asJsonStat],
  ['b.csv', (table) => asSdmxCsv(table, true)],
  ['c.csv', (table) => asSdmxCsv(table, false)],
  ['d.csv', asSdmxCsv1],
  ['e.tsv', asTsv],
];

async function storeOf(files: Readonly<Record<string, string>>): Promise<string> {
  const store = newStorePath(folder);
  await importFiles(store, files, { latest: '2030-01-01' });
  return store;
}

/** Every statement of a store, and how its vintages came about. */
function statedIn(store: string) {
  return reading(store, async (view) => {
    const all: unknown[] = [];
    for (const id of await view.contents.seriesIds()) {
      const {
        version: _,
        title: _title,
        units: _units,
        ...series
      } = (await seriesIn(store, id)).series as Record<string, unknown>;
      all.push(id, series, await allStatements(view, id));
    }
    return all;
  });
}

/** Expects all forms of a table, alone and one after the other, to give one store. */
async function expectOneStore(table: EurostatTable): Promise<void> {
  const stores = await Promise.all(forms.map(([name, write]) => storeOf({ [name]: write(table) })));
  const [first = '', second = '', ...others] = stores;
  expect(await contentOf(second)).toEqual(await contentOf(first));
  const stated = await statedIn(first);
  for (const store of others) expect(await statedIn(store)).toEqual(stated);
  const all = await storeOf(Object.fromEntries(forms.map(([name, write]) => [name, write(table)])));
  expect(await contentOf(all)).toEqual(await contentOf(first));
}

const dimensions = ['freq', 'revdate', 's_adj', 'nace_r2', 'unit', 'geo'];

const anyCell: fc.Arbitrary<EurostatCell> = fc
  .tuple(
    fc.constantFrom('2021-01-14', '2021-02-12', '2024-08-05', '2026-08-13'),
    fc.constantFrom('SCA', 'CA'),
    fc.constantFrom('I21', 'RT1'),
    fc.constantFrom('EA', 'DE', 'EL'),
    // Within two years: a file with a shorter last vintage counts as cut.
    fc.constantFrom('2022-06', '2022-12', '2023-01', '2024-05'),
    fc.constantFrom('101.5', '-0.3', '0', '98765432109876543210.123456789', '1e-7', ':'),
    fc.constantFrom('', 'p', 'bep'),
    fc.constantFrom('', 'C'),
  )
  .map(([revdate, adjustment, unit, geo, period, figure, flag, conf]) => ({
    ...{ codes: ['M', revdate, adjustment, 'B-D', unit, geo], period, figure },
    ...{ flag, conf },
  }));

const anyTable: fc.Arbitrary<EurostatTable> = fc
  .uniqueArray(anyCell, {
    minLength: 1,
    maxLength: 40,
    selector: ({ codes, period }) => `${codes.join()} ${period}`,
  })
  .filter((cells) => cells.some(({ figure }) => figure !== ':'))
  // A series or a revision date without any figure is in no table.
  .map((cells) =>
    cells.filter(({ codes }) => cells.some((one) => one.figure !== ':' && one.codes.join() === codes.join())),
  )
  .map((cells) => ({
    ...{ name: 'EI_IS_M_VTG', title: 'Industrial production - monthly  data - vintages from 2021 onwards' },
    labels: { I21: 'Index, 2021=100', EA: 'Euro area (EA11-1999, EA21-2026)', DE: 'Germany "D"' },
    ...{ dimensions, updated: '2026-09-14T23:00:00+0200', cells },
  }));

describe('importing a vintage table of Eurostat', () => {
  it('gives the same store from each of its forms', () =>
    fc.assert(fc.asyncProperty(anyTable, expectOneStore), { numRuns: runs(15) }));

  it('gives the same store from each form of the recorded table', async () => {
    await expectOneStore(recordedGdpTable);
    const recorded = await storeOf({ 'recorded.csv': recordedGdpCsv });
    expect(await contentOf(recorded)).toEqual(
      await contentOf(await storeOf({ 'a.json': asJsonStat(recordedGdpTable) })),
    );
  });

  it('keeps the figures that a later row leaves out', async () => {
    // Eurostat's row of 2024-08-05 for Slovenia ends in 1999; that of 2024-08-15 has all months again.
    const cell = (revdate: string, period: string, figure: string): EurostatCell => ({
      codes: ['M', revdate, 'SCA', 'B-D', 'I21', 'SI'],
      ...{ period, figure },
    });
    const cells = [
      ...[cell('2024-07-11', '1999-01', '56.8'), cell('2024-07-11', '2024-05', '95.5')],
      cell('2024-08-05', '1999-01', '56.8'),
    ];
    const store = await storeOf({
      'a.tsv': asTsv({ name: 'EI_IS_M_VTG', title: '', dimensions, labels: {}, updated: '', cells }),
    });
    const line =
      'obs ESTAT:EI_IS_M_VTG.M.SCA.B-D.I21.SI --as-of 2024-08-05 --columns date,value,as_of_date --no-header';
    const { out } = await asof([...line.split(' '), '--store', store]);
    expect(out).toBe('2024-05-01,95.5,2024-07-11\n1999-01-01,56.8,2024-07-11\n');
  });

  it('gives vintages that were published on their days, and takes ids in any case', async () => {
    const store = await storeOf({ 'recorded.csv': recordedGdpCsv });
    const line =
      'obs estat:ei_na_q_vtg.q.sca.clv05_meur.ea --as-of 2020-07-31 --exact --limit 2 --columns date,value --no-header';
    const { code, out } = await asof([...line.split(' '), '--store', store]);
    expect([code, out]).toEqual([0, '2020-04-01,2097429.7\n2020-01-01,2386409.9\n']);
  });
});
