import { type Filing, impossibilityOf, impossibilityText } from '../../../domain/insider/filing.ts';

const mostNamed = 3;

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
