import { searchableNames, symbolsOf } from '../../domain/insider/filing.ts';
import { summaryOfTitle } from '../../domain/search/word-index.ts';
import { searchableWords } from '../../domain/search/words.ts';
import { monthsOf } from '../../domain/treasury/curve.ts';
import { calendarIn } from './calendar.ts';
import type { Engine } from './engine.ts';
import { listOf, type SqlSession } from './session.ts';
import { aliasesIn } from './sources.ts';
import { tablesOfSeries } from './tables.ts';

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
export async function readFaults(
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
