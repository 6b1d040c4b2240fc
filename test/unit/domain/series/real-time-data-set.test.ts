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
    ['FEDFUNDS', true, ['fred-md', 'fred-qd'], undefined],
    ['PAYEMS', true, ['fred-md', 'fred-qd'], 'EMPLOY'],
    ['GDPDEF', true, [], 'P'],
    ['CMRMTSPLX', false, ['fred-md', 'fred-qd'], undefined],
    ['ROUTPUT', false, [], 'ROUTPUT'],
    ['XYZ', false, [], undefined],
  ])('is known of %s', (id, fred, panels, variable) => {
    const offers = offersOf(id);
    expect([offers.fred, offers.panels, offers.variable?.id]).toEqual([fred, panels, variable]);
  });
});
