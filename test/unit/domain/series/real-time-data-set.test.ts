import { describe, expect, it } from 'vitest';
import { offersOf } from '../../../../src/domain/series/keyless.ts';
import { realTimeVariables } from '../../../../src/domain/series/real-time-data-set.ts';

describe('the catalogue of the Real-Time Data Set', () => {
  it('has the 115 variables that the Philadelphia Fed publishes with a vintage a column', () => {
    expect(realTimeVariables.size).toBe(115);
  });

  it('names of every variable its title, its frequency and the frequencies of its vintages', () => {
    expect(realTimeVariables.get('ROUTPUT')).toEqual({
      id: 'ROUTPUT',
      title: 'Real GNP/GDP',
      frequency: 'Q',
      vintages: ['Q', 'M'],
    });
    const all = [...realTimeVariables.values()];
    expect(all.filter(({ title, vintages }) => title === '' || vintages.length === 0)).toEqual([]);
    expect(new Set(all.map(({ title }) => title)).size).toBe(115);
  });

  it('has vintages of two frequencies for quarterly figures alone', () => {
    const both = [...realTimeVariables.values()].filter(({ vintages }) => vintages.length > 1);
    expect(new Set(both.map(({ frequency }) => frequency))).toEqual(new Set(['Q']));
  });
});

describe('where a series can be pulled from', () => {
  it.each([
    ['FEDFUNDS', true, ['fred-md', 'fred-qd'], false, undefined],
    ['PAYEMS', true, ['fred-md', 'fred-qd'], false, 'EMPLOY'],
    ['GDPDEF', true, [], false, 'P'],
    ['CMRMTSPLX', false, ['fred-md', 'fred-qd'], false, undefined],
    ['ROUTPUT', false, [], true, 'GDPC1'],
    ['NDPI', false, [], true, undefined],
    ['XYZ', false, [], false, undefined],
  ])('is known of %s', (id, fred, panels, rtdsm, twin) => {
    expect(offersOf(id)).toEqual({ fred, panels, rtdsm, twin });
  });
});
