import { type CurvePoint, type CurveType, planPoints } from '../../domain/treasury/curve.ts';
import { type Day, later, latestDay, utcDay } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { allBytes, type SourceFile } from '../../import/files/source-file.ts';
import { treasuryXml } from '../../import/formats/treasury.ts';
import {
  bookmarkIn,
  document,
  type Outstanding,
  type PullSource,
  type PullTask,
  type PullWindows,
  reasonIn,
} from '../source.ts';
import { inputOf } from '../whole-files.ts';

const title = 'the U.S. Treasury';

type Family = { readonly curveType: CurveType; readonly data: string; readonly firstYear: number };

const families: Readonly<Record<string, Family>> = {
  par: { curveType: 'PAR', data: 'daily_treasury_yield_curve', firstYear: 1990 },
  real: { curveType: 'TIPS', data: 'daily_treasury_real_yield_curve', firstYear: 2003 },
};

const feedPath = '/resource-center/data-chart-center/interest-rates/pages/xml';

/** The most rates of a year, which has at most 261 trade dates with 14 maturities. */
const mostRates = 5000;

/** The day by which a year has a curve; before that, an empty feed is accepted. */
const firstCurveBy = '-01-08';

/**
 * The daily par and real curves of the U.S. Treasury, from its XML feed, one request a year.
 * Treasury does not revise them: a rate that differs from the stored one is a conflict, and is not stored.
 */
export const treasury: PullSource = {
  name: 'treasury',
  example: 'par',
  title,
  base: 'https://home.treasury.gov',
  headers: { accept: 'application/xml' },
  // Treasury states no limit.
  pace: [{ requests: 2, milliseconds: 1000 }],
  // A pull requests no feed by month, the smallest one; the first year of real curves is small.
  probe: `${feedPath}?data=${families.real?.data}&field_tdr_date_value=${families.real?.firstYear}`,
  counted: { new_days: ['new day', 'new days'], new_rates: ['new rate', 'new rates'] },
  since: 'whole',

  everything: () => Object.keys(families),

  parse(text) {
    if (families[text.toLowerCase()] !== undefined) return text.toLowerCase();
    throw new Problem('bad-input', `${JSON.stringify(text)} is not a kind of curve: use par or real`);
  },

  estimate(subject, { since, today }) {
    const years = yearsOf(familyNamed(subject.name), curveBookmark(subject), since, today).length;
    return { requests: years, what: years === 1 ? 'the feed of this year' : `the feeds of ${years} years` };
  },

  windows: feedsOf,

  async count(subject, view) {
    const { curveType } = familyNamed(subject);
    const rates = (await view.rates.summaries()).filter((rate) => rate.curveType === curveType);
    return {
      new_days: Math.max(0, ...rates.map(({ count }) => count)),
      new_rates: rates.reduce((sum, { count }) => sum + count, 0),
    };
  },
};

type CurveBookmark = {
  /** The last day in the feed; empty before the first one. */
  readonly through: Day | '';
  /** The entries that could not be read. */
  readonly left: readonly (Outstanding & { readonly year: number })[];
  /** The first year that was asked for, if not the first one of the feed. */
  readonly from?: number;
};

const beginning: CurveBookmark = { through: '', left: [] };

function curveBookmark(subject: PullTask['subject']): CurveBookmark {
  return { ...beginning, ...bookmarkIn<Partial<CurveBookmark>>(subject) };
}

/** Lists the years to request: with bad entries, and from the last stored day or the first year on. */
function yearsOf(
  { firstYear }: Family,
  { through, left, from = 0 }: CurveBookmark,
  since: Day | undefined,
  today: Day,
): readonly number[] {
  const last = Number(today.slice(0, 4));
  const wanted = through === '' ? since : through;
  const begin = Math.min(Math.max(firstYear, Number(wanted?.slice(0, 4) ?? from)), last);
  const years = Array.from({ length: last - begin + 1 }, (_, i) => begin + i);
  return [...new Set([...left.map(({ year }) => year), ...years])].sort((a, b) => a - b);
}

