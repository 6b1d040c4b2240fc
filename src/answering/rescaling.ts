import { rescalingOf } from '../domain/series/arithmetic.ts';
import { commandNaming } from '../operations/operation.ts';
import type { Ask } from './answer.ts';

/** Notes that all values changed by about the same factor; the reason stays open, as a store has one unit for all. */
export function noteRescaling(
  { id, unit }: { readonly id: string; readonly unit: string },
  rows: readonly { readonly new: string | null; readonly old: string | null }[],
  { note, naming = commandNaming }: Ask,
): void {
  if (note === undefined) return;
  const pairs = rows.flatMap((row) =>
    row.old === null || row.new === null ? [] : [{ old: row.old, new: row.new }],
  );
  const rescaling = rescalingOf(pairs, unit);
  if (rescaling === undefined) return;
  const factors = new Set([rescaling.least, rescaling.most].map((factor) => String(+factor.toPrecision(4))));
  note({
    kind: 'rescaled',
    text:
      `${id}: the new ${countText(rescaling.count)} ${[...factors].join(' to ')} times the old; ` +
      `if units or base year changed, compare growth rates, not levels (${naming.param('units', 'pch')})`,
  });
}

function countText(dates: number): string {
  return dates === 1 ? 'value of the only common date is' : `values of all ${dates} common dates are`;
}
