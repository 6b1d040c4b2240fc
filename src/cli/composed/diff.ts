import { changeBetween } from '../../domain/series/change.ts';
import type { Day } from '../../domain/series/date.ts';
import { sameNumber } from '../../domain/series/decimal.ts';
import type { Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import { observations } from '../../operations/index.ts';
import { typedKnowledgeDay, typedKnownBefore } from '../options/knowledge.ts';
import { dateBounds, type RangeFlags } from '../options/range.ts';
import { noteCoverage } from '../run/coverage.ts';
import { changedBetweenPages } from '../run/pages.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { type ComposedFlags, type Composing, writeComposed } from './composed.ts';
import { collected, pagesExpected } from './listing.ts';
import { isFinal } from './politely.ts';

type DiffFlags = ComposedFlags & RangeFlags & { readonly knownBefore?: boolean; readonly exitCode?: boolean };

const fields: readonly Field[] = [
  { name: 'series_id', type: 'text', description: 'Identifier of the series.' },
  { name: 'date', type: 'day', description: 'The period that the values belong to.' },
  { name: 'old', type: 'decimal', description: 'The value known on the first day.', nullable: true },
  { name: 'new', type: 'decimal', description: 'The value known on the other day.', nullable: true },
  { name: 'change', type: 'decimal', description: 'Exact difference.', nullable: true },
  { name: 'percent', type: 'decimal', description: 'The same in percent of the old value.', nullable: true },
  { name: 'kind', type: 'text', description: 'added, revised or withdrawn.' },
];

/** Writes what two days of knowledge disagree on, newest date first. */
export async function runDiff(
  typed: string,
  days: readonly [string, string],
  flags: DiffFlags,
  io: Io,
): Promise<number> {
  const id = typed.toUpperCase();
  const { code, rows } = await writeComposed(flags, io, async (session) => {
    const { talk } = session;
    const read = flags.knownBefore === true ? typedKnownBefore : typedKnowledgeDay;
    const known = days.map((text, i) => read(`day ${i + 1}`, text, io, talk));
    const bounds = dateBounds(flags, io, talk);
    if (flags.dryRun === true) return { wouldTake: await requestsOf(id, known, session) };
    const asked = known.map((day) =>
      collected(session, observations, [['id', id], ['as_of', day], ...bounds]),
    );
    const answers = await Promise.all(asked).catch((error: unknown) => {
      if (isFinal(error) || changedBetweenPages(error)) throw error;
      return { error };
    });
    const shown = { object: 'diff', fields, columns: fields.map(({ name }) => name) } as const;
    if ('error' in answers) return { ...shown, rows: [], failures: [{ series: { id }, ...answers }] };
    await noteCoverage([{ id }], known, session);
    const [before = [], after = []] = answers;
    return { ...shown, rows: differences(id, before, after), failures: [] };
  });
  return code === exitCode.success && rows > 0 && flags.exitCode === true ? exitCode.differences : code;
}

async function requestsOf(id: string, days: readonly Day[], session: Composing): Promise<string> {
  const pages = await pagesExpected({ id }, session);
  const checks = (session.talk.notes ? 1 : 0) + session.requestsToCheck();
  return `the differences take about ${days.length * pages + checks} requests`;
}

/** The dates that two answers give different numbers, or that only one of them has. */
function differences(id: string, before: readonly Row[], after: readonly Row[]): readonly Row[] {
  const [old, now] = [valuesByDate(before), valuesByDate(after)];
  const dates = [...new Set([...old.keys(), ...now.keys()])].sort().reverse();
  return dates.flatMap((date) => {
    const [was, is] = [old.get(date) ?? null, now.get(date) ?? null];
    if (sameNumber(was, is)) return [];
    const change = was === null || is === null ? { change: null, percent: null } : changeBetween(was, is);
    const kind = was === null ? 'added' : is === null ? 'withdrawn' : 'revised';
    return [{ series_id: id, date, old: was, new: is, ...change, kind }];
  });
}

function valuesByDate(rows: readonly Row[]): ReadonlyMap<Day, string> {
  return new Map(rows.map(({ date, value }) => [String(date), String(value)]));
}
