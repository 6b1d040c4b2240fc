import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { classifyTrades } from '../../../src/domain/insider/classification.ts';
import { clustersOf } from '../../../src/domain/insider/cluster.ts';
import { clusterTotals } from '../../../src/domain/insider/cluster-totals.ts';
import type { Filing } from '../../../src/domain/insider/filing.ts';
import { signalsOf } from '../../../src/domain/insider/signal.ts';
import { addDays } from '../../../src/domain/series/date.ts';
import {
  insiderClusterExplanations,
  insiderClusterSignals,
  insiderClusters,
} from '../../../src/operations/insiders/clusters.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import type { ParamTexts } from '../../../src/operations/param.ts';
import { createService, owner, type Service } from '../../../src/service/service.ts';
import { runs } from '../../support/arbitrary.ts';
import { changedStore } from '../../support/changed-store.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { filing, owner as reporting } from '../../support/filings.ts';
import { importFilings, withStore } from '../../support/scratch-store.ts';

vi.setConfig({ testTimeout: 120_000 });

const begin = '2025-01-01';

/** Trades of some issuers within three months, filed at once, weeks or months later, some of them amended. */
const tradesOfIssuers = fc
  .array(
    fc.record({
      issuer: fc.integer({ min: 1, max: 6 }),
      insider: fc.integer({ min: 1, max: 4 }),
      traded: fc.integer({ min: 0, max: 90 }),
      // Two of five are filed late; a date after the filing is impossible.
      later: fc.constantFrom(0, 1, 2, 40, 75, -1),
      amends: fc.constantFrom(false, false, false, false, true),
      code: fc.constantFrom('P', 'P', 'P', 'S'),
      shares: fc.constantFrom('1', '2', '300'),
    }),
    { minLength: 20, maxLength: 60 },
  )
  .map((all) =>
    all.map(({ issuer, insider, traded, later, amends, code, shares }, place) =>
      filing({
        filingId: `F${String(place).padStart(3, '0')}`,
        accessionNumber: `F${String(place).padStart(3, '0')}`,
        issuerCik: `000000000${issuer}`,
        ticker: `T${issuer}`,
        owners: [reporting({ cik: `${issuer}${insider}`, name: `Insider ${issuer}${insider}` })],
        transactionDate: addDays(begin, traded),
        filedOn: addDays(begin, traded + later),
        formType: amends ? '4/A' : '4',
        transactionCode: code,
        shares,
        pricePerShare: '1',
      }),
    ),
  );

const anyQuestion = fc.record({
  transaction_code: fc.constantFrom('P', 'P', 'S'),
  min_insiders: fc.constantFrom(1, 2, 2, 3),
  days: fc.constantFrom(1, 5, 14, 40),
  min_value: fc.constantFrom(undefined, undefined, 3, 301),
  from: fc.constantFrom(undefined, undefined, addDays(begin, 20), addDays(begin, 60)),
  to: fc.constantFrom(undefined, undefined, addDays(begin, 30), addDays(begin, 70), addDays(begin, 120)),
  as_of: fc.constantFrom(undefined, undefined, addDays(begin, 10), addDays(begin, 50), addDays(begin, 100)),
});
const question = anyQuestion.filter(({ from = '', to = '9' }) => from <= to);
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

const isIn = (day: string, { from = '', to = '9' }: Question) => day >= from && day <= to;

/** The filings of each issuer that are known on the as-of date. */
function byIssuer(filings: readonly Filing[], { as_of = '9' }: Question): readonly (readonly Filing[])[] {
  const issuers = new Set(filings.map(({ issuerCik }) => issuerCik));
  const known = filings.filter(({ filedOn }) => filedOn <= as_of);
  return Array.from(issuers, (issuer) => known.filter(({ issuerCik }) => issuerCik === issuer));
}

