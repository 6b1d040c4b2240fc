import type { QueryAnswer, QueryContext } from './answer.ts';
import { answerPanel, estimatePanel } from './panel.ts';
import type { AnalysisQuery } from './query.ts';
import { answerRealTimePanel, estimateRealTimePanel } from './real-time-panel.ts';

/** Answers a query that takes more than the rows of one operation. */
export async function answerAnalysis(query: AnalysisQuery, context: QueryContext): Promise<QueryAnswer> {
  switch (query.kind) {
    case 'panel':
      return answerPanel(query, context);
    case 'real-time-panel':
      return answerRealTimePanel(query, context);
  }
}

/**
 * The number of requests that the answer to a diff or a panel takes, in words; makes the requests that are needed to
 * find out.
 */
export async function estimate(query: AnalysisQuery, context: QueryContext): Promise<string> {
  switch (query.kind) {
    case 'panel':
      return estimatePanel(query, context);
    case 'real-time-panel':
      return estimateRealTimePanel(query, context);
  }
}
