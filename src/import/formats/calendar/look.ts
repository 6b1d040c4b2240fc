import { type Sighting, sortedEntries } from '../../../domain/calendar/sighting.ts';
import { addDays, type Day, dayOf, earlier, later } from '../../../domain/values/date.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import type { ReadOptions } from '../format.ts';

type LookTime = Pick<Sighting, 'seenAt'> & { readonly day: Day };

/** What the content of a calendar says of its age. */
type WrittenCalendar = {
  /** The day on which its publisher wrote it, from which it was known. */
  readonly published?: Day | undefined;
  /** The latest day on which a part of it was written; it was seen no earlier. */
  readonly changed?: Day | undefined;
};

/**
 * Returns when a calendar was looked at: by the options, or else by its name or content.
 * Throws if none of them says it, or if the content was written later.
 */
export function lookTime(
  file: SourceFile,
  { asOf, seenAt }: ReadOptions,
  { published, changed = published }: WrittenCalendar = {},
): LookTime {
  const time = seenAt ?? asOf ?? dayInName(file.name) ?? published;
  if (time === undefined)
    throw refusal(
      file,
      {},
      'a calendar shows what was planned on the day of its download, which the file does not state; pass --as-of',
      ['asof import FILE --as-of YYYY-MM-DD', 'or put the day into its name, such as bls-2025-10-01.ics'],
    );
  const day = time.slice(0, 10);
  // The days of two zones differ by one at most.
  if (changed !== undefined && changed > addDays(day, 1))
    throw refusal(
      file,
      { value: day },
      `the calendar was written later, on ${changed}, and was not seen on this day`,
      ['pass the day of the download with --as-of'],
    );
  return { seenAt: time, day };
}

/** Finds the one day in a file name: `bls-2025-10-01.ics`, `bls_20251001.ics`. */
function dayInName(name: string): Day | undefined {
  const [found, ...others] = name.matchAll(/(?<!\d)(\d{4})([-_.]?)(\d\d)\2(\d\d)(?!\d)/g);
  if (found === undefined || others.length > 0) return undefined;
  const [, year, , month, day] = found;
  return dayOf(Number(year), Number(month), Number(day));
}

/**
 * Makes the sighting of entries, which cover the days up to the last of them. Plans also cover the days from the look
 * to the first entry, in its year: the next release may be the one that the calendar has dropped.
 */
export function sightingOf(
  look: Pick<Sighting, 'lists' | 'scope' | 'seenAt' | 'source'>,
  entries: Sighting['entries'],
): Sighting {
  const sorted = sortedEntries(entries);
  const [first = '', last = ''] = [sorted[0]?.day, sorted.at(-1)?.day];
  const begin = later(look.seenAt.slice(0, 10), `${first.slice(0, 4)}-01-01`);
  return { ...look, from: look.lists === 'plans' ? earlier(first, begin) : first, to: last, entries: sorted };
}
