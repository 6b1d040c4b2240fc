import { cut } from '../terminal-text.ts';

/** Centres labels between `from` and `to`; returns where they begin, or undefined if they do not fit. */
export function placeLabels(
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

/** Moves places apart to keep `distance`, between `from` and `to` if there is room; keeps their order. */
export function spreadOut(
  wanted: readonly number[],
  { from, to, distance }: { readonly from: number; readonly to: number; readonly distance: number },
): readonly number[] {
  const labels = wanted.map((place) => ({ place }));
  const ordered = labels.toSorted((a, b) => a.place - b.place);
  let lowest = from;
  for (const label of ordered) {
    label.place = Math.max(label.place, lowest);
    lowest = label.place + distance;
  }
  let highest = to;
  for (const label of ordered.toReversed()) {
    label.place = Math.min(label.place, highest);
    highest = label.place - distance;
  }
  return labels.map(({ place }) => place);
}

/** Cuts names to `most` cells; if some would become equal, cuts their common beginning instead. */
export function abbreviate(names: readonly string[], most: number): readonly string[] {
  return names.map((name) => {
    const start = cut(name, most);
    const shared = sharedBeginning(names.filter((other) => cut(other, most) === start));
    return shared === name ? start : cut(`…${name.slice(shared.length)}`, most);
  });
}

function sharedBeginning([first = '', ...others]: readonly string[]): string {
  let shared = '';
  for (const character of first) {
    if (!others.every((other) => other.startsWith(shared + character))) break;
    shared += character;
  }
  return shared;
}
