import { expect, it } from 'vitest';
import { translated } from '../../../../src/store/sqlite/connection.ts';

it.each([
  ['names tables without a schema', 'select id from asof.series', 'select id from series'],
  ['casts nothing', 'select sum(a)::bigint, @b::double precision, (@c::date)', 'select sum(a), @b, (@c)'],
  [
    'takes a list as JSON',
    'id = any(@ids::text[]) and row = any(@rows)',
    'id in (select value from json_each(@ids)) and row in (select value from json_each(@rows))',
  ],
  ['names no collation', 'order by day collate "C" desc', 'order by day desc'],
  ['collects a column as JSON', 'select array_agg(word)', 'select json_group_array(word)'],
  ['has other names of functions', 'strpos(a, chr(10)) = 0', 'instr(a, char(10)) = 0'],
  [
    'adds nothing to a limit, which SQLite would plan for',
    'order by a limit @limit',
    'order by a limit @limit + 0',
  ],
  [
    'finds the rows of a series by its number',
    'select date from asof.fact where series = @id',
    'select date from fact where series = (select key from series where id = @id)',
  ],
  [
    'keeps what it has the same word for',
    'where id = @id and kind = @kind',
    'where id = @id and kind = @kind',
  ],
])('a statement for SQLite %s', (_, sql, expected) => {
  expect(translated(sql)).toBe(expected);
});
