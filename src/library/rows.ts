import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { didYouMean } from '../domain/search/words.ts';
import { parseSeriesId, seriesIdForm } from '../domain/series/series.ts';
import { faultOfDay, parseDay } from '../domain/values/date.ts';
import { parseDecimal, sameNumber } from '../domain/values/decimal.ts';
import { Problem, quoted } from '../errors/problem.ts';
import { accepting, type Clock, isPlain, type NamedValues } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { type FactRow, factColumns } from '../store/known-view.ts';
import { initStore } from '../store/open.ts';
import { importFiles } from './asof.ts';

/** A statement about a series, as `fromRows` takes it; `value` is null if it was withdrawn. */
export type StatementRow = Pick<FactRow, 'as_of_date' | 'date' | 'series_id'> & {
  readonly value: string | number | null;
} & Partial<Omit<FactRow, 'as_of_date' | 'date' | 'series_id' | 'value'>>;

/** The statements of a store; each is checked when the store is made. */
export const statementRows = accepting(
  (value): value is readonly StatementRow[] => Array.isArray(value),
  'a list such as [{ series_id: "GDP", date: "2014-10-01", as_of_date: "2015-01-30", value: "17710.7" }]',
);

type RowsStore = { readonly path: string; readonly remove: () => Promise<void> };

/** Makes a store of some statements in a folder of its own, which `remove` removes. */
export async function storeOfRows(
  rows: readonly StatementRow[],
  clock: Clock,
  options: { readonly clock?: (() => Date) | undefined; readonly signal?: AbortSignal | undefined },
): Promise<RowsStore> {
  const cells = cellsOf(rows, clock);
  const folder = await mkdtemp(join(tmpdir(), 'asof-rows-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const [file, path] = [join(folder, 'rows.csv'), join(folder, 'rows.db')];
  try {
    if (rows.length === 0) await initStore(path, false);
    else {
      const { stringify } = await import('csv-stringify/sync');
      await writeFile(file, stringify([factColumns, ...cells]));
      // Whoever states the day of a value by hand knows whether it is a projection.
      await importFiles([file], { store: path, projections: true, ...defined(options) });
    }
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Returns the cells of statements in the order of `factColumns`; throws a Problem that names a row and its column. */
function cellsOf(rows: readonly unknown[], clock: Clock): readonly (readonly string[])[] {
  const first = new Map<unknown, NamedValues>();
  const stated = new Map<string, { readonly place: string; readonly value: string }>();
  return rows.map((row, i) => {
    const place = `rows[${i}]`;
    if (!isPlain(row)) throw bad(`${place}${quoted(row)}: use an object with ${needed.join(', ')}`);
    for (const name of Object.keys(row))
      if (!factColumns.some((one) => one === name))
        throw bad(`${place} has an unknown column '${name}': use ${factColumns.join(', ')}`, [
          ...didYouMean(name, factColumns),
        ]);
    const absent = needed.find((name) => row[name] === undefined);
    if (absent !== undefined)
      throw bad(`${place} has no ${absent}${absent === 'value' ? '; null says that it was withdrawn' : ''}`);
    for (const name of needed) checkCell(row, name, place, clock);
    const { series_id: id, date, as_of_date: asOf, value } = row;
    const subject = `${String(id).toUpperCase()} ${date} as of ${asOf}`;
    const before = stated.get(subject);
    const [was, is] = [before?.value ?? '', String(value)];
    if (before !== undefined && was !== is && (was === 'null' || is === 'null' || !sameNumber(was, is)))
      throw bad(`${place} contradicts ${before.place}: ${subject} is ${is}, and ${was}`, [
        'a value has one statement for each as_of_date: leave one out',
      ]);
    stated.set(subject, { place, value: is });
    const described = first.get(id) ?? row;
    first.set(id, described);
    return factColumns.map((name) => String(row[name] ?? (isNeeded(name) ? '' : described[name]) ?? ''));
  });
}

const needed = ['series_id', 'date', 'as_of_date', 'value'] as const;

function isNeeded(name: string): boolean {
  return needed.some((one) => one === name);
}

function checkCell(row: NamedValues, name: (typeof needed)[number], place: string, { latest }: Clock): void {
  const { [name]: cell } = row;
  const text = typeof cell === 'string' ? cell : '';
  const refuse = (reason: string) => bad(`${place}.${name}${quoted(cell, 80)}: ${reason}`);
  if (name === 'series_id') {
    if (parseSeriesId(text) === undefined) throw refuse(seriesIdForm);
  } else if (name === 'value') {
    const isNumber = parseDecimal(typeof cell === 'number' ? String(cell) : text) !== undefined;
    if (cell !== null && !isNumber)
      throw refuse('use a decimal text such as "17710.7", a number, or null if it was withdrawn');
  } else if (cell !== null || name === 'as_of_date' || row.value !== null) {
    if (parseDay(text) === undefined) throw refuse(faultOfDay(text) ?? 'use YYYY-MM-DD');
    if (name === 'as_of_date' && text > latest)
      throw refuse('it is in the future: nothing is known as of that date yet');
  }
}

function bad(detail: string, hints: readonly string[] = []): Problem {
  return new Problem('bad-input', detail, { field: 'rows', hints });
}
