import type { QueryAnswer } from '../analysis/answer.ts';
import { withSuggestion } from '../analysis/series-ids.ts';
import type { Client } from '../client/client.ts';
import { restartOnChange } from '../client/consistency.ts';
import type { Day } from '../domain/series/date.ts';
import type { Coverage, Envelope, Row, SeriesSummary } from '../operations/envelope.ts';

/** The rows of an answer. Days are `YYYY-MM-DD`, numbers of facts are exact decimal texts, missing is null. */
export type Result<R> = {
  readonly rows: readonly R[];
  /** Identifies the request, to quote in support requests; of several requests the first. */
  readonly requestId: string;
  /** The as-of date, where one was asked for. */
  readonly asOf?: Day;
  /** The series of observations that were asked for as of a date. */
  readonly series?: SeriesSummary;
  /** What the series covers, in answers about vintages. */
  readonly coverage?: Coverage;
  /** Whether there are more rows than `limit`. */
  readonly hasMore: boolean;
  /** Continues where `limit` cut the rows off. */
  readonly nextCursor?: string;
};

/** What methods ask with. */
export type AnswerSource = { readonly client: Client; readonly signal: AbortSignal };

/** Reads all pages of an answer, again from the beginning where the data changes meanwhile. */
export function resultOf<R extends Row>(
  source: AnswerSource,
  ask: () => Promise<Pick<QueryAnswer<R>, 'failures' | 'pages'>>,
): Promise<Result<R>> {
  return restartOnChange(async () => {
    const { pages, failures } = await ask();
    const rows: R[] = [];
    let [first, last]: (Envelope<R> | undefined)[] = [];
    for await (const page of pages) {
      for (const row of page.results) rows.push(row);
      first ??= page;
      last = page;
    }
    const [failure] = failures;
    // An answer about some of several series would be silently short.
    if (failure !== undefined) throw await withSuggestion(failure.error, failure.id, source);
    return {
      rows,
      requestId: first?.request_id ?? '',
      ...(first?.as_of !== undefined && { asOf: first.as_of }),
      ...(first?.series !== undefined && { series: first.series }),
      ...(first?.coverage !== undefined && { coverage: first.coverage }),
      hasMore: last?.has_more === true,
      ...(last?.next_cursor !== undefined && { nextCursor: last.next_cursor }),
    };
  });
}
