import { closest } from '../domain/series/closest.ts';
import { Problem } from '../errors/problem.ts';
import type { AskMore } from './operation.ts';
import { type ParamTexts, textOf } from './param.ts';

/**
 * Where the filings of the ticker that was asked for are, if not in the answer; a Problem with suggestions where no filing
 * of it is held at all. Undefined without a ticker.
 */
export async function tickerReason(texts: ParamTexts, ask: AskMore): Promise<string | undefined> {
  const ticker = textOf(texts, 'ticker');
  if (ticker === undefined) return undefined;
  const since = ['from', firstFilingDay] as const;
  const { results } = await ask('insider_filings', [['ticker', ticker], since, ['limit', '1']]);
  const [newest] = results;
  if (newest !== undefined) return `the newest filing of ${ticker} is of ${String(newest.filing_date)}`;
  const others = await ask('insider_filings', [since, ['limit', '1000']]);
  const symbols = [...new Set(others.results.flatMap((row) => (row.ticker ? [String(row.ticker)] : [])))];
  const near = closest(ticker, symbols);
  throw new Problem('not-found', `no filing of ticker '${ticker}' is held`, {
    hints: near === undefined ? [] : [`did you mean ${near}?`],
  });
}

/** Before the first filing with the SEC. */
export const firstFilingDay = '1900-01-01';
