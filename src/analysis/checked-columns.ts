import { Problem } from '../errors/problem.ts';
import { listed } from '../errors/wording.ts';
import type { Row } from '../operations/envelope.ts';
import { seriesShow } from '../operations/figures.ts';
import { failureOf, type QueryContext } from './answer.ts';
import type { CheckQuery } from './query.ts';
import { isUnknown, type ResolvedSeries } from './series-ids.ts';
import { columnOf, type UserTable } from './table.ts';

/** A column that is checked, and the column of the dates of its values if the file has one. */
export type Checked = {
  readonly place: number;
  readonly name: string;
  readonly series: ResolvedSeries;
  readonly lag: number;
  readonly dates: number | undefined;
};

/** The columns to check: those that the query names, or all whose name is that of a series. */
export async function checkedColumns(
  table: UserTable,
  on: number,
  { columns, lag = 0, skipMissing = false }: CheckQuery,
  context: QueryContext,
): Promise<readonly Checked[]> {
  const places = new Map(table.fields.map(({ name }, place) => [name, place]));
  const checkedAs = (name: string, text: string): Omit<Checked, 'series'> & { readonly id: string } => {
    // What `join` and a panel with lags name their columns.
    const [, id = text, own] = /^(.+)_lag(\d{1,3})$/.exec(text) ?? [];
    const [place, dates] = [columnOf(table, name), places.get(`${name}_date`)];
    return { id: id.toUpperCase(), place, name, lag: own === undefined ? lag : Number(own), dates };
  };
  const twice = columns?.find(({ column }, i) => columns.findIndex((other) => other.column === column) < i);
  if (twice !== undefined)
    throw new Problem('bad-input', `the column ${JSON.stringify(twice.column)} is named twice`, {
      field: 'column',
    });
  const named = columns?.map(({ column, id = column }) => checkedAs(column, id));
  const others = table.fields.filter(({ name }, place) => place !== on && !isBeside(name, places));
  const candidates = named ?? others.map(({ name }) => checkedAs(name, name));
  const found = await Promise.all(
    candidates.map(async ({ id, ...one }) => {
      const row = await described(id, context, named !== undefined && !skipMissing);
      return row === undefined ? undefined : { ...one, series: { id, typed: one.name, row } };
    }),
  );
  const checked = found.filter((one) => one !== undefined);
  const left = candidates.filter((_, i) => found[i] === undefined);
  const [first] = left;
  if (checked.length === 0 && named !== undefined && first !== undefined)
    await described(first.id, context, true);
  if (checked.length === 0)
    throw new Problem('bad-input', `${table.name} has no column with the name of a series`, {
      hints: ['--column NAME=ID names a column and its series'],
    });
  if (named !== undefined) for (const { id } of left) context.basis.missing.add(id);
  else if (left.length > 0) {
    const names = left.map(({ name }) => name);
    context.note?.({
      kind: 'check',
      text: `not checked, as no series has the name: ${listed(names, 'and')}`,
    });
  }
  return checked;
}

/** Whether a column holds the date or the age that a join puts beside a value. */
function isBeside(name: string, places: ReadonlyMap<string, number>): boolean {
  const [, value] = /^(.+)_(?:date|age)$/.exec(name) ?? [];
  return value !== undefined && places.has(value);
}

/** The description of a series; undefined if it does not exist, which is a Problem if it is `needed`. */
async function described(id: string, { client }: QueryContext, needed: boolean): Promise<Row | undefined> {
  try {
    return (await client.ask(seriesShow, [['id', id]])).results[0];
  } catch (error) {
    if (!needed && isUnknown(error)) return undefined;
    throw failureOf(id, error);
  }
}
