import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import pg from 'pg';
import { onCitus, query } from './citus.mjs';
import { cpuOfCluster, cpuOfEnded, settle } from './cpu.mjs';
import { statements, writeCsv } from './data.mjs';
import { instances } from './instances.mjs';
import { median, peakOfAsof, timed, timedAsof } from './measure.mjs';
import { duration } from './report.mjs';

const root = join(import.meta.dirname, '..');

/** Series with 12 vintages a date: 2508 facts each. `BENCH_SERIES=400` measures a tenth. */
const manySeries = Number(process.env.BENCH_SERIES ?? 4000);
const shape = { dates: 209, unit: 'month', vintages: 12 };
/** `BENCH_ENGINES=postgres` leaves out files. */
const chosen = (process.env.BENCH_ENGINES ?? 'postgres,sqlite').split(',');
const few = { ...shape, series: 40 };
const many = { ...shape, series: manySeries };
const revised = { series: 1, dates: 400, unit: 'month', vintages: 60, prefix: 'REVISED' };
const pages = [
  { name: '12 vintages a date', id: 'SERIES00003', vintages: 12 },
  { name: '60 vintages a date', id: 'REVISED00001', vintages: 60 },
];

/**
 * Stores of 10⁵ and of 10⁷ facts in PostgreSQL and in files: imports, pages, exports and services. Takes ten minutes
 * and 4 GB; pages and exports also on Citus, where ASOF_TEST_CITUS names a database with it.
 */
export async function postgres(folder) {
  const cluster = await startCluster();
  try {
    const address = (schema) => `${cluster.url}/postgres?schema=${schema}`;
    const cpu = () => cpuOfCluster(cluster);
    const stores = {
      postgres: { small: address('small'), large: address('large') },
      sqlite: { small: join(folder, 'small.db'), large: join(folder, 'large.db') },
    };
    const [fewCsv, manyCsv, revisedCsv] = ['few', 'many', 'revised'].map((name) =>
      join(folder, `${name}.csv`),
    );
    await writeCsv(fewCsv, statements(few));
    await writeCsv(manyCsv, statements(many));
    await writeCsv(revisedCsv, statements(revised));
    const engines = Object.entries(stores).filter(([engine]) => chosen.includes(engine));
    const lines = [];
    for (const [engine, { small, large }] of engines) {
      for (const file of [fewCsv, revisedCsv]) importInto(small, file);
      importInto(large, revisedCsv);
      lines.push(
        importLine(
          engine,
          spent(cpu, () => importInto(large, manyCsv)),
        ),
      );
    }
    if (chosen.includes('sqlite'))
      lines.push({
        name: 'size of the file',
        ours: '',
        figure: statSync(stores.sqlite.large).size / 2 ** 20,
        unit: 'MB',
      });
    await query(`${cluster.url}/postgres`, 'vacuum analyze');
    lines.push(...(await importsAgainstCopy(folder, cluster, address('import'))));
    for (const [engine, { small, large }] of engines)
      lines.push(...(await pagesOf(engine, { small, large })));
    lines.push(...exported('PostgreSQL', folder, stores.postgres.large, cpu));
    const services = { store: stores.postgres.large, access: address('keys'), series: manySeries };
    lines.push(...(await instances(folder, cluster, services)));
    for await (const line of onCitus((store, cpu) => citus(folder, store, cpu, [revisedCsv, manyCsv])))
      lines.push(line);
    return lines;
  } finally {
    await cluster.remove();
  }
}

/** A server of the tests, with memory and without their haste at the disk. */
export async function startCluster() {
  const source = join(root, 'test/support/postgres.ts');
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(source).href) },
  });
  // Here, because it imports packages.
  const copy = join(import.meta.dirname, `.cluster-${process.pid}.mjs`);
  writeFileSync(copy, outputFiles[0].contents);
  try {
    const { startCluster: start } = await import(pathToFileURL(copy).href);
    return await start({ shared_buffers: '512MB', autovacuum: 'on', max_wal_size: '4GB', fsync: 'on' });
  } finally {
    rmSync(copy);
  }
}

function importInto(store, file) {
  return timedAsof(['import', file, '--projections', '--quiet', '--store', store]);
}

