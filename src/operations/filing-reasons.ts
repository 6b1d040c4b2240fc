import { closest } from '../domain/series/closest.ts';
import { Problem } from '../errors/problem.ts';
import type { StoreView } from '../store/store.ts';
import type { Envelope, UnknownTicker } from './envelope.ts';
import type { Naming } from './operation.ts';
import { type ParamTexts, textOf, without } from './param.ts';

/** Asks for a page of filings. */
type AskFilings = (texts: ParamTexts) => Promise<Envelope>;

/** The requested ticker and the known one that is spelled most like it, if the store has no filing of it. */
export async function unknownTickerIn(
  view: StoreView,
  ticker: string,
): Promise<{ readonly unknownTicker?: UnknownTicker }> {
  if (ticker === '' || (await view.filings.page({ ticker, limit: 1 })).length > 0) return {};
  return { unknownTicker: { ticker, nearest: closest(ticker, await view.filings.symbols()) ?? null } };
}

/** When the filings of the requested ticker are, if not in the answer; undefined without a ticker. */
export async function tickerReason(texts: ParamTexts, ask: AskFilings): Promise<string | undefined> {
  const [ticker, asOf] = ['ticker', 'as_of'].map((name) => textOf(texts, name));
  if (ticker === undefined) return undefined;
  const newest = await newestOf(ticker, ask);
  if (newest === undefined) return shownNone(ticker);
  const earlierOnes: ParamTexts = [
    ['ticker', ticker],
    ['from', firstFilingDay],
    ['to', asOf ?? newest],
  ];
  const known = newest <= (asOf ?? newest) ? newest : await newestDay(earlierOnes, ask);
  // Whether there are later filings was not known on the day.
  const bound = asOf === undefined ? '' : ` up to ${asOf}`;
  return known === undefined
    ? `no filing of ${ticker} is held${bound}`
    : `the newest filing of ${ticker}${bound} is of ${known}`;
}

/**
 * The day of the newest filing of a ticker; a Problem with a suggestion if the service has none. Undefined if a
 * service shows none but does not say that it has none: it may have ignored the range.
 */
async function newestOf(ticker: string, ask: AskFilings): Promise<string | undefined> {
  const { results, unknown_ticker: unknown } = await ask([
    ['ticker', ticker],
    ['from', firstFilingDay],
    ['limit', '1'],
  ]);
  if (unknown?.ticker === ticker)
    throw new Problem('not-found', `no filing of ticker '${ticker}' is held`, {
      hints: unknown.nearest === null ? [] : [`did you mean ${unknown.nearest}?`],
    });
  return results[0] && String(results[0].filing_date);
}

function shownNone(ticker: string): string {
  return `the service shows no filing of ${ticker}`;
}

/** The day of the newest filing that these texts ask for. */
async function newestDay(texts: ParamTexts, ask: AskFilings): Promise<string | undefined> {
  const { results } = await ask([...texts, ['limit', '1']]);
  return results[0] && String(results[0].filing_date);
}

/** Why no filings were found: there are none of the ticker (a Problem), none on the requested days, or none at all. */
export async function reasonWithoutFilings(
  texts: ParamTexts,
  usualDays: number,
  { ask, naming }: { readonly ask: AskFilings; readonly naming: Naming },
): Promise<string | undefined> {
  const [days = String(usualDays), from, to, asOf, ticker] = ['days', 'from', 'to', 'as_of', 'ticker'].map(
    (name) => textOf(texts, name),
  );
  if (ticker !== undefined && (await newestOf(ticker, ask)) === undefined) return shownNone(ticker);
  const ofAnyDay: ParamTexts = [
    ...['days', 'limit', 'cursor', 'from', 'to'].reduce(without, texts),
    ['from', firstFilingDay],
  ];
  const newest = await newestDay(to === undefined ? ofAnyDay : [...ofAnyDay, ['to', to]], ask);
  const last = to !== undefined && (asOf === undefined || to < asOf) ? to : asOf;
  const upTo = last === undefined ? '' : ` up to ${last}`;
  if (newest !== undefined && from === undefined && to === undefined)
    return `none was filed in the last ${days} days, the newest on ${newest}; ${naming.param('from')} shows earlier ones`;
  const hasOthers = ['owner_name', 'transaction_code'].some((name) => textOf(texts, name) !== undefined);
  const what = `filing${ticker === undefined ? '' : ` of ${ticker}`}${hasOthers ? ' that matches' : ''}`;
  if (newest !== undefined) return `the newest ${what}${upTo} is of ${newest}`;
  return last === undefined ? `no ${what} is held` : `no ${what} is held${upTo}`;
}

/** A day before the first filing with the SEC. */
export const firstFilingDay = '1900-01-01';
