import { ping } from './ping.ts';
import { curve, spread, yields } from './rates/yields.ts';
import { observations } from './series/observations.ts';
import { revisions } from './series/revisions.ts';
import { seriesSearch, seriesShow } from './series/series.ts';
import { vintages } from './series/vintages.ts';

/** The operations about series and rates, which a plain query loads. */
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
