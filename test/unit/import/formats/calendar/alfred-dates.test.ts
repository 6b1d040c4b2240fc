import { describe, expect, it } from 'vitest';
import { formatOfKind, recognise } from '../../../../../src/import/formats/recognise.ts';
import { readAll, refuses, sourceFile } from '../../../../support/source-file.ts';

const format = formatOfKind('alfred-release-dates');
const rule = '----------';

/** A text in the shape in which programs read that of ALFRED: notes, a heading, days. */
const textOf = (days: readonly string[], notes: readonly string[] = [], end = '\n') =>
  [...notes, '', 'Release Dates:', rule, ...days, rule, ''].join(end);

// Days of the jobs report, of which two are of the lapses of 1996 and 2025.
const days = ['1996-01-19', '2025-09-05', '2025-11-20', '2025-12-16'];

const sightingOf = async (name: string, text: string) =>
  (await readAll(format, sourceFile(name, text))).sightings;

describe('the text of ALFRED', () => {
  it('is recognised with a rule or a blank line below its heading', async () => {
    const old = `Title: Jobs\r\n\r\nRelease Dates:\r\n\r\n${days.join('\r\n')}\r\n`;
    for (const text of [textOf(days), textOf(days, ['Title: Jobs'], '\r\n'), old])
      expect((await recognise(sourceFile('release_dates_50.txt', text))).kind).toBe('alfred-release-dates');
  });

  it('lists releases that happened, as known up to its last day', async () => {
    expect(await sightingOf('release_dates_50.txt', textOf(days))).toEqual([
      {
        ...{ source: 'FRED', scope: '50', seenAt: '2025-12-16', from: '1996-01-19', to: '2025-12-16' },
        ...{ lists: 'events', entries: days.map((day) => ({ release: '50', day })) },
      },
    ]);
  });

  it.each([
    ['release_dates_50.txt', []],
    ['downloaddates?rid=50&ff=txt', []],
    ['alfred_release_dates_rid50_employment_situation.txt', ['Release: Employment Situation']],
    ['jobs.txt', ['Employment Situation']],
    ['jobs.txt', ['Release:   Employment Situation   ', 'Source:    U.S. Bureau of Labor Statistics']],
    ['jobs.txt', ['Link: https://alfred.stlouisfed.org/release?rid=50']],
  ])('named %s with the notes %j is of the release 50', async (name, notes) => {
    const [sighting] = await sightingOf(name, textOf(days, notes));
    expect(sighting?.scope).toBe('50');
  });

  refuses(format, 'dates.txt', {
    ': the text does not say which release it is of': textOf(days, ['Title: Fish landings']),
    ': the text is of the release 50 by its name, and of 10 by its notes': sourceFile(
      'release_dates_50.txt',
      textOf(days, ['Title: Consumer Price Index']),
    ),
    ': no line "Release Dates:" precedes the dates': days.join('\n'),
    ', row 4: no dates follow': `rid=50\n\n\nRelease Dates:\n${rule}\n`,
    ', row 4: "2025-02-30": there is no such date': textOf(['2025-02-30'], []).replace('\n', 'rid=50\n'),
    ', row 5: "12/16/2025": not a date: use YYYY-MM-DD': textOf(['2025-11-20', '12/16/2025'], []).replace(
      '\n',
      'rid=50\n',
    ),
  });
});
