import fc from 'fast-check';
import type { Filing } from '../../src/domain/insider/filing.ts';
import { filing, owner } from './filings.ts';

const anna = owner({ cik: '0000000001', name: 'Anna' });
const bo = owner({ cik: '0000000002', name: 'Bo', isDirector: false, isOfficer: true });
const cy = owner({ cik: '0000000003', name: 'Cy' });
const fund = owner({ cik: '0000000009', name: 'Fund LP', isDirector: false, isTenPercent: true });

const day = (count: number) => `2026-02-0${count}`;
/** Their filing dates. */
export const days = [1, 2, 3, 4, 5].map(day);

/** A code of them, mostly that of purchases. */
export const codes = fc.oneof({ weight: 2, arbitrary: fc.constant('P') }, fc.constantFrom('J', 'S'));

/** The same filings with purchases and the trades with another code exchanged, so that those are as frequent. */
export function exchanged(filings: readonly Filing[], code: string): readonly Filing[] {
  const other: Readonly<Record<string, string>> = { [code]: 'P', P: code };
  return filings.map((one) => ({
    ...one,
    transactionCode: other[String(one.transactionCode)] ?? one.transactionCode,
  }));
}

/** Up to nine filings of one issuer within a few days, similar enough to repeat and amend each other. */
export const alikeFilings = fc
  .array(
    fc.record({
      filed: fc.constantFrom(...days),
      isAmendment: fc.constantFrom(false, false, true),
      originalFiledOn: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.constantFrom(...days)),
      owners: fc.oneof(
        { weight: 2, arbitrary: fc.constantFrom([anna], [bo], [cy]) },
        fc.shuffledSubarray([anna, bo, cy, fund], { minLength: 1 }),
      ),
      trades: fc.array(
        fc.record({
          transactionDate: fc.constantFrom('2026-01-20', '2026-01-20', '2026-01-25'),
          shares: fc.constantFrom('1', '1', '2'),
          ownership: fc.constantFrom('D' as const, 'I' as const),
          sharesOwnedAfter: fc.constantFrom('9', '9', '2', '0', null),
          // The direction of a purchase is not looked at, so that the contract's clusters stay as they are.
          acquiredDisposed: fc.constantFrom('A' as const, 'D' as const, null),
          transactionCode: fc.oneof({ weight: 5, arbitrary: fc.constant('P') }, fc.constantFrom('J', 'S')),
        }),
        { minLength: 1, maxLength: 2 },
      ),
    }),
    { maxLength: 9 },
  )
  .map((all) =>
    all.flatMap(({ filed, isAmendment, originalFiledOn, owners, trades }, place) =>
      trades.map((trade, index) =>
        filing({
          ...trade,
          owners,
          filingId: `F${place}`,
          row: index + 1,
          filedOn: filed,
          formType: isAmendment ? '4/A' : '4',
          originalFiledOn: isAmendment ? originalFiledOn : null,
        }),
      ),
    ),
  );
