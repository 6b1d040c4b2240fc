// Why: docs/decisions/what-an-answer-says-of-itself.md
import type { Client } from '../client/client.ts';
import { pagesOf } from '../client/pagination.ts';
import { kindsText, parseVintageKind, type VintageKind } from '../domain/series/series.ts';
import type { NamedSeries } from '../domain/series/transformation.ts';
import { addDays, type Day, dayNumber, earlier, parseDay, weekendDay } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import { counted } from '../errors/wording.ts';
import type { AnswerVintage, Envelope, KnownInstant } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import { boundIn, type Params, type ParamTexts, textOf } from '../operations/param.ts';
import { vintages } from '../operations/series/vintages.ts';
import type { NamedValues, Version } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';

/** What an answer must be based on; an empty object accepts everything. */
export type Demands = {
  /** Only vintages on days of publication: neither samples nor days of fetching. */
  readonly exact?: boolean | undefined;
  /** Only data covered to at most this number of days before the requested day. */
  readonly maxAge?: number | undefined;
};

/** What is known about the data of a series, a kind of curve, or filings. */
export type SubjectBasis = {
  readonly subject: string;
  readonly covered_to?: Day;
  /** The kinds of the vintages, separated by `; `. */
  readonly vintage_kind?: string;
};

type SubjectNotes = {
  coveredTo: Day | undefined;
  readonly kinds: Set<VintageKind>;
  /** True for data that may appear only on weekdays, such as curves and filings. */
  readonly isDaily: boolean;
};

/** An answer said what an alias in the query stands for: the query starts again with the id. */
class AliasFound extends Error {}

type AliasReader = {
  readonly basis: Basis;
  readonly note?: (note: { readonly kind: 'alias'; readonly text: string }) => void;
};

/** Works on values with the id of a series; starts again when an answer says what an alias stands for. */
export async function knowingAliases<T>(
  values: NamedValues,
  reader: AliasReader,
  work: (values: NamedValues) => Promise<T>,
): Promise<T> {
  for (;;)
    try {
      const { id } = values;
      return await work(typeof id === 'string' ? { ...values, id: reader.basis.idOf(id) } : values);
    } catch (error) {
      if (!noteAliases(error, reader)) throw error;
    }
}

/** Adds a note on each alias if an answer told one; false for any other failure. */
export function noteAliases(error: unknown, { basis, note }: AliasReader): boolean {
  if (!(error instanceof AliasFound)) return false;
  for (const [alias, id] of basis.aliases) note?.({ kind: 'alias', text: `${alias} is ${id}` });
  return true;
}

type ResolvedInstant = Pick<KnownInstant, 'rule' | 'seen'> & { readonly day: Day };

/** What one answer is based on; refuses what does not meet the demands. */
export class Basis {
  readonly demands: Demands;
  readonly today: Day;
  readonly missing = new Set<string>();
  /** The ids of the series that aliases in the query stand for, as far as answers said so. */
  readonly aliases = new Map<string, string>();
  /** The series that the query names, with their own units; the order of what is known of them. */
  readonly named = new Map<string, NamedSeries>();
  readonly #subjects = new Map<string, SubjectNotes>();
  /** In the order of the requests, which those about several series need not have. */
  readonly #asked = new Set<string>();
  readonly #vintages = new Map<string, AnswerVintage>();
  readonly #resolved = new Map<string, ResolvedInstant>();

  constructor(demands: Demands, today: Day) {
    this.demands = demands;
    this.today = today;
  }

  /**
   * Wraps a client, to record what answers are based on, and to refuse those that miss the demands.
   * Answers as of a day do not say to which day the data are covered.
   */
  through(client: Client): Client {
    return {
      ...client,
      ask: async (operation, texts, ...options) => {
        this.#asked.add(subjectOf(operation, texts));
        const envelope = await client.ask(operation, texts, ...options);
        this.#learn(envelope.aliases);
        const asked = operation.boundBy === undefined ? undefined : boundIn(operation, texts);
        const { known_at } = envelope;
        const day = known_at === undefined ? asked : envelope.as_of;
        if (asked !== undefined && day !== undefined && known_at !== undefined) {
          const { rule, seen } = known_at;
          this.#resolved.set(keyOf(subjectOf(operation, texts), asked), { day, rule, ...defined({ seen }) });
        }
        this.#take(operation, texts, day, envelope);
        if (asked !== day && envelope.vintage !== undefined)
          this.#vintages.set(keyOf(subjectOf(operation, texts), asked), envelope.vintage);
        if (day !== undefined && operation.members?.includes('vintage') === true)
          await this.#requireNextExact(client, subjectOf(operation, texts), day, envelope.vintage);
        return day === undefined ? envelope : withoutCoverage(envelope);
      },
    };
  }

  /** Returns the id of a series in upper case, as far as known for an alias too. */
  idOf(typed: string): string {
    const id = typed.toUpperCase();
    return this.aliases.get(id) ?? id;
  }

