import { describe, expect, it } from 'vitest';
import { datedText, meaningsOf, meaningText, publishers } from '../../../../src/domain/series/publishers.ts';
import { formats } from '../../../../src/import/formats/recognise.ts';

describe('the date of a vintage', () => {
  it.each([
    ['exact', 'FRED', ['publication']],
    ['fetched', 'FRED', ['fetched']],
    ['sampled', 'FRED-MD', ['month']],
    ['sampled', 'Philadelphia Fed Real-Time Data Set', ['mid-period']],
    ['sampled', 'ECB Real-Time Database', ['freeze']],
    ['exact; fetched', 'FRED', ['publication', 'fetched']],
    ['exact; sampled', 'FRED; FRED-QD', ['publication', 'month']],
    ['sampled', 'my notes', []],
    ['unknown', 'FRED', []],
    ['', '', []],
  ])('of %s vintages of %s means %j', (kinds, source, meanings) => {
    expect(meaningsOf(kinds, source)).toEqual(meanings);
  });

  it('is said in words', () => {
    expect(datedText(['publication', 'month'])).toBe('by the day of publication or by the end of a month');
    expect(meaningText(['mid-period'])).toBe('the middle of its month or quarter, by convention');
  });

  it('of every publisher of samples is declared', () => {
    const declared = new Map<string, string>(
      Object.values(publishers).map(({ name, meaning }) => [name, meaning]),
    );
    const undeclared = formats.filter(
      ({ kind, source, vintageKind }) =>
        // The day in the name of such a panel is whatever its maker took; first releases lack revisions.
        !['dated-panel', 'alfred-first-releases'].includes(kind) &&
        vintageKind === 'sampled' &&
        (declared.get(source ?? '') ?? 'publication') === 'publication',
    );
    expect(undeclared.map(({ kind }) => kind)).toEqual([]);
  });
});
