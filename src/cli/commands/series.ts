import { seriesSearch } from '../../operations/index.ts';
import { textOf } from '../../operations/param.ts';
import { withSuggestion } from '../options/ids.ts';
import type { QueryCommand } from './query.ts';

/** `asof series search`: looks in ids and titles unless told otherwise. */
export const seriesSearchCommand: QueryCommand = {
  async questions([text], given) {
    const { argument, defaults } = seriesSearch.command;
    const unsaid = Object.entries(defaults).filter(([name]) => textOf(given, name) === undefined);
    return [
      {
        given: [...(text === undefined ? [] : [[argument, text] as const]), ...unsaid, ...given],
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
