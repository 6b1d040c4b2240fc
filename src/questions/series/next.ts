import { textsOf } from '../../answering/answer.ts';
import { composed, eachOf } from '../../answering/composed.ts';
import { commandOf, question } from '../../answering/question.ts';
import { remarked } from '../../answering/run.ts';
import { resolveSeries } from '../../answering/series-ids.ts';
import { namedSeries } from '../../domain/series/transformation.ts';
import { Problem } from '../../errors/problem.ts';
import { nextRelease as listing, type NextRelease } from '../../operations/calendar/next.ts';
import { asOfParam, type Params, type ParamValues } from '../../operations/param.ts';
import { defined } from '../../platform/defined.ts';
import { aboutAsOf, boundAsOf, ofOneSeries, ofSeveralSeries, skipMissing } from './shared.ts';

const params = { as_of: asOfParam() } satisfies Params;

const severalParams = { ...params, skip_missing: skipMissing } satisfies Params;

type AsOf = Pick<ParamValues<typeof params>, 'as_of'>;

const shared = {
  layout: () => listing,
  knownOn: ({ as_of }: AsOf) => as_of,
  aboutValues: ({ as_of = 'today' }: AsOf) => aboutAsOf(as_of),
  bind: boundAsOf,
};

/** No demand can be made of plans; a type of a question would lose the value. */
const ofPlans = { isAboutData: false } as const;

const ofSeveral = question({
  name: 'next_releases',
  command: commandOf(listing),
  endpoint: {
    path: '/v1/next',
    object: listing.object,
    heading: 'Calendar',
    summary: 'When the next figures of several series are due',
    description: 'A row for each series, in the order of `ids`, as the path for one series gives it.',
    layout: listing,
    members: ['as_of', 'missing'],
    knownBy: 'as_of_date',
    example: { ids: 'GDP,UNRATE', as_of: '2015-01-15' },
  },
  args: ofSeveralSeries(({ args }) => args),
  params: severalParams,
  ...shared,
  answer: (values, ask) =>
    composed<NextRelease>(ask, async (context) => {
      const { as_of } = values;
      const computed = values.ids.find((id) => namedSeries(id).units !== undefined)?.toUpperCase();
      // A release has no units; the failure's hint is the id without them.
      if (computed !== undefined)
        throw new Problem('not-found', `series '${computed}' not found`, { series: computed });
      const series = await resolveSeries(values, as_of, context);
      const answers = await eachOf(series, context, async ({ id }) => {
        const texts = textsOf(defined({ id, as_of }));
        return { texts, page: await context.client.ask(listing, texts) };
      });
      const rows: NextRelease[] = [];
      // One after the other, so that notes have the order of the ids.
      for (const { texts, page } of answers)
        for await (const { results } of remarked(listing, texts, once(page), context)) rows.push(...results);
      return { object: listing.object, rows, ...defined({ asOf: as_of }) };
    }),
});

const ofOne = question({
  name: 'next_release',
  operation: listing,
  args: ofOneSeries,
  params,
  ...shared,
  async answer({ id, as_of }, context) {
    const texts = textsOf(defined({ id, as_of }));
    const page = await context.client.ask(listing, texts);
    return { pages: remarked(listing, texts, once(page), context) };
  },
});

/** The next releases of several series, in the order of their ids. */
export const nextReleases = { ...ofSeveral, ...ofPlans };

/** The next release of one series. */
export const nextRelease = { ...ofOne, ...ofPlans };

async function* once<T>(page: T): AsyncGenerator<T, undefined> {
  yield page;
  return undefined;
}
