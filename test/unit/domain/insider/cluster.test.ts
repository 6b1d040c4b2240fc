import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyTrades, type InsiderTrade } from '../../../../src/domain/insider/classification.ts';
import {
  type Cluster,
  type ClusterSignal,
  clustersOf,
  clusterTotals,
  isCluster,
  signalsOf,
} from '../../../../src/domain/insider/cluster.ts';
import type { Filing } from '../../../../src/domain/insider/filing.ts';
import { addDays } from '../../../../src/domain/values/date.ts';
import { runs } from '../../../support/arbitrary.ts';
import {
  alikeFilings,
  clustersAmong,
  days,
  exchanged,
  filing,
  owner,
  signalsAmong,
} from '../../../support/filings.ts';

/** `A 3 5`: A bought ten shares for 15 dollars on 3 January, and it was filed on the 5th. */
function bought(text: string, changes: Partial<Filing> = {}): Filing {
  const [cik = '', day = '', filed = day] = text.split(' ');
  const date = (count: string) => addDays('2026-01-01', Number(count) - 1);
  const dates = { transactionDate: date(day), filedOn: date(filed) };
  return filing({ filingId: text, owners: [owner({ cik })], ...dates, ...changes });
}

/** The same as a trade that counts, known on the day of its filing. */
function purchase(text: string): InsiderTrade {
  const one = bought(text);
  const insider = { ...owner(), cik: text.split(' ')[0] ?? '' };
  const { filedOn, transactionDate: date } = one;
  return { filing: one, insider, date: date ?? '', knownOn: filedOn, filedOn: [filedOn] };
}

const shown = ({
  trades,
  size,
  dateFirst,
  dateLast,
}: Pick<Cluster, 'dateFirst' | 'dateLast' | 'size' | 'trades'>) =>
  `${trades.length} trades of ${size}, ${dateFirst.slice(8)}-${dateLast.slice(8)}`;
const rule = { minInsiders: 3, days: 14 };

