import { type Day, dayNumber } from '../../domain/series/date.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import { observations, revisions, seriesShow } from '../../operations/index.ts';
import { collected } from '../composed/listing.ts';
import { withSuggestion } from '../options/ids.ts';
import { knowledgeDay, withAsOfFlag, withKnownBeforeFlag } from '../options/knowledge.ts';
import { noteKnowledgeDay } from '../run/coverage.ts';
import type { Session } from '../run/session.ts';
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
  {
    name: 'days',
    type: 'integer',
    description: 'Days since the first release; none where that was before the record begins.',
    nullable: true,
  },
];

/** `asof revisions`: the story of one number, with the size and the lateness of each change. */
export const revisionsCommand: QueryCommand = {
  addFlags: (command) => {
    withKnownBeforeFlag(withAsOfFlag(command));
  },
  async questions([id = ''], given) {
    return [{ given: [['id', id.toUpperCase()], ...given], label: id.toUpperCase() }];
  },
  async shape(flags, _output, session) {
    const asOf = knowledgeDay(flags, session.io, session.talk);
    const { changeBetween } = await import('../../domain/series/change.ts');
    return {
      fields: [...revisions.fields, ...added],
      columns: [...revisions.columns, ...added.map(({ name }) => name)],
      async *pages(pages) {
        for await (const page of pages) {
          const [first] = page.results;
          if (first === undefined)
            session.talk.note(
              `asof: no value of that date was ever published; dates are the first days of periods`,
            );
          const released = first !== undefined && (await isFirstRelease(first, session));
          yield told(page, asOf, changeBetween, released ? dayOf(first) : undefined);
        }
      },
    };
  },
  drawing: async (questions, given, _flags, session) =>
    (await import('../charts/revisions.ts')).revisionsDrawing(questions, given, session),
  explain: ({ question, error }, session) => withSuggestion(session, question.label, error),
  remark: (answered, _given, session, flags) => noteKnowledgeDay(answered, flags, session),
};

type Compare = typeof import('../../domain/series/change.ts').changeBetween;

/**
 * Whether the first value that is known of a date is its first release: of the dates up to the newest one in the series'
 * first vintage that was published before the record begins.
 */
async function isFirstRelease({ series_id, date }: Row, session: Session): Promise<boolean> {
  const id = ['id', String(series_id)] as const;
  const [series] = (await session.client.ask(seriesShow, [id])).results;
  const begin = series?.first_vintage ?? '';
  // Another service need not tell where its record begins.
  if (begin === '') return true;
  const extent = { limit: 1, cursor: undefined };
  const [newest] = await collected(session, observations, [id, ['as_of', begin]], extent);
  return newest === undefined || String(date) > String(newest.date);
}

/** The page up to a day of knowledge, each row compared with the one before, and with the day of the first release. */
function told(page: Envelope, asOf: Day | undefined, compare: Compare, released: Day | undefined): Envelope {
  const known = page.results.filter((row) => asOf === undefined || dayOf(row) <= asOf);
  const results = known.map((row, i) => {
    const [before, value] = [known[i - 1]?.value, row.value];
    const change =
      typeof before === 'string' && typeof value === 'string'
        ? compare(before, value)
        : { change: null, percent: null };
    const days = released === undefined ? null : dayNumber(dayOf(row)) - dayNumber(released);
    return { ...row, ...change, days };
  });
  return { ...page, ...(asOf !== undefined && { as_of: asOf }), results, results_count: results.length };
}

function dayOf({ as_of_date }: Row): Day {
  return String(as_of_date);
}
