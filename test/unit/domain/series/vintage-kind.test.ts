import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { betterKnown } from '../../../../src/domain/series/merge-plan.ts';
import {
  type KeptKind,
  kindOf,
  kindsText,
  parseVintageKind,
  vintageKinds,
} from '../../../../src/domain/series/series.ts';

const kept = fc.constantFrom<KeptKind>(...vintageKinds, '');

describe('the kind of a vintage that several files speak of', () => {
  it('does not depend on the order of the files', () => {
    fc.assert(
      fc.property(fc.array(kept, { minLength: 1 }), fc.array(fc.nat()), (kinds, picks) => {
        const shuffled = [...kinds];
        for (const [i, pick] of picks.entries()) {
          const [a, b] = [i % kinds.length, pick % kinds.length];
          [shuffled[a], shuffled[b]] = [shuffled[b] as KeptKind, shuffled[a] as KeptKind];
        }
        expect(shuffled.reduce(betterKnown)).toBe(kinds.reduce(betterKnown));
      }),
    );
  });

  test.each<[KeptKind, KeptKind, KeptKind]>([
    ['exact', 'sampled', 'exact'],
    ['exact', 'fetched', 'exact'],
    ['fetched', 'sampled', 'fetched'],
    ['sampled', '', 'sampled'],
    ['', 'unknown', ''],
  ])('is, of %j and %j, %j', (one, other, better) => {
    expect(betterKnown(one, other)).toBe(better);
  });
});

describe('the kind of a vintage', () => {
  test.each([
    ['is what its files imply, even if metadata states another', 'sampled', 'exact', 'sampled'],
    ['is what metadata states where its files leave it open', '', 'sampled', 'sampled'],
    ['is a day of publication where nobody says anything else', '', undefined, 'exact'],
    ['is unknown in a store that does not know', 'unknown', undefined, 'unknown'],
    ['is what metadata states in a store that does not know', 'unknown', 'exact', 'exact'],
  ] as const)('%s', (_, files, stated, kind) => {
    expect(kindOf(files, stated)).toBe(kind);
  });

  it('is read in any letter case, and from no other word', () => {
    expect(['Exact', ' sampled ', 'FETCHED', 'unknown', 'monthly', ''].map(parseVintageKind)).toEqual([
      'exact',
      'sampled',
      'fetched',
      'unknown',
      undefined,
      undefined,
    ]);
  });
});

describe('the kinds of a series', () => {
  it('are listed once each, in one order', () => {
    expect(kindsText(['sampled', 'exact', 'sampled'])).toBe('exact; sampled');
    expect(kindsText([])).toBe('');
  });
});
