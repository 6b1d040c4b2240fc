import { type Ask, counted, textsOf } from '../../answering/answer.ts';
import { noteBasis } from '../../answering/notes.ts';
import { commandOf, question } from '../../answering/question.ts';
import { pagesOf } from '../../client/pagination.ts';
import { earlier } from '../../domain/values/date.ts';
import { contradiction } from '../../errors/problem.ts';
import type { Coverage, Envelope } from '../../operations/envelope.ts';
import type { RowOf } from '../../operations/operation.ts';
import { asOfParam, type Params, type ParamValues } from '../../operations/param.ts';
import { vintages as listing } from '../../operations/series/vintages.ts';
import { defined } from '../../platform/defined.ts';
import { boundAsOf, extentParams, ofOneSeries } from './shared.ts';

const { from, to } = listing.params;
const params = {
  from,
  to,
  as_of: asOfParam(),
  ...extentParams,
} satisfies Params;

/** The vintage dates of a series; without an as-of date also its coverage. */
export const vintages = question({
  name: 'vintages',
  operation: listing,
  command: commandOf(listing),
  args: ofOneSeries,
  params,
  check({ from, as_of }) {
    if (from !== undefined && as_of !== undefined && from > as_of)
      throw contradiction(
        'from',
        ({ param }) => `${param('from')} ${from} is later than ${as_of}, the as-of date`,
      );
  },
  layout: () => listing,
  drawing: (values) => async (ask) => (await import('./drawings.ts')).vintagesDrawing(values, ask),
  knownOn: ({ as_of }) => as_of,
  bind(values, day) {
    const bound = boundAsOf(values, day);
    const { from, to } = values;
    return { ...bound, days: [...bound.days, ...Object.entries(defined({ from, to }))] };
  },
  answer: async (values, ask) => ({ pages: pages(values, ask) }),
});

type VintagesAsked = ParamValues<typeof params> & { readonly id: string };
type Vintage = RowOf<typeof listing>;

async function* pages(
  { id, from, to: asked, as_of: asOf, limit, first, cursor }: VintagesAsked,
  context: Ask,
): AsyncGenerator<Envelope<Vintage>> {
  const { client, signal, note, progress } = context;
  const to = asOf === undefined ? asked : earlier(asked ?? asOf, asOf);
  const texts = textsOf(defined({ id, from, to }));
  const extent = defined({ limit, first, cursor });
  let isFirst = true;
  for await (const page of counted(pagesOf(client, listing, texts, extent, signal), progress)) {
    if (isFirst && asOf === undefined && page.coverage !== undefined)
      note?.({ kind: 'coverage', text: coverageText(id, page.coverage) });
    isFirst = false;
    context.basis.add(
      id,
      asOf,
      page.coverage?.covered_to,
      page.results.map(({ vintage_kind }) => vintage_kind ?? ''),
    );
    yield asOf === undefined ? page : withoutCoverage(page);
  }
  await noteBasis([{ id }], [asOf], context);
}

function coverageText(id: string, { first_vintage, last_vintage, first_date, covered_to }: Coverage): string {
  return [
    `${id}: vintages from ${first_vintage} to ${last_vintage}`,
    ...(first_date === null ? [] : [`dates from ${first_date}`]),
    `covered to ${covered_to}`,
  ].join(', ');
}

/** Drops today's coverage from a page: it includes days after the as-of date. */
function withoutCoverage<R>({ coverage: _, ...page }: Envelope<R>): Envelope<R> {
  return page;
}
