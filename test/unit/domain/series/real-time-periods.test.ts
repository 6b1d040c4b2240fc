import { describe, expect, it } from 'vitest';
import {
  newestByFirstRelease,
  type Publication,
  realTimePeriodsOf,
} from '../../../../src/domain/series/real-time-periods.ts';

/**
 * `05 +` is a publication on 5 January 2020: `+` added, `~` revised and `-` withdrew values; no sign changed nothing.
 */
function publication(text: string): Publication {
  const [day = '', signs = ''] = text.split(' ');
  const [adds, revises, withdraws] = [...'+~-'].map((sign) => signs.includes(sign));
  return {
    asOf: `2020-01-${day}`,
    adds: adds === true,
    revises: revises === true,
    withdraws: withdraws === true,
  };
}

const days = (texts: readonly string[]) => texts.map((day) => `2020-01-${day}`);

describe('as-of dates between which nothing changed', () => {
  it.each<readonly [publications: readonly string[], asked: readonly string[], periods: string]>([
    [['05 +'], ['04', '05', '06'], '04 | 05 06 since 05'],
    [
      ['05 +', '10 ~', '15 -'],
      ['05', '09', '10', '14', '15'],
      '05 09 since 05 | 10 14 since 10 | 15 since 15',
    ],
    [['05 +', '10', '15'], ['06', '12', '20'], '06 12 20 since 05'],
    [['05 +', '06 +', '07 ~'], ['20', '21'], '20 21 since 07'],
    [['05'], ['04', '06'], '04 06'],
    [[], ['04'], '04'],
    [['05 +'], [], ''],
  ])('published %j, as of %j: %s', (publications, asked, periods) => {
    const found = realTimePeriodsOf(days(asked), publications.map(publication)).map(({ days, since }) => {
      const of = days.map((day) => day.slice(8)).join(' ');
      return since === undefined ? of : `${of} since ${since.slice(8)}`;
    });
    expect(found.join(' | ')).toBe(periods);
  });
});

describe('the newest date, derived from first releases', () => {
  type Case = readonly [
    about: string,
    publications: readonly string[],
    releases: readonly string[],
    day: string,
    newest: string | undefined,
  ];
  it.each<Case>([
    ['is the newest that was released', ['05 +', '10 +'], ['1 05', '2 10'], '12', '2'],
    ['is released on the day itself', ['05 +', '10 +'], ['1 05', '2 10'], '10', '2'],
    ['is not one that is released later', ['05 +', '10 +'], ['1 05', '2 10'], '09', '1'],
    ['is by date, not by release', ['05 +', '10 +'], ['2 05', '1 10'], '12', '2'],
    ['may have been revised since', ['05 +', '10 ~'], ['1 05'], '12', '1 revised'],
    ['was not revised by its own publication', ['05 ~', '10 +~'], ['1 10'], '12', '1'],
    ['is not certain after a withdrawal', ['05 +', '10 -'], ['1 05'], '12', undefined],
    ['is certain again when a newer one comes out', ['05 +', '10 -', '15 +'], ['1 05', '2 15'], '16', '2'],
    ['is certain with the day of a withdrawal', ['05 +', '10 +-'], ['1 05', '2 10'], '12', '2'],
    ['is not, when an older one comes out', ['05 +', '10 -', '15 +'], ['2 05', '1 15'], '16', undefined],
    ['is unknown from the first vintage alone', ['05 +'], [], '12', undefined],
    ['does not exist before the first publication', ['05 +'], ['1 05'], '04', undefined],
  ])('%s', (_, publications, releases, day, newest) => {
    const published = publications.map(publication);
    const periods = realTimePeriodsOf(days([day]), published);
    const firsts = releases.map((text) => {
      const [date = '', asOf = ''] = text.split(' ');
      return { date, value: '1', asOf: `2020-01-${asOf}` };
    });
    const found = [...newestByFirstRelease(periods, published, firsts).values()].map(
      ({ release, revised }) => `${release.date}${revised ? ' revised' : ''}`,
    );
    expect(found).toEqual(newest === undefined ? [] : [newest]);
  });
});
