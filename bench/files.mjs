import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cpuOfRuns } from './cpu.mjs';
import { writeCsv } from './data.mjs';
import { tradesText } from './join.mjs';
import { isInstalled, sample, timed, timedAsof, tool } from './measure.mjs';
import { publications } from './panel.mjs';
import { duration } from './report.mjs';

const inSample = ['--quiet', '--store', sample];
const ids = ['MONTHLY01', 'MONTHLY05', 'MONTHLY10', 'MONTHLY15', 'MONTHLY20'];
const rounds = 3;

/** What people do with files, by the CPU time of whole processes, the least of three: checks, joins, tables, backups. */
export async function* files(folder) {
  const output = (name) => join(folder, name);
  yield seconds('check of 348 rows × 5 columns', checking(folder), 0.25);
  const [facts, store, trades] = ['files.csv', 'files.db', 'files-trades.csv'].map(output);
  await writeCsv(facts, publications());
  await writeFile(trades, tradesText(200_000));
  timedAsof(['import', facts, '--store', store]);
  const line = ['join', trades, '--on', 'day', ...ids, '-q', '--store', store, '-f', 'parquet'];
  yield seconds(
    'join of 200 000 rows × 5 series to Parquet',
    () => timedAsof(line, { output: output('join.parquet') }),
    1.3,
    {
      'DuckDB, ASOF JOIN': duckdb(facts, trades, output('rival.parquet')),
    },
  );
  const days = ['--as-of-each', 'business-day', '--from', '1997-01-01', '--to', '2025-12-31'];
  const panel = ['panel', '*', ...days, '--wide', '-f', 'parquet', ...inSample];
  yield seconds(
    'every series of the sample × 7565 days to Parquet',
    () => timedAsof(panel, { output: output('panel.parquet') }),
    2.5,
  );
  const series = ['observations', 'CPIAUCSL', ...inSample];
  for (const [format, bar] of [
    ['xlsx', 0.25],
    ['png', 0.25],
    ['svg', 0.2],
  ])
    yield seconds(
      `one series as ${format}`,
      () => timedAsof([...series, '-f', format], { output: output(`one.${format}`) }),
      bar,
    );
  const copy = output('backup.db');
  const free = () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true });
  };
  yield seconds(
    'store backup of 12 MB, read again',
    () => {
      free();
      timedAsof(['store', 'backup', copy, ...inSample]);
    },
    1.5,
    isInstalled('sqlite3') && {
      'sqlite3 .backup, integrity_check': () => {
        free();
        timed('sqlite3', [sample, `.backup ${copy}`]);
        timed('sqlite3', [copy, 'pragma integrity_check']);
      },
    },
  );
}

/** A file of what was known at 348 month-ends, and its check. */
function checking(folder) {
  const file = join(folder, 'features.csv');
  const range = ['--as-of-each', 'month-end', '--from', '1995-01-01', '--to', '2023-12-31', '--wide'];
  const columns = ['UNRATE', 'CPIAUCSL', 'PAYEMS', 'GDP', 'DGS10'];
  timedAsof(['panel', ...columns, ...range, '-f', 'csv', ...inSample], { output: file });
  return () =>
    timedAsof(['check', file, '--on', 'as_of', ...inSample], { output: join(folder, 'check.csv') });
}

/** The same join in DuckDB: of each series, the newest date known on the day; in one process, to Parquet. */
function duckdb(facts, trades, output) {
  const script = `
    import { DuckDBInstance } from ${JSON.stringify(tool.resolve('@duckdb/node-api'))};
    const db = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
    await db.run("create table fact as select * from read_csv('${facts}')");
    await db.run(\`create table known as select series_id, as_of_date,
      arg_max(value, date) over (partition by series_id order by as_of_date, date) as value from fact
      where value is not null qualify row_number() over (partition by series_id, as_of_date order by date desc) = 1\`);
    await db.run(\`copy (select t.*, ${ids.map((id) => `${id}.value as ${id}`).join()} from read_csv('${trades}') t
      ${ids.map((id) => `asof left join (from known where series_id = '${id}') ${id} on t.day >= ${id}.as_of_date`).join(' ')})
      to '${output}' (format parquet)\`);`;
  return () => {
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
    if (status !== 0) throw new Error(`DuckDB failed:\n${stderr}`);
  };
}

function seconds(name, ours, atMost, rivals) {
  const [[rival, theirs] = []] = Object.entries(rivals || {});
  const taken = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round += 1) {
    taken.ours.push(cpuOfRuns(ours));
    if (theirs !== undefined) taken.theirs.push(cpuOfRuns(theirs));
  }
  const [least, other] = [Math.min(...taken.ours), Math.min(...taken.theirs)];
  return {
    name: `CPU of ${name}`,
    ours: duration(least),
    theirs: rival === undefined ? '' : `${rival}: ${duration(other)}`,
    figure: least / 1000,
    unit: 's',
    atMost,
  };
}