/** The time that a run took, and the CPU time of it and of the server for it. */
function spent(cpuOfServers, run) {
  const all = () => cpuOfEnded() + cpuOfServers();
  settle();
  const before = all();
  const ms = run();
  settle();
  return { ms, cpu: (all() - before) * 1000 };
}

/**
 * Both sides in turn, after a round that fills the caches: the median of the time, and of the CPU time with that of
 * the server.
 */
function inTurn(cpuOfServers, rounds, sides) {
  const taken = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, run] of Object.entries(sides)) {
      const figures = spent(cpuOfServers, run);
      if (round > 0) taken[name].push(figures);
    }
  return Object.fromEntries(
    Object.entries(taken).map(([name, figures]) => [
      name,
      { ms: median(figures.map(({ ms }) => ms)), cpu: median(figures.map(({ cpu }) => cpu)) },
    ]),
  );
}

function importLine(engine, { ms, cpu }) {
  const facts = many.series * many.dates * many.vintages;
  const millions = (facts / 1e6).toFixed(1);
  return {
    name: `import of ${millions} M facts, ${engine}`,
    ours: duration(ms),
    theirs: `CPU time: ${duration(cpu)}`,
    figure: facts / (ms / 1000),
    unit: '/s',
    atLeast: 100_000,
  };
}

/**
 * A million statements, by series: against COPY of the same lines into one table with the same key; memory also of
 * three millions.
 */
async function importsAgainstCopy(folder, cluster, store) {
  const [csv, triple] = ['million.csv', 'triple.csv'].map((name) => join(folder, name));
  const shape = { series: 100, dates: 400, unit: 'month', vintages: 25, changes: 0.4 };
  await writeCsv(csv, statements(shape));
  await writeCsv(triple, statements({ ...shape, series: 300 }));
  const psql = (...commands) =>
    timed('psql', ['-q', `${cluster.url}/postgres`, ...commands.flatMap((one) => ['-c', one])]);
  const empty = () => psql('set client_min_messages = warning; drop schema if exists import cascade');
  const table =
    'create table copied (series text collate "C", date date, as_of_date date, value text, primary key (series, date, as_of_date))';
  const { asof, copy } = inTurn(() => cpuOfCluster(cluster), 3, {
    asof: () => {
      empty();
      return importInto(store, csv);
    },
    copy: () => {
      psql('set client_min_messages = warning; drop table if exists copied', table);
      return psql(`\\copy copied from '${csv}' csv header`);
    },
  });
  const peakOf = (file, ...flags) => {
    empty();
    return peakOfAsof(['import', file, '--projections', '--quiet', '--store', store], folder, flags);
  };
  const [peak, peakOfTriple] = [peakOf(csv), peakOf(triple)];
  return [
    {
      name: 'import of 1 M facts by series, PostgreSQL',
      ours: duration(asof.ms),
      figure: 1e6 / (asof.ms / 1000),
      unit: '/s',
      atLeast: 100_000,
    },
    { name: '', ours: '', theirs: `psql \\copy: ${duration(copy.ms)}`, figure: asof.ms / copy.ms },
    cpuLine(asof, copy),
    { name: 'peak memory of such an import', ours: '', figure: peak, unit: 'MB' },
    {
      name: 'peak memory of 3 M facts against it',
      ours: `${peakOfTriple.toFixed(0)} MB`,
      theirs: `${peak.toFixed(0)} MB`,
      figure: peakOfTriple / peak,
      atMost: 1.5,
    },
    {
      name: 'peak memory of 3 M facts, heap of 128 MB',
      ours: '--max-old-space-size=128',
      figure: peakOf(triple, '--max-old-space-size=128'),
      unit: 'MB',
      atMost: 200,
    },
  ];
}

function cpuLine(ours, theirs) {
  return {
    name: 'CPU time, with that of the server',
    ours: duration(ours.cpu),
    theirs: duration(theirs.cpu),
    figure: ours.cpu / theirs.cpu,
  };
}

/** Pages and an export of a store on Citus. */
async function* citus(folder, store, cpu, files) {
  for (const file of files) importInto(store, file);
  yield* await pagesOf('Citus', { large: store });
  yield* exported('Citus', folder, store, cpu);
}

const pageSql = (schema) => `select date, as_of_date, value from (
    select distinct on (date) date, as_of_date, value from ${schema}.fact
    where series = $1 and as_of_date <= $2 order by date desc, as_of_date desc
  ) as newest where value is not null limit 101`;

