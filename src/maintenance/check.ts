import { setImmediate as tick } from 'node:timers/promises';
import type { StoredChange } from '../domain/series/revision-history.ts';
import { frequencyOf, kindOf, kindsText } from '../domain/series/series.ts';
import { storedDate } from '../domain/values/date.ts';
import { parseDateSet } from '../domain/values/date-set.ts';
import { parseDecimal, sameNumber } from '../domain/values/decimal.ts';
import { readStore } from '../store/open.ts';
import type { SeriesContents, SeriesFigures, WholeView } from '../store/store.ts';

/** A part of a store that is damaged, or contradicts its source. */
export type StoreFault = {
  /** The id of a series, or `store`. */
  readonly subject: string;
  readonly fault: string;
};

/** Options of a check. */
export type CheckOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly onFault?: ((fault: StoreFault) => void) | undefined;
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
};

/** The counts and faults of a check. */
export type CheckSummary = {
  readonly series: number;
  readonly changes: number;
  readonly faults: readonly StoreFault[];
};

/** Reads everything in a store, computes its derived data again, and asks the engine for damage. */
export async function checkStore(address: string, options: CheckOptions = {}): Promise<CheckSummary> {
  const faults: StoreFault[] = [];
  const found = (subject: string, texts: readonly string[]) => {
    for (const fault of texts) {
      faults.push({ subject, fault });
      options.onFault?.({ subject, fault });
    }
  };
  return readStore(address, async (view) => {
    found('store', await view.contents.faults());
    let ids: readonly string[] = [];
    let changes = 0;
    try {
      ids = await view.contents.seriesIds();
    } catch (error) {
      if (faults.length === 0) throw error;
      found('store', ['the list of its series cannot be read']);
    }
    for (const [index, id] of ids.entries()) {
      await tick();
      options.signal?.throwIfAborted();
      try {
        const check = await checkSeries(view, id);
        changes += check.changes;
        found(id, check.faults);
      } catch (error) {
        if (faults.length === 0) throw error;
        found(id, ['it cannot be read']);
      }
      options.onProgress?.({ done: index + 1, total: ids.length });
    }
    return { series: ids.length, changes, faults };
  });
}

/** Checks the changes of a series, by date and then as-of date, and the data derived from them. */
async function checkSeries({ contents: stored }: WholeView, id: string) {
  const faults: string[] = [];
  const contents = await stored.series(id);
  if (contents === undefined) return { changes: 0, faults };
  const { normalisedBy, coveredTo, figures } = contents;
  const speaks = speakersOf(contents);
  const found = { changes: 0, observationCount: 0, dateCount: 0, factCount: 0 };
  let last: StoredChange | undefined;
  let value: string | null = null;
  for await (const batch of stored.changes(id))
    for (const change of batch) {
      const { date, asOf, kind } = change;
      const fault = (text: string) =>
        faults.push(`${date} as of ${asOf} (${change.value ?? 'withdrawn'}) ${text}`);
      const before = last?.date === date ? last : undefined;
      if (before === undefined) {
        if (value !== null) found.observationCount += 1;
        value = null;
        if (kind === 'fact') found.dateCount += 1;
        if (change.value === null) fault('is withdrawn before it had a value');
      }
      const repeats = before !== undefined && sameNumber(before.value, change.value);
      if (repeats !== (kind === 'respelling') || before?.value === change.value)
        fault(`is kept as a ${kind} after ${before === undefined ? 'nothing' : before.value}`);
      if (change.value !== null && parseDecimal(change.value) !== change.value)
        fault('is not a decimal number');
      if (storedDate(date, normalisedBy) !== date) fault('begins no period');
      if (speaks.get(asOf)?.(date) !== true) fault('belongs to no vintage that has its date');
      if (kind === 'fact') {
        found.factCount += 1;
        value = change.value;
      }
      found.changes += 1;
      last = change;
    }
  if (value !== null) found.observationCount += 1;
  const { changes, ...counts } = found;
  const held = { ...figures, normalisedBy };
  for (const [name, expected] of Object.entries({ ...counts, ...derivedFrom(contents) })) {
    const key = name as keyof typeof words;
    if (held[key] !== expected)
      faults.push(`${words[key]} is ${shown(held[key])}, and should be ${shown(expected)}`);
  }
  if (coveredTo < figures.lastVintage)
    faults.push(`it is covered to ${shown(coveredTo)}, before its vintage ${figures.lastVintage}`);
  return { changes, faults };
}

const words: Readonly<Record<keyof SeriesFigures | 'normalisedBy', string>> = {
  observationCount: 'the number of observations',
  dateCount: 'the number of dates',
  factCount: 'the number of changes',
  firstVintage: 'the first vintage',
  lastVintage: 'the last vintage',
  spacing: 'the frequency by the distance of dates',
  vintageKind: 'the kinds of vintages',
  normalisedBy: 'the frequency by which dates are kept',
};

function speakersOf({ vintages, normalisedBy }: SeriesContents) {
  const sets = new Map<string, ReturnType<typeof parseDateSet>>();
  return new Map(
    vintages.map(({ asOf, dates, complete }) => {
      const set = sets.get(dates) ?? parseDateSet(dates, normalisedBy);
      sets.set(dates, set);
      return [asOf, (date: string) => complete || set.has(date)] as const;
    }),
  );
}

function derivedFrom({ vintages, stated, implied }: SeriesContents) {
  const frequency = stated.frequency ?? implied.frequency ?? '';
  const texts = new Set(frequency === '' ? vintages.map(({ dates }) => dates) : []);
  return {
    firstVintage: vintages[0]?.asOf ?? '',
    lastVintage: vintages.at(-1)?.asOf ?? '',
    spacing: frequencyOf([...texts].flatMap((text) => parseDateSet(text).days())),
    vintageKind: kindsText(vintages.map(({ kind }) => kindOf(kind, stated.vintageKind))),
    normalisedBy: frequency,
  };
}

function shown(value: string | number): string {
  return value === '' ? 'empty' : String(value);
}
