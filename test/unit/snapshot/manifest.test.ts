import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Manifest, manifestText, parseManifest } from '../../../src/snapshot/manifest.ts';

const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const manifest: Manifest = {
  asof: '1.2.3',
  as_of: '2015-02-03',
  plan_sha256: sha256,
  source: { store: '/data/asof.db', imports: 3, imports_sha256: sha256 },
  files: [
    {
      name: 'gdp.csv',
      command: "observations 'G*' --as-of 2015-01-31",
      as_of: '2015-01-31',
      rows: 2,
      bytes: 0,
      sha256,
    },
    { name: 'é.json', command: 'curve', as_of: '2015-02-03', rows: 0, bytes: 7, sha256 },
  ],
};

const read = (text: string) => parseManifest(text, 'manifest.json');

/** The whole number that a manifest states as its format; 0 where it states none. */
function formatOf(text: string): number {
  try {
    const { format } = JSON.parse(text);
    return Number.isSafeInteger(format) ? format : 0;
  } catch {
    return 0;
  }
}

describe('a manifest', () => {
  it.each([
    manifest.source,
    { sample: true as const, imports: 23, imports_sha256: sha256 },
    { service: 'https://data.example.com/v0' },
  ])('is read back as it was written: %j', (source) => {
    const text = manifestText({ ...manifest, source });
    expect(read(text)).toEqual({ ...manifest, source });
    expect(manifestText({ ...manifest, source })).toBe(text);
  });

  it('is JSON for others too, with what the documentation promises of each file', () => {
    const { files, as_of } = JSON.parse(manifestText(manifest));
    expect(as_of).toBe('2015-02-03');
    expect(Object.keys(files[0])).toEqual(['name', 'command', 'as_of', 'rows', 'bytes', 'sha256']);
  });

  it('shows damage in any place', () => {
    const text = manifestText(manifest);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 3 }), fc.nat(3), (at, put, cut) => {
        const damaged = text.slice(0, at) + put + text.slice(at + cut);
        // Damage to the number of its format may make it one of a newer asof.
        if (formatOf(damaged) > 1) expect(() => read(damaged)).toThrow('was made by a newer asof');
        else expect(read(damaged)).toEqual(damaged === text ? manifest : undefined);
      }),
      { numRuns: 500 },
    );
  });

  it.each<readonly [what: string, damage: (text: string) => string]>([
    ['a blank after its end', (text) => `${text} `],
    ['other blanks between its words', (text) => JSON.stringify(JSON.parse(text))],
    // JavaScript takes the last value of a repeated key; other readers take the first.
    ['a key that occurs twice', (text) => text.replace('"as_of"', '"as_of": "2014-01-01", "as_of"')],
  ])('shows damage that its sum does not show: %s', (_, damage) => {
    expect(read(damage(manifestText(manifest)))).toBeUndefined();
  });

  it('is refused where it is of another kind, though its sum is right', () => {
    const files = (change: object) => ({ ...manifest, files: [{ ...manifest.files[0], ...change }] });
    for (const other of [
      { ...manifest, as_of: '2015-02-30' },
      { ...manifest, source: {} },
      { ...manifest, files: [1] },
      files({ name: '../gdp.csv' }),
      files({ name: 'manifest.json' }),
      files({ rows: 'two' }),
      files({ sha256: null }),
    ])
      expect(read(manifestText(other as unknown as Manifest))).toBeUndefined();
  });

  it('of a newer asof is not called damaged', () => {
    expect(() => read('{"format": 2}')).toThrow('manifest.json was made by a newer asof');
  });
});
