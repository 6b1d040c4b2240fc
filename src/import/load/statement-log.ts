import type { Day } from '../../domain/series/date.ts';
import { sameNumber } from '../../domain/series/decimal.ts';
import type { StatementConflict } from '../../domain/series/revision-history.ts';
import type { Statement } from '../../domain/series/statement.ts';

/**
 * Remembers the statements of one import. Where new statements replace held ones, the order of two that differ would
 * decide; with this log an import finds the conflicts within itself.
 */
export class StatementLog {
  readonly #series = new Map<string, Map<Day, Map<Day, string | null>>>();

  /** Adds statements of one series; gives their conflicts with each other and with those added before. */
  add(seriesId: string, statements: readonly Statement[]): readonly StatementConflict[] {
    const vintages = entryOf(this.#series, seriesId);
    return statements.flatMap(({ date, asOf, value }) => {
      const values = entryOf(vintages, asOf);
      const held = values.get(date);
      if (held === undefined) values.set(date, value);
      return held === undefined || sameNumber(held, value) ? [] : [{ date, asOf, held, given: value }];
    });
  }
}

function entryOf<Key, Value>(map: Map<Key, Map<Day, Value>>, key: Key): Map<Day, Value> {
  const known = map.get(key) ?? new Map<Day, Value>();
  map.set(key, known);
  return known;
}
