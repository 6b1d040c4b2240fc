import { allFilings, allPoints, digestOfSeries } from '../../src/maintenance/digest.ts';
import { reading } from './scratch-store.ts';

/** Everything that a store holds but its log: a digest of each series, its figures, the rates and the filings. */
export function contentOf(address: string) {
  return reading(address, async (view) => {
    const series: unknown[] = [];
    for (const id of await view.contents.seriesIds())
      series.push([id, await digestOfSeries(view, id), (await view.contents.series(id))?.figures]);
    const others: unknown[] = [];
    for await (const points of allPoints(view)) others.push(...points);
    for await (const filings of allFilings(view)) others.push(...filings);
    return { series, others, symbols: await view.filings.symbols(), followed: await view.sources.followed() };
  });
}