describe('a cluster', () => {
  const detected = (one: Cluster) =>
    `${shown(one)}, ${one.sizeWhenDetected} seen on ${one.detectedOn.slice(5)}`;

  it.each<[string, readonly string[], readonly string[]]>([
    ['is three insiders within 14 days', ['A 1', 'B 2', 'C 14'], ['3 trades of 3, 01-14, 3 seen on 01-14']],
    [
      'joins spans that share a trade, and may be longer than a span',
      ['A 1', 'B 8', 'C 14', 'D 20', 'E 27'],
      ['5 trades of 5, 01-27, 3 seen on 01-14'],
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
  ])('a cluster %s', (_, texts, expected) => {
    expect(clustersOf(texts.map(purchase), rule).map(detected)).toEqual(expected);
  });
});

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
const insidersIn = (trades: Iterable<InsiderTrade>) =>
  new Set(Array.from(trades, ({ insider }) => insider.cik));

/** The clusters among trades, by the rulings word by word. */
function naive(trades: readonly InsiderTrade[], given: typeof rule): readonly (readonly InsiderTrade[])[] {
  const dated = trades.map((trade) => ({ trade, date: trade.date, who: String(trade.insider.cik) }));
  return clustersAmong(dated, given).map((cluster) => Array.from(cluster, ({ trade }) => trade));
}

describe('clusters of any purchases', () => {
  it('are the ones that the definition gives', () => {
    const setOf = (trades: readonly InsiderTrade[]) => trades.map((one) => one.filing.filingId).sort();
    fc.assert(
      fc.property(some, rules, (purchases, given) => {
        const found = clustersOf(purchases, given).map(({ trades }) => setOf(trades));
        expect(found.sort()).toEqual(naive(purchases, given).map(setOf).sort());
      }),
      { numRuns: runs(100) },
    );
  });

  it('hold all of the trades, in any order, exactly where the trades are one cluster', () => {
    const unordered = some.chain((all) => fc.shuffledSubarray([...all], { minLength: all.length }));
    fc.assert(
      fc.property(unordered, rules, (purchases, given) => {
        const [first = []] = naive(purchases, given);
        expect(isCluster(purchases, given)).toBe(first.length === purchases.length);
      }),
      { numRuns: runs(100) },
    );
  });

  it('have the size, the dates and the detection day that the definition gives', () => {
    fc.assert(
      fc.property(some, rules, (purchases, given) => {
        for (const { trades, ...cluster } of clustersOf(purchases, given)) {
          const dates = trades.map(({ date }) => date).sort();
          expect([cluster.dateFirst, cluster.dateLast]).toEqual([dates[0], dates.at(-1)]);
          expect(cluster.size).toBe(insidersIn(trades).size);
          const seenOn = (day: string) => {
            const known = purchases.filter(({ knownOn }) => knownOn <= day);
            return naive(known, given).filter((seen) => seen.some((trade) => trades.includes(trade)));
          };
          const known = purchases.map(({ knownOn }) => knownOn).sort();
          const detectedOn = known.find((day) => seenOn(day).length > 0) ?? '';
          expect(cluster.detectedOn).toBe(detectedOn);
          const sizes = seenOn(detectedOn).map((seen) => insidersIn(seen).size);
          expect(cluster.sizeWhenDetected).toBe(Math.max(...sizes));
        }
      }),
      { numRuns: runs(80) },
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
        const next = on(day + 1);
        const within = on(day).map((cluster) => ({
          cluster,
          outer: next.filter(({ trades }) => cluster.trades.every((trade) => trades.includes(trade))),
        }));
        for (const { cluster, outer } of within) {
          expect(outer).toHaveLength(1);
          const inOne = within.filter((other) => other.outer[0] === outer[0]).map((other) => other.cluster);
          const first = inOne.map(({ detectedOn }) => detectedOn).sort()[0];
          expect(outer[0]?.detectedOn).toBe(first);
          if (inOne.length === 1) expect(outer[0]?.sizeWhenDetected).toBe(cluster.sizeWhenDetected);
        }
      }),
      { numRuns: runs(100) },
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
      totalShares: '12345678901234567890.3',
      totalValue: '12345678901234568.5',
      averagePrice: '0.0010',
      priceLow: '0.001',
      priceHigh: '3',
    });
  });

  it('compare prices as numbers and show them as stated', () => {
    expect(of(['1', '10.0'], ['1', '9.50'])).toMatchObject({ priceLow: '9.50', priceHigh: '10.0' });
  });

  it('leave shares without a price out of the value and the average', () => {
    expect(of(['3', null], ['1', '2'])).toMatchObject({
      totalShares: '4',
      totalValue: '2',
      averagePrice: '2.0000',
    });
    const none = { totalValue: null, averagePrice: null, priceLow: null, priceHigh: null };
    expect(of(['3', null])).toEqual({ totalShares: '3', ...none });
  });

  it('round the average half to even', () => {
    expect(of(['1', '0.0001'], ['1', '0.0002'])).toMatchObject({ averagePrice: '0.0002' });
    expect(of(['1', '0.0002'], ['1', '0.0003'])).toMatchObject({ averagePrice: '0.0002' });
  });

  it('have no sum of shares if one purchase does not state its shares', () => {
    expect(of([null, '2'], ['3', '4'])).toEqual({
      totalShares: null,
      totalValue: '12',
      averagePrice: '4.0000',
      priceLow: '2',
      priceHigh: '4',
    });
    const unknown = { totalShares: null, totalValue: null, averagePrice: null };
    expect(of([null, '2'])).toEqual({ ...unknown, priceLow: '2', priceHigh: '2' });
    expect(of([null, '2'], ['3', null])).toMatchObject(unknown);
  });

  it('distinguish a sum of zero shares from an unknown one', () => {
    expect(of(['0', '2'])).toMatchObject({ totalShares: '0', totalValue: '0', averagePrice: null });
  });
});

