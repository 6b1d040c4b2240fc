import type { Day } from '../../domain/series/date.ts';
import {
  type FirstRelease,
  type Newest,
  newestByFirstRelease,
  type Publication,
  type Spell,
  spellsOf,
} from '../../domain/series/real-time-periods.ts';
import { Problem } from '../../errors/problem.ts';
import type { Row } from '../../operations/envelope.ts';
import { observations, revisions, vintages } from '../../operations/index.ts';
import type { Wanted } from '../options/ids.ts';
import { everything, pagesOf } from '../run/pages.ts';
import type { Composing } from './composed.ts';
import { collected } from './listing.ts';
import { type Point, pointOf } from './panel-layout.ts';

/** How the latest values of a series on many days are found: those that are known already, and the questions left. */
export type Plan = {
  readonly series: Wanted;
  readonly spells: readonly Spell[];
  readonly known: ReadonlyMap<Spell, FirstRelease>;
  /** Spells that have the newest date in common, by that date: its revisions answer all of them. */
  readonly ofOneDate: ReadonlyMap<Day, readonly Spell[]>;
};

/** Without a list of vintages every day is a request of its own: so many are made for one series, and no more. */
const mostWithoutVintages = 1000;

/** From so many different states of knowledge on it pays to ask for all first releases at once. */
const manySpells = 4;

/** Finds out, in few requests, on which of the days (ascending) a series was known to be in another state. */
export async function planOf(series: Wanted, days: readonly Day[], session: Composing): Promise<Plan> {
  const nothingYet = sorted(new Map());
  const last = days.at(-1);
  if (last === undefined) return { series, spells: [], ...nothingYet };
  const listed = await offered(() => publicationsOf(series, last, session));
  if (listed === undefined) {
    if (days.length > mostWithoutVintages) throw tooMany(series, days.length);
    return { series, spells: days.map((day) => ({ days: [day], since: day })), ...nothingYet };
  }
  const { publications, row } = listed;
  const spells = spellsOf(days, publications);
  const plan = { series: { ...series, ...(row !== undefined && { row }) }, spells };
  if (spells.filter(({ since }) => since !== undefined).length < manySpells)
    return { ...plan, ...nothingYet };
  const releases = await offered(() => firstReleases(series, last, session));
  return { ...plan, ...sorted(newestByFirstRelease(spells, publications, releases ?? [])) };
}

/** What first releases tell at once, and what the revisions of a date tell for several spells. */
function sorted(newest: ReadonlyMap<Spell, Newest>): Pick<Plan, 'known' | 'ofOneDate'> {
  const known = new Map<Spell, FirstRelease>();
  const revised = new Map<Day, Spell[]>();
  for (const [spell, { release, revised: isRevised }] of newest) {
    if (!isRevised) known.set(spell, release);
    else revised.set(release.date, [...(revised.get(release.date) ?? []), spell]);
  }
  return { known, ofOneDate: new Map([...revised].filter(([, spells]) => spells.length > 1)) };
}

/** The spells of which a question of their own is left. */
function alone({ spells, known, ofOneDate }: Plan): readonly Spell[] {
  const shared = new Set([...ofOneDate.values()].flat());
  return spells.filter((spell) => spell.since !== undefined && !known.has(spell) && !shared.has(spell));
}

/** The requests that a plan leaves to be made. */
export function requestsLeft(plan: Plan): number {
  return alone(plan).length + plan.ofOneDate.size;
}

/** What was the newest value of a series on each of the days. */
export async function latestKnown(plan: Plan, session: Composing): Promise<ReadonlyMap<Day, Point>> {
  const { series, spells, known, ofOneDate } = plan;
  const found = new Map<Spell, FirstRelease | undefined>(known);
  const ask = async (spell: Spell): Promise<void> => {
    found.set(spell, await newestAsOf(series, spell, session));
  };
  await Promise.all([
    ...alone(plan).map(ask),
    ...[...ofOneDate].map(async ([date, sharing]) => {
      const history = await offered(() => changesOf(series, date, session));
      for (const spell of sharing) {
        const change = history?.findLast(({ asOf }) => asOf <= (spell.since ?? ''));
        if (change?.value === undefined) await ask(spell);
        else found.set(spell, { date, value: change.value, asOf: change.asOf });
      }
    }),
  ]);
  return new Map(
    spells.flatMap((spell) => {
      const { date, value, asOf: asOfDate } = found.get(spell) ?? {};
      return spell.days.map((asOf): [Day, Point] => [asOf, { asOf, date, value, asOfDate }]);
    }),
  );
}

/** What a service gives, or undefined where it does not offer it. */
async function offered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Problem && error.missing) return undefined;
    throw error;
  }
}

function tooMany({ id }: Wanted, requests: number): Problem {
  return new Problem(
    'bad-answer',
    `the service has no ${vintages.path.replace('{id}', id)}; without it this takes ${requests} requests for ${id}, more than ${mostWithoutVintages}`,
    { hints: ['ask for fewer days of knowledge'] },
  );
}

/** The days of publication up to `last`, ascending, and what the service says that they cover. */
async function publicationsOf({ id }: Wanted, last: Day, { client, io }: Composing) {
  const publications: Publication[] = [];
  let row: Row | undefined;
  const given = [
    ['id', id],
    ['to', last],
  ] as const;
  for await (const page of pagesOf(client, vintages, given, everything, io.signal)) {
    row ??= page.coverage;
    for (const { as_of_date, added, revised, withdrawn } of page.results) {
      const [adds, revises, withdraws] = [added > 0, revised > 0, withdrawn > 0];
      publications.push({ asOf: as_of_date, adds, revises, withdraws });
    }
  }
  publications.sort((a, b) => (a.asOf < b.asOf ? -1 : 1));
  return { publications, row };
}

async function firstReleases(
  { id }: Wanted,
  last: Day,
  session: Composing,
): Promise<readonly FirstRelease[]> {
  const rows = await collected(session, observations, [
    ['id', id],
    ['as_of', last],
    ['release', 'first'],
  ]);
  return rows.map(release);
}

/** Every change of one date's value, oldest first; a withdrawal has no value. */
async function changesOf({ id }: Wanted, date: Day, session: Composing) {
  const rows = await collected(session, revisions, [
    ['id', id],
    ['date', date],
  ]);
  const changes = rows.map(({ as_of_date, value }) => ({
    asOf: as_of_date,
    value: value ?? undefined,
  }));
  return changes.sort((a, b) => (a.asOf < b.asOf ? -1 : 1));
}

/** The newest date that has a value on the days of a spell. */
async function newestAsOf(
  { id }: Wanted,
  { days: [day = ''] }: Spell,
  session: Composing,
): Promise<FirstRelease | undefined> {
  const given = [
    ['id', id],
    ['as_of', day],
  ] as const;
  // Two rows show in which order a service gives them; one alone would cost a request more to find out.
  const [first] = await collected(session, observations, given, { limit: 2, cursor: undefined });
  return first && release(first);
}

function release(row: Row): FirstRelease {
  const { date = '', value = '', asOfDate = '' } = pointOf(row, undefined);
  return { date, value, asOf: asOfDate };
}
