import type { HttpReply } from '../../client/remote/transport.ts';
import { type Day, latestDay } from '../../domain/values/date.ts';
import { groupBy } from '../../domain/values/groups.ts';
import { Problem } from '../../errors/problem.ts';
import type { SourceFile } from '../../import/files/source-file.ts';
import type { ImportFormat } from '../../import/formats/format.ts';
import {
  editionDay,
  type OecdSeries,
  oecdBatches,
  oecdId,
  oecdRevisions,
  readOecdSeries,
} from '../../import/formats/sdmx/oecd.ts';
import { defined } from '../../platform/defined.ts';
import {
  bookmarkIn,
  document,
  type Get,
  goneSeries,
  type PullSource,
  type PullTask,
  type PullWindows,
  wrongAnswer,
} from '../source.ts';
import { hashOf } from '../whole-files.ts';

const title = 'the OECD';

/** The areas of one request; the answer has about 3 MB for each. */
const mostAreas = 6;

/** The revisions database of the OECD; the subjects are keys such as `EA20+DEU.Q.B1GQ_Q.XDC._T`. */
export const oecd: PullSource = {
  name: 'oecd',
  nameForm: /^(?:OECD:|\w+(?:\+\w+)*(?:\.\w+){4}$)/i,
  example: 'EA20.Q.B1GQ_Q.XDC._T',
  title,
  base: 'https://sdmx.oecd.org/public/rest',
  pace: [
    { requests: 1, milliseconds: 2000 },
    { requests: 60, milliseconds: 3_600_000 },
  ],
  timeout: 300,
  probe: dataPath('EA20.Q.B1GQ_Q.XDC._T', ['202310'], 'csvfile'),
  since: 'whole',
  // No data, too large an answer, and a key that it does not take.
  isAnswer: (reply) => [200, 413, 422].includes(reply.status) || isEmpty(reply),
  throttle: { statuses: [429, 403], seconds: 300 },

  parse(text) {
    const { areas, rest } = parseKey(text);
    const count = Math.ceil(areas.length / mostAreas);
    return Array.from({ length: count }, (_, at) =>
      keyOf({ areas: areas.slice(at * mostAreas, (at + 1) * mostAreas), rest }),
    );
  },

  estimate({ bookmark }) {
    const what = bookmark === '' ? 'every edition, twice to compare' : 'new editions and two old ones';
    return { requests: 2, what };
  },

  windows: editionsOf,
  idsOf: (name) => idsOf(parseKey(name)),
};

/** A key without its edition: areas, then the other four codes. */
type OecdKey = { readonly areas: readonly string[]; readonly rest: string };

/** Parses a key as users type it; throws a Problem for empty places and another number of codes. */
function parseKey(text: string): OecdKey {
  const plain = text
    .trim()
    .toUpperCase()
    .replace(/^OECD:(?:STES_REV\.)?/, '')
    .replace(/\.$/, '');
  const [, areas = '', rest = ''] = /^(\w+(?:\+\w+)*)\.(\w+(?:\.\w+){3})$/.exec(plain) ?? [];
  if (rest !== '') return { areas: [...new Set(areas.split('+'))], rest };
  throw new Problem('bad-input', `${JSON.stringify(text)}: not a key of the OECD revisions database`, {
    hints: [
      'a key is REF_AREA.FREQ.MEASURE.UNIT_MEASURE.ACTIVITY, such as EA20.Q.B1GQ_Q.XDC._T; areas can be joined: EA20+DEU.Q.B1GQ_Q.XDC._T',
    ],
  });
}

function keyOf({ areas, rest }: OecdKey): string {
  return `${areas.join('+')}.${rest}`;
}

function idsOf({ areas, rest }: OecdKey): readonly string[] {
  return areas.map((area) => oecdId(`${area}.${rest}`));
}

function dataPath(key: string, editions: readonly string[], format: string): string {
  const flow = 'OECD.SDD.STES,DSD_STES_REVISIONS@DF_STES_REVISIONS,4.0';
  return `/data/${flow}/${key}.${editions.join('+')}?dimensionAtObservation=AllDimensions&format=${format}`;
}

