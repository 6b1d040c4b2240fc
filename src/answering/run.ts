import { datedText, meaningText, publishersIn, readMeanings } from '../domain/series/publishers.ts';
import { unitOn } from '../domain/series/series.ts';
import { type NamedSeries, namedSeries, nameOfSeries, unitText } from '../domain/series/transformation.ts';
import type { Day } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Drawing } from '../operations/drawing.ts';
import type { ColumnPage, Envelope, Row } from '../operations/envelope.ts';
import type { RowLayout } from '../operations/field.ts';
import type { AskMore, Operation } from '../operations/operation.ts';
import type { Params, ParamTexts } from '../operations/param.ts';
import type { NamedValues } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import {
  type Ask,
  type Difference,
  failureOf,
  type Outcome,
  type QueryAnswer,
  type WrittenPage,
} from './answer.ts';
import { knowingAliases, noteAliases } from './basis.ts';
import { descriptionOf, explainEmpty } from './notes.ts';
import { type Query, type TransformationValues, transformationIn } from './question.ts';

type DrawnAnswer = QueryAnswer<Row, Outcome> & RowLayout & { readonly drawing?: Drawing };

/** Answers a query, with no more requests than the next page takes; its pages return the outcome. */
export async function run(query: Query, ask: Ask): Promise<DrawnAnswer> {
  const { question, values } = query;
  const drawing = ask.drawn
    ? await knowingAliases(values, ask, async (meant) => question.drawing?.(meant)?.(ask))
    : undefined;
  const answered = () =>
    knowingAliases(values, ask, (meant) => question.answer(meant, ask)).catch(async (error) => {
      throw await failureIn(query, error, ask);
    });
  const { pages, written, byColumn, ...own } = await answered();
  const shown = { ...own, ...layoutOf(query, own) };
  const again = async () => (await answered()).pages;
  const whole = { query, ask, about: () => aboutAnswer(query, ask, shown.sentence) };
  return {
    ...shown,
    ...(drawing && { drawing: await shaded(drawing, query, ask) }),
    ...(written && { written: { ...written, pages: () => completed(written.pages(), whole) } }),
    ...(byColumn && { byColumn: () => completed(byColumn(), whole) }),
    pages: completed(pages, whole, again),
  };
}

function layoutOf({ question, values }: Query, own: Partial<RowLayout>): RowLayout {
  const { fields, columns, byDay } = { ...question.layout(values), ...own };
  if (fields === undefined || columns === undefined) throw new Error(`${question.name} has no layout`);
  return { fields, columns, ...defined({ byDay }) };
}

/** Returns a context that asks for the values of a series as a query wants them: published or computed. */
export async function askingFor(series: NamedSeries, values: NamedValues, ask: Ask): Promise<Ask> {
  const transformation = transformationIn(values, series);
  // Loaded here: most queries ask for values as published.
  return transformation === undefined
    ? ask
    : (await import('./transforming.ts')).transforming(ask, transformation);
}

async function shaded(drawing: Drawing, query: Query, ask: Ask): Promise<Drawing> {
  const { drawn = false } = ask;
  if (drawn === false || !drawn.recessions) return drawing;
  const { withRecessions } = await import('./recessions.ts');
  return withRecessions(drawing, query, ask);
}

type RowsPage = ColumnPage | Envelope | WrittenPage;

function withAliases<P extends RowsPage>(page: P, aliases: ReadonlyMap<string, string>): P {
  if (aliases.size === 0 || !('results' in page)) return page;
  const { results, results_count, has_more, next_cursor, ...head } = page;
  const rows = { results, results_count, has_more, ...defined({ next_cursor }) };
  return { ...head, aliases: Object.fromEntries(aliases), ...rows } as P;
}

/**
 * Passes pages on, with the aliases in the query, and returns the outcome; begins `again` if the first request says what
 * an alias stands for.
 */
async function* completed<P extends RowsPage>(
  first: AsyncGenerator<P, Difference | undefined>,
  { query, ask, about }: { readonly query: Query; readonly ask: Ask; readonly about: Outcome['about'] },
  again?: () => Promise<AsyncGenerator<P, Difference | undefined>>,
): AsyncGenerator<P, Outcome> {
  let rows = 0;
  let head: Outcome['head'];
  let hasMore = false;
  let cursor: string | undefined;
  for (let pages = first, isFirst = true; ; pages = await again()) {
    try {
      let step = await pages.next();
      for (; step.done !== true; step = await pages.next()) {
        isFirst = false;
        const page = withAliases(step.value, ask.basis.aliases);
        if ('rows' in page) rows += page.rows;
        else {
          rows += page.results.length;
          head ??= page;
          hasMore = page.has_more;
          cursor = page.next_cursor;
        }
        yield page;
      }
      return { ...step.value, rows, ...defined({ head, cursor }), hasMore, basis: ask.basis, about };
    } catch (error) {
      if (again === undefined || !isFirst || !noteAliases(error, ask))
        throw await failureIn(query, error, ask);
    } finally {
      await pages.return(undefined);
    }
  }
}

async function failureIn({ question, values }: Query, error: unknown, ask: Ask): Promise<unknown> {
  const [name = 'id'] = Object.keys(question.params).filter((one) => question.params[one]?.namesSeries);
  const id = values.id ?? values[name];
  const failure = typeof id === 'string' ? failureOf(id, error) : error;
  return failure instanceof Problem && failure.kind === 'inexact' ? withMeaning(failure, ask) : failure;
}

