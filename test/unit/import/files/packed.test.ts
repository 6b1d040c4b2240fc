import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { allBytes } from '../../../../src/import/files/source-file.ts';
import { refuseBomb, sourceFiles, unpacksTo, zipMembers } from '../../../../src/import/files/walk.ts';
import { tempFolder } from '../../../support/folders.ts';
import { type Member, pairsOf, tempFile, textOf, zipOf } from '../../../support/source-file.ts';

/** Text that compresses badly, so that the tests can damage its middle. */
const text = Array.from({ length: 40_000 }, (_, i) =>
  ((i * 2_654_435_761) % 4_294_967_296).toString(36),
).join(',');
const packed = gzipSync(text);
/** Slightly more than any packed content may have at such a ratio. */
const zeros = Buffer.alloc(11 * 2 ** 20);
const book = zipOf([{ name: '[Content_Types].xml', content: '<Types/>' }]);
const good: Member = { name: 'a.csv', content: text };
const archive = zipOf([good]);

/** The files in an archive on disk. */
async function membersOf(bytes: Uint8Array) {
  const path = join(tempFolder({ 'v.zip': bytes }), 'v.zip');
  return { path, files: await sourceFiles([path]) };
}

/** Reads all that is in a packed file. */
async function readWhole(path: string): Promise<void> {
  for (const file of await sourceFiles([path])) await textOf(file);
}

function changed(bytes: Buffer, ...offsets: readonly number[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const offset of offsets) copy.writeUInt8(copy.readUInt8(offset) ^ 0xff, offset);
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
    expect(Buffer.from(await allBytes(await tempFile('a.xlsx.gz', gzipSync(book)))).equals(book)).toBe(true);
    await expect(tempFile('a.zip.gz', gzipSync(archive))).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringMatching(/\/a\.zip\.gz: a zip archive inside another archive is not opened$/),
      hints: ['unpack the outer archive, and import the archives in it'],
    });
  });

  const middle = Math.floor(packed.length / 2);
  it.each<[string, Buffer]>([
    ['cut short in the middle', packed.subarray(0, middle)],
    ['cut short in the header', packed.subarray(0, 6)],
    ['cut short by its last byte', packed.subarray(0, -1)],
    ['changed in the middle', changed(packed, middle)],
    ['given a wrong checksum', changed(packed, packed.length - 8)],
    ['given a wrong length', changed(packed, packed.length - 4)],
    ['followed by other data', Buffer.concat([packed, Buffer.from('not gzip at all')])],
  ])('is refused when it is %s', async (_, bytes) => {
    const path = join(tempFolder({ 'a.csv.gz': bytes }), 'a.csv.gz');
    await expect(readWhole(path)).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringContaining(`${path}: the gzip data is damaged or cut short: `),
    });
  });

  it('is refused when it unpacks to more than 10 MiB at more than 1000:1', async () => {
    const bomb = await tempFile('a.csv.gz', gzipSync(zeros));
    await expect(allBytes(bomb)).rejects.toMatchObject({
      kind: 'bad-input',
      detail: `${bomb.path}: it unpacks to more than 1000 times its size, which no data file does`,
      hints: ['if the file is genuine, unpack it and import the result'],
    });
    expect(await bomb.head()).toHaveLength(65_536);
  });

  it('of any ratio is accepted up to 10 MiB', async () => {
    const most = zeros.subarray(0, 10 * 2 ** 20);
    expect(await allBytes(await tempFile('a.gz', gzipSync(most)))).toHaveLength(most.length);
    expect(await allBytes(await tempFile('a.gz', gzipSync('')))).toHaveLength(0);
  });
});