function isEmpty({ status, body }: HttpReply): boolean {
  return status === 404 && /^\W*No(?:Records|Results)Found/i.test(body.toString('latin1', 0, 100));
}

/** What the store has: a hash of each edition, and the old edition that was asked for again last. */
type OecdBookmark = {
  readonly hashes: Readonly<Record<string, string>>;
  readonly checked: string;
  /** The day of the first wanted edition, if not of all. */
  readonly from?: Day;
};

/**
 * Pulls a key in one window: every edition, or those that are new, the last one and an older one. An edition whose
 * figures changed is a conflict, because editions are not revised.
 */
async function* editionsOf(task: PullTask): PullWindows {
  const { subject, full, since, now, find, note } = task;
  const key = parseKey(subject.name);
  const ids = idsOf(key);
  // The facts that the bookmark is about may be gone.
  const isHeld = (await find(ids[0] ?? '')) !== undefined;
  const isNew = full || !isHeld || subject.bookmark === '';
  const held = bookmarkIn<Partial<OecdBookmark>>(subject);
  const { hashes = {}, checked: checkedBefore = '' } = isNew ? {} : held;
  const latest = latestDay(now);
  const old = Object.keys(hashes).sort();
  const last = old.at(-1);
  const earlier = old.slice(0, -1);
  const checked = earlier.find((name) => name > checkedBefore) ?? earlier[0] ?? '';
  const asked = last === undefined ? [] : [...(checked === '' ? [] : [checked]), ...monthsFrom(last, latest)];
  const answers = await answersOf(key, asked, task.get);
  if (answers.length === 0)
    throw subject.bookmark === ''
      ? notFound(`the OECD has no figures of ${subject.name}`)
      : goneSeries({ name: 'oecd', title }, subject.name, subject.upTo);
  const found = answers.flatMap(({ series }) => [...series.values()]);
  const from = since === undefined || !isNew ? held.from : `${since.slice(0, 7)}-01`;
  for (const { seriesId, editions } of found) {
    if (!ids.includes(seriesId))
      throw changed(`it was asked for ${subject.name}, and answered with ${seriesId}`);
    for (const name of [...editions.keys()]) {
      const day = editionDay(name) ?? '';
      if (asked.length > 0 && !asked.includes(name))
        throw changed(`it was not asked for the edition ${name}`);
      if (day > latest || (isNew && day < (from ?? ''))) editions.delete(name);
    }
  }
  for (const id of ids)
    if (isNew && !found.some(({ seriesId, editions }) => seriesId === id && editions.size > 0))
      note(`the OECD has no figures of ${id}`);
  const given = hashesOf(found);
  const gone = asked.filter((name) => hashes[name] !== undefined && given[name] === undefined);
  for (const name of gone) note(`the OECD no longer has the edition ${name}, which stays in the store`);
  const isNews = Object.entries(given).some(([name, hash]) => hashes[name] !== hash);
  const bookmark: OecdBookmark = { hashes: { ...given, ...hashes }, checked, ...defined({ from }) };
  const lastDay = editionDay(Object.keys(bookmark.hashes).sort().at(-1) ?? '');
  if (lastDay === undefined) throw notFound(`the OECD has no figures of ${subject.name}`);
  yield {
    files: isNews ? answers.map((answer) => ({ file: answer.file, format: asWhole(answer) })) : [],
    bookmark,
    upTo: lastDay,
  };
}

/** Lists the editions from one on that count as known up to a day. */
function monthsFrom(edition: string, latest: Day): readonly string[] {
  const names: string[] = [];
  let day = editionDay(edition);
  for (let name = edition; day !== undefined && day <= latest; day = editionDay(name)) {
    names.push(name);
    name = day.slice(0, 7).replace('-', '');
  }
  return names.length === 0 ? [edition] : names;
}

type OecdAnswer = { readonly file: SourceFile; readonly series: ReadonlyMap<string, OecdSeries> };