  /** Returns the vintage of an answer as of a day, or as known at an instant. */
  vintageOn(id: string, asOf: Version | undefined): AnswerVintage | undefined {
    return this.#vintages.get(keyOf(id, asOf));
  }

  /** Returns the as-of date and the rule by which an instant became one; undefined for another version. */
  resolved(id: string, version: Version): ResolvedInstant | undefined {
    return this.#resolved.get(keyOf(id, version));
  }

  /** Returns the as-of date of an answer; before the answer to an instant, the UTC day. */
  dayOf(id: string, version: Version): Day {
    return this.resolved(id, version)?.day ?? version.slice(0, 10);
  }

  reaches(subject: string, day: Day): boolean {
    const notes = this.#subjects.get(subject);
    return notes === undefined || doesReach(notes, day);
  }

  coveredTo(subject: string): Day | undefined {
    return this.#subjects.get(subject)?.coveredTo;
  }

  kindsOf(subject: string): ReadonlySet<VintageKind> {
    return this.#subjects.get(subject)?.kinds ?? new Set();
  }

  /** Records the coverage of a series and its kinds of vintages; throws a Problem if they miss the demands. */
  add(id: string, day: Day | undefined, coveredTo: Day | null | undefined, kinds: readonly string[]): void {
    this.#requireAge(id, day, coveredTo);
    const notes = this.#notesOf(id, day, coveredTo, false);
    // Requests without a day may have noted a later coverage.
    if (coveredTo != null) notes.coveredTo = earlier(coveredTo, day ?? coveredTo);
    for (const kind of kinds) this.#addKinds(notes, kind);
    if (this.demands.exact !== true) return;
    const inexact = kinds.find((kind) => kind !== 'exact');
    if (inexact === '') throw unknownKind(id);
    if (inexact !== undefined)
      throw new Problem('inexact', `${id} is ${inexact}`, { series: id, field: 'exact' });
  }

  /**
   * Lists the subjects whose data do not reach a day, such as `GDP is covered to 2024-12-19`.
   * Curves, filings and daily series need to reach only the last weekday before the day.
   */
  staleOn(day: Day): readonly string[] {
    return this.#inOrder().flatMap(([subject, notes]) =>
      notes.coveredTo === undefined || doesReach(notes, day) ? [] : coveredText(subject, notes.coveredTo),
    );
  }

  upTo(day: Day): readonly SubjectBasis[] {
    return this.#inOrder().map(([subject, { coveredTo, kinds }]) => ({
      subject,
      ...(coveredTo !== undefined && { covered_to: earlier(coveredTo, day) }),
      ...(kinds.size > 0 && { vintage_kind: kindsText(kinds) }),
    }));
  }

  #learn(aliases: Envelope['aliases'] = {}): void {
    const known = this.aliases.size;
    for (const [alias, id] of Object.entries(aliases)) this.aliases.set(alias, id);
    if (this.aliases.size > known) throw new AliasFound();
  }

  #inOrder(): readonly (readonly [subject: string, notes: SubjectNotes])[] {
    const named = Array.from(this.named.values(), ({ id }) => this.idOf(id));
    return [...new Set([...named, ...this.#asked])].flatMap((subject) => {
      const notes = this.#subjects.get(subject);
      return notes === undefined ? [] : [[subject, notes] as const];
    });
  }

  #take(
    operation: Operation<Params, unknown>,
    texts: ParamTexts,
    day: Day | undefined,
    { vintage, coverage, covered_to, series }: Envelope<unknown>,
  ): void {
    const { members = [], boundBy } = operation;
    const subject = subjectOf(operation, texts);
    if (members.includes('covered_to') || members.includes('coverage')) {
      const coveredTo = covered_to === undefined ? coverage?.covered_to : covered_to;
      // Without a day, the question that knows the day checks.
      if (boundBy !== undefined) this.#requireAge(subject, day, coveredTo);
      const isDaily = operation.subject !== undefined || series?.frequency === 'D';
      // What a request without a day says about today must not replace what is known of a day.
      const noted = boundBy === undefined ? (this.coveredTo(subject) ?? coveredTo) : coveredTo;
      this.#notesOf(subject, day, noted, isDaily);
    }
    if (!members.includes('vintage')) return;
    this.#requireExact(subject, day, vintage);
    if (vintage === undefined) return;
    this.#vintages.set(keyOf(subject, day), vintage);
    this.#addKinds(this.#notesOf(subject, day, undefined, false), vintage.vintage_kind);
  }

  /** Updates the notes about a subject; its coverage counts up to the last as-of date. */
  #notesOf(
    subject: string,
    day: Day = '~',
    coveredTo: Day | null | undefined,
    isDaily: boolean,
  ): SubjectNotes {
    const notes = this.#subjects.get(subject) ?? { coveredTo: undefined, kinds: new Set(), isDaily };
    this.#subjects.set(subject, notes);
    this.#asked.add(subject);
    const known = coveredTo == null ? undefined : earlier(coveredTo, day);
    if (known !== undefined && known > (notes.coveredTo ?? '')) notes.coveredTo = known;
    return notes;
  }

  /** Refuses days after an exact vintage whose next one is not exact: a publication between may be missing. */
  requireNoGap(id: string, newest: Day, next: string | undefined): void {
    if (this.demands.exact !== true || next === undefined || next === 'exact') return;
    throw new Problem('inexact', `${id} is exact on ${newest}: ${mayBeMissing}`, {
      series: id,
      field: 'exact',
    });
  }

  /** Asks for the next vintage: an answer as of a day cannot show the gap, because that vintage came later. */
  async #requireNextExact(
    client: Client,
    id: string,
    day: Day,
    vintage: AnswerVintage | undefined,
  ): Promise<void> {
    const { as_of_date: newest = null, vintage_kind: kind } = vintage ?? {};
    if (this.demands.exact !== true || kind !== 'exact' || newest === null || newest >= day) return;
    if (parseDay(day) === undefined) return;
    const after = [['id', id] as const, ['from', addDays(day, 1)] as const];
    const { signal } = new AbortController();
    for await (const { results } of pagesOf(client, vintages, after, { first: 1 }, signal))
      for (const { vintage_kind: next } of results) this.requireNoGap(id, newest, next ?? '');
  }

  #addKinds({ kinds }: SubjectNotes, text: string): void {
    for (const word of text.split(';')) {
      const kind = parseVintageKind(word);
      if (kind !== undefined) kinds.add(kind);
    }
  }

  #requireExact(id: string, day: Day | undefined, vintage: AnswerVintage | undefined): void {
    if (this.demands.exact !== true) return;
    if (vintage === undefined) throw unknownKind(id);
    const reason = inexactText(id, day, vintage);
    if (reason !== undefined) throw new Problem('inexact', reason, { series: id, field: 'exact' });
  }

  #requireAge(subject: string, day: Day = this.today, coveredTo: Day | null | undefined): void {
    const { maxAge } = this.demands;
    if (maxAge === undefined) return;
    if (coveredTo === undefined)
      throw new Problem('bad-answer', `the service does not say to which day ${subject} is covered`, {
        hints: ['leave out the maximum age'],
      });
    if (coveredTo === null)
      throw new Problem('too-old', `there are no data on ${subject}`, { field: 'max_age' });
    if (parseDay(day) === undefined || coveredTo >= addDays(day, -maxAge)) return;
    const age = dayNumber(day) - dayNumber(coveredTo);
    throw new Problem(
      'too-old',
      `${coveredText(subject, coveredTo)}, ${counted(age, 'day')} before ${day}; the maximum age is ${maxAge}`,
      { field: 'max_age' },
    );
  }
}

