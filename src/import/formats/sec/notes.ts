import {
  type Filing,
  impossibilityOf,
  impossibilityText,
  type ReportingOwner,
} from '../../../domain/insider/filing.ts';
import type { Day } from '../../../domain/series/date.ts';

/** The maximum number of trades that one note names; it counts the others. */
const mostNamed = 3;

/** Notes on the trades of a filing that count towards no cluster because of what they state, one line per reason. */
export function notesOn(filings: readonly Filing[], owners: readonly ReportingOwner[]): readonly string[] {
  const impossible = new ImpossibleTrades();
  for (const filing of filings) impossible.add(filing);
  const nameless = owners.filter(({ cik }) => cik === null).map(({ name }) => name);
  if (nameless.length === 0) return impossible.notes();
  const without = `the CIK of ${nameless.join(', ')} is not stated; trades of such an owner count towards no cluster`;
  return [...impossible.notes(), without];
}

/** A note if `--filed-on` (`given`) differs from the filing date known otherwise, which is used instead. */
export function unusedFilingDate(filedOn: Day, given: Day | undefined): readonly string[] {
  if (given === undefined || given === filedOn) return [];
  return [`filed on ${filedOn} according to the SEC; --filed-on ${given} is ignored`];
}

/** Collects trades that cannot have happened as stated, for one note on all of them. */
export class ImpossibleTrades {
  #count = 0;
  readonly #examples: string[] = [];

  /** Takes a trade into account if it is impossible. */
  add(filing: Filing): void {
    const impossibility = impossibilityOf(filing);
    if (impossibility === undefined) return;
    this.#count += 1;
    if (this.#examples.length < mostNamed)
      this.#examples.push(
        `${filing.filingId} row ${filing.row}, ${impossibilityText(filing, impossibility)}`,
      );
  }

  /** The note, if there is anything to note. */
  notes(): readonly string[] {
    if (this.#count === 0) return [];
    const [trades, verb] =
      this.#count === 1
        ? ['1 impossible trade is', 'counts']
        : [`${this.#count} impossible trades are`, 'count'];
    const more =
      this.#count > this.#examples.length ? `; and ${this.#count - this.#examples.length} more` : '';
    return [`${trades} kept as stated and ${verb} towards no cluster: ${this.#examples.join('; ')}${more}`];
  }
}
