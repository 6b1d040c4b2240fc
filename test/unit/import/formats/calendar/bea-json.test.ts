import { describe, expect, it } from 'vitest';
import { formatOfKind, recognise } from '../../../../../src/import/formats/recognise.ts';
import { testData } from '../../../../support/repository.ts';
import { readAll, realFile, refusalOf, refuses, sourceFile } from '../../../../support/source-file.ts';

const format = formatOfKind('bea-release-dates');
const text = (content: unknown) => JSON.stringify(content);
const updated = { file_last_updated: '2026-05-12T14:42:41.381600' };
const gdp = 'Gross Domestic Product';
const file = (content: unknown) => sourceFile('release_dates.json', text(content));

describe('the dates of the BEA', () => {
  it('are recognised', async () => {
    expect((await recognise(realFile(testData, 'calendar/release_dates.json'))).kind).toBe(
      'bea-release-dates',
    );
    expect((await recognise(file({ [gdp]: { to_be_rescheduled: [], release_dates: [] } }))).kind).toBe(
      'bea-release-dates',
    );
  });

  it('have 13 releases of GDP and of personal income in 2026, at their times in New York', async () => {
    const { sightings } = await readAll(format, realFile(testData, 'calendar/release_dates.json'));
    const [sighting] = sightings;
    const days = (title: string) =>
      sighting?.entries
        .filter(({ release }) => release === title)
        .map(({ day, time }) => `${day.slice(5)} ${time}`);
    // PCE appeared at 10:00 on 22 January, all else at 08:30: 12:30 UTC from 8 March to 31 October, 13:30 otherwise.
    const after = ['02-20', '03-13', '04-09', '04-30', '05-28', '06-25', '07-30', '08-26', '09-30', '10-29'];
    const rest = [...after, '11-25', '12-23'].map((day) => `${day} 08:30`);
    expect(days('Personal Income and Outlays')).toEqual(['01-22 10:00', ...rest]);
    expect(days(gdp)).toEqual(['01-22 08:30', ...rest]);
    expect(days('U.S. International Trade in Goods and Services')).toEqual(['06-09 08:30', '07-07 08:30']);
    expect(sighting).toMatchObject({ source: 'BEA JSON', scope: '', seenAt: '2026-05-12', lists: 'plans' });
    expect([sighting?.from, sighting?.to]).toEqual(['2026-01-22', '2026-12-23']);
  });

  it('that are to be rescheduled have moved, also if they still stand among the others', async () => {
    const [kept, moved, gone] = ['2026-04-30', '2026-04-09', '2026-03-27'].map(
      (day) => `${day}T12:30:00+00:00`,
    );
    const { sightings } = await readAll(
      format,
      file({ [gdp]: { release_dates: [kept, moved], to_be_rescheduled: [moved, gone] }, ...updated }),
    );
    expect(sightings[0]?.entries.map(({ day, state }) => [day, state])).toEqual([
      ['2026-03-27', 'moved'],
      ['2026-04-09', 'moved'],
      ['2026-04-30', undefined],
    ]);
  });

  it('were seen on the day of --as-of, but not before they were written', async () => {
    const content = { [gdp]: { release_dates: ['2026-07-30T12:30:00+00:00'] }, ...updated };
    const { sightings } = await readAll(format, file(content), { asOf: '2026-07-01' });
    expect(sightings[0]?.seenAt).toBe('2026-07-01');
    expect(await refusalOf(format, file(content), { asOf: '2026-05-10' })).toBe(
      'Problem: release_dates.json: "2026-05-10": the calendar was written later, on 2026-05-12, and was not seen on this day',
    );
  });
});

describe('a file of dates', () => {
  const dates = (...list: readonly unknown[]) => text({ [gdp]: { release_dates: list }, ...updated });
  refuses(format, 'release_dates.json', {
    ': broken JSON: …': '{',
    ': the file lists no dates': [text(updated), dates()],
    ', column "Gross Domestic Product": "…": this title has no list release_dates': [
      text({ [gdp]: '2026-05-12' }),
      text({ [gdp]: {} }),
    ],
    ', column "Gross Domestic Product": "…": to_be_rescheduled is not a list': text({
      [gdp]: { release_dates: [], to_be_rescheduled: 'soon' },
    }),
    ', row 1, column "Gross Domestic Product": "…": not a time in release_dates: use YYYY-MM-DDTHH:MM:SS+00:00':
      [
        dates('2026-07-30'),
        dates('2026-07-30T12:30:00'),
        dates('2026-02-30T12:30:00+00:00'),
        dates('2026-07-30T25:30:00Z'),
        dates(20260730),
      ],
    ', column "file_last_updated": "…": not a time: use YYYY-MM-DDTHH:MM:SS': text({
      [gdp]: { release_dates: ['2026-07-30T12:30:00+00:00'] },
      file_last_updated: 'May 12',
    }),
    ': a calendar shows what was planned…; pass --as-of': text({
      [gdp]: { release_dates: ['2026-07-30T12:30:00+00:00'] },
    }),
  });
});
