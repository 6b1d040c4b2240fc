import { StoredChanges } from '../../domain/series/revision-history.ts';
import type { StoreContents, WholeView } from '../store.ts';
import { calendarIn } from './calendar.ts';
import type { Engine } from './engine.ts';
import { filingsIn } from './filings.ts';
import { ratesIn } from './rates.ts';
import { seriesIn } from './series.ts';
import { seriesRows, seriesWrites } from './series-rows.ts';
import type { ImportsCollide, SqlSession } from './session.ts';
import { aliasesIn, descriptionsIn, sourcesIn } from './sources.ts';

/** Returns the parts of a store in a transaction: a view reads them, and an import also writes. */
export function partsIn(session: SqlSession, engine: Engine) {
  return {
    ...seriesWrites(session, engine.series),
    series: seriesIn(session, engine.series),
    descriptions: descriptionsIn(session),
    rates: ratesIn(session),
    filings: filingsIn(session, engine.filings),
    aliases: aliasesIn(session),
    calendar: calendarIn(session),
    sources: sourcesIn(session),
    contents: contentsIn(session, engine),
  };
}

/** A transaction of an engine; it decides nothing about rows. */
export type WriteTransaction = ReturnType<typeof partsIn> & {
  readonly address: string;
  readonly created: boolean;
  /** True if it began with everything of another store. */
  readonly isFilled?: boolean;
  /** Ends the transaction; `changed` is true if the data changed. */
  readonly commit: (changed: boolean) => Promise<void>;
  readonly rollback: () => Promise<void>;
};

/** How a copy begins. */
export type OpenedCopy = {
  /** Allows replacing a file. */
  readonly replace?: boolean | undefined;
  /** Writes a new file with everything of a store; a database takes it row by row. */
  readonly fill?: ((file: string) => Promise<void>) | undefined;
  /** The path from which a file has the name of its draft. Default: its own. */
  readonly draftOf?: string;
};

/** What is written to the stores of one engine. */
export type StoreEngine = {
  /** Begins an import, into a new store as a copy of `copyOf`; first takes the `needed` locks. */
  openTransaction(
    address: string,
    copyOf?: string,
    needed?: ImportsCollide['needed'],
  ): Promise<WriteTransaction>;
  /** Begins a copy, unreadable until it commits; a file begins as `fill` makes it. */
  openCopy(address: string, options: OpenedCopy): Promise<WriteTransaction>;
  /** Throws if a copy cannot take an address; `replace` allows replacing a file. */
  checkFree(address: string, replace: boolean): void | Promise<void>;
  /** Makes an empty store, or brings an older one up to date. */
  init(address: string, distribute: boolean): Promise<InitResult>;
};

/** What became of a store that was to be made: `unchanged` is one of the current format. */
export type InitResult = 'made' | 'updated' | 'unchanged';

/** Writes a series of a store or transaction as the new series `as`; returns its version, undefined if it is unknown. */
export async function copySeries(
  id: string,
  from: Pick<WholeView, 'contents' | 'series'>,
  to: Pick<WriteTransaction, 'begin' | 'descriptions' | 'putStates' | 'rowsOf'>,
  as: string,
): Promise<number | undefined> {
  const contents = await from.contents.series(id);
  if (contents === undefined) return undefined;
  const { normalisedBy, coveredTo, vintages, figures } = contents;
  const rows = to.rowsOf(as);
  const version = ((await to.begin([as])).get(as)?.version ?? 0) + 1;
  await rows.putRecord(contents);
  await rows.apply({ vintages });
  for await (const changes of from.contents.changes(id))
    await rows.apply({ inserted: new StoredChanges(changes) });
  await to.putStates([{ id: as, normalisedBy, coveredTo, version, figures }]);
  for (const change of await from.series.descriptionChanges(id))
    await to.descriptions.add({ ...change, seriesId: as });
  return version;
}

function contentsIn(session: SqlSession, engine: Engine): StoreContents {
  const { series: tables } = engine;
  return {
    size: engine.size,
    copyPages: engine.copyPages,
    async faults() {
      const damaged = await engine.damage();
      // On damaged pages, further checks would find nothing more.
      if (damaged.length > 0) return damaged;
      const { readFaults } = await import('./faults.ts');
      return readFaults(session, engine);
    },
    seriesIds: () => session.column<string>('select id from asof.series order by id'),
    series: (id) => seriesRows(session, tables, id).contents(),
    changes: (id) => seriesRows(session, tables, id).allChanges(),
    async totals() {
      const row = await session.row<Awaited<ReturnType<StoreContents['totals']>>>(
        `select count(*) filter (where first_vintage is not null) as series, count(*) filter (where first_vintage is null) as described,
           coalesce(sum(fact_count), 0)::bigint as facts, min(first_vintage) as "firstVintage", max(last_vintage) as "lastVintage",
           min(covered_to) filter (where first_vintage is not null) as "leastCovered", max(covered_to) filter (where first_vintage is not null) as covered
         from ${tables.list}`,
      );
      if (row === undefined) throw new Error('an aggregate has no row');
      return row;
    },
  };
}
