import { assert, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counted } from '../../../src/errors/wording.ts';

describe('a count in a message', () => {
  it('has the digits that the language of the messages has, for any count', () => {
    assert(
      property(nat(), (count) => {
        expect(counted(count, 'row', 'rows').split(' ')[0]).toBe(count.toLocaleString('en-US'));
      }),
    );
  });

  it('has the noun in the singular for 1 alone', () => {
    expect([0, 1, 2].map((count) => counted(count, 'row'))).toEqual(['0 rows', '1 row', '2 rows']);
    expect(counted(1000, 'entry', 'entries')).toBe('1,000 entries');
  });
});
