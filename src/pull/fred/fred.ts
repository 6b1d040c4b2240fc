import { parseSeriesId } from '../../domain/series/series.ts';
import { Problem } from '../../errors/problem.ts';
import { isCurveColumn } from '../../import/formats/treasury/csv.ts';
import type { Followed } from '../../store/followed.ts';
import type { StoreView } from '../../store/store.ts';
import type { Getter } from '../getter.ts';
import type { PullCounts, PullSource } from '../source.ts';
import { FredApi, fredAccess } from './api.ts';
import { FredHistory, readBookmark } from './history.ts';

const release = /^release (\d{1,9})$/;

/** FRED and ALFRED; a subject is the id of a series. */
export const fred: PullSource = {
  name: 'fred',
  title: 'FRED',
  pace: [
    // Three arrive within a second only if one is 200 ms late.
    { requests: 1, milliseconds: 600 },
    { requests: 100, milliseconds: 60_500 },
  ],
  probe: '/series?series_id=GDP&file_type=json',
  wants: 'key',
  counted: {
    new_vintages: ['new vintage', 'new vintages'],
    new_dates: ['new date', 'new dates'],
    revised: ['revised', 'revised'],
    withdrawn: ['withdrawn', 'withdrawn'],
  },
  access: fredAccess,
  resolve,
  estimate,
  count,
  windows: (task) => new FredHistory(task).windows(),
};

async function resolve(typed: readonly string[], get: Getter['get'] | undefined): Promise<readonly string[]> {
  const names: string[] = [];
  for (const text of typed) {
    const number = release.exec(text)?.[1];
    if (number === undefined) names.push(seriesId(text));
    else if (get === undefined) names.push(text);
    else {
      const listed = await new FredApi(get).listing({ release: Number(number) });
      names.push(...listed.map(({ id }) => id).filter((id) => !isCurveColumn(id)));
    }
  }
  return names;
}

function seriesId(text: string): string {
  const id = parseSeriesId(text);
  if (id === undefined) throw new Problem('bad-input', `${JSON.stringify(text)}: not a series id`);
  if (isCurveColumn(id))
    throw new Problem('bad-input', `${id} is a maturity of a treasury curve, which asof keeps as a curve`, {
      hints: ['asof pull treasury'],
    });
  return id;
}

function estimate({ name, bookmark }: Followed): { readonly requests: number; readonly what: string } {
  if (release.test(name))
    return { requests: 1, what: 'the list of its series, then at least 3 requests for each' };
  const known = readBookmark(bookmark);
  if (known === undefined)
    return { requests: 3, what: 'the description, the vintage dates, and every vintage' };
  if (known.fetched === true) return { requests: 1, what: 'what FRED has today' };
  return { requests: 1, what: `what is new since ${known.vintage ?? 'the beginning'}` };
}

async function count(seriesId: string, view: StoreView): Promise<PullCounts> {
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
