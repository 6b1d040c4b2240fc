import type { QueryAnswer, QueryContext } from '../analysis/answer.ts';
import type { Demands } from '../analysis/basis.ts';
import type { PanelRow, WideRow } from '../analysis/layouts.ts';
import type { AnalysisQuery } from '../analysis/query.ts';
import { transformedContext } from '../analysis/run.ts';
import type { Transformation } from '../domain/series/transformation.ts';
import { inVoice } from '../errors/problem.ts';
import type { Row } from '../operations/envelope.ts';
import { clockAt } from '../operations/value.ts';
import { bind, ofCalls } from '../snapshot/bind.ts';
import { panelQuery, splitDemands } from './analysis-queries.ts';
import { methodNaming } from './call.ts';
import { type AnswerSource, type Result, resultOf } from './operation-methods.ts';
import type { PanelParams } from './panel-params.ts';

/** What analyses ask with. */
export type AnalysisSource = AnswerSource & {
  readonly clock: () => Date;
};

/** The analyses: answers that are composed from several requests, from one state of the data. */
export class Analyses {
  readonly #source: AnalysisSource;

  constructor(source: AnalysisSource) {
    this.#source = source;
  }

  /**
   * Several series side by side as known on one day; with `asOfEach`, the newest value of each known on each day of a
   * rhythm. An id with `*` means every series whose id matches. With `wide` there is a column for each series.
   */
  async panel(
    ids: string | readonly string[],
    params: PanelParams & { readonly wide: true },
  ): Promise<Result<WideRow>>;
  async panel(
    ids: string | readonly string[],
    params?: PanelParams & { readonly wide?: false | undefined },
  ): Promise<Result<PanelRow>>;
  async panel(ids: string | readonly string[], params?: PanelParams): Promise<Result<PanelRow | WideRow>>;
  async panel(
    ids: string | readonly string[],
    params: PanelParams = {},
  ): Promise<Result<PanelRow | WideRow>> {
    const { demands, own } = splitDemands(params);
    const clock = clockAt(this.#source.clock());
    const query = inVoice(methodNaming, () => panelQuery([ids].flat(), own, clock));
    const { wide } = query;
    if (query.kind === 'panel') {
      const { answerLongPanel, answerWidePanel } = await import('../analysis/panel.ts');
      const bound = this.#bound(query);
      return wide
        ? this.#result(demands, (context) => answerWidePanel(bound, context), bound.transformation)
        : this.#result(demands, (context) => answerLongPanel(bound, context), bound.transformation);
    }
    const bound = this.#bound(query);
    const { answerLongRealTimePanel, answerWideRealTimePanel } = await import(
      '../analysis/real-time-panel.ts'
    );
    return wide
      ? this.#result(demands, (context) => answerWideRealTimePanel(bound, context))
      : this.#result(demands, (context) => answerLongRealTimePanel(bound, context));
  }

  /** The query, bound to the day of every answer if there is one. */
  #bound<Q extends AnalysisQuery>(query: Q): Q {
    const { asOf } = this.#source;
    return asOf === undefined ? query : bind(query, asOf, ofCalls(this.#source.naming)).query;
  }

  /** The result of an answer, with transformed values if a transformation is given. */
  #result<R extends Row>(
    demands: Demands,
    answer: (context: QueryContext) => Promise<QueryAnswer<R>>,
    transformation?: Transformation,
  ): Promise<Result<R>> {
    const { signal, naming, onNote, allow } = this.#source;
    return resultOf(this.#source, demands, async ({ client, basis }) => {
      const context = {
        ...{ client, basis, signal, naming, explained: true },
        ...(onNote && { note: onNote }),
        ...(allow && { allow }),
      };
      return answer(await transformedContext({ transformation }, context));
    });
  }
}
