import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/** A source of pseudo-random numbers in [0, 1), the same in every run. */
export function newRandom(seed = 1) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The day `count` days, or months, after the first of January 1900. */
function after(unit, count) {
  const day = unit === 'day' ? Date.UTC(1900, 0, 1 + count) : Date.UTC(1900, count, 1);
  return new Date(day).toISOString().slice(0, 10);
}

/**
 * Lines of asof's own CSV: every vintage states every date of every series, and each statement is a change with the
 * given chance. In the order of series, date, vintage.
 */
export function* statements({ series, dates, unit, vintages, changes = 1, prefix = 'SERIES' }) {
  const random = newRandom();
  const days = Array.from({ length: dates }, (_, i) => after(unit, i));
  const known = Array.from({ length: vintages }, (_, i) => after('month', 1320 + i));
  for (let s = 1; s <= series; s += 1) {
    const id = `${prefix}${String(s).padStart(5, '0')}`;
    for (const date of days) {
      let value = '';
      for (const [i, asOf] of known.entries()) {
        if (i === 0 || random() < changes) value = (random() * 20_000).toFixed(3);
        yield `${id},${date},${asOf},${value}`;
      }
    }
  }
}

/** Writes lines, of statements if no other header is given, as a file that import reads. */
export async function writeCsv(path, lines, header = 'series_id,date,as_of_date,value') {
  const file = createWriteStream(path);
  let chunk = [header];
  for (const line of lines) {
    chunk.push(line);
    if (chunk.length < 10_000) continue;
    if (!file.write(`${chunk.join('\n')}\n`)) await once(file, 'drain');
    chunk = [];
  }
  file.end(chunk.length > 0 ? `${chunk.join('\n')}\n` : '');
  await once(file, 'close');
}

/** The same lines in a pseudo-random order, the same in every run. */
export function shuffled(lines) {
  const random = newRandom(7);
  const result = [...lines];
  for (let i = result.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [result[i], result[j]] = [result[j], result[i]];
  }
  return result;
}

/** The same lines, as a publisher appends them: one vintage after the other. */
export function byVintage(lines) {
  const vintageOf = (line) => line.split(',', 3)[2];
  const groups = new Map();
  for (const line of lines) {
    const day = vintageOf(line);
    const group = groups.get(day);
    if (group === undefined) groups.set(day, [line]);
    else group.push(line);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, group]) => group);
}
