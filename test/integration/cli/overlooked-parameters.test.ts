import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { openClient } from '../../../src/client/open.ts';
import { operations } from '../../../src/operations/index.ts';
import { samplePath } from '../../../src/platform/installation.ts';
import { runs } from '../../support/arbitrary.ts';
import { asof, type Ended, linesOf } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { type Overlooked, overlookingService } from '../../support/overlooking-service.ts';

vi.setConfig({ testTimeout: 300_000 });

/** Every command that reads, with every parameter, over the sample. */
const lines = [
  'obs GDP --as-of 2015-01-30 --limit 3',
  'obs GDP --as-of 2015-01-30 --limit 1',
  'obs GDP UNRATE --known-before 2016-05-06 --from 2015-01-01 --to 2015-12-31',
  'obs PAYEMS --from 2019-01-01 --to 2019-12-31',
  'obs GDP --first-release --as-of 2016-01-01',
  'obs GDP --first-release --from 2014-01-01',
  'series search gdp',
  'series search gdp --match id --limit 2',
  'series search "unemployment rate" --match title',
  'series show GDP',
  'revisions GDP --date 2014-10-01 --as-of 2015-03-01',
  'revisions GDP --from 2014-07-01 --to 2014-10-01 --as-of 2015-03-01',
  'vintages GDP --from 2015-01-01 --to 2015-12-31',
  'vintages GDP --as-of 2015-06-30 --limit 2',
  'diff GDP 2015-01-30 2015-03-27 --from 2010-01-01',
  'panel GDP UNRATE --as-of 2015-01-30 --from 2014-01-01',
  'panel GDP UNRATE --as-of-each month-end --from 2014-01-01 --to 2014-12-31',
  'curve --date 2024-12-24',
  'curve --date 2022-11-24 --on-or-before --type tips',
  'curve --date 2024-12-24 --vs 2024-12-23',
  'yields --maturity 10Y --from 2024-12-01 --to 2024-12-31',
  'yields --type tips --maturity 5Y --from 2022-11-01 --to 2022-11-30 --limit 4',
  'yields --wide --from 2024-12-01 --to 2024-12-31',
  'spread --long 30Y --short 5Y --from 2024-12-01 --to 2024-12-31',
  'spread --type tips --long 10Y --short 5Y --from 2022-11-01 --to 2022-11-30 --limit 3',
  'insider filings --ticker MAIA --from 2025-11-01 --to 2025-12-31',
  'insider filings --as-of 2025-12-01 --ticker MAIA --code p',
  'insider filings --owner vitoc --from 2025-01-01 --as-of 2025-12-31 --limit 5',
  'insider filings --days 20 --to 2025-12-10',
  'insider clusters --ticker MAIA --as-of 2025-11-28',
  'insider clusters --ticker MAIA --from 2025-01-01 --to 2025-12-31',
  'insider clusters --min-insiders 4 --days 5',
  'insider clusters --ticker MAIA --as-of 2025-11-28 --explain',
  'insider clusters --min-insiders 4 --days 5 --from 2024-01-01 --to 2024-12-31 --explain',
  'insider clusters --ticker MAIA --min-value 300000',
  'insider clusters --code S --min-insiders 1 --as-of 2025-01-01',
  'insider clusters --code S --min-insiders 1 --ticker TSLA --min-value 3000000 --explain',
  'insider clusters --signals --code S --min-insiders 1 --days 5 --min-value 300000 --limit 4',
  'insider clusters --signals --ticker MAIA --from 2023-01-01 --to 2025-12-31 --as-of 2025-12-01',
  'obs DGS10 --as-of 2024-12-20 --from 2024-12-01',
  'obs GDP --as-of 2015-01-30 --first 2',
  'yields --maturity 10Y --from 2024-12-01 --to 2024-12-31 --first 3',
];

/** A line as words; quoted words are one. */
const wordsOf = (line: string) => (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));

const names = [...new Set(operations.flatMap(({ params }) => Object.keys(params)))].filter(
  (name) => name !== 'id',
);
/** What no row shows: of a service that announces them and overlooks them, nobody can know. */
const unseen = ['release', 'min_insiders', 'days', 'match'];

const folder = newFolder();
let sample: Client;
let now: Overlooked = { names: new Set(), announcesAll: false };
const truths = new Map<string, Ended>();

beforeAll(async () => {
  sample = await openClient({ store: samplePath(), clock: () => new Date('2026-03-15T12:00:00Z') });
  for (const line of lines)
    truths.set(line, await asof([...wordsOf(line), '--csv', '-q', '--store', samplePath()]));
});
afterAll(() => sample.close());

