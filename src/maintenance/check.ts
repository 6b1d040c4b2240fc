import { planMove } from '../domain/series/merge-plan.ts';
import type { Change, StoredChange } from '../domain/series/revision-history.ts';
import { frequencyOf, kindOf, kindsText } from '../domain/series/series.ts';
import type { Day } from '../domain/values/date.ts';
import { parseDateSet } from '../domain/values/date-set.ts';
import { parseDecimal, sameNumber } from '../domain/values/decimal.ts';
import { addTo } from '../domain/values/groups.ts';
import { pause } from '../platform/promises.ts';
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
      await pause(options.signal);
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

/** Checks that the changes of a series follow from its statements, and the data derived from them. */
async function checkSeries({ contents: stored }: WholeView, id: string) {
  const faults: string[] = [];
  const contents = await stored.series(id);
  if (contents === undefined) return { changes: 0, faults };
  const { normalisedBy, coveredTo, vintages, figures } = contents;
  const fault = ({ date, asOf, value }: Omit<StoredChange, 'kind'>, text: string) =>
    faults.push(`${date} as of ${asOf} (${value ?? 'withdrawn'}) ${text}`);
  const changes = new Map<Day, Change[]>();
  let [rows, factCount] = [0, 0];
  for await (const batch of stored.changes(id))
    for (const change of batch) {
      const { date, asOf, value, kind } = change;
      const before = changes.get(date)?.at(-1);
      const repeats = before !== undefined && sameNumber(before.value, value);
      if (repeats !== (kind === 'respelling'))
        fault(change, `is kept as a ${kind} after ${before === undefined ? 'nothing' : before.value}`);
      if (value !== null && parseDecimal(value) !== value) fault(change, 'is not a decimal number');
      addTo(changes, date, { asOf, value });
      rows += 1;
      if (kind === 'fact') factCount += 1;
    }
  // Statements that are planned anew must lead to the same rows.
  const held = { frequency: normalisedBy, vintages, changes };
  if (faults.length === 0) {
    const { removed, inserted } = planMove(held, normalisedBy);
    for (const change of removed) fault(change, 'follows from no vintage');
    for (const change of inserted) fault(change, 'is missing');
  }
  const counts = {
    observationCount: [...changes.values()].filter((own) => (own.at(-1)?.value ?? null) !== null).length,
    dateCount: changes.size,
    factCount,
  };
  const kept = { ...figures, normalisedBy };
  for (const [name, expected] of Object.entries({ ...counts, ...derivedFrom(contents) })) {
    const key = name as keyof typeof words;
    if (kept[key] !== expected)
      faults.push(`${words[key]} is ${shown(kept[key])}, and should be ${shown(expected)}`);
  }
  if (coveredTo < figures.lastVintage)
    faults.push(`it is covered to ${shown(coveredTo)}, before its vintage ${figures.lastVintage}`);
  return { changes: rows, faults };
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
