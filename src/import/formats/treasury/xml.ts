import { type Day, parseDay } from '../../../domain/series/date.ts';
import { parseDecimal } from '../../../domain/series/decimal.ts';
import { type CurveMaturity, type CurvePoint, curveMaturity } from '../../../domain/treasury/curve.ts';
import { Problem } from '../../../errors/problem.ts';
import { allBytes, type FilePlace, limits, refusal, type SourceFile } from '../../files/source-file.ts';
import { isNode, listOf, parseXml, textOf, type XmlDocument, type XmlNode } from '../../readers/xml.ts';
import type { Batch, ImportFormat, ReadOptions } from '../format.ts';
import { CurveChecks } from './curve-checks.ts';

const source = 'U.S. Treasury';

/** `BC_1MONTH`, `BC_1_5MONTH`, `BC_30YEAR` of the par curve, `TC_10YEAR` of the real one. */
const rateName = /^(BC|TC)_(\d+(?:_5)?)(MONTH|YEAR)$/;

/** The 30-year rate a second time, for display. */
const displayName = 'BC_30YEARDISPLAY';

/**
 * Treasury's XML feed of daily curves, nominal (`BC_…`) and real (`TC_…`). An entry without rates is a day without a
 * curve, such as Columbus Day of 2010. An incomplete feed and rates that no curve can have are refused.
 */
export const treasuryXml: ImportFormat = {
  kind: 'treasury-xml',
  summary: ['daily par or real yield curve of the U.S. Treasury', ' (XML feed)'],
  source,
  recognise: (head) =>
    /^\s*(?:<\?xml[^>]*>\s*)?<feed\b/.test(head) &&
    /DailyTreasury(?:Real)?YieldCurveRateDat|<(?:\w+:)?[BT]C_\d/.test(head),
  read: readFeed,
};

/** The properties of an entry on a day without a curve, and what the reader adds. */
const plainName = /^(?:Id|NEW_DATE|BC_30YEARDISPLAY|[#@].*)$/;

/** The refusal of a feed because of one of its elements, with the line on which the element begins. */
type RefuseElement = (element: unknown, place: FilePlace, reason: string) => Problem;

async function* readFeed(file: SourceFile, options: ReadOptions): AsyncGenerator<Batch> {
  const { onRefused } = options;
  const checks = new CurveChecks(file, options);
  const { root, lineOf } = await parseXml(file, await allBytes(file.path, await file.open(), limits.xml), [
    'entry',
  ]);
  if (!isNode(root.feed)) throw refusal(file, {}, 'this XML is not a feed');
  const entries = listOf(root.feed.entry);
  if (entries.length === 0) throw refusal(file, {}, 'the feed has no entry');
  const refuse: RefuseElement = (element, place, reason) => {
    const row = lineOf(element);
    return refusal(file, row === undefined ? place : { ...place, row }, reason);
  };
  const days = entries.flatMap((entry) => {
    try {
      return daysOf(entry, refuse, checks, lineOf);
    } catch (error) {
      if (onRefused === undefined || !(error instanceof Problem)) throw error;
      onRefused(error, dayIn(entry));
      return [];
    }
  });
  checks.checkDates(new Set(days.map(({ tradeDate }) => tradeDate)));
  const empty = days.filter(({ points }) => points.length === 0);
  yield {
    points: days.flatMap(({ points }) => points),
    ...(checks.skippedDays.length > 0 && { skippedDays: checks.skippedDays }),
    ...(empty.length > 0 && {
      notes: empty.map(({ tradeDate }) => `${tradeDate} has no rates: a day without a curve`),
    }),
  };
}

/** The rates of an entry; none for a day without a curve. */
type FeedDay = { readonly tradeDate: Day; readonly points: readonly CurvePoint[] };

function propertiesOf(entry: unknown): XmlNode | undefined {
  const content = isNode(entry) ? entry.content : undefined;
  const properties = isNode(content) ? content.properties : undefined;
  return isNode(properties) ? properties : undefined;
}

function dayIn(entry: unknown): Day | undefined {
  return dayStated(textOf(propertiesOf(entry)?.NEW_DATE) ?? '');
}

/** The day of an entry; none for a day that the user skips. */
function daysOf(
  entry: unknown,
  refuse: RefuseElement,
  checks: CurveChecks,
  lineOf: XmlDocument['lineOf'],
): readonly FeedDay[] {
  const properties = propertiesOf(entry);
  if (properties === undefined) throw refuse(entry, {}, 'an entry without properties');
  const tradeDate = dateOf(properties, refuse);
  if (checks.skips(tradeDate)) return [];
  const place = (): FilePlace => {
    const row = lineOf(properties);
    return row === undefined ? {} : { row };
  };
  const rates = Object.entries(properties).filter(([name]) => /^[BT]C_/.test(name) && name !== displayName);
  if (rates.length === 0 && Object.keys(properties).some((name) => !plainName.test(name)))
    throw refuse(entry, {}, 'an entry without BC_… or TC_… rates');
  const points = rates.flatMap(([column, element]): CurvePoint[] => {
    const found = maturityNamed(column);
    if (found === undefined) throw refuse(element, { column }, 'not a maturity that asof knows');
    const rate = rateOf(column, element, refuse);
    if (rate === undefined) return [];
    const point = { ...found, tradeDate, rate, source };
    checks.checkPoint(point, () => ({ ...place(), column, value: rate }));
    return [point];
  });
  checks.checkRates(points, place);
  return [{ tradeDate, points }];
}

function dateOf(properties: XmlNode, refuse: RefuseElement): Day {
  const value = textOf(properties.NEW_DATE) ?? '';
  const day = dayStated(value);
  if (day !== undefined) return day;
  throw refuse(properties, { column: 'NEW_DATE', value }, 'not a date of the form YYYY-MM-DDT00:00:00');
}

function dayStated(value: string): Day | undefined {
  const [, date = ''] = /^(\d{4}-\d{2}-\d{2})(?:T00:00:00(?:\.0+)?Z?)?$/.exec(value) ?? [];
  return parseDay(date);
}

/** The rate as published; undefined if the feed states that there is none. */
function rateOf(column: string, element: unknown, refuse: RefuseElement): string | undefined {
  const [first, second] = listOf(element);
  if (second !== undefined) throw refuse(first, { column }, 'the element appears twice in one entry');
  if (isNode(element) && element['@_null'] === 'true') return undefined;
  const value = textOf(element);
  if (value === '') return undefined;
  if (value === undefined) throw refuse(element, { column }, 'elements instead of a rate');
  const rate = parseDecimal(value);
  if (rate === undefined) throw refuse(element, { column, value }, 'not a rate');
  return rate;
}

function maturityNamed(name: string): CurveMaturity | undefined {
  const [, prefix, count = '', unit = ''] = rateName.exec(name) ?? [];
  return curveMaturity(prefix === 'TC' ? 'TIPS' : 'PAR', count.replace('_', '.'), unit);
}
