import { once } from 'node:events';
import { createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newRandom } from './data.mjs';
import { isInstalled, medians, peakOfAsof, timed, timedAsof } from './measure.mjs';
import { duration } from './report.mjs';

const series = 126;
const firstMonths = 680;
const [few, many] = [15, 60];

/**
 * Imports panels of the shape of FRED-MD, one file for each monthly vintage. Each adds a month and revises the last
 * year; one in twelve revises a tenth of the series whole. The rival gets the same statements as lines of one table.
 */
export async function wholeVintages(folder) {
  const [panels, lines, store] = ['panels', 'lines.csv', 'vintages.db'].map((name) => join(folder, name));
  const statements = await writePanels(panels, lines);
  const intoNewStore = (work) => () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(store + suffix, { force: true });
    return work();
  };
  const importing = (...paths) => ['import', ...paths, '--quiet', '--store', store];
  const taken = medians(1, {
    asof: intoNewStore(() => timedAsof(importing(panels))),
    ...(isInstalled('sqlite3') && {
      'sqlite3 .import': intoNewStore(() => timed('sqlite3', [store], { input: intoTable(lines) })),
    }),
  });
  const peakOf = (...paths) => intoNewStore(() => peakOfAsof(importing(...paths), folder))();
  const [all, part] = [peakOf(panels), peakOf(...Array.from({ length: few }, (_, i) => fileOf(panels, i)))];
  return [
    {
      name: `import of ${(statements / 1e6).toFixed(1)} M facts, ${many} whole vintages`,
      ours: duration(taken.asof),
      figure: statements / (taken.asof / 1000),
      unit: '/s',
      atLeast: 250_000,
    },
    ...Object.entries(taken)
      .filter(([other]) => other !== 'asof')
      .map(([other, ms]) => ({
        name: '',
        ours: '',
        theirs: `${other}: ${duration(ms)}`,
        figure: taken.asof / ms,
      })),
    {
      name: `peak memory, ${many} vintages against ${few}`,
      ours: `${all.toFixed(0)} MB`,
      theirs: `${part.toFixed(0)} MB`,
      figure: all / part,
      // Garbage is collected late, up to a bound; vintages kept in memory would show as 4 ×.
      atMost: 1.5,
    },
  ];
}

function monthOf(count) {
  return new Date(Date.UTC(1959, count, 1)).toISOString().slice(0, 7);
}

function fileOf(folder, vintage) {
  return join(folder, `${monthOf(firstMonths + vintage)}.csv`);
}

/** Writes the panels, and their statements as lines; returns how many statements there are. */
async function writePanels(folder, lines) {
  mkdirSync(folder);
  const random = newRandom(11);
  const value = () => (random() * 20_000).toFixed(3);
  const ids = Array.from({ length: series }, (_, i) => `SERIES${String(i + 1).padStart(3, '0')}`);
  const held = ids.map(() => Array.from({ length: firstMonths }, value));
  const out = createWriteStream(lines);
  let statements = 0;
  for (let vintage = 0; vintage < many; vintage += 1) {
    for (const [s, values] of held.entries()) {
      const isWhole = vintage % 12 === 11 && s % 10 === 0;
      for (let i = isWhole ? 0 : values.length - 12; i < values.length; i += 1) values[i] = value();
      values.push(value());
    }
    const months = held[0].map((_, i) => monthOf(i));
    const rows = months.map((month, i) => {
      const [year, number] = month.split('-').map(Number);
      return [`${number}/1/${year}`, ...held.map((values) => values[i])].join(',');
    });
    const head = [`sasdate,${ids.join(',')}`, `Transform:${',5'.repeat(series)}`];
    writeFileSync(fileOf(folder, vintage), `${[...head, ...rows].join('\n')}\n`);
    for (const [s, values] of held.entries()) {
      statements += values.length;
      const asOf = monthOf(firstMonths + vintage);
      const text = values.map((figure, i) => `${ids[s]},${months[i]}-01,${asOf}-28,${figure}\n`).join('');
      if (!out.write(text)) await once(out, 'drain');
    }
  }
  out.end();
  await once(out, 'close');
  return statements;
}

/**
 * SQL that imports the same statements into one table with the same key, without a journal, as asof makes a new
 * store.
 */
function intoTable(lines) {
  return `pragma journal_mode = off; pragma synchronous = off;
create table fact (series text, date text, as_of_date text, value text, primary key (series, date, as_of_date)) without rowid;
.mode csv
.import ${lines} fact
`;
}
