/**
 * Where labels begin that want to be centred at `centres`, moved only so far that they stay between `from` and `to`;
 * undefined where two of them would come closer than `gap`, or one has no room.
 */
export function labelRow(
  centres: readonly number[],
  widths: readonly number[],
  { from, to, gap }: { readonly from: number; readonly to: number; readonly gap: number },
): readonly number[] | undefined {
  const starts = centres.map((centre, i) => {
    const width = widths[i] ?? 0;
    return Math.max(from, Math.min(to - width, centre - width / 2));
  });
  const fit = starts.every((start, i) => {
    const before = i === 0 ? from - gap : (starts[i - 1] ?? 0) + (widths[i - 1] ?? 0);
    return start >= before + gap && start + (widths[i] ?? 0) <= to;
  });
  return fit ? starts : undefined;
}

/**
 * Places near to `wanted` that keep `distance` from each other, between `from` and `to` where there is room for all; their
 * order is that of what was wanted.
 */
export function spread(
  wanted: readonly number[],
  { from, to, distance }: { readonly from: number; readonly to: number; readonly distance: number },
): readonly number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const places = order.map((i) => wanted[i] ?? from);
  let lowest = from;
  for (const [i, place] of places.entries()) {
    places[i] = Math.max(place, lowest);
    lowest = (places[i] ?? 0) + distance;
  }
  let highest = to;
  for (const [i, place] of [...places.entries()].reverse()) {
    places[i] = Math.min(place, highest);
    highest = (places[i] ?? 0) - distance;
  }
  const found = wanted.map(() => from);
  for (const [position, i] of order.entries()) found[i] = places[position] ?? from;
  return found;
}
