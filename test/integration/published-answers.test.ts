import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { observations } from '../../src/operations/index.ts';
import { createService, owner } from '../../src/service/service.ts';
import { facts } from '../support/facts-tables.ts';
import {
  importPaths,
  newStorePath,
  observationsIn,
  reading,
  scratchFolder,
  withStore,
} from '../support/scratch-store.ts';
import { hasShared, shared } from '../support/source-file.ts';

const folder = scratchFolder();

/** The value and its as-of date that the service gives for a date as of a day, newest first; empty where it gives none. */
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

describe.skipIf(!hasShared)('the true answers of data/facts (skipped where ../shared is not at hand)', () => {
  const path = newStorePath(folder);

  beforeAll(async () => {
    await importPaths(path, [join(shared, 'data/macro/fred-api/GDP-observations-all-realtime.json')]);
    await importPaths(path, [join(shared, 'data/macro/rtdsm')]);
  });

  test('400 of GDP, with the days of publication', async () => {
    const rows = facts('gdp-as-of.tsv');
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

  test('300 of the Real-Time Data Set', async () => {
    const rows = facts('rtdsm-as-of.tsv');
    const questions = rows.map(({ rtdsm_variable = '', date = '', vintage = '' }) => ({
      series: rtdsm_variable.toUpperCase(),
      date,
      asOf: vintage,
    }));
    expect(questions.length).toBe(300);
    const answers = await answersOf(path, questions);
    expect(answers.map(({ value }) => (value === '' ? '' : Number(value)))).toEqual(
      rows.map(({ value = '' }) => (value === '' ? '' : Number(value))),
    );
  });

  test('the first releases that FRED itself counts, from the first vintage on', async () => {
    const { observations: released } = JSON.parse(
      await readShared('data/macro/fred-api/GDP-observations-output_type4.json'),
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

async function readShared(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(join(shared, path), 'utf8');
}
