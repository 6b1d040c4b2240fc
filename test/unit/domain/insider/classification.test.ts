import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judge } from '../../../../src/domain/insider/classification.ts';
import type { Filing } from '../../../../src/domain/insider/filing.ts';
import { filing, owner } from '../../../support/filings.ts';

const vitoc = owner({ cik: '0001913257', name: 'Vitoc Vlad', isDirector: false, isOfficer: true });
const fund = owner({ cik: '0000000009', name: 'Fund LP', isDirector: false, isTenPercent: true });
const cy = owner({ cik: '0001913300', name: 'Cy' });
const second = '0000000001-26-000002';
const third = '0000000001-26-000003';
const fourth = '0000000001-26-000004';

/** What counts, by filing and row, and why the rest does not. */
function told(filings: readonly Filing[]) {
  const { purchases, omitted, doubts } = judge(filings);
  const nameOf = ({ filingId, row }: Filing) => `${filingId.slice(-1)}/${row}`;
  return {
    counted: purchases.map((one) => nameOf(one.filing)).sort(),
    left: omitted.map((one) => `${nameOf(one.filing)} ${one.why}`).sort(),
    doubts: doubts.map(({ amendment }) => nameOf(amendment)),
  };
}

describe('a trade counts when it is', () => {
  it.each<[string, Partial<Filing>]>([
    ['a purchase on Form 4 by a director', {}],
    ['one by an officer', { owners: [vitoc] }],
    ['one on Form 5', { formType: '5' }],
    ['one without a price', { pricePerShare: null }],
    ['one on the day of its filing', { transactionDate: '2026-01-02' }],
    ['one by a ten-percent owner who is also a director', { owners: [owner({ isTenPercent: true })] }],
    ['one by joint filers, of whom one is a director', { owners: [fund, owner()] }],
  ])('%s', (_, change) => {
    expect(told([filing(change)])).toEqual({ counted: ['1/1'], left: [], doubts: [] });
  });
});

describe('a trade does not count when it is', () => {
  it.each<[string, Partial<Filing>]>([
    ['not a purchase', { transactionCode: 'A' }],
    ['not a purchase', { transactionCode: null }],
    ['derivative', { isDerivative: true, row: 1001 }],
    ['form 3', { formType: '3' }],
    ['impossible', { transactionDate: '2026-01-03' }],
    ['impossible', { transactionDate: '0022-01-03' }],
    ['impossible', { transactionDate: null }],
    ['impossible', { shares: '-10' }],
    ['impossible', { pricePerShare: '-1.50' }],
    ['no CIK', { owners: [owner({ cik: null })] }],
    ['no CIK', { owners: [] }],
    ['neither officer nor director', { owners: [fund] }],
  ])('%s', (why, change) => {
    const one = filing(change);
    expect(told([one])).toEqual({ counted: [], left: [`1/${one.row} ${why}`], doubts: [] });
  });
});

describe('of joint filers', () => {
  it.each([
    [[fund, owner(), vitoc], '0001913199'],
    [[vitoc, owner(), fund], '0001913199'],
    [[owner({ cik: null }), vitoc], '0001913257'],
  ])('the officer or director with the lowest CIK is the insider, in any order', (owners, cik) => {
    expect(judge([filing({ owners })]).purchases.map(({ insider }) => insider.cik)).toEqual([cik]);
  });

  it('one who stands there twice is the same in any order', () => {
    const twice = [owner({ name: 'Smith S' }), owner()];
    const [one, other] = [twice, [...twice].reverse()].map(
      (owners) => judge([filing({ owners })]).purchases[0],
    );
    expect(one?.insider).toEqual(other?.insider);
  });
});

