import { curve } from './curve.ts';
import { observations } from './observations.ts';
import type { Operation } from './operation.ts';
import { ping } from './ping.ts';
import { seriesSearch, seriesShow } from './series.ts';
import { yields } from './yields.ts';

/** Every question that asof answers. */
export const operations: readonly Operation[] = [ping, seriesSearch, seriesShow, observations, curve, yields];

export { curve, observations, ping, seriesSearch, seriesShow, yields };
