import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from '../../../src/import/files/walk.ts';
import { formatOfKind } from '../../../src/import/formats/recognise.ts';
import { readAll, realFile } from '../source-file.ts';

const datedPanel = formatOfKind('dated-panel');
const fredMd = formatOfKind('fred-md');
const fredQd = formatOfKind('fred-qd');

/** What a data folder holds of the panels, read off the files. */
export type PanelFacts = {
  /** Cells of FRED-MD: the row of that date in the column of that name. */
  readonly fredMd: readonly (readonly [
    file: string,
    id: string,
    date: string,
    asOf: string,
    value: string,
  ])[];
  /** The series of FRED-QD. */
  readonly fredQd: number;
};

/** Tests of real panels in a data folder. */
export function panelsSuite(data: string, facts: PanelFacts): void {
  describe('a real panel of FRED-MD', () => {
    const archive = join(data, 'macro/fred-md/fred-md-vintages.zip');

    it.each(facts.fredMd)('in %s gives %s for %s', async (name, seriesId, date, asOf, value) => {
      const file = (await sourceFiles([archive])).find((member) => member.name === name);
      if (file === undefined) throw new Error(`no ${name}`);
      const { statements } = await readAll(fredMd, file);
      expect(statements).toContainEqual({ seriesId, date, asOf, value });
    });
  });

  describe('the real panel of FRED-QD', () => {
    it('of 2021-04 is quarterly', async () => {
      const records = await readAll(fredQd, realFile(data, 'macro/fred-qd/fredqd.csv'), {
        asOf: '2021-04-30',
      });
      expect(records.implied).toHaveLength(facts.fredQd);
      expect(records.implied.filter(({ frequency }) => frequency !== 'Q')).toEqual([]);
      expect(records.statements).toContainEqual({
        seriesId: 'GDPC1',
        date: '2021-03-01',
        asOf: '2021-04-30',
        value: '19087.568',
      });
    });
  });

  describe('a real dated panel', () => {
    it.each([
      ['2016-07-29', 'PAYEMS', '2016-06-01', '144175'],
      ['2016-08-05', 'PAYEMS', '2016-07-01', '144448'],
      ['2016-08-05', 'UNRATE', '2016-07-01', '4.9'],
    ])('of %s gives %s for %s', async (vintage, seriesId, date, value) => {
      const records = await readAll(datedPanel, realFile(data, `macro/dated-panel/${vintage}.csv`));
      expect(records.statements).toContainEqual({ seriesId, date, asOf: vintage, value });
    });

    it('has three quarterly series among 29', async () => {
      const { implied } = await readAll(datedPanel, realFile(data, 'macro/dated-panel/2017-01-27.csv'));
      expect(implied).toHaveLength(29);
      expect(implied.filter(({ frequency }) => frequency === 'Q').map(({ seriesId }) => seriesId)).toEqual([
        'GDPC1',
        'ULCNFB',
        'A261RX1Q020SBEA',
      ]);
    });
  });
}
