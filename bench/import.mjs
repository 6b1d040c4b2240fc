import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { cpuOfRuns } from './cpu.mjs';
import { byVintage, shuffled, statements, writeCsv } from './data.mjs';
import { isInstalled, medians, timed, timedAsof } from './measure.mjs';
import { duration } from './report.mjs';

const lines = () => statements({ series: 100, dates: 400, unit: 'month', vintages: 25, changes: 0.4 });

const orders = [
  { name: 'by series, date, vintage', arrange: (given) => given, rounds: 3 },
  { name: 'by vintage', arrange: (given) => byVintage(given), rounds: 3 },
  { name: 'shuffled', arrange: (given) => shuffled(given), rounds: 1 },
];

/** Imports a million statements, 4 of 10 of them changes, from asof's own CSV into a new store; by CPU time. */
export async function* imports(folder) {
  for (const { name, arrange, rounds } of orders) {
    const csv = join(folder, 'import.csv');
    await writeCsv(csv, arrange(lines()));
    const { asof, ...others } = medians(rounds, sides(folder, csv));
    for (const [other, ms] of Object.entries(others))
      yield {
        name: `CPU of an import of 1 M facts, ${name}`,
        ours: duration(asof),
        theirs: `${other}: ${duration(ms)}`,
        figure: asof / ms,
        ...(other.startsWith('sqlite3') && { atMost: 1.2 }),
      };
  }
}

function sides(folder, csv) {
  const store = join(folder, 'import.db');
  const intoNewStore = (work) => () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(store + suffix, { force: true });
    return cpuOfRuns(work);
  };
  return {
    asof: intoNewStore(() => timedAsof(['import', csv, '--quiet', '--store', store])),
    ...(isInstalled('sqlite3') && {
      'sqlite3 .import': intoNewStore(() => timed('sqlite3', [store], { input: intoTable(csv) })),
    }),
    'csv-parse alone': () =>
      cpuOfRuns(() => timed(process.execPath, ['--input-type=module', '-e', parseAlone, csv])),
  };
}

/** SQL that imports the same lines into one table with the same key, without a journal, as asof makes a new store. */
function intoTable(csv) {
  return `pragma journal_mode = off; pragma synchronous = off;
create table fact (series text, date text, as_of_date text, value text, primary key (series, date, as_of_date)) without rowid;
.mode csv
.import --skip 1 ${csv} fact
`;
}

const parseAlone = `
  import { createReadStream } from 'node:fs';
  import { parse } from ${JSON.stringify(import.meta.resolve('csv-parse'))};
  for await (const record of createReadStream(process.argv[1]).pipe(parse())) void record;
`;
