import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusters } from './clusters.mjs';
import { wholeStore } from './export.mjs';
import { imports } from './import.mjs';
import { joinRows } from './join.mjs';
import { lags } from './lags.mjs';
import { asof } from './measure.mjs';
import { page } from './page.mjs';
import { panel } from './panel.mjs';
import { postgres } from './postgres.mjs';
import { questions } from './python.mjs';
import { remote } from './remote.mjs';
import { printReport } from './report.mjs';
import { wholeSample } from './sample.mjs';
import { search } from './search.mjs';
import { serve } from './serve.mjs';
import { sqlite } from './sqlite.mjs';
import { startUp } from './start-up.mjs';
import { wholeVintages } from './vintages.mjs';

// Measures the built asof against its targets: `npm run build`, then `npm run bench`, or `npm run bench -- page
// import`. A missed target is a mark in the table and no failure, because other programs on the machine change every
// figure.
const parts = {
  'start-up': startUp,
  page,
  export: wholeStore,
  import: imports,
  vintages: wholeVintages,
  panel,
  lags,
  join: joinRows,
  sample: wholeSample,
  serve,
  remote,
  clusters,
  search,
  python: questions,
  postgres,
  sqlite,
};

if (!existsSync(asof)) throw new Error('there is no dist/asof.cjs: run `npm run build` first');
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
const unknown = chosen.find((name) => !Object.hasOwn(parts, name));
if (unknown !== undefined)
  throw new Error(`no such part: ${unknown}; the parts are ${Object.keys(parts).join(', ')}`);

const folder = await mkdtemp(join(tmpdir(), 'asof-bench-'));
try {
  const lines = [];
  for (const name of chosen) {
    process.stderr.write(`measuring ${name} …\n`);
    lines.push(...(await parts[name](folder)));
  }
  printReport(lines);
} finally {
  await rm(folder, { recursive: true, force: true });
}
