import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { insiderClusterSignals, insiderClusters } from '../../../../src/operations/insiders/clusters.ts';
import { insiderFilings } from '../../../../src/operations/insiders/filings.ts';
import type { Operation } from '../../../../src/operations/operation.ts';
import { yields } from '../../../../src/operations/rates/yields.ts';
import { observations, revisions } from '../../../../src/operations/series/observations.ts';
import { seriesSearch, seriesShow } from '../../../../src/operations/series/series.ts';
import { vintages } from '../../../../src/operations/series/vintages.ts';
import { createService, owner as principal } from '../../../../src/service/service.ts';
import { openStore } from '../../../../src/store/open.ts';
import type { Store } from '../../../../src/store/store.ts';
import { newSchemaAddress } from '../../../support/engines.ts';
import { filing, owner } from '../../../support/filings.ts';
import { facts, importFiles, importFilings } from '../../../support/scratch-store.ts';

let [trips, sent, pending] = [0, 0, 0];
let isHeld: Promise<void> | undefined;
/** The text of the statement that was sent last. */
let last = '';

const statementIn = (given: unknown) =>
  typeof given === 'object' && given !== null && 'text' in given ? String(given.text) : String(given);

/** Holds back answers until all have come and the client sends nothing more, and counts how often it does. */
async function hold(): Promise<void> {
  for (let before = -1; before !== sent || pending > 0; ) {
    before = sent;
    await delay(10);
  }
  isHeld = undefined;
  trips += 1;
}

const query = pg.Client.prototype.query as (...given: readonly unknown[]) => Promise<unknown>;
vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
  sent += 1;
  last = statementIn(given[0]);
  pending += 1;
  const answer = query.apply(this, given);
  const settle = () => {
    pending -= 1;
  };
  answer.then(settle, settle);
  isHeld ??= hold();
  return isHeld.then(() => answer);
});

const ids = Array.from({ length: 20 }, (_, i) => `S${i + 10}`);

let store: Store;
beforeAll(async () => {
  const address = newSchemaAddress();
  const lines = ids.flatMap((id) => [`${id} 2014-10-01 2015-01-30 1`, `${id} 2014-10-01 2015-02-27 2`]);
  await importFiles(address, { 'a.csv': facts(...lines), 'p.csv': 'Date,"1 Mo"\n2015-01-02,0.02\n' });
  await importFilings(address, [
    filing(),
    filing({ filingId: '0000000001-26-000002', owners: [owner({ cik: '0001913257' })] }),
  ]);
  store = await openStore(address);
});
afterAll(() => store.close());

/** The number of round trips of work, which runs once before, so that the connection and all code are ready. */
async function tripsOf(work: () => Promise<unknown>): Promise<number> {
  await work();
  // The work does not wait for the end of its transaction.
  await delay(100);
  const before = trips;
  await work();
  return trips - before;
}

describe('the round trips to a database', () => {
  it.each<[string, Operation, Readonly<Record<string, string>>]>([
    ['a page of observations', observations, { id: 'S10' }],
    ['a page as of a day', observations, { id: 'S10', as_of: '2015-02-01' }],
    ['a page of first releases', observations, { id: 'S10', release: 'first' }],
    ['a page of vintages', vintages, { id: 'S10' }],
    ['the revisions of a date', revisions, { id: 'S10', date: '2014-10-01' }],
    ['a listing of series', seriesSearch, { limit: '3' }],
    ['the description of a series', seriesShow, { id: 'S10' }],
    ['a page of yields', yields, { maturity: '1M' }],
    ['a page of filings', insiderFilings, { from: '2026-01-01' }],
    ['a page of filings of an unknown ticker', insiderFilings, { ticker: 'NONE', as_of: '2026-01-05' }],
    ['a page of clusters that were found before', insiderClusters, {}],
    ['a page of signals that were found before', insiderClusterSignals, {}],
  ])('are one for %s with its state', async (_, operation, params) => {
    const service = createService({ store });
    const request = { operation, texts: Object.entries(params), principal, requestId: 'req_1' };
    expect(await tripsOf(() => service.reply(request))).toBe(1);
  });

  it('are one for a part of a panel, including the question whether the database has Citus', async () => {
    const questions = ids.slice(0, 12).map((id) => [['id', id]] as const);
    const service = createService({ store });
    const part = () => Promise.all(service.answerTogether(observations, questions, principal));
    expect(await tripsOf(part)).toBe(1);
  });

  it('are one statement without a transaction for a page of values that a program asks for', async () => {
    const service = createService({ store });
    const texts = Object.entries({ id: 'S10', as_of: '2015-02-01' });
    await service.answer(observations, texts, principal);
    const before = sent;
    expect((await service.answer(observations, texts, principal)).results).toHaveLength(1);
    expect(sent - before).toBe(1);
    // What the series is called and how often it has values is known from the page before.
    expect(last).not.toMatch(/title|description_change/);
    expect(last).toContain('.fact');
  });

  it('and the statements are as many for a new value in each of 80 series as in each of 20', async () => {
    const address = newSchemaAddress();
    const all = Array.from({ length: 80 }, (_, i) => `U${i}`);
    const saying = (date: string, asOf: string, count = all.length) => ({
      'a.csv': facts(...all.slice(0, count).map((id) => `${id} ${date} ${asOf} 1`)),
    });
    await importFiles(address, saying('2014-10-01', '2015-01-30'));
    const spent: number[][] = [];
    for (const [date, asOf, count] of [
      ['2015-01-01', '2015-04-30', 80],
      ['2015-04-01', '2015-07-30', 20],
    ] as const) {
      const before = [trips, sent] as const;
      const [summary] = await importFiles(address, saying(date, asOf, count));
      expect(summary?.statementsNew).toBe(count);
      spent.push([trips - before[0], sent - before[1]]);
    }
    expect(spent[0]).toEqual(spent[1]);
  });

  it('are three to open a store after its connection: for its tables, its format, and the rest', async () => {
    const open = async () => (await openStore(store.address)).close();
    expect(await tripsOf(open)).toBe(3);
  });
});
