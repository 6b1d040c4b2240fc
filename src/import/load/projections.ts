import { type Day, periodStart } from '../../domain/series/date.ts';
import type { Statement } from '../../domain/series/revision-history.ts';
import type { Problem } from '../../errors/problem.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import type { ImportFormat } from '../formats/format.ts';
import type { Registry } from './registry.ts';

/** A value whose date is later than the day on which it was known. */
type LateDate = Pick<Statement, 'seriesId' | 'date' | 'asOf'>;

/** Collects the projections of one file: values of periods that begin after the day on which they were known. */
export class Projections {
  readonly #late: LateDate[] = [];

  /** Takes a statement of the series that the store knows as `id`. */
  add(id: string, { date, asOf, value }: Statement): void {
    if (value !== null && date > asOf) this.#late.push({ seriesId: id, date, asOf });
  }

  /** The projections among the statements taken: a quarter that is dated by its last month begins earlier than its date. */
  async found(registry: Registry): Promise<readonly LateDate[]> {
    const frequencies = await registry.frequencies(new Set(this.#late.map(({ seriesId }) => seriesId)));
    return this.#late.filter(
      ({ seriesId, date, asOf }) => periodStart(date, frequencies.get(seriesId) ?? '') > asOf,
    );
  }
}

/**
 * Whether a person or another program dated the statements of a file, and not their publisher: then a date after the day
 * of publication is probably a mistake.
 */
export function isDatedByHand({ takesAsOf, statesAsOf }: ImportFormat, asOf: Day | undefined): boolean {
  return statesAsOf === 'by hand' || (takesAsOf && asOf !== undefined);
}

/** The refusal of a file for its projections. */
export function projectionsRefused(file: SourceFile, found: readonly LateDate[]): Problem {
  const [first] = [...found].sort((a, b) => (a.date < b.date ? -1 : 1));
  const dates = new Set(found.map(({ date }) => date)).size;
  const days = new Set(found.map(({ asOf }) => asOf));
  const begin = dates === 1 ? '1 date begins' : `${dates} dates begin`;
  const after =
    days.size === 1 ? `after ${first?.asOf}` : 'after the day as of which their values are stated';
  const example = `the first is ${first?.date} of ${first?.seriesId}${days.size === 1 ? '' : ` as of ${first?.asOf}`}`;
  const question =
    days.size === 1 ? 'was the file downloaded that day?' : 'are these the days of publication?';
  return refusal(file, {}, `${begin} ${after} (${example}); ${question}`, [
    '--projections accepts values of periods that had not begun, such as potential output and survey medians',
  ]);
}
