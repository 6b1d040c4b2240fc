import { beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../../src/operations/operation.ts';
import type { ParamTexts } from '../../../src/operations/param.ts';
import { yields } from '../../../src/operations/rates/yields.ts';
import { observations } from '../../../src/operations/series/observations.ts';
import { seriesSearch } from '../../../src/operations/series/series.ts';
import { day, latest, newPagedStore } from '../../support/example-stores.ts';
import { facts, importFiles } from '../../support/scratch-store.ts';
import { ask, problemOf } from '../../support/service.ts';

let path = '';
beforeAll(async () => {
  path = await newPagedStore();
});

describe('a cursor', () => {
  const first = async (operation: Operation, given: ParamTexts) =>
    (await ask(path, operation, [...given, ['limit', '1']])).next_cursor ?? '';

  test.each<[string, Operation, ParamTexts, Operation, ParamTexts]>([
    ['another series', observations, [['id', 'GDP']], observations, [['id', 'CPI']]],
    [
      'another knowledge date',
      observations,
      [['id', 'GDP']],
      observations,
      [
        ['id', 'GDP'],
        ['as_of', '2020-12-31'],
      ],
    ],
    [
      'another range',
      observations,
      [['id', 'GDP']],
      observations,
      [
        ['id', 'GDP'],
        ['from', '2020-01-01'],
      ],
    ],
    ['another search', seriesSearch, [['q', 'gdp']], seriesSearch, [['q', 'a']]],
    ['another operation', seriesSearch, [], yields, []],
    ['another maturity', yields, [['maturity', '2Y']], yields, [['maturity', '10Y']]],
  ])('of %s is refused', async (_, asked, given, operation, other) => {
    const cursor = await first(asked, given);
    expect(cursor).not.toBe('');
    const problem = await problemOf(path, operation, [...other, ['cursor', cursor]]);
    expect([problem.status, problem.field, problem.kind]).toEqual([400, 'cursor', 'validation-error']);
    expect(problem.detail).toMatch(/^invalid 'cursor': /);
  });

  test('with any one character changed is refused', async () => {
    const cursor = await first(observations, [['id', 'GDP']]);
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const [at, old] of [...cursor].entries()) {
      const digit = digits[(digits.indexOf(old) + 17) % 64] ?? 'A';
      const changed = `${cursor.slice(0, at)}${digit}${cursor.slice(at + 1)}`;
      const problem = await problemOf(path, observations, [
        ['id', 'GDP'],
        ['cursor', changed],
      ]);
      expect([problem.status, problem.field]).toEqual([400, 'cursor']);
    }
  });

  test.each([
    ['nothing', ''],
    ['no base64url', 'a+b/c=='],
    ['no JSON', 'AAAA'],
    ['an object', Buffer.from('{"a":1}').toString('base64url')],
    ['a list of too little', Buffer.from('["x"]').toString('base64url')],
    ['keys that are no texts', Buffer.from('["x",[1]]').toString('base64url')],
    ['a version that is no number', Buffer.from('["x",["2020-01-01"],"1"]').toString('base64url')],
    ['a megabyte', 'A'.repeat(2 ** 20)],
  ])('that is %s is refused', async (_, cursor) => {
    for (const [operation, given] of [
      [observations, [['id', 'GDP']]],
      [seriesSearch, []],
      [yields, []],
    ] as const) {
      const problem = await problemOf(path, operation, [...given, ['cursor', cursor]]);
      expect([problem.status, problem.field]).toEqual([400, 'cursor']);
    }
  });

  test('has no as-of date that could be read or changed', async () => {
    const cursor = await first(observations, [
      ['id', 'GDP'],
      ['as_of', '2020-12-31'],
    ]);
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('2020-12-31');
  });

  test.each<[string, string, readonly string[]]>([
    ['a new value', 'facts.csv', ['GDP 2020-01-01 2021-06-01 9']],
    ['a new statement of a known value', 'facts.csv', ['GDP 2020-01-01 2021-06-01 1']],
    ['a fuller text of a known statement', 'facts.csv', ['GDP 2020-01-01 2020-02-01 1.000']],
  ])('is refused once its series has changed: by %s', async (_, name, lines) => {
    const changing = await newPagedStore();
    const cursor =
      (
        await ask(changing, observations, [
          ['id', 'GDP'],
          ['limit', '3'],
        ])
      ).next_cursor ?? '';
    const elsewhere = facts('CPI 2020-01-01 2021-06-01 9', 'NEW 2020-01-01 2021-06-01 9');
    await importFiles(changing, { [name]: elsewhere });
    const undisturbed = await ask(changing, observations, [
      ['id', 'GDP'],
      ['cursor', cursor],
    ]);
    expect(undisturbed.results.map(day)).toEqual(latest.slice(3));
    await importFiles(changing, { [name]: facts(...lines) });
    const problem = await problemOf(changing, observations, [
      ['id', 'GDP'],
      ['cursor', cursor],
    ]);
    expect([problem.status, problem.field, problem.detail]).toEqual([
      400,
      'cursor',
      'the data changed since the first page; start again',
    ]);
  });

  test('stays valid after an import that does not change its series', async () => {
    const still = await newPagedStore();
    const cursor =
      (
        await ask(still, observations, [
          ['id', 'GDP'],
          ['limit', '3'],
        ])
      ).next_cursor ?? '';
    await importFiles(still, { 'again.csv': facts('GDP 2020-01-01 2020-02-01 1') });
    const rest = await ask(still, observations, [
      ['id', 'GDP'],
      ['cursor', cursor],
    ]);
    expect(rest.results.map(day)).toEqual(latest.slice(3));
  });
});
