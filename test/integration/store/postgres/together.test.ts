import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ExpectedAnswers } from '../../../../src/client/client.ts';
import { embeddedClient } from '../../../../src/client/open.ts';
import type { Problem } from '../../../../src/errors/problem.ts';
import type { ParamTexts } from '../../../../src/operations/param.ts';
import { observations } from '../../../../src/operations/series/observations.ts';
import { initStore, openStore } from '../../../../src/store/open.ts';
import type { ObservationQuery, Store } from '../../../../src/store/store.ts';
import { asAsofCsv } from '../../../support/encodings.ts';
import { databaseWithCitus, newSchemaAddress } from '../../../support/engines.ts';
import {
  asOf,
  emptyModel,
  firstReleases,
  importInto,
  type ModelStatement,
} from '../../../support/knowledge.ts';
import { importFiles, withStore } from '../../../support/scratch-store.ts';

const ids = Array.from({ length: 40 }, (_, i) => `S${String(i).padStart(2, '0')}`);
const months = ['2020-01-01', '2020-02-01', '2020-03-01', '2020-04-01'];
const days = ['2020-05-10', '2020-06-10', '2020-07-10'];

/** Values that each vintage changes for some dates, and withdraws for others. */
const made: readonly ModelStatement[] = ids.flatMap((series, s) =>
  months.flatMap((date, m) =>
    days.map((day, d) => ({
      series,
      date,
      asOf: day,
      value: (s + m + d) % 7 === 0 ? null : `${s}.${(m * d) % 3}`,
    })),
  ),
);
const known = importInto(emptyModel, made).after;

let citus: Awaited<ReturnType<typeof databaseWithCitus>>;
const address = newSchemaAddress();
beforeAll(async () => {
  const files = asAsofCsv(made)[0]?.files ?? {};
  await importFiles(address, files);
  citus = await databaseWithCitus();
  await initStore(citus.address, true);
  await importFiles(citus.address, files);
});
afterAll(() => citus.remove());

let sent: string[] = [];
/** What the server refuses, as Citus refuses statements about the rows of several nodes. */
let refused: RegExp | undefined;
const refusal = "do $$ begin raise feature_not_supported using message = 'not on one node'; end $$";
const query = pg.Client.prototype.query as (...given: readonly unknown[]) => unknown;
vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
  const [config] = given as [string | { readonly text: string }];
  const text = typeof config === 'string' ? config : config.text;
  sent.push(text);
  if (refused?.test(text)) return query.call(this, refusal);
  return query.apply(this, given);
});
beforeEach(() => {
  sent = [];
  refused = undefined;
});

/** Pages of several series that are asked for at once. */
async function pagesOf(store: Store, asked: readonly string[], bounds: Omit<ObservationQuery, 'seriesId'>) {
  if (store.readTogether === undefined) throw new Error('this store reads one by one');
  return store.readTogether((view) =>
    Promise.all(asked.map((seriesId) => view.series.observations({ ...bounds, seriesId }))),
  );
}

