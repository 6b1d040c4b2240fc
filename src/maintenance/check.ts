import { setImmediate as tick } from 'node:timers/promises';
import { keptDate } from '../domain/series/date.ts';
import { parseDateSet } from '../domain/series/date-set.ts';
import { parseDecimal, sameNumber } from '../domain/series/decimal.ts';
import type { KeptChange } from '../domain/series/revision-history.ts';
import { frequencyOf, kindOf, kindsText } from '../domain/series/series.ts';
import type { SeriesContents, SeriesFigures } from '../store/contents.ts';
import { readStore } from '../store/open.ts';
import type { WholeView } from '../store/store.ts';

/** A part of a store that is damaged, or that contradicts the data that it is derived from. */
export type StoreFault = {
  /** The id of a series, or `store`. */
  readonly subject: string;
  readonly fault: string;
};

/** How a store is checked. */
export type CheckOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Called with each fault as it is found. */
  readonly onFault?: ((fault: StoreFault) => void) | undefined;
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
};

/** What a check read, and which faults it found. */
export type CheckSummary = {
  readonly series: number;
  readonly changes: number;
  readonly faults: readonly StoreFault[];
};

/**
 * Reads everything that a store holds, and computes a second time what the store derives: the counts, days, kinds and
 * frequencies of series, and the columns and words that searches use. Also asks the engine for damage; in a damaged
 * store, a series that cannot be read is a fault.
 */
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

async function checkSeries(view: WholeView, id: string) {
  const contents = await view.contents.series(id);
  if (contents === undefined) return { changes: 0, faults: [] };
  const check = new SeriesCheck(contents);
  let changes = 0;
  for await (const batch of view.contents.changes(id)) {
    check.take(batch);
    changes += batch.length;
  }
  return { changes, faults: check.faults() };
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

class SeriesCheck {
  readonly #contents: SeriesContents;
  readonly #faults: string[] = [];
  readonly #speaks: ReadonlyMap<string, (date: string) => boolean>;
  #observations = 0;
  #dates = 0;
  #facts = 0;
  #last: KeptChange | undefined;
  /** The value of the last fact of the current date. */
  #value: string | null = null;

  constructor(contents: SeriesContents) {
    this.#contents = contents;
    const sets = new Map<string, ReturnType<typeof parseDateSet>>();
    const setOf = (text: string) => {
      const set = sets.get(text) ?? parseDateSet(text, contents.normalisedBy);
      sets.set(text, set);
      return set;
    };
    this.#speaks = new Map(
      contents.vintages.map(({ asOf, dates, complete }) => [
        asOf,
        (date) => complete || setOf(dates).has(date),
      ]),
    );
  }

  /** Checks the next changes; they must come in order. */
  take(changes: readonly KeptChange[]): void {
    for (const change of changes) this.#take(change);
  }

  /** The contradictions found; must be called once, after all changes. */
  faults(): readonly string[] {
    this.#endDate();
    const { figures, normalisedBy, coveredTo } = this.#contents;
    for (const [name, expected] of Object.entries(this.#expected())) {
      const key = name as keyof typeof words;
      const held = key === 'normalisedBy' ? normalisedBy : figures[key];
      if (held !== expected)
        this.#faults.push(`${words[key]} is ${shown(held)}, and follows as ${shown(expected)}`);
    }
    if (coveredTo < figures.lastVintage)
      this.#faults.push(`it is covered to ${shown(coveredTo)}, before its vintage ${figures.lastVintage}`);
    return this.#faults;
  }

  #take(change: KeptChange): void {
    const { date, asOf, value, kind } = change;
    const before = this.#last?.date === date ? this.#last : undefined;
    if (before === undefined) {
      this.#endDate();
      this.#dates += kind === 'fact' ? 1 : 0;
      if (value === null) this.#fault(change, 'is withdrawn before it had a value');
    }
    const repeats = before !== undefined && sameNumber(before.value, value);
    if (repeats !== (kind === 'respelling') || before?.value === value)
      this.#fault(change, `is kept as a ${kind} after ${before === undefined ? 'nothing' : before.value}`);
    if (value !== null && parseDecimal(value) !== value) this.#fault(change, 'is not a decimal number');
    if (keptDate(date, this.#contents.normalisedBy) !== date) this.#fault(change, 'begins no period');
    if (this.#speaks.get(asOf)?.(date) !== true) this.#fault(change, 'is of no vintage that speaks for it');
    if (kind === 'fact') {
      this.#facts += 1;
      this.#value = value;
    }
    this.#last = change;
  }

  #endDate(): void {
    if (this.#value !== null) this.#observations += 1;
    this.#value = null;
  }

  #expected(): SeriesFigures & Pick<SeriesContents, 'normalisedBy'> {
    const { vintages, stated, implied } = this.#contents;
    const frequency = stated.frequency ?? implied.frequency ?? '';
    const texts = new Set(frequency === '' ? vintages.map(({ dates }) => dates) : []);
    const days = [...texts].flatMap((text) => parseDateSet(text).days());
    return {
      observationCount: this.#observations,
      dateCount: this.#dates,
      factCount: this.#facts,
      firstVintage: vintages[0]?.asOf ?? '',
      lastVintage: vintages.at(-1)?.asOf ?? '',
      spacing: frequency === '' ? frequencyOf(days) : '',
      vintageKind: kindsText(vintages.map(({ kind }) => kindOf(kind, stated.vintageKind))),
      normalisedBy: frequency,
    };
  }

  #fault({ date, asOf, value }: KeptChange, fault: string): void {
    this.#faults.push(`${date} as of ${asOf} (${value ?? 'withdrawn'}) ${fault}`);
  }
}

function shown(value: string | number): string {
  return value === '' ? 'empty' : String(value);
}
