import { type Day, earlier } from '../../domain/series/date.ts';
import type { Envelope } from '../../operations/envelope.ts';
import { vintages } from '../../operations/index.ts';
import type { ParamTexts } from '../../operations/param.ts';
import { withSuggestion } from '../options/ids.ts';
import { knowledgeDay, withAsOfFlag, withKnownBeforeFlag } from '../options/knowledge.ts';
import { coverageText, noteKnowledgeDay } from '../run/coverage.ts';
import type { QueryCommand } from './query.ts';

/** `asof vintages`: as of a day, the publications up to it; without one, also what the knowledge of the series covers. */
export const vintagesCommand: QueryCommand = {
  addFlags: (command) => {
    withKnownBeforeFlag(withAsOfFlag(command));
  },
  async questions([id = ''], given, flags, { io, talk }) {
    const asOf = knowledgeDay(flags, io, talk);
    const wanted: ParamTexts = [
      ['id', id.toUpperCase()],
      ...(asOf === undefined ? given : upTo(asOf, given)),
    ];
    return [{ given: wanted, label: id.toUpperCase() }];
  },
  async shape(flags, { format }, { talk }) {
    const { fields, columns } = vintages;
    const bounded = flags.asOf !== undefined || flags.knownBefore !== undefined;
    let said = false;
    return {
      fields,
      columns,
      page(page) {
        // What is covered today tells of days after the one that was asked for.
        if (bounded) return withoutCoverage(page);
        if (!said && page.coverage !== undefined && format !== 'json')
          talk.note(`asof: ${coverageText(page.coverage)}`);
        said = true;
        return page;
      },
    };
  },
  explain: ({ question, error }, session) => withSuggestion(session, question.label, error),
  remark: (answered, _given, session, flags) => noteKnowledgeDay(answered, flags, session),
};

/** The same parameters with no day of publication after `asOf`. */
function upTo(asOf: Day, given: ParamTexts): ParamTexts {
  const to = given.find(([name]) => name === 'to')?.[1];
  return [...given.filter(([name]) => name !== 'to'), ['to', to === undefined ? asOf : earlier(to, asOf)]];
}

function withoutCoverage({ coverage: _, ...page }: Envelope): Envelope {
  return page;
}
