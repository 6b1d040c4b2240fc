import type { Asking, QueryAnswer } from './answer.ts';
import { answerOperation } from './operation-answer.ts';
import type { Query } from './query.ts';

/** Answers a query, with no more requests than the next page takes. */
export async function run(query: Query, asking: Asking): Promise<QueryAnswer> {
  if (query.kind === 'operation') return answerOperation(query, asking);
  // Loaded here: most queries ask one operation, and start faster without the analyses.
  return (await import('./analyses.ts')).answerAnalysis(query, asking);
}
