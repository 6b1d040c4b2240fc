import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { agreeing, onePerKey, runs } from '../../support/arbitrary.ts';
import { asof, type Ended, linesOf, statements } from '../../support/command.ts';
import { asAsofCsv } from '../../support/encodings.ts';
import { scratchFolder } from '../../support/folders.ts';
import { hook } from '../../support/hooked-clients.ts';
import type { ModelStatement } from '../../support/knowledge.ts';
import { type Running, startService } from '../../support/modes.ts';
import { importFiles, newStorePath } from '../../support/scratch-store.ts';
import { serve } from '../../support/service-double.ts';

vi.setConfig({ testTimeout: 60_000 });

vi.mock('../../../src/client/open.ts', async (original) =>
  (await import('../../support/hooked-clients.ts')).hookedClients(original),
);

const folder = scratchFolder();
const store = join(folder, 'store.db');
let service: Running;
let imports = 0;

/** Imports a new month of each series, known before every as-of date in the plan. */
async function importMore(): Promise<void> {
  imports += 1;
  const date = new Date(Date.UTC(2000, imports, 1)).toISOString().slice(0, 10);
  // Two requests may be under way, each with an import.
  const file = join(folder, `more-${imports}.csv`);
  writeFileSync(file, statements(['ONE', 'TWO'].map((id) => `${id},${date},2015-01-01,${imports}.5`)));
  const { code, err } = await asof(['import', file, '--store', store]);
  if (code !== 0) throw new Error(err);
}

const plan = join(folder, 'plan.txt');
const out = join(folder, 'snap');
const files = ['one.csv', 'panel.csv', 'two.csv'];

beforeAll(async () => {
  writeFileSync(plan, 'one.csv obs ONE\npanel.csv panel ONE TWO --wide\ntwo.csv obs TWO\n');
  await importMore();
  service = await startService({ openStore: () => openStore(store) });
});
beforeEach(() => {
  hook.beforeRequest = async () => undefined;
});
afterAll(() => service.stop());

const snapshot = (...flags: readonly string[]) =>
  asof(['snapshot', plan, '--out', out, '--as-of', '2016-01-31', '-q', ...flags], {
    env: { ASOF_API_KEY: service.key },
  });

/** Takes a snapshot, and calls `before` before each of its requests. */
type Run = (before: (path: string) => Promise<void>) => Promise<Ended>;

const modes: readonly (readonly [mode: string, run: Run])[] = [
  [
    'embedded',
    async (before) => {
      hook.beforeRequest = before;
      return snapshot('--store', store).finally(() => {
        hook.beforeRequest = async () => undefined;
      });
    },
  ],
  [
    'remote',
    async (before) => {
      const { url } = await serve(async (request, response) => {
        const { url: path = '', headers } = request;
        await before(path);
        const tag = headers['if-none-match'];
        const answer = await fetch(service.url + path, {
          headers: { 'x-api-key': service.key, ...(tag !== undefined && { 'if-none-match': tag }) },
        });
        const etag = answer.headers.get('etag');
        response
          .writeHead(answer.status, { 'content-type': 'application/json', ...(etag !== null && { etag }) })
          .end(await answer.text());
      });
      return snapshot('--base-url', url, '--retries', '0');
    },
  ],
];

/** The number of months in each file. */
const months = () => files.map((name) => linesOf(readFileSync(join(out, name), 'utf8')).length - 1);

const values = /\/observations/;

describe.each(modes)('an import that lands in the middle of a run (%s)', (_, run) => {
  // One request for the first line, two for the panel, one for the last.
  it.each([2, 3, 4])('before request %i does not mix two states: all lines run again', async (at) => {
    let asked = 0;
    const { code, err } = await run(async (path) => {
      if (values.test(path)) asked += 1;
      if (values.test(path) && asked === at) await importMore();
    });
    expect([code, err]).toEqual([0, '']);
    expect(months()).toEqual([imports, imports, imports]);
    expect(asked).toBeGreaterThanOrEqual(8);
    expect((await asof(['verify', out, '--store', store])).code).toBe(0);
  });

  it('that is repeated leads to exit 8 and leaves the snapshot as it was', async () => {
    await run(async () => undefined);
    const before = months();
    const { code, err } = await run(async (path) => {
      if (values.test(path)) await importMore();
    });
    expect([code, err]).toEqual([
      8,
      `asof: the data changed while it was being read (try again when the import is done); ${out} is as it was\n`,
    ]);
    expect(months()).toEqual(before);
    expect(readdirSync(folder).filter((name) => /^\.snap\.\d/.test(name)).length).toBeLessThanOrEqual(2);
  });
});

