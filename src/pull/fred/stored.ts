import { type Day, type Frequency, keptDate } from '../../domain/series/date.ts';
import { type DateSet, type DateSetText, parseDateSet } from '../../domain/series/date-set.ts';
import { type Change, knownOn } from '../../domain/series/revision-history.ts';
import { kindOf, type VintageKind } from '../../domain/series/series.ts';
import type { StoreContents } from '../../store/contents.ts';

/** A statement that a store has, and how the vintage of its day came about. */
type StoredStatement = {
  readonly date: Day;
  readonly asOf: Day;
  readonly value: string | null;
  readonly kind: VintageKind;
};

type StoredVintage = { readonly dates: DateSet; readonly kind: VintageKind };

/** What a store has of a series: its vintages, the dates that each of them mentions, and what they say. */
export class StoredHistory {
  /** By day, oldest first. */
  readonly #vintages: ReadonlyMap<Day, StoredVintage>;
  readonly #changes: ReadonlyMap<Day, readonly Change[]>;
  readonly #frequency: Frequency;

  private constructor(
    vintages: ReadonlyMap<Day, StoredVintage>,
    changes: ReadonlyMap<Day, readonly Change[]>,
    frequency: Frequency,
  ) {
    this.#vintages = vintages;
    this.#changes = changes;
    this.#frequency = frequency;
  }

  /** Reads a series; undefined without vintages. */
  static async read(view: StoreContents, seriesId: string): Promise<StoredHistory | undefined> {
    const contents = await view.contents(seriesId);
    if (contents === undefined || contents.vintages.length === 0) return undefined;
    const { normalisedBy, stated } = contents;
    const sets = new Map<DateSetText, DateSet>();
    const vintages = new Map<Day, StoredVintage>();
    for (const { asOf, dates: text, kind } of contents.vintages) {
      const dates = sets.get(text) ?? parseDateSet(text, normalisedBy);
      sets.set(text, dates);
      vintages.set(asOf, { dates, kind: kindOf(kind, stated.vintageKind) });
    }
    const changes = new Map<Day, Change[]>();
    for await (const batch of view.changes(seriesId))
      for (const change of batch) {
        const own = changes.get(change.date);
        if (own === undefined) changes.set(change.date, [change]);
        else own.push(change);
      }
    return new StoredHistory(vintages, changes, normalisedBy);
  }

  /** The date under which the store keeps a date of the publisher. */
  readonly dateOf = (date: Day): Day => keptDate(date, this.#frequency);

  get firstVintage(): Day {
    return this.#vintages.keys().next().value ?? '';
  }

  /** The value of a date on a day: null if there is none, undefined if no vintage up to that day mentions the date. */
  valueOn(date: Day, asOf: Day): string | null | undefined {
    const value = this.#knownOn(date, asOf);
    return value === null && !this.isMentioned(date, asOf) ? undefined : value;
  }

  /** Whether a vintage mentions a date, up to a day if one is given. */
  isMentioned(date: Day, upTo?: Day): boolean {
    const start = this.dateOf(date);
    for (const [asOf, { dates }] of this.#vintages) {
      if (upTo !== undefined && asOf > upTo) return false;
      if (dates.has(start)) return true;
    }
    return false;
  }

  /** Whether a statement about a date was made on a day. */
  isStated(date: Day, asOf: Day): boolean {
    return this.#vintages.get(asOf)?.dates.has(this.dateOf(date)) === true;
  }

  /** The statements of the vintages between two days, oldest first; dates that a vintage does not list are left out. */
  *between(from: Day, to: Day): Generator<StoredStatement> {
    for (const [asOf, { dates, kind }] of this.#vintages) {
      if (asOf < from || asOf > to) continue;
      for (const date of dates.days()) yield { date, asOf, value: this.#knownOn(date, asOf), kind };
    }
  }

  #knownOn(date: Day, asOf: Day): string | null {
    return knownOn(this.#changes.get(this.dateOf(date)) ?? [], asOf);
  }
}
