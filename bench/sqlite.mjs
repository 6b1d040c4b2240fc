import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { statements, writeCsv } from './data.mjs';
import { median, peakOfAsof, timedAsof } from './measure.mjs';
import { duration } from './report.mjs';

/** Series with 12 vintages a date: 2508 facts each. `BENCH_SERIES=400` measures a tenth. */
const manySeries = Number(process.env.BENCH_SERIES ?? 4000);
const shape = { dates: 209, unit: 'month', vintages: 12 };
const sizes = { small: 40, middle: Math.ceil(manySeries / 10), large: manySeries };
const revised = { series: 1, dates: 400, unit: 'month', vintages: 60, prefix: 'REVISED' };
const pages = [
  { name: '12 vintages a date', id: 'SERIES00003', vintages: 12 },
  { name: '60 vintages a date', id: 'REVISED00001', vintages: 60 },
];

/** Stores of 10⁵, 10⁶ and 10⁷ facts in files: imports, memory, size and pages. Takes five minutes and 2 GB. */
export async function sqlite(folder) {
  const stores = {};
  const imported = {};
  const extra = join(folder, 'revised.csv');
  await writeCsv(extra, statements(revised));
  for (const [size, series] of Object.entries(sizes)) {
    const [csv, store] = [join(folder, `${size}.csv`), join(folder, `${size}.db`)];
    await writeCsv(csv, statements({ ...shape, series }));
    stores[size] = store;
    imported[size] = importInto(store, csv, folder);
    imported[size].facts = series * shape.dates * shape.vintages;
    imported[size].bytes = statSync(store).size;
    rmSync(csv);
    timedAsof(['import', extra, '--quiet', '--store', store]);
  }
  const { middle, large } = imported;
  return [
    {
      name: `import of ${(large.facts / 1e6).toFixed(1)} M facts`,
      ours: duration(large.ms),
      figure: large.facts / (large.ms / 1000),
      unit: '/s',
      atLeast: 100_000,
    },
    { name: 'peak memory of it', ours: '', figure: large.peak, unit: 'MB' },
    {
      name: `against that of ${(middle.facts / 1e6).toFixed(1)} M facts`,
      ours: '',
      theirs: `${Math.round(middle.peak)} MB`,
      figure: large.peak / middle.peak,
    },
    { name: 'size of the file for a fact', ours: '', figure: large.bytes / large.facts, unit: 'bytes' },
    ...(await pagesOf(stores.small, stores.large)),
  ];
}

/** Imports a file into a new store; gives the time and the peak of memory. */
function importInto(store, csv, folder) {
  const began = performance.now();
  const peak = peakOfAsof(['import', csv, '--projections', '--quiet', '--store', store], folder);
  return { ms: performance.now() - began, peak };
}

const warmUp = 300;
const counted = 3000;

/** Pages as of many days, in process, from the small and the large store in turn. */
async function pagesOf(small, large) {
  const { open } = await import('../dist/index.js');
  const sides = { small: await open(small), large: await open(large) };
  const lines = [];
  for (const { name, id, vintages } of pages) {
    const taken = { small: [], large: [] };
    for (let i = 0; i < warmUp + counted; i += 1) {
      const asOf = new Date(Date.UTC(2010, i % vintages, 15)).toISOString().slice(0, 10);
      for (const [side, store] of Object.entries(sides)) {
        const began = performance.now();
        const { rows } = await store.observations(id, { asOf, limit: 100 });
        const ms = performance.now() - began;
        if (rows.length !== 100) throw new Error(`a page of ${rows.length} rows as of ${asOf}`);
        if (i >= warmUp) taken[side].push(ms);
      }
    }
    const [p50, p50Small] = [median(taken.large), median(taken.small)];
    const p99 = taken.large.sort((a, b) => a - b)[Math.floor(counted * 0.99)];
    lines.push(
      { name: `p50 of a page of 100 rows, ${name}`, ours: duration(p50), figure: p50, unit: 'ms' },
      { name: 'p99 of it', ours: '', figure: p99, unit: 'ms', atMost: 10 },
      {
        name: 'p50 against 10⁵ facts in the store',
        ours: '',
        theirs: duration(p50Small),
        figure: p50 / p50Small,
        atMost: 1.3,
      },
    );
  }
  await Promise.all(Object.values(sides).map((store) => store.close()));
  return lines;
}
