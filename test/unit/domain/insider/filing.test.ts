import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { transactionValue } from '../../../../src/domain/insider/cluster.ts';
import {
  type Filing,
  filingOf,
  impossibilityOf,
  isAmendment,
  leadOwner,
  rowOf,
  symbolsOf,
} from '../../../../src/domain/insider/filing.ts';
import {
  combinedFiling,
  conflictingFields,
  planFilings,
  type StoredFiling,
} from '../../../../src/domain/insider/merge-filings.ts';
import { runs } from '../../../support/arbitrary.ts';
import { anyFiling, filing, owner } from '../../../support/filings.ts';

describe('the value of a trade', () => {
  it.each([
    [{ shares: '5000', pricePerShare: '11.03' }, '55150'],
    [{ shares: '10000.0', pricePerShare: '4.25' }, '42500'],
    [{ shares: '19.82', pricePerShare: '0.0' }, '0'],
    [{ shares: '3', pricePerShare: '0.0000000001' }, '0.0000000003'],
    [{ shares: '123456789012345678', pricePerShare: '1234567.891' }, '152415787640603576651425.098'],
    [{ shares: null }, null],
    [{ pricePerShare: null }, null],
    [{ isDerivative: true }, null],
  ])('of %j is exactly %s', (part, value) => {
    expect(transactionValue(filing(part))).toBe(value);
  });
});

describe('joint filers', () => {
  const fund = owner({ name: 'Fund LP', isDirector: false, isTenPercent: true });
  const officer = owner({ name: 'Doe Jane', isDirector: false, isOfficer: true });
  const director = owner({ name: 'Roe Richard' });
  it.each([
    ['the first officer or director', [fund, director, officer], director],
    ['the first of all when none is either', [fund, owner({ name: 'GP LLC', isDirector: false })], fund],
    ['no one when no owner is known', [], undefined],
  ])('have as lead owner %s', (_, owners, lead) => {
    expect(leadOwner({ owners })).toBe(lead);
  });
});

describe('the row of a trade', () => {
  it('is higher in Table II than any in Table I', () => {
    expect([rowOf(false, 1), rowOf(false, 30), rowOf(true, 1)]).toEqual([1, 30, 1001]);
  });
});

describe('the symbols in a ticker', () => {
  it.each([
    ['TSLA', ['TSLA']],
    ['LGF.A', ['LGF.A']],
    ['(CALX)', ['CALX']],
    ['NYSE: KRC', ['KRC']],
    ['NASDAQ:SVC', ['SVC']],
    ['NYSE/TRN', ['TRN']],
    ['NASDAQ', ['NASDAQ']],
    ['HEI, HEI.A', ['HEI', 'HEI.A']],
    ['MOGA/MOGB', ['MOGA', 'MOGB']],
    ['WSO; WSOB', ['WSO', 'WSOB']],
    ['Z AND ZG', ['Z', 'ZG']],
    ['CCIX U', ['CCIX U']],
    ['N O G', ['N O G']],
    ['vicr', ['VICR']],
    [null, []],
  ])('%j are %j', (ticker, symbols) => {
    expect(symbolsOf(ticker)).toEqual(symbols);
  });
});

