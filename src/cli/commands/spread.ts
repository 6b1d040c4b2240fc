import type { QueryCommand } from './query.ts';

/** `asof spread`: rows as the operation gives them, or a chart. */
export const spreadCommand: QueryCommand = {
  drawing: async (_questions, given) => (await import('../charts/spread.ts')).spreadDrawing(given),
};
