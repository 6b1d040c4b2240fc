import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyTrades } from '../../../../src/domain/insider/classification.ts';
import { clustersOf } from '../../../../src/domain/insider/cluster.ts';
import type { Filing } from '../../../../src/domain/insider/filing.ts';
import { runs } from '../../../support/arbitrary.ts';
import {
  alikeFilings,
  cikOf,
  codes,
  days,
  exchanged,
  filing,
  knownFrom,
  owner,
  tradesIn,
} from '../../../support/filings.ts';

const vitoc = owner({ cik: '0001913257', name: 'Vitoc Vlad', isDirector: false, isOfficer: true });
const fund = owner({ cik: '0000000009', name: 'Fund LP', isDirector: false, isTenPercent: true });
const second = '0000000001-26-000002';
const third = '0000000001-26-000003';

const nameOf = ({ filingId, row }: Filing) => `${filingId.slice(-1)}/${row}`;

/** Which trades count, by filing and row, why the others do not, and which amendments are ambiguous. */
function classified(filings: readonly Filing[], code = 'P'): string {
  const { trades, excluded, ambiguous } = classifyTrades(filings, code);
  const counted = trades.map((one) => nameOf(one.filing)).sort();
  const others = excluded.map((one) => `not ${nameOf(one.filing)} ${one.reason}`).sort();
  return [counted.join(' '), ...others, ...ambiguous.map((one) => `unclear ${nameOf(one.amendment)}`)].join(
    ', ',
  );
}

describe('a single trade', () => {
  it.each<[string, Partial<Filing>]>([
    ['a purchase on Form 4 by a director', {}],
    ['a purchase by an officer', { owners: [vitoc] }],
    ['a purchase on Form 5', { formType: '5' }],
    ['a purchase without a price', { pricePerShare: null }],
    ['a purchase on the day of its filing', { transactionDate: '2026-01-02' }],
    ['a purchase by a ten-percent owner who is also a director', { owners: [owner({ isTenPercent: true })] }],
    ['a purchase by joint filers of whom one is a director', { owners: [fund, owner()] }],
  ])('counts when it is %s', (_, change) => {
    expect(classified([filing(change)])).toBe('1/1');
  });

  it.each<[string, Partial<Filing>]>([
    ['other-code', { transactionCode: 'A' }],
    ['other-code', { transactionCode: null }],
    ['derivative', { isDerivative: true, row: 1001 }],
    ['form-3', { formType: '3' }],
    ['dated-after-filing', { transactionDate: '2026-01-03' }],
    ['dated-before-exchange-act', { transactionDate: '0022-01-03' }],
    ['no-trade-date', { transactionDate: null }],
    ['negative-shares', { shares: '-10' }],
    ['negative-price', { pricePerShare: '-1.50' }],
    ['no-owner-cik', { owners: [owner({ cik: null })] }],
    ['no-owner-cik', { owners: [] }],
    ['ten-percent-owner', { owners: [fund] }],
    ['not-officer-or-director', { owners: [owner({ isDirector: false })] }],
  ])('is excluded with the reason %s: %j', (reason, change) => {
    const one = filing(change);
    expect(classified([one])).toBe(`, not 1/${one.row} ${reason}`);
  });
});

describe('joint filers', () => {
  it.each([
    [[fund, owner(), vitoc], '0001913199'],
    [[vitoc, owner(), fund], '0001913199'],
    [[owner({ cik: null }), vitoc], '0001913257'],
  ])('are one insider, the officer or director with the lowest CIK, in any order: %#', (owners, cik) => {
    expect(classifyTrades([filing({ owners })]).trades.map(({ insider }) => insider.cik)).toEqual([cik]);
  });

  it('that name one person twice give the same insider in any order', () => {
    const twice = [owner({ name: 'Smith S' }), owner()];
    const [one, other] = [twice, [...twice].reverse()].map(
      (owners) => classifyTrades([filing({ owners })]).trades[0],
    );
    expect(one?.insider).toEqual(other?.insider);
  });
});

type Case = readonly [string, readonly Filing[], string];

