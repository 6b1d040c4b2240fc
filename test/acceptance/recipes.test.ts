import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { newFolder } from '../support/folders.ts';
import { type Running, startService, unlimited } from '../support/modes.ts';
import { queryDuckDb } from '../support/parquet.ts';
import { builtSample, root } from '../support/repository.ts';

const folder = newFolder();
const page = readFileSync(join(root, 'docs/guide/tables.md'), 'utf8');
let service: Running;

beforeAll(async () => {
  service = await startService({ openStore: () => openStore(builtSample) });
  folder.write('ann.key', `${service.key}\n`);
});
afterAll(() => service.stop());

/** The recipes of the guide in a language, for the service of this test. */
function recipes(language: string): readonly string[] {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  return blocks.map(([, text = '']) => text.replaceAll('http://127.0.0.1:8788', service.url));
}

/** The addresses in recipes, with the days that one of them puts together. */
function addressesIn(texts: readonly string[]): readonly string[] {
  return texts
    .flatMap((text) => text.match(/http:\/\/127\.0\.0\.1[^"'\s]*/g) ?? [])
    .map((address) => address.replace('{days}', '2008-10-08,2009-01-30'));
}

type Ran = {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: unknown;
  readonly isMissing: boolean;
};

/** What a program prints; the service answers it in this process. */
function ran(program: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd: folder.path('.'), timeout: 60_000 };
    execFile(program, args, options, (error, stdout, stderr) =>
      resolve({ stdout, stderr, code: error?.code ?? 0, isMissing: error?.code === 'ENOENT' }),
    );
  });
}

// Python starts twice, with pandas.
vi.setConfig({ testTimeout: 90_000 });

describe('the recipes of the guide to tables', () => {
  it.each([
    ['python', 2],
    ['r', 1],
    ['sh', 1],
  ])('in %s ask for what the service answers, with a header', async (language, count) => {
    const addresses = addressesIn(recipes(language));
    expect(addresses).toHaveLength(count);
    for (const address of addresses) {
      const answer = await fetch(address, { headers: { 'x-api-key': service.key } });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(/^(text\/csv; .*header=present|application\/vnd\.apache\.parquet)$/),
      ]);
    }
  });

  it('in R give a data frame, and fail where an answer is cut off, where R is installed', async () => {
    const shown =
      'cat(nrow(values[values$series_id == "GDP" & values$date >= "2014-01-01", ]), class(values$date))\ncat("", values$value[1])';
    const [program = ''] = recipes('r');
    const { stdout, stderr, isMissing } = await ran('Rscript', ['-e', `${program}\n${shown}`]);
    if (isMissing) return;
    expect(stdout + stderr).toBe('4 Date 17710.7');
    const plan = { ...unlimited, name: 'limited', maxRows: 100_000 };
    const limited = await startService({ openStore: () => openStore(builtSample), plan });
    folder.write('limited.key', `${limited.key}\n`);
    const all = program
      .replaceAll(service.url, limited.url)
      .replace('ids=GDP,UNRATE&as_of=2015-01-30', 'ids=*')
      .replace('ann.key', 'limited.key');
    const cut = await ran('Rscript', ['-e', all]);
    expect([cut.code, cut.stderr]).toEqual([1, expect.stringContaining('Transferred a partial file')]);
    await limited.stop();
  });

  it('in DuckDB read exact numbers and days', async () => {
    const [recipe = ''] = recipes('sh');
    const [fetched = '', query = ''] = recipe.split(/&&\s*duckdb -c/);
    const { stdout, stderr } = await ran('sh', ['-c', fetched]);
    expect([stdout, stderr]).toEqual(['', '']);
    const sql = JSON.parse(query).replace('gdp.parquet', folder.path('gdp.parquet'));
    const rows = await queryDuckDb(`select date::varchar, value::varchar from (${sql})`);
    // The newest three quarters in FRED's vintage of 2024-12-19.
    expect(rows).toEqual([
      ['2024-07-01', '29374.914000000000000000'],
      ['2024-04-01', '29016.714000000000000000'],
      ['2024-01-01', '28624.069000000000000000'],
    ]);
  });

  it.each(['python3', '/usr/bin/python3'])('run in pandas, where %s has it', async (python) => {
    const shown = `
print(panel["GDP"].loc["2008-12-31"].item(), panel["UNRATE"].loc["2008-12-31"].item(), exact["GDP"].iloc[0])
print([tuple(row) for row in joined[["day", "price", "GDP", "GDP_date", "DGS10"]].values.tolist()])`;
    const program = [...recipes('python'), shown].join('\n');
    const { stdout, stderr } = await ran(python, ['-c', program]);
    // The days and the values are those of the joins in the guide; UNRATE was 6.5 in October 2008, as sampled in
    // November.
    const rows = [
      "('2008-10-08', 98.4, 14294.5, '2008-04-01', 3.72)",
      "('2009-01-30', 82.1, 14264.6, '2008-10-01', 2.87)",
      "('2008-10-08', 97.9, 14294.5, '2008-04-01', 3.72)",
    ];
    const expected = `14412.8 6.5 14412.8\n[${rows.join(', ')}]\n`;
    const isMissing = /No module named 'pandas'/.test(stderr);
    expect(isMissing ? expected : stdout).toBe(expected);
  });
});