describe('pages of many series that are asked for together', () => {
  it.each<[string, Omit<ObservationQuery, 'seriesId'>]>([
    ['as they are known now', { limit: 1000 }],
    ['as of a day', { limit: 1000, asOf: '2020-06-15' }],
    ['from one date to another', { limit: 1000, from: '2020-02-01', to: '2020-03-01' }],
    ['with a limit', { limit: 2, asOf: '2020-06-10' }],
    ['of first releases', { limit: 1000, firstRelease: true, asOf: '2020-07-10' }],
  ])('are those of each series, %s', async (_, bounds) => {
    const pages = await withStore(address, (store) => pagesOf(store, ids, bounds));
    const { asOf: day, from = '', to = '9', limit, firstRelease } = bounds;
    for (const [i, id] of ids.entries()) {
      const rows = (firstRelease === true ? firstReleases : asOf)(known, id, day);
      expect(pages[i]?.rows).toEqual(rows.filter(({ date }) => date >= from && date <= to).slice(0, limit));
      expect(pages[i]?.series.id).toBe(id);
      expect(pages[i]?.vintage.newest?.asOf).toBe(days.findLast((one) => one <= (day ?? '9')));
    }
  });

  it('have none for a series that does not exist, and the same for one that is asked for twice', async () => {
    const asked = ['S01', 'NONE', 'S01', "'; --"];
    const pages = await withStore(address, (store) => pagesOf(store, asked, { limit: 9 }));
    expect(pages.map((page) => page?.rows)).toEqual([
      asOf(known, 'S01'),
      undefined,
      asOf(known, 'S01'),
      undefined,
    ]);
  });

  it('take as many statements as the page of one series', async () => {
    const count = (asked: readonly string[]) =>
      withStore(address, async (store) => {
        await pagesOf(store, ['S00'], { limit: 9 });
        sent = [];
        await pagesOf(store, asked, { limit: 9 });
        return sent.length;
      });
    expect(await count(ids)).toBe(await count(['S01']));
  });

  it('are asked for one by one on Citus, so that each is answered by the node of its series', async () => {
    const pages = await withStore(citus.address, (store) => pagesOf(store, ids, { limit: 9 }));
    expect(pages.map((page) => page?.rows)).toEqual(ids.map((id) => asOf(known, id)));
    const facts = sent.filter((text) => /\bfact\b/.test(text));
    expect(facts.length).toBe(ids.length);
    for (const text of facts) expect(text).toMatch(/where series = \$\d/);
  });

  it('are asked for one by one from the moment when a store that is open is distributed', async () => {
    const later = `${citus.address}?schema=later`;
    await importFiles(later, asAsofCsv(made)[0]?.files ?? {});
    await withStore(later, async (store) => {
      const ask = () => {
        sent = [];
        return pagesOf(store, ids, { limit: 9 });
      };
      const before = await ask();
      expect(before.map((page) => page?.rows)).toEqual(ids.map((id) => asOf(known, id)));
      expect(sent.filter((text) => /\bfact\b/.test(text)).length).toBe(1);
      await initStore(later, true);
      refused = /\bunnest\(/;
      expect(await ask()).toEqual(before);
      expect(await ask()).toEqual(before);
      expect(sent.filter((text) => /\bfact\b/.test(text)).length).toBe(ids.length);
      expect(sent.filter((text) => /\bunnest\(/.test(text))).toEqual([]);
    });
  });
});

describe('a client of a store in PostgreSQL that is told what comes next', () => {
  const question = (id: string): ParamTexts => [
    ['id', id],
    ['limit', '1000'],
  ];

  it('gives the answers that it gives without that, in fewer statements', async () => {
    const client = embeddedClient(await openStore(address));
    const asked = [...ids.slice(0, 20), 'NONE', ...ids.slice(20)].map(question);
    const answers = async (expected?: ExpectedAnswers) => {
      const given = await Promise.allSettled(
        asked.map((texts) => client.ask(observations, texts, expected && { expected })),
      );
      return given.map((one) =>
        one.status === 'fulfilled' ? one.value.results : (one.reason as Problem).detail,
      );
    };
    const before = await answers();
    const oneByOne = sent.length;
    const expected = await client.expect?.(observations, asked);
    sent = [];
    expect(await answers(expected)).toEqual(before);
    expect(sent.length).toBeLessThan(oneByOne / 4);
    expect(before[20]).toBe("series 'NONE' not found");
    await client.close();
  });

  it('says of each answer why it cannot be had when the store cannot be reached', async () => {
    const client = embeddedClient(await openStore(address));
    const expected = await client.expect?.(observations, ids.map(question));
    vi.spyOn(pg.Pool.prototype, 'connect').mockImplementation(async () => {
      throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    });
    const failures = await Promise.allSettled(
      ids.slice(0, 3).map((id) => client.ask(observations, question(id), expected && { expected })),
    );
    vi.mocked(pg.Pool.prototype.connect).mockRestore();
    expect(failures.map((one) => one.status === 'rejected' && (one.reason as Problem).kind)).toEqual(
      Array.from({ length: 3 }, () => 'unreachable'),
    );
    await client.close();
  });
});
