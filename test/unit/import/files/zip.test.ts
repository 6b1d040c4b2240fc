import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sourceFiles, zipMembers } from '../../../../src/import/files/walk.ts';
import { tempFolder } from '../../../support/folders.ts';
import { textOf } from '../../../support/temp-files.ts';
import { type Member, zipOf } from '../../../support/zip-writer.ts';

/** Text that compresses badly, so that the test can damage its middle. */
const text = Array.from({ length: 40_000 }, (_, i) =>
  ((i * 2_654_435_761) % 4_294_967_296).toString(36),
).join(',');

async function membersOf(archive: Uint8Array) {
  const path = join(tempFolder({ 'vintages.zip': archive }), 'vintages.zip');
  return { path, files: await sourceFiles([path]) };
}

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
    const book = zipOf([{ name: '[Content_Types].xml', content: '<Types/>' }]);
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
});

describe('a broken or unsupported zip archive', () => {
  const reading = (member: string) => `${member}: the zip archive is damaged or cut short: `;
  const good: Member = { name: 'a.csv', content: text };
  const archive = zipOf([good]);
  const middle = Buffer.from(archive);
  middle.fill(0xff, 60_000, 60_100);
  const directory = Buffer.from(archive);
  directory.write('XX', archive.lastIndexOf('PK\x01\x02'), 'latin1');
  const huge = zipOf([{ ...good, size: 0xffff_ffff }]);
  const refusals: readonly [string, Uint8Array, string][] = [
    ['without members', zipOf([]), ': the archive has no file to import'],
    [
      'one with hidden members only',
      zipOf([{ name: '.x', content: 'x' }]),
      ': the archive has no file to import',
    ],
    ['cut short at its end', archive.subarray(0, -10), reading('')],
    ['cut short in the middle', archive.subarray(0, 60_000), reading('')],
    ['one with a broken directory', directory, reading('')],
    ['one with a member damaged in the middle', middle, reading('/a.csv')],
    [
      'one with a wrong checksum',
      zipOf([{ ...good, stored: true, crc: 1 }]),
      `${reading('/a.csv')}its checksum differs from the one in the archive`,
    ],
    [
      'one whose content is longer than stated',
      zipOf([{ ...good, size: text.length - 1 }]),
      `${reading('/a.csv')}its size differs from the one in the archive`,
    ],
    [
      'one whose content is shorter than stated',
      zipOf([{ ...good, size: text.length + 1 }]),
      `${reading('/a.csv')}its size differs from the one in the archive`,
    ],
    [
      'one with an encrypted member',
      zipOf([{ ...good, flags: 1 }]),
      '/a.csv: encrypted; unpack the archive first',
    ],
    [
      'one with a member of another compression',
      zipOf([{ ...good, method: 14 }]),
      '/a.csv: compression method 14 is not supported; unpack the archive first',
    ],
    [
      'one with an archive in it',
      zipOf([{ name: 'b.zip', content: archive }]),
      '/b.zip: a zip archive inside another archive is not opened',
    ],
    [
      'one with an archive in gzip data in it',
      zipOf([{ name: 'b.gz', content: gzipSync(archive) }]),
      '/b.gz: a zip archive inside another archive is not opened',
    ],
    [
      'one with broken gzip data in it',
      zipOf([{ name: 'b.gz', content: gzipSync(text).subarray(0, 9000) }]),
      '/b.gz: the gzip data is damaged or cut short: ',
    ],
    [
      'one with a member of extreme ratio',
      zipOf([{ name: 'b', content: Buffer.alloc(40 * 2 ** 20) }]),
      '/b: it unpacks to more than 1000 times its size, which no data file does',
    ],
    [
      'one with a member that states an extreme size',
      huge,
      '/a.csv: it unpacks to more than 1000 times its size, which no data file does',
    ],
  ];
  it.each(refusals)('is refused when it is %s', async (_, bytes, detail) => {
    const path = join(tempFolder({ 'v.zip': bytes }), 'v.zip');
    const everything = async () => {
      for (const file of await sourceFiles([path])) await textOf(file);
    };
    await expect(everything()).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringContaining(`${path}${detail}`),
    });
  });

  it('is refused when it has more than 10 000 members', async () => {
    const many = Array.from({ length: 10_001 }, (_, i) => ({ name: `${i}`, content: '', stored: true }));
    await expect(membersOf(zipOf(many))).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringMatching(
        /v[a-z]+\.zip: more than 10000 members; unpack it and import parts of it$/,
      ),
    });
  });
});