describe('a zip archive', () => {
  it('gives its members sorted by name, whether packed or stored', async () => {
    const { path, files } = await membersOf(
      zipOf([
        { name: 'md/2016-01.csv', content: text },
        { name: '2015-01.csv', content: 'stored', stored: true },
      ]),
    );
    expect(files.map((file) => [file.path, file.name])).toEqual([
      [`${path}/2015-01.csv`, '2015-01.csv'],
      [`${path}/md/2016-01.csv`, '2016-01.csv'],
    ]);
    expect(await Promise.all(files.map(textOf))).toEqual(['stored', text]);
    expect((await files[1]?.head())?.toString()).toBe(text.slice(0, 65_536));
    expect((await files[0]?.siblings())?.map(({ name }) => name)).toEqual(['2016-01.csv']);
  });

  it('is recognised by its signature, not by its name, also in a folder', async () => {
    const folder = tempFolder({ 'data.bin': zipOf([{ name: 'a.csv', content: 'a' }]) });
    expect((await sourceFiles([folder])).map(({ path }) => path)).toEqual([`${folder}/data.bin/a.csv`]);
  });

  it('is read from memory as from a file', async () => {
    const content = zipOf([{ name: 'md/2016-01.csv', content: text }]);
    const [file] = await zipMembers(Buffer.from(content), 'vintages.zip');
    expect([file?.path, file && (await textOf(file))]).toEqual(['vintages.zip/md/2016-01.csv', text]);
    const cut = zipMembers(Buffer.from(content.slice(0, -30)), 'vintages.zip');
    await expect(cut).rejects.toThrow(/^vintages\.zip: /);
  });

  it('unpacks to the bytes of all its members, and to no fewer', async () => {
    const two = zipOf(['ab', 'cde'].map((content) => ({ name: content, content })));
    expect(await Promise.all([4, 5].map((most) => unpacksTo(most, two, 'a.xlsx')))).toEqual([false, true]);
  });

  it('has members with the SHA-256 of their content', async () => {
    const { files } = await membersOf(zipOf([{ name: 'abc', content: 'abc' }]));
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(await files[0]?.sha256()).toBe(abc);
  });

  it('is read without folders, hidden files and __MACOSX', async () => {
    const names = ['a.csv', 'b/', 'b/.DS_Store', '__MACOSX/._a.csv', '.git/config', 'b/c.csv'];
    const { files } = await membersOf(
      zipOf(names.map((name) => ({ name, content: name.endsWith('/') ? '' : 'x' }))),
    );
    expect(files.map(({ name }) => name)).toEqual(['a.csv', 'c.csv']);
  });

  it('may contain gzip data, which is unpacked, and spreadsheets, which are not', async () => {
    const { files } = await membersOf(
      zipOf([
        { name: 'a.csv.gz', content: gzipSync('inner') },
        { name: 'b.xlsx', content: book },
      ]),
    );
    expect(files.map(({ name }) => name)).toEqual(['a.csv', 'b.xlsx']);
    expect(await Promise.all(files.map(textOf))).toEqual(['inner', book.toString('latin1')]);
  });

  it('may have any member names: paths that lead outside do not, and control characters are escaped', async () => {
    const names = ['../../etc/passwd', '/etc/hosts', 'C:/x.csv', 'a\u0007\n.csv'];
    const { path, files } = await membersOf(zipOf(names.map((name) => ({ name, content: 'harmless' }))));
    expect(files.map((file) => file.path.slice(path.length))).toEqual([
      '/../../etc/passwd',
      '//etc/hosts',
      '/C:/x.csv',
      '/a\\u{7}\\u{a}.csv',
    ]);
    expect(await Promise.all(files.map(textOf))).toEqual(Array(4).fill('harmless'));
  });

  const damaged = (member = '') => `${member}: the zip archive is damaged or cut short: `;
  const directory = archive.lastIndexOf('PK\x01\x02');
  const refused: Readonly<Record<string, Buffer | readonly Buffer[]>> = {
    ': the archive has no file to import': [zipOf([]), zipOf([{ name: '.x', content: 'x' }])],
    [damaged()]: [
      archive.subarray(0, -10),
      archive.subarray(0, 60_000),
      changed(archive, directory, directory + 1),
    ],
    [damaged('/a.csv')]: changed(archive, ...Array.from({ length: 100 }, (_, i) => 60_000 + i)),
    [`${damaged('/a.csv')}its checksum differs from the one in the archive`]: zipOf([
      { ...good, stored: true, crc: 1 },
    ]),
    [`${damaged('/a.csv')}its size differs from the one in the archive`]: [-1, 1].map((more) =>
      zipOf([{ ...good, size: text.length + more }]),
    ),
    '/a.csv: encrypted; unpack the archive first': zipOf([{ ...good, flags: 1 }]),
    '/a.csv: compression method 14 is not supported; unpack the archive first': zipOf([
      { ...good, method: 14 },
    ]),
    '/b: a zip archive inside another archive is not opened': [archive, gzipSync(archive)].map((content) =>
      zipOf([{ name: 'b', content }]),
    ),
    '/b: the gzip data is damaged or cut short: ': zipOf([
      { name: 'b', content: gzipSync(text).subarray(0, 9000) },
    ]),
    '/b: it unpacks to more than 1000 times its size, which no data file does': [
      zipOf([{ name: 'b', content: zeros }]),
      zipOf([{ ...good, name: 'b', size: 0xffff_ffff }]),
    ],
    ': more than 10000 members; unpack it and import parts of it': zipOf(
      Array.from({ length: 10_001 }, (_, i) => ({ name: `${i}`, content: '', stored: true })),
    ),
  };
  it.each(pairsOf(refused))('is refused%s (%#)', async (detail, bytes) => {
    const path = join(tempFolder({ 'v.zip': bytes }), 'v.zip');
    await expect(readWhole(path)).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringContaining(`${path}${detail}`),
    });
  });
});

describe('packed content', () => {
  const mebibyte = 2 ** 20;

  it.each([
    [10 * mebibyte, 1],
    [4096 * mebibyte, 5 * mebibyte],
    [2000 * mebibyte, 2 * mebibyte],
  ])('of %d bytes packed into %d is accepted', (content, packed) => {
    expect(() => refuseBomb('a.zip/b', content, packed)).not.toThrow();
  });

  it.each([
    [
      10 * mebibyte + 1,
      10_000,
      'a.zip/b: it unpacks to more than 1000 times its size, which no data file does',
    ],
    [4096 * mebibyte + 1, 4096 * mebibyte, 'a.zip/b: it unpacks to more than 4 GiB; unpack it and split it'],
  ])('of %d bytes packed into %d is refused', (content, packed, detail) => {
    expect(() => refuseBomb('a.zip/b', content, packed)).toThrow(detail);
  });
});
