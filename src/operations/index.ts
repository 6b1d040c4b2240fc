import { figures } from './figures.ts';
import { insiderClusterExplanations, insiderClusterSignals, insiderClusters } from './insiders/clusters.ts';
import { insiderFilings } from './insiders/filings.ts';
import type { Operation } from './operation.ts';

const table = [
  ...figures,
  insiderFilings,
  insiderClusters,
  insiderClusterExplanations,
  insiderClusterSignals,
] as const;

/** An operation of asof, with the types of its parameters and rows. */
export type KnownOperation = (typeof table)[number];

/** Every operation of asof. */
export const operations: readonly Operation[] = table;
