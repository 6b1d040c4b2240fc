import { withSuggestion } from '../options/ids.ts';
import type { QueryCommand } from './query.ts';

/** `asof series search`: looks in ids and titles unless told otherwise. */
export const seriesSearchCommand: QueryCommand = {
  async questions([text], given) {
    const match = given.some(([name]) => name === 'match') ? [] : [['match', 'any'] as const];
    return [
      {
        given: [...(text === undefined ? [] : [['q', text] as const]), ...match, ...given],
        label: text ?? '',
      },
    ];
  },
};

/** `asof series show`: ids may be typed in lower case. */
export const seriesShowCommand: QueryCommand = {
  async questions([id = ''], given) {
    return [{ given: [['id', id.toUpperCase()], ...given], label: id.toUpperCase() }];
  },
  explain: ({ question, error }, session) => withSuggestion(session, question.label, error),
};
