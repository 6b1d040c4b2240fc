import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyTrades } from '../../../src/domain/insider/classification.ts';
import { clustersOf, clusterTotals, signalsOf } from '../../../src/domain/insider/cluster.ts';
import { explainCluster } from '../../../src/domain/insider/explanation.ts';
import { type Filing, symbolsOf } from '../../../src/domain/insider/filing.ts';
import { addDays } from '../../../src/domain/values/date.ts';
import type { Row } from '../../../src/operations/envelope.ts';
import {
  insiderClusterExplanations,
  insiderClusterSignals,
  insiderClusters,
} from '../../../src/operations/insiders/clusters.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import type { ParamTexts } from '../../../src/operations/param.ts';
import { createService, owner } from '../../../src/service/service.ts';
import type { Store } from '../../../src/store/store.ts';
import { runs } from '../../support/arbitrary.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { filing, owner as reporting } from '../../support/filings.ts';
import { everyPage } from '../../support/http-service.ts';
import { changedStore, importFilings, withStore } from '../../support/scratch-store.ts';

const begin = '2025-01-01';
const day = (count: number) => addDays(begin, count);

/** Trades of some issuers within three months, filed at once, weeks or months later, some of them amended. */
const tradesOfIssuers = fc
  .array(
    fc.record({
      issuer: fc.integer({ min: 1, max: 6 }),
      insider: fc.integer({ min: 1, max: 4 }),
      traded: fc.integer({ min: 0, max: 90 }),
      // Two of five are filed late; a date after the filing is impossible.
      later: fc.constantFrom(0, 1, 2, 40, 75, -1),
      formType: fc.constantFrom('4', '4', '4', '4', '4/A'),
      transactionCode: fc.constantFrom('P', 'P', 'P', 'S'),
      shares: fc.constantFrom('1', '2', '300'),
      pricePerShare: fc.constantFrom('1', '1', null),
      ticker: fc.constantFrom('AAA', 'BBB, CCC', 'ZZZ', null),
    }),
    { minLength: 20, maxLength: 60 },
  )
  .map((all) =>
    all.map(({ issuer, insider, traded, later, ...trade }, place) =>
      filing({
        ...trade,
        filingId: `F${String(place).padStart(3, '0')}`,
        issuerCik: `000000000${issuer}`,
        owners: [reporting({ cik: `${issuer}${insider}`, name: `Insider ${issuer}${insider}` })],
        transactionDate: day(traded),
        filedOn: day(traded + later),
      }),
    ),
  );

const maybe = <T>(...values: readonly T[]) => fc.constantFrom(undefined, undefined, ...values);
const question = fc
  .record({
    transaction_code: fc.constantFrom('P', 'P', 'S'),
    min_insiders: fc.constantFrom(1, 2, 2, 3),
    days: fc.constantFrom(1, 5, 14, 40),
    min_value: maybe(3, 301),
    ticker: maybe('zzz', 'CCC'),
    from: maybe(day(20), day(60)),
    to: maybe(day(30), day(70), day(120)),
    as_of: maybe(day(10), day(50), day(100)),
  })
  .filter(({ from = '', to = '9' }) => from <= to);
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

const isIn = (one: string, { from = '', to = '9' }: Question) => one >= from && one <= to;

/** The filings of each issuer that are known on the as-of date. */
function byIssuer(filings: readonly Filing[], { as_of = '9' }: Question): readonly (readonly Filing[])[] {
  const issuers = new Set(filings.map(({ issuerCik }) => issuerCik));
  const known = filings.filter(({ filedOn }) => filedOn <= as_of);
  return Array.from(issuers, (issuer) => known.filter(({ issuerCik }) => issuerCik === issuer));
}

type Found = { readonly trades: readonly { readonly filing: Filing }[]; readonly dateFirst: string };

/** The symbol, issuer and first trade of what trades make; a search by symbol takes those that a filing states it of. */
function namesOf({ trades, dateFirst }: Found, { ticker }: Question): readonly string[] | undefined {
  const filings = trades
    .map((trade) => trade.filing)
    .sort((a, b) => (`${a.filedOn} ${a.filingId}` < `${b.filedOn} ${b.filingId}` ? 1 : -1));
  const isNamed = (one: Filing) =>
    ticker === undefined ? one.ticker !== null : symbolsOf(one.ticker).includes(ticker.toUpperCase());
  const named = filings.find(isNamed);
  if (ticker !== undefined && named === undefined) return undefined;
  return [named?.ticker ?? '', filings[0]?.issuerCik ?? '', dateFirst];
}

type Expected = {
  readonly day: string;
  readonly size: number;
  readonly names: readonly string[];
  readonly figures: string;
  readonly reasons?: readonly string[];
};

