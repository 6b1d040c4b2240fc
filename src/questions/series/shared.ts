import { argument, type BoundValues } from '../../answering/question.ts';
import { likelyUnits } from '../../answering/series-ids.ts';
import {
  isComparison,
  type Transformation,
  transformationChoices,
  type Units,
} from '../../domain/series/transformation.ts';
import type { Day } from '../../domain/values/date.ts';
import { Problem, refused } from '../../errors/problem.ts';
import { listed } from '../../errors/wording.ts';
import type { Naming, Operation } from '../../operations/operation.ts';
import { type Known, oldest, type Params, param, type QueryParams } from '../../operations/param.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import {
  choice,
  flag,
  integer,
  isInstant,
  type NamedValues,
  seriesId,
  seriesIds,
  text,
  type Value,
  type Version,
} from '../../operations/value.ts';

/** Says in a note what to compare where levels of two units or base years stand side by side. */
export function growthInstead(naming: Naming): string {
  return `compare growth rates, not levels (${naming.param('units', 'pch')})`;
}

/** The argument of a question about one series. */
export const oneSeries = argument('id', seriesId, 'The id of the series, such as GDP.', {
  flags: [],
  args: [{ name: 'id', complete: 'ids' }],
  read: (line) => line.arg(0).toUpperCase(),
});

/** The only argument of a question about one series; editors show its label. */
export const ofOneSeries: readonly [id: typeof oneSeries] = [oneSeries];

const severalIds = argument(
  'ids',
  seriesIds,
  'The ids of the series; one with * means every series whose id matches, and CPIAUCSL:yoy a series in its own units.',
);

/** Makes the argument of a question about several series; `read` returns the typed ids. */
export function severalSeries(read: (line: TypedLine) => readonly string[]) {
  const typedId = {
    name: 'id',
    complete: 'ids',
    about: 'series ids, or a quoted pattern with *; GDP:saar in units of its own',
    several: true,
  } as const;
  return { ...severalIds, orOne: true, typed: { flags: [], args: [typedId], read } } as const;
}

/** The argument of a question about several series. */
export type SeriesArgument = ReturnType<typeof severalSeries>;

/** Makes the only argument of a question about several series; editors show its label. */
export function ofSeveralSeries(...args: Parameters<typeof severalSeries>): readonly [ids: SeriesArgument] {
  return [severalSeries(...args)];
}

/** The order of the rows; the newest comes first by default. */
export const sortParam = param(choice(['desc', 'asc']), 'Newest (desc) or oldest (asc) first.', undefined, {
  placeholder: 'order',
  help: { about: 'newest or oldest first', choices: ['desc', 'asc'], fallback: 'desc' },
});

/** Whether ids that no series has are left out. */
export const skipMissing = param(flag, 'Skip unknown ids, with a note.', undefined, {
  help: { group: 'Output' },
});

const { units, frequencies, aggregates } = transformationChoices;

/** One of the units; a refusal says which is likely meant. */
const unitsValue: Value<Units> = {
  ...choice(units),
  check: (value, name) => (isUnits(value) ? value : refuseUnits(value, name)),
  parse: (given, name) => (isUnits(given) ? given : refuseUnits(given, name)),
};

function isUnits(value: unknown): value is Units {
  return units.some((one) => one === value);
}

function refuseUnits(value: unknown, param: string): never {
  const meant = likelyUnits(String(value));
  const others = units.filter((one) => meant?.names.includes(one) !== true);
  const hint = meant === undefined ? '' : `${listed(meant.names, 'or')} (${meant.about}), or one of `;
  throw refused({ param, value, reason: `use ${hint}${others.join(', ')}` });
}

/** Parameters of a transformation, computed within one vintage. */
export const unitsParams = {
  units: param(
    unitsValue,
    'Growth (yoy, mom, qoq, saar), a change or a logarithm, computed within one vintage by the formulas of FRED.',
    undefined,
    {
      placeholder: 'units',
      help: {
        about: 'growth: yoy, mom, qoq, saar … (asof help units)',
      },
    },
  ),
  digits: param(integer(0, 20), 'Decimal places of computed values (default: as FRED).', undefined, {
    help: { group: 'Output' },
  }),
  frequency: param(choice(frequencies), 'A coarser frequency, to which values are aggregated.', undefined, {
    placeholder: 'frequency',
    help: {
      about: 'one value for each period',
      choices: frequencies,
    },
  }),
  aggregate: param(choice(aggregates), 'Average, sum, or the value at the end of a period.', undefined, {
    placeholder: 'method',
    help: {
      about: 'value of a period',
      choices: aggregates,
      fallback: aggregates[0],
    },
  }),
  partial: param(flag, 'Include incomplete periods of a frequency.', undefined),
} satisfies Params;

/** Parameters for the newest rows, or for a page that continues another. */
export const extentParams = {
  limit: param(integer(1), 'Maximum rows, the newest.', undefined),
  ...oldest,
  cursor: param(text, 'Cursor of the page to continue from.', undefined, {
    placeholder: 'cursor',
    help: { group: 'Output' },
  }),
} satisfies Params;

/** Returns the values of an operation's parameters, without paging. */
export function ownValues({ params }: Operation, values: NamedValues): QueryParams {
  const { limit: _limit, cursor: _cursor, ...own } = params;
  return Object.fromEntries(
    Object.keys(own).flatMap((name) => {
      const value = values[name];
      if (value === undefined) return [];
      return [[name, typeof value === 'number' ? value : String(value)]];
    }),
  );
}

/** Returns what a file with notes says about an as-of date or an instant, and values of parameters. */
export function aboutAsOf(asOf: Version = 'latest', params: QueryParams = {}) {
  const named = Object.entries(params).map(([name, value]) => ['Parameter', `${name}: ${value}`] as const);
  const day = asOf === 'latest' ? 'the newest vintage' : asOf;
  return [isInstant(asOf) ? (['Known at', asOf] as const) : (['As of', day] as const), ...named];
}

/** Returns values with an as-of date or an instant. Default: `day`. */
export function boundAsOf<V extends Known>(values: V, day: Day): BoundValues<V> {
  const { known_at } = values;
  if (known_at !== undefined)
    return { values, days: [['known_at', known_at]], asOf: known_at.slice(0, 10), words: [] };
  const { as_of = day } = values;
  const words = values.as_of === undefined ? ['--as-of', day] : [];
  return { values: { ...values, as_of }, days: [['as_of', as_of]], asOf: as_of, words };
}

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

/** Returns a check that refuses a second frequency on another day: its results cannot be compared. */
export function oneFrequency(id: string, { units }: Transformation) {
  let first: { readonly day: Version; readonly frequency: string } | undefined;
  return (day: Version, frequency: string): void => {
    if (frequency === '') return;
    first ??= { day, frequency };
    if (first.frequency === frequency) return;
    // `latest` sorts after every day.
    const inOrder = [first, { day, frequency }].sort((a, b) => (a.day < b.day ? -1 : 1));
    const [one, other] = inOrder.map(
      (known) => `${known.frequency} ${known.day === 'latest' ? 'now' : `as of ${known.day}`}`,
    );
    throw new Problem(
      'bad-input',
      `judging by its dates, ${id} is ${one} and ${other}, so the ${units} of the two cannot be compared`,
      { field: 'units', hints: ['import a metadata file that states the frequency'] },
    );
  };
}
