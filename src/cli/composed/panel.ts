import type { Day } from '../../domain/series/date.ts';
import { type Rhythm, schedule } from '../../domain/series/schedule.ts';
import { Problem } from '../../errors/problem.ts';
import { observations } from '../../operations/index.ts';
import type { ParamTexts } from '../../operations/param.ts';
import { type Wanted, wantedSeries } from '../options/ids.ts';
import { type KnowledgeFlags, knowledgeDay, typedKnowledgeDay } from '../options/knowledge.ts';
import { dateBounds, type RangeFlags, typedRange } from '../options/range.ts';
import { noteCoverage } from '../run/coverage.ts';
import { changedBetweenPages } from '../run/pages.ts';
import type { Io } from '../terminal/io.ts';
import type { Talk } from '../terminal/messages.ts';
import { type Composed, type ComposedFlags, type Composing, writeComposed } from './composed.ts';
import { collected, pagesExpected } from './listing.ts';
import { type Layout, laidOut, type PanelColumn, pointOf } from './panel-layout.ts';
import { isFinal } from './politely.ts';
import { latestKnown, planOf, requestsLeft } from './real-time.ts';

type PanelFlags = ComposedFlags &
  KnowledgeFlags &
  RangeFlags & { readonly asOfEach?: Rhythm; readonly wide?: boolean; readonly sort: 'asc' | 'desc' };

/** Writes several series as known on one day, aligned by date, or the latest values known on each of many days. */
export async function runPanel(typed: readonly string[], flags: PanelFlags, io: Io): Promise<number> {
  const compose = flags.asOfEach === undefined ? dataSet : realTimePanel;
  const { code } = await writeComposed(flags, io, (session) => compose(typed, flags, session));
  return code;
}

/** The data set as known on one day. */
async function dataSet(typed: readonly string[], flags: PanelFlags, session: Composing) {
  const { io, talk } = session;
  const asOf = knowledgeDay(flags, io, talk);
  const given: ParamTexts = [
    ...(asOf === undefined ? [] : [['as_of', asOf] as const]),
    ...dateBounds(flags, io, talk),
  ];
  const series = await wantedSeries(session, typed);
  const noted = asOf === undefined || !talk.notes ? [] : [asOf];
  // How long a series is costs a request, unless a pattern found it.
  if (flags.dryRun === true || series.every(({ row }) => row !== undefined)) {
    const pages = await Promise.all(series.map((one) => pagesExpected(one, session)));
    const left = sum(pages) + unnoted(series, noted) + session.requestsToCheck();
    if (flags.dryRun === true) return { wouldTake: `this panel takes about ${left} requests` };
    session.expect(session.requests() + left);
  }
  const { done, failures } = await eachOf(series, async (one) => {
    const rows = await collected(session, observations, [['id', one.id], ...given]);
    const points = rows.map((row) => pointOf(row, asOf));
    return { series: one, points: new Map(points.map((point) => [String(point.date), point])) };
  });
  await noteCoverage(
    done.map((column) => column.series),
    noted,
    session,
  );
  return shown(done, failures, { flags, first: 'date' }, asOf);
}

/** The latest values known on each day of a rhythm. */
async function realTimePanel(typed: readonly string[], flags: PanelFlags, session: Composing) {
  const days = knowledgeDays(flags, session.io, session.talk);
  const series = await wantedSeries(session, typed);
  const planned = await eachOf(series, (one) => planOf(one, days, session));
  const left = sum(planned.done.map(requestsLeft));
  const noted = session.talk.notes ? [days[0], days.at(-1)].filter((day) => day !== undefined) : [];
  const made = session.requests();
  const plans = planned.done.map((plan) => plan.series);
  const checks = unnoted(plans, noted) + session.requestsToCheck();
  if (flags.dryRun === true) {
    return {
      wouldTake: `this panel takes ${made + left + checks} requests: ${made} to plan it (made now), ${left} for values, ${checks} to check coverage and that nothing changed`,
    };
  }
  session.expect(made + left + checks);
  const { done, failures } = await eachOf(planned.done, async (plan) => ({
    series: plan.series,
    points: await latestKnown(plan, session),
  }));
  await noteCoverage(
    done.map((column) => column.series),
    noted,
    session,
  );
  const failed = failures.map(({ series: plan, error }) => ({ series: plan.series, error }));
  return shown(done, [...planned.failures, ...failed], { flags, first: 'as_of' });
}

function knowledgeDays(flags: PanelFlags, io: Io, talk: Talk): readonly Day[] {
  if (flags.asOf !== undefined || flags.knownBefore !== undefined)
    throw new Problem(
      'bad-input',
      '--as-of-each goes through days of its own: leave out --as-of and --known-before',
    );
  const { from, to } = typedRange(flags, io, talk);
  if (flags.asOfEach === undefined || from === undefined || to === undefined)
    throw new Problem('bad-input', '--as-of-each needs --from and --to: the first and last day of knowledge');
  const days = schedule(flags.asOfEach, from, to);
  const last = days.at(-1);
  if (last === undefined) throw new Problem('bad-input', `no ${flags.asOfEach} lies from ${from} to ${to}`);
  // A day that has not begun anywhere has no knowledge, whatever lies in the store.
  typedKnowledgeDay('to', last, io, talk);
  return days;
}

/** Works on all, and tells those that failed from those that did not; a failure of everything is thrown. */
async function eachOf<T, R>(all: readonly T[], work: (one: T) => Promise<R>) {
  const settled = await Promise.all(
    all.map((series) =>
      work(series).then(
        (value) => ({ value }),
        (error: unknown) => ({ series, error }),
      ),
    ),
  );
  const failures = settled.flatMap((one) => ('error' in one ? [one] : []));
  const grave = failures.find(({ error }) => isFinal(error) || changedBetweenPages(error));
  if (grave !== undefined) throw grave.error;
  return { done: settled.flatMap((one) => ('value' in one ? [one.value] : [])), failures };
}

function shown(
  columns: readonly PanelColumn[],
  failures: Composed['failures'],
  { flags, first }: Pick<Layout, 'first'> & { readonly flags: PanelFlags },
  asOf?: Day,
): Composed {
  const layout = { first, wide: flags.wide === true, ascending: flags.sort === 'asc' };
  return { object: 'panel', failures, ...laidOut(columns, layout), ...(asOf !== undefined && { asOf }) };
}

/** The series that coverage must be asked of. */
function unnoted(series: readonly Wanted[], days: readonly Day[]): number {
  return days.length === 0 ? 0 : series.filter(({ row }) => row === undefined).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
