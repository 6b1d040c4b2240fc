import type { Transformation } from '../../domain/series/transformation.ts';
import { isComparison } from '../../domain/series/units.ts';
import { Problem } from '../../errors/problem.ts';
import type { Version } from '../../operations/value.ts';

/** Tells whether results compare periods of the series itself, and not of a requested frequency. */
export function countsOwnPeriods(
  transformation: Transformation | undefined,
): transformation is Transformation {
  return (
    transformation !== undefined &&
    transformation.aggregation === undefined &&
    isComparison(transformation.units)
  );
}

/** The one frequency by which values of several days are compared. */
export class OneFrequency {
  readonly #id: string;
  readonly #units: string;
  #first: { readonly day: Version; readonly frequency: string } | undefined;

  constructor(id: string, { units }: Transformation) {
    this.#id = id;
    this.#units = units;
  }

  add(day: Version, frequency: string): void {
    if (frequency === '') return;
    this.#first ??= { day, frequency };
    if (this.#first.frequency === frequency) return;
    // `latest` sorts after every day.
    const inOrder = [this.#first, { day, frequency }].sort((a, b) => (a.day < b.day ? -1 : 1));
    const [one, other] = inOrder.map(
      (known) => `${known.frequency} ${known.day === 'latest' ? 'now' : `as of ${known.day}`}`,
    );
    throw new Problem(
      'bad-input',
      `by the spacing of its dates ${this.#id} is ${one} and ${other}, so the ${this.#units} of the two cannot be compared`,
      { field: 'units', hints: ['import a metadata file that states the frequency'] },
    );
  }
}
