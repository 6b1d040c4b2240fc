import { curve } from './curve.ts';
import { observations } from './observations.ts';
import { ping } from './ping.ts';
import { revisions } from './revisions.ts';
import { seriesSearch, seriesShow } from './series.ts';
import { spread } from './spread.ts';
import { vintages } from './vintages.ts';
import { yields } from './yields.ts';

/**
 * The operations about series and rates: all that a plain query loads, so that it starts without the insider
 * operations.
 */
export const figures = [
  ping,
  seriesSearch,
  seriesShow,
  observations,
  revisions,
  vintages,
  curve,
  yields,
  spread,
] as const;

export { curve, observations, ping, revisions, seriesSearch, seriesShow, spread, vintages, yields };
