import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Double, reply, serve } from './service-double.ts';

/** What a service of the public description holds: the observations of GDP as it knows them, newest first. */
const gdp = [
  ['2014-10-01', '17710.7', '2015-01-30'],
  ['2014-07-01', '17599.8', '2014-12-23'],
  ['2014-04-01', '17328.2', '2014-09-26'],
] as const;

const instant = (day: string) => `${day}T00:00:00Z`;

const observation = ([date, value, asOf]: (typeof gdp)[number]) => ({
  date: instant(date),
  value,
  as_of_date: instant(asOf),
});

const series = {
  id: 'GDP',
  title: '',
  observation_count: 3,
  last_updated: '2015-01-30T13:30:00Z',
};

const trade = {
  filing_date: instant('2015-01-20'),
  transaction_date: instant('2015-01-16'),
  accession_number: '0000000007-15-000001',
  ticker: 'SVN',
  issuer_name: 'Seven',
  owner_name: 'Berg Bo',
  officer_title: '',
  transaction_code: 'P',
  acquired_disposed: 'A',
  shares: '100',
  price_per_share: '',
  is_director: true,
};

/** A cluster as it prints it: without a word on since when it could be seen. */
export const cluster = {
  ticker: 'SVN',
  issuer_name: 'Seven',
  cluster_size: 3,
  total_shares: '300',
  total_value: '',
  date_first: instant('2015-01-14'),
  date_last: instant('2015-01-16'),
  insiders: ['Ann', 'Bo', 'Cy'].map((owner_name) => ({
    owner_name,
    shares: '100',
    transaction_date: instant('2015-01-16'),
    is_director: true,
    is_officer: false,
  })),
};

const pingResult = {
  status: 'ok',
  message: 'pong',
  plan: 'pro',
  monthly_limit: 100000,
  rate_per_minute: 60,
  vintage_access: true,
};

const rates = ['2Y', '10Y'].map((maturity, i) => ({
  trade_date: instant('2015-01-30'),
  maturity,
  rate: `${i + 1}.5`,
  curve_type: 'PAR',
}));

/** The answer of a path with these parameters; undefined where the service has no such path. */
function answerTo(path: string, query: URLSearchParams): Readonly<Record<string, unknown>> | undefined {
  switch (path) {
    case '/v1/ping':
      return { object: 'ping', results: [pingResult] };
    case '/v1/series':
      return { object: 'series_list', results: [series] };
    case '/v1/series/GDP':
      return { object: 'series', results: [series] };
    case '/v1/series/GDP/observations': {
      const asOf = query.get('as_of');
      const known = gdp.filter(([, , day]) => asOf === null || day <= asOf);
      const results = known.map(observation);
      return { object: 'observation_series', ...(asOf !== null && { as_of: asOf }), results };
    }
    case '/v1/treasury/yields/curve':
      return { object: 'yield_curve', results: rates };
    case '/v1/insider/filings':
      return { object: 'insider_filings', results: [trade] };
    case '/v1/insider/clusters':
      return { object: 'insider_clusters', results: [cluster] };
    default:
      return undefined;
  }
}

/** When the window of its limits ends, as a Unix time: an hour after the time of the tests. */
const resetAt = Date.parse('2026-03-15T13:00:00Z') / 1000;

/**
 * A service that speaks exactly as the public description prints: envelopes of `object` and `results` alone, rows
 * without unit or source, empty titles and prices, no `limit`, no description of its parameters, and other headers.
 * `instead` answers first, where it returns true.
 */
export function publicService(
  instead: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<Double> {
  return serve((request, response) => {
    if (instead(request, response)) return;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const answer = answerTo(pathname, searchParams);
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': 'f3b1c6',
      'x-powered-by': 'Something',
      'cf-ray': '8d2f-FRA',
      'ratelimit-limit': '60',
      'ratelimit-remaining': '59',
      'ratelimit-reset': String(resetAt),
    };
    if (answer !== undefined) return reply(response, 200, answer, headers);
    return reply(response, 404, '<html>nothing here</html>', { 'content-type': 'text/html' });
  });
}