describe('repeated reports', () => {
  it('do not exist within one filing: its rows are separate trades, however alike', () => {
    expect(classified([filing(), filing({ row: 2 })])).toBe('1/1 1/2');
  });

  const block = { sharesOwnedAfter: '100', owners: [vitoc], filingId: second };
  it.each<Case>([
    [
      'of two filings of one owner with the same numbers are one trade, of the earlier filing',
      [filing({ filedOn: '2026-01-05' }), filing({ filingId: second, shares: '10.0', pricePerShare: '1.5' })],
      '2/1, not 1/1 reported-twice',
    ],
    [
      'with another price are two',
      [filing(), filing({ filingId: second, pricePerShare: '1.51' })],
      '1/1 2/1',
    ],
    [
      'with another date are two',
      [filing(), filing({ filingId: second, transactionDate: '2025-12-31' })],
      '1/1 2/1',
    ],
    [
      'that repeat two alike are matched one by one',
      [
        filing(),
        filing({ row: 2 }),
        ...[1, 2, 3].map((row) => filing({ filingId: second, filedOn: '2026-01-03', row })),
      ],
      '1/1 1/2 2/3, not 2/1 reported-twice, not 2/2 reported-twice',
    ],
    [
      'of two people with the same numbers are two',
      [filing({ sharesOwnedAfter: '100' }), filing({ ...block })],
      '1/1 2/1',
    ],
    [
      'of two filers that leave both with the same holding, one of them indirect, are one block',
      [filing({ sharesOwnedAfter: '100.0' }), filing({ ...block, ownership: 'I' })],
      '1/1, not 2/1 same-block',
    ],
    [
      'that leave no more than was bought are two: the first purchase of each',
      [filing({ sharesOwnedAfter: '10' }), filing({ ...block, sharesOwnedAfter: '10', ownership: 'I' })],
      '1/1 2/1',
    ],
    [
      'of two filings with a joint filer in common, known by CIK, are one',
      [
        filing({ owners: [owner(), fund] }),
        filing({ filingId: second, owners: [vitoc, { ...fund, name: 'FUND, L.P.' }] }),
      ],
      '1/1, not 2/1 reported-twice',
    ],
    [
      'of an owner who reported the same block before are that block',
      [
        filing({ sharesOwnedAfter: '100', ownership: 'I' }),
        filing({ ...block }),
        filing({ filingId: third, owners: [vitoc] }),
      ],
      '1/1, not 2/1 same-block, not 3/1 reported-twice',
    ],
  ])('rows %s', (_, filings, expected) => {
    expect(classified(filings)).toBe(expected);
    expect(classified([...filings].reverse())).toBe(expected);
  });

  it.each([
    // Ten shares were sold: of purchases, five held afterwards would be too few to say that it was one block.
    ['is one block', '5', '1/1, not 2/1 same-block'],
    ['is two where both sold all that they had', '0', '1/1 2/1'],
  ])('of a sale by two filers %s', (_, sharesOwnedAfter, expected) => {
    const sale = { transactionCode: 'S', acquiredDisposed: 'D', sharesOwnedAfter } as const;
    const sales = [filing(sale), filing({ ...sale, filingId: second, owners: [vitoc], ownership: 'I' })];
    expect(classified(sales, 'S')).toBe(expected);
  });
});

