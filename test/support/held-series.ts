import type { Frequency } from '../../src/domain/series/date.ts';
import { parseDateSet } from '../../src/domain/series/date-set.ts';
import type { HeldSeries, HeldVintage, MergePlan } from '../../src/domain/series/merge-plan.ts';
import { type Change, type KeptChange, knownOn } from '../../src/domain/series/revision-history.ts';

/** The rows of one series, as a store keeps them, in memory. Refuses what the keys of a table would refuse. */
export class SeriesRows {
  readonly #changes = new Map<string, KeptChange>();
  readonly #vintages = new Map<string, HeldVintage>();
  #frequency: Frequency = '';

  /** The rows that a merge is planned against. */
  held(): HeldSeries {
    const changes = new Map<string, Change[]>();
    for (const { date, asOf, value } of this.changes()) {
      const known = changes.get(date) ?? [];
      changes.set(date, [...known, { asOf, value }]);
    }
    const vintages = [...this.#vintages.values()].sort((a, b) => (a.asOf < b.asOf ? -1 : 1));
    return { frequency: this.#frequency, vintages, changes };
  }

  /** Applies a plan; from then on dates are normalised to a frequency. */
  apply(plan: MergePlan, frequency: Frequency = this.#frequency): void {
    for (const row of plan.removed) {
      const held = this.#changes.get(keyOf(row));
      if (held?.value !== row.value || held.kind !== row.kind)
        throw new Error(`the plan removes a row that is not there: ${keyOf(row)}`);
      this.#changes.delete(keyOf(row));
    }
    for (const row of plan.inserted) {
      if (this.#changes.has(keyOf(row))) throw new Error(`the plan inserts a row twice: ${keyOf(row)}`);
      this.#changes.set(keyOf(row), row);
    }
    for (const vintage of plan.vintages) this.#vintages.set(vintage.asOf, vintage);
    this.#frequency = frequency;
  }

  /** All changes, by date and then as-of date. */
  changes(): readonly KeptChange[] {
    return [...this.#changes.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  /** Every statement that the rows hold, as `date asOf value`, sorted. */
  statements(): readonly string[] {
    const { vintages, changes } = this.held();
    const dates = new Set(vintages.flatMap((vintage) => parseDateSet(vintage.dates, this.#frequency).days()));
    return vintages
      .flatMap(({ asOf, dates: listed, complete }) =>
        [...dates]
          .filter((date) => complete || parseDateSet(listed, this.#frequency).has(date))
          .map((date) => `${date} ${asOf} ${knownOn(changes.get(date) ?? [], asOf) ?? 'withdrawn'}`),
      )
      .sort();
  }
}

function keyOf({ date, asOf }: KeptChange): string {
  return `${date} ${asOf}`;
}
