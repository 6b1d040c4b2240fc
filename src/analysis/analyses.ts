import type { QueryAnswer, QueryContext } from './answer.ts';
import { answerCheck, estimateCheck } from './check.ts';
import { answerCurve } from './curve.ts';
import { answerJoin, estimateJoin } from './join.ts';
import type { AnalysisQuery } from './query.ts';
import { answerReleases, answerTriangle } from './releases.ts';
import { answerRevisions } from './revisions.ts';
import { answerVersions } from './versions.ts';
import { answerVintages } from './vintages.ts';
import { answerYieldTable } from './yield-table.ts';

/** Answers a query that takes more than the rows of one operation. */
export async function answerAnalysis(query: AnalysisQuery, context: QueryContext): Promise<QueryAnswer> {
  switch (query.kind) {
    case 'revisions':
      return answerRevisions(query, context);
    case 'releases':
      return answerReleases(query, context);
    case 'triangle':
      return answerTriangle(query, context);
    case 'versions':
      return answerVersions(query, context);
    case 'vintages':
      return answerVintages(query, context);
    case 'curve':
      return answerCurve(query, context);
    case 'yield-table':
      return answerYieldTable(query, context);
    case 'join':
      return answerJoin(query, context);
    case 'check':
      return answerCheck(query, context);
  }
}

/**
 * The number of requests that the answer to a question about a table takes, in words; makes the requests that are
 * needed to find out.
 */
export async function estimate(query: AnalysisQuery, context: QueryContext): Promise<string> {
  switch (query.kind) {
    case 'join':
      return estimateJoin(query, context);
    case 'check':
      return estimateCheck(query, context);
    default:
      throw new Error(`${query.kind} is not estimated`);
  }
}