/** Requests the editions of a key, or all, with fewer areas at a time if too large; none if there are none. */
async function answersOf(
  key: OecdKey,
  editions: readonly string[],
  get: Get,
): Promise<readonly OecdAnswer[]> {
  const name = keyOf(key);
  const reply = await get(dataPath(name, editions, 'csvfilewithlabels'), async (given) => pageIn(given));
  const { areas, rest } = key;
  if (reply.status === 413 && areas.length > 1) {
    const half = Math.ceil(areas.length / 2);
    return [
      ...(await answersOf({ areas: areas.slice(0, half), rest }, editions, get)),
      ...(await answersOf({ areas: areas.slice(half), rest }, editions, get)),
    ];
  }
  if (reply.status === 413)
    throw new Problem('bad-answer', `the OECD refuses so large an answer for ${name} (HTTP 413)`, {
      hints: ['asof import reads files that were downloaded in parts, such as by startPeriod'],
    });
  if (reply.status === 422) throw notFound(`the OECD does not take the key ${name} (HTTP 422)`);
  if (reply.status === 404) return [];
  const file = document(`${name}.csv`, `OECD ${name}`, reply.body);
  const series = await readOecdSeries(file);
  await compareAgain(name, editions, series, get);
  return [{ file, series }];
}

function pageIn({ status, body }: HttpReply): string | undefined {
  const isCsv = /^(?:\u00EF\u00BB\u00BF)?"?(?:DATAFLOW|STRUCTURE)\b/.test(body.toString('latin1', 0, 20));
  return status !== 200 || isCsv ? undefined : 'the answer of the OECD is not SDMX-CSV';
}

/** Requests the same figures in another form, which no cache holds as the same answer, and compares the two. */
async function compareAgain(
  name: string,
  editions: readonly string[],
  series: ReadonlyMap<string, OecdSeries>,
  get: Get,
): Promise<void> {
  const first = JSON.stringify(figuresOf([...series.values()]));
  await get(dataPath(name, editions, 'csvfile'), async (reply) => {
    const page = pageIn(reply);
    if (page !== undefined) return page;
    const differs = `two answers of the OECD about ${name} differ: one was cut, or the OECD loads data`;
    if (reply.status !== 200) return differs;
    try {
      const again = await readOecdSeries(document(`${name}.csv`, `OECD ${name}`, reply.body));
      return JSON.stringify(figuresOf([...again.values()])) === first ? undefined : differs;
    } catch (error) {
      if (error instanceof Problem) return error.detail;
      throw error;
    }
  });
}

/** Lists the figures of series by edition, in an order that does not depend on that of rows. */
function figuresOf(series: readonly OecdSeries[]): readonly (readonly [edition: string, figure: string])[] {
  return series
    .flatMap(({ seriesId, editions }) =>
      [...editions].flatMap(([name, { values }]) =>
        [...values].map(([date, { value }]) => [name, `${seriesId} ${date} ${value}`] as const),
      ),
    )
    .sort((one, other) => (one.join() < other.join() ? -1 : 1));
}

function hashesOf(series: readonly OecdSeries[]): Readonly<Record<string, string>> {
  const editions = groupBy(figuresOf(series), ([edition]) => edition);
  const textOf = (own: readonly (readonly string[])[]) => own.map(([, figure]) => `${figure}\n`).join('');
  return Object.fromEntries(
    Array.from(editions, ([name, own]) => [name, hashOf(textOf(own)).slice(0, 16)] as const),
  );
}

/** Makes the format of an answer that has every period of its editions. */
function asWhole({ series }: OecdAnswer): ImportFormat {
  return {
    ...oecdRevisions,
    async *read(_, { latest }) {
      for (const one of series.values()) {
        yield* oecdBatches(one, latest);
        const days = [...one.editions.keys()].flatMap((name) => editionDay(name) ?? []);
        yield { complete: days.map((asOf) => ({ seriesId: one.seriesId, asOf })) };
      }
    },
  };
}

function changed(what: string): Problem {
  return wrongAnswer(`the answer of the OECD is about something else: ${what}`);
}

function notFound(detail: string): Problem {
  return new Problem('not-found', detail, {
    hints: ['its Data Explorer shows the codes of the dataflow DF_STES_REVISIONS'],
  });
}
