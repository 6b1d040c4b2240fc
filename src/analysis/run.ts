import type { Asking, QueryAnswer } from './answer.ts';
import { answerOperation } from './operation-answer.ts';
import type { Query } from './query.ts';

/**
 * Answers a query: asks nothing more than it needs to give the next page. The code of an analysis is loaded when it is
 * asked for.
 */
export async function run(query: Query, asking: Asking): Promise<QueryAnswer> {
  switch (query.kind) {
    case 'operation':
      return answerOperation(query, asking);
    case 'revisions':
      return (await import('./revisions.ts')).answerRevisions(query, asking);
    case 'vintages':
      return (await import('./vintages.ts')).answerVintages(query, asking);
    case 'curve':
      return (await import('./curve.ts')).answerCurve(query, asking);
    case 'yield-table':
      return (await import('./yield-table.ts')).answerYieldTable(query, asking);
    case 'diff':
      return (await import('./diff.ts')).answerDiff(query, asking);
    case 'panel':
      return (await import('./panel.ts')).answerPanel(query, asking);
    case 'real-time-panel':
      return (await import('./real-time-panel.ts')).answerRealTimePanel(query, asking);
  }
}

/** How many requests the answer to a diff or a panel takes, in words; makes those that it takes to find out. */
export async function estimate(query: Query, asking: Asking): Promise<string> {
  switch (query.kind) {
    case 'diff':
      return (await import('./diff.ts')).estimateDiff(query, asking);
    case 'panel':
      return (await import('./panel.ts')).estimatePanel(query, asking);
    case 'real-time-panel':
      return (await import('./real-time-panel.ts')).estimateRealTimePanel(query, asking);
    default:
      throw new Error(`${query.kind} is not estimated`);
  }
}