async function* feedsOf(task: PullTask): PullWindows {
  const { subject, full, since, now, today, get, read, note } = task;
  const family = familyNamed(subject.name);
  const { curveType, data } = family;
  const held = curveBookmark(subject);
  const resumed = full ? beginning : held;
  let { through, left } = resumed;
  const years = yearsOf(family, resumed, since, today);
  const begun = subject.bookmark === '' ? [] : [held.from ?? family.firstYear];
  const from = Math.min(...begun, ...(through === '' ? years.slice(0, 1) : []));
  for (const year of years) {
    const { body } = await get(`${feedPath}?data=${data}&field_tdr_date_value=${year}`);
    const file = document(`${data}_${year}.xml`, `${data} of ${year}`, body);
    const { points, notes, bad } = await readFeed(file, family, year, now);
    const stored =
      (await read((view) =>
        view.rates.yields({ curveType, from: `${year}-01-01`, to: `${year}-12-31`, limit: mostRates }),
      )) ?? [];
    const { put, conflicts } = planPoints(stored, points, { replace: false });
    const storedDays = new Set(stored.map(({ tradeDate }) => tradeDate));
    through = points.map(({ tradeDate }) => tradeDate).reduce(later, through);
    const firstFailed = new Map(left.map((entry) => [entry.name, entry.since]));
    left = left.filter((entry) => entry.year !== year);
    for (const [name, why] of bad)
      if (storedDays.has(name)) note(`${name}: ${why}; the store has the rates of that day, and keeps them`);
      else left = [...left, { name, why, year, since: firstFailed.get(name) ?? today }];
    yield {
      files:
        put.length + conflicts.length > 0
          ? [inputOf({ file, format: treasuryXml, batches: [{ points, notes }] })]
          : [],
      bookmark: { through, left, ...(from > family.firstYear && { from }) },
      upTo: through === '' ? `${year - 1}-12-31` : through,
      more: year !== years.at(-1),
    };
  }
}

/** Reads a feed without its bad entries, which are by day; throws a refusal if none is left where there must be one. */
async function readFeed(file: SourceFile, { curveType }: Family, year: number, now: Date) {
  const latest = latestDay(now);
  const points: CurvePoint[] = [];
  const notes: string[] = [];
  const bad = new Map<string, string>();
  const text = (await allBytes(file)).toString();
  const isEmpty = /<feed\b/.test(text) && /<\/feed>\s*$/.test(text) && !/<entry\b/.test(text);
  if (isEmpty && utcDay(now) < `${year}${firstCurveBy}`) return { points, notes, bad };
  const faultOf = ({ curveType: type, tradeDate, maturity }: CurvePoint): string | undefined => {
    if (type !== curveType || !tradeDate.startsWith(`${year}-`))
      return `it has the ${type} rate of ${tradeDate} ${maturity}`;
    return tradeDate > latest ? `it is dated in the future; today is at most ${latest}` : undefined;
  };
  let refused: Problem | undefined;
  const onRefused = (problem: Problem, day: Day | undefined) => {
    refused ??= problem;
    bad.set(day ?? `entry ${bad.size + 1} without a day`, reasonIn(problem));
  };
  for await (const batch of treasuryXml.read(file, { onRefused })) {
    notes.push(...(batch.notes ?? []));
    for (const point of batch.points ?? []) {
      const fault = faultOf(point);
      if (fault === undefined) points.push(point);
      else if (!bad.has(point.tradeDate)) bad.set(point.tradeDate, fault);
    }
  }
  const [first] = bad.values();
  if (points.length === 0 && first !== undefined)
    throw refused ?? new Problem('bad-input', `${file.path}: ${first}`);
  return { points, notes, bad };
}

function familyNamed(name: string): Family {
  const family = families[name];
  if (family === undefined) throw new Problem('not-found', `Treasury has no curve ${JSON.stringify(name)}`);
  return family;
}
