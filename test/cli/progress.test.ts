import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { asof, days, importedStore, longValue, newFolder, statements } from './run.ts';

// Real work takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = newFolder();
let store = '';
beforeAll(async () => {
  store = await importedStore(folder);
});
afterAll(folder.remove);

const erase = '\r\u001B[K';
const slow = { stderrIsTerminal: true, columns: 50, pace: 300 };

/** The lines that stood on stderr one after the other, and what is there at the end. */
function shownBy(err: string) {
  const [before = '', ...lines] = err.split(erase);
  return { before, lines: lines.slice(0, -1), end: lines.at(-1) };
}

describe('long work on a terminal’s stderr', () => {
  it('of an import shows the rows, within the width, and is gone when the summary comes', async () => {
    const facts = statements(days.map((day) => `P,${day},2021-01-01,${longValue(day)}`));
    const file = folder.write('p.csv', facts);
    const { code, err } = await asof(['import', file, '--store', folder.path('p.db')], slow);
    const { lines, end } = shownBy(err);
    expect(code).toBe(0);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line.length).toBeLessThan(50);
      expect(file.startsWith(line) || line.startsWith(`${file}: `)).toBe(true);
    }
    expect(end).toMatch(/^\S+: asof-csv, 1 series/);
  });

  it('of an export of several series shows a bar', async () => {
    const line = ['obs', 'LONG', 'GDP', 'UNRATE', '--store', store, '-o', folder.path('x.csv')];
    const { code, err } = await asof(line, slow);
    const { before, lines, end } = shownBy(err);
    expect({ code, before, end }).toEqual({ code: 0, before: '', end: '' });
    expect(lines.at(-1)).toBe('[#############.......] 2 of 3, 2,503 rows');
  });

  it.each([
    ['is not shown in the first half second', { ...slow, pace: 0 }, []],
    ['is not shown where stderr is no terminal', { ...slow, stderrIsTerminal: false }, []],
    ['is not shown to the quiet', slow, ['-q']],
  ])('%s', async (_, surroundings, flags) => {
    const line = ['obs', 'LONG', '--store', store, '-o', folder.path('y.csv'), ...flags];
    expect((await asof(line, surroundings)).err).toBe('');
  });
});
