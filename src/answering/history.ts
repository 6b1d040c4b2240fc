import { pagesOf } from '../client/pagination.ts';
import { type Change, lastUpTo } from '../domain/series/revision-history.ts';
import { type FrequencySince, impliedFrequencies, parseFrequency } from '../domain/series/series.ts';
import { Vintages } from '../domain/series/transformer.ts';
import { type Day, earlier, type Frequency, later } from '../domain/values/date.ts';
import { addTo, groupBy } from '../domain/values/groups.ts';
import type { Coverage, Row } from '../operations/envelope.ts';
import type { QueryParams } from '../operations/param.ts';
import { history } from '../operations/series/history.ts';
import { revisions } from '../operations/series/observations.ts';
import { seriesShow } from '../operations/series/series.ts';
import { vintages } from '../operations/series/vintages.ts';
import { defined } from '../platform/defined.ts';
import { type Ask, rowsOf, textsOf } from './answer.ts';

/** What was published of a series, or of some of its dates. */
type PublishedHistory = {
  /** Newest date first in a store, and otherwise in the order of reading; the changes of a date oldest first. */
  readonly changes: ReadonlyMap<Day, readonly Change[]>;
  readonly vintages: Vintages;
  /** The unit on the day of the first change; empty if `described` is false. */
  readonly unit: string;
  /** Finds the frequency that was known from each day on, which may take further requests; needs `described`. */
  frequencies(): Promise<readonly FrequencySince[]>;
  /** Reads the vintages up to a day, oldest first, and the coverage of the series, if it is stated. */
  vintagesUpTo(day: Day): Promise<{ readonly known: readonly KnownVintage[]; readonly row?: Row }>;
};

type KnownVintage = { readonly asOf: Day; readonly kind: string };

type HistoryOptions = {
  /** The last day of publication to read. Default: all. */
  readonly last?: Day;
  /** False to leave out units and frequencies, which may take a store as long as the values. Default: true. */
  readonly described?: boolean;
};

/** Reads the values of a series, or of some dates, that were published up to a day. */
export async function historyOf(
  params: QueryParams,
  context: Pick<Ask, 'client' | 'signal'>,
  { last = '~', described = true }: HistoryOptions = {},
): Promise<PublishedHistory> {
  // A store gives all at once, which takes an eighth of the time.
  return context.client.offers === undefined
    ? storedHistory(params, context, last, described)
    : historyInPages(params, context, last);
}

async function storedHistory(
  params: QueryParams,
  { client }: Pick<Ask, 'client'>,
  last: Day,
  described: boolean,
): Promise<PublishedHistory> {
  const asked = textsOf({ ...params, ...(described && { described: 'true' }) });
  const { results, covered_to } = await client.ask(history, asked);
  const { changes: rows = [], vintages: listed = [], descriptions = [], first_vintage } = results[0] ?? {};
  const known = rows.filter(({ asOf }) => asOf <= last);
  const changes = groupBy(known, ({ date }) => date);
  const begun = rows[0]?.asOf ?? '';
  return {
    changes,
    vintages: new Vintages(changes),
    unit: descriptions.findLast(({ asOf }) => asOf <= begun)?.unit ?? '',
    async frequencies() {
      const known = descriptions.filter(({ asOf }) => asOf <= last);
      // A vintage without a value, before the first one with a value, says nothing of frequencies.
      const first = rows.reduce((day, { asOf }) => earlier(day, asOf), '~');
      const current = known.findLast(({ asOf }) => asOf <= first);
      const found = known
        .filter((one) => one === current || one.asOf > first)
        .map(({ asOf, frequency }) => ({ since: later(asOf, first), frequency }));
      return orImplied(found, changes);
    },
    async vintagesUpTo(day) {
      const known = listed.slice(0, lastUpTo(listed, day) + 1);
      return { known, row: defined({ first_vintage, covered_to }) };
    },
  };
}

async function historyInPages(
  params: QueryParams,
  { client, signal }: Pick<Ask, 'client' | 'signal'>,
  last: Day,
): Promise<PublishedHistory> {
  const { id, from, to } = params;
  const changes = new Map<Day, Change[]>();
  const stated = new StatedFrequencies();
  let unit: string | undefined;
  for await (const page of pagesOf(client, revisions, textsOf(params), {}, signal))
    for (const row of page.results) {
      const { date, value, as_of_date: asOf } = row;
      unit ??= row.unit;
      if (asOf > last) continue;
      stated.add(row);
      addTo(changes, date, { asOf, value });
    }
  // Another service may order the changes of a date differently.
  for (const known of changes.values())
    if (known.some(({ asOf }, i) => asOf < (known[i - 1]?.asOf ?? ''))) known.sort(byDay);
  const isPart = from !== undefined || to !== undefined;
  return {
    changes,
    vintages: new Vintages(changes),
    unit: unit ?? '',
    async frequencies() {
      if (isPart) await stated.complete(String(id), last, { client, signal });
      return stated.since(changes);
    },
    async vintagesUpTo(day) {
      const known: KnownVintage[] = [];
      let row: Coverage | undefined;
      const texts = textsOf({ id: String(id), to: day });
      for await (const page of pagesOf(client, vintages, texts, {}, signal)) {
        row ??= page.coverage;
        for (const { as_of_date: asOf, vintage_kind } of page.results)
          known.push({ asOf, kind: vintage_kind ?? '' });
      }
      return { known: known.reverse(), ...defined({ row }) };
    },
  };
}

/** Returns the stated frequencies; if none says anything, those that the spacing of dates implies. */
function orImplied(
  stated: readonly FrequencySince[],
  changes: ReadonlyMap<Day, readonly Change[]>,
): readonly FrequencySince[] {
  if (stated.some(({ frequency }) => frequency !== '')) return stated;
  return impliedFrequencies(new Map([...changes].map(([date, [first]]) => [date, first?.asOf ?? ''])));
}

function byDay(one: Change, other: Change): number {
  return one.asOf < other.asOf ? -1 : 1;
}

/** The frequencies that published values state, by day of publication. */
class StatedFrequencies {
  readonly #byDay = new Map<Day, Frequency>();
  #latest: { readonly text: unknown; readonly frequency: Frequency } = { text: '', frequency: '' };

  add({
    as_of_date: asOf,
    frequency: text,
  }: {
    readonly as_of_date: Day;
    readonly frequency?: unknown;
  }): void {
    // A series has few frequencies and many values.
    if (text !== this.#latest.text)
      this.#latest = { text, frequency: parseFrequency(String(text ?? '')) ?? '' };
    this.#byDay.set(asOf, this.#latest.frequency);
  }

  /**
   * Adds the frequencies that the other dates of a series state.
   * A series only becomes finer: if no frequency so far differs from today's, nothing is read.
   */
  async complete(id: string, last: Day, { client, signal }: Pick<Ask, 'client' | 'signal'>): Promise<void> {
    const [described] = (await client.ask(seriesShow, [['id', id]])).results;
    const now = parseFrequency(String(described?.frequency ?? '')) ?? '';
    if ([...this.#byDay.values()].every((frequency) => frequency === now)) return;
    for (const row of await rowsOf({ client, signal }, revisions, { id }))
      if (row.as_of_date <= last) this.add(row);
  }

  /** Returns the frequencies by day, oldest first; if none is stated, those that the spacing of dates implies. */
  since(changes: ReadonlyMap<Day, readonly Change[]>): readonly FrequencySince[] {
    const stated = [...this.#byDay].map(([since, frequency]) => ({ since, frequency }));
    return orImplied(
      stated.sort((one, other) => (one.since < other.since ? -1 : 1)),
      changes,
    );
  }
}
