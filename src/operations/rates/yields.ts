import {
  type CurvePoint,
  type CurveType,
  curveTypes,
  firstDayOf,
  type Maturity,
  maturitiesOf,
  monthsOf,
} from '../../domain/treasury/curve.ts';
import { spreadInBasisPoints } from '../../domain/values/arithmetic.ts';
import { weekendDay } from '../../domain/values/date.ts';
import { refused } from '../../errors/problem.ts';
import { listed } from '../../errors/wording.ts';
import { defined } from '../../platform/defined.ts';
import type { RatePair, StoreView } from '../../store/store.ts';
import type { ChartMark, Drawing } from '../drawing.ts';
import type { Cell, Row } from '../envelope.ts';
import { type Envelope, pageOf } from '../envelope.ts';
import { extension, field, type RowFrom } from '../field.ts';
import { operation } from '../operation.ts';
import { dayRange, oldest, type ParamTexts, paging, param, textOf, without } from '../param.ts';
import type { NamedValues } from '../value.ts';
import { choice, day } from '../value.ts';

const maturities = maturitiesOf('PAR');

const curveTypeParam = param(choice(curveTypes), 'Curve type.', 'PAR', {
  flag: 'type',
  bounds: { field: 'curve_type', is: 'equal' },
});

function maturityParam<const F extends Maturity | undefined>(
  description: string,
  fallback: F,
  field: string,
) {
  const bounds = { field, is: 'equal' } as const;
  return param(choice(maturities), description, fallback, { bounds, placeholder: 'maturity' });
}

function checkMaturities(curveType: CurveType, asked: Readonly<Record<string, Maturity | undefined>>): void {
  const known = maturitiesOf(curveType);
  for (const [param, value] of Object.entries(asked))
    if (value !== undefined && !known.includes(value))
      throw refused({ param, value, reason: `${curveType} has ${known.join(', ')}` });
}

const rateFields = [
  field('trade_date', 'day', 'Date of the curve.'),
  field('maturity', 'text', 'Maturity label.', { choices: maturities }),
  field('rate', 'decimal', 'Rate in percent, exact decimal.'),
  field('curve_type', 'text', 'PAR or TIPS.', { choices: curveTypes }),
  field('source', 'text', 'Name of the data source.', { mayLack: true }),
] as const;

const ofCurve = {
  members: ['covered_to'],
  subject: 'the {curve_type} curve',
  knownBy: 'trade_date',
  coveredTo: ({ curve_type }: { readonly curve_type: CurveType }, view: StoreView) =>
    view.rates.coveredTo(curve_type),
} as const;

/** What the listings of rates share, newest trade date first. */
const listing = { ...ofCurve, extra: oldest, boundBy: 'to' } as const;

const byMaturity = { field: 'maturity', rank: monthsOf } as const;

/** The treasury curve of a day. Default: the newest one. */
export const curve = operation({
  ...ofCurve,
  name: 'curve',
  command: {
    words: 'curve',
    heading: 'Treasury rates',
    examples: `
# the curve of a day
asof curve --date 2024-03-28
# the newest curve up to a Sunday
asof curve --date 2024-03-31 --on-or-before
# two days compared, in basis points
asof curve --date 2023-10-19 --vs 2020-03-09
# the same as a chart
asof curve --date 2023-10-19 --vs 2020-03-09 --plot
`,
  },
  summary: 'Show the treasury yield curve of a day',
  description:
    'One row for each maturity, shortest first. With `date` the curve of exactly that day, and no rows if there was none; without it the newest curve on or before today.',
  path: '/v1/treasury/yields/curve',
  object: 'yield_curve',
  inContract: true,
  params: {
    date: param(day, 'Trade date; no rows if that day has no curve.', undefined, {
      bounds: { field: 'trade_date', is: 'equal' },
    }),
    curve_type: curveTypeParam,
  },
  fields: rateFields,
  columns: ['trade_date', 'maturity', 'rate', 'curve_type', 'source'],
  example: { date: '2025-12-31', curve_type: 'PAR' },
  boundBy: 'date',
  order: [byMaturity],
  identity: ['maturity'],
  contradiction: ({ trade_date: day }, before) =>
    before === undefined || before.trade_date === day
      ? undefined
      : `.trade_date is ${day}, but ${before.trade_date} in the row before: a curve is of one day`,
  dependsOnToday: ({ date }) => date === undefined,
  async run({ date, curve_type }, { view, clock }) {
    const points = await view.rates.curve({
      curveType: curve_type,
      date: date ?? clock.today,
      onOrBefore: date === undefined,
    });
    return { rows: points.map(rateRow) };
  },
});

