import {
  addDays,
  type Day,
  dayInWords,
  dayOf,
  type Frequency,
  type KnownFrequency,
  monthInWords,
  parseDay,
  periodStart,
  weekdayFrom,
} from './date.ts';

type Form = {
  readonly frequency: KnownFrequency;
  /** Has the groups `year` and, unless the period is a year, `part`. */
  readonly pattern: RegExp;
  /** The months of a period; weeks have none. */
  readonly months?: number;
};

const forms: readonly Form[] = [
  { frequency: 'A', pattern: /^(?<year>\d{4})(?:-A1)?$/, months: 12 },
  { frequency: 'SA', pattern: /^(?<year>\d{4})-?[SH](?<part>[12])$/i, months: 6 },
  { frequency: 'Q', pattern: /^(?<year>\d{4})[-:]?Q(?<part>[1-4])$/i, months: 3 },
  { frequency: 'Q', pattern: /^Q(?<part>[1-4])[- ](?<year>\d{4})$/i, months: 3 },
  { frequency: 'M', pattern: /^(?<year>\d{4})(?:[-:]M?|M)(?<part>\d{2})$/i, months: 1 },
  { frequency: 'W', pattern: /^(?<year>\d{4})-?W(?<part>\d{2})$/i },
];

/**
 * Parses a period of SDMX and of publishers' tables: `2015-Q1`, `2000q2`, `Q1 1955`, `1947:Q1`, `1947:01`, `2026-03`,
 * `2026-M03`, `1995-S1`, `1995-H1`, `2013-W01`, `1991` or a day; undefined for any other text.
 */
export function parsePeriod(
  text: string,
): { readonly start: Day; readonly frequency: KnownFrequency } | undefined {
  const day = parseDay(text);
  if (day !== undefined) return { start: day, frequency: 'D' };
  for (const { frequency, pattern, months } of forms) {
    const { year, part = '1' } = pattern.exec(text)?.groups ?? {};
    if (year === undefined) continue;
    const start =
      months === undefined
        ? weekStart(Number(year), Number(part))
        : dayOf(Number(year), (Number(part) - 1) * months + 1, 1);
    return start === undefined ? undefined : { start, frequency };
  }
  return undefined;
}

/** Returns the Monday of a week of ISO 8601, whose first week has 4 January; undefined for a week that does not exist. */
function weekStart(year: number, week: number): Day | undefined {
  const fourth = dayOf(year, 1, 4);
  if (fourth === undefined || week < 1) return undefined;
  const monday = addDays(weekdayFrom(addDays(fourth, -6), 'monday'), 7 * (week - 1));
  // The Thursday of a week is in the week's year.
  return Number(addDays(monday, 3).slice(0, 4)) === year ? monday : undefined;
}

/** Returns the period of a date in words: `2008 Q4`, `October 2008`, or a day. */
export function periodInWords(date: Day, frequency: Frequency): string {
  // A fiscal year, or the end of a week, is known by its day.
  if (periodStart(date, frequency) !== date || !date.endsWith('-01')) return dayInWords(date);
  const [year, month] = [date.slice(0, 4), Number(date.slice(5, 7))];
  if (frequency === 'A') return year;
  if (frequency === 'SA') return `${year} H${month < 7 ? 1 : 2}`;
  if (frequency === 'Q') return `${year} Q${Math.ceil(month / 3)}`;
  return frequency === 'M' ? monthInWords(date) : dayInWords(date);
}

/** SDMX codes of frequencies; business days are daily. */
const codes: Readonly<Record<string, KnownFrequency>> = {
  ...{ A: 'A', S: 'SA', H: 'SA', Q: 'Q', M: 'M', W: 'W', D: 'D', B: 'D' },
};

/** Returns the frequency of an SDMX code, such as `Q` or `H`; undefined for any other text. */
export function sdmxFrequency(code: string): KnownFrequency | undefined {
  return codes[code.toUpperCase()];
}
