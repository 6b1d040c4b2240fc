import { searchableNames, symbolsOf } from '../../domain/insider/filing.ts';
import { summaryOfTitle } from '../../domain/search/word-index.ts';
import { searchableWords } from '../../domain/search/words.ts';
import { monthsOf } from '../../domain/treasury/curve.ts';
import type { StoreContents, WholeView } from '../store.ts';
import { calendarIn } from './calendar.ts';
import type { Engine } from './engine.ts';
import { filingsIn } from './filings.ts';
import { ratesIn } from './rates.ts';
import { seriesIn } from './series.ts';
import { seriesRows, seriesWrites } from './series-rows.ts';
import { type ImportsCollide, listOf, type SqlSession } from './session.ts';
import { aliasesIn, descriptionsIn, sourcesIn } from './sources.ts';
import { tablesOfSeries } from './tables.ts';

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
  /** Makes an empty store, false if one exists. */
  init(address: string, distribute: boolean): Promise<boolean>;
};

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
  for await (const inserted of from.contents.changes(id)) await rows.apply({ inserted });
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
      return damaged.length > 0 ? damaged : readFaults(session, engine);
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

type FilingIndex = readonly [
  id: string,
  ticker: string | null,
  owners: string,
  names: string,
  symbols: string | readonly string[] | null,
];

type SeriesIndex = readonly [
  id: string,
  title: string | null,
  units: string | null,
  words: string | readonly string[] | null,
  length: number | null,
  areas: string | null,
];

/** Lists rows without a parent, wrong numbers of months, and indexes that contradict their rows. */
async function readFaults(
  session: SqlSession,
  { series, filings, listFaults }: Engine,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const owner = Object.keys(filings.owner);
  const ofSeries = (table: string, from = 'asof.series') =>
    [table, 'series', from, 'series', `p.${series.key} = t.series`] as const;
  const belongings = [
    ...tablesOfSeries.map((table) => ofSeries(table)),
    ofSeries('word', series.list),
    ...['trade', 'symbol'].map(
      (table) => [table, 'filing', 'asof.filing', owner.at(-1), filings.ofOwner] as const,
    ),
  ];
  for (const [table, parent, from, id, joined] of belongings) {
    const orphans = await session.rows<{ readonly id: string; readonly count: number }>(
      `select t.${id} as id, count(*) as count from asof.${table} t
       where not exists (select 1 from ${from} p where ${joined}) group by 1 order by 1 limit 100`,
    );
    for (const { id: of, count } of orphans)
      faults.push(`${count} rows of ${table} belong to no ${parent}: ${of}`);
  }
  const names = (await aliasesIn(session).all()).map(({ name }) => name);
  const hidden = await session.column<string>(
    'select id from asof.series where id = any(@names::text[]) order by id',
    { names },
  );
  for (const name of hidden) faults.push(`the alias ${name} is the id of a series`);
  const rates = await session.rows<{ readonly maturity: string; readonly months: number }>(
    'select distinct maturity, months from asof.curve',
  );
  for (const { maturity, months } of rates)
    if (monthsOf(maturity) !== months)
      faults.push(`a rate of ${maturity} is kept as one of ${months} months`);
  const ofFilings = session.batches<FilingIndex>(
    `select p.filing_id as id, p.ticker, p.owners, p.owner_names as names, t.symbols from asof.filing p
       left join (select ${owner.join()}, array_agg(symbol) as symbols from asof.symbol group by ${owner.join()}) as t
         on ${filings.ofOwner}`,
  );
  for await (const batch of ofFilings)
    for (const [id, ticker, owners, names, symbols] of batch) {
      const [kept, expected] = [listOf<string>(symbols ?? []), symbolsOf(ticker)].map(sorted);
      if (kept !== expected)
        faults.push(`filing ${id} is listed under ${kept || 'no symbol'}, not ${expected || 'none'}`);
      if (searchableNames(JSON.parse(owners)) !== names)
        faults.push(`filing ${id} is not found by the names of its owners`);
    }
  const summary =
    series.summaries === undefined
      ? 'null as length, null as areas'
      : 'title_length as length, title_areas as areas';
  const described = session.batches<SeriesIndex>(
    `select p.id, p.title, p.units, t.words, ${summary} from ${series.list} p
       left join (select series, array_agg(word) as words from asof.word group by series) as t on p.${series.key} = t.series`,
  );
  for await (const batch of described)
    for (const [id, title, units, words, length, areas] of batch) {
      const expected = summaryOfTitle(title ?? id);
      if (length !== null && (length !== expected.length || areas !== expected.areas))
        faults.push(`${id} is ranked by another title than ${title ?? id}`);
      const [kept, wanted] = [listOf<string>(words ?? []), searchableWords({ id, title, units })].map(sorted);
      if (kept !== wanted) faults.push(`${id} is found by the words ${kept || 'none'}, not ${wanted}`);
    }
  faults.push(...(await calendarIn(session).faults()), ...((await listFaults?.()) ?? []));
  return faults;
}

function sorted(texts: readonly string[]): string {
  return [...texts].sort().join(', ');
}
