import type { Row } from '../operations/envelope.ts';
import type { Columns } from './columns.ts';

/** Rows as they are on the wire; of chosen columns only those that the row has, in the order chosen. */
export function wireRow({ fields, chosen }: Columns): (row: Row) => Row {
  if (!chosen) return (row) => row;
  return (row) =>
    Object.fromEntries(
      fields.flatMap(({ name }) => {
        const cell = row[name];
        return cell === undefined ? [] : [[name, cell]];
      }),
    );
}
