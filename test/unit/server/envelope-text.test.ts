import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Envelope } from '../../../src/operations/envelope.ts';
import { envelopeText } from '../../../src/server/envelope-text.ts';

const text = fc.oneof(fc.string(), fc.constantFrom('"results":[]', '\\"results":[]', '$&'));
const row = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.constant(null)), { noNullPrototype: true });

const envelope = fc.record({
  object: text,
  request_id: text,
  status: fc.constant('ok'),
  as_of: text,
  series: fc.record({ id: text, title: text, frequency: text }),
  results: fc.array(row, { maxLength: 3 }),
  results_count: fc.nat(),
  has_more: fc.boolean(),
  next_cursor: text,
}) as fc.Arbitrary<Envelope>;

it('the text of an envelope is its JSON, also for the second envelope of the same rows', () => {
  fc.assert(
    fc.property(envelope, text, (first, id) => {
      expect(envelopeText(first, [])).toBe(JSON.stringify(first));
      const second = { ...first, request_id: id };
      expect(envelopeText(second, [])).toBe(JSON.stringify(second));
    }),
  );
});
