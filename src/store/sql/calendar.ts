import { createHash } from 'node:crypto';
import type { Look, Sighting } from '../../domain/calendar/sighting.ts';
import { Problem } from '../../errors/problem.ts';
import type { StoreView } from '../store.ts';
import type { SqlSession } from './session.ts';

type StoredLook = Look & { readonly listing: string };

const isLook = `source = @source and scope = @scope and lists = @lists and first_day = @from and last_day = @to
  and seen_at = @seenAt`;

/** Reads and writes what calendars of releases listed when they were looked at. */
export function calendarIn(session: SqlSession) {
  /** Reads looks with their entries; `where` selects them. */
  async function read(where: string, params: object): Promise<readonly Sighting[]> {
    const looks = await session.rows<StoredLook>(
      `select source, scope, lists, first_day as "from", last_day as "to", seen_at as "seenAt", listing
       from asof.calendar_look where ${where}
       order by source, scope, lists, seen_at, first_day, last_day`,
      { ...params },
    );
    const ids = [...new Set(looks.map(({ listing }) => listing))];
    const listings = await session.rows<{ readonly listing: string; readonly entries: string }>(
      'select listing, entries from asof.calendar_listing where listing = any(@ids::text[])',
      { ids },
    );
    const entries = new Map(listings.map((one) => [one.listing, JSON.parse(one.entries)]));
    return looks.map(({ listing, ...look }) => {
      const own = entries.get(listing);
      // An empty calendar would say that all its releases vanished.
      if (own === undefined) throw lostListing(look);
      return { ...look, entries: own };
    });
  }
  /** Locks the calendars; a listing that one import removes may be that of a look of another. */
  const lock = async () => session.lock?.(['calendars']);
  async function listingOf(look: Look): Promise<string | undefined> {
    const [listing] = await session.column<string>(`select listing from asof.calendar_look where ${isLook}`, {
      ...look,
    });
    return listing;
  }
  async function removeUnused(listing: string): Promise<void> {
    await session.write(
      `delete from asof.calendar_listing where listing = @listing and not exists
         (select 1 from asof.calendar_look as l where l.listing = @listing)`,
      { listing },
    );
  }
  const view: StoreView['calendar'] = {
    sightings: ({ upTo, from } = {}) =>
      read(
        `(@upTo::text is null or lists = 'events' or substr(seen_at, 1, 10) <= @upTo::text)
         and (@from::date is null or last_day >= @from::date)`,
        { upTo, from },
      ),
  };
  return {
    ...view,
    /** Locks the calendars, and writes a sighting in the place of one with the same key. */
    async put({ entries, ...look }: Sighting): Promise<void> {
      await lock();
      const before = await listingOf(look);
      const text = JSON.stringify(entries);
      const listing = hashOf(text);
      await session.insert({
        table: 'calendar_listing',
        columns: { listing: ['text', [listing]], entries: ['text', [text]] },
        onConflict: 'on conflict (listing) do nothing',
      });
      await session.write(
        `insert into asof.calendar_look (source, scope, lists, first_day, last_day, seen_at, listing)
         values (@source, @scope, @lists, @from, @to, @seenAt, @listing)
         on conflict (source, scope, lists, first_day, last_day, seen_at) do update set listing = excluded.listing`,
        { ...look, listing },
      );
      if (before !== undefined && before !== listing) await removeUnused(before);
    },
    /** Locks the calendars, and returns the stored sighting of a look; undefined if it is new. */
    async stored(look: Look): Promise<Sighting | undefined> {
      await lock();
      const [found] = await read(isLook, look);
      return found;
    },
    /** Locks the calendars, and removes a look with what no other look saw. */
    async remove(look: Look): Promise<void> {
      await lock();
      const listing = await listingOf(look);
      await session.write(`delete from asof.calendar_look where ${isLook}`, { ...look });
      if (listing !== undefined) await removeUnused(listing);
    },
    /** Lists looks whose listing is missing, and listings that are not what their hash says or that no look saw. */
    async faults(): Promise<readonly string[]> {
      const lost = await session.rows<Look>(
        `select source, scope, seen_at as "seenAt" from asof.calendar_look as l
         where not exists (select 1 from asof.calendar_listing as t where t.listing = l.listing)
         order by source, scope, seen_at limit 100`,
      );
      const faults = lost.map((look) => `what ${lookText(look)} listed is missing`);
      const unused = await session.column<string>(
        `select listing from asof.calendar_listing as t
         where not exists (select 1 from asof.calendar_look as l where l.listing = t.listing)
         order by listing limit 100`,
      );
      for (const listing of unused)
        faults.push(`the listing ${listing.slice(0, 12)} belongs to no look at a calendar`);
      const listings = session.batches<readonly [listing: string, entries: string]>(
        'select listing, entries from asof.calendar_listing',
      );
      for await (const batch of listings)
        for (const [listing, entries] of batch)
          if (hashOf(entries) !== listing)
            faults.push(`the listing ${listing.slice(0, 12)} of a calendar is not what its hash says`);
      return faults;
    },
  };
}

function hashOf(entries: string): string {
  return createHash('sha256').update(entries).digest('hex');
}

function lookText({ source, scope, seenAt }: Pick<Look, 'scope' | 'seenAt' | 'source'>): string {
  return `the calendar ${scope === '' ? source : `${source} of ${scope}`}, seen on ${seenAt},`;
}

function lostListing(look: Look): Problem {
  return new Problem('local-io', `the store is damaged: what ${lookText(look)} listed is missing`, {
    hints: [
      '`asof store check` lists every fault',
      'restore a backup, or import the calendar of that day again',
    ],
  });
}
