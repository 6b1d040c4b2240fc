import ical from 'ical.js';
import type { Row } from '../../operations/envelope.ts';
import type { TextRenderer } from '../renderer.ts';

/** Renders releases as events of iCalendar (RFC 5545): times in UTC, whole days without one, the same UID each time. */
export function icsRenderer(): TextRenderer {
  const calendar = new ical.Component('vcalendar');
  for (const [name, text] of [
    ['version', '2.0'],
    ['prodid', '-//asof//releases of statistics//EN'],
    ['calscale', 'GREGORIAN'],
    ['x-wr-calname', 'Releases of statistics'],
  ] as const)
    calendar.updatePropertyWithValue(name, text);
  return {
    page({ results }) {
      for (const row of results) calendar.addSubcomponent(eventOf(row));
      return '';
    },
    end: () => `${calendar.toString()}\r\n`,
  };
}

/** The states of an event; of a day that passed without evidence nobody knows. */
const states: Readonly<Record<string, string>> = {
  planned: 'CONFIRMED',
  released: 'CONFIRMED',
  passed: 'TENTATIVE',
  moved: 'CANCELLED',
  cancelled: 'CANCELLED',
  vanished: 'CANCELLED',
};

function eventOf(row: Row): ical.Component {
  const text = (name: string) => String(row[name] ?? '');
  const event = new ical.Component('vevent');
  const [date, at, period] = ['date', 'at', 'period'].map(text);
  event.updatePropertyWithValue('uid', `${date}.${text('release')}@asof`);
  // A second export of the same data has the same bytes.
  event.updatePropertyWithValue('dtstamp', instant(text('since')));
  event.updatePropertyWithValue(
    'dtstart',
    at === '' ? ical.Time.fromDateString(date ?? '') : instant(at ?? ''),
  );
  event.updatePropertyWithValue('summary', period === '' ? text('name') : `${text('name')}: ${period}`);
  event.updatePropertyWithValue('description', descriptionOf(text));
  event.updatePropertyWithValue('status', states[text('status')] ?? 'TENTATIVE');
  event.updatePropertyWithValue('transp', 'TRANSPARENT');
  return event;
}

/** Reads a day as its first second, and an instant. */
function instant(text: string): ical.Time {
  return ical.Time.fromDateTimeString(text.length > 10 ? text : `${text}T00:00:00Z`);
}

function descriptionOf(text: (name: string) => string): string {
  const moved = text('moved_to') === '' ? '' : ` to ${text('moved_to')}`;
  const lines = [`${text('status')}${moved} since ${text('since')}`, text('certainty'), text('source')];
  return lines.filter((line) => line !== '').join('\n');
}
