import type { HttpReply } from '../../client/remote/exchange.ts';
import { type Day, utcDay } from '../../domain/series/date.ts';
import { type CurvePoint, type CurveType, planPoints } from '../../domain/treasury/curve.ts';
import { Problem } from '../../errors/problem.ts';
import type { SourceFile } from '../../import/files/source-file.ts';
import { treasuryXml } from '../../import/formats/treasury/xml.ts';
import type { ReplyMeaning } from '../getter.ts';
import { checkClock, document, type PullSource, type PullTask, type PullWindow } from '../source.ts';

/** A kind of daily curve in Treasury's feed, and the first year that has it. */
type Family = { readonly curveType: CurveType; readonly data: string; readonly firstYear: number };

const families: Readonly<Record<string, Family>> = {
  par: { curveType: 'PAR', data: 'daily_treasury_yield_curve', firstYear: 1990 },
  real: { curveType: 'TIPS', data: 'daily_treasury_real_yield_curve', firstYear: 2003 },
};

const feedPath = '/resource-center/data-chart-center/interest-rates/pages/xml';

/** A year has at most 261 trade dates of 14 maturities. */
const mostRates = 5000;

/** The first curve of a year is of its first business day; a feed without any is believed until then. */
const firstCurveBy = '-01-08';

/**
 * The daily par and real curves of the U.S. Treasury, from its XML feed, one request a year. Treasury states one rate
 * for each day and maturity and does not revise it: a rate that differs from the store's is a conflict, and the
 * store's stays.
 */
export const treasury: PullSource = {
  name: 'treasury',
  title: 'the U.S. Treasury',
  // Treasury states no limit.
  pace: [{ requests: 2, milliseconds: 1000 }],
  // A feed by month, which is the smallest, is not among those that a pull asks for; the first year of real curves is
  // small.
  probe: `${feedPath}?data=${families.real?.data}&field_tdr_date_value=${families.real?.firstYear}`,
  counted: { new_days: ['new day', 'new days'], new_rates: ['new rate', 'new rates'] },

  access: ({ url = 'https://home.treasury.gov' }) => ({
    title: 'the U.S. Treasury',
    base: url,
    headers: { accept: 'application/xml' },
    secrets: [],
    classify,
  }),

  async resolve(typed) {
    if (typed.length === 0) return Object.keys(families);
    return typed.map((text) => {
      if (families[text.toLowerCase()] !== undefined) return text.toLowerCase();
      throw new Problem('bad-input', `${JSON.stringify(text)} is not a kind of curve: use par or real`);
    });
  },

  estimate({ name, bookmark }, { since, now }) {
    const years = yearsOf(familyNamed(name), bookmark, since, utcDay(now)).length;
    return { requests: years, what: years === 1 ? 'the feed of this year' : `the feeds of ${years} years` };
  },

  windows: feedsOf,

  async count(subject, view) {
    const { curveType } = familyNamed(subject);
    const rates = (await view.rates()).filter((rate) => rate.curveType === curveType);
    return {
      new_days: Math.max(0, ...rates.map(({ count }) => count)),
      new_rates: rates.reduce((sum, { count }) => sum + count, 0),
    };
  },
};

/** The years to ask for: from that of the last day held on, or from the first one. */
function yearsOf(
  { firstYear }: Family,
  bookmark: Day | '',
  since: Day | undefined,
  today: Day,
): readonly number[] {
  const last = Number(today.slice(0, 4));
  const wanted = bookmark === '' ? since : bookmark;
  const begin = Math.min(Math.max(firstYear, Number(wanted?.slice(0, 4) ?? 0)), last);
  return Array.from({ length: last - begin + 1 }, (_, i) => begin + i);
}

async function* feedsOf(task: PullTask): AsyncGenerator<PullWindow> {
  const { subject, full, since, now, get, read } = task;
  checkClock(task);
  const family = familyNamed(subject.name);
  const { curveType, data } = family;
  const today = utcDay(now);
  let bookmark: Day | '' = full ? '' : subject.bookmark;
  const years = yearsOf(family, bookmark, since, today);
  for (const [index, year] of years.entries()) {
    const path = `${feedPath}?data=${data}&field_tdr_date_value=${year}`;
    const file = document(
      { name: `${data}_${year}.xml`, path: `${data} of ${year}` },
      (await get(path)).body,
    );
    const points = await pointsOf(file, family, year, today);
    const held =
      (await read((view) =>
        view.yields({ curveType, from: `${year}-01-01`, to: `${year}-12-31`, limit: mostRates }),
      )) ?? [];
    const { put, conflicts } = planPoints(held, points, { replace: false });
    for (const { tradeDate } of points) if (tradeDate > bookmark) bookmark = tradeDate;
    const isNew = put.length + conflicts.length > 0;
    yield {
      files: isNew ? [{ file, format: treasuryXml }] : [],
      keepsHeld: true,
      bookmark,
      upTo: bookmark === '' ? `${year - 1}-12-31` : bookmark,
      remaining: years.length - index - 1,
    };
  }
}

/**
 * The rates of a year's feed; refused if they are of another year or curve, or if there are none where there must be
 * some.
 */
async function pointsOf(
  file: SourceFile,
  { curveType }: Family,
  year: number,
  today: Day,
): Promise<readonly CurvePoint[]> {
  if (today < `${year}${firstCurveBy}` && isEmptyFeed(await file.bytes())) return [];
  const points: CurvePoint[] = [];
  for await (const batch of treasuryXml.read(file, {})) points.push(...(batch.points ?? []));
  const other = points.find(
    (point) => point.curveType !== curveType || !point.tradeDate.startsWith(`${year}-`),
  );
  if (other === undefined) return points;
  const { tradeDate, maturity } = other;
  throw new Problem(
    'bad-input',
    `${file.path}: it has the ${other.curveType} rate of ${tradeDate} ${maturity}`,
  );
}

/** Whether a feed is complete and has no entry. */
function isEmptyFeed(content: Buffer): boolean {
  const text = content.toString();
  return /<feed\b/.test(text) && /<\/feed>\s*$/.test(text) && !/<entry\b/.test(text);
}

function familyNamed(name: string): Family {
  const family = families[name];
  if (family === undefined) throw new Problem('not-found', `Treasury has no curve ${JSON.stringify(name)}`);
  return family;
}

function classify({ status }: HttpReply): ReplyMeaning {
  if (status === 200) return 'answer';
  const answered = `the U.S. Treasury answered with HTTP ${status}`;
  if (status === 429 || status === 403)
    return { throttledFor: 60, problem: new Problem('rate-limit-exceeded', answered) };
  if (status >= 500 || status === 408) return { transient: new Problem('service-unavailable', answered) };
  return {
    failed: new Problem('bad-answer', `${answered} where it keeps its feed of curves`, {
      hints: ['the feed may have moved; a newer asof may know where'],
    }),
  };
}
