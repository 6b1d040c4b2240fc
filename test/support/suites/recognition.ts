import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from '../../../src/import/files/walk.ts';
import { formats, recognise } from '../../../src/import/formats/recognise.ts';
import { textHead } from '../../../src/import/readers/csv.ts';

/** The formats of series and curves. */
const ours = formats.filter(({ kind }) => !kind.startsWith('sec-'));
const kindsOf = (head: string, name: string) =>
  ours.filter((format) => format.recognise(textHead(head, name))).map(({ kind }) => kind);

/** The formats of the files of each folder that the formats of series and curves claim; `-` for unclaimed files. */
const claims: Readonly<Record<string, readonly string[]>> = {
  'macro/fred-api': ['fred-api', 'fred-series', '-'],
  'macro/rtdsm': ['rtdsm'],
  'macro/fred-md': ['fred-md'],
  'macro/fred-qd': ['fred-qd'],
  'macro/dated-panel': ['dated-panel'],
  'macro/metadata': ['-'],
  'treasury/par-csv': ['treasury-par-csv'],
  'treasury/par-xml': ['treasury-xml'],
  'treasury/h15-dfii': ['h15-csv'],
  'treasury/tips-csv': ['treasury-real-csv'],
  'sec/form345-maia-reencoded': ['-'],
  'sec/ownership-xml': ['-'],
  'sec/submissions-json': ['-'],
  // The answers to queries, which are refused.
  facts: ['-', 'asof-csv'],
};

/** Tests that asof recognises the format of every real file in a data folder. */
export function recognitionSuite(data: string, files: { readonly series: readonly string[] }): void {
  describe('every real file', () => {
    /** The format of the files of each folder, or the reason why they are refused. */
    const expected: readonly [string, RegExp, string, string?][] = [
      ['treasury/par-csv', /./, 'treasury-par-csv'],
      ['treasury/par-xml', /./, 'treasury-xml'],
      ['treasury/tips-csv', /./, 'treasury-real-csv'],
      ['treasury/h15-dfii', /./, 'h15-csv'],
      ['macro/rtdsm', /./, 'rtdsm'],
      ['macro/fred-md', /./, 'fred-md'],
      ['macro/fred-qd', /./, 'fred-qd'],
      ['macro/dated-panel', /./, 'dated-panel'],
      ['macro/fred-api', /^GDP-observations-/, 'fred-api'],
      ['macro/fred-api', /series\.json$/, 'fred-series'],
      [
        'macro/fred-api',
        /^GDP-vintagedates/,
        'refused',
        'a response of the FRED API, but not of series/observations',
      ],
      [
        'macro/fred-api',
        /^catalogue-(?!.*series\.json)/,
        'refused',
        'a response of the FRED API, but not of ',
      ],
      ['sec/ownership-xml', /^(?!.*(?:\.txt|RSU_|multi_))/, 'sec-ownership-xml'],
      ['sec/ownership-xml', /\.txt$|RSU_|multi_/, 'sec-submission-text'],
      ['sec/form345', /./, 'sec-form345'],
      ['sec/form345-maia-reencoded', /./, 'sec-form345'],
      ['sec/submissions-json', /./, 'sec-submissions-json'],
    ];
    it.each(expected)('of %s that matches %s is recognised as %s', async (folder, names, kind, reason) => {
      const files = (await sourceFiles([`${data}/${folder}`])).filter(({ name }) => names.test(name));
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) {
        const found = await recognise(file).then(
          (format) => format.kind,
          (error: Error) => `refused: ${error.message}`,
        );
        if (kind !== 'refused') expect([file.path, found]).toEqual([file.path, kind]);
        else expect(found).toContain(`${file.path}: this looks like ${reason}`);
      }
    });
  });

  describe('no real file is claimed by two formats', () => {
    const kindsIn = async (folder: string) => {
      const path = join(data, folder);
      const files = await sourceFiles(readdirSync(path).map((name) => join(path, name)));
      return Promise.all(
        files.map(
          async (file) => [file.name, kindsOf((await file.head()).toString('latin1'), file.name)] as const,
        ),
      );
    };

    it.each(Object.entries(claims))('in %s, which has %j', async (folder, expected) => {
      const found = await kindsIn(folder);
      expect(found.filter(([, kinds]) => kinds.length > 1)).toEqual([]);
      expect([...new Set(found.map(([, [kind = '-']]) => kind))].sort()).toEqual([...expected].sort());
    });

    it('of the FRED API, except by those for observations and descriptions of series', async () => {
      const found = await kindsIn('macro/fred-api');
      const named = (kind: string) =>
        found
          .filter(([, kinds]) => kinds[0] === kind)
          .map(([name]) => name)
          .sort();
      expect(named('fred-series')).toEqual(files.series);
      expect(named('fred-api')).toEqual([
        'GDP-observations-all-realtime.json',
        'GDP-observations-latest.json',
        'GDP-observations-output_type4.json',
        'GDP-observations-realtime_end-2019-01-01.json',
      ]);
    });
  });
}
