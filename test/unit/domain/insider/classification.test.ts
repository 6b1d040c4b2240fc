import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyTrades } from '../../../../src/domain/insider/classification.ts';
import type { Filing, ReportingOwner } from '../../../../src/domain/insider/filing.ts';
import { casesOf, runs } from '../../../support/arbitrary.ts';
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
    ['impossible', { transactionDate: '2026-01-03' }],
    ['impossible', { transactionDate: '0022-01-03' }],
    ['impossible', { transactionDate: null }],
    ['impossible', { shares: '-10' }],
    ['impossible', { pricePerShare: '-1.50' }],
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

const changesOf: Readonly<Record<string, (text: string) => Partial<Filing>>> = {
  after: (sharesOwnedAfter) => ({ sharesOwnedAfter }),
  by: (names) => ({ owners: names.split('+').map((name) => people[name] ?? owner()) }),
  code: (transactionCode) => ({ transactionCode }),
  filed: (filedOn) => ({ filedOn }),
  form: (text) => ({ formType: text as Filing['formType'] }),
  indirect: () => ({ ownership: 'I' }),
  original: (originalFiledOn) => ({ originalFiledOn }),
  price: (pricePerShare) => ({ pricePerShare }),
  shares: (shares) => ({ shares }),
  traded: (transactionDate) => ({ transactionDate }),
};
const people: Readonly<Record<string, ReportingOwner>> = {
  smith: owner(),
  vitoc,
  fund,
  renamed: { ...fund, name: 'FUND, L.P.' },
  holder: owner({ isDirector: false, isTenPercent: true }),
};

/** Filings as the cases write them: `1, 2/3 shares=9` is one of the first, and row 3 of the second with other shares. */
function filingsOf(text: string): readonly Filing[] {
  return text.split(', ').map((one) => {
    const [name = '', ...changes] = one.split(' ');
    const [, number = '', amends, row = '1'] = /^(\d)(A?)(?:\/(\d+))?$/.exec(name) ?? [];
    const start: Partial<Filing> = {
      filingId: `0000000001-26-00000${number}`,
      row: Number(row),
      isDerivative: Number(row) > 1000,
      ...(amends && { formType: '4/A', filedOn: '2026-01-09' }),
    };
    const changed = changes.map((change) => {
      const [what = '', value = ''] = change.split('=');
      return changesOf[what]?.(value);
    });
    return filing(Object.assign(start, ...changed));
  });
}

/** Expects what `classified` says of filings, in any order. */
function expectClassified(text: string, expected: string, code?: string): void {
  const filings = filingsOf(text);
  expect(classified(filings, code)).toBe(expected);
  expect(classified([...filings].reverse(), code)).toBe(expected);
}

describe('repeated reports', () => {
  it('do not exist within one filing: its rows are separate trades, however alike', () => {
    expectClassified('1, 1/2', '1/1 1/2');
  });

  const cases = casesOf(`
# of two filings of one owner with the same numbers are one trade, of the earlier filing
  1 filed=2026-01-05, 2 shares=10.0 price=1.5
  2/1, not 1/1 reported-twice
# with another price are two
  1, 2 price=1.51
  1/1 2/1
# with another date are two
  1, 2 traded=2025-12-31
  1/1 2/1
# that repeat two alike are matched one by one
  1, 1/2, 2 filed=2026-01-03, 2/2 filed=2026-01-03, 2/3 filed=2026-01-03
  1/1 1/2 2/3, not 2/1 reported-twice, not 2/2 reported-twice
# of two people with the same numbers are two
  1 after=100, 2 after=100 by=vitoc
  1/1 2/1
# of two filers that leave both with the same holding, one of them indirect, are one block
  1 after=100.0, 2 after=100 by=vitoc indirect
  1/1, not 2/1 same-block
# that leave no more than was bought are two: the first purchase of each
  1 after=10, 2 after=10 by=vitoc indirect
  1/1 2/1
# of two filings with a joint filer in common, known by CIK, are one
  1 by=smith+fund, 2 by=vitoc+renamed
  1/1, not 2/1 reported-twice
# of an owner who reported the same block before are that block
  1 after=100 indirect, 2 after=100 by=vitoc, 3 by=vitoc
  1/1, not 2/1 same-block, not 3/1 reported-twice
  `);

  it.each(cases)('rows %s', (_, filings, expected) => expectClassified(filings, expected));

  it.each([
    // Ten shares were sold: of purchases, five held afterwards would be too few to say that it was one block.
    ['is one block', '5', '1/1, not 2/1 same-block'],
    ['is two where both sold all that they had', '0', '1/1 2/1'],
  ])('of a sale by two filers %s', (_, left, expected) => {
    expectClassified(`1 code=S after=${left}, 2 code=S after=${left} by=vitoc indirect`, expected, 'S');
  });
});