describe('a signal', () => {
  const signals = (filings: readonly Filing[], minValue?: number) =>
    signalsOf(filings, { ...rule, code: 'P', minValue });
  const seen = (one: ClusterSignal) => `${one.day.slice(8)}: ${shown(one)}`;
  const three = ['A 1', 'B 2', 'C 3'].map((text) => bought(text));

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'comes on the filing date of the last filing that makes a cluster',
      ['A 1 3', 'B 2 9', 'C 3 7'],
      ['09: 3 trades of 3, 01-03'],
    ],
    [
      'has what was known on its day, not what was filed later',
      ['A 1', 'B 2', 'C 3', 'D 4', 'E 2 20'],
      ['03: 3 trades of 3, 01-03'],
    ],
    [
      'does not come again when two clusters join',
      ['A 1', 'B 1', 'C 1', 'A 20', 'B 20', 'C 20', 'D 10 25'],
      ['01: 3 trades of 3, 01-01', '20: 3 trades of 3, 20-20'],
    ],
  ])('%s', (_, texts, expected) => {
    expect(signals(texts.map((text) => bought(text))).map(seen)).toEqual(expected);
  });

  it('waits until what is known is worth the minimum', () => {
    const daysFor = (minValue: number) =>
      signals([...three, bought('D 4 8')], minValue).map(({ day }) => day.slice(8));
    expect([daysFor(45), daysFor(46), daysFor(60), daysFor(61)]).toEqual([['03'], ['08'], ['08'], []]);
  });

  it('stays when an amendment takes its cluster away, and does not come again with a cluster of the same days', () => {
    const amended = bought('C 3 9', { formType: '4/A', transactionCode: 'G' });
    const filings = [...three, amended, bought('D 3 12')];
    expect(signals(filings).map(seen)).toEqual(['03: 3 trades of 3, 01-03']);
    expect(clustersOf(classifyTrades(filings).trades, rule)).toMatchObject([{ detectedOn: '2026-01-12' }]);
  });
});

const valuedRules = fc.record({
  code: fc.constantFrom('P', 'P', 'S', 'J'),
  minInsiders: fc.integer({ min: 1, max: 3 }),
  days: fc.constantFrom(1, 4, 6, 14),
  minValue: fc.constantFrom(0, 2, 4, 30),
});

/** Trades of five insiders over two months, filed up to a month later; some amend an earlier one. */
const longer = fc
  .array(
    fc.record({
      who: fc.constantFrom(...'ABCDE'),
      day: fc.integer({ min: 1, max: 60 }),
      late: fc.oneof(fc.constantFrom(0, 1), fc.nat(30)),
      isAmendment: fc.constantFrom(false, false, false, true),
      transactionCode: fc.constantFrom('P', 'P', 'P', 'G'),
      shares: fc.constantFrom('1', '2', '9'),
    }),
    { maxLength: 32, size: 'max' },
  )
  .map((all) =>
    all.map(({ who, day, late, isAmendment, ...trade }, place) =>
      bought(`${who} ${day} ${day + late}`, {
        ...trade,
        filingId: `F${place}`,
        formType: isAmendment ? '4/A' : '4',
      }),
    ),
  );

describe('the signals in any filings', () => {
  const nameOf = ({ filingId, row }: Filing) => `${filingId}/${row}`;

  it.each([
    ['few dates', alikeFilings, runs(250)],
    ['many dates', longer, runs(120)],
  ])(
    'are those of everything computed from scratch on every day, for trades of %s',
    (_, anyFilings, numRuns) => {
      fc.assert(
        fc.property(anyFilings, valuedRules, (some, given) => {
          const filings = exchanged(some, given.code);
          const found = signalsOf(filings, given).map(({ day, trades, size, dateFirst, dateLast }) => {
            const rows = trades.map((one) => nameOf(one.filing)).sort();
            return [day, dateFirst, dateLast, size, ...rows].join(' ');
          });
          const expected = signalsAmong(filings, given.code, given).map(({ day, first, last, size, rows }) =>
            [day, first, last, size, ...rows.map(nameOf).sort()].join(' '),
          );
          expect(found.sort()).toEqual(expected.sort());
        }),
        { numRuns },
      );
    },
  );

  it('are the same, as far as their days go, when more is filed later', () => {
    fc.assert(
      fc.property(alikeFilings, valuedRules, fc.constantFrom(...days), (some, given, last) => {
        const filings = exchanged(some, given.code);
        const known = filings.filter(({ filedOn }) => filedOn <= last);
        expect(signalsOf(known, given)).toEqual(signalsOf(filings, given).filter(({ day }) => day <= last));
      }),
      { numRuns: runs(150) },
    );
  });
});
