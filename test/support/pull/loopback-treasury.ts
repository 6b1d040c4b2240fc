import { recordedBody } from '../recordings.ts';
import { type Double, reply, serve } from '../service-double.ts';

/** A recorded year of a feed of Treasury: `par 2024`. */
export function recordedFeed(name: string): string {
  const [kind, year] = name.split(' ');
  const family = kind === 'real' ? 'real_yield_curve' : 'yield_curve';
  return recordedBody(`treasury/daily_treasury_${family}_${year}.xml`).toString();
}

/** A feed as it was at the end of a day: without the entries of later days. */
export function feedOn(feed: string, day: string): string {
  return feed.replace(/<entry>[\s\S]*?<\/entry>\s*/g, (entry) => {
    const [, date = ''] = /<d:NEW_DATE[^>]*>(\d{4}-\d{2}-\d{2})T/.exec(entry) ?? [];
    return date > day ? '' : entry;
  });
}

/**
 * What a loopback source sends in the place of an answer; `cut` breaks the connection in the middle of it, `silent`
 * sends nothing.
 */
export type Trouble =
  | { readonly status: number; readonly body: string; readonly type?: string }
  | 'cut'
  | 'silent'
  | undefined;

/** A server that answers as Treasury's feed does. */
export type LoopbackTreasury = {
  readonly url: string;
  /** The feeds that were asked for, oldest first. */
  readonly asked: readonly string[];
  /** The feeds by kind and year; a year that is not among them has no entry. Tests change them between two pulls. */
  feeds: Record<string, string>;
  /** Whether answers say when they were sent; the days of most tests are long past. */
  isDated: boolean;
  /** What goes wrong with a request, by its number from 0. */
  trouble: (number: number, feed: string) => Trouble;
};

/** Starts a loopback Treasury with some recorded feeds until the end of the test. */
export async function loopbackTreasury(...names: readonly string[]): Promise<LoopbackTreasury> {
  const asked: string[] = [];
  const double: Double = await serve((request, response) => {
    response.sendDate = loopback.isDated;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const kind = { daily_treasury_yield_curve: 'par', daily_treasury_real_yield_curve: 'real' }[
      searchParams.get('data') ?? ''
    ];
    const year = searchParams.get('field_tdr_date_value');
    const isFeed = pathname === '/resource-center/data-chart-center/interest-rates/pages/xml';
    if (!isFeed || kind === undefined || year === null) {
      reply(response, 404, '<!DOCTYPE html><title>Page not found</title>', { 'content-type': 'text/html' });
      return;
    }
    const name = `${kind} ${year}`;
    const trouble = loopback.trouble(asked.length, name);
    asked.push(name);
    const body =
      loopback.feeds[name] ?? feedOn(recordedFeed(kind === 'par' ? 'par 2024' : 'real 2003'), '1900-01-01');
    if (trouble === 'silent') return;
    if (trouble === 'cut') {
      response.writeHead(200, {
        'content-type': 'application/xml',
        'content-length': Buffer.byteLength(body),
      });
      response.write(body.slice(0, body.length / 2), () => response.destroy());
    } else if (trouble !== undefined)
      reply(response, trouble.status, trouble.body, { 'content-type': trouble.type ?? 'text/html' });
    else reply(response, 200, body, { 'content-type': 'application/xml' });
  });
  const loopback: LoopbackTreasury = {
    url: double.url,
    asked,
    feeds: Object.fromEntries(names.map((name) => [name, recordedFeed(name)])),
    isDated: false,
    trouble: () => undefined,
  };
  return loopback;
}
