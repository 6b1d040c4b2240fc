import type { Demands } from '../analysis/basis.ts';
import { beyondChoices } from '../analysis/query.ts';
import { rhythms } from '../domain/series/date.ts';
import { checkRange } from '../operations/params.ts';
import { asOfDay, choice, day, flag, integer, type NamedValues, oneOrDays } from '../operations/value.ts';
import { demandKinds, described, type Kinds, ofSeveralIds, skipMissing } from './arguments.ts';
import type { Signature } from './call.ts';
import { checkPanel, type PanelParams } from './panel-params.ts';
import { unitsKinds } from './units-params.ts';

const range = { from: described('First date.', day), to: described('Last date.', day) };

type SignatureParams = NonNullable<Signature['params']>;

/** The parameters of the method of an analysis: its own with their kinds, a check of them, and the demands. */
function params<T>(
  kinds: Kinds<Omit<T, keyof Demands>>,
  required: readonly string[] = [],
  check?: (values: NamedValues) => void,
): SignatureParams {
  return {
    noun: 'parameter',
    kinds: { ...kinds, ...demandKinds },
    required,
    check(values) {
      const { from, to } = values;
      if (typeof from === 'string' && typeof to === 'string') checkRange(from, to);
      check?.(values);
    },
  };
}

const ids = { name: 'ids', kind: ofSeveralIds };

/** What the methods of the analyses take. */
export const analysisSignatures = {
  panel: {
    name: 'panel',
    about:
      'Several series side by side as known on one day. With `asOfEach`, the newest value of each series that was known on each day of a rhythm: a panel for backtests, without look-ahead.',
    args: [ids],
    params: params<PanelParams>(
      {
        ...range,
        asOf: asOfDay,
        asOfEach: described(
          'The as-of dates: those of a rhythm from `from` to `to`, or a list of dates.',
          oneOrDays(rhythms),
        ),
        knownBeforeEach: described('Shows what was known before each of the as-of dates.', flag),
        last: described('How many of the newest observations each as-of date shows.', integer(1, 1000)),
        lag: described('How many of the newest observations are skipped.', integer(0, 1000)),
        beyond: described('What as-of dates after the coverage of a series show.', choice(beyondChoices)),
        withDates: described('With `wide`, also the observation date of each value.', flag),
        wide: described('One column for each series.', flag),
        sort: described('Newest (desc) or oldest (asc) first.', choice(['asc', 'desc'])),
        skipMissing,
        ...unitsKinds,
      },
      [],
      checkPanel,
    ),
  },
} as const satisfies Readonly<Record<string, Signature>>;
