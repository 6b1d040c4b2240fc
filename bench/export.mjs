import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuOfRuns } from './cpu.mjs';
import { statements, writeCsv } from './data.mjs';
import { isInstalled, medians, peakOfAsof, timed, timedAsof } from './measure.mjs';
import { duration } from './report.mjs';

/** Two shapes of a million rows: many short series with revisions, and few long series. */
const shapes = [
  {
    name: '1000 series × 1000 dates, 3 vintages',
    tenth: 'SERIES000*',
    series: 1000,
    dates: 1000,
    unit: 'month',
    vintages: 3,
  },
  {
    name: '10 series × 100 000 dates',
    tenth: 'SERIES00001',
    series: 10,
    dates: 100_000,
    unit: 'day',
    vintages: 1,
  },
];

/** An as-of date between the second and the third vintage. */
const asOf = '2010-02-15';

/** Exports a whole store as of a date as CSV: its CPU time against sqlite3 with the same rule in SQL, and its peak memory. */
export async function* wholeStore(folder) {
  for (const shape of shapes) yield* await measureShape(folder, shape);
}

async function measureShape(folder, { name, tenth, ...shape }) {
  const [csv, store] = [join(folder, 'export.csv'), join(folder, `${shape.series}.db`)];
  await writeCsv(csv, statements(shape));
  timedAsof(['import', csv, '--projections', '--quiet', '--store', store]);
  const query = (id) => ['observations', id, '--as-of', asOf, '-f', 'csv', '--quiet', '--store', store];
  const [whole, part] = [peakOfAsof(query('*'), folder), peakOfAsof(query(tenth), folder)];
  return [
    ...againstSqlite(folder, name, store, query('*')),
    { name: `peak memory, ${name}`, ours: '1 000 000 rows', figure: whole, unit: 'MB', atMost: 150 },
    {
      name: 'the same against about 100 000 rows',
      ours: `${whole.toFixed(0)} MB`,
      theirs: `${part.toFixed(0)} MB`,
      figure: whole / part,
      // Garbage is collected late, up to a bound; rows kept in memory would show as 10 ×.
      atMost: 1.5,
    },
  ];
}

/** The store's as-of rule for all series at once, in the order in which SQLite is fastest. */
const rule = `select date, value, max(as_of_date) from fact where as_of_date <= '${asOf}'
  group by series, date having value is not null`;

function againstSqlite(folder, name, store, query) {
  const label = `CPU of all of ${name}`;
  if (!isInstalled('sqlite3')) return [{ name: label, ours: 'skipped: there is no sqlite3 here' }];
  const [ours, theirs] = [join(folder, 'asof.csv'), join(folder, 'sqlite3.csv')];
  timedAsof(query, { output: ours });
  timed('sqlite3', ['-csv', store, `${rule} order by series, date desc`], { output: theirs });
  refuseDifferent(ours, theirs);
  const taken = medians(5, {
    asof: () => cpuOfRuns(() => timedAsof(query, { output: ours })),
    sqlite: () => cpuOfRuns(() => timed('sqlite3', ['-csv', store, rule], { output: theirs })),
  });
  return [
    {
      name: label,
      ours: duration(taken.asof),
      theirs: `sqlite3 -csv: ${duration(taken.sqlite)}`,
      figure: taken.asof / taken.sqlite,
      atMost: 1.4,
    },
  ];
}

/** Throws unless date, value and as-of date of every row are equal, in order. */
function refuseDifferent(ours, theirs) {
  const [, ...answers] = linesOf(ours);
  const expected = linesOf(theirs);
  const different = answers.findIndex((line, i) => !line.startsWith(`${expected[i]},`));
  if (different >= 0 || answers.length !== expected.length || answers.length < 990_000) {
    throw new Error(
      `asof has ${answers.length} rows, sqlite3 ${expected.length}; the first that differs: ${answers[different]}`,
    );
  }
}

function linesOf(path) {
  return readFileSync(path, 'utf8').replaceAll('\r', '').trimEnd().split('\n');
}
