import { Option } from 'commander';
import { wantedSeries, withSuggestion } from '../options/ids.ts';
import { noteCoverage } from '../run/coverage.ts';
import type { QueryCommand } from './query.ts';

/** `asof observations`: several series, patterns, and a word where the as-of day is outside of what is covered. */
export const observationsCommand: QueryCommand = {
  addFlags: (command) => {
    const order = new Option('--sort <order>', 'by date, newest first or oldest first');
    command.addOption(order.choices(['desc', 'asc']).default('desc'));
  },
  async questions(typed, given, _flags, session) {
    const wanted = await wantedSeries(session, typed);
    return wanted.map(({ id, row }) => ({
      given: [['id', id], ...given],
      label: id,
      ...(row !== undefined && { row }),
    }));
  },
  drawing: async (questions, given, _flags, session) =>
    (await import('../charts/observations.ts')).observationsDrawing(questions, given, session),
  explain: ({ question, error }, session) => withSuggestion(session, question.label, error),
  async remark(answered, given, session) {
    const asOf = given.find(([name]) => name === 'as_of')?.[1];
    const series = answered.map(({ label, row }) => ({ id: label, ...(row !== undefined && { row }) }));
    await noteCoverage(series, asOf === undefined ? [] : [asOf], session);
  },
};
