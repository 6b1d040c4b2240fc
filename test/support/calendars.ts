import { type Sighting, sortedEntries } from '../../src/domain/calendar/sighting.ts';
import { openWriter } from '../../src/store/open.ts';
import { folder } from './example-stores.ts';
import { facts, importFiles, newStorePath } from './scratch-store.ts';

const jobs = 'Employment Situation';
const zone = 'America/New_York';

/** A look at the calendar of the BLS, with the days of the jobs report, at 08:30. */
export function lookAtJobs(
  seenAt: string,
  days: readonly string[],
  [from = '', to = ''] = ['2025-01-01', '2026-12-31'],
): Sighting {
  const entries = days.map((day) => ({ release: jobs, day, time: '08:30', zone }));
  return { source: 'BLS', scope: '', seenAt, from, to, lists: 'plans', entries: sortedEntries(entries) };
}

// The plan before the lapse of 2025 is made by hand from what the BLS had announced; the other is what its file
// says since: https://www.bls.gov/schedule/news_release/empsit.htm

/** The calendar before the lapse of 2025. */
export const beforeTheLapse = lookAtJobs('2025-09-15', [
  ...['2025-09-05', '2025-10-03', '2025-11-07', '2025-12-05'],
  ...['2026-01-09', '2026-02-06'],
]);

/** The calendar after the lapse of 2025. */
const afterTheLapse = lookAtJobs('2026-02-20', [
  ...['2025-09-05', '2025-11-20', '2025-12-16', '2026-01-09', '2026-02-11'],
]);

/** The days on which the jobs report appeared before, in and after the lapse, as ALFRED lists them. */
const jobsDays = [
  ...['2025-06-06', '2025-07-03', '2025-08-01', '2025-09-05'],
  ...['2025-11-20', '2025-12-16', '2026-01-09', '2026-02-11'],
];

/** The periods that appeared on these days; the report of October 2025 was cancelled. */
const jobsPeriods = ['2025-05', '2025-06', '2025-07', '2025-08', '2025-09', '2025-11', '2025-12', '2026-01'];

/** Writes looks at calendars into a store. */
export async function writeSightings(path: string, sightings: readonly Sighting[]): Promise<void> {
  const writer = await openWriter(path);
  for (const sighting of sightings) await writer.mergeSighting(sighting, false);
  await writer.commit();
}

/** A new store of both calendars, and of PAYEMS with its true days of publication and made values. */
export async function newJobsStore(path = newStorePath(folder)): Promise<string> {
  const lines = jobsDays.map((day, i) => `PAYEMS ${jobsPeriods[i]}-01 ${day} ${159_000 + i}`);
  const files = {
    'facts.csv': facts(...lines, 'OTHER 2025-01-01 2025-02-03 1', 'OTHER 2025-02-01 2025-03-03 2'),
    'metadata.csv': [
      'series_id,title,units,frequency,seasonal_adjustment,source,covered_to',
      'PAYEMS,All employees,Thousands of Persons,M,SA,BLS,2026-02-20\n',
    ].join('\n'),
  };
  await importFiles(path, files, { latest: '2026-03-15' });
  await writeSightings(path, [beforeTheLapse, afterTheLapse]);
  return path;
}
