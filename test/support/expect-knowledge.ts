import { expect } from 'vitest';
import { days, seriesIds } from './arbitrary.ts';
import {
  asOf,
  firstReleases,
  type NaiveModel,
  revisionsOf,
  statementsOf,
  vintageCounts,
  vintagesOf,
} from './knowledge.ts';
import { allStatements, observationsIn, reading } from './scratch-store.ts';

/** Every day on which an answer can change, and days around it. */
const askedDays = [
  ...new Set([...days, '2019-12-30', '2020-02-14', '2020-06-29', '2022-07-01', '2025-12-30']),
];

/** Expects that a store answers like the naive model, for every date and every as-of date. */
export async function expectKnowledge(path: string, knowledge: NaiveModel): Promise<void> {
  await reading(path, async (view) => {
    for (const seriesId of seriesIds) {
      const everything = { seriesId, limit: 1000 };
      expect(await observationsIn(view, everything)).toEqual(asOf(knowledge, seriesId));
      expect(await observationsIn(view, { ...everything, firstRelease: true })).toEqual(
        firstReleases(knowledge, seriesId),
      );
      for (const day of askedDays) {
        const found = await observationsIn(view, { ...everything, asOf: day });
        expect(found).toEqual(asOf(knowledge, seriesId, day));
        expect(found.every(({ asOfDate }) => asOfDate <= day)).toBe(true);
        expect(await observationsIn(view, { ...everything, asOf: day, firstRelease: true })).toEqual(
          firstReleases(knowledge, seriesId, day),
        );
      }
      const listed = (await view.series.vintages(everything))?.rows ?? [];
      // How they came about depends on the format that was drawn.
      expect(listed.map(({ kind: _, ...counts }) => counts)).toEqual(vintageCounts(knowledge, seriesId));
      const statements = statementsOf(knowledge, seriesId);
      for (const date of new Set(statements.map((statement) => statement.date))) {
        const revised = (await view.series.revisions({ seriesId, from: date, to: date }))?.rows ?? [];
        expect(revised.map(({ kind: _, ...change }) => change)).toEqual(
          revisionsOf(knowledge, seriesId, date),
        );
      }
      const every = (await view.series.revisions({ seriesId }))?.rows ?? [];
      const dates = [...new Set(statements.map(({ date }) => date))].sort().reverse();
      expect(every.map(({ kind: _, ...change }) => change)).toEqual(
        dates.flatMap((date) => revisionsOf(knowledge, seriesId, date)),
      );
      const valued = statements.filter(({ value }) => value !== null).map(({ date }) => date);
      expect((await view.series.vintages(everything))?.firstDate).toBe(valued.sort()[0]);
      const stated = await allStatements(view, seriesId);
      expect(stated.map(({ kind: _, ...statement }) => statement)).toEqual(
        statements.map(({ date, asOf: day, value }) => ({ seriesId, date, asOf: day, value })),
      );
      const series = await view.series.find(seriesId);
      const vintages = vintagesOf(knowledge, seriesId);
      expect(
        series && [series.observationCount, series.firstVintage, series.lastVintage, series.coveredTo],
      ).toEqual(
        vintages.length === 0
          ? undefined
          : [asOf(knowledge, seriesId).length, vintages[0], vintages.at(-1), vintages.at(-1)],
      );
    }
  });
}
