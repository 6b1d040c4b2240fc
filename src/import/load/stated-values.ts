import type { Day } from '../../domain/series/date.ts';
import { sameNumber } from '../../domain/series/decimal.ts';
import type { Clash } from '../../domain/series/revision-history.ts';
import type { Statement } from '../../domain/series/statement.ts';

/** What an import itself has said of series so far. */
export type OwnWords = {
  /** The contradictions of these statements of one series among themselves and to what was said before. */
  readonly say: (seriesId: string, statements: readonly Statement[]) => readonly Clash[];
};

/** Where new statements replace held ones, two of one import that differ would be settled by their order: this finds them. */
export function newOwnWords(): OwnWords {
  const said = new Map<string, Map<Day, Map<Day, string | null>>>();
  const of = <K, V>(map: Map<K, Map<Day, V>>, key: K): Map<Day, V> => {
    const known = map.get(key) ?? new Map<Day, V>();
    map.set(key, known);
    return known;
  };
  return {
    say(seriesId, statements) {
      const vintages = of(said, seriesId);
      return statements.flatMap(({ date, asOf, value }) => {
        const values = of(vintages, asOf);
        const held = values.get(date);
        if (held === undefined) values.set(date, value);
        return held === undefined || sameNumber(held, value) ? [] : [{ date, asOf, held, given: value }];
      });
    },
  };
}