/** Rows in their order: the newest day first, then the largest, then by symbol, issuer and first trade. */
function ordered(rows: readonly Expected[]): readonly Expected[] {
  const later = (a: string, b: string) => Number(a < b) - Number(a > b);
  return [...rows].sort(
    (a, b) => later(a.day, b.day) || b.size - a.size || later(b.names.join('\n'), a.names.join('\n')),
  );
}

/** Every cluster of every issuer, and the rows that explain it. */
function naiveClusters(filings: readonly Filing[], asked: Question): readonly Expected[] {
  const { transaction_code: code, min_insiders: minInsiders, days, min_value: least = 0 } = asked;
  const found = byIssuer(filings, asked).flatMap((own) => {
    const classification = classifyTrades(own, code);
    return clustersOf(classification.trades, { minInsiders, days })
      .filter((one) => isIn(one.dateLast, asked) && Number(clusterTotals(one).totalValue) >= least)
      .flatMap((one) => {
        const names = namesOf(one, asked);
        const reasons = explainCluster(one, classification, days).map(
          ({ filing: { filingId }, text, owner }) => `${one.dateFirst} ${filingId} ${owner?.name} ${text}`,
        );
        const figures = [one.size, one.detectedOn, one.sizeWhenDetected].join(' ');
        return names === undefined ? [] : { day: one.dateLast, size: one.size, names, figures, reasons };
      });
  });
  return ordered(found);
}

/** Every signal of every issuer. */
function naiveSignals(filings: readonly Filing[], asked: Question): readonly Expected[] {
  const { transaction_code: code, min_insiders: minInsiders, days, min_value: minValue } = asked;
  const found = byIssuer(filings, asked).flatMap((own) =>
    signalsOf(own, { code, minInsiders, days, minValue }).flatMap((one) => {
      const names = isIn(one.day, asked) ? namesOf(one, asked) : undefined;
      return names === undefined ? [] : { day: one.day, size: 0, names, figures: `${one.size}` };
    }),
  );
  return ordered(found);
}

const textOf = ({ day, names, figures }: Expected) => `${day} ${names.join(' ')} ${figures}`;

/** A store that reads so many trades at once, and gives those of the issuers in another order. */
function inParts(store: Store, limit: number): Store {
  return changedStore(store, ({ filings }) => ({
    filings: {
      tradePlaces: (query) => filings.tradePlaces({ ...query, limit }),
      filedTrades: (query) => filings.filedTrades({ ...query, limit }),
      async *clusterTrades(query) {
        const batches: (readonly Filing[])[] = [];
        for await (const batch of filings.clusterTrades(query)) batches.unshift(batch);
        yield* batches;
      },
    },
  }));
}

/** The rows of all pages of an answer. */
async function allRows(store: Store, operation: Operation, asked: Question, limit: number) {
  const service = createService({ store, clock: () => new Date('2026-01-01') });
  const texts: ParamTexts = Object.entries({ ...asked, limit }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  const pages = await everyPage((cursor) => service.answer(operation, [...texts, ...cursor], owner));
  return pages.flatMap(({ results }) => results);
}

describe('clusters that are read part by part', () => {
  onEveryEngine((engine) => {
    it('are those of all issuers, in order, for parts and pages of any size', async () => {
      const sizes = fc.record({ part: fc.integer({ min: 1, max: 20 }), limit: fc.constantFrom(1, 3, 1000) });
      const questions = fc.array(fc.tuple(question, sizes), { minLength: 8, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(tradesOfIssuers, questions, async (filings, questions) => {
          const address = engine.newAddress();
          await importFilings(address, filings);
          await withStore(address, async (store) => {
            for (const [asked, { part, limit }] of questions) {
              const rowsOf = (operation: Operation) => allRows(inParts(store, part), operation, asked, limit);
              const shown = (row: Row, day: string, ...figures: readonly string[]) =>
                [day, 'ticker', 'issuer_cik', 'date_first', ...figures]
                  .map((name) => row[name] ?? '')
                  .join(' ');
              const [expected, signals] = [naiveClusters(filings, asked), naiveSignals(filings, asked)];
              expect(
                (await rowsOf(insiderClusters)).map((row) =>
                  shown(row, 'date_last', 'cluster_size', 'detected_on', 'size_when_detected'),
                ),
              ).toEqual(expected.map(textOf));
              expect(
                (await rowsOf(insiderClusterSignals)).map((row) => shown(row, 'day', 'cluster_size')),
              ).toEqual(signals.map(textOf));
              expect(
                (await rowsOf(insiderClusterExplanations)).map(
                  (row) => `${row.date_first} ${row.accession_number} ${row.owner_name} ${row.reason}`,
                ),
              ).toEqual(expected.flatMap(({ reasons = [] }) => reasons));
            }
          });
        }),
        { numRuns: runs(10, engine) },
      );
    });
  });
});
