/** How a vintage date may have come about, in the order in which texts list several. */
export const vintageKinds = ['exact', 'fetched', 'sampled', 'unknown'] as const;

/**
 * How a vintage date came about: it is a day of publication (`exact`), the day on which the figures were fetched
 * (`fetched`), or one of some days on which somebody noted what was known (`sampled`). In the last two cases a figure was
 * published on that day or earlier, and what was published between two vintages may be missing.
 */
export type VintageKind = (typeof vintageKinds)[number];

/** The kind of a vintage as a store keeps it; empty where its files leave it open. */
export type KeptKind = VintageKind | '';

/** A text as a kind of vintage; undefined if it is none. */
export function parseVintageKind(text: string): VintageKind | undefined {
  return vintageKinds.find((kind) => kind === text.trim().toLowerCase());
}

/** What is better known wins: that a day is a day of publication, then that it is a whole day's state, then any word about it. */
const ranks: Readonly<Record<KeptKind, number>> = { exact: 4, fetched: 3, sampled: 2, '': 1, unknown: 0 };

/** The kind of a vintage that two files speak of; the order of the files makes no difference. */
export function betterKnown(one: KeptKind, other: KeptKind): KeptKind {
  return ranks[one] >= ranks[other] ? one : other;
}

/**
 * The kind of a vintage: as its files imply it; where they leave it open, as metadata states it for the series, and
 * without that a day of publication, which is what a stated as-of date means.
 */
export function kindOf(kept: KeptKind, stated: VintageKind | undefined): VintageKind {
  if (kept === '') return stated ?? 'exact';
  return kept === 'unknown' ? (stated ?? kept) : kept;
}

/** The kinds of a series' vintages as a text: `sampled`, or `exact; sampled` for a series that has both. */
export function kindsText(kinds: Iterable<VintageKind>): string {
  const held = new Set(kinds);
  return vintageKinds.filter((kind) => held.has(kind)).join('; ');
}
