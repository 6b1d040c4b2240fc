import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client } from '../../../../src/client/client.ts';
import { openEmbedded } from '../../../../src/client/open.ts';
import { Problem } from '../../../../src/errors/problem.ts';
import { samplePath } from '../../../../src/platform/installation.ts';
import { endpoints } from '../../../../src/server/endpoints.ts';
import { openApi } from '../../../../src/server/openapi.ts';
import { envelopeWriter } from '../../../../src/server/written-envelope.ts';
import { runs } from '../../../support/arbitrary.ts';
import { asof, type Ended, linesOf } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import { operations } from '../../../support/operations.ts';
import { problem, reply, serve } from '../../../support/service-double.ts';

vi.setConfig({ testTimeout: 300_000 });

/** Every command that reads, with every parameter, over the sample. */
const lines = [
  'obs GDP --as-of 2015-01-30 --limit 3',
  'obs GDP --as-of 2015-01-30 --limit 1',
  'obs GDP UNRATE --known-before 2016-05-06 --from 2015-01-01 --to 2015-12-31',
  'obs GDP --known-at 2015-01-31T18:00-05:00 --limit 3',
  'obs PAYEMS --from 2019-01-01 --to 2019-12-31',
  'obs GDP --first-release --as-of 2016-01-01',
  'obs GDP --first-release --from 2014-01-01',
  'series search gdp',
  'series search gdp --match id --limit 2',
  'series search unemployment --match title',
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
  'obs GDP --known-at 2015-01-30T08:31-05:00 --limit 2',
  'calendar --series GDP --from 2015-01-01 --to 2015-06-30 --limit 2',
  'calendar --release gross --from 2015-01-01 --as-of 2015-06-30',
  'next GDP --as-of 2015-06-30',
  'yields --maturity 10Y --from 2024-12-01 --to 2024-12-31 --first 3',
];

/** What no row shows: of a service that announces them and overlooks them, nobody can know. */
const unseen = ['release', 'min_insiders', 'days', 'match'];

const folder = newFolder();
let sample: Client;
/** What the service overlooks: these parameters, and whether its description announces them all the same. */
let now: { readonly names: readonly string[]; readonly announcesAll: boolean };

/** A service of the sample that overlooks parameters: it answers as if they had not been sent. */
const overlookingService = () =>
  serve(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const { names, announcesAll } = now;
    if (pathname === '/v1/openapi.json')
      return reply(response, 200, descriptionWithout(announcesAll ? [] : names));
    const operation = operations.find(({ path }) => pathOf(path).test(pathname));
    if (operation === undefined) return problem(response, 404, 'not-found', 'no such endpoint');
    const id = pathOf(operation.path).exec(pathname)?.[1];
    const texts = [...searchParams].filter(([name]) => !names.includes(name));
    const inPath = id === undefined ? [] : [['id', decodeURIComponent(id)] as const];
    try {
      const page = await sample.ask(operation, [...inPath, ...texts]);
      return reply(response, 200, JSON.parse(envelopeWriter(operation.fields)(page).join('')));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return problem(response, error.status, error.kind, error.detail, { field: error.field });
    }
  });

const pathOf = (path: string) => new RegExp(`^${path.replace('{id}', '([^/]+)')}$`);

const descriptions = new Map<string, string>();

/** The description without some parameters, made once for each choice, as that takes long. */
function descriptionWithout(left: readonly string[]): string {
  const known = descriptions.get(left.join());
  if (known !== undefined) return known;
  const announced = endpoints.map(({ params, ...endpoint }) => {
    const kept = Object.entries(params).filter(([name]) => !left.includes(name));
    return { ...endpoint, params: endpoint.operation === undefined ? params : Object.fromEntries(kept) };
  });
  const made = JSON.stringify(openApi(announced, 'https://data.example.com'));
  descriptions.set(left.join(), made);
  return made;
}

const ask = (line: string, url: string, ...more: readonly string[]) =>
  asof([...line.split(' '), '--base-url', url, ...more]);

const truths = new Map<string, Ended>();
/** The paths of the requests that a line makes. */
const requests = new Map<string, readonly URL[]>();

beforeAll(async () => {
  sample = await openEmbedded(samplePath(), () => new Date('2026-03-15T12:00:00Z'));
  now = { names: [], announcesAll: true };
  for (const line of lines) {
    truths.set(line, await asof([...line.split(' '), '--csv', '-q', '--store', samplePath()]));
    const { url, asked } = await overlookingService();
    await ask(line, url, '--csv', '-q');
    requests.set(
      line,
      asked.map((request) => new URL(request.url ?? '', url)),
    );
  }
});
afterAll(() => sample.close());