describe('an amendment', () => {
  const amendment = (changes: Partial<Filing> = {}) =>
    filing({ filingId: second, formType: '4/A', filedOn: '2026-01-09', ...changes });
  const withdrawal = amendment({ transactionCode: 'J' });
  const block = filing({ filingId: third, owners: [vitoc], sharesOwnedAfter: '100', ownership: 'I' });

  it.each<Case>([
    ['replaces the trade that it restates', [filing(), amendment({ shares: '12' })], '2/1, not 1/1 amended'],
    [
      'takes a trade out by correcting its code',
      [filing(), withdrawal],
      ', not 1/1 amended, not 2/1 other-code',
    ],
    [
      'that may correct a date is ambiguous, and both trades count',
      [filing({ transactionDate: '2025-12-31' }), amendment({ originalFiledOn: '2026-01-02' })],
      '1/1 2/1, unclear 2/1',
    ],
    ...[
      { originalFiledOn: null },
      { originalFiledOn: '2026-01-01' },
      { originalFiledOn: '2026-01-02', shares: '12' },
      { originalFiledOn: '2026-01-02', owners: [vitoc] },
    ].map(
      (changes): Case => [
        `of another day, number or owner does not correct a date: ${JSON.stringify(changes)}`,
        [filing({ transactionDate: '2025-12-31' }), amendment(changes)],
        '1/1 2/1',
      ],
    ),
    [
      'that also states the date of its original does not correct a date',
      [
        filing({ transactionDate: '2025-12-31' }),
        amendment({ originalFiledOn: '2026-01-02' }),
        amendment({ originalFiledOn: '2026-01-02', row: 2, transactionDate: '2025-12-31' }),
      ],
      '2/1 2/2, not 1/1 amended',
    ],
    [
      'of one of two trades is ambiguous, and all of them count',
      [filing(), filing({ row: 2, shares: '20' }), amendment({ shares: '12' })],
      '1/1 1/2 2/1, unclear 2/1',
    ],
    [
      'that is ambiguous and repeats a trade adds nothing',
      [filing(), filing({ row: 2, shares: '20' }), amendment()],
      '1/1 1/2, not 2/1 reported-twice, unclear 2/1',
    ],
    [
      'that could restate either of two filings is ambiguous',
      [filing(), filing({ filingId: third, shares: '20' }), amendment({ shares: '12' })],
      '1/1 2/1 3/1, unclear 2/1',
    ],
    [
      'that states when its original was filed replaces that one',
      [
        filing(),
        filing({ filingId: third, shares: '20', filedOn: '2026-01-05' }),
        amendment({ shares: '12', originalFiledOn: '2026-01-05' }),
      ],
      '1/1 2/1, not 3/1 amended',
    ],
    [
      'replaces an original of the same day, whichever number is less',
      [filing({ filingId: third, filedOn: '2026-01-09' }), amendment({ shares: '12' })],
      '2/1, not 3/1 amended',
    ],
    [
      'that corrects the code of one of two equal trades is ambiguous',
      [filing(), filing({ row: 2 }), withdrawal],
      '1/1 1/2, not 2/1 other-code, unclear 2/1',
    ],
    [
      'that takes the role away leaves nothing that counts',
      [filing(), amendment({ owners: [owner({ isDirector: false, isTenPercent: true })] })],
      ', not 1/1 amended, not 2/1 ten-percent-owner',
    ],
    [
      'that withdraws a trade makes the report count that had repeated the same block',
      [filing({ sharesOwnedAfter: '100' }), block, withdrawal],
      '3/1, not 1/1 amended, not 2/1 other-code',
    ],
    [
      'that leaves the numbers alone takes the place of the trade that it restates',
      [filing({ sharesOwnedAfter: '100' }), block, amendment({ sharesOwnedAfter: '100' })],
      '2/1, not 1/1 amended, not 3/1 same-block',
    ],
    [
      'may also state derivatives',
      [filing(), amendment({ shares: '12' }), amendment({ isDerivative: true, row: 1001 })],
      '2/1, not 1/1 amended, not 2/1001 derivative',
    ],
    ['of a Form 3 restates no trade', [filing(), amendment({ formType: '3/A' })], '1/1, not 2/1 form-3'],
  ])('an amendment %s', (_, filings, expected) => {
    expect(classified(filings)).toBe(expected);
    expect(classified([...filings].reverse())).toBe(expected);
  });

  it('keeps the day on which the trade was first public', () => {
    const amended = [filing(), amendment({ shares: '12' })];
    const again = amendment({ filingId: third, shares: '13' });
    for (const [filings, shares] of [
      [amended, '12'],
      [[...amended, again], '13'],
    ] as const)
      expect(classifyTrades(filings).trades).toMatchObject([
        { knownOn: '2026-01-02', filing: { filedOn: '2026-01-09', shares } },
      ]);
  });

  it.each<[string, readonly Filing[]]>([
    [
      'withdraws a report makes its repetition count',
      [
        filing({ filingId: third, owners: [vitoc, fund] }),
        amendment({ transactionCode: 'J', owners: [owner()] }),
      ],
    ],
    ['names another insider makes the trade count', [amendment({ owners: [vitoc, fund] })]],
  ])('that %s from the day of the amendment', (_, others) => {
    const [purchase] = classifyTrades([filing({ owners: [owner(), fund] }), ...others]).trades;
    expect(purchase).toMatchObject({ knownOn: '2026-01-09', insider: { name: 'Vitoc Vlad' } });
  });
});