describe('rows', () => {
  it('of one filing are separate trades, however alike', () => {
    expect(told([filing(), filing({ row: 2 })]).counted).toEqual(['1/1', '1/2']);
  });

  const block = { sharesOwnedAfter: '100', owners: [vitoc], filingId: second };
  it.each<[string, readonly Filing[], readonly string[], readonly string[]]>([
    [
      'of two filings of one owner with the same numbers are one trade, of the earlier filing',
      [filing({ filedOn: '2026-01-05' }), filing({ filingId: second, shares: '10.0', pricePerShare: '1.5' })],
      ['2/1'],
      ['1/1 reported twice'],
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
      ['2/1 reported twice', '2/2 reported twice'],
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
      ['2/1 same block'],
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
      ['2/1 reported twice'],
    ],
    [
      'of an owner who reported the same block before are that block',
      [
        filing({ sharesOwnedAfter: '100', ownership: 'I' }),
        filing({ ...block }),
        filing({ filingId: third, owners: [vitoc] }),
      ],
      ['1/1'],
      ['2/1 same block', '3/1 reported twice'],
    ],
    [
      'of two people are two, also where a third reports a block that could be of either',
      [
        filing({ sharesOwnedAfter: '100' }),
        filing({ filingId: second, owners: [fund, cy], sharesOwnedAfter: '100', ownership: 'I' }),
        filing({ ...block, filingId: third }),
      ],
      ['1/1', '3/1'],
      ['2/1 same block'],
    ],
    [
      'of a third filing repeat what the first said too',
      [filing(), filing({ filingId: second }), filing({ filingId: third })],
      ['1/1'],
      ['2/1 reported twice', '3/1 reported twice'],
    ],
  ])('%s', (_, filings, counted, left) => {
    expect(told(filings)).toEqual({ counted, left, doubts: [] });
    expect(told([...filings].reverse())).toEqual({ counted, left, doubts: [] });
  });
});

