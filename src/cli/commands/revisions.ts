import { type Day, dayNumber } from '../../model/date.ts';
import type { Envelope, Row } from '../../model/envelope.ts';
import { revisions } from '../../operations/index.ts';
import type { Field } from '../../operations/operation.ts';
import { withSuggestion } from '../ids.ts';
import { knowledgeDay, withAsOfFlag, withKnownBeforeFlag } from '../knowledge.ts';
import type { QueryCommand } from './query.ts';

const added: readonly Field[] = [
  {
    name: 'change',
    type: 'decimal',
    description: 'Exact difference from the value published before; none after a withdrawal.',
    nullable: true,
  },
  {
    name: 'percent',
    type: 'decimal',
    description: 'The same in percent of the value before, four decimals; none where that is 0.',
    nullable: true,
  },
  { name: 'days', type: 'integer', description: 'Days since the first release.' },
];

/** `asof revisions`: the story of one number, with the size and the lateness of each change. */
export const revisionsCommand: QueryCommand = {
  addFlags: (command) => {
    withKnownBeforeFlag(withAsOfFlag(command));
  },
  async questions([id = ''], given) {
    return [{ given: [['id', id.toUpperCase()], ...given], label: id.toUpperCase() }];
  },
  async shape(flags, _output, { io, talk }) {
    const asOf = knowledgeDay(flags, io, talk);
    const { changeBetween } = await import('../../model/change.ts');
    return {
      fields: [...revisions.fields, ...added],
      columns: [...revisions.columns, ...added.map(({ name }) => name)],
      page(page) {
        if (page.results.length === 0)
          talk.note(`asof: no value of that date was ever published; dates are the first days of periods`);
        return told(page, asOf, changeBetween);
      },
    };
  },
  explain: ({ question, error }, session) => withSuggestion(session, question.label, error),
};

type Compare = typeof import('../../model/change.ts').changeBetween;

/** The page up to a day of knowledge, each row compared with the one before. */
function told(page: Envelope, asOf: Day | undefined, compare: Compare): Envelope {
  const known = page.results.filter((row) => asOf === undefined || dayOf(row) <= asOf);
  const [first] = known;
  const results = known.map((row, i) => {
    const [before, value] = [known[i - 1]?.value, row.value];
    const change =
      typeof before === 'string' && typeof value === 'string'
        ? compare(before, value)
        : { change: null, percent: null };
    return { ...row, ...change, days: dayNumber(dayOf(row)) - dayNumber(dayOf(first ?? row)) };
  });
  return { ...page, ...(asOf !== undefined && { as_of: asOf }), results, results_count: results.length };
}

function dayOf({ as_of_date }: Row): Day {
  return String(as_of_date).slice(0, 10);
}
