import type { Row } from '../operations/envelope.ts';
import { toWire } from '../operations/wire.ts';
import type { Columns } from './columns.ts';

/** Makes rows as they are on the wire; of chosen columns only those that the row has, in the order chosen. */
export function wireRow({ all, fields, chosen }: Columns): (row: Row) => Row {
  const wire = toWire(all);
  if (!chosen) return wire;
  return (row) => {
    const whole = wire(row);
    return Object.fromEntries(
      fields.flatMap(({ name }) => {
        const cell = whole[name];
        return cell === undefined ? [] : [[name, cell]];
      }),
    );
  };
}