const upTo = (filings: readonly Filing[], last: string) => filings.filter(({ filedOn }) => filedOn <= last);

describe('any set of filings', () => {
  it('is divided into trades that count and trades that are excluded for one reason, in any order of reading', () => {
    const ordered = alikeFilings.chain((some) =>
      fc.tuple(fc.constant(some), fc.shuffledSubarray([...some], { minLength: some.length })),
    );
    fc.assert(
      fc.property(ordered, ([filings, shuffled]) => {
        const { trades, excluded } = classifyTrades(filings);
        const divided = [...trades, ...excluded].map((one) => nameOf(one.filing));
        expect(divided.sort()).toEqual(filings.map(nameOf).sort());
        expect(classified(shuffled)).toBe(classified(filings));
      }),
      { numRuns: runs(200) },
    );
  });

  it('without amendments keeps counting on later days what counts on a day', () => {
    fc.assert(
      fc.property(alikeFilings, fc.constantFrom(...days), (some, day) => {
        const filings = some.map((one) => ({ ...one, formType: '4' as const }));
        const counted = (all: readonly Filing[]) =>
          classifyTrades(all).trades.map((one) => nameOf(one.filing));
        expect(counted(filings)).toEqual(expect.arrayContaining(counted(upTo(filings, day))));
      }),
      { numRuns: runs(100) },
    );
  });

  it('does not depend on the order of the owners in a filing', () => {
    const shown = (filings: readonly Filing[]) =>
      classifyTrades(filings).trades.map(({ filing: one, insider, knownOn }) => [
        nameOf(one),
        insider,
        knownOn,
      ]);
    fc.assert(
      fc.property(alikeFilings, fc.array(fc.nat(3), { minLength: 9, maxLength: 9 }), (filings, turns) => {
        const turned = filings.map((one) => {
          const turn = (turns[Number(one.filingId.slice(1))] ?? 0) % one.owners.length;
          return { ...one, owners: [...one.owners.slice(turn), ...one.owners.slice(0, turn)] };
        });
        expect(shown(turned)).toEqual(shown(filings));
      }),
      { numRuns: runs(100) },
    );
  });
});

/** What counts at the end of a day, and since when without a break: each day is computed from scratch. */
function countedOn(filings: readonly Filing[], code: string, last: string): ReadonlyMap<Filing, string> {
  let counted: ReadonlyMap<Filing, string> = new Map();
  for (const today of days.filter((one) => one <= last)) {
    const { inForce, restated } = knownFrom(upTo(filings, today), code);
    const before = counted;
    const since = (row: Filing): string =>
      before.get(row) ??
      (restated.get(row) ?? [])
        .filter((original) => cikOf(original) === cikOf(row))
        .map(since)
        .sort()[0] ??
      today;
    counted = new Map(
      tradesIn(inForce).flatMap(([head]) => (head === undefined ? [] : [[head, since(head)]])),
    );
  }
  return counted;
}

describe('the classification on a day', () => {
  it('equals one computed from scratch from the filings up to that day', () => {
    fc.assert(
      fc.property(alikeFilings, codes, fc.constantFrom(...days), (some, code, last) => {
        const filings = exchanged(some, code);
        const counted = classifyTrades(upTo(filings, last), code).trades.map(
          (one) => `${nameOf(one.filing)} since ${one.knownOn}`,
        );
        const expected = Array.from(
          countedOn(filings, code, last),
          ([row, since]) => `${nameOf(row)} since ${since}`,
        );
        expect(counted.sort()).toEqual(expected.sort());
      }),
      { numRuns: runs(1200) },
    );
  });

  it('shows a cluster on the day on which it is said to have been detected', () => {
    const rule = { minInsiders: 2, days: 4 };
    fc.assert(
      fc.property(alikeFilings, (filings) => {
        for (const { detectedOn, dateFirst, dateLast } of clustersOf(classifyTrades(filings).trades, rule)) {
          const seen = clustersOf(classifyTrades(upTo(filings, detectedOn)).trades, rule);
          expect(seen.some((one) => one.dateFirst <= dateLast && one.dateLast >= dateFirst)).toBe(true);
        }
      }),
      { numRuns: runs(400) },
    );
  });
});