describe('a trade', () => {
  it.each([
    ['2023-05-15', undefined],
    ['2023-05-16', 'dated 2023-05-16, after its filing on 2023-05-15'],
    ['0022-11-08', 'dated 0022-11-08, before insiders had to report (1934-06-06)'],
    ['1934-06-05', 'dated 1934-06-05, before insiders had to report (1934-06-06)'],
    ['1934-06-06', undefined],
    [null, 'the trade has no date'],
  ])('dated %s has the impossibility: %s', (transactionDate, reason) => {
    expect(impossibilityOf(filing({ filedOn: '2023-05-15', transactionDate }))).toBe(reason);
  });

  it.each([
    ['-100', '10', 'of -100 shares'],
    ['100', '-0.01', 'at -0.01 a share'],
    ['0', '0.00', undefined],
    [null, null, undefined],
  ])('of %s shares at %s has the impossibility: %s', (shares, pricePerShare, reason) => {
    expect(impossibilityOf(filing({ shares, pricePerShare }))).toBe(reason);
  });

  it('is an amendment when its form type ends in /A', () => {
    expect((['4', '4/A', '5/A'] as const).map((formType) => isAmendment({ formType }))).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe('two records of one trade', () => {
  const roles = [
    owner({ cik: '0000000001', isDirector: false, isOfficer: true }),
    owner({ cik: '0000000002', isDirector: false, isTenPercent: true }),
  ];
  it.each<[string, Partial<Filing>, Partial<Filing>]>([
    ['another spelling of a number', { shares: '5000.0' }, { shares: '5000' }],
    ['a longer title', { securityTitle: 'Common Stock, par value $0.001' }, {}],
    ['what only one states', { acceptedAt: '2023-05-15T20:00:00Z' }, { is10b51: null, ownership: null }],
    ['owners in another order', { owners: roles }, { owners: roles.toReversed() }],
    ['owners that only one names', { owners: [] }, { owners: roles }],
  ])('do not clash by %s, and combine into the fuller text in any order', (_, a, b) => {
    const [one, other] = [filing({ is10b51: false, ...a }), filing({ is10b51: false, ...b })];
    expect(conflictingFields(one, other)).toEqual([]);
    const both = combinedFiling(one, other);
    expect(combinedFiling(other, one)).toEqual(both);
    const { owners: _a, ...texts } = { ...a, ...b };
    for (const field of Object.keys(texts) as (keyof typeof texts)[])
      for (const value of [a[field], b[field]])
        if (typeof value === 'string')
          expect(String(both[field]).length).toBeGreaterThanOrEqual(value.length);
    expect(both.owners.length).toBe(Math.max(one.owners.length, other.owners.length));
  });

  it.each<[keyof Filing, Partial<Filing>]>([
    ['filedOn', { filedOn: '2023-05-16' }],
    ['formType', { formType: '4/A' }],
    ['issuerCik', { issuerCik: '0000000009' }],
    ['transactionDate', { transactionDate: '2023-05-10' }],
    ['transactionCode', { transactionCode: 'S' }],
    ['is10b51', { is10b51: true }],
    ['shares', { shares: '5001' }],
    ['pricePerShare', { pricePerShare: '1.500001' }],
    ['ownership', { ownership: 'I' }],
    ['owners', { owners: [owner({ isDirector: false })] }],
    ['owners', { owners: [owner({ cik: '0001777907' })] }],
  ])('clash in %s', (field, part) => {
    const [one, other] = [filing({ is10b51: false }), filing({ is10b51: false, ...part })];
    expect(conflictingFields(one, other)).toEqual([field]);
    expect(conflictingFields(other, one)).toEqual([field]);
  });
});

const keep = { replace: false };

/** What a store holds after it has written a plan. */
function written(held: readonly StoredFiling[], put: readonly StoredFiling[]): readonly StoredFiling[] {
  const filings = new Map(held.map((one) => [one.header.filingId, one]));
  for (const { header, concernsClusters, trades } of put) {
    const rows = new Map(filings.get(header.filingId)?.trades.map((trade) => [trade.row, trade]));
    for (const trade of trades) rows.set(trade.row, trade);
    filings.set(header.filingId, { header, concernsClusters, trades: [...rows.values()] });
  }
  return [...filings.values()];
}

function merged(batches: readonly (readonly Filing[])[], replace = false): readonly StoredFiling[] {
  let held: readonly StoredFiling[] = [];
  for (const batch of batches) held = written(held, planFilings(held, batch, { replace }).put);
  return held;
}

/** The trades of filings, by filing and row. */
function tradesOf(held: readonly StoredFiling[]): readonly Filing[] {
  const keyOf = ({ filingId, row }: Filing) => `${filingId} ${String(row).padStart(5, '0')}`;
  return held
    .flatMap(({ header, trades }) => trades.map((trade) => filingOf(header, trade)))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function clusterMarks(held: readonly StoredFiling[]): readonly string[] {
  return held.map(({ header, concernsClusters }) => `${header.filingId} ${concernsClusters}`).sort();
}

/** Trades with different filings or rows, whose records agree about their filings. */
const distinct = fc
  .uniqueArray(anyFiling, { maxLength: 20, selector: ({ filingId, row }) => `${filingId} ${row}` })
  .map((filings) =>
    filings.map((one) => {
      const first = filings.find(({ filingId }) => filingId === one.filingId) ?? one;
      return filingOf(first, one);
    }),
  );

/** Trades, then the same with what other files state about some of them: less detail, or other words; in two orders. */
const repeated = distinct
  .chain((filings) => {
    const changes = fc.constantFrom<Partial<Filing>>(
      ...[{}, { shares: null }, { pricePerShare: '1.5' }, { issuerName: 'MAIA Biotechnology' }],
      ...[{ owners: [] }, { acceptedAt: null, is10b51: null }, { transactionCode: null }],
    );
    const echo = fc
      .tuple(fc.nat(), changes)
      .map(([place, change]) => ({ ...filings[place % filings.length], ...change }));
    return fc.tuple(fc.constant(filings), fc.array(echo, { maxLength: filings.length === 0 ? 0 : 10 }));
  })
  .map(([filings, echoes]) => ({ filings, all: [...filings, ...(echoes as readonly Filing[])] }))
  .chain(({ filings, all }) =>
    fc.record({
      filings: fc.constant(filings),
      all: fc.constant(all),
      mixed: fc.shuffledSubarray(all, { minLength: all.length }),
    }),
  );

describe('a plan to merge filings', () => {
  it('keeps each trade as stated, in any batches and any order', () => {
    fc.assert(
      fc.property(distinct, fc.nat(20), fc.boolean(), (filings, cut, backwards) => {
        const inOrder = backwards ? [...filings].reverse() : filings;
        const held = merged([inOrder.slice(0, cut), inOrder.slice(cut)]);
        expect(tradesOf(held)).toEqual(tradesOf(merged([filings])));
        expect(new Set(tradesOf(held).map((one) => JSON.stringify(one)))).toEqual(
          new Set(filings.map((one) => JSON.stringify(filingOf(one, one)))),
        );
      }),
      { numRuns: runs(150) },
    );
  });

  it('combines what several files state about a trade, in any order', () => {
    fc.assert(
      fc.property(repeated, fc.nat(30), ({ filings, all, mixed }, cut) => {
        fc.pre(
          all.every((one) => filings.every((other) => one.filingId !== other.filingId || agree(one, other))),
        );
        const once = merged([all]);
        const again = merged([mixed.slice(0, cut), mixed.slice(cut)]);
        expect(tradesOf(again)).toEqual(tradesOf(once));
        expect(clusterMarks(again)).toEqual(clusterMarks(once));
        expect(planFilings(once, all, keep)).toEqual({ added: 0, known: all.length, conflicts: [], put: [] });
      }),
      { numRuns: runs(150) },
    );
  });

  it('marks the filings that clusters are made of: purchases of shares and amendments', () => {
    const marksOf = (...filings: readonly Filing[]) =>
      merged([filings]).map(({ concernsClusters }) => concernsClusters);
    expect(marksOf(filing())).toEqual([true]);
    expect(marksOf(filing({ transactionCode: 'S' }))).toEqual([false]);
    expect(marksOf(filing({ isDerivative: true }))).toEqual([false]);
    expect(marksOf(filing({ formType: '3' }))).toEqual([false]);
    expect(marksOf(filing({ formType: '4/A', transactionCode: 'S' }))).toEqual([true]);
    expect(marksOf(filing({ row: 1, transactionCode: 'S' }), filing({ row: 2 }))).toEqual([true]);
  });

  it.each<[string, Partial<Filing>, keyof Filing]>([
    ['number of shares', { shares: '11' }, 'shares'],
    ['filing date', { filedOn: '2026-01-03' }, 'filedOn'],
    ['reporting owner', { owners: [owner({ cik: '0000000009' })] }, 'owners'],
  ])(
    'lists a different %s as a conflict, keeps the one held, and replaces it with replace',
    (_, change, field) => {
      const held = merged([[filing()]]);
      const given = filing(change);
      const plan = planFilings(held, [given], keep);
      expect(plan).toEqual({
        added: 0,
        known: 0,
        conflicts: [{ held: filing(), given, fields: [field] }],
        put: [],
      });
      const replaced = planFilings(held, [given], { replace: true });
      expect(replaced).toMatchObject({ added: 1, known: 0, conflicts: [] });
      expect(tradesOf(written(held, replaced.put))).toEqual([given]);
    },
  );

  it('marks a filing whose form is replaced by what its trades are on that form', () => {
    const holdings = filing({ formType: '3' });
    const changes = filing({ formType: '4', row: 2, transactionCode: 'S' });
    expect(clusterMarks(merged([[holdings]]))).toEqual(['0000000001-26-000001 false']);
    expect(clusterMarks(merged([[holdings], [changes]], true))).toEqual(['0000000001-26-000001 true']);
  });

  it('lists a new trade that contradicts its filing as a conflict', () => {
    const given = filing({ row: 2, issuerCik: '0000000009' });
    const { conflicts } = planFilings(merged([[filing()]]), [given], keep);
    expect(conflicts).toMatchObject([{ given, fields: ['issuerCik'] }]);
  });
});

function agree(a: Filing, b: Filing): boolean {
  return conflictingFields(a.row === b.row ? a : filingOf(a, b), b).length === 0;
}
