import type { Demands } from '../analysis/basis.ts';
import {
  beyondChoices,
  type VintagesQuery,
  type YieldCurveQuery,
  type YieldTableQuery,
} from '../analysis/query.ts';
import { curve, vintages, yields } from '../operations/index.ts';
import { checkRange } from '../operations/params.ts';
import {
  asOfDay,
  choice,
  day,
  flag,
  integer,
  type NamedValues,
  record,
  versions,
  word,
} from '../operations/value.ts';
import {
  demandKinds,
  described,
  extentKinds,
  type Kinds,
  kindsOf,
  type Optional,
  ofOneSeries,
  ofSeveralIds,
  skipMissing,
} from './arguments.ts';
import type { Signature } from './call.ts';
import {
  checkRevisions,
  type RevisionsParams,
  revisionsKinds,
  type VersionsParams,
  versionKinds,
} from './revision-params.ts';
import { type CheckParams, type JoinParams, tableKind } from './table-params.ts';
import { checkUnits, unitsKinds } from './units-params.ts';

/** The parameters of a curve; with `vs` it is compared with the curve of another day. */
export type CurveParams = Optional<Partial<Omit<YieldCurveQuery, 'kind'>>> & Demands;

/** The parameters of vintages. */
export type VintagesParams = Optional<Omit<VintagesQuery, 'id' | 'kind'>> & Demands;

/** The parameters of a table of yields. */
export type YieldTableParams = Optional<Omit<YieldTableQuery, 'kind'>> & Demands;

const { id: _, ...vintageKinds } = kindsOf(vintages);
const { cursor: _cursor, ...yieldKinds } = kindsOf(yields);

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

const id = { name: 'id', kind: ofOneSeries };
const ids = { name: 'ids', kind: ofSeveralIds };

function ofDays(name: string, about: string, count?: number): Signature {
  const days = described('As-of dates; latest is the newest vintage.', versions(count));
  const own = params<VersionsParams>(versionKinds, [], checkUnits);
  return { name, about, args: [ids, { name: 'days', kind: days }], params: own };
}

const table = { name: 'table', kind: tableKind };

/** What both methods about tables take; no assistant reads files by them. */
const knownKinds = {
  strict: flag,
  lag: integer(0, 1000),
  beyond: choice(beyondChoices),
  skipMissing,
  ...unitsKinds,
};

/** What the methods of the analyses take. */
export const analysisSignatures = {
  revisions: {
    name: 'revisions',
    args: [id],
    params: {
      ...params<RevisionsParams>(revisionsKinds, [], checkRevisions),
      limitsRows: ({ stats }) => stats !== true,
    },
  },
  vintages: {
    name: 'vintages',
    args: [id],
    params: params<VintagesParams>({
      ...vintageKinds,
      asOf: asOfDay,
      first: extentKinds.first,
    }),
  },
  curve: {
    name: 'curve',
    args: [],
    params: params<CurveParams>({
      ...kindsOf(curve),
      onOrBefore: described('Takes the newest curve up to the date, if there is none on it.', flag),
      vs: described('Compares with the curve of this date.', day),
    }),
  },
  yieldTable: {
    name: 'yieldTable',
    about:
      'Treasury rates with a row for each date and a column for each maturity, newest first; `limit` and `first` count dates.',
    args: [],
    params: params<YieldTableParams>({ ...yieldKinds, first: extentKinds.first }),
  },
  join: {
    name: 'join',
    args: [table, ids],
    params: params<JoinParams>(
      { ...knownKinds, on: word, withDates: flag, withAge: flag },
      ['on'],
      checkUnits,
    ),
  },
  check: {
    name: 'check',
    args: [table],
    params: params<CheckParams>({ ...knownKinds, on: word, columns: record, allRows: flag }, [], checkUnits),
  },
  compare: ofDays('compare', 'The values of series as of one day beside those as of another.', 2),
  versions: ofDays('versions', 'The values of series as of several days, with a column for each day.'),
} as const satisfies Readonly<Record<string, Signature>>;