const warmUp = 100;
const counted = 500;

/** Pages as of many days from a small and a large store, in turn, and in PostgreSQL the bare SQL through pg. */
async function pagesOf(engine, { small, large }) {
  const { open } = await import('../dist/index.js');
  const [fewFacts, manyFacts] = [small && (await open(small)), await open(large)];
  const [url, schema] = large.split('?schema=');
  const client = schema && new pg.Client({ connectionString: url });
  await client?.connect();
  const lines = [];
  try {
    for (const { name, id, vintages } of pages) {
      const sides = {
        ...(fewFacts && { small: (asOf) => fewFacts.observations(id, { asOf, limit: 100 }) }),
        large: (asOf) => manyFacts.observations(id, { asOf, limit: 100 }),
        ...(client && { pg: (asOf) => client.query(pageSql(schema), [id, asOf]) }),
      };
      const taken = Object.fromEntries(Object.keys(sides).map((side) => [side, []]));
      for (let i = 0; i < warmUp + counted; i += 1) {
        const asOf = new Date(Date.UTC(2010, i % vintages, 15)).toISOString().slice(0, 10);
        for (const [side, ask] of Object.entries(sides)) {
          const began = performance.now();
          const { rows } = await ask(asOf);
          const ms = performance.now() - began;
          if (rows.length < 100) throw new Error(`a page of ${rows.length} rows as of ${asOf}`);
          if (i >= warmUp) taken[side].push(ms);
        }
      }
      const p50 = median(taken.large);
      const p99 = [...taken.large].sort((a, b) => a - b)[Math.floor(counted * 0.99)];
      lines.push(
        { name: `p50 of a page, ${name}, ${engine}`, ours: duration(p50), figure: p50, unit: 'ms' },
        {
          name: 'p99 of it',
          ours: '',
          figure: p99,
          unit: 'ms',
          ...(client && { atMost: 10 }),
        },
      );
      if (taken.small !== undefined) {
        const p50Small = median(taken.small);
        lines.push({
          name: 'p50 against 10⁵ facts in the store',
          ours: '',
          theirs: duration(p50Small),
          figure: p50 / p50Small,
          atMost: 1.3,
        });
      }
      if (taken.pg !== undefined) {
        const bare = median(taken.pg);
        lines.push({
          name: '',
          ours: '',
          theirs: `SQL through pg: ${duration(bare)}`,
          figure: p50 / bare,
          atMost: 2,
        });
      }
    }
  } finally {
    await client?.end();
    await Promise.all([fewFacts?.close(), manyFacts.close()]);
  }
  return lines;
}

/** All series as of a date as CSV: against COPY of the same rows in the same order. */
function exported(engine, folder, store, cpu) {
  const [url, schema] = store.split('?schema=');
  const asOf = '2010-06-15';
  const line = ['observations', 'SERIES*', '--as-of', asOf, '-f', 'csv', '--quiet', '--store', store];
  // A command of psql is one line.
  const rule = [
    `select distinct on (series, date) date, value, as_of_date, series from ${schema}.fact`,
    `where as_of_date <= '${asOf}' and series like 'SERIES%' order by series, date desc, as_of_date desc`,
  ].join(' ');
  const [ours, theirs] = [join(folder, 'asof.csv'), join(folder, 'psql.csv')];
  const taken = inTurn(cpu, 3, {
    asof: () => timedAsof(line, { output: ours }),
    copy: () => timed('psql', ['-q', url, '-c', `\\copy (${rule}) to stdout csv header`], { output: theirs }),
  });
  const rows = (path) => readFileSync(path, 'latin1').split('\n').length;
  if (rows(ours) !== rows(theirs)) throw new Error(`asof has ${rows(ours)} lines, psql ${rows(theirs)}`);
  return [
    {
      name: `export of ${rows(ours).toLocaleString('en-US')} rows, ${engine}`,
      ours: duration(taken.asof.ms),
      theirs: `psql \\copy: ${duration(taken.copy.ms)}`,
      figure: taken.asof.ms / taken.copy.ms,
      atMost: 1.5,
    },
    cpuLine(taken.asof, taken.copy),
    { name: 'peak memory of it', ours: '', figure: peakOfAsof(line, folder), unit: 'MB', atMost: 150 },
  ];
}
