import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { filingsOfQuarter, symbolOf, writeQuarter } from './filings.mjs';
import { median, medians, peakOfAsof, timedAsof } from './measure.mjs';
import { duration } from './report.mjs';

const wanted = 1_000_000;

/** Imports quarters of filings into one store until it holds a million trades, then finds the clusters in it. */
export async function clusters(folder) {
  const store = join(folder, 'insiders.db');
  const taken = [];
  const peaks = [];
  let trades = 0;
  for (let quarter = 0; trades < wanted; quarter += 1) {
    const made = await writeQuarter(folder, quarter);
    trades += made.trades;
    const parameters = ['import', made.path, '--quiet', '--store', store];
    const started = performance.now();
    if (quarter % 4 === 0) peaks.push(peakOfAsof(parameters, folder));
    else timedAsof(parameters);
    taken.push(performance.now() - started);
    rmSync(made.path, { recursive: true });
  }
  const query = (...more) => [
    'insider',
    'clusters',
    ...more,
    '--limit',
    '100',
    '-f',
    'json',
    '--store',
    store,
  ];
  const asked = medians(5, {
    node: () => timedAsof(['--version']),
    all: () => timedAsof(query()),
    ticker: () => timedAsof(query('--ticker', symbolOf(17))),
  });
  const within = await inProcess(store);
  const first = await firstPages(store);
  return [
    {
      name: `import of a quarter's data set, ${filingsOfQuarter} filings`,
      ours: duration(median(taken)),
      figure: median(taken) / 1000,
      unit: 's',
      atMost: 10,
    },
    {
      name: 'peak memory of the last such import against the first',
      ours: `${peaks.at(-1).toFixed(0)} MB`,
      theirs: `${peaks[0].toFixed(0)} MB`,
      figure: peaks.at(-1) / peaks[0],
      atMost: 1.2,
    },
    {
      name: `clusters of ${trades.toLocaleString('en-US')} trades, whole process`,
      ours: duration(asked.all),
      theirs: `asof --version: ${duration(asked.node)}`,
      figure: asked.all / 1000,
      unit: 's',
      atMost: 1.5,
    },
    {
      name: 'clusters of one ticker, whole process',
      ours: duration(asked.ticker),
      theirs: `asof --version: ${duration(asked.node)}`,
      figure: asked.ticker / asked.node,
    },
    { name: 'the same in process', ours: duration(within), figure: within, unit: 'ms', atMost: 50 },
    ...first,
  ];
}

/** The median milliseconds of the clusters of one ticker, a different one each time. */
async function inProcess(store) {
  const { open } = await import('../dist/index.js');
  const asof = await open(store);
  try {
    const taken = [];
    for (let issuer = 1; issuer <= 100; issuer += 1) {
      const started = performance.now();
      await asof.insiderClusters({ ticker: symbolOf(issuer), limit: 100 });
      taken.push(performance.now() - started);
    }
    return median(taken);
  } finally {
    await asof.close();
  }
}

/**
 * The first page of clusters and of signals from a store that was opened just now, in CPU time: against reading all
 * trades with that code by the same driver, which a search without an index would begin with.
 */
async function firstPages(store) {
  const { open } = await import('../dist/index.js');
  const rounds = 3;
  const ask = async (question) => {
    const asof = await open(store);
    try {
      return (await question(asof)).rows.length;
    } finally {
      await asof.close();
    }
  };
  const lines = [];
  for (const [name, transactionCode, minInsiders] of [
    ['purchases', 'P', 2],
    ['sales', 'S', 3],
  ]) {
    const asked = { transactionCode, minInsiders, limit: 100 };
    const sides = {
      clusters: () => ask((asof) => asof.insiderClusters(asked)),
      signals: () => ask((asof) => asof.insiderClusterSignals(asked)),
      trades: () => readTrades(store, transactionCode),
    };
    const taken = Object.fromEntries(Object.keys(sides).map((side) => [side, []]));
    for (let round = 0; round <= rounds; round += 1)
      for (const [side, run] of Object.entries(sides)) {
        const began = process.cpuUsage();
        await run();
        const { user, system } = process.cpuUsage(began);
        if (round > 0) taken[side].push((user + system) / 1000);
      }
    const trades = median(taken.trades);
    for (const side of ['clusters', 'signals'])
      lines.push({
        name: `CPU of 100 ${side} of ${name}`,
        ours: duration(median(taken[side])),
        theirs: `all these trades by SQL: ${duration(trades)}`,
        figure: median(taken[side]) / trades,
        atMost: 1,
      });
  }
  return lines;
}

/** The trades with a code and their filings, by issuer. */
function readTrades(store, code) {
  const db = new Database(store, { readonly: true });
  try {
    const rows = db
      .prepare(
        `select t.*, f.* from filing f join trade t on t.filing = f.key
         where t.is_derivative = 0 and t.transaction_code = ? order by f.issuer_cik`,
      )
      .raw()
      .iterate(code);
    let count = 0;
    for (const _ of rows) count += 1;
    return count;
  } finally {
    db.close();
  }
}
