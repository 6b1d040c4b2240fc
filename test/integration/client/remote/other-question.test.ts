import { describe, expect, it } from 'vitest';
import { insiderClusters } from '../../../../src/operations/insiders/clusters.ts';
import { insiderFilings } from '../../../../src/operations/insiders/filings.ts';
import type { Operation } from '../../../../src/operations/operation.ts';
import { curve, spread, yields } from '../../../../src/operations/rates/yields.ts';
import { observations } from '../../../../src/operations/series/observations.ts';
import { revisions } from '../../../../src/operations/series/revisions.ts';
import { seriesShow } from '../../../../src/operations/series/series.ts';
import { vintages } from '../../../../src/operations/series/vintages.ts';
import { clientOf, failure, gdp, inside, row } from '../../../support/remote-client.ts';
import { envelope, reply, serve } from '../../../support/service-double.ts';

/** A row of an operation with its required fields only. */
const nothingOf = ({ fields }: Operation) =>
  Object.fromEntries(fields.filter(({ extension }) => extension !== true).map(({ name }) => [name, null]));

describe('an answer to another query is a bad answer that names the URL', () => {
  const asOf = [...gdp, ['as_of', '2015-01-30']] as const;
  const summary = { id: 'GDP', title: 'GDP', frequency: 'Q' };
  it.each<[string, Operation, readonly (readonly [string, string])[], unknown, string]>([
    [
      'another series',
      observations,
      gdp,
      envelope('observation_series', [row, { ...row, date: '2014-07-01T00:00:00Z', series_id: 'GDPC1' }]),
      'results[1].series_id is "GDPC1", but GDP was asked for',
    ],
    [
      'another series in the summary',
      observations,
      asOf,
      envelope('observation_series', [], { as_of: '2015-01-30', series: { ...summary, id: 'GDPC1' } }),
      'series.id is "GDPC1", but GDP was asked for',
    ],
    [
      'what another series is',
      seriesShow,
      gdp,
      envelope('series', [
        { id: 'X', title: 'x', units: '', observation_count: 1, last_updated: row.date, source: '' },
      ]),
      'results[0].id is "X", but GDP was asked for',
    ],
    [
      'a date twice',
      observations,
      gdp,
      envelope('observation_series', [row, { ...row, value: '1' }]),
      'results[1].date is "2014-10-01T00:00:00Z" a second time',
    ],
    [
      'the revisions of another date',
      revisions,
      [...gdp, ['date', '2014-07-01']],
      envelope('revision_series', [row]),
      'results[0].date is "2014-10-01T00:00:00Z", but 2014-07-01 was asked for',
    ],
    [
      'the curve of another day',
      curve,
      [['date', '2014-10-02']],
      envelope('yield_curve', [
        { trade_date: row.date, maturity: '10Y', rate: '1', curve_type: 'PAR', source: '' },
      ]),
      'results[0].trade_date is "2014-10-01T00:00:00Z", but 2014-10-02 was asked for',
    ],
  ])('%s', async (_, operation, given, body, words) => {
    const { url } = await serve((_request, response) => reply(response, 200, body));
    const { kind, detail } = await failure(clientOf(url).ask(operation, given));
    expect([kind, detail]).toEqual(['bad-answer', expect.stringContaining(words)]);
    expect(detail).toContain(url);
  });

  const [date, value] = ['2014-10-01T00:00:00Z', '1'];
  const yieldRow = { trade_date: date, maturity: '10Y', rate: value, curve_type: 'PAR', source: '' };
  const clusterRow = {
    ...nothingOf(insiderClusters),
    cluster_size: 3,
    total_shares: '3',
    date_first: date,
    date_last: date,
    insiders: [],
  };
  const spreadRow = {
    trade_date: date,
    long_rate: value,
    short_rate: value,
    spread_bps: '0.00',
    long_maturity: '10Y',
    short_maturity: '2Y',
  };
  const listings: readonly (readonly [Operation, string, Readonly<Record<string, unknown>>])[] = [
    [observations, 'date', row],
    [vintages, 'as_of_date', { as_of_date: date, added: 1, revised: 0, withdrawn: 0 }],
    [yields, 'trade_date', yieldRow],
    [spread, 'trade_date', spreadRow],
    [insiderFilings, 'filing_date', { ...nothingOf(insiderFilings), filing_date: date }],
    [insiderClusters, 'date_last', clusterRow],
  ];
  it.each(listings)('a row of $name outside the requested range', async (operation, field, one) => {
    const parameters = ['from', 'to'].map((name) => ({ name, in: 'query' }));
    const description = { paths: { [operation.path]: { get: { parameters } } } };
    const { url } = await serve(({ url: path }, response) =>
      reply(response, 200, path === '/v1/openapi.json' ? description : envelope(operation.object, [one])),
    );
    const ask = (from: string, to: string) =>
      clientOf(url).ask(operation, [
        ...(operation.path.includes('{id}') ? gdp : []),
        ['from', from],
        ['to', to],
      ]);
    expect((await ask('2014-10-01', '2014-10-01')).results).toEqual([inside(one)]);
    for (const [from, to, words] of [
      ['2014-10-02', '2014-12-31', `results[0].${field} is "${date}": before 2014-10-02`],
      ['2014-01-01', '2014-09-30', `results[0].${field} is "${date}": after 2014-09-30`],
    ] as const) {
      const { kind, detail } = await failure(ask(from, to));
      expect([kind, detail]).toEqual(['bad-answer', expect.stringContaining(words)]);
    }
  });
});
