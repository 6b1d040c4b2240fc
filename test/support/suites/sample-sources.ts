import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CurveType } from '../../../src/domain/treasury/curve.ts';
import { samplePath } from '../../../src/index.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Series, Store } from '../../../src/store/store.ts';
import { scratchFolder } from '../folders.ts';
import * as raw from '../raw-statements.ts';
import { builtProgram, dataPath } from '../repository.ts';
import { allStatements } from '../scratch-store.ts';

/**
 * Tests that compare the sample with the files of a data folder. Of whole files the sample has everything and nothing
 * else; of extracts it has everything.
 */
export function sampleSourcesSuite(data: string, { whole }: { readonly whole: boolean }): void {
  describe('the sample, compared with its source files,', () => {
    const folder = scratchFolder();
    let store: Store;
    let series: readonly Series[];

    beforeAll(async () => {
      store = await openStore(samplePath());
      series = await store.read((view) => view.series.search({ text: '', limit: 1000 }));
    });
    afterAll(() => store.close());

    /** What is missing in the sample, and what it has beyond whole files. */
    const differences = (held: readonly string[], published: readonly string[]) =>
      raw.differences(held, published).filter((text) => whole || text.startsWith('missing'));

    async function statements(id: string): Promise<string[]> {
      const found = await store.read((view) => allStatements(view, id));
      return found.map(({ date, asOf, value }) => `${date} ${asOf} ${value ?? ''}`);
    }

    async function rates(curveType: CurveType): Promise<string[]> {
      const points = await store.read((view) => view.rates.yields({ curveType, limit: 1_000_000 }));
      return points.map(({ tradeDate, maturity, rate }) => `${tradeDate} ${maturity} ${rate}`);
    }

    it('has every statement about GDP, and no other', async () => {
      expect(raw.differences(await statements('GDP'), raw.rawGdp(data))).toEqual([]);
    });

    it('describes GDP as FRED does, so that the description of FRED does not contradict it', () => {
      const given = raw.rawGdpDescription(data);
      expect(series.find(({ id }) => id === 'GDP')).toMatchObject({
        title: given.title,
        units: given.units,
        frequency: given.frequency_short,
        seasonalAdjustment: given.seasonal_adjustment_short,
      });
    });

    const workbooks = raw.rawWorkbooks(data).map((file) => {
      const variable = file.replace(/(Qv|Mv).*/, '').toUpperCase();
      return [file, raw.variables[variable] ?? ''] as const;
    });

    it.each(workbooks)('has every cell of %s, as %s, and no other', async (file, id) => {
      const expected = await raw.rawWorkbook(data, file);
      expect(expected.length).toBeGreaterThan(30_000);
      expect(raw.differences(await statements(id), expected)).toEqual([]);
    });

    it('has every figure of those series of the panels that no other source has', async () => {
      const own = series.filter(({ source }) => source === 'FRED dated panel');
      expect(own).toHaveLength(24);
      for (const { id, frequency } of own) {
        const expected = raw.rawPanel(data, id, frequency);
        expect(expected.length, id).toBeGreaterThan(whole ? 700 : 20);
        expect(differences(await statements(id), expected), id).toEqual([]);
      }
    });

    it('has every rate of both curves', async () => {
      expect(differences(await rates('PAR'), raw.rawParRates(data))).toEqual([]);
      expect(differences(await rates('TIPS'), raw.rawTipsRates(data))).toEqual([]);
    });

    it('knows everything in its source files already, and refuses the wrong TIPS file', async () => {
      const copy = join(folder, 'copy.db');
      copyFileSync(samplePath(), copy);
      const files = [
        'macro/fred-api/GDP-observations-all-realtime.json',
        'macro/fred-api/GDP-observations-realtime_end-2019-01-01.json',
        'macro/fred-api/GDP-series.json',
        'macro/rtdsm/ROUTPUTQvQd.xlsx',
        'treasury/par-xml',
        'sec/form345-maia-reencoded',
      ].map((name) => dataPath(data, name));
      const asof = (...words: readonly string[]) =>
        execFileSync(process.execPath, [builtProgram, 'import', ...words, '--store', copy], {
          stdio: 'pipe',
        });
      asof(...files, '--id', 'ROUTPUT=GDPC1', '--quiet');
      const opened = await openStore(copy);
      const made = (await opened.read((view) => view.sources.imports())).filter(({ file }) =>
        file.startsWith(data),
      );
      await opened.close();
      expect(made.length).toBe(4 + readdirSync(join(data, 'treasury/par-xml')).length + 4);
      expect(made.map(({ statementsNew }) => statementsNew)).toEqual(made.map(() => 0));
      expect(() => asof(join(data, 'treasury/tips-csv'))).toThrow(/there is no 20Y rate before 2004-07-27/);
    });
  });
}
