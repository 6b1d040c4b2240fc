import { placeOfZone } from '../../domain/calendar/zones.ts';
import { type Day, shortWeekday } from '../../domain/values/date.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import { type Field, field } from '../../operations/field.ts';
import type { OutputLayout, TextRenderer } from '../renderer.ts';
import { tableRenderer } from './table.ts';

const shown = {
  // Days and times are never cut.
  date: field('date', 'day', ''),
  time: field('time', 'timestamp', '', { rank: 'high' }),
  name: field('name', 'text', '', { rank: 'high' }),
  period: field('period', 'text', ''),
  status: field('status', 'timestamp', '', { rank: 'high' }),
} as const;

/** Renders releases by day for a terminal: a date once, with its weekday, and the as-of date or today marked. */
export function daysRenderer(layout: OutputLayout): TextRenderer {
  const { lines: most = Number.POSITIVE_INFINITY, ...whole } = layout;
  const rows: Row[] = [];
  let hidden = 0;
  let head: Envelope | undefined;
  let table: TextRenderer | undefined;
  return {
    page(envelope) {
      head ??= envelope;
      // A date stands in its first row only, so no row in the middle can be left out.
      const shown = envelope.results.slice(0, Math.max(0, most - rows.length));
      hidden += envelope.results.length - shown.length;
      rows.push(...shown);
      return '';
    },
    end() {
      const zones = [...new Set(rows.map(({ zone }) => textIn(zone)).filter((zone) => zone !== ''))];
      const fields: Field[] = [
        ...[shown.date, shown.time, shown.name],
        ...(rows.some(({ period }) => textIn(period) !== '') ? [shown.period] : []),
        shown.status,
      ];
      const { as_of: day } = head ?? {};
      const mark = day === undefined ? { day: layout.today, word: 'today' } : { day, word: 'as of' };
      table = tableRenderer({ ...whole, columns: { fields, all: fields, chosen: false } });
      const text =
        head === undefined ? '' : table.page({ ...head, results: byDay(rows, mark, zones.length > 1) });
      return text + table.end() + explanation(rows, zones);
    },
    dropped: () => table?.dropped?.() ?? [],
    hidden: () => hidden,
  };
}

const textIn = (cell: Row[string] | undefined) => String(cell ?? '');

type MarkedDay = { readonly day: Day | undefined; readonly word: string };

/** Makes the rows of the table; a marked day between the first and the last one has a row even without releases. */
function byDay(rows: readonly Row[], { day, word }: MarkedDay, withZones: boolean): readonly Row[] {
  const [first, last] = [rows[0], rows.at(-1)].map((row) => textIn(row?.date));
  const isBetween = day !== undefined && day > (first ?? '') && day < (last ?? '');
  const empty = rows.some(({ date }) => date === day) || !isBetween ? [] : [{ date: day, name: '–' }];
  const place = rows.findIndex(({ date }) => textIn(date) > (day ?? ''));
  const all = rows.toSpliced(place, 0, ...empty);
  return all.map((row, i) => {
    const date = textIn(row.date);
    const shownDay =
      date === textIn(all[i - 1]?.date) ? '' : `${date} ${date === day ? word : shortWeekday(date)}`;
    return { ...row, date: shownDay, time: timeOf(row, withZones), status: statusOf(row) };
  });
}

function isUsual({ time, certainty }: Row): boolean {
  return textIn(time) !== '' && certainty !== 'official time';
}

function timeOf(row: Row, withZone: boolean): string {
  const [time, zone] = [textIn(row.time), textIn(row.zone)];
  if (time === '') return '';
  const place = withZone ? ` ${placeOfZone(zone)}` : '';
  return `${isUsual(row) ? '~' : ''}${time}${place}`;
}

function statusOf({ status, moved_to: to }: Row): string {
  return textIn(to) === '' ? textIn(status) : `${textIn(status)} to ${textIn(to)}`;
}

/** Says in a line what the times are. */
function explanation(rows: readonly Row[], zones: readonly string[]): string {
  const texts = [
    ...(zones.length === 1 ? [`times in ${zones[0]}`] : []),
    ...(rows.some(isUsual) ? ['~ is the usual time, which no calendar states'] : []),
  ];
  return texts.length === 0 ? '' : `${texts.join('; ')}\n`;
}
