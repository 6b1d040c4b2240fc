import type { StoreView } from '../store/store.ts';
import type { PullCounts } from './options.ts';

/** The words for counts of vintages. */
export const vintageWords = {
  new_vintages: ['new vintage', 'new vintages'],
  new_dates: ['new date', 'new dates'],
  revised: ['revised', 'revised'],
  withdrawn: ['withdrawn', 'withdrawn'],
} as const;

/** Counts the stored vintages of a series, and what they changed. */
export async function countVintages(seriesId: string, view: StoreView): Promise<PullCounts> {
  const page = await view.series.vintages({ seriesId, limit: Number.MAX_SAFE_INTEGER });
  const counts = { new_vintages: 0, new_dates: 0, revised: 0, withdrawn: 0 };
  for (const { added, revised, withdrawn } of page?.rows ?? []) {
    counts.new_vintages += 1;
    counts.new_dates += added;
    counts.revised += revised;
    counts.withdrawn += withdrawn;
  }
  return counts;
}