/** Says which demand refuses an inexact series, what the dates of its vintages mean, and what to do. */
async function withMeaning(refusal: Problem, ask: Ask): Promise<Problem> {
  const { series: id, headline, hints } = refusal;
  const { note: _, ...silent } = ask;
  const row = id === undefined ? undefined : await descriptionOf({ id }, silent);
  const all = readMeanings(String(row?.vintage_meaning ?? ''));
  const meanings = all.filter((one) => one !== 'publication');
  const which = meanings.length < all.length ? 'some of its' : 'its';
  const dated = `; ${which} vintages are dated ${datedText(meanings)}, not by the day of publication`;
  const demand = ask.naming.param('exact');
  return refusal.with({
    detail: `${demand} refuses this answer: ${headline}${meanings.length === 0 ? '' : dated}`,
    hints: [...hints, `without ${demand} the answer has these values, and a note`],
  });
}

/** Passes pages on; adds the operation's notes about the rows of the first page, or on why there are none. */
export async function* remarked<R extends Row>(
  operation: Operation<Params, R>,
  texts: ParamTexts,
  pages: AsyncIterable<Envelope<R>>,
  context: Ask,
): AsyncGenerator<Envelope<R>> {
  const { naming } = context;
  let isFirst = true;
  for await (const page of pages) {
    if (isFirst) {
      if (context.note !== undefined) {
        const followed = async () => (await context.client.followed?.()) ?? [];
        const ask: AskMore = (other, asked) => context.client.ask(other, asked, { once: true });
        const whenDue = (id: string) => whenDueIn(id, context);
        const about = { ask, followed, naming, whenDue };
        const remark = (await operation.remark?.(page.results, texts, about)) ?? [];
        for (const text of [remark].flat()) context.note({ kind: 'remark', text });
      }
      if (page.results.length === 0 && !page.has_more) await explainEmpty(operation, texts, context);
    }
    isFirst = false;
    yield page;
  }
}

async function whenDueIn(id: string, { client }: Ask): Promise<string | undefined> {
  // A service would count a second request.
  if (client.offers !== undefined) return undefined;
  const { dueText, nextRelease } = await import('../operations/calendar/next.ts');
  const [row] = (await client.ask(nextRelease, [['id', id]])).results;
  return row && dueText(row);
}

type About = readonly [name: string, text: string];

/** Returns what a file with notes says about an answer besides its rows; call it after the last page. */
async function aboutAnswer(
  { question, values }: Query,
  context: Ask,
  sentence: string | undefined,
): Promise<readonly About[]> {
  const { ids } = values as { readonly ids?: readonly string[] };
  const about: About[] = [...(question.aboutValues?.(values) ?? []), ...transformedAbout(values, ids)];
  if (sentence !== undefined) about.unshift(['In words', sentence]);
  for (const [alias, id] of context.basis.aliases) about.push(['Alias', `${alias}: ${id}`]);
  const day = question.knownOn?.(values) ?? context.basis.today;
  const hasSeries = question.reading !== undefined || 'ids' in values || 'id' in values;
  for (const { subject, covered_to, vintage_kind } of context.basis.upTo(day)) {
    const row = hasSeries ? await descriptionOf({ id: subject }, context) : undefined;
    const texts = [row?.title, row && unitIn(row, day), row?.source].filter(
      (text) => text !== undefined && text !== '',
    );
    if (texts.length > 0) about.push(['Series', `${subject}: ${texts.join('; ')}`]);
    const named = [...context.basis.named.values()].filter(({ id }) => id === subject);
    for (const one of named.length === 0 ? [{ id: subject }] : named) {
      const { units } = transformationIn(values, one) ?? { units: 'lin' };
      const unit = row && unitText(units, unitIn(row, day));
      if (unit) about.push(['Unit', `${nameOfSeries(one)}: ${unit}`]);
    }
    const meanings = readMeanings(String(row?.vintage_meaning ?? ''));
    const dated = meanings.length === 0 ? '' : `; the date of a vintage is ${meaningText(meanings)}`;
    if (vintage_kind !== undefined) about.push(['Vintages', `${subject}: ${vintage_kind}${dated}`]);
    for (const { attribution } of publishersIn(String(row?.source ?? '')))
      if (attribution !== undefined) about.push(['Attribution', `${subject}: ${attribution}`]);
    if (covered_to !== undefined) about.push(['Coverage', `${subject}: to ${covered_to}`]);
  }
  for (const { kind, text } of context.notes) if (!untold.has(kind)) about.push(['Note', text]);
  return about;
}

/** The kinds of notes that a file with notes leaves out: it has the end of the data in words of its own. */
const untold: ReadonlySet<string> = new Set(['coverage', 'stale', 'unknown']);

function transformedAbout(values: TransformationValues, names: readonly string[] = []): readonly About[] {
  const { units = 'lin', digits, frequency, aggregate = 'avg', partial = false } = values;
  const about: About[] = [];
  if (frequency !== undefined)
    about.push(['Frequency', `${frequency}, ${aggregate}${partial ? ', also of periods not complete' : ''}`]);
  const own = names.map((name) => namedSeries(name).units);
  for (const one of new Set([units, ...own]))
    if (one !== undefined && one !== 'lin')
      about.push(['Transformation', `${one}, computed within each vintage`]);
  if (digits !== undefined) about.push(['Digits', String(digits)]);
  return about;
}

function unitIn({ units, description_changes }: Row, day: Day): string {
  const described = Array.isArray(description_changes) ? (description_changes as readonly Row[]) : [];
  const changes = described.map(({ changed_on, field, before }) => ({
    changedOn: String(changed_on),
    field: String(field),
    before: String(before),
  }));
  return unitOn(day, String(units ?? ''), changes);
}
