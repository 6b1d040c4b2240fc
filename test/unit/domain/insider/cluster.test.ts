import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InsiderTrade } from '../../../../src/domain/insider/classification.ts';
import { type Cluster, clustersOf } from '../../../../src/domain/insider/cluster.ts';
import { clusterTotals } from '../../../../src/domain/insider/cluster-totals.ts';
import { addDays } from '../../../../src/domain/series/date.ts';
import { filing, owner } from '../../../support/filings.ts';

/** `A 3 5`: A bought on 3 January, and it was filed on the 5th. */
function purchase(text: string): InsiderTrade {
  const [cik = '', day = '', known = day] = text.split(' ');
  const date = addDays('2026-01-01', Number(day) - 1);
  const knownOn = addDays('2026-01-01', Number(known) - 1);
  const insider = { ...owner(), cik };
  return {
    filing: filing({ filedOn: knownOn, owners: [insider] }),
    insider,
    date,
    knownOn,
    filedOn: [knownOn],
  };
}

const textOf = ({ insider, date, knownOn }: InsiderTrade) => `${insider.cik} ${date} ${knownOn}`;
const shown = ({ trades, size, dateFirst, dateLast, detectedOn, sizeWhenDetected }: Cluster) =>
  `${trades.length} trades of ${size}, ${dateFirst.slice(8)}-${dateLast.slice(8)}, ${sizeWhenDetected} seen on ${detectedOn.slice(5)}`;

const rule = { minInsiders: 3, days: 14 };

describe('a cluster', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['is three insiders within 14 days', ['A 1', 'B 2', 'C 14'], ['3 trades of 3, 01-14, 3 seen on 01-14']],
    ['is not three insiders within 15 days', ['A 1', 'B 2', 'C 15'], []],
    ['is not two insiders, however often they buy', ['A 1', 'B 2', 'A 3', 'B 4'], []],
    ['counts an insider once', ['A 1', 'A 1', 'B 2', 'C 3'], ['4 trades of 3, 01-03, 3 seen on 01-03']],
    [
      'joins spans that share a trade, and may be longer than a span',
      ['A 1', 'B 8', 'C 14', 'D 20', 'E 27'],
      ['5 trades of 5, 01-27, 3 seen on 01-14'],
    ],
    [
      'is two where the spans share none',
      ['A 1', 'B 1', 'C 1', 'A 15', 'B 15', 'C 15'],
      ['3 trades of 3, 01-01, 3 seen on 01-01', '3 trades of 3, 15-15, 3 seen on 01-15'],
    ],
    [
      'does not include a trade that is in no span of enough insiders',
      ['A 1', 'B 1', 'C 1', 'D 16', 'E 16'],
      ['3 trades of 3, 01-01, 3 seen on 01-01'],
    ],
    [
      'is detected when enough of it is public, not before',
      ['A 1 3', 'B 2 30', 'C 3 20', 'D 4 25', 'E 5 31'],
      ['5 trades of 5, 01-05, 3 seen on 01-25'],
    ],
    [
      'has the size of what was public at its detection',
      ['A 1 3', 'B 2 9', 'C 3 9', 'D 4 9', 'E 5 31'],
      ['5 trades of 5, 01-05, 4 seen on 01-09'],
    ],
    [
      'has the larger size of two that were public at detection and were joined later',
      ['A 1 25', 'B 1 25', 'C 1 25', 'H 10 30', 'D 20 25', 'E 20 25', 'F 20 25', 'G 20 25'],
      ['8 trades of 8, 01-20, 4 seen on 01-25'],
    ],
  ])('a cluster %s', (_, texts, expected) => {
    expect(clustersOf(texts.map(purchase), rule).map(shown)).toEqual(expected);
  });

  it('consists of one insider when the rule asks for one', () => {
    expect(clustersOf([purchase('A 1')], { minInsiders: 1, days: 1 }).map(shown)).toEqual([
      '1 trades of 1, 01-01, 1 seen on 01-01',
    ]);
  });
});

type Rule = typeof rule;

/** The rulings, word by word: spans on every trade's date, joined as long as two share a trade. */
function naive(purchases: readonly InsiderTrade[], { minInsiders, days }: Rule): Set<InsiderTrade>[] {
  const joined: Set<InsiderTrade>[] = [];
  for (const { date } of purchases) {
    const end = addDays(date, days - 1);
    const span = new Set(purchases.filter((other) => other.date >= date && other.date <= end));
    if (new Set([...span].map(({ insider }) => insider.cik)).size >= minInsiders) joined.push(span);
  }
  for (let again = true; again; ) {
    again = false;
    for (let i = 0; i < joined.length && !again; i += 1) {
      for (let j = i + 1; j < joined.length && !again; j += 1) {
        const [one, other] = [joined[i] ?? new Set<InsiderTrade>(), joined[j] ?? new Set<InsiderTrade>()];
        if (![...one].some((trade) => other.has(trade))) continue;
        joined.splice(j, 1);
        joined[i] = new Set([...one, ...other]);
        again = true;
      }
    }
  }
  return joined;
}

const some = fc
  .array(
    fc.record({ who: fc.constantFrom(...'ABCDE'), day: fc.integer({ min: 1, max: 40 }), late: fc.nat(30) }),
    { maxLength: 25 },
  )
  .map((all) => all.map(({ who, day, late }) => purchase(`${who} ${day} ${day + late}`)))
  .map((all) => all.sort((a, b) => (a.date < b.date ? -1 : Number(a.date > b.date))));
