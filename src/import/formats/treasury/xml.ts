import { type Day, parseDay } from '../../../domain/series/date.ts';
import { parseDecimal } from '../../../domain/series/decimal.ts';
import type { CurvePoint } from '../../../domain/treasury/curve.ts';
import type { Problem } from '../../../errors/problem.ts';
import { allBytes } from '../../files/content.ts';
import { isNode, listOf, parseXml, textOf, type XmlNode } from '../../readers/xml.ts';
import { type Batch, type Format, type Place, refusal, type SourceFile } from '../format.ts';
import { type Tenor, tenorOf } from './tenor.ts';

const source = 'U.S. Treasury';

/** All years of the feed take some 13 MB. */
const largest = 64 * 2 ** 20;

/** `BC_1MONTH`, `BC_1_5MONTH`, `BC_30YEAR` of the par curve, `TC_10YEAR` of the real one. */
const rateName = /^(BC|TC)_(\d+(?:_5)?)(MONTH|YEAR)$/;

/** The 30-year rate once more, in the form for display. */
const displayName = 'BC_30YEARDISPLAY';

/** Treasury's XML feed of daily curves, nominal (`BC_…`) and real (`TC_…`); a feed that is not whole is refused. */
export const treasuryXml: Format = {
  kind: 'treasury-xml',
  summary: 'daily par or real yield curve of the U.S. Treasury (XML feed)',
  source,
  whole: false,
  takesAsOf: false,
  recognise: (head) =>
    /^\s*(?:<\?xml[^>]*>\s*)?<feed\b/.test(head) &&
    /DailyTreasury(?:Real)?YieldCurveRateDat|<(?:\w+:)?[BT]C_\d/.test(head),
  read: readFeed,
};

/** Refuses the feed for what is wrong with one of its elements, naming the line where that begins. */
type Refuse = (element: unknown, place: Place, reason: string) => Problem;

async function* readFeed(file: SourceFile): AsyncGenerator<Batch> {
  const { root, lineOf } = await parseXml(file, await allBytes(file.path, await file.open(), largest), [
    'entry',
  ]);
  if (!isNode(root.feed)) throw refusal(file, {}, 'this XML is no feed');
  const entries = listOf(root.feed.entry);
  if (entries.length === 0) throw refusal(file, {}, 'the feed is empty: it has no entry');
  const refuse: Refuse = (element, place, reason) => {
    const row = lineOf(element);
    return refusal(file, row === undefined ? place : { ...place, row }, reason);
  };
  yield { points: entries.flatMap((entry) => pointsOf(entry, refuse)) };
}

function pointsOf(entry: unknown, refuse: Refuse): readonly CurvePoint[] {
  const content = isNode(entry) ? entry.content : undefined;
  const properties = isNode(content) ? content.properties : undefined;
  if (!isNode(properties)) throw refuse(entry, {}, 'an entry without properties');
  const tradeDate = dateOf(properties, refuse);
  const rates = Object.entries(properties).filter(([name]) => /^[BT]C_/.test(name) && name !== displayName);
  if (rates.length === 0)
    throw refuse(entry, {}, 'an entry without BC_… or TC_… rates is of no par or real curve');
  return rates.flatMap(([column, element]) => {
    const tenor = tenorNamed(column);
    if (tenor === undefined) throw refuse(element, { column }, 'the element is of no tenor that asof knows');
    const rate = rateOf(column, element, refuse);
    return rate === undefined ? [] : [{ ...tenor, tradeDate, rate, source }];
  });
}

function dateOf(properties: XmlNode, refuse: Refuse): Day {
  const value = textOf(properties.NEW_DATE) ?? '';
  const [, date = ''] = /^(\d{4}-\d{2}-\d{2})(?:T00:00:00(?:\.0+)?Z?)?$/.exec(value) ?? [];
  const day = parseDay(date);
  if (day !== undefined) return day;
  throw refuse(properties, { column: 'NEW_DATE', value }, 'not a date of the form YYYY-MM-DDT00:00:00');
}

/** The rate as published; undefined where the feed says that there is none. */
function rateOf(column: string, element: unknown, refuse: Refuse): string | undefined {
  const [first, second] = listOf(element);
  if (second !== undefined) throw refuse(first, { column }, 'the element stands twice in one entry');
  if (isNode(element) && element['@_null'] === 'true') return undefined;
  const value = textOf(element);
  if (value === '') return undefined;
  if (value === undefined) throw refuse(element, { column }, 'not a rate, but elements');
  const rate = parseDecimal(value);
  if (rate === undefined) throw refuse(element, { column, value }, 'not a rate');
  return rate;
}

function tenorNamed(name: string): Tenor | undefined {
  const [, prefix, count = '', unit = ''] = rateName.exec(name) ?? [];
  return tenorOf(prefix === 'TC' ? 'TIPS' : 'PAR', count.replace('_', '.'), unit);
}