/** The rate of a maturity on a curve. */
export type RateRow = RowFrom<(typeof rateFields)[number]>;

function rateRow({ tradeDate, maturity, rate, curveType, source }: CurvePoint) {
  return { trade_date: tradeDate, maturity, rate, curve_type: curveType, source };
}

async function reasonWithoutRates(
  maturities: readonly string[],
  texts: ParamTexts,
  ask: (texts: ParamTexts) => Promise<Envelope<{ readonly trade_date: string }>>,
): Promise<string> {
  const [from, to] = ['from', 'to'].map((name) => textOf(texts, name));
  const unbounded = ['from', 'to', 'limit', 'cursor'].reduce(without, texts);
  const newestUpTo = async (day?: string): Promise<unknown> => {
    const bound: ParamTexts = day === undefined ? [] : [['to', day]];
    return (await ask([...unbounded, ...bound, ['limit', '1']])).results[0]?.trade_date;
  };
  // Such as ` of 4M` or ` of 10Y and 2Y`.
  const named = maturities.length === 0 ? '' : ` of ${maturities.join(' and ')}`;
  const curveType = textOf(texts, 'curve_type') === 'TIPS' ? 'TIPS' : 'PAR';
  const rates = `${curveType} rate${named}`;
  const newest = await newestUpTo();
  if (typeof newest !== 'string') return `no ${rates} is stored`;
  if (from !== undefined && from > newest) return `the newest ${rates} is from ${newest}`;
  const weekend = from === undefined || from !== to ? undefined : weekendDay(from);
  if (weekend !== undefined) return `${from} was a ${weekend}`;
  const before = await newestUpTo(to);
  if (typeof before === 'string') return `the newest ${rates} up to ${to} is from ${before}`;
  // The Treasury began to publish some maturities later.
  const begun = maturities.flatMap((asked) => {
    const first = firstDayOf(curveType, asked);
    return first === undefined ? [] : [`; ${asked} begins on ${first}`];
  });
  return `no ${rates} is stored up to ${to}${begun.join('')}`;
}

/** Treasury rates over time, newest trade date first, then shortest maturity. */
export const yields = operation({
  ...listing,
  name: 'yields',
  command: {
    words: 'yields',
    heading: 'Treasury rates',
    examples: `
# the ten-year rate of one week
asof yields --maturity 10Y --from 2008-09-12 --to 2008-09-18
# real rates, one column per maturity, into a file
asof yields --type tips --wide --from 2022-01-01 -o tips.csv
`,
  },
  summary: 'Show treasury rates over time, for one maturity or all',
  description: 'Newest trade date first, then shortest maturity. Treasury rates are not revised.',
  path: '/v1/treasury/yields',
  object: 'yield_series',
  params: {
    maturity: maturityParam('Maturity label, such as 10Y (default: all).', undefined, 'maturity'),
    curve_type: curveTypeParam,
    ...dayRange('trade date', 'trade_date'),
    ...paging,
  },
  fields: rateFields,
  columns: ['trade_date', 'maturity', 'rate', 'curve_type', 'source'],
  example: { maturity: '10Y', curve_type: 'PAR', from: '2025-12-01', to: '2025-12-31', limit: '1' },
  order: [{ field: 'trade_date', falling: true }, byMaturity],
  identity: ['trade_date', 'maturity'],
  check: ({ maturity, curve_type }) => checkMaturities(curve_type, { maturity }),
  whyEmpty(texts, ask): Promise<string> {
    const maturities = [textOf(texts, 'maturity')].flatMap((maturity) => maturity ?? []);
    return reasonWithoutRates(maturities, texts, (asked) => ask(yields, asked));
  },
  drawing: yieldsDrawing,
  async run({ maturity, curve_type, from, to, limit }, { view, position }) {
    const [date, after] = position?.key ?? [];
    const found = await view.rates.yields({
      curveType: curve_type,
      limit: limit + 1,
      ...defined({ maturity, from, to }),
      ...(date !== undefined && after !== undefined && { after: { tradeDate: date, maturity: after } }),
    });
    return pageOf(found, limit, rateRow, ({ tradeDate, maturity }) => ({ key: [tradeDate, maturity] }));
  },
});

