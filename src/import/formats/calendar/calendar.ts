import type { ImportFormat } from '../format.ts';
import { alfredReleaseDates } from './alfred-dates.ts';
import { beaReleaseDates } from './bea-json.ts';
import { fredDates } from './fred-dates.ts';
import { icsCalendar } from './ics.ts';

/** The formats of calendars of releases, in the order of the help. */
export const calendarFormats: readonly ImportFormat[] = [
  icsCalendar,
  beaReleaseDates,
  fredDates(),
  alfredReleaseDates,
];