describe('an amendment', () => {
  const amendment = (changes: Partial<Filing>) =>
    filing({ filingId: second, formType: '4/A', filedOn: '2026-01-09', ...changes });

  it.each<[string, readonly Filing[], ReturnType<typeof told>]>([
    [
      'replaces the trade that it restates',
      [filing(), amendment({ shares: '12' })],
      { counted: ['2/1'], left: ['1/1 amended'], doubts: [] },
    ],
    [
      'takes a trade out by correcting its code',
      [filing(), amendment({ transactionCode: 'J' })],
      { counted: [], left: ['1/1 amended', '2/1 not a purchase'], doubts: [] },
    ],
    [
      'replaces as many trades as it states',
      [filing(), filing({ row: 2, shares: '20' }), amendment({}), amendment({ row: 2, shares: '22' })],
      { counted: ['2/1', '2/2'], left: ['1/1 amended', '1/2 amended'], doubts: [] },
    ],
    [
      'leaves other dates alone',
      [filing(), filing({ row: 2, transactionDate: '2025-12-31' }), amendment({ shares: '12' })],
      { counted: ['1/2', '2/1'], left: ['1/1 amended'], doubts: [] },
    ],
    [
      'that may correct a date is in doubt, and both stay',
      [filing({ transactionDate: '2025-12-31' }), amendment({ originalFiledOn: '2026-01-02' })],
      { counted: ['1/1', '2/1'], left: [], doubts: ['2/1'] },
    ],
    ...[
      { originalFiledOn: null },
      { originalFiledOn: '2026-01-01' },
      { originalFiledOn: '2026-01-02', shares: '12' },
      { originalFiledOn: '2026-01-02', owners: [vitoc] },
    ].map((changes): [string, readonly Filing[], ReturnType<typeof told>] => [
      `of another day, number or owner corrects no date: ${JSON.stringify(changes)}`,
      [filing({ transactionDate: '2025-12-31' }), amendment(changes)],
      { counted: ['1/1', '2/1'], left: [], doubts: [] },
    ]),
    [
      'that states the date of its original too corrects no date',
      [
        filing({ transactionDate: '2025-12-31' }),
        amendment({ originalFiledOn: '2026-01-02' }),
        amendment({ originalFiledOn: '2026-01-02', row: 2, transactionDate: '2025-12-31' }),
      ],
      { counted: ['2/1', '2/2'], left: ['1/1 amended'], doubts: [] },
    ],
    [
      'leaves others alone',
      [filing({ owners: [vitoc] }), amendment({ shares: '12' })],
      { counted: ['1/1', '2/1'], left: [], doubts: [] },
    ],
    [
      'of one of two trades is in doubt, and all stay',
      [filing(), filing({ row: 2, shares: '20' }), amendment({ shares: '12' })],
      { counted: ['1/1', '1/2', '2/1'], left: [], doubts: ['2/1'] },
    ],
    [
      'in doubt that repeats a trade adds nothing',
      [filing(), filing({ row: 2, shares: '20' }), amendment({})],
      { counted: ['1/1', '1/2'], left: ['2/1 reported twice'], doubts: ['2/1'] },
    ],
    [
      'that could mean either of two filings is in doubt',
      [filing(), filing({ filingId: third, shares: '20' }), amendment({ shares: '12' })],
      { counted: ['1/1', '2/1', '3/1'], left: [], doubts: ['2/1'] },
    ],
    [
      'that says when its original was filed means that one',
      [
        filing(),
        filing({ filingId: third, shares: '20', filedOn: '2026-01-05' }),
        amendment({ shares: '12', originalFiledOn: '2026-01-05' }),
      ],
      { counted: ['1/1', '2/1'], left: ['3/1 amended'], doubts: [] },
    ],
    [
      'of an amendment replaces that one',
      [
        filing(),
        amendment({ shares: '12' }),
        amendment({ filingId: third, filedOn: '2026-01-10', shares: '13', originalFiledOn: '2026-01-02' }),
      ],
      { counted: ['3/1'], left: ['1/1 amended', '2/1 amended'], doubts: [] },
    ],
    [
      'replaces an original of the same day, whichever number is less',
      [filing({ filingId: third, filedOn: '2026-01-09' }), amendment({ shares: '12' })],
      { counted: ['2/1'], left: ['3/1 amended'], doubts: [] },
    ],
    [
      'that corrects the code of one of two alike is in doubt',
      [filing(), filing({ row: 2 }), amendment({ transactionCode: 'J' })],
      { counted: ['1/1', '1/2'], left: ['2/1 not a purchase'], doubts: ['2/1'] },
    ],
    [
      'by joint filers in another order replaces what they reported',
      [filing({ owners: [owner(), vitoc] }), amendment({ owners: [vitoc, owner()], shares: '12' })],
      { counted: ['2/1'], left: ['1/1 amended'], doubts: [] },
    ],
    [
      'that takes the role away leaves nothing that counts',
      [filing(), amendment({ owners: [owner({ isDirector: false, isTenPercent: true })] })],
      { counted: [], left: ['1/1 amended', '2/1 neither officer nor director'], doubts: [] },
    ],
    [
      'puts back the report of a block that had repeated what it takes away',
      [
        filing({ sharesOwnedAfter: '100' }),
        filing({ filingId: third, owners: [vitoc], sharesOwnedAfter: '100', ownership: 'I' }),
        amendment({ transactionCode: 'J' }),
      ],
      { counted: ['3/1'], left: ['1/1 amended', '2/1 not a purchase'], doubts: [] },
    ],
    [
      'puts back what a joint filer had reported again',
      [
        filing({ owners: [owner(), fund] }),
        filing({ filingId: third, owners: [vitoc, fund] }),
        amendment({ transactionCode: 'J', owners: [owner()] }),
      ],
      { counted: ['3/1'], left: ['1/1 amended', '2/1 not a purchase'], doubts: [] },
    ],
    [
      'that leaves the numbers alone stands in the place of what it restates',
      [
        filing({ sharesOwnedAfter: '100' }),
        filing({ filingId: third, owners: [vitoc], sharesOwnedAfter: '100', ownership: 'I' }),
        amendment({ sharesOwnedAfter: '100' }),
      ],
      { counted: ['2/1'], left: ['1/1 amended', '3/1 same block'], doubts: [] },
    ],
    [
      'restates a trade that its owner reported twice in both places',
      [filing(), filing({ filingId: third }), amendment({ shares: '12' })],
      { counted: ['2/1'], left: ['1/1 amended', '3/1 amended'], doubts: [] },
    ],
    [
      'of one of two reports of a trade, by its day, leaves the other',
      [
        filing(),
        filing({ filingId: third, filedOn: '2026-01-05' }),
        amendment({ transactionCode: 'J', originalFiledOn: '2026-01-02' }),
      ],
      { counted: ['3/1'], left: ['1/1 amended', '2/1 not a purchase'], doubts: [] },
    ],
    [
      'restates a report that another filing had made needless',
      [
        filing({ sharesOwnedAfter: '100' }),
        filing({ filingId: third, owners: [vitoc], sharesOwnedAfter: '100', ownership: 'I' }),
        amendment({ owners: [vitoc], transactionCode: 'J' }),
      ],
      { counted: ['1/1'], left: ['2/1 not a purchase', '3/1 amended'], doubts: [] },
    ],
    [
      'of what an amendment restated means it by the day of the original',
      [
        filing(),
        filing({ filingId: third, filedOn: '2026-01-05', shares: '20' }),
        amendment({ shares: '12', originalFiledOn: '2026-01-02' }),
        amendment({ filingId: fourth, filedOn: '2026-01-10', shares: '13', originalFiledOn: '2026-01-02' }),
      ],
      { counted: ['3/1', '4/1'], left: ['1/1 amended', '2/1 amended'], doubts: [] },
    ],
    [
      'may tell of derivatives besides',
      [filing(), amendment({ shares: '12' }), amendment({ isDerivative: true, row: 1001 })],
      { counted: ['2/1'], left: ['1/1 amended', '2/1001 derivative'], doubts: [] },
    ],
    [
      'of a Form 3 restates no trade',
      [filing(), amendment({ formType: '3/A' })],
      { counted: ['1/1'], left: ['2/1 form 3'], doubts: [] },
    ],
    ['without an original counts by itself', [amendment({})], { counted: ['2/1'], left: [], doubts: [] }],
    [
      'replaces nothing that was filed after it',
      [filing({ filedOn: '2026-01-10' }), amendment({ shares: '12' })],
      { counted: ['1/1', '2/1'], left: [], doubts: [] },
    ],
  ])('%s', (_, filings, expected) => {
    expect(told(filings)).toEqual(expected);
    expect(told([...filings].reverse())).toEqual(expected);
  });

  it('does not put off the day on which the trade was public', () => {
    const [purchase] = judge([filing(), amendment({ shares: '12' })]).purchases;
    expect(purchase).toMatchObject({
      knownOn: '2026-01-02',
      filing: { filedOn: '2026-01-09', shares: '12' },
    });
  });

  it('does not put it off either when it is itself amended on the same day', () => {
    const purchases = judge([
      filing(),
      amendment({ shares: '12' }),
      amendment({ filingId: third, shares: '13' }),
    ]).purchases;
    expect(purchases).toMatchObject([{ knownOn: '2026-01-02', filing: { shares: '13' } }]);
  });

  it('is the day from which a trade counts that it puts back', () => {
    const [purchase] = judge([
      filing({ owners: [owner(), fund] }),
      filing({ filingId: third, owners: [vitoc, fund] }),
      amendment({ transactionCode: 'J', owners: [owner()] }),
    ]).purchases;
    expect(purchase).toMatchObject({ knownOn: '2026-01-09', insider: { name: 'Vitoc Vlad' } });
  });

  it('is the day from which another insider counts for a trade that was known', () => {
    const [purchase] = judge([
      filing({ owners: [owner(), fund] }),
      amendment({ owners: [vitoc, fund] }),
    ]).purchases;
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

describe('whatever was filed', () => {
  it('each trade either counts or is left out for one reason, in any order of reading', () => {
    fc.assert(
      fc.property(trades, fc.infiniteStream(fc.nat()), (some, random) => {
        const filings = distinct(some);
        const { counted, left } = told(filings);
        const names = filings.map(({ filingId, row }) => `${filingId.slice(-1)}/${row}`).sort();
        expect([...counted, ...left.map((text) => text.split(' ')[0] ?? '')].sort()).toEqual(names);
        const shuffled = filings
          .map((one) => ({ one, place: random.next().value ?? 0 }))
          .sort((a, b) => a.place - b.place);
        expect(told(shuffled.map(({ one }) => one))).toEqual({ ...told(filings) });
      }),
    );
  });

  it('what counts on a day still counts on later days, amendments apart', () => {
    fc.assert(
      fc.property(trades, fc.integer({ min: 1, max: 7 }), (some, day) => {
        const filings = distinct(some).map((one) => ({ ...one, formType: '4' as const }));
        const early = filings.filter(({ filedOn }) => filedOn <= `2026-01-0${day}`);
        const later = new Set(told(filings).counted);
        expect(told(early).counted.filter((name) => !later.has(name))).toEqual([]);
      }),
    );
  });
});
