import type { Ask } from '../../answering/answer.ts';
import { eachOf } from '../../answering/composed.ts';
import type { ResolvedSeries } from '../../answering/series-ids.ts';
import { addDays, type Day } from '../../domain/series/date.ts';
import { decimalsOf, sameNumber } from '../../domain/series/decimal.ts';
import { Exact } from '../../domain/series/exact-values.ts';
import { groupBy } from '../../domain/series/groups.ts';
import { PublishedValues } from '../../domain/series/look-ahead.ts';
import { knownValue } from '../../domain/series/newest-values.ts';
import type { Transformation } from '../../domain/series/transformation.ts';
import type { Beyond, PanelPoint } from '../series/panel-rows.ts';
import { type HistoryOnDays, historyOnDays, noteKnown } from '../series/real-time-panel.ts';

/** A column that is checked, and the column of the dates of its values if the file has one. */
export type Checked = {
  readonly place: number;
  readonly name: string;
  readonly series: ResolvedSeries;
  readonly lag: number;
  readonly dates: number | undefined;
};

type Knowing = {
  readonly strict: boolean | undefined;
  readonly beyond: Beyond;
  readonly transformation: Transformation | undefined;
};

/** How a value compares with what was known on its day. */
export type CheckKind = 'ahead' | 'before' | 'beyond' | 'known' | 'never' | 'newer' | 'old';

type Judgement = {
  readonly known: string | null;
  readonly known_date: Day | null;
  readonly first_known: Day | null;
  readonly value_date: Day | null;
  readonly kind: CheckKind;
};

/** A column of a table, which knows what was known of its series on each day. */
export type KnownColumn = Checked & {
  /** Whether every vintage that it is compared with is a publication. */
  readonly isExact: boolean;
  /** Compares a value, of a date if the file has one, with what was known on a day. */
  readonly judge: (value: string, day: Day, date: Day | undefined) => Judgement;
};

type ColumnHistory = {
  readonly lag: number;
  readonly points: ReadonlyMap<Day, PanelPoint>;
  readonly beyond: ReadonlySet<Day>;
  readonly history: HistoryOnDays;
  /** Every value ever published, read when the first value is not what was known. */
  values?: PublishedValues;
};

/** Reads what was known of the series of columns on days, one history for each series. */
export async function knownColumns(
  checked: readonly Checked[],
  knowing: Knowing,
  days: readonly Day[],
  counting: Ask,
): Promise<readonly KnownColumn[]> {
  const { strict, beyond, transformation } = knowing;
  const asked = [...(strict ? days.map((day) => addDays(day, -1)) : days)].sort();
  const bySeries = groupBy(checked, ({ series }) => series.id);
  const all = Array.from(bySeries, ([id, columns]) => ({ id, columns }));
  const done = await eachOf(all, counting, async ({ id, columns }) => {
    const [{ series } = { series: { id } }] = columns;
    const last = Math.max(...columns.map(({ lag }) => lag)) + 1;
    const history = await historyOnDays(series, asked, { last, beyond, transformation }, counting);
    return { history, columns };
  });
  await noteKnown(
    done.map(({ history }) => history),
    asked,
    counting,
  );
  const columns = done.flatMap(({ history, columns: own }) =>
    own.map((one) => knownColumn(one, history, knowing)),
  );
  return columns.sort((a, b) => a.place - b.place);
}

/** How many findings of a column are kept for later rows. */
const mostFound = 100_000;

function knownColumn(one: Checked, history: HistoryOnDays, knowing: Knowing): KnownColumn {
  const { points } = history.columns[one.lag] ?? { points: new Map() };
  const { beyondCoverage, kinds } = history.placed;
  const known: ColumnHistory = { lag: one.lag, points, beyond: new Set(beyondCoverage), history };
  const judgements = new Map<string, Judgement>();
  return {
    ...one,
    isExact: [...kinds.values()].every((kind) => kind === 'exact'),
    judge(value, day, date) {
      const key = `${day} ${value} ${date ?? ''}`;
      const found = judgements.get(key) ?? judged(known, value, day, date, knowing);
      // The number is bounded, so that a file with another value in each row does not fill memory.
      if (judgements.size > mostFound) judgements.clear();
      judgements.set(key, found);
      return found;
    },
  };
}

/** After every day: a value that only a later vintage has is one that was known too early. */
const latest: Day = '~';

function judged(
  column: ColumnHistory,
  given: string,
  day: Day,
  date: Day | undefined,
  { strict, transformation }: Knowing,
): Judgement {
  const asOf = strict ? addDays(day, -1) : day;
  const nothing = { known: null, known_date: null, first_known: null, value_date: null };
  if (column.beyond.has(asOf)) return { ...nothing, kind: 'beyond' };
  const { vintages, transformers } = column.history;
  const newest = column.points.get(asOf);
  const isComputable = transformers === undefined || transformers.on(asOf) !== undefined;
  const dated =
    date === undefined || !isComputable
      ? undefined
      : knownValue(vintages.on(asOf), date, transformers?.on(asOf));
  const known = date === undefined ? newest : dated && { ...dated, asOfDate: dated.asOf };
  const beside = { known: known?.value ?? null, known_date: known?.date ?? null };
  // A computed growth rate may have more digits than the published one.
  const value =
    transformation === undefined || known?.value === undefined ? given : roundedText(given, known.value);
  const isLagged = column.lag > 0;
  if (known?.value !== undefined && sameNumber(value, known.value)) {
    const kind = isLagged && (known.date ?? '') > (newest?.date ?? '') ? 'newer' : 'known';
    return { ...beside, first_known: known.asOfDate ?? null, value_date: beside.known_date, kind };
  }
  column.values ??= new PublishedValues(vintages, transformers?.on(latest));
  const { kind, published } = column.values.placed(value, {
    day: asOf,
    newest: newest?.date,
    isLagged,
    date,
  });
  return { ...beside, first_known: published?.asOf ?? null, value_date: published?.date ?? null, kind };
}

/** A number rounded half to even to the decimals of another, if it has more of them. */
function roundedText(text: string, like: string): string {
  const decimals = decimalsOf(like);
  return decimalsOf(text) <= decimals ? text : new Exact(text).toFixed(decimals, Exact.ROUND_HALF_EVEN);
}
