import { describe, expect, expectTypeOf, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import { countInPage } from '../../../src/operations/envelope.ts';
import type { CompleteRow } from '../../../src/operations/field.ts';
import type { insiderClusters } from '../../../src/operations/insiders/clusters.ts';
import type { insiderFilings } from '../../../src/operations/insiders/filings.ts';
import { type Operation, type RowOf, valuesIn } from '../../../src/operations/operation.ts';
import type { ParamsOf, ParamTexts } from '../../../src/operations/param.ts';
import { curve, yields } from '../../../src/operations/rates/yields.ts';
import { observations, type revisions } from '../../../src/operations/series/observations.ts';
import { seriesSearch, type seriesShow } from '../../../src/operations/series/series.ts';
import { clockAt } from '../../../src/operations/value.ts';
import { operations } from '../../support/operations.ts';

describe('the types of an operation', () => {
  it('of its rows are those of its fields', () => {
    expectTypeOf<RowOf<typeof observations>>().toEqualTypeOf<{
      readonly date: string;
      readonly value: string;
      readonly as_of_date: string;
      readonly series_id: string;
      readonly unit: string;
      readonly frequency: string;
      readonly source: string;
    }>();
    expectTypeOf<RowOf<typeof revisions>['value']>().toEqualTypeOf<string | null>();
    expectTypeOf<RowOf<typeof seriesShow>['observation_count']>().toEqualTypeOf<number>();
    type Insider = RowOf<typeof insiderClusters>['insiders'][number];
    expectTypeOf<Insider['transaction_date']>().toEqualTypeOf<string>();
    expectTypeOf<Insider['shares']>().toEqualTypeOf<string | null>();
    expectTypeOf<Insider['value']>().toEqualTypeOf<string | null | undefined>();
  });

  it('say that what asof adds to the contract may be absent from a row, and what may be missing is null', () => {
    expectTypeOf<RowOf<typeof seriesShow>['first_vintage']>().toEqualTypeOf<string | null | undefined>();
    type Filing = RowOf<typeof insiderFilings>;
    expectTypeOf<Filing['ticker']>().toEqualTypeOf<string | null>();
    expectTypeOf<Filing['other_owners']>().toEqualTypeOf<readonly string[] | null | undefined>();
    expectTypeOf<Filing['other_owner_ciks']>().toEqualTypeOf<readonly (string | null)[] | null | undefined>();
  });

  it('demand every field of a row that asof gives itself', () => {
    type Field = Readonly<{ name: 'a'; type: 'integer'; description: ''; extension: true }>;
    expectTypeOf<CompleteRow<Field>['a']>().toEqualTypeOf<number>();
    // @ts-expect-error A field is absent.
    const row: CompleteRow<Field> = {};
    expect(row).toEqual({});
  });

  it('give its parameters the names of the library and the types of their values', () => {
    type Asked = ParamsOf<typeof observations>;
    expectTypeOf<Asked['id']>().toEqualTypeOf<string>();
    expectTypeOf<Asked['asOf']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Asked['release']>().toEqualTypeOf<'first' | undefined>();
    expectTypeOf<Asked['limit']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<ParamsOf<typeof insiderClusters>['minInsiders']>().toEqualTypeOf<number | undefined>();
  });
});

describe('a page of dates or clusters', () => {
  it.each<readonly [string, readonly number[], number]>([
    ['is empty without any', [], 0],
    ['has all of them up to 1000 rows', [600, 399, 1], 3],
    ['ends before the one that would be over 1000 rows', [600, 400, 1], 2],
    ['has the first one alone if it has more than 1000 rows', [1001, 1], 1],
    ['has those without rows', [0, 1000, 0], 3],
  ])('%s', (_, sizes, count) => {
    expect(countInPage(sizes)).toBe(count);
  });
});

const noon = '2026-01-15T12:00:00Z';

/** The values of parameters besides those that the operation requires; its refusal of them as `field: detail`. */
function read({ params, ...operation }: Operation, texts: ParamTexts, now = noon) {
  const required = [['id', 'GDP'] as const, ['date', '2014-10-01'] as const].filter(
    ([name]) => params[name]?.required,
  );
  try {
    return valuesIn({ params, ...operation }, [...required, ...texts], clockAt(new Date(now)));
  } catch (error) {
    if (error instanceof Problem && error.kind === 'validation-error')
      return `${error.field}: ${error.detail}`;
    throw error;
  }
}

describe('parameters that break a rule are a validation error that names the field', () => {
  const refused = ['01/30/2015', '2015-1-30', '2015-01-30T00:00:00Z', '2024-02-30', '', 'today']
    .concat(['2023-02-29', '1900-02-29', '2015-13-01', '2015-00-10', '2015-01-00', '1599-12-31'])
    .concat(['3000-01-01', ' 2015-01-30', '2015-01-30\n', '２０１５-01-30']);
  const accepted = ['2024-02-29', '2000-02-29', '1600-01-01', '2015-01-30'];

  it.each<readonly [Operation, string]>([
    [observations, 'as_of'],
    [observations, 'from'],
    [observations, 'to'],
    [curve, 'date'],
    [yields, 'from'],
    [yields, 'to'],
  ])('$name: %s is a date of the calendar', (operation, name) => {
    for (const text of refused)
      expect(read(operation, [[name, text]]), text).toBe(
        `${name}: invalid '${name}' date: use YYYY-MM-DD format`,
      );
    for (const text of accepted) expect(read(operation, [[name, text]])).toMatchObject({ [name]: text });
  });

  it.each([observations, seriesSearch, yields])('$name: limit is an integer from 1 to 1000', (operation) => {
    for (const text of ['0', '1001', '-1', '1.5', '1e2', '', 'ten', ' 5', '0x10', '9'.repeat(20)])
      expect(read(operation, [['limit', text]])).toBe(
        `limit: invalid 'limit' ${JSON.stringify(text)}: use an integer from 1 to 1000`,
      );
    expect(read(operation, [['limit', '1000']])).toMatchObject({ limit: 1000 });
  });

  it.each(operations)('$name has no other parameters', (operation) => {
    for (const name of ['asof', 'As_of', '__proto__', 'toString', ''])
      expect(read(operation, [[name, '2015-01-30']])).toContain(`${name}: unknown parameter '${name}': use `);
  });

  const words = 'gdp-'.repeat(33);
  it.each<readonly [Operation, query: string, refusal: string]>([
    [observations, 'as_of=2015-01-30&as_of=2015-01-30', "as_of: parameter 'as_of' is given more than once"],
    [observations, 'id=GDP&id=UNRATE', "id: unknown parameter 'id': use as_of, known_at, release, from, to"],
    [seriesSearch, 'limit=1&limit=2', "limit: parameter 'limit' is given more than once"],
    [seriesSearch, `q=${words}&match=title`, "q: invalid 'q': use at most 32 words"],
    [seriesSearch, `q=${words}&match=any`, "q: invalid 'q': use at most 32 words"],
    [seriesSearch, `q=${words}&match=words`, "q: invalid 'q': use at most 32 words"],
    [observations, 'from=2015-02-01&to=2015-01-31', "'from' 2015-02-01 is after 'to' 2015-01-31"],
    [yields, 'to=2015-01-31&from=2015-02-01', "'from' 2015-02-01 is after 'to' 2015-01-31"],
    [observations, 'release=last', 'release: invalid \'release\' "last": use first'],
    [seriesSearch, 'match=ID', 'match: invalid \'match\' "ID": use id, title, any or words'],
    [curve, 'curve_type=par', 'curve_type: invalid \'curve_type\' "par": use PAR or TIPS'],
    [yields, 'curve_type=', 'curve_type: invalid \'curve_type\' "": use PAR or TIPS'],
    [yields, 'maturity=10y', '10Y'],
    [yields, 'maturity=2Y&curve_type=TIPS', 'TIPS has 5Y, 7Y, 10Y, 20Y, 30Y'],
  ])('$name %s: %s', (operation, query, refusal) => {
    expect(read(operation, [...new URLSearchParams(query)])).toContain(refusal);
  });

  it('but a search for 32 words, or by a part of the id for any text, is none, nor a range of one day to come', () => {
    expect(read(seriesSearch, [...new URLSearchParams(`q=${'gdp '.repeat(32)}&match=words`)])).toBeTypeOf(
      'object',
    );
    expect(read(seriesSearch, [['q', words]])).toMatchObject({ q: words });
    const day = '2999-12-31';
    expect(read(observations, [...new URLSearchParams({ from: day, to: day })])).toMatchObject({ to: day });
  });

  it.each([
    ['2026-01-15T09:59:59.999Z', '2026-01-15', '2026-01-16'],
    ['2026-01-15T10:00:00.000Z', '2026-01-16', '2026-01-17'],
    ['2025-12-31T23:59:59.999Z', '2026-01-01', '2026-01-02'],
  ])('at %s the day %s has begun somewhere, and %s has not', (now, begun, future) => {
    expect(read(observations, [['as_of', begun]], now)).toMatchObject({ as_of: begun });
    expect(read(observations, [['as_of', future]], now)).toContain(
      `as_of: 'as_of' ${future} is in the future`,
    );
  });
});
