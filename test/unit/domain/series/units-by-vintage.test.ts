import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DescriptionChange, unitOn, unitsByVintage } from '../../../../src/domain/series/series.ts';
import { startOfTime } from '../../../../src/domain/values/date.ts';
import { runs } from '../../../support/arbitrary.ts';

type Units = { readonly units: string; readonly changes: readonly DescriptionChange[] };

const none: Units = { units: '', changes: [] };

/** Adds what one file states of some vintages to a series with these vintages. */
function withStated(
  before: Units,
  known: readonly string[],
  stated: readonly (readonly [string, string])[],
): Units {
  const { units, changes } = unitsByVintage(before, known, new Map(stated));
  return { units, changes: changes.map((change) => ({ seriesId: 'X', ...change })) };
}

describe('the unit of each vintage', () => {
  const day = fc.integer({ min: 1, max: 12 }).map((month) => `2020-${String(month).padStart(2, '0')}-01`);
  const statement = fc.tuple(day, fc.constantFrom('2010 = 100', '2015 = 100', '2020 = 100'));
  const vintages = fc.uniqueArray(statement, { selector: ([asOf]) => asOf, minLength: 1 });

  it('is what its file stated, in whatever order and parts the files came', () => {
    fc.assert(
      fc.property(vintages, fc.infiniteStream(fc.nat(3)), (all, cuts) => {
        let made = none;
        const known: string[] = [];
        for (let left = [...all]; left.length > 0; ) {
          const part = left.splice(0, 1 + (cuts.next().value ?? 0));
          known.push(...part.map(([asOf]) => asOf));
          made = withStated(made, known, part);
        }
        for (const [asOf, units] of all) expect(unitOn(asOf, made.units, made.changes)).toBe(units);
        expect(made).toEqual(withStated(none, known, all));
      }),
      { numRuns: runs(500) },
    );
  });

  it('is unknown before the first that a file states, in whatever order the files came', () => {
    const stating = fc.tuple(day, fc.constantFrom('2010 = 100', '2015 = 100', undefined));
    const some = fc.uniqueArray(stating, { selector: ([asOf]) => asOf, minLength: 1 });
    fc.assert(
      fc.property(some, (all) => {
        let made = none;
        const known: string[] = [];
        for (const [asOf, units] of all) {
          known.push(asOf);
          if (units !== undefined) made = withStated(made, known, [[asOf, units]]);
        }
        const first = all.flatMap(([asOf, units]) => (units === undefined ? [] : asOf)).sort()[0] ?? '9';
        for (const [asOf, units] of all) {
          const shown = unitOn(asOf, made.units, made.changes);
          if (asOf < first) expect(shown).toBe('');
          else expect(shown).toBe(units ?? shown);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('is also that of earlier vintages where a description said it from the start', () => {
    const described = { units: '2015 = 100', changes: [] };
    expect(withStated(described, ['2020-02-01'], [['2020-02-01', '2015 = 100']])).toEqual(described);
    const first: readonly [string, string] = [startOfTime, '2010 = 100'];
    const made = withStated(none, ['2020-02-01'], [first, ['2020-02-01', '2015 = 100']]);
    expect(unitOn('2020-01-01', made.units, made.changes)).toBe('2010 = 100');
  });

  it('stays where a later file states others', () => {
    const first = withStated(none, ['2020-02-01'], [['2020-02-01', '2010 = 100']]);
    const both = ['2020-02-01', '2020-03-01'];
    const second = withStated(first, both, [['2020-03-01', '2015 = 100']]);
    const change = { seriesId: 'X', field: 'units' };
    const [known, later] = [
      { ...change, changedOn: '2020-02-01', before: '', after: '2010 = 100' },
      { ...change, changedOn: '2020-03-01', before: '2010 = 100', after: '2015 = 100' },
    ];
    expect(second).toEqual({ units: '2015 = 100', changes: [known, later] });
    // An older vintage of the first base makes it known earlier.
    expect(withStated(second, ['2020-01-01', ...both], [['2020-01-01', '2010 = 100']])).toEqual({
      units: '2015 = 100',
      changes: [{ ...known, changedOn: '2020-01-01' }, later],
    });
  });
});
