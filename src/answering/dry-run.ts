import { largestPage } from '../client/pagination.ts';
import { throttled } from '../client/throttling.ts';
import { dayNumber, parseDay } from '../domain/values/date.ts';
import { counted } from '../errors/wording.ts';
import type { Row } from '../operations/envelope.ts';
import { seriesShow } from '../operations/series/series.ts';
import type { Ask } from './answer.ts';
import { eachOf } from './composed.ts';
import type { Query, Reading } from './question.ts';

/** Says in words how many requests an answer takes at most; asks for descriptions of its series. */
export async function mostRequests({ question, values }: Query, context: Ask): Promise<string> {
  const client = throttled(context.client, context.signal, () => undefined);
  const watch = await client.watch();
  const counting = { ...context, client };
  const reading = await question.reading?.(values, counting);
  if (reading === undefined) throw new Error(`${question.name} has no dry run`);
  const found = client.requests();
  const described = await eachOf(reading.series, counting, async ({ id, row }) =>
    mostOfOne(row ?? (await client.ask(seriesShow, [['id', id]])).results[0], reading),
  );
  const together = 'panels' in reading ? reading.panels : 0;
  const most = described.reduce((sum, one) => sum + one, found + together + watch.requests());
  return `this ${question.name} takes at most ${counted(most, 'request')}`;
}

function mostOfOne(row: Row | undefined, reading: Reading): number {
  if ('panels' in reading) return 1;
  const dates = Number(row?.observation_count ?? 0);
  // One page more: an earlier vintage may have dates that were withdrawn since.
  if ('asOf' in reading) return 1 + reading.asOf * (1 + Math.ceil(dates / largestPage));
  // Each page of published values has at least one date. A service without them is asked day by day;
  // with a demand for exact vintages twice, and about the last day.
  return 3 + vintagePages(row) + Math.max(dates, 2 * reading.days);
}

function vintagePages(row: Row | undefined): number {
  const [first, last] = [row?.first_vintage, row?.last_vintage].map((cell) => parseDay(String(cell ?? '')));
  if (first === undefined || last === undefined) return 1;
  return Math.ceil((dayNumber(last) - dayNumber(first) + 1) / largestPage);
}
