import { Option } from 'commander';
import type { Row } from '../../model/envelope.ts';
import { seriesShow } from '../../operations/index.ts';
import { type Wanted, wantedSeries, withSuggestion } from '../ids.ts';
import type { Session } from '../session.ts';
import type { QueryCommand } from './query.ts';

/** `asof observations`: several series, patterns, and a word where the as-of day is outside of what is covered. */
export const observationsCommand: QueryCommand = {
  addFlags: (command) => {
    command
      .alias('obs')
      .addOption(
        new Option('--sort <order>', 'by date')
          .choices(['desc', 'asc'])
          .default('desc', 'desc: newest first'),
      );
  },
  async questions(typed, given, _flags, session) {
    const wanted = await wantedSeries(session.client, typed);
    const asOf = given.find(([name]) => name === 'as_of')?.[1];
    if (asOf !== undefined) await noteCoverage(wanted, asOf, session);
    return wanted.map(({ id }) => ({ given: [['id', id], ...given], label: id }));
  },
  explain: ({ label, error }, { client }) => withSuggestion(client, label, error),
};

/** Says when the as-of day lies before a series' first vintage, or after the last day that the store speaks for. */
async function noteCoverage(
  wanted: readonly Wanted[],
  asOf: string,
  { client, talk }: Session,
): Promise<void> {
  const outside: string[] = [];
  for (const { id, row } of wanted) {
    // An unknown series is the question's own failure; coverage has nothing to add to it.
    const found = row ?? (await client.ask(seriesShow, [['id', id]]).catch(() => undefined))?.results[0];
    const reason = found && outsideCoverage(found, asOf);
    if (reason !== undefined) outside.push(`${id} ${reason}`);
  }
  if (outside.length <= 3) for (const line of outside) talk.note(`asof: ${line}`);
  else talk.note(`asof: ${outside.length} of ${wanted.length} series: ${outside.slice(0, 3).join(', ')}, …`);
}

function outsideCoverage(row: Row, asOf: string): string | undefined {
  const day = (field: string) => String(row[field] ?? '').slice(0, 10);
  const [first, last] = [day('first_vintage'), day('covered_to')];
  if (first !== '' && asOf < first) return `is covered from ${first}`;
  return last !== '' && asOf > last ? `is covered to ${last}` : undefined;
}