describe('a service that overlooks parameters', () => {
  it('is asked every question with every parameter by these lines, which all have rows', () => {
    expect([...truths].filter(([, { code, out }]) => code !== 0 || linesOf(out).length < 2)).toEqual([]);
    const all = [...requests.values()].flat();
    const missing = operations.flatMap(({ name, path, params }) => {
      const own = all.filter(({ pathname }) => pathOf(path).test(pathname));
      const unsent = Object.keys(params).filter((param) => !own.some((url) => url.searchParams.has(param)));
      return unsent.filter((param) => params[param]?.in === 'query').map((param) => `${name} ${param}`);
    });
    // The sample follows nothing, so nothing of it is due.
    expect(missing.filter((one) => !one.endsWith(' cursor') && one !== 'due every')).toEqual([]);
  });

  it.each(lines)('never brings a wrong row into the answer to: asof %s', async (line) => {
    const truth = new Set(linesOf(truths.get(line)?.out ?? ''));
    const sent = new Set(requests.get(line)?.flatMap(({ searchParams }) => [...searchParams.keys()]));
    const { url } = await overlookingService();
    await fc.assert(
      fc.asyncProperty(fc.subarray([...sent]), fc.boolean(), async (overlooked, announcesAll) => {
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
        now = { names: left, announcesAll };
        const { code, out, err } = await ask(line, url, '--csv', '-q', '--retries', '0');
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
          // A service that overlooks the days answers about this week.
          (line.startsWith('calendar') && /from|to/.test(left.join())) ||
          (line.includes('--code S') && left.includes('transaction_code'));
        if (code === 0 && !isOther && !mayBeEmpty) expect(new Set(rows)).toEqual(truth);
      }),
      { numRuns: runs(4) },
    );
  });

  it('and announces nothing is not asked for clusters as of a day', async () => {
    now = { names: operations.flatMap(({ params }) => Object.keys(params)), announcesAll: false };
    const { url, asked } = await overlookingService();
    const { code, out, err } = await ask('insider clusters --as-of 2020-01-01 --ticker MAIA', url);
    expect([code, out, err]).toEqual([8, '', expect.stringContaining('cannot answer as of a day')]);
    expect(asked.map((request) => request.url)).toEqual(['/v1/openapi.json']);
  });

  it('may have older filings of a ticker, where it overlooks the range', async () => {
    now = { names: ['from', 'to', 'days'], announcesAll: true };
    const { url } = await overlookingService();
    const line = 'insider filings --from 1990-01-01 --to 1990-12-31 --ticker MAIA --columns ticker';
    const { code, out, err } = await ask(line, url);
    expect([code, out, linesOf(err).at(-1)]).toEqual([
      0,
      'ticker\n',
      'asof: no rows: the service shows no filing of MAIA',
    ]);
  });

  it.each<[plan: string, overlooked: readonly string[], code: number]>([
    ['obs GDP', ['release', 'match'], 0],
    ['insider filings --ticker MAIA', ['as_of'], 0],
    ['insider clusters --ticker MAIA', ['ticker', 'as_of', 'transaction_code'], 8],
    ['spread --from 2025-10-01', ['to', 'limit'], 8],
  ])(
    'gives a snapshot of %s that is the same as of the store, or none: without %j',
    async (plan, names, code) => {
      const file = folder.write('plan.txt', `rows.csv ${plan}\n`);
      const [truth, out] = [folder.path(`truth${plan}`), folder.path(`out${plan}`)];
      const taken = async (to: string, ...more: readonly string[]) =>
        (await asof(['snapshot', file, '--out', to, '--as-of', '2025-11-28', ...more])).code;
      expect(await taken(truth, '--store', samplePath())).toBe(0);
      now = { names, announcesAll: false };
      const { url } = await overlookingService();
      expect(await taken(out, '--base-url', url)).toBe(code);
      expect(folder.has(`out${plan}`)).toBe(code === 0);
      if (code === 0) expect(folder.read(`out${plan}/rows.csv`)).toBe(folder.read(`truth${plan}/rows.csv`));
      expect((await asof(['verify', truth, '--base-url', url])).code).toBe(code);
    },
  );
});