/** The difference between two treasury rates, newest trade date first; only days that have both. */
export const spread = operation({
  ...listing,
  name: 'spread',
  command: {
    words: 'spread',
    heading: 'Treasury rates',
    examples: `
# ten years minus two years
asof spread --long 10Y --short 2Y --from 2019-08-26 --to 2019-08-30
# the days on which the curve was inverted
asof spread --long 10Y --short 3M --from 2019-01-01 --to 2019-12-31 --csv | awk -F, '$4 < 0'
`,
  },
  summary: 'Show the difference between two treasury rates over time',
  description: 'Newest trade date first; only days that have both rates. In basis points, with two decimals.',
  path: '/v1/treasury/yields/spread',
  object: 'yield_spread',
  params: {
    long: maturityParam('The maturity to compare.', '10Y', 'long_maturity'),
    short: maturityParam('The maturity to compare it with.', '2Y', 'short_maturity'),
    curve_type: curveTypeParam,
    ...dayRange('trade date', 'trade_date'),
    ...paging,
  },
  fields: [
    field('trade_date', 'day', 'Date of the curve.'),
    field('long_rate', 'decimal', 'Rate of the long maturity in percent.'),
    field('short_rate', 'decimal', 'Rate of the short maturity in percent.'),
    field('spread_bps', 'decimal', 'Long rate minus short rate, in basis points.'),
    field('long_maturity', 'text', 'Maturity label.', { choices: maturities }),
    field('short_maturity', 'text', 'Maturity label.', { choices: maturities }),
    extension('curve_type', 'text', 'PAR or TIPS.', { choices: curveTypes }),
    extension('source', 'text', 'Name of the data source; of two, each.'),
  ],
  columns: ['trade_date', 'long_rate', 'short_rate', 'spread_bps', 'long_maturity', 'short_maturity'],
  example: { long: '10Y', short: '2Y', curve_type: 'PAR', from: '2025-12-01', to: '2025-12-31', limit: '1' },
  order: [{ field: 'trade_date', falling: true }],
  identity: ['trade_date'],
  contradiction({ long_rate, short_rate, spread_bps }) {
    // The second decimal of a basis point may be rounded.
    const points = (Number(long_rate) - Number(short_rate)) * 100;
    return Math.abs(points - Number(spread_bps)) < 0.0051
      ? undefined
      : `.spread_bps is "${spread_bps}", but ${long_rate} less ${short_rate} is ${points.toFixed(2)} basis points`;
  },
  rowTests: {
    // The contract's row does not say its type.
    curve_type: {
      field: 'curve_type',
      met: (row, { curve_type }) => (row.curve_type ?? 'PAR') === curve_type,
    },
  },
  check: ({ long, short, curve_type }) => checkMaturities(curve_type, { long, short }),
  whyEmpty(texts, ask): Promise<string> {
    const maturities = [textOf(texts, 'long') ?? '10Y', textOf(texts, 'short') ?? '2Y'];
    return reasonWithoutRates(maturities, texts, (asked) => ask(spread, asked));
  },
  drawing: spreadDrawing,
  async run({ long, short, curve_type, from, to, limit }, { view, position }) {
    const before = position?.key[0];
    const found = await view.rates.spread({
      curveType: curve_type,
      long,
      short,
      limit: limit + 1,
      ...defined({ from, to, before }),
    });
    const row = (pair: RatePair) => ({
      trade_date: pair.tradeDate,
      long_rate: pair.long,
      short_rate: pair.short,
      spread_bps: spreadInBasisPoints(pair.long, pair.short),
      long_maturity: long,
      short_maturity: short,
      curve_type,
      source: pair.source,
    });
    return pageOf(found, limit, row, ({ tradeDate }) => ({ key: [tradeDate] }));
  },
});

