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
  const together = reading.reads === 'together' ? 1 : 0;
  const most = described.reduce((sum, one) => sum + one, found + together + watch.requests());
  return `this ${question.name} takes at most ${counted(most, 'request')}`;
}

function mostOfOne(row: Row | undefined, { reads }: Reading): number {
  if (reads === 'together') return 1;
  const dates = Number(row?.observation_count ?? 0);
  // One page more: an earlier vintage may have dates that were withdrawn since.
  if (reads !== 'histories') return 1 + reads * (1 + Math.ceil(dates / largestPage));
  const [first, last] = [row?.first_vintage, row?.last_vintage].map((cell) => parseDay(String(cell ?? '')));
  const days = first === undefined || last === undefined ? 1 : dayNumber(last) - dayNumber(first) + 1;
  // Each page of a history has at least one date. A demand for exact vintages also asks about the last day.
  return 4 + Math.ceil(days / largestPage) + dates;
}
