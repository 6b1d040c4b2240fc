import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { allBytes } from '../../../../src/import/files/source-file.ts';
import { sourceFiles } from '../../../../src/import/files/walk.ts';
import { tempFolder } from '../../../support/folders.ts';
import { onlyFile, tempFile, textOf } from '../../../support/temp-files.ts';
import { zipOf } from '../../../support/zip-writer.ts';

/** Text that compresses badly, so that the test can damage its middle. */
const text = Array.from({ length: 60_000 }, (_, i) =>
  ((i * 2_654_435_761) % 4_294_967_296).toString(36),
).join(',');
const packed = gzipSync(text);

function changed(bytes: Buffer, offset: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(offset) ^ 0xff, offset);
  return copy;
}

describe('gzip data', () => {
  it('is recognised by its signature, not by its name', async () => {
    const named = await tempFile('GDP.csv.gz', packed);
    const unnamed = await tempFile('GDP.csv', packed);
    expect([named.name, unnamed.name]).toEqual(['GDP.csv', 'GDP.csv']);
    expect(named.path.endsWith('/GDP.csv.gz')).toBe(true);
    expect(await textOf(named)).toBe(text);
    expect(await textOf(unnamed)).toBe(text);
    expect((await allBytes(named)).toString()).toBe(text);
    expect((await named.head()).toString()).toBe(text.slice(0, 65_536));
  });

  it('of several members is their concatenation, as gunzip gives it', async () => {
    expect(await textOf(await tempFile('a.gz', Buffer.concat([gzipSync('a,b\n'), gzipSync('1,2\n')])))).toBe(
      'a,b\n1,2\n',
    );
  });

  it('is not expected in a plain file with the name of a packed one', async () => {
    expect(await textOf(await tempFile('a.csv.gz', 'plain'))).toBe('plain');
  });

  it('may contain a spreadsheet, but not an archive', async () => {
    const book = zipOf([{ name: '[Content_Types].xml', content: '<Types/>' }]);
    expect(Buffer.from(await allBytes(await tempFile('a.xlsx.gz', gzipSync(book)))).equals(book)).toBe(true);
    const archive = gzipSync(zipOf([{ name: 'a.csv', content: 'a' }]));
    await expect(tempFile('a.zip.gz', archive)).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringMatching(/\/a\.zip\.gz: a zip archive inside another archive is not opened$/),
      hints: ['unpack the outer archive, and import the archives in it'],
    });
  });
});

describe('damaged gzip data', () => {
  const middle = Math.floor(packed.length / 2);
  const damages: readonly [string, Buffer][] = [
    ['cut short in the middle', packed.subarray(0, middle)],
    ['cut short in the header', packed.subarray(0, 6)],
    ['cut short by its last byte', packed.subarray(0, -1)],
    ['changed in the middle', changed(packed, middle)],
    ['given a wrong checksum', changed(packed, packed.length - 8)],
    ['given a wrong length', changed(packed, packed.length - 4)],
    ['followed by other data', Buffer.concat([packed, Buffer.from('not gzip at all')])],
  ];
  it.each(damages)('is refused when it is %s', async (_, bytes) => {
    const path = join(tempFolder({ 'a.csv.gz': bytes }), 'a.csv.gz');
    await expect(onlyFile(path).then(textOf)).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringContaining(`${path}: the gzip data is damaged or cut short: `),
    });
  });
});

describe('packed data of extreme ratio', () => {
  it('is refused when it unpacks to more than 10 MiB at more than 1000:1', async () => {
    const bomb = await tempFile('a.csv.gz', gzipSync(Buffer.alloc(40 * 2 ** 20)));
    await expect(textOf(bomb)).rejects.toMatchObject({
      kind: 'bad-input',
      detail: `${bomb.path}: it unpacks to more than 1000 times its size, which no data file does`,
      hints: ['if the file is genuine, unpack it and import the result'],
    });
    expect(await bomb.head()).toHaveLength(65_536);
  });

  it('is accepted up to 10 MiB', async () => {
    expect(await textOf(await tempFile('a.gz', gzipSync(Buffer.alloc(10 * 2 ** 20))))).toHaveLength(
      10 * 2 ** 20,
    );
    expect(await sourceFiles([(await tempFile('a.gz', gzipSync(''))).path])).toHaveLength(1);
  });
});
