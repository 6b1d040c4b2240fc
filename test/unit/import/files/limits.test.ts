import { describe, expect, it } from 'vitest';
import { allBytes } from '../../../../src/import/files/source-file.ts';
import { printablePath, refuseBomb } from '../../../../src/import/files/walk.ts';
import type { ImportFormat } from '../../../../src/import/formats/format.ts';
import { fredApi } from '../../../../src/import/formats/fred/api.ts';
import { formatOfKind } from '../../../../src/import/formats/recognise.ts';
import { secForm345 } from '../../../../src/import/formats/sec/form345.ts';
import { secOwnershipXml } from '../../../../src/import/formats/sec/ownership.ts';
import { readAll, sourceFile } from '../../../support/source-file.ts';

const fredCsv = formatOfKind('fred-csv');

const mebibyte = 2 ** 20;

describe('packed content', () => {
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

describe('a file read into memory', () => {
  async function* chunks() {
    for (let i = 0; i < 4; i += 1) yield Buffer.alloc(mebibyte, i);
  }

  it('may have the size of the limit, but not a byte more', async () => {
    expect(await allBytes({ path: 'a', size: 0, read: chunks }, 4 * mebibyte)).toHaveLength(4 * mebibyte);
    await expect(allBytes({ path: 'a', size: 0, read: chunks }, 3 * mebibyte)).rejects.toThrow(
      'a: larger than 3 MiB, the limit for a file of this kind',
    );
  });
});

describe('text that is not UTF-8', () => {
  it.each<[string, ImportFormat, string]>([
    ['CSV', fredCsv, 'observation_date,\xe9\n'],
    ['JSON', fredApi, '{"a":"\xe9"}'],
    ['XML', secOwnershipXml, '<ownershipDocument>\xe9</ownershipDocument>'],
    ['a table of the SEC', secForm345, 'ACCESSION_NUMBER\tFILING_DATE\tDOCUMENT_TYPE\tISSUERCIK\n\xe9\n'],
  ])('is refused in %s, with a hint', async (_, format, text) => {
    const file = sourceFile('a', Buffer.from(text, 'latin1'));
    await expect(readAll(format, file, { asOf: '2026-01-02', filedOn: '2026-01-02' })).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringMatching(/: this is not UTF-8 text$/),
      hints: ['save the file as UTF-8, or download it again if it is damaged'],
    });
  });
});

describe('a path in a message', () => {
  it.each([
    ['2015-01.csv', '2015-01.csv'],
    ['Prüfung 物価.csv', 'Prüfung 物価.csv'],
    ['a\u001b]0;x\u0007', 'a\\u{1b}]0;x\\u{7}'],
    ['a\u202egpj.exe', 'a\\u{202e}gpj.exe'],
    ['a\u2028b', 'a\\u{2028}b'],
    ['', '""'],
  ])('shows %j as %s', (name, shown) => {
    expect(printablePath(name)).toBe(shown);
  });
});