/** Every cluster of every issuer, as `date_last issuer date_first size`. */
function naiveClusters(filings: readonly Filing[], asked: Question): readonly string[] {
  const { transaction_code: code, min_insiders: minInsiders, days, min_value: least = 0 } = asked;
  const found = byIssuer(filings, asked).flatMap((own) =>
    clustersOf(classifyTrades(own, code).trades, { minInsiders, days })
      .filter((one) => isIn(one.dateLast, asked) && Number(clusterTotals(one).value) >= least)
      .map((one) => ({ ...one, issuer: own[0]?.issuerCik ?? '' })),
  );
  const key = (one: (typeof found)[number]) => `${one.issuer} ${one.dateFirst}`;
  return found
    .sort((a, b) => {
      if (a.dateLast !== b.dateLast) return a.dateLast > b.dateLast ? -1 : 1;
      return b.size - a.size || (key(a) < key(b) ? -1 : 1);
    })
    .map((one) => `${one.dateLast} ${key(one)} ${one.size}`);
}

/** Every signal of every issuer, as `day issuer date_first size`. */
function naiveSignals(filings: readonly Filing[], asked: Question): readonly string[] {
  const { transaction_code: code, min_insiders: minInsiders, days, min_value: minValue } = asked;
  return byIssuer(filings, asked)
    .flatMap((own) =>
      signalsOf(own, { code, minInsiders, days, minValue })
        .filter((one) => isIn(one.day, asked))
        .map((one) => ({ day: one.day, rest: `${own[0]?.issuerCik} ${one.dateFirst} ${one.size}` })),
    )
    .sort((a, b) => (a.day === b.day ? (a.rest < b.rest ? -1 : 1) : a.day > b.day ? -1 : 1))
    .map(({ day, rest }) => `${day} ${rest}`);
}

async function pages(service: Service, operation: Operation, asked: Question, limit: number) {
  const rows: Readonly<Record<string, unknown>>[] = [];
  const texts: ParamTexts = Object.entries({ ...asked, limit }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  for (let cursor: string | undefined; ; ) {
    const given: ParamTexts = cursor === undefined ? texts : [...texts, ['cursor', cursor]];
    const page = await service.answer(operation, given, owner);
    rows.push(...page.results);
    cursor = page.next_cursor;
    if (cursor === undefined) return rows;
  }
}

const shown = (row: Readonly<Record<string, unknown>>, day: string) =>
  [row[day], row.issuer_cik, row.date_first].map((text) => String(text).slice(0, 10)).join(' ');

describe('clusters that are read part by part', () => {
  onEveryEngine((engine) => {
    it('are those of all issuers, in order, for parts and pages of any size', async () => {
      const sizes = fc.record({ part: fc.integer({ min: 1, max: 20 }), limit: fc.constantFrom(1, 3, 1000) });
      await fc.assert(
        fc.asyncProperty(
          tradesOfIssuers,
          fc.array(fc.tuple(question, sizes), { minLength: 8, maxLength: 8 }),
          async (filings, questions) => {
            const address = engine.newAddress();
            await importFilings(address, filings);
            await withStore(address, async (store) => {
              for (const [asked, { part, limit }] of questions) {
                const inParts = changedStore(store, (view) => ({
                  filings: {
                    tradePlaces: (query) => view.filings.tradePlaces({ ...query, limit: part }),
                    filedTrades: (query) => view.filings.filedTrades({ ...query, limit: part }),
                  },
                }));
                const service = createService({ store: inParts, clock: () => new Date('2026-01-01') });
                const clusters = await pages(service, insiderClusters, asked, limit);
                const expected = naiveClusters(filings, asked);
                expect(clusters.map((row) => `${shown(row, 'date_last')} ${row.cluster_size}`)).toEqual(
                  expected,
                );
                const signals = await pages(service, insiderClusterSignals, asked, limit);
                expect(signals.map((row) => `${shown(row, 'day')} ${row.cluster_size}`)).toEqual(
                  naiveSignals(filings, asked),
                );
                const explained = await pages(service, insiderClusterExplanations, asked, limit);
                expect([...new Set(explained.map((row) => shown(row, 'date_last')))]).toEqual(
                  expected.map((text) => text.split(' ').slice(0, 3).join(' ')),
                );
              }
            });
          },
        ),
        { numRuns: runs(12, engine) },
      );
    });
  });
});
