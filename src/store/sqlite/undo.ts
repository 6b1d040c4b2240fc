import { monthsOf } from '../../domain/treasury/curve.ts';
import type { DescriptionChange } from '../followed.ts';
import type { FilingPlace, ImportChange, PointPlace } from '../undo-record.ts';
import type { Connection } from './connection.ts';
import { writeDescriptionChange } from './following.ts';

/** What the imports from a number on changed. */
export function readChangesOf(connection: Connection, from: number): readonly ImportChange[] {
  return connection
    .objects<ImportChange>(
      `select import, subject, version, content from import_change
       where import >= ? order by import, subject`,
    )
    .all(from);
}

/** Writes what an import changed. */
export function writeChanges(connection: Connection, changes: readonly ImportChange[]): void {
  const insert = connection.objects(
    'insert into import_change (import, subject, version, content) values (@import, @subject, @version, @content)',
  );
  for (const change of changes) insert.run(change);
}

/** Gives the newest change of a series another version; with `from` only if it has that one. */
export function moveVersion(connection: Connection, seriesId: string, to: number, from?: number): void {
  connection.run(
    `update import_change set version = @to where subject = @subject and (@from is null or version = @from)
       and import = (select max(import) from import_change where subject = @subject)`,
    { subject: `series ${seriesId}`, from: from ?? null, to },
  );
}

/** Removes an import from the log, with what it changed; its number stays taken. */
export function removeImport(connection: Connection, number: number): void {
  connection.run('delete from import_change where import = ?', number);
  connection.run('delete from import where number = ?', number);
  const last = newestNumber(connection);
  if (number < last) return;
  connection.run('delete from import_change where subject = ?', taken);
  connection.run(
    'insert into import_change (import, subject, version, content) values (?, ?, 0, ?)',
    number,
    taken,
    '',
  );
}

/** The subject of the row that keeps the number of an import that was taken back: no other import has that subject. */
const taken = 'taken back';

/** The newest number that an import has or had; 0 if there was none. */
export function newestNumber(connection: Connection): number {
  return connection.column<number>('select coalesce(max(import), 0) from import_change').get() ?? 0;
}

/** Replaces the changes of the description of a series. */
export function setDescriptionChanges(
  connection: Connection,
  seriesId: string,
  changes: readonly DescriptionChange[],
): void {
  connection.run(
    'delete from description_change where series = (select key from series where id = ?)',
    seriesId,
  );
  for (const change of changes) writeDescriptionChange(connection, change);
}

/** Removes rates. */
export function removePoints(connection: Connection, points: readonly PointPlace[]): void {
  const remove = connection.objects(
    'delete from curve where curve_type = ? and trade_date = ? and months = ?',
  );
  for (const { curveType, tradeDate, maturity } of points)
    remove.run(curveType, tradeDate, monthsOf(maturity));
}

/** Removes filings with their trades. */
export function removeFilings(connection: Connection, filings: readonly FilingPlace[]): void {
  const key = connection.column<number>('select key from filing where filing_id = ?');
  for (const { filingId } of filings) {
    const found = key.get(filingId);
    for (const table of ['symbol', 'trade']) connection.run(`delete from ${table} where filing = ?`, found);
    connection.run('delete from filing where key = ?', found);
  }
}
