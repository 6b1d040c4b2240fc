import type { DatedChange } from '../../domain/series/revision-history.ts';
import { frequencyOn, unitOn } from '../../domain/series/series.ts';
import type { Day, Frequency } from '../../domain/values/date.ts';
import type { Series, StoreView } from '../../store/store.ts';
import type { Operation } from '../operation.ts';
import { param, periodRange, seriesIdParam } from '../param.ts';
import { flag } from '../value.ts';
import { existing } from './series.ts';

const described = param(flag, 'Add units and frequencies.', undefined);
const params = { id: seriesIdParam(), ...periodRange, described };

/** All that was published of a series, or of some of its dates. */
type HistoryRow = {
  readonly first_vintage: Day;
  /** Newest date first, and each date's oldest change first. */
  readonly changes: readonly DatedChange[];
  /** Oldest first. */
  readonly vintages: readonly { readonly asOf: Day; readonly kind: string }[];
  /** How it was described from the first vintage on, and from each that was described in another way, if asked for. */
  readonly descriptions: readonly ({ readonly asOf: Day } & Described)[];
};

type Described = { readonly unit: string; readonly frequency: Frequency };

/**
 * Everything that was published of a series, as one row without the names and sources that revisions repeat in each.
 * Only a store in this process is asked; a service has revisions and vintages.
 */
export const history: Operation<typeof params, HistoryRow> = {
  name: 'history',
  command: { words: 'history', heading: 'Series' },
  summary: 'Read all that was published of a series',
  description: 'Changes, newest date first, and vintages, oldest first.',
  // A failure names what a service has.
  path: '/v1/series/{id}/revisions',
  object: 'history',
  members: ['covered_to'],
  params,
  fields: [
    { name: 'first_vintage', type: 'day', description: 'The first vintage.' },
    { name: 'changes', type: 'records', description: 'The changes of each date.', knownBy: 'asOf' },
    { name: 'vintages', type: 'records', description: 'The vintages.', knownBy: 'asOf' },
    { name: 'descriptions', type: 'records', description: 'Unit and frequency.', knownBy: 'asOf' },
  ],
  columns: ['first_vintage', 'changes', 'vintages', 'descriptions'],
  example: { id: 'GDP' },
  knownBy: 'first_vintage',
  needsVintageAccess: () => true,
  async run({ id, from, to, described }, { view }) {
    const [page, onDay] = await Promise.all([
      view.series.history({ seriesId: id, from, to }),
      described === true ? describedOnDays(view, id) : undefined,
    ]);
    const { series, rows: changes, vintages } = existing(page, id);
    const descriptions: HistoryRow['descriptions'][number][] = [];
    for (const { asOf } of vintages) {
      const [now, before] = [onDay?.(series, asOf), descriptions.at(-1)];
      if (now !== undefined && (now.unit !== before?.unit || now.frequency !== before.frequency))
        descriptions.push({ asOf, ...now });
    }
    const { firstVintage, coveredTo } = series;
    return {
      rows: [{ first_vintage: firstVintage, changes, vintages, descriptions }],
      covered_to: coveredTo,
    };
  },
};

/** Returns the unit and the frequency of a series on a day. */
export type DescribedOnDays = (series: Pick<Series, 'frequency' | 'units'>, day: Day) => Described;

/** Reads how a series was described on each day; a frequency that nobody states is the one implied on the day. */
export async function describedOnDays(view: Pick<StoreView, 'series'>, id: string): Promise<DescribedOnDays> {
  const [frequencies, changes] = await Promise.all([
    view.series.impliedFrequencies(id),
    view.series.descriptionChanges(id),
  ]);
  return ({ units, frequency }, day) => ({
    unit: unitOn(day, units, changes),
    frequency: frequencies.length === 0 ? frequency : frequencyOn(frequencies, day),
  });
}