describe('a service that overlooks parameters', () => {
  it('is asked lines that all have rows in the sample', () => {
    expect([...truths].filter(([, { code, out }]) => code !== 0 || linesOf(out).length < 2)).toEqual([]);
  });

  it('is asked every question with every parameter by these lines', async () => {
    now = { names: new Set(), announcesAll: true };
    const { url, asked } = await overlookingService(sample, () => now);
    for (const line of lines) await asof([...wordsOf(line), '--csv', '-q', '--base-url', url]);
    const sent = operations.map(({ name, path, params }) => {
      const pattern = new RegExp(`^${path.replace('{id}', '[^/]+')}[?](.*)$`);
      const queries = asked.flatMap((request) => pattern.exec(request.url ?? '')?.[1] ?? []);
      const missing = Object.keys(params).filter(
        (param) =>
          params[param]?.in === 'query' && !queries.some((query) => new URLSearchParams(query).has(param)),
      );
      return [name, missing.filter((param) => param !== 'cursor')];
    });
    expect(sent.filter(([, missing]) => missing?.length !== 0)).toEqual([]);
  });

  it.each(lines)('never brings a wrong row into the answer to: asof %s', async (line) => {
    const truth = new Set(linesOf(truths.get(line)?.out ?? ''));
    const { url } = await overlookingService(sample, () => now);
    const subsets = fc.oneof(fc.subarray(names), fc.subarray(names, { maxLength: 2 }), fc.constant(names));
    await fc.assert(
      fc.asyncProperty(subsets, fc.boolean(), async (overlooked, announcesAll) => {
        const left = overlooked.filter(
          (name) =>
            !announcesAll ||
            !(
              unseen.includes(name) ||
              (name === 'curve_type' && /^spread/.test(line)) ||
              // The rows that explain a cluster do not have its total value.
              (name === 'min_value' && /--explain/.test(line))
            ),
        );
        now = { names: new Set(left), announcesAll };
        const { code, out, err } = await asof([
          ...wordsOf(line),
          '--csv',
          '-q',
          '--base-url',
          url,
          '--retries',
          '0',
        ]);
        // A cluster of fewer insiders or of more days is one, but may be a part of a larger one.
        const isOther = left.includes('min_insiders') || left.includes('days');
        const rows = linesOf(out);
        if (out !== '' && !isOther) expect(rows.filter((row) => !truth.has(row))).toEqual([]);
        // 2 where it misses what it overlooked.
        expect([0, 2, 8]).toContain(code);
        expect(err === '').toBe(code === 0);
        // Trades of other days or codes than those asked for may be none: nothing shows that they are others.
        const mayBeEmpty =
          (line.startsWith('insider filings') && /from|to|days/.test(left.join())) ||
          (line.includes('--code S') && left.includes('transaction_code'));
        if (code === 0 && !isOther && !mayBeEmpty) expect(new Set(rows)).toEqual(truth);
      }),
      { numRuns: runs(12) },
    );
  });

  it('and announces nothing is not asked for clusters as of a day', async () => {
    now = { names: new Set(names), announcesAll: false };
    const { url, asked } = await overlookingService(sample, () => now);
    const { code, out, err } = await asof([
      ...wordsOf('insider clusters --as-of 2020-01-01 --ticker MAIA --base-url'),
      url,
    ]);
    expect([code, out, err]).toEqual([8, '', expect.stringContaining('cannot answer as of a day')]);
    expect(asked.map((request) => request.url)).toEqual(['/v1/openapi.json']);
  });

  it.each([
    ['gdp.csv obs GDP', 0],
    ['filings.csv insider filings --ticker MAIA', 0],
    ['clusters.csv insider clusters --ticker MAIA', 8],
    ['spread.csv spread --from 2025-10-01', 8],
  ])(
    'and announces nothing: a snapshot of %s ends with %i or is the same as of the store',
    async (plan, code) => {
      const file = folder.write('plan.txt', `${plan}\n`);
      const name = String(plan.split(' ')[0]);
      const truth = folder.path(`truth-${name}`);
      const out = folder.path(`out-${name}`);
      const taken = (to: string, ...more: string[]) =>
        asof(['snapshot', file, '--out', to, '--as-of', '2025-11-28', ...more]);
      expect((await taken(truth, '--store', samplePath())).code).toBe(0);
      const left = plan.includes('insider') ? ['ticker', 'as_of', 'transaction_code'] : ['to', 'limit'];
      now = { names: new Set(plan.includes('filings') ? ['as_of'] : left), announcesAll: false };
      if (plan.includes('obs')) now = { names: new Set(['release', 'match']), announcesAll: false };
      const { url } = await overlookingService(sample, () => now);
      expect((await taken(out, '--base-url', url)).code).toBe(code);
      expect(existsSync(out)).toBe(code === 0);
      const rest = folder.path(name);
      if (code === 0) expect(folder.read(`out-${name}/${name}`)).toBe(folder.read(`truth-${name}/${name}`));
      expect(existsSync(rest)).toBe(false);
      const verified = await asof(['verify', truth, '--base-url', url]);
      expect(verified.code).toBe(code);
    },
  );
});