const rules = fc.record({
  minInsiders: fc.integer({ min: 1, max: 4 }),
  days: fc.integer({ min: 1, max: 20 }),
});
const setOf = (trades: Iterable<InsiderTrade>) => [...trades].map(textOf).sort();

describe('clusters of any purchases', () => {
  it('are the ones that the definition gives', () => {
    fc.assert(
      fc.property(some, rules, (purchases, given) => {
        const expected = naive(purchases, given).map(setOf).sort();
        expect(
          clustersOf(purchases, given)
            .map((one) => setOf(one.trades))
            .sort(),
        ).toEqual(expected);
      }),
    );
  });

  it('have the size, the dates and the detection day that the definition gives', () => {
    fc.assert(
      fc.property(some, rules, (purchases, given) => {
        for (const cluster of clustersOf(purchases, given)) {
          const dates = cluster.trades.map(({ date }) => date).sort();
          expect([cluster.dateFirst, cluster.dateLast]).toEqual([dates[0], dates.at(-1)]);
          expect(cluster.size).toBe(new Set(cluster.trades.map(({ insider }) => insider.cik)).size);
          const days = purchases.map(({ knownOn }) => knownOn).sort();
          const own = new Set(cluster.trades);
          const seenOn = (day: string) =>
            naive(
              purchases.filter(({ knownOn }) => knownOn <= day),
              given,
            ).filter((trades) => [...trades].some((trade) => own.has(trade)));
          const detectedOn = days.find((day) => seenOn(day).length > 0) ?? '';
          expect(cluster.detectedOn).toBe(detectedOn);
          const sizes = seenOn(detectedOn).map(
            (trades) => new Set([...trades].map(({ insider }) => insider.cik)).size,
          );
          expect(cluster.sizeWhenDetected).toBe(Math.max(...sizes));
        }
      }),
    );
  });

  it('known on a day are each part of one cluster known on the next day, with the same detection', () => {
    fc.assert(
      fc.property(some, rules, fc.integer({ min: 1, max: 70 }), (purchases, given, day) => {
        const on = (count: number) => {
          const last = addDays('2026-01-01', count - 1);
          return clustersOf(
            purchases.filter(({ knownOn }) => knownOn <= last),
            given,
          );
        };
        const next = on(day + 1).map((cluster) => ({ cluster, trades: new Set(cluster.trades) }));
        const within = on(day).map((cluster) => ({
          cluster,
          outer: next.filter(({ trades }) => cluster.trades.every((trade) => trades.has(trade))),
        }));
        for (const { cluster, outer } of within) {
          expect(outer).toHaveLength(1);
          const inOne = within.filter((other) => other.outer[0] === outer[0]).map((other) => other.cluster);
          const first = inOne.map(({ detectedOn }) => detectedOn).sort()[0];
          expect(outer[0]?.cluster.detectedOn).toBe(first);
          if (inOne.length === 1) {
            expect(outer[0]?.cluster.sizeWhenDetected).toBe(cluster.sizeWhenDetected);
          }
        }
      }),
    );
  });
});

describe('the totals of a cluster', () => {
  const of = (...trades: readonly (readonly [shares: string | null, price: string | null])[]) =>
    clusterTotals({
      trades: trades.map(([shares, pricePerShare]) => ({
        ...purchase('A 1'),
        filing: filing({ shares, pricePerShare }),
      })),
    });

  it('are exact for any number of digits', () => {
    expect(of(['0.1', '0.1'], ['0.2', '3'], ['12345678901234567890', '0.001'])).toEqual({
      shares: '12345678901234567890.3',
      value: '12345678901234568.5',
      averagePrice: '0.0010',
      priceLow: '0.001',
      priceHigh: '3',
    });
  });

  it('compare prices as numbers and show them as stated', () => {
    expect(of(['1', '10.0'], ['1', '9.50'])).toMatchObject({ priceLow: '9.50', priceHigh: '10.0' });
  });

  it('leave shares without a price out of the value and the average', () => {
    expect(of(['3', null], ['1', '2'])).toMatchObject({ shares: '4', value: '2', averagePrice: '2.0000' });
    const none = { value: null, averagePrice: null, priceLow: null, priceHigh: null };
    expect(of(['3', null])).toEqual({ shares: '3', ...none });
  });

  it('round the average half to even', () => {
    expect(of(['1', '0.0001'], ['1', '0.0002'])).toMatchObject({ averagePrice: '0.0002' });
    expect(of(['1', '0.0002'], ['1', '0.0003'])).toMatchObject({ averagePrice: '0.0002' });
  });

  it('have no sum of shares if one purchase does not state its shares', () => {
    expect(of([null, '2'], ['3', '4'])).toEqual({
      shares: null,
      value: '12',
      averagePrice: '4.0000',
      priceLow: '2',
      priceHigh: '4',
    });
    expect(of([null, '2'])).toEqual({
      shares: null,
      value: null,
      averagePrice: null,
      priceLow: '2',
      priceHigh: '2',
    });
    expect(of([null, '2'], ['3', null])).toMatchObject({ shares: null, value: null, averagePrice: null });
  });

  it('distinguish a sum of zero shares from an unknown one', () => {
    expect(of(['0', '2'])).toMatchObject({ shares: '0', value: '0', averagePrice: null });
  });
});