const mostWatched: ReadonlySet<unknown> = new Set<Maturity>(['3M', '2Y', '5Y', '10Y', '30Y']);

/** Lists the maturities to draw. Default: of nominal curves the most watched ones. */
function drawnMaturities({ maturity, curve_type: type = 'PAR' }: NamedValues): readonly Maturity[] {
  return maturitiesOf(type === 'TIPS' ? 'TIPS' : 'PAR').filter((name) =>
    maturity === undefined ? type !== 'PAR' || mostWatched.has(name) : name === maturity,
  );
}

/** Draws treasury rates over time, from rows with one maturity each. */
function yieldsDrawing(values: NamedValues): Drawing {
  const drawn: ReadonlySet<unknown> = new Set(drawnMaturities(values));
  return ratesDrawing(values, (row) =>
    drawn.has(row.maturity) ? [dayMark(row, row.maturity, row.rate, 'Percent')] : [],
  );
}

/** Draws treasury rates from rows with a column for each maturity. */
export function yieldTableDrawing(values: NamedValues): Drawing {
  const drawn = drawnMaturities(values);
  return ratesDrawing(values, (row) => drawn.map((name) => dayMark(row, name, row[name], 'Percent')));
}

/** Draws the difference between two treasury rates over time. */
function spreadDrawing(values: NamedValues): Drawing {
  return ratesDrawing(values, (row) => {
    const name = `${row.long_maturity} less ${row.short_maturity}`;
    return [{ ...dayMark(row, name, row.spread_bps, 'Basis points'), line: 'spread' }];
  });
}

function ratesDrawing({ curve_type }: NamedValues, marks: Drawing['marks']): Drawing {
  return {
    axis: 'day',
    words: ({ lines }) => ({
      title: [curveName(curve_type), ...(lines.length === 0 ? [] : [listed(lines, 'and')])].join(': '),
      subtitle: [],
    }),
    marks,
  };
}

function dayMark({ trade_date }: Row, name: unknown, value: Cell = null, unit: string): ChartMark {
  const label = String(name);
  return { line: label, label, unit, frequency: 'D', at: String(trade_date), value };
}

function curveName(type: unknown): string {
  return type === 'TIPS' ? 'Treasury real yield curve (TIPS)' : 'Treasury par yield curve';
}

/** Draws one or two curves over their maturities. */
export function curveDrawing({ curve_type }: { readonly curve_type: CurveType | undefined }): Drawing {
  const title = curveName(curve_type);
  return {
    axis: 'maturity',
    words: ({ lines }) => ({ title, subtitle: lines.length === 0 ? [] : [lines.join(' and ')] }),
    marks: (row) => [
      ...marksOf(row, 'rate', row.trade_date, row.rate),
      ...marksOf(row, 'vs_rate', row.vs_trade_date, row.vs_rate),
    ],
  };
}

function marksOf(
  { maturity }: Row,
  line: string,
  day: Cell | undefined,
  rate: Cell | undefined,
): readonly ChartMark[] {
  if (typeof day !== 'string') return [];
  return [{ line, label: day, unit: 'Percent', frequency: '', at: String(maturity), value: rate ?? null }];
}
