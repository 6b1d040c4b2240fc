import { monthsOf } from '../../domain/treasury/curve.ts';
import type { DescriptionChange } from '../followed.ts';
import type { ImportChange, PointPlace } from '../undo-record.ts';
import type { Transaction } from './connection.ts';
import { writeDescriptionChange } from './following.ts';

/** What the imports from a number on changed. */
export function readChangesOf(transaction: Transaction, from: number): Promise<readonly ImportChange[]> {
  return transaction.rows(
    `select import, subject, version, content from asof.import_change
     where import >= @from order by import, subject`,
    { from },
  );
}

/** Writes what an import changed. */
export async function writeChanges(
  transaction: Transaction,
  changes: readonly ImportChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await transaction.write(
    `insert into asof.import_change (import, subject, version, content)
     select * from unnest(@imports::bigint[], @subjects::text[], @versions::bigint[], @contents::text[])`,
    {
      imports: changes.map((change) => change.import),
      subjects: changes.map(({ subject }) => subject),
      versions: changes.map(({ version }) => version),
      contents: changes.map(({ content }) => content),
    },
  );
}

/**
 * Notes that the newest recorded change of a series leads to another version; with `from` only if it led to that one.
 */
export async function moveVersion(
  transaction: Transaction,
  seriesId: string,
  to: number,
  from?: number,
): Promise<void> {
  await transaction.write(
    `update asof.import_change set version = @to where subject = @subject and (@from::bigint is null or version = @from::bigint)
       and import = (select max(import) from asof.import_change where subject = @subject)`,
    { subject: `series ${seriesId}`, from, to },
  );
}

/** Removes an import, and what is recorded of its changes, from the log. */
export async function removeImport(transaction: Transaction, number: number): Promise<void> {
  await transaction.write('delete from asof.import_change where import = @number', { number });
  await transaction.write('delete from asof.import where number = @number', { number });
}

/** Replaces the changes of the description of a series. */
export async function setDescriptionChanges(
  transaction: Transaction,
  seriesId: string,
  changes: readonly DescriptionChange[],
): Promise<void> {
  await transaction.write('delete from asof.description_change where series = @seriesId', { seriesId });
  for (const change of changes) await writeDescriptionChange(transaction, change);
}

/** Removes rates. */
export async function removePoints(transaction: Transaction, points: readonly PointPlace[]): Promise<void> {
  if (points.length === 0) return;
  await transaction.write(
    `delete from asof.curve as c using unnest(@types::text[], @dates::date[], @months::double precision[])
       as d (curve_type, trade_date, months)
     where c.curve_type = d.curve_type and c.trade_date = d.trade_date and c.months = d.months`,
    {
      types: points.map(({ curveType }) => curveType),
      dates: points.map(({ tradeDate }) => tradeDate),
      months: points.map(({ maturity }) => monthsOf(maturity)),
    },
  );
}
