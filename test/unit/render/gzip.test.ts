import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GzipMembers } from '../../../src/render/gzip.ts';

/** The bytes that some chunks become. */
function packed(chunks: readonly string[]): Buffer {
  const members = new GzipMembers();
  return Buffer.concat([...chunks.map((chunk) => members.write(chunk)), members.end()]);
}

describe('a compressed output', () => {
  it('unpacks to its content, also without any', () => {
    const long = 'date,value\n2015-01-30,17710.7\n'.repeat(100_000);
    for (const text of ['', 'é', long]) expect(gunzipSync(packed([text])).toString()).toBe(text);
  });

  it('has bytes that do not depend on how its content arrives', () => {
    const text = '2014-10-01,17701.3,é\n'.repeat(60_000);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 5 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        const chunks = places.slice(1).map((end, i) => text.slice(places[i], end));
        expect(packed(chunks).equals(packed([text]))).toBe(true);
      }),
      { numRuns: 10 },
    );
  });
});
