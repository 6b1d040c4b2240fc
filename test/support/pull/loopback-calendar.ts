import { readData, testData } from '../repository.ts';
import { type Loopback, loopback } from './loopbacks.ts';

/** A calendar as its publisher serves it; a version is an ETag. */
type ServedCalendar = { readonly body: string; readonly type: string; readonly version?: string };

/** The paths of the calendars, by what the loopback calls a request for them. */
const paths = {
  bls: '/schedule/news_release/bls.ics',
  bea: '/news/schedule/ics/online-calendar-subscription.ics',
  json: '/API/signup/release_dates.json',
} as const;

/** The publishers of calendars on one address; tests change what they serve between two pulls. */
export type LoopbackCalendar = Loopback & {
  calendars: Record<keyof typeof paths, ServedCalendar>;
  /** The days of past releases by number, as ALFRED lists them. */
  past: Record<string, readonly string[]>;
  /** The queries of the other requests, which should be empty. */
  readonly queries: string[];
};

const read = (name: string) => readData(testData, name).toString();

/** The calendar of the BLS of 2023 and 2024, as it was recorded. */
export const blsOf2023 = () => read('recordings/calendar/bls-2023.ics');

/** A calendar of the BLS that is made: before the lapse of 2025, or after it. */
export const madeBls = (seen: '2025-10-01' | '2026-01-02') => read(`calendar/bls-${seen}.ics`);

/** Starts the publishers: the BLS with the calendar of 2023, the BEA with an excerpt and with made days of 2026. */
export async function loopbackCalendar(): Promise<LoopbackCalendar> {
  const ics = (body: string) => ({ body, type: 'text/calendar' });
  // The file was written after the day of most worlds.
  const days = read('calendar/release_dates.json').replace('2026-05-12T', '2026-02-01T');
  const calendars: LoopbackCalendar['calendars'] = {
    bls: ics(blsOf2023()),
    // The BEA serves its calendar as text.
    bea: { body: read('calendar/bea-excerpt.ics'), type: 'text/plain' },
    json: { body: days, type: 'application/json', version: '"1"' },
  };
  const source: LoopbackCalendar = Object.assign(
    await loopback(
      ({ pathname, search }, { headers }) => {
        if (pathname !== '/release/downloaddates') source.queries.push(search);
        const [, rid] = /rid=(\d+)&ff=txt$/.exec(search) ?? [];
        if (pathname === '/release/downloaddates') {
          const days = source.past[rid ?? ''];
          const body = `Release Dates:\n\n${days?.join('\n') ?? ''}\n`;
          const missing = { status: 404, body: '<!DOCTYPE html><title>Not found</title>' };
          return { what: `past ${rid}`, reply: days ? { status: 200, body, type: 'text/plain' } : missing };
        }
        const [what] = Object.entries(paths).find(([, path]) => path === pathname) ?? [];
        const served = what === undefined ? undefined : source.calendars[what as keyof typeof paths];
        if (served === undefined)
          return { what: pathname, reply: { status: 404, body: '<!DOCTYPE html><title>Not found</title>' } };
        const { body, type, version } = served;
        const extraHeaders = version === undefined ? {} : { etag: version };
        const isKnown = version !== undefined && headers['if-none-match'] === version;
        const reply = isKnown
          ? { status: 304, body: '', extraHeaders }
          : { status: 200, body, type, extraHeaders };
        return { what: isKnown ? `${what} unchanged` : String(what), reply };
      },
      (url) => ({ calendar: { url } }),
    ),
    { calendars, past: {}, queries: [] },
  );
  return source;
}
