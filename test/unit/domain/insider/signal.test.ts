import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyTrades } from '../../../../src/domain/insider/classification.ts';
import { clustersOf } from '../../../../src/domain/insider/cluster.ts';
import type { Filing } from '../../../../src/domain/insider/filing.ts';
import { type ClusterSignal, signalsOf } from '../../../../src/domain/insider/signal.ts';
import { addDays } from '../../../../src/domain/series/date.ts';
import { alikeFilings, days, exchanged } from '../../../support/alike-filings.ts';
import { filing, owner } from '../../../support/filings.ts';
import { signalsAmong } from '../../../support/insider-oracle.ts';

const nameOf = ({ filingId, row }: Filing) => `${filingId}/${row}`;
const rule = { code: 'P', minInsiders: 3, days: 14, minValue: undefined };

/** `A 3 5`: A bought ten shares for 15 dollars on 3 January, and it was filed on the 5th. */
function bought(text: string, changes: Partial<Filing> = {}): Filing {
  const [cik = '', day = '', filed = day] = text.split(' ');
  const date = (count: string) => addDays('2026-01-01', Number(count) - 1);
  return filing({
    filingId: text,
    owners: [owner({ cik })],
    transactionDate: date(day),
    filedOn: date(filed),
    ...changes,
  });
}

const shown = ({ day, trades, size, dateFirst, dateLast }: ClusterSignal) =>
  `${day.slice(8)}: ${trades.length} trades of ${size}, ${dateFirst.slice(8)}-${dateLast.slice(8)}`;

describe('a signal', () => {
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
      'counts everything that was filed on its day',
      ['A 1', 'B 2', 'C 3 5', 'D 4 5'],
      ['05: 4 trades of 4, 01-04'],
    ],
    [
      'comes once for each cluster',
      ['A 1', 'B 1', 'C 1', 'A 20', 'B 20', 'C 20'],
      ['01: 3 trades of 3, 01-01', '20: 3 trades of 3, 20-20'],
    ],
    [
      'does not come again when two clusters join',
      ['A 1', 'B 1', 'C 1', 'A 20', 'B 20', 'C 20', 'D 10 25'],
      ['01: 3 trades of 3, 01-01', '20: 3 trades of 3, 20-20'],
    ],
    [
      'does not come again when one day brings the trades that make a cluster longer',
      ['C 1', 'A 7', 'E 8', 'E 16', 'B 20 29', 'A 29'],
      ['08: 3 trades of 3, 01-08'],
    ],
    ['does not come without enough insiders', ['A 1', 'B 2', 'A 3'], []],
  ])('%s', (_, texts, expected) => {
    expect(
      signalsOf(
        texts.map((text) => bought(text)),
        rule,
      ).map(shown),
    ).toEqual(expected);
  });

  it('waits until what is known is worth the minimum', () => {
    const filings = ['A 1', 'B 2', 'C 3', 'D 4 8'].map((text) => bought(text));
    const daysFor = (minValue: number) =>
      signalsOf(filings, { ...rule, minValue }).map(({ day }) => day.slice(8));
    expect([daysFor(45), daysFor(46), daysFor(60), daysFor(61)]).toEqual([['03'], ['08'], ['08'], []]);
  });

  it('stays when an amendment takes its cluster away, and does not come again with a cluster of the same days', () => {
    const filings = [
      ...['A 1', 'B 2', 'C 3'].map((text) => bought(text)),
      bought('C 3 9', { formType: '4/A', transactionCode: 'G' }),
      bought('D 3 12'),
    ];
    expect(signalsOf(filings, rule).map(shown)).toEqual(['03: 3 trades of 3, 01-03']);
    expect(clustersOf(classifyTrades(filings).trades, rule).map(({ detectedOn }) => detectedOn)).toEqual([
      '2026-01-12',
    ]);
  });

  it('has the value that was known on its day, not an amended one', () => {
    const filings = [
      ...['A 1', 'B 2', 'C 3'].map((text) => bought(text)),
      bought('A 1 9', { formType: '4/A', shares: '1000' }),
    ];
    expect(signalsOf(filings, rule).flatMap(({ trades }) => trades.map((one) => one.filing.shares))).toEqual([
      '10',
      '10',
      '10',
    ]);
  });

  it('comes from sales and other trades as from purchases', () => {
    const filings = ['A 1', 'B 2', 'C 3'].map((text) => bought(text, { transactionCode: 'S' }));
    expect(signalsOf(filings, { ...rule, code: 'S' }).map(shown)).toEqual(['03: 3 trades of 3, 01-03']);
    expect(signalsOf(filings, rule)).toEqual([]);
  });
});

const rules = fc.record({
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
    { maxLength: 80, size: 'max' },
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
  it.each([
    ['few dates', alikeFilings, 1000],
    ['many dates', longer, 300],
  ])(
    'are those of everything computed from scratch on every day, for trades of %s',
    (_, anyFilings, numRuns) => {
      fc.assert(
        fc.property(anyFilings, rules, (some, given) => {
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
      fc.property(alikeFilings, rules, fc.constantFrom(...days), (some, given, last) => {
        const filings = exchanged(some, given.code);
        const known = filings.filter(({ filedOn }) => filedOn <= last);
        expect(signalsOf(known, given)).toEqual(signalsOf(filings, given).filter(({ day }) => day <= last));
      }),
      { numRuns: 1000 },
    );
  });

  it('begin each cluster on the day of its detection, where nothing is amended', () => {
    fc.assert(
      fc.property(alikeFilings, rules, (some, { minValue: _, ...given }) => {
        const filings = exchanged(some, given.code).map((one) => ({ ...one, formType: '4' as const }));
        const signals = signalsOf(filings, { ...given, minValue: undefined });
        for (const cluster of clustersOf(classifyTrades(filings, given.code).trades, given)) {
          const own = signals.filter(
            ({ dateFirst, dateLast }) => dateFirst <= cluster.dateLast && dateLast >= cluster.dateFirst,
          );
          expect(own.map(({ day }) => day).sort()[0]).toBe(cluster.detectedOn);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
