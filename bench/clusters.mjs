import { rmSync } from 'node:fs';
import { join } from 'node:path';
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
