import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { observations } from '../../../src/operations/series/observations.ts';
import { createService, owner } from '../../../src/service/service.ts';
import { scratchFolder } from '../folders.ts';
import { dataPath, readData, trueAnswers } from '../repository.ts';
import { importPaths, newStorePath, observationsIn, reading, withStore } from '../scratch-store.ts';

/**
 * The value and its as-of date that the service gives for a date as of a day, newest first; empty where it gives
 * none.
 */
async function answersOf(path: string, questions: readonly { series: string; date: string; asOf: string }[]) {
  return withStore(path, async (store) => {
    const service = createService({ store });
    const answers: { value: string; asOfDate: string }[] = [];
    for (const { series, date, asOf } of questions) {
      const { results } = await service.answer(
        observations,
        [
          ['id', series],
          ['as_of', asOf],
          ['from', date],
          ['to', date],
        ],
        owner,
      );
      const [row] = results;
      answers.push({ value: String(row?.value ?? ''), asOfDate: String(row?.as_of_date ?? '').slice(0, 10) });
    }
    return answers;
  });
}

/**
 * Tests that a store of the real files of a data folder gives the published answers, 100 about each of these
 * workbooks.
 */
export function publishedAnswersSuite(data: string, variables: readonly string[]): void {
  describe('a store of real files', () => {
    const path = newStorePath(scratchFolder());

    beforeAll(async () => {
      await importPaths(path, [dataPath(data, 'macro/fred-api/GDP-observations-all-realtime.json')]);
      await importPaths(path, [join(data, 'macro/rtdsm')]);
    });

    it('gives the 400 true answers about GDP, with their vintage dates', async () => {
      const rows = trueAnswers('gdp-as-of.tsv');
      const questions = rows.map(({ series_id = '', date = '', as_of = '' }) => ({
        series: series_id,
        date,
        asOf: as_of,
      }));
      expect(questions.length).toBe(400);
      expect(await answersOf(path, questions)).toEqual(
        rows.map(({ value, as_of_date }) => ({ value, asOfDate: as_of_date })),
      );
    });

    it('gives every true answer about the Real-Time Data Set', async () => {
      const rows = trueAnswers('rtdsm-as-of.tsv').filter(({ rtdsm_variable = '' }) =>
        variables.includes(rtdsm_variable.toUpperCase()),
      );
      const questions = rows.map(({ rtdsm_variable = '', date = '', vintage = '' }) => ({
        series: rtdsm_variable.toUpperCase(),
        date,
        asOf: vintage,
      }));
      expect(questions.length).toBe(100 * variables.length);
      const answers = await answersOf(path, questions);
      expect(answers.map(({ value }) => (value === '' ? '' : Number(value)))).toEqual(
        rows.map(({ value = '' }) => (value === '' ? '' : Number(value))),
      );
    });

    it('gives the first releases that FRED counts, from the first vintage on', async () => {
      const { observations: released } = JSON.parse(
        readData(data, 'macro/fred-api/GDP-observations-output_type4.json').toString('utf8'),
      ) as { observations: { date: string; value: string; realtime_start: string }[] };
      const rows = await reading(path, (view) =>
        observationsIn(view, { seriesId: 'GDP', firstRelease: true, limit: 1000 }),
      );
      const oldest = rows.at(-1)?.date ?? '';
      expect(rows.length).toBeGreaterThan(125);
      expect([...rows].reverse()).toEqual(
        released
          .filter(({ date, value }) => date >= oldest && value !== '.')
          .map(({ date, value, realtime_start }) => ({ date, value, asOfDate: realtime_start })),
      );
    });
  });
}
