import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../../../src/domain/values/date.ts';
import type { ParamTexts } from '../../../../src/operations/param.ts';
import { dayOfHorizon } from '../../../../src/questions/series/revision-answers.ts';
import { type Horizon, horizonName } from '../../../../src/questions/series/revision-layouts.ts';
import { horizonsOf } from '../../../../src/questions/series/revisions.ts';
import { questions } from '../../../../src/questions/table.ts';
import { readTexts } from '../../../../src/server/endpoints.ts';

// BEA published the third quarter of 2014 on these days, and the fourth on the three last ones.
const vintages = ['2014-10-30', '2014-11-25', '2014-12-23', '2015-01-30', '2015-02-27', '2015-03-27'];
const final: Horizon = { kind: 'final' };
const release = (number: number): Horizon => ({ kind: 'release', number });
const daysAfter = (days: number): Horizon => ({ kind: 'after', days });
const record = { vintages, until: '2015-04-10' };

describe('the day of a horizon', () => {
  it.each<readonly [released: string, horizon: Horizon, day: string | undefined]>([
    ['2014-10-30', release(1), '2014-10-30'],
    ['2014-10-30', release(3), '2014-12-23'],
    ['2015-01-30', release(2), '2015-02-27'],
    ['2015-01-30', release(3), '2015-03-27'],
    ['2015-01-30', release(4), undefined],
    ['2015-01-30', final, '2015-04-10'],
  ])('is that of a vintage counted from the first release: %s, release %j', (released, horizon, day) => {
    expect(dayOfHorizon(horizon, released, record)).toBe(day);
  });

  it('is some days after the first release, as far as the record goes', () => {
    const dayAt = (days: number) => dayOfHorizon(daysAfter(days), '2015-01-30', record);
    expect([69, 70, 71].map(dayAt)).toEqual(['2015-04-09', '2015-04-10', undefined]);
  });

  it('is not known without a first release, other than the end of the record', () => {
    const horizons = [release(1), final, daysAfter(0)];
    expect(horizons.map((horizon) => dayOfHorizon(horizon, undefined, record))).toEqual([
      undefined,
      '2015-04-10',
      undefined,
    ]);
  });

  it('of the n-th release has n - 1 vintages between it and the first release, that day included', () => {
    const days = fc.uniqueArray(fc.nat(900), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(days, fc.nat(), fc.integer({ min: 1, max: 45 }), (offsets, pick, number) => {
        const sorted = [...offsets].sort((a, b) => a - b).map((offset) => addDays('2014-01-01', offset));
        const released = sorted[pick % sorted.length] ?? '';
        const found = dayOfHorizon(release(number), released, { vintages: sorted, until: '2019-01-01' });
        const later = sorted.filter((day) => day >= released);
        if (found === undefined) expect(later.length).toBeLessThan(number);
        else expect(later.filter((day) => day < found)).toHaveLength(number - 1);
      }),
    );
  });
});

describe('a list of horizons', () => {
  it('is in order for statistics, in whatever order it is named: releases, days after the first, the newest', () => {
    const named = (asked: Parameters<typeof horizonsOf>[0]) =>
      horizonsOf({ ...asked, stats: true }).map(horizonName);
    expect(named({ release: ['final', 3, 1] })).toEqual(['release_1', 'release_3', 'final']);
    expect(named({ release: ['final', 1], after: [365, 30] })).toEqual([
      'release_1',
      'after_30d',
      'after_365d',
      'final',
    ]);
    expect(named({ release: [3], after: [30] })).toEqual(['release_3', 'after_30d']);
  });

  it('has the names of columns', () => {
    const names = [release(1), release(12), final, daysAfter(90), daysAfter(0)].map(horizonName);
    expect(names).toEqual(['release_1', 'release_12', 'final', 'after_90d', 'after_0d']);
  });
});

const clock = { now: '2026-01-15T00:00:00Z', today: '2026-01-15', latest: '2026-01-15' };

const valuesOf = (...texts: ParamTexts) => readTexts(questions.revisions, [['id', 'GDP'], ...texts], clock);

describe('the horizons of revisions', () => {
  it('are releases and days after the first one', () => {
    expect(valuesOf(['release', '1,12,final'], ['after', '90d,0'])).toMatchObject({
      release: [1, 12, 'final'],
      after: [90, 0],
    });
  });

  it.each(['0', '1,', 'first', '-1', '1.5', 'Final', '10000'])(
    'are refused unless they are numbers of releases or final: %j',
    (text) => {
      expect(() => valuesOf(['release', text])).toThrow('use numbers of releases or final');
    },
  );

  it.each(['', '90w', '-1', '1e3', '30d;90d', '100000'])('are refused unless they are days: %j', (text) => {
    expect(() => valuesOf(['after', text])).toThrow('use days after the first release');
  });
});
