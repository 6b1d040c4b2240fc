import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyTrades } from '../../../../src/domain/insider/classification.ts';
import type { Filing } from '../../../../src/domain/insider/filing.ts';
import { filing, owner } from '../../../support/filings.ts';

const vitoc = owner({ cik: '0001913257', name: 'Vitoc Vlad', isDirector: false, isOfficer: true });
const fund = owner({ cik: '0000000009', name: 'Fund LP', isDirector: false, isTenPercent: true });
const cy = owner({ cik: '0001913300', name: 'Cy' });
const second = '0000000001-26-000002';
const third = '0000000001-26-000003';
const fourth = '0000000001-26-000004';

/** Which trades count, by filing and row, why the others do not, and which amendments are ambiguous. */
function classified(filings: readonly Filing[]) {
  const { trades, excluded, ambiguous } = classifyTrades(filings);
  const nameOf = ({ filingId, row }: Filing) => `${filingId.slice(-1)}/${row}`;
  return {
    counted: trades.map((one) => nameOf(one.filing)).sort(),
    excluded: excluded.map((one) => `${nameOf(one.filing)} ${one.reason}`).sort(),
    ambiguous: ambiguous.map(({ amendment }) => nameOf(amendment)),
  };
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
    expect(classified([filing(change)])).toEqual({ counted: ['1/1'], excluded: [], ambiguous: [] });
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
    expect(classified([one])).toEqual({ counted: [], excluded: [`1/${one.row} ${reason}`], ambiguous: [] });
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

describe('repeated reports', () => {
  it('do not exist within one filing: its rows are separate trades, however alike', () => {
    expect(classified([filing(), filing({ row: 2 })]).counted).toEqual(['1/1', '1/2']);
  });

  const block = { sharesOwnedAfter: '100', owners: [vitoc], filingId: second };
  it.each<[string, readonly Filing[], readonly string[], readonly string[]]>([
    [
      'of two filings of one owner with the same numbers are one trade, of the earlier filing',
      [filing({ filedOn: '2026-01-05' }), filing({ filingId: second, shares: '10.0', pricePerShare: '1.5' })],
      ['2/1'],
      ['1/1 reported-twice'],
    ],
    [
      'with another price are two',
      [filing(), filing({ filingId: second, pricePerShare: '1.51' })],
      ['1/1', '2/1'],
      [],
    ],
    [
      'with another date are two',
      [filing(), filing({ filingId: second, transactionDate: '2025-12-31' })],
      ['1/1', '2/1'],
      [],
    ],
    [
      'that repeat two alike are matched one by one',
      [
        filing(),
        filing({ row: 2 }),
        ...[1, 2, 3].map((row) => filing({ filingId: second, filedOn: '2026-01-03', row })),
      ],
      ['1/1', '1/2', '2/3'],
      ['2/1 reported-twice', '2/2 reported-twice'],
    ],
    [
      'of two people with the same numbers are two',
      [filing({ sharesOwnedAfter: '100' }), filing({ ...block })],
      ['1/1', '2/1'],
      [],
    ],
    [
      'of two filers that leave both with the same holding, one of them indirect, are one block',
      [filing({ sharesOwnedAfter: '100.0' }), filing({ ...block, ownership: 'I' })],
      ['1/1'],
      ['2/1 same-block'],
    ],
    [
      'that leave no more than was bought are two: the first purchase of each',
      [filing({ sharesOwnedAfter: '10' }), filing({ ...block, sharesOwnedAfter: '10', ownership: 'I' })],
      ['1/1', '2/1'],
      [],
    ],
    [
      'with different holdings are two',
      [filing({ sharesOwnedAfter: '101' }), filing({ ...block, ownership: 'I' })],
      ['1/1', '2/1'],
      [],
    ],
    [
      'of two filings with a joint filer in common are one',
      [filing({ owners: [owner(), fund] }), filing({ filingId: second, owners: [vitoc, fund] })],
      ['1/1'],
      ['2/1 reported-twice'],
    ],
    [
      'of an owner who reported the same block before are that block',
      [
        filing({ sharesOwnedAfter: '100', ownership: 'I' }),
        filing({ ...block }),
        filing({ filingId: third, owners: [vitoc] }),
      ],
      ['1/1'],
      ['2/1 same-block', '3/1 reported-twice'],
    ],
    [
      'of two people are two, also where a third reports a block that could be of either',
      [
        filing({ sharesOwnedAfter: '100' }),
        filing({ filingId: second, owners: [fund, cy], sharesOwnedAfter: '100', ownership: 'I' }),
        filing({ ...block, filingId: third }),
      ],
      ['1/1', '3/1'],
      ['2/1 same-block'],
    ],
    [
      'of a third filing repeat what the first said too',
      [filing(), filing({ filingId: second }), filing({ filingId: third })],
      ['1/1'],
      ['2/1 reported-twice', '3/1 reported-twice'],
    ],
  ])('rows %s', (_, filings, counted, excluded) => {
    expect(classified(filings)).toEqual({ counted, excluded, ambiguous: [] });
    expect(classified([...filings].reverse())).toEqual({ counted, excluded, ambiguous: [] });
  });
});

describe('an amendment', () => {
  const amendment = (changes: Partial<Filing>) =>
    filing({ filingId: second, formType: '4/A', filedOn: '2026-01-09', ...changes });

  it.each<[string, readonly Filing[], ReturnType<typeof classified>]>([
    [
      'replaces the trade that it restates',
      [filing(), amendment({ shares: '12' })],
      { counted: ['2/1'], excluded: ['1/1 amended'], ambiguous: [] },
    ],
    [
      'takes a trade out by correcting its code',
      [filing(), amendment({ transactionCode: 'J' })],
      { counted: [], excluded: ['1/1 amended', '2/1 other-code'], ambiguous: [] },
    ],
    [
      'replaces as many trades as it states',
      [filing(), filing({ row: 2, shares: '20' }), amendment({}), amendment({ row: 2, shares: '22' })],
      { counted: ['2/1', '2/2'], excluded: ['1/1 amended', '1/2 amended'], ambiguous: [] },
    ],
    [
      'leaves other dates alone',
      [filing(), filing({ row: 2, transactionDate: '2025-12-31' }), amendment({ shares: '12' })],
      { counted: ['1/2', '2/1'], excluded: ['1/1 amended'], ambiguous: [] },
    ],
    [
      'that may correct a date is ambiguous, and both trades count',
      [filing({ transactionDate: '2025-12-31' }), amendment({ originalFiledOn: '2026-01-02' })],
      { counted: ['1/1', '2/1'], excluded: [], ambiguous: ['2/1'] },
    ],
    ...[
      { originalFiledOn: null },
      { originalFiledOn: '2026-01-01' },
      { originalFiledOn: '2026-01-02', shares: '12' },
      { originalFiledOn: '2026-01-02', owners: [vitoc] },
    ].map((changes): [string, readonly Filing[], ReturnType<typeof classified>] => [
      `of another day, number or owner does not correct a date: ${JSON.stringify(changes)}`,
      [filing({ transactionDate: '2025-12-31' }), amendment(changes)],
      { counted: ['1/1', '2/1'], excluded: [], ambiguous: [] },
    ]),
    [
      'that also states the date of its original does not correct a date',
      [
        filing({ transactionDate: '2025-12-31' }),
        amendment({ originalFiledOn: '2026-01-02' }),
        amendment({ originalFiledOn: '2026-01-02', row: 2, transactionDate: '2025-12-31' }),
      ],
      { counted: ['2/1', '2/2'], excluded: ['1/1 amended'], ambiguous: [] },
    ],
    [
      'leaves the trades of other owners alone',
      [filing({ owners: [vitoc] }), amendment({ shares: '12' })],
      { counted: ['1/1', '2/1'], excluded: [], ambiguous: [] },
    ],
    [
      'of one of two trades is ambiguous, and all of them count',
      [filing(), filing({ row: 2, shares: '20' }), amendment({ shares: '12' })],
      { counted: ['1/1', '1/2', '2/1'], excluded: [], ambiguous: ['2/1'] },
    ],
    [
      'that is ambiguous and repeats a trade adds nothing',
      [filing(), filing({ row: 2, shares: '20' }), amendment({})],
      { counted: ['1/1', '1/2'], excluded: ['2/1 reported-twice'], ambiguous: ['2/1'] },
    ],
    [
      'that could restate either of two filings is ambiguous',
      [filing(), filing({ filingId: third, shares: '20' }), amendment({ shares: '12' })],
      { counted: ['1/1', '2/1', '3/1'], excluded: [], ambiguous: ['2/1'] },
    ],
    [
      'that states when its original was filed replaces that one',
      [
        filing(),
        filing({ filingId: third, shares: '20', filedOn: '2026-01-05' }),
        amendment({ shares: '12', originalFiledOn: '2026-01-05' }),
      ],
      { counted: ['1/1', '2/1'], excluded: ['3/1 amended'], ambiguous: [] },
    ],
    [
      'of an amendment replaces that one',
      [
        filing(),
        amendment({ shares: '12' }),
        amendment({ filingId: third, filedOn: '2026-01-10', shares: '13', originalFiledOn: '2026-01-02' }),
      ],
      { counted: ['3/1'], excluded: ['1/1 amended', '2/1 amended'], ambiguous: [] },
    ],
    [
      'replaces an original of the same day, whichever number is less',
      [filing({ filingId: third, filedOn: '2026-01-09' }), amendment({ shares: '12' })],
      { counted: ['2/1'], excluded: ['3/1 amended'], ambiguous: [] },
    ],
    [
      'that corrects the code of one of two equal trades is ambiguous',
      [filing(), filing({ row: 2 }), amendment({ transactionCode: 'J' })],
      { counted: ['1/1', '1/2'], excluded: ['2/1 other-code'], ambiguous: ['2/1'] },
    ],
    [
      'by joint filers in another order replaces what they reported',
      [filing({ owners: [owner(), vitoc] }), amendment({ owners: [vitoc, owner()], shares: '12' })],
      { counted: ['2/1'], excluded: ['1/1 amended'], ambiguous: [] },
    ],
    [
      'that takes the role away leaves nothing that counts',
      [filing(), amendment({ owners: [owner({ isDirector: false, isTenPercent: true })] })],
      { counted: [], excluded: ['1/1 amended', '2/1 ten-percent-owner'], ambiguous: [] },
    ],
    [
      'that withdraws a trade makes the report count that had repeated the same block',
      [
        filing({ sharesOwnedAfter: '100' }),
        filing({ filingId: third, owners: [vitoc], sharesOwnedAfter: '100', ownership: 'I' }),
        amendment({ transactionCode: 'J' }),
      ],
      { counted: ['3/1'], excluded: ['1/1 amended', '2/1 other-code'], ambiguous: [] },
    ],
    [
      'that withdraws a trade makes the report count by which a joint filer had repeated it',
      [
        filing({ owners: [owner(), fund] }),
        filing({ filingId: third, owners: [vitoc, fund] }),
        amendment({ transactionCode: 'J', owners: [owner()] }),
      ],
      { counted: ['3/1'], excluded: ['1/1 amended', '2/1 other-code'], ambiguous: [] },
    ],
    [
      'that leaves the numbers alone takes the place of the trade that it restates',
      [
        filing({ sharesOwnedAfter: '100' }),
        filing({ filingId: third, owners: [vitoc], sharesOwnedAfter: '100', ownership: 'I' }),
        amendment({ sharesOwnedAfter: '100' }),
      ],
      { counted: ['2/1'], excluded: ['1/1 amended', '3/1 same-block'], ambiguous: [] },
    ],
    [
      'restates both reports of a trade that its owner reported twice',
      [filing(), filing({ filingId: third }), amendment({ shares: '12' })],
      { counted: ['2/1'], excluded: ['1/1 amended', '3/1 amended'], ambiguous: [] },
    ],
    [
      'of one of two reports of a trade, named by its day, leaves the other',
      [
        filing(),
        filing({ filingId: third, filedOn: '2026-01-05' }),
        amendment({ transactionCode: 'J', originalFiledOn: '2026-01-02' }),
      ],
      { counted: ['3/1'], excluded: ['1/1 amended', '2/1 other-code'], ambiguous: [] },
    ],
    [
      'restates a report that had repeated another filing',
      [
        filing({ sharesOwnedAfter: '100' }),
        filing({ filingId: third, owners: [vitoc], sharesOwnedAfter: '100', ownership: 'I' }),
        amendment({ owners: [vitoc], transactionCode: 'J' }),
      ],
      { counted: ['1/1'], excluded: ['2/1 other-code', '3/1 amended'], ambiguous: [] },
    ],
    [
      'of an amended trade finds it by the day of the original',
      [
        filing(),
        filing({ filingId: third, filedOn: '2026-01-05', shares: '20' }),
        amendment({ shares: '12', originalFiledOn: '2026-01-02' }),
        amendment({ filingId: fourth, filedOn: '2026-01-10', shares: '13', originalFiledOn: '2026-01-02' }),
      ],
      { counted: ['3/1', '4/1'], excluded: ['1/1 amended', '2/1 amended'], ambiguous: [] },
    ],
    [
      'may also state derivatives',
      [filing(), amendment({ shares: '12' }), amendment({ isDerivative: true, row: 1001 })],
      { counted: ['2/1'], excluded: ['1/1 amended', '2/1001 derivative'], ambiguous: [] },
    ],
    [
      'of a Form 3 restates no trade',
      [filing(), amendment({ formType: '3/A' })],
      { counted: ['1/1'], excluded: ['2/1 form-3'], ambiguous: [] },
    ],
    [
      'without an original counts by itself',
      [amendment({})],
      { counted: ['2/1'], excluded: [], ambiguous: [] },
    ],
    [
      'replaces nothing that was filed after it',
      [filing({ filedOn: '2026-01-10' }), amendment({ shares: '12' })],
      { counted: ['1/1', '2/1'], excluded: [], ambiguous: [] },
    ],
  ])('an amendment %s', (_, filings, expected) => {
    expect(classified(filings)).toEqual(expected);
    expect(classified([...filings].reverse())).toEqual(expected);
  });

  it('keeps the day on which the trade was first public', () => {
    const [purchase] = classifyTrades([filing(), amendment({ shares: '12' })]).trades;
    expect(purchase).toMatchObject({
      knownOn: '2026-01-02',
      filing: { filedOn: '2026-01-09', shares: '12' },
    });
  });

  it('keeps the day on which the trade was first public when it is itself amended on the same day', () => {
    const purchases = classifyTrades([
      filing(),
      amendment({ shares: '12' }),
      amendment({ filingId: third, shares: '13' }),
    ]).trades;
    expect(purchases).toMatchObject([{ knownOn: '2026-01-02', filing: { shares: '13' } }]);
  });

  it('that withdraws a report makes its repetition count from the day of the amendment', () => {
    const [purchase] = classifyTrades([
      filing({ owners: [owner(), fund] }),
      filing({ filingId: third, owners: [vitoc, fund] }),
      amendment({ transactionCode: 'J', owners: [owner()] }),
    ]).trades;
    expect(purchase).toMatchObject({ knownOn: '2026-01-09', insider: { name: 'Vitoc Vlad' } });
  });

  it('that names another insider makes the trade count from the day of the amendment', () => {
    const [purchase] = classifyTrades([
      filing({ owners: [owner(), fund] }),
      amendment({ owners: [vitoc, fund] }),
    ]).trades;
    expect(purchase).toMatchObject({ knownOn: '2026-01-09', insider: { name: 'Vitoc Vlad' } });
  });
});

const trades = fc.array(
  fc
    .record({
      filingId: fc.constantFrom(1, 2, 3, 4, 5, 6, 7).map((count) => `0000000001-26-00000${count}`),
      row: fc.integer({ min: 1, max: 4 }),
      transactionDate: fc.constantFrom('2025-12-30', '2026-01-01', '2026-01-04'),
      shares: fc.constantFrom('1', '1.0', '2'),
      ownership: fc.constantFrom('D' as const, 'I' as const),
      sharesOwnedAfter: fc.constantFrom('9', null),
      transactionCode: fc.constantFrom('P', 'P', 'P', 'S'),
    })
    .map((one) => {
      const place = Number(one.filingId.slice(-1));
      const owners = [[owner()], [vitoc], [owner(), fund], [vitoc, fund]][place % 4] ?? [];
      return filing({ ...one, owners, filedOn: `2026-01-0${place}`, formType: place === 6 ? '4/A' : '4' });
    }),
  { maxLength: 20 },
);
const distinct = (filings: readonly Filing[]) => [
  ...new Map(filings.map((one) => [`${one.filingId} ${one.row}`, one])).values(),
];

describe('any set of filings', () => {
  it('is divided into trades that count and trades that are excluded for one reason, in any order of reading', () => {
    fc.assert(
      fc.property(trades, fc.infiniteStream(fc.nat()), (some, random) => {
        const filings = distinct(some);
        const { counted, excluded } = classified(filings);
        const names = filings.map(({ filingId, row }) => `${filingId.slice(-1)}/${row}`).sort();
        expect([...counted, ...excluded.map((text) => text.split(' ')[0] ?? '')].sort()).toEqual(names);
        const shuffled = filings
          .map((one) => ({ one, place: random.next().value ?? 0 }))
          .sort((a, b) => a.place - b.place);
        expect(classified(shuffled.map(({ one }) => one))).toEqual({ ...classified(filings) });
      }),
    );
  });

  it('without amendments keeps counting on later days what counts on a day', () => {
    fc.assert(
      fc.property(trades, fc.integer({ min: 1, max: 7 }), (some, day) => {
        const filings = distinct(some).map((one) => ({ ...one, formType: '4' as const }));
        const early = filings.filter(({ filedOn }) => filedOn <= `2026-01-0${day}`);
        const later = new Set(classified(filings).counted);
        expect(classified(early).counted.filter((name) => !later.has(name))).toEqual([]);
      }),
    );
  });
});
