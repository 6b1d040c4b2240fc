import type { Client } from '../client/client.ts';
import { datedText, meaningsOf, readMeanings, type VintageMeaning } from '../domain/series/publishers.ts';
import { kindsText } from '../domain/series/series.ts';
import { type Day, latestOf } from '../domain/values/date.ts';
import { addTo, groupBy } from '../domain/values/groups.ts';
import { Problem } from '../errors/problem.ts';
import { listed, someOf } from '../errors/wording.ts';
import type { Row } from '../operations/envelope.ts';
import type { AskMore, Operation } from '../operations/operation.ts';
import { knownIn, type Params, type ParamTexts, textOf } from '../operations/param.ts';
import { observations } from '../operations/series/observations.ts';
import { seriesShow } from '../operations/series/series.ts';
import { isInstant, placeOfVersion, type Version } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { type Ask, type Note, textsOf } from './answer.ts';
import { inexactText } from './basis.ts';
import type { ResolvedSeries } from './series-ids.ts';

/** Returns all notes on an answer: ids that it leaves out, notes so far, and data that end before a day. */
export function notesOf({ basis, notes }: Pick<Ask, 'basis' | 'notes'>, day?: Day): readonly Note[] {
  const { missing } = basis;
  const left = `left out, because not found: ${listed([...missing], 'and')}`;
  const stale = day === undefined ? [] : basis.staleOn(day);
  return [
    ...(missing.size === 0 ? [] : [{ kind: 'missing', text: left } as const]),
    ...notes,
    ...stale.map((text) => ({ kind: 'stale', text }) as const),
  ];
}

const mostNamed = 3;

/** Adds notes on as-of dates outside the coverage of series, and on answers from samples. */
export async function noteBasis(
  all: readonly ResolvedSeries[],
  asked: readonly (Version | undefined)[],
  context: Ask,
): Promise<void> {
  const answered = eachOnce(all);
  const days = asked.flatMap((day) => (day === undefined || day === 'latest' ? [] : [day]));
  noteInstants(answered, days, context);
  await noteOutside(answered, days, context);
  for (const text of sampleTexts(answered, days, context)) context.note?.({ kind: 'sampled', text });
  if (days.length > 0) await noteMeanings(answered, context);
}

/** Returns each series once, which may be asked for in several units. */
function eachOnce(all: readonly ResolvedSeries[]): readonly ResolvedSeries[] {
  return [...new Map(all.map((one) => [one.id, one])).values()];
}

/** Names the first of many series, and counts the others. */
export function someSeries(ids: readonly string[]): string {
  return listed(someOf(ids, mostNamed, 'series'), 'and');
}

/** Says something of series; nothing of none. */
function saidOf(ids: readonly string[], what: string): readonly string[] {
  return ids.length === 0 ? [] : [`${someSeries(ids)} ${ids.length === 1 ? 'is' : 'are'} ${what}`];
}

/** Says of instants which series are known to the minute, and which to the end of the day before. */
function noteInstants(
  answered: readonly ResolvedSeries[],
  asked: readonly Version[],
  { note, basis }: Ask,
): void {
  for (const instant of asked.filter(isInstant)) {
    const found = answered.flatMap(({ id }) => {
      const one = basis.resolved(id, instant);
      return one === undefined ? [] : [{ id, ...one }];
    });
    const looked = (seen: Day | null | undefined) => (seen == null ? '' : ` (last seen on ${seen})`);
    const stateOf = ({ id, day, rule, seen }: (typeof found)[number]): string => {
      if (rule === 'time') return `known to the minute, by a calendar${looked(seen)}`;
      const early = `as of the end of ${day}, the day before, because`;
      // Times belong to days of publication, which samples and downloads have not.
      const kinds = basis.kindsOf(id);
      if (kinds.size > 0 && !kinds.has('exact'))
        return `${early} the dates of these vintages are not those of releases`;
      return rule === 'times differ'
        ? `${early} calendars give several times of its release on the day${looked(seen)}`
        : `${early} no calendar gives a time of a release on the day${looked(seen)}`;
    };
    const texts = [...groupBy(found, stateOf)].flatMap(([text, own]) =>
      saidOf(
        own.map(({ id }) => id),
        text,
      ),
    );
    if (texts.length > 0) note?.({ kind: 'known at', text: `at ${instant}, ${texts.join('; ')}` });
  }
}

