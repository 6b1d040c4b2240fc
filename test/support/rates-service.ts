import { type Double, envelope, problem, reply, serve } from './service-double.ts';

/** A rate that a service holds: `[trade date, maturity, rate, curve type]`. */
export type HeldRate = readonly [day: string, maturity: string, rate: string, curveType: 'PAR' | 'TIPS'];

const days = Array.from({ length: 20 }, (_, i) => `2022-11-${String(30 - i).padStart(2, '0')}`);

/** Rates as a service of the contract lists them: newest day first, then shortest maturity. */
export const heldRates: readonly HeldRate[] = days.flatMap((day, i) => [
  [day, '5Y', `1.${10 + i}`, 'TIPS'] as const,
  [day, '10Y', `1.${50 + i}`, 'TIPS'] as const,
  [day, '2Y', `4.${10 + i}`, 'PAR'] as const,
  [day, '5Y', `3.${50 + i}`, 'PAR'] as const,
  [day, '10Y', `3.${70 + i}`, 'PAR'] as const,
]);

const instant = (day: string) => `${day}T00:00:00Z`;

/**
 * A service of the treasury endpoints without a description of its parameters, which obeys all of the contract but
 * what it overlooks: a parameter everywhere, or `curve_type of spread`. A page has at most 50 rows, with the fields
 * of the contract alone.
 */
export function ratesService(overlooked: readonly string[] = []): Promise<Double> {
  return serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const endpoint = pathname.split('/').at(-1);
    const asked = (name: string) =>
      overlooked.includes(name) || overlooked.includes(`${name} of ${endpoint}`)
        ? null
        : searchParams.get(name);
    const type = asked('curve_type') ?? 'PAR';
    const [from, to] = [asked('from') ?? '', asked('to') ?? '9'];
    const found = heldRates.filter(([day, , , its]) => its === type && day >= from && day <= to);
    const paged = (object: string, rows: readonly unknown[]) => {
      const begin = Number(asked('cursor') ?? 0);
      const end = begin + Math.min(50, Number(asked('limit') ?? 50));
      const more = end < rows.length ? { has_more: true, next_cursor: `${end}` } : {};
      reply(response, 200, envelope(object, rows.slice(begin, end), more));
    };
    switch (pathname) {
      case '/v1/treasury/yields': {
        const maturity = asked('maturity');
        const rows = found.filter(([, its]) => maturity === null || its === maturity);
        return paged('yield_series', rows.map(rateRow));
      }
      case '/v1/treasury/yields/spread': {
        const [long, short] = [asked('long') ?? '10Y', asked('short') ?? '2Y'];
        const rateOf = (on: string, of: string) =>
          found.find(([day, maturity]) => day === on && maturity === of)?.[2] ?? '';
        const rows = days
          .filter((day) => rateOf(day, long) !== '' && rateOf(day, short) !== '')
          .map((day) => spreadRow(day, [long, rateOf(day, long)], [short, rateOf(day, short)]));
        return paged('yield_spread', rows);
      }
      default:
        return problem(response, 404, 'not-found', 'no such endpoint');
    }
  });
}

/** The contract's row of a rate. */
export function rateRow([day, maturity, rate, curve_type]: HeldRate) {
  return { trade_date: instant(day), maturity, rate, curve_type, source: 'Treasury' };
}

/** The contract's row of a spread. */
export function spreadRow(
  day: string,
  [long, longRate]: readonly [string, string],
  short: readonly string[],
) {
  const [shortMaturity = '', shortRate = ''] = short;
  return {
    trade_date: instant(day),
    long_rate: longRate,
    short_rate: shortRate,
    spread_bps: ((Number(longRate) - Number(shortRate)) * 100).toFixed(2),
    long_maturity: long,
    short_maturity: shortMaturity,
  };
}
