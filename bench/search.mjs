import { join } from 'node:path';
import Database from 'better-sqlite3';
import { placeOf, writeCatalogue } from './catalogue.mjs';
import { cpuOfRuns } from './cpu.mjs';
import { median, medians, peakOfAsof, sample, timedAsof } from './measure.mjs';
import { duration } from './report.mjs';

const series = 100_000;
const [county] = placeOf(7).split(' ');

/** What is searched for, and how FTS5 takes it: a place, two common words, a word of many titles, and a typo. */
const questions = [
  { name: 'two words and a place', q: `unemployment rate ${county}` },
  { name: 'two words of 6 000 titles', q: 'consumer price' },
  { name: 'a word with a letter less', q: 'unemploymnt', corrected: 'unemployment' },
];

/** The searches of each kind that a process answers before they are measured: V8 compiles their code in the first ones. */
const unmeasured = 5;

const measured = 15;

/**
 * Searches among 100 000 series: against an FTS5 index of the same words, asked for any of them, by the same driver.
 */
export async function* search(folder) {
  const store = join(folder, 'catalogue.db');
  const { facts, descriptions } = await writeCatalogue(folder, series);
  timedAsof(['import', facts, '--quiet', '--store', store]);
  timedAsof(['import', descriptions, '--quiet', '--store', store]);
  const { open } = await import('../dist/index.js');
  const db = fullText(store);
  const asof = await open(store);
  try {
    for (const { name, q, corrected = q } of questions) {
      const sides = {
        asof: async () => (await asof.seriesSearch(q, { match: 'words', limit: 100 })).rows,
        fts5: () =>
          db
            .prepare(
              'select s.* from words w join series s on s.key = w.rowid where words match ? order by rank limit 100',
            )
            .all(corrected.split(' ').join(' OR ')),
      };
      const taken = { asof: [], fts5: [] };
      for (let round = 0; round < unmeasured + measured; round += 1)
        for (const [side, ask] of Object.entries(sides)) {
          const began = process.cpuUsage();
          if ((await ask()).length !== 100) throw new Error(`${side} found less than a page for ${q}`);
          const { user, system } = process.cpuUsage(began);
          if (round >= unmeasured) taken[side].push((user + system) / 1000);
        }
      const [ours, theirs] = [median(taken.asof), median(taken.fts5)];
      yield {
        name: `CPU of a search among 100 000 series: ${name}`,
        ours: duration(ours),
        theirs: `FTS5: ${duration(theirs)}`,
        figure: ours / theirs,
        atMost: 3,
      };
    }
  } finally {
    await asof.close();
    db.close();
  }
  const line = ['series', 'search', questions[0].q, '-f', 'csv', '--quiet', '--store', store];
  yield {
    name: 'peak memory of the command',
    ours: '',
    figure: peakOfAsof(line, folder),
    unit: 'MB',
    atMost: 250,
  };
  yield inSample();
}

/** A search in the sample against a plain query, whole processes by their CPU time. */
function inSample() {
  const inSample = ['-f', 'csv', '--quiet', '--store', sample];
  const cpuOf = (args) => cpuOfRuns(() => timedAsof([...args, ...inSample]));
  const taken = medians(9, {
    search: () => cpuOf(['series', 'search', 'core inflation']),
    plain: () => cpuOf(['observations', 'GDP', '--as-of', '2015-01-30']),
  });
  return {
    name: 'CPU of a search in the sample',
    ours: duration(taken.search),
    theirs: `a plain query: ${duration(taken.plain)}`,
    figure: taken.search / taken.plain,
    atMost: 1.5,
  };
}

/** The store with an index of full text in memory. */
function fullText(store) {
  const db = new Database(store, { readonly: true });
  db.pragma('temp_store = memory');
  db.exec(`create virtual table temp.words using fts5 (id, title, units, content='');
    insert into temp.words (rowid, id, title, units) select key, id, title, units from series`);
  return db;
}
