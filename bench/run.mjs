import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { clusters } from './clusters.mjs';
import { slider } from './explorer.mjs';
import { wholeStore } from './export.mjs';
import { files } from './files.mjs';
import { imports } from './import.mjs';
import { joinRows } from './join.mjs';
import { lags } from './lags.mjs';
import { asof } from './measure.mjs';
import { page } from './page.mjs';
import { panel } from './panel.mjs';
import { postgres } from './postgres.mjs';
import { questions } from './python.mjs';
import { remote } from './remote.mjs';
import { reports } from './report.mjs';
import { wholeSample } from './sample.mjs';
import { search } from './search.mjs';
import { serve } from './serve.mjs';
import { sqlite } from './sqlite.mjs';
import { startUp } from './start-up.mjs';
import { update } from './update.mjs';
import { wholeVintages } from './vintages.mjs';

const about = `Measures the built asof against its targets: \`npm run build\`, then

  npm run bench                             everything, in 40 minutes
  npm run bench -- page import              some parts
  npm run -s bench -- --json > FILE         each figure as a line of JSON
  npm run -s bench -- --markdown            as docs/reference/speed.md shows it
  npm run bench -- page --compare FILE      beside the figures of such a file

A missed target is a mark and no failure, because other programs on the machine change every figure. A part that fails
is named, the others follow, and the exit code is 1.`;

const parts = {
  'start-up': startUp,
  page,
  export: wholeStore,
  import: imports,
  vintages: wholeVintages,
  panel,
  lags,
  join: joinRows,
  files,
  sample: wholeSample,
  serve,
  remote,
  clusters,
  explorer: slider,
  search,
  python: questions,
  postgres,
  update,
  sqlite,
};

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    markdown: { type: 'boolean' },
    compare: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (flags.help) {
  console.log(`${about}\n\nParts: ${Object.keys(parts).join(', ')}`);
  process.exit(0);
}
if (!existsSync(asof)) throw new Error('there is no dist/asof.cjs: run `npm run build` first');
const chosen = positionals.length > 0 ? positionals : Object.keys(parts);
const unknown = chosen.find((name) => !Object.hasOwn(parts, name));
if (unknown !== undefined)
  throw new Error(`no such part: ${unknown}; the parts are ${Object.keys(parts).join(', ')}`);

/** The figures of an earlier run, by part and place in it: its names may come twice. */
const earlier = new Map();
if (flags.compare !== undefined)
  for (const text of readFileSync(flags.compare, 'utf8').split('\n'))
    if (text.startsWith('{"part"')) {
      const { part, name, nth, figure } = JSON.parse(text);
      earlier.set(`${part} ${name} ${nth}`, figure);
    }

const report = reports[flags.json ? 'json' : flags.markdown ? 'markdown' : 'text'];
const folder = await mkdtemp(join(tmpdir(), 'asof-bench-'));
try {
  report.begin(flags.compare !== undefined);
  for (const part of chosen) {
    process.stderr.write(`measuring ${part} …\n`);
    const counts = new Map();
    try {
      for await (const line of linesOf(parts[part](folder))) {
        const nth = (counts.get(line.name) ?? 0) + 1;
        counts.set(line.name, nth);
        report.line({ part, ...line, nth, before: earlier.get(`${part} ${line.name} ${nth}`) });
      }
    } catch (error) {
      process.exitCode = 1;
      process.stderr.write(`${part} failed: ${error.stack}\n`);
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** The lines of a part, each when it is measured where the part yields them. */
async function* linesOf(made) {
  yield* Symbol.asyncIterator in made ? made : await made;
}