/** Tells whether the data about a subject reach a day; data without a stated coverage do. */
function doesReach({ coveredTo, isDaily }: SubjectNotes, day: Day): boolean {
  return coveredTo === undefined || coveredTo >= (isDaily ? lastWeekday(day) : day);
}

/** Says the coverage of a subject in words; `filings` is a plural, and ids are in upper case. */
function coveredText(subject: string, coveredTo: Day): string {
  return `${subject} ${/^[a-z].*s$/.test(subject) ? 'are' : 'is'} covered to ${coveredTo}`;
}

function lastWeekday(day: Day): Day {
  return addDays(day, { Saturday: -1, Sunday: -2, weekday: 0 }[weekendDay(day) ?? 'weekday']);
}

function keyOf(id: string, asOf: Day | undefined): string {
  return `${asOf ?? ''} ${id}`;
}

function unknownKind(id: string): Problem {
  return new Problem('bad-answer', `the service does not say how the vintages of ${id} came about`, {
    hints: ['leave out the demand for exact vintages'],
  });
}

function subjectOf({ subject, params }: Operation<Params, unknown>, texts: ParamTexts): string {
  if (subject === undefined) return textOf(texts, 'id') ?? '';
  return subject.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(textOf(texts, name) ?? params[name]?.fallback),
  );
}

const mayBeMissing = 'later publications may be missing';

function withoutCoverage<R>({ covered_to: _, ...page }: Envelope<R>): Envelope<R> {
  return page;
}

/** Says why an answer as of a day may not be exactly what was published by then; names no later vintage. */
export function inexactText(id: string, day: Day | undefined, vintage: AnswerVintage): string | undefined {
  const { as_of_date: newest, vintage_kind: kind } = vintage;
  if (kind === '' || kind === 'exact') return undefined;
  if (kind === 'unknown') return `it is not known how the vintages of ${id} came about`;
  if (newest === null) return `${id} is ${kind}: a first release is the first vintage that has the date`;
  const noun = kind === 'sampled' ? 'sample' : 'vintage';
  const from = `${id} is ${kind}: values are from the`;
  if (day === undefined) return `${from} newest ${noun}, of ${newest}`;
  return `${from} ${noun} of ${newest}${day > newest ? `; ${mayBeMissing}` : ''}`;
}
