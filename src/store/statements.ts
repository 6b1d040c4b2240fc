import type { Day, Frequency } from '../domain/series/date.ts';
import { parseDateSet } from '../domain/series/date-set.ts';
import type { HeldVintage } from '../domain/series/merge-plan.ts';
import { type Change, knownOn, type Statement } from '../domain/series/revision-history.ts';
import {
  type FrequencySince,
  impliedFrequencies,
  kindOf,
  type VintageKind,
} from '../domain/series/series.ts';

/** What metadata states about all vintages of a series. */
export type StatedKind = { readonly statedKind: VintageKind | null };

/** What its statements need to know about a series. */
export type StatedSeries = StatedKind & {
  readonly seriesId: string;
  readonly normalisedBy: Frequency;
  readonly vintages: readonly HeldVintage[];
};

const batchSize = 5000;

/**
 * Every statement about a series, by date and then as-of date, in batches; statements that changed nothing are derived
 * from the vintages. `changes` reads the changes of the dates between two days.
 */
export async function* statementsOf(
  { seriesId, normalisedBy, statedKind, vintages: held }: StatedSeries,
  changes: (from: Day, to: Day) => Promise<ReadonlyMap<Day, readonly Change[]>>,
): AsyncGenerator<readonly Statement[]> {
  const sets = new Map<string, ReturnType<typeof parseDateSet>>();
  const vintages = held.map(({ asOf, dates: text, complete, kind }) => {
    const dates = sets.get(text) ?? parseDateSet(text, normalisedBy);
    sets.set(text, dates);
    return { asOf, dates, complete, kind: kindOf(kind, statedKind ?? undefined) };
  });
  const dates = [...new Set([...sets.values()].flatMap((set) => set.days()))].sort();
  // Read as many dates at once as have about one batch of changes.
  const datesRead = Math.max(16, Math.floor(batchSize / Math.max(1, vintages.length)));
  let batch: Statement[] = [];
  for (let at = 0; at < dates.length; at += datesRead) {
    const some = dates.slice(at, at + datesRead);
    const known = await changes(some[0] ?? '', some.at(-1) ?? '');
    for (const date of some) {
      const own = known.get(date) ?? [];
      for (const vintage of vintages) {
        if (!vintage.complete && !vintage.dates.has(date)) continue;
        const { asOf, kind } = vintage;
        batch.push({ seriesId, date, asOf, value: knownOn(own, asOf), kind });
      }
      if (batch.length >= batchSize) {
        yield batch;
        batch = [];
      }
    }
  }
  if (batch.length > 0) yield batch;
}

/** The frequencies that the spacing of the dates in vintages (ascending) implied, each from a day on. */
export function frequenciesIn(
  vintages: readonly Pick<HeldVintage, 'asOf' | 'dates'>[],
): readonly FrequencySince[] {
  const known = new Map<Day, Day>();
  const seen = new Set<string>();
  for (const { asOf, dates } of vintages) {
    if (seen.has(dates)) continue;
    seen.add(dates);
    for (const date of parseDateSet(dates).days()) if (!known.has(date)) known.set(date, asOf);
  }
  return impliedFrequencies(known);
}

/** The changes of rows that are ordered by date and then as-of date. */
export function changesByDate(
  rows: Iterable<readonly [date: Day, asOf: Day, value: string | null]>,
): ReadonlyMap<Day, readonly Change[]> {
  const changes = new Map<Day, Change[]>();
  for (const [date, asOf, value] of rows) {
    const known = changes.get(date);
    if (known === undefined) changes.set(date, [{ asOf, value }]);
    else known.push({ asOf, value });
  }
  return changes;
}
