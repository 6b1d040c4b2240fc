import { counted } from '../errors/wording.ts';
import type { Row } from '../operations/envelope.ts';
import type { Field } from '../operations/field.ts';
import type { Followed } from '../store/followed.ts';
import type { PulledSubject, PullSummary } from './options.ts';
import type { PullCounts } from './source.ts';
import { pullSources } from './sources.ts';

/** A subject in a line: `GDP  2 new vintages, 1 new date, 1 revised, 1 request`. */
export function subjectLine({ source, name, outcome, counts, requests, left, notes }: PulledSubject): string {
  const words = pullSources.find((one) => one.name === source)?.counted ?? {};
  const asked = counted(requests, 'request');
  const news = countsText(counts, words);
  switch (outcome) {
    case 'planned':
      return `${name}  ${asked}: ${notes.join('; ')}`;
    case 'pulled':
    case 'nothing-new':
      return `${name}  ${news === '' ? 'nothing new' : news}, ${asked}`;
    case 'left':
      return `${name}  ${news === '' ? '' : `${news}, `}${asked}; left: ${left}`;
    case 'conflict':
    case 'failed':
      return `${name}  ${news === '' ? '' : `${news}, `}${asked}; failed: ${left}`;
  }
}

function countsText(
  counts: PullCounts,
  words: Readonly<Record<string, readonly [one: string, several: string]>>,
): string {
  return Object.entries(words)
    .filter(([name]) => (counts[name] ?? 0) > 0)
    .map(([name, [one, several]]) => counted(counts[name] ?? 0, one, several))
    .join(', ');
}

/** What a pull did as a whole, in lines. */
export function summaryLines(summary: PullSummary): readonly string[] {
  const { subjects, requests, seconds, dryRun, created, store } = summary;
  const asked = counted(requests, 'request');
  if (dryRun)
    return [`dry run: nothing was asked; at least ${asked}, which take at least ${durationText(seconds)}`];
  const done = subjects.filter(({ outcome }) => outcome === 'pulled' || outcome === 'nothing-new');
  const totals = pullSources.flatMap(({ name, counted }) => {
    const own = subjects.filter(({ source }) => source === name);
    const total = Object.fromEntries(
      Object.keys(counted).map((key) => [key, own.reduce((sum, { counts }) => sum + (counts[key] ?? 0), 0)]),
    );
    const text = countsText(total, counted);
    return text === '' ? [] : [text];
  });
  // Of a source that did not answer, nobody knows whether it has something new.
  const news = totals.length > 0 ? [totals.join(', ')] : done.length > 0 ? ['nothing new'] : [];
  const pulled = [`pulled ${done.length} of ${subjects.length}`, ...news].join(': ');
  return [
    `${pulled}; ${asked} in ${durationText(seconds)}`,
    ...leftLine(summary),
    ...(created ? [`made a new store: ${store}`] : []),
  ];
}

const mostNamed = 5;

function leftLine({ subjects, outOfTime, stored }: PullSummary): readonly string[] {
  // What a source does not know is not followed, and a contradiction is not for the next run to solve.
  const left = subjects.filter(
    ({ outcome, problem }) => outcome === 'left' || (outcome === 'failed' && problem?.kind !== 'not-found'),
  );
  if (left.length === 0) return [];
  const named = left.slice(0, mostNamed).map(({ name, left: what }) => `${name} (${what})`);
  const more = left.length > mostNamed ? [`${left.length - mostNamed} more`] : [];
  const why = outOfTime ? 'out of time; ' : '';
  const next = stored
    ? 'asof pull goes on from there'
    : 'there is no store yet, and the same command begins again';
  return [`${why}left: ${[...named, ...more].join(', ')}; ${next}`];
}

function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 120 ? `${whole} s` : `${Math.ceil(whole / 60)} min`;
}

/** The summary as the JSON of `asof pull --json`. */
export function summaryJson(summary: PullSummary): object {
  const { subjects, stops, ...whole } = summary;
  return {
    object: 'pull',
    store: whole.store,
    created: whole.created,
    dry_run: whole.dryRun,
    complete: stops.length === 0 && subjects.every(({ left, outcome }) => left === '' && outcome !== 'left'),
    out_of_time: whole.outOfTime,
    requests: whole.requests,
    seconds: Math.round(whole.seconds * 1000) / 1000,
    results: subjects.map(({ source, name, outcome, counts, requests, upTo, left, notes, problem }) => ({
      source,
      name,
      outcome,
      ...counts,
      requests,
      up_to: upTo ?? null,
      left,
      notes,
      ...(problem !== undefined && { problem: { kind: problem.kind, detail: problem.detail } }),
    })),
    stops: stops.map(({ source, problem: { kind, detail, retryAfter } }) => ({
      source,
      kind,
      detail,
      retry_after: retryAfter ?? null,
    })),
  };
}

/** The table of `asof pull --list`. */
export const followedTable = {
  fields: [
    { name: 'source', type: 'text', description: 'The live source.' },
    { name: 'name', type: 'text', description: 'What the store follows there.' },
    { name: 'since', type: 'text', description: 'When following began.' },
    { name: 'up_to', type: 'text', description: 'The last day that the store covers.', nullable: true },
    { name: 'last_run', type: 'text', description: 'When the source last answered.', nullable: true },
    { name: 'left', type: 'text', description: 'What the last run left undone.', nullable: true },
  ] satisfies readonly Field[],
  row: ({ source, name, since, upTo, lastRun, left }: Followed): Row => ({
    source,
    name,
    since,
    up_to: upTo ?? null,
    last_run: lastRun ?? null,
    left: left === '' ? null : left,
  }),
};

/** The columns of `asof pull fred --search`. */
export const listingFields: readonly Field[] = [
  { name: 'id', type: 'text', description: 'Id of the series.' },
  { name: 'title', type: 'text', description: 'Title.' },
  { name: 'units', type: 'text', description: 'Units.' },
  { name: 'frequency', type: 'text', description: 'Frequency.' },
  { name: 'seasonal_adjustment', type: 'text', description: 'Seasonal adjustment.' },
  { name: 'popularity', type: 'integer', description: 'Popularity at FRED, 0 to 100.', nullable: true },
  { name: 'observation_start', type: 'text', description: 'First date with a value.' },
  { name: 'observation_end', type: 'text', description: 'Last date with a value.' },
];