/** Adds a note if the dates of vintages mean one thing in one series and another in the next. */
export async function noteMeanings(answered: readonly ResolvedSeries[], context: Ask): Promise<void> {
  if (context.note === undefined || answered.length < 2) return;
  const ids = new Map<string, string[]>();
  for (const one of eachOnce(answered)) {
    const text = datedText(await meaningsIn(one, context));
    if (text !== '') addTo(ids, text, one.id);
  }
  if (ids.size < 2) return;
  const groups = [...ids].map(([text, found]) => `${someSeries(found)} ${text}`);
  context.note({ kind: 'sampled', text: `vintages are dated differently: ${groups.join('; ')}` });
}

/** Returns what the dates of the vintages of a series mean; only samples need its description. */
async function meaningsIn({ id, row }: ResolvedSeries, context: Ask): Promise<readonly VintageMeaning[]> {
  const kinds = context.basis.kindsOf(id);
  if (!kinds.has('sampled')) return meaningsOf(kindsText(kinds), '');
  // The row may have only the coverage of the series.
  const meaning = row?.vintage_meaning ?? (await descriptionOf({ id }, context))?.vintage_meaning;
  return readMeanings(String(meaning ?? ''));
}

/** Adds notes on as-of dates that series do not cover, if the service states the coverage. */
export async function noteOutside(
  answered: readonly ResolvedSeries[],
  days: readonly Version[],
  context: Ask,
): Promise<void> {
  const { note, basis } = context;
  if (days.length === 0 || note === undefined) return;
  const outside: string[] = [];
  for (const one of eachOnce(answered)) {
    const own = days.map((day) => basis.dayOf(one.id, day)).sort();
    const last = own.at(-1) ?? '';
    const { first, to } = boundsIn(one, days, context) ?? (await boundsOf(one, context));
    // A service without the coverage of one series states none.
    if (first === '' && to === '') break;
    const before = own.some((day) => day < first) ? [`from ${first}`] : [];
    const bounds = [...before, ...(to !== '' && last > to ? [`to ${to}`] : [])].join(' ');
    if (first > last) outside.push(`${one.id} has no vintage up to ${last}`);
    else if (bounds !== '') outside.push(`${one.id} is covered ${bounds}`);
  }
  const more = outside.length - mostNamed;
  const named = outside.slice(0, mostNamed).join(', ');
  const all = `${named}, and ${more} more series ${more === 1 ? 'does' : 'do'} not cover ${days.join(' or ')}`;
  for (const text of more <= 0 ? outside : [all]) note({ kind: 'outside coverage', text });
}

/** The first vintage of a series and the end of its coverage; empty if unknown. */
type Bounds = { readonly first: Day; readonly to: Day };

async function boundsOf(series: ResolvedSeries, context: Ask): Promise<Bounds> {
  const { first_vintage, covered_to } = (await descriptionOf(series, context)) ?? {};
  return { first: String(first_vintage ?? ''), to: String(covered_to ?? '') };
}

/** Returns the bounds that the answers as of the days state; undefined if they do not state them. */
function boundsIn({ id }: ResolvedSeries, days: readonly Version[], { basis }: Ask): Bounds | undefined {
  const vintages = days.flatMap((day) => basis.vintageOn(id, day) ?? []);
  const coveredTo = basis.coveredTo(id);
  if (vintages.length < days.length || coveredTo === undefined) return undefined;
  const last = latestOf(days.map((day) => basis.dayOf(id, day))) ?? '';
  const to = basis.reaches(id, last) ? last : coveredTo;
  const before = vintages.filter((one) => one.as_of_date === null && one.vintage_kind === '');
  if (before.length === 0) return { first: '', to };
  // If only some of the days are earlier than the series, the others do not say when it begins.
  return before.length < days.length ? undefined : { first: '~', to };
}

