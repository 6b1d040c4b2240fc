import type { Day } from '../../domain/values/date.ts';
import { groupBy } from '../../domain/values/groups.ts';

type DescribedCounts = { readonly added: number; readonly changed: number; readonly known: number };

/** The counts and notes of one imported file. */
export type FileSummary = {
  readonly file: string;
  readonly kind: string;
  readonly series: number;
  readonly vintages: number;
  /** Filings with trades; their trades count as statements. */
  readonly filings: number;
  readonly statementsNew: number;
  readonly statementsKnown: number;
  readonly withdrawn: number;
  /** Values of periods that begin after the day of publication. */
  readonly projections: number;
  /** The trade dates that were left out on request, if any. */
  readonly skippedDays?: readonly Day[];
  /** The described series, if the file states metadata. */
  readonly described?: DescribedCounts;
  /** The entries of calendars, if the file is one; they count as statements. */
  readonly listed?: number;
  readonly notes: readonly string[];
};

type FileCounts = Pick<FileSummary, 'series' | 'statementsNew' | 'statementsKnown' | 'withdrawn'>;

/** Sums the counts of files. */
export function sumOf(files: readonly FileCounts[]): FileCounts {
  const sum = (key: keyof FileCounts) => files.reduce((all, file) => all + file[key], 0);
  return {
    series: sum('series'),
    statementsNew: sum('statementsNew'),
    statementsKnown: sum('statementsKnown'),
    withdrawn: sum('withdrawn'),
  };
}

/** Joins the summaries of the parts of files into one for each file. */
export function joined(summaries: readonly FileSummary[]): readonly FileSummary[] {
  return Array.from(groupBy(summaries, ({ file }) => file).values(), (parts) => parts.reduce(both));
}

/** Adds the counts of two parts of one file, which have no series in common. */
function both(one: FileSummary, other: FileSummary): FileSummary {
  const described = [one, other].flatMap((part) => part.described ?? []);
  const sum = (key: keyof DescribedCounts) => described.reduce((all, part) => all + part[key], 0);
  return {
    ...other,
    ...one,
    ...sumOf([one, other]),
    vintages: one.vintages + other.vintages,
    filings: one.filings + other.filings,
    projections: one.projections + other.projections,
    ...(described.length > 0 && {
      described: { added: sum('added'), changed: sum('changed'), known: sum('known') },
    }),
    notes: [...new Set([...one.notes, ...other.notes])],
  };
}
