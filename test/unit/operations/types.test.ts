import { expect, expectTypeOf, it } from 'vitest';
import type { CompleteRow } from '../../../src/operations/field.ts';
import type { insiderClusters } from '../../../src/operations/insiders/clusters.ts';
import type { insiderFilings } from '../../../src/operations/insiders/filings.ts';
import { prepare, type RowOf } from '../../../src/operations/operation.ts';
import type { ParamsOf } from '../../../src/operations/param.ts';
import type { observations } from '../../../src/operations/series/observations.ts';
import type { revisions } from '../../../src/operations/series/revisions.ts';
import { seriesShow } from '../../../src/operations/series/series.ts';

it('the rows of an operation have the types of its fields', () => {
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
});

it('what asof adds to the contract may be absent from a row, and what may be missing is null', () => {
  type Series = RowOf<typeof seriesShow>;
  expectTypeOf<Series['first_vintage']>().toEqualTypeOf<string | null | undefined>();
  type Filing = RowOf<typeof insiderFilings>;
  expectTypeOf<Filing['ticker']>().toEqualTypeOf<string | null>();
  expectTypeOf<Filing['other_owners']>().toEqualTypeOf<readonly string[] | null | undefined>();
  expectTypeOf<Filing['other_owner_ciks']>().toEqualTypeOf<readonly (string | null)[] | null | undefined>();
});

it('the records of a list have types of their own', () => {
  type Insider = RowOf<typeof insiderClusters>['insiders'][number];
  expectTypeOf<Insider['transaction_date']>().toEqualTypeOf<string>();
  expectTypeOf<Insider['shares']>().toEqualTypeOf<string | null>();
  expectTypeOf<Insider['value']>().toEqualTypeOf<string | null | undefined>();
});

it('a row that asof gives itself lacks no field', () => {
  type Field = {
    readonly name: 'a';
    readonly type: 'integer';
    readonly description: '';
    readonly extension: true;
  };
  expectTypeOf<CompleteRow<Field>['a']>().toEqualTypeOf<number>();
  // @ts-expect-error A field is absent.
  const row: CompleteRow<Field> = {};
  expect(row).toEqual({});
});

it('the parameters of an operation have the names of the library and the types of their values', () => {
  type Asked = ParamsOf<typeof observations>;
  expectTypeOf<Asked['id']>().toEqualTypeOf<string>();
  expectTypeOf<Asked['asOf']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Asked['release']>().toEqualTypeOf<'first' | undefined>();
  expectTypeOf<Asked['limit']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<ParamsOf<typeof insiderClusters>['minInsiders']>().toEqualTypeOf<number | undefined>();
});

it('an operation refuses a parameter that it does not have', () => {
  const texts = [['id', 'GDP'] as const, ['asof', '2015-01-30'] as const];
  expect(() => prepare(seriesShow, texts, { today: '2026-01-15', latest: '2026-01-15' })).toThrow(
    "unknown parameter 'asof': use none",
  );
});