describe('nothing that is published after the day of a snapshot changes a file of it', () => {
  const lines = [
    "all.csv obs '*'",
    'gdp.json obs GDP --json',
    "first.csv obs '*' --first-release",
    'story.json revisions GDP --date 2020-02-01',
    'vintages.json vintages GDP',
    "long.csv panel '*'",
    "wide.csv panel '*' --wide",
    // The coverage of the curves, which ends the values of their series otherwise, is that of the store.
    "each.csv panel '*' --as-of-each month-end --from 2019-11-15 --beyond repeat",
    'diff.csv diff GDP 2019-12-31 2020-01-31',
    'curve.csv curve',
    'rates.csv yields --wide',
    'spread.csv spread --short 1M',
  ];
  const begun: readonly ModelStatement[] = [
    { series: 'GDP', date: '2019-11-01', asOf: '2019-12-01', value: '7.7' },
  ];
  // A Wednesday and a Thursday, every fourth week.
  const curves = Array.from({ length: 48 }, (_, i) =>
    new Date(Date.UTC(2019, 11, 18 + 28 * Math.floor(i / 2) + (i % 2))).toISOString().slice(0, 10),
  );

  /** A store of the statements and trades up to a day, with the metadata of every series. */
  async function storeOf(said: readonly ModelStatement[], day: string): Promise<string> {
    const path = newStorePath(folder);
    const known = [...begun, ...said].filter(({ asOf }) => asOf <= day);
    const rates = curves.filter((date) => date <= day).map((date, i) => `${date},1.${i},2.${i}\n`);
    const ids = ['GDP', 'CPI', 'X1', 'UNRATE'];
    const files = {
      ...asAsofCsv(known)[0]?.files,
      // The coverage is not a fact that was published, and must be the same.
      'metadata.csv': `series_id,frequency,covered_to\n${ids.map((id) => `${id},M,2025-12-31\n`).join('')}`,
      ...(rates.length > 0 && { 'par.csv': `Date,"1 Mo","10 Yr"\n${rates.join('')}` }),
    };
    await importFiles(path, files, { projections: true });
    return path;
  }

  async function filesOf(store: string, day: string): Promise<Readonly<Record<string, string>>> {
    const work = mkdtempSync(join(folder, 'law-'));
    writeFileSync(join(work, 'plan.txt'), lines.join('\n'));
    const line = ['snapshot', join(work, 'plan.txt'), '--out', join(work, 'snap'), '-q'];
    const ended = await asof([...line, '--as-of', day, '--store', store]);
    expect(ended).toEqual({ code: 0, out: '', err: '' });
    const names = readdirSync(join(work, 'snap')).filter((name) => name !== 'manifest.json');
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(work, 'snap', name), 'utf8')]));
  }

  it('for any statements', async () => {
    const day = fc.constantFrom('2020-01-31', '2020-03-01', '2020-07-31', '2021-02-28');
    const said = agreeing.map((items) => onePerKey(items.map((item) => item.said)));
    await fc.assert(
      fc.asyncProperty(said, day, async (all, asOf) => {
        const [whole, cut] = [await storeOf(all, '9999-12-31'), await storeOf(all, asOf)];
        expect(await filesOf(whole, asOf)).toEqual(await filesOf(cut, asOf));
      }),
      { numRuns: runs(15) },
    );
  });

  it('nor do series that begin later, be they pages full of them', async () => {
    const later = Array.from({ length: 1200 }, (_, i) => `A${i},2020-01-01,2020-02-01,1`);
    const work = mkdtempSync(join(folder, 'many-'));
    writeFileSync(join(work, 'facts.csv'), statements([...later, 'Z,2019-01-01,2019-02-01,2']));
    await asof(['import', join(work, 'facts.csv'), '--store', join(work, 'store.db')]);
    writeFileSync(join(work, 'plan.txt'), "z.csv panel '*' --wide");
    const line = [
      'snapshot',
      join(work, 'plan.txt'),
      '--out',
      join(work, 'snap'),
      '--as-of',
      '2019-12-31',
      '-q',
    ];
    expect(await asof([...line, '--store', join(work, 'store.db')])).toMatchObject({ code: 0, err: '' });
    expect(readFileSync(join(work, 'snap', 'z.csv'), 'utf8')).toBe('date,Z\n2019-01-01,2\n');
  });

  it('of filings: those of the sample up to the day, and the clusters that they make', async () => {
    writeFileSync(
      join(folder, 'filings.txt'),
      'f.csv insider filings --from 2024-01-01\nc.csv insider clusters --ticker MAIA\ne.csv insider clusters --ticker MAIA --explain\n',
    );
    const snap = join(folder, 'filings');
    const read = (name: string) => linesOf(readFileSync(join(snap, name), 'utf8')).slice(1);
    await asof(['snapshot', join(folder, 'filings.txt'), '--out', snap, '--as-of', '2025-11-27']);
    const all = (await asof(['insider', 'filings', '--from', '2024-01-01'])).out;
    const expected = linesOf(all).filter((line) => line.slice(0, 10) <= '2025-11-27');
    expect(read('f.csv')).toEqual(expected);
    expect(expected.length).toBeLessThan(linesOf(all).length - 1);
    // The cluster of November 2025 could be seen on the 28th (README), that of December 2025 later.
    expect(read('c.csv').filter((line) => line.includes('2025-11-21'))).toEqual([]);
    expect(read('c.csv').some((line) => line.includes('2024-11-04'))).toBe(true);
    for (const line of read('e.csv')) expect(line).not.toMatch(/,2025-1[12]-/);
    await asof(['snapshot', join(folder, 'filings.txt'), '--out', snap, '--as-of', '2025-11-28']);
    expect(read('c.csv').some((line) => line.includes('2025-11-28'))).toBe(true);
  });
});
