import { type CalendarEntry, type Sighting, sortedEntries } from '../../../domain/calendar/sighting.ts';
import { addDays, type Day, earlier } from '../../../domain/values/date.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import {
  listField,
  numberField,
  readJsonObject,
  textField,
  type UncheckedObject,
} from '../../readers/json.ts';
import { type ImportFormat, readDay } from '../format.ts';
import { type LookTime, lookTime } from './look.ts';

/**
 * FRED's answers of `release/dates` and `releases/dates`.
 * With `lists`, the request is known: planned days were asked for, or left out. An answer does not say which.
 */
export function fredDates(lists?: Sighting['lists']): ImportFormat {
  return {
    kind: 'fred-release-dates',
    summary: ['FRED API release dates', ' (JSON of release/dates or releases/dates); their day is --as-of'],
    takesAsOf: true,
    recognise: ({ text }) =>
      /^\uFEFF?\s*\{/.test(text) &&
      /"realtime_start"\s*:/.test(text) &&
      /"order_by"\s*:/.test(text) &&
      /"release_dates"\s*:\s*\[/.test(text),
    async *read(file, options) {
      const page = pageOf(file, await readJsonObject(file));
      const look = lookTime(file, options);
      const kind = lists ?? (page.rows.some(({ day }) => day > look.day) ? 'plans' : 'past');
      yield { sightings: sightingsOf(page, look, kind), notes: kind === 'past' ? [ofPastDays] : [] };
    },
  };
}

const ofPastDays =
  'the answer has no day after that of the look, and does not say whether FRED was asked for planned days: the days count as planned, and prove no release';

/** The rows of an answer and the days that it covers. */
type DatesPage = {
  readonly rows: readonly CalendarEntry[];
  /** The release to which the request was confined; empty for all. */
  readonly scope: string;
  readonly from: Day;
  readonly to: Day;
  /** True if other pages may have more rows of the first or the last day. */
  readonly isCut: { readonly first: boolean; readonly last: boolean };
};

function pageOf(file: SourceFile, answer: UncheckedObject): DatesPage {
  const list = listField(file, answer, 'release_dates');
  const rows = sortedEntries(list.map((row, index) => entryOf(file, row, index + 1)));
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined)
    throw refusal(file, { column: 'release_dates' }, 'the answer has no dates');
  const [count, offset] = ['count', 'offset'].map((name) => numberField(file, answer, name));
  const order = textField(file, answer, 'sort_order');
  const isWhole = offset === 0 && list.length >= (count ?? 0);
  const by = textField(file, answer, 'order_by');
  if (!isWhole && by !== 'release_date')
    throw refusal(
      file,
      { column: 'order_by', value: by },
      `the answer has ${list.length} of ${count} dates in another order than that of their days, and covers none`,
      ['request it again with order_by=release_date'],
    );
  const [isBegin, isEnd] = [offset === 0, (offset ?? 0) + list.length >= (count ?? 0)];
  const [beginsWhole, endsWhole] = order === 'desc' ? [isEnd, isBegin] : [isBegin, isEnd];
  const day = (column: string) => readDay(file, { column, value: textField(file, answer, column) });
  const end = answer.realtime_end === '9999-12-31' ? '9999-12-31' : day('realtime_end');
  return {
    rows,
    scope: scopeOf(file, rows),
    from: beginsWhole ? day('realtime_start') : first.day,
    to: endsWhole ? end : last.day,
    isCut: { first: !beginsWhole, last: !endsWhole },
  };
}

function entryOf(file: SourceFile, object: UncheckedObject, row: number): CalendarEntry {
  const release = String(object.release_id);
  if (!/^\d+$/.test(release))
    throw refusal(file, { row, column: 'release_id', value: release }, 'not the number of a release');
  const day = readDay(file, { row, column: 'date', value: textField(file, object, 'date', row) });
  const name =
    object.release_name === undefined ? {} : { name: textField(file, object, 'release_name', row) };
  return { release, day, ...name };
}

/** Returns the release of an answer of `release/dates`, which names none; empty for `releases/dates`. */
function scopeOf(file: SourceFile, rows: readonly CalendarEntry[]): string {
  const [first] = rows;
  if (first === undefined || first.name !== undefined) return '';
  const other = rows.find(({ release }) => release !== first.release);
  if (other === undefined) return first.release;
  throw refusal(
    file,
    { column: 'release_id' },
    `dates of the releases ${first.release} and ${other.release} without their names: no answer of FRED has both`,
    ['keep one answer a file'],
  );
}

/**
 * Makes the sightings of a page: one of the days that it has whole, and of a day that it may have in part one for each row.
 * Planned days that FRED was perhaps not asked for are kept apart, so that they do not vanish.
 */
function sightingsOf(
  { rows, scope, from, to, isCut }: DatesPage,
  { seenAt, day: seen }: LookTime,
  kind: Sighting['lists'] | 'past',
): readonly Sighting[] {
  const lists = kind === 'past' ? 'plans' : kind;
  const look = { source: kind === 'past' ? 'FRED past days' : 'FRED', scope, seenAt, lists };
  const last = kind === 'plans' ? to : earlier(to, seen);
  // One release has one row a day.
  const isShared = (day: Day) =>
    scope === '' && ((isCut.first && day === from) || (isCut.last && day === to));
  const begin = isShared(from) ? addDays(from, 1) : from;
  const end = isShared(last) ? addDays(last, -1) : last;
  const whole = rows.filter(({ day }) => !isShared(day));
  const single = rows.filter(({ day }) => isShared(day));
  return [
    ...(begin <= end ? [{ ...look, from: begin, to: end, entries: whole }] : []),
    ...single.map((row) => ({ ...look, scope: row.release, from: row.day, to: row.day, entries: [row] })),
  ];
}