describe('an amendment', () => {
  const cases = casesOf(`
# replaces the trade that it restates
  1, 2A shares=12
  2/1, not 1/1 amended
# takes a trade out by correcting its code
  1, 2A code=J
  , not 1/1 amended, not 2/1 other-code
# that may correct a date is ambiguous, and both trades count
  1 traded=2025-12-31, 2A original=2026-01-02
  1/1 2/1, unclear 2/1
# that does not say of which day its original is does not correct a date
  1 traded=2025-12-31, 2A
  1/1 2/1
# of another day does not correct a date
  1 traded=2025-12-31, 2A original=2026-01-01
  1/1 2/1
# of another number does not correct a date
  1 traded=2025-12-31, 2A original=2026-01-02 shares=12
  1/1 2/1
# of another owner does not correct a date
  1 traded=2025-12-31, 2A original=2026-01-02 by=vitoc
  1/1 2/1
# that also states the date of its original does not correct a date
  1 traded=2025-12-31, 2A original=2026-01-02, 2A/2 original=2026-01-02 traded=2025-12-31
  2/1 2/2, not 1/1 amended
# of one of two trades is ambiguous, and all of them count
  1, 1/2 shares=20, 2A shares=12
  1/1 1/2 2/1, unclear 2/1
# that is ambiguous and repeats a trade adds nothing
  1, 1/2 shares=20, 2A
  1/1 1/2, not 2/1 reported-twice, unclear 2/1
# that could restate either of two filings is ambiguous
  1, 3 shares=20, 2A shares=12
  1/1 2/1 3/1, unclear 2/1
# that states when its original was filed replaces that one
  1, 3 shares=20 filed=2026-01-05, 2A shares=12 original=2026-01-05
  1/1 2/1, not 3/1 amended
# replaces an original of the same day, whichever number is less
  3 filed=2026-01-09, 2A shares=12
  2/1, not 3/1 amended
# that corrects the code of one of two equal trades is ambiguous
  1, 1/2, 2A code=J
  1/1 1/2, not 2/1 other-code, unclear 2/1
# that takes the role away leaves nothing that counts
  1, 2A by=holder
  , not 1/1 amended, not 2/1 ten-percent-owner
# that withdraws a trade makes the report count that had repeated the same block
  1 after=100, 3 by=vitoc after=100 indirect, 2A code=J
  3/1, not 1/1 amended, not 2/1 other-code
# that leaves the numbers alone takes the place of the trade that it restates
  1 after=100, 3 by=vitoc after=100 indirect, 2A after=100
  2/1, not 1/1 amended, not 3/1 same-block
# may also state derivatives
  1, 2A shares=12, 2A/1001
  2/1, not 1/1 amended, not 2/1001 derivative
# of a Form 3 restates no trade
  1, 2A form=3/A
  1/1, not 2/1 form-3
  `);

  it.each(cases)('an amendment %s', (_, filings, expected) => expectClassified(filings, expected));

  it.each([
    ['1, 2A shares=12', '12'],
    ['1, 2A shares=12, 3A shares=13', '13'],
  ])('keeps the day on which the trade was first public: %s', (filings, shares) => {
    expect(classifyTrades(filingsOf(filings)).trades).toMatchObject([
      { knownOn: '2026-01-02', filing: { filedOn: '2026-01-09', shares } },
    ]);
  });

  it.each([
    ['withdraws a report makes its repetition count', '1 by=smith+fund, 3 by=vitoc+fund, 2A code=J by=smith'],
    ['names another insider makes the trade count', '1 by=smith+fund, 2A by=vitoc+fund'],
  ])('that %s from the day of the amendment', (_, filings) => {
    const [purchase] = classifyTrades(filingsOf(filings)).trades;
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
      { numRuns: runs(800) },
    );
  });
});
