import type { Asking, QueryAnswer } from './answer.ts';
import { answerCurve } from './curve.ts';
import { answerDiff, estimateDiff } from './diff.ts';
import { answerPanel, estimatePanel } from './panel.ts';
import type { AnalysisQuery } from './query.ts';
import { answerRealTimePanel, estimateRealTimePanel } from './real-time-panel.ts';
import { answerRevisions } from './revisions.ts';
import { answerVintages } from './vintages.ts';
import { answerYieldTable } from './yield-table.ts';

/** Answers a query that takes more than the rows of one operation. */
export async function answerAnalysis(query: AnalysisQuery, asking: Asking): Promise<QueryAnswer> {
  switch (query.kind) {
    case 'revisions':
      return answerRevisions(query, asking);
    case 'vintages':
      return answerVintages(query, asking);
    case 'curve':
      return answerCurve(query, asking);
    case 'yield-table':
      return answerYieldTable(query, asking);
    case 'diff':
      return answerDiff(query, asking);
    case 'panel':
      return answerPanel(query, asking);
    case 'real-time-panel':
      return answerRealTimePanel(query, asking);
  }
}

/** How many requests the answer to a diff or a panel takes, in words; makes those that it takes to find out. */
export async function estimate(query: AnalysisQuery, asking: Asking): Promise<string> {
  switch (query.kind) {
    case 'diff':
      return estimateDiff(query, asking);
    case 'panel':
      return estimatePanel(query, asking);
    case 'real-time-panel':
      return estimateRealTimePanel(query, asking);
    default:
      throw new Error(`${query.kind} is not estimated`);
  }
}