/** Says for each series and day that its answer is from a sample; names only some of many series. */
function sampleTexts(
  answered: readonly ResolvedSeries[],
  days: readonly Version[],
  { basis }: Ask,
): readonly string[] {
  const found = answered.flatMap(({ id }) => {
    const texts = days.flatMap((version) => {
      const day = basis.dayOf(id, version);
      const vintage = basis.vintageOn(id, version);
      // A vintage fetched on the day itself has what was known then; of an unknown vintage nothing can be said.
      if (vintage === undefined || vintage.vintage_kind === 'unknown') return [];
      if (vintage.vintage_kind === 'fetched' && vintage.as_of_date === day) return [];
      return inexactText(id, day, vintage) ?? [];
    });
    return texts.length === 0 ? [] : [{ id, texts }];
  });
  if (found.length <= mostNamed) return found.flatMap(({ texts }) => texts);
  const named = someSeries(found.map(({ id }) => id));
  return [`${named} are not exact: the dates of their vintages are not days of publication`];
}

/** Says which of the series are sampled, and which are fetched. */
export function kindTexts(ids: readonly string[], { basis }: Pick<Ask, 'basis'>): readonly string[] {
  return (['sampled', 'fetched'] as const).flatMap((kind) => {
    return saidOf(
      ids.filter((id) => basis.kindsOf(id).has(kind)),
      kind,
    );
  });
}

/** Reads the description of a series, once; undefined, with a note, if the request fails. */
export async function descriptionOf(
  { id, row }: ResolvedSeries,
  { client, signal, note }: Ask,
): Promise<Row | undefined> {
  if (row !== undefined) return row;
  try {
    return (await client.ask(seriesShow, [['id', id]], { once: true })).results[0];
  } catch (error) {
    if (!(error instanceof Problem) || signal.aborted) throw error;
    note?.({ kind: 'unknown', text: `no description of ${id}: ${error.detail}` });
    return undefined;
  }
}

/** Adds a note on why an answer has no rows; throws a Problem if its subject does not exist. */
export async function explainEmpty<R extends Row>(
  operation: Operation<Params, R>,
  texts: ParamTexts,
  { client, note, explained, noResult, naming }: Ask,
): Promise<void> {
  if (explained !== true) return;
  try {
    const ask: AskMore = (other, asked) => client.ask(other, asked, { once: true });
    const reason = await noResult?.(operation, texts);
    if (reason !== undefined) return note?.(reason);
    const text = await operation.whyEmpty?.(texts, ask, naming);
    if (text !== undefined) note?.({ kind: 'empty', text });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.kind === 'not-found') throw await withPull(error, textOf(texts, 'ticker'), client);
    note?.({ kind: 'unknown', text: `asof cannot say why there are no rows: ${error.detail}` });
  }
}

/** Adds to a failure about an unknown ticker what brings its filings; a service has what its operator pulls. */
async function withPull(error: Problem, ticker: string | undefined, { offers }: Client): Promise<Problem> {
  if (ticker === undefined || offers !== undefined) return error;
  const { pullsBeyond } = await import('./unknown-series.ts');
  const [pull] = await pullsBeyond(['insider filings'], ticker);
  return error.with({ hints: [...error.hints, `${pull} brings its filings`] });
}

const mostExplained = 3;

type ExplainedDates = {
  readonly days: readonly Version[];
  readonly from: Day | undefined;
  readonly to: Day | undefined;
};

/** Adds a note on why an answer has no rows as of some days, for each series or the first few of many. */
export async function explainSeries(
  answered: readonly { readonly series: { readonly id: string }; readonly ask: Ask }[],
  { days, from, to }: ExplainedDates,
): Promise<void> {
  // What is known on an earlier day is known on the latest too, so one question is enough.
  const [latest = 'latest'] = [...days].sort((a, b) => (placeOfVersion(a) < placeOfVersion(b) ? 1 : -1));
  for (const { series, ask } of answered.slice(0, mostExplained))
    if (ask.note !== undefined)
      await explainEmpty(
        observations,
        textsOf(defined({ id: series.id, ...knownIn(latest), from, to })),
        ask,
      );
}
