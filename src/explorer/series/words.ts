import { thenAndNow } from '../../domain/series/in-words.ts';
import { rounded } from '../../domain/values/arithmetic.ts';
import type { Day, Frequency } from '../../domain/values/date.ts';
import type { LoadedSeries } from '../history.ts';
import { cell, type ServedRow } from '../page-service.ts';
import { unitChoices } from '../state.ts';
import type { ShownValues } from './shown-values.ts';

/** Says what a value of a series was on a day, and what it is today; empty if it is not known on both. */
export function sentenceOf(
  series: LoadedSeries,
  values: ShownValues,
  day: Day,
  date: Day | undefined,
): string {
  const { id, about, history } = series;
  const spoken = date ?? history.newestOn(day);
  if (spoken === undefined) return '';
  const then = values.valueOn(day, spoken)?.value;
  const now = values.latest[history.indexOf(spoken)];
  if (then === undefined || !now) return '';
  const { units, unit } = values;
  const name = units === 'lin' ? id : `${id} (${unitChoices.find(([one]) => one === units)?.[1]})`;
  const frequency = cell(about, 'frequency') as Frequency;
  // A computed value has more decimals than one reads.
  const shorter = (value: string) => (units === 'lin' ? value : rounded(value, 2));
  const subject = { name, date: spoken, frequency, unit };
  return `${thenAndNow(subject, { day, value: shorter(then) }, { day: 'latest', value: shorter(now) })}.`;
}

/** Says when the next figure is due, and how old the newest is. */
export function nextText(row: ServedRow | undefined): string {
  const [due, time, zone, certainty, ago] = ['due', 'time', 'zone', 'certainty', 'days_ago'].map((name) =>
    cell(row, name),
  );
  const when = time === '' ? due : `${due} at ${time} (${zone})`;
  return `Next release: ${when}, ${certainty}. The newest figure is ${ago} ${ago === '1' ? 'day' : 'days'} old.`;
}

/** Says when the data of a series end, for a day after it. */
export function noteOn(day: Day, { id, about }: LoadedSeries): string {
  const covered = cell(about, 'covered_to');
  return covered !== '' && day > covered ? `The data cover ${id} to ${covered}.` : '';
}

/** Says what the vintage at a position changed; positions before the first have none. */
export function vintageText(vintages: readonly ServedRow[], position: number): string {
  const row = vintages[position];
  if (row === undefined) return 'before the first vintage';
  const changes = ['added', 'revised', 'withdrawn'].flatMap((name) =>
    Number(row[name]) > 0 ? [`${cell(row, name)} ${name}`] : [],
  );
  const about = changes.join(', ') || 'no changes';
  return `vintage ${position + 1} of ${vintages.length}, ${cell(row, 'as_of_date')}: ${about}`;
}

const kindNotes: Readonly<Record<string, string>> = {
  sampled: '; sampled: values may have been published before the vintage that first has them',
  fetched: '; some were fetched: their values may have been published before that day',
};

/** Says how many vintages there are, their days, and their kind if not all are days of publication. */
export function vintagesText({ vintages, kinds: [kind = ''] }: LoadedSeries): string {
  const [first, last] = [vintages[0], vintages.at(-1)].map((row) => cell(row, 'as_of_date'));
  const range =
    vintages.length === 1 ? `1 vintage of ${first}` : `${vintages.length} vintages from ${first} to ${last}`;
  return range + (kindNotes[kind] ?? '');
}
