import { curve } from './curve.ts';
import { insiderClusterExplanations } from './insider-cluster-explanations.ts';
import { insiderClusterSignals } from './insider-cluster-signals.ts';
import { insiderClusters } from './insider-clusters.ts';
import { insiderFilings } from './insider-filings.ts';
import { observations } from './observations.ts';
import type { Operation } from './operation.ts';
import { ping } from './ping.ts';
import { revisions } from './revisions.ts';
import { seriesSearch, seriesShow } from './series.ts';
import { spread } from './spread.ts';
import { vintages } from './vintages.ts';
import { yields } from './yields.ts';

const table = [
  ping,
  seriesSearch,
  seriesShow,
  observations,
  revisions,
  vintages,
  curve,
  yields,
  spread,
  insiderFilings,
  insiderClusters,
  insiderClusterExplanations,
  insiderClusterSignals,
] as const;

/** One of the operations, with the types of its parameters and rows. */
export type KnownOperation = (typeof table)[number];

/** Every operation of asof. */
export const operations: readonly Operation[] = table;

export {
  curve,
  insiderClusterExplanations,
  insiderClusterSignals,
  insiderClusters,
  insiderFilings,
  observations,
  ping,
  revisions,
  seriesSearch,
  seriesShow,
  spread,
  vintages,
  yields,
};
