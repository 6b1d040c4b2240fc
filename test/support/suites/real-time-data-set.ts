import { describe, expect, it } from 'vitest';
import { rtdsm } from '../../../src/import/formats/rtdsm.ts';
import { readAll, realFile } from '../source-file.ts';
import { naiveAsOf, trueAnswers } from '../true-answers.ts';

/** A workbook, its frequency and the number of its vintages, counted without asof. */
export type WorkbookCounts = readonly [
  variable: string,
  file: string,
  frequency: 'M' | 'Q',
  vintages: number,
];

/** Tests of real workbooks of the Real-Time Data Set in a data folder: each has 100 true answers. */
export function realTimeDataSetSuite(data: string, workbooks: readonly WorkbookCounts[]): void {
  describe('a real workbook of the Real-Time Data Set', () => {
    it.each(workbooks)('of %s (%s) gives every true answer', async (variable, name, frequency, vintages) => {
      const records = await readAll(rtdsm, realFile(data, `macro/rtdsm/${name}`));
      expect(records.implied).toEqual([{ seriesId: variable, frequency }]);
      expect(records.coverage).toHaveLength(vintages);
      const asked = trueAnswers('rtdsm-as-of.tsv').filter(
        (fact) => fact.rtdsm_variable?.toUpperCase() === variable,
      );
      expect(asked).toHaveLength(100);
      const given = asked.map(({ date = '', vintage = '', ...rest }) => ({
        ...rest,
        date,
        vintage,
        value: naiveAsOf(records.statements, date, vintage).value,
      }));
      expect(given).toEqual(asked);
    });
  });
}
