import { join } from 'node:path';
import Database from 'better-sqlite3';
import { statements, writeCsv } from './data.mjs';
import { median, timedAsof } from './measure.mjs';
import { duration } from './report.mjs';

const much = { series: 1, dates: 400, unit: 'month', vintages: 60, changes: 0.4, prefix: 'REVISED' };
const others = { series: 10_000, dates: 12, unit: 'month', vintages: 2, prefix: 'OTHER' };

/** One page as of a date, in process: of a series with 60 vintages a date, alone in its store and among 10 000. */
export async function page(folder) {
  const alone = await openStore(folder, 'alone', statements(much));
  const among = await openStore(folder, 'among', bothOf(statements(others), statements(much)));
  try {
    const [aloneMs, amongMs, bareMs] = await interleaved([alone, among], bareSql(join(folder, 'alone.db')));
    return [
      {
        name: 'a page of 100 rows, 60 vintages a date',
        ours: duration(aloneMs),
        theirs: `bare SQL: ${duration(bareMs)}`,
        figure: aloneMs / bareMs,
        atMost: 2,
      },
      {
        name: 'the same among 10 000 series',
        ours: duration(amongMs),
        theirs: `alone: ${duration(aloneMs)}`,
        figure: amongMs / aloneMs,
        atMost: 1.3,
      },
    ];
  } finally {
    await Promise.all([alone.close(), among.close()]);
  }
}

function* bothOf(first, second) {
  yield* first;
  yield* second;
}

async function openStore(folder, name, lines) {
  const [csv, store] = [join(folder, `${name}.csv`), join(folder, `${name}.db`)];
  await writeCsv(csv, lines);
  timedAsof(['import', csv, '--store', store]);
  const { open } = await import('../dist/index.js');
  return open(store);
}

const warmUp = 300;
const counted = 1500;

/** The rows of a page by the same driver: a seek for each date, as asof asks where dates have many vintages. */
function bareSql(store) {
  const db = new Database(store, { readonly: true });
  const query = db.prepare(`with recursive day (date) as (
      select max(date) from fact where series = 1
      union all
      select (select max(f.date) from fact f where f.series = 1 and f.date < day.date) from day where day.date is not null
    )
    select day.date, f.as_of_date, f.value
    from day join fact f on f.series = 1 and f.date = day.date and f.as_of_date =
      (select max(as_of_date) from fact where series = 1 and date = day.date and as_of_date <= @asOf)
    where f.value is not null limit @limit + 0`);
  return { observations: async (_id, page) => ({ rows: query.all(page) }) };
}

/** The median milliseconds of a page of each store, and of bare SQL; the as-of dates cover all vintages. */
async function interleaved(opened, bare) {
  const stores = [...opened, bare];
  const taken = stores.map(() => []);
  for (let i = 0; i < warmUp + counted; i += 1) {
    const asOf = new Date(Date.UTC(2010, i % much.vintages, 15)).toISOString().slice(0, 10);
    for (const [side, asof] of stores.entries()) {
      const started = performance.now();
      const { rows } = await asof.observations('REVISED00001', { asOf, limit: 100 });
      const ms = performance.now() - started;
      if (rows.length !== 100) throw new Error(`a page of ${rows.length} rows as of ${asOf}`);
      if (i >= warmUp) taken[side].push(ms);
    }
  }
  return taken.map(median);
}
