import { beforeAll, describe, expect, it, vi } from 'vitest';
import { asof, statements } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = newFolder();
const store = folder.path('store.db');
/** Sets the title of a window, rings, and deletes a line by a control character of one byte (C1). */
const hostile = 'A\u001B]0;owned\u0007B\u009B2K';
const shown = 'A␛]0;owned␇B\uFFFD2K';

beforeAll(async () => {
  const files = [
    folder.write('facts.csv', statements(['GDP,2014-07-01,2014-10-30,17535.4'])),
    folder.write('metadata.csv', `series_id,title,units,frequency\nGDP,${hostile},Dollars,Q\n`),
  ];
  const { code, err } = await asof(['import', ...files, '--store', store]);
  if (code !== 0) throw new Error(err);
});

describe('control characters in the title of a series', () => {
  it.each([
    ['series show GDP --csv', hostile],
    ['series show GDP -f tsv', hostile],
    ['series search -f ndjson', JSON.stringify(hostile).slice(1, -1)],
    ['facts GDP --metadata', hostile],
    ['join - --on day GDP --csv', hostile],
  ])('never reach a terminal, and a pipe gets them as they are: %s', async (words, raw) => {
    const { Readable } = await import('node:stream');
    const line = [...words.split(' '), '--store', store];
    const stdin = () => Readable.from([Buffer.from(`day,text\n2014-12-31,${hostile}\n`)]);
    const piped = await asof(line, { stdin: stdin() });
    expect([piped.code, piped.out.includes(raw)]).toEqual([0, true]);
    const { code, out } = await asof(line, { stdin: stdin(), stdoutIsTerminal: true, columns: 400 });
    expect(code).toBe(0);
    expect(out).not.toMatch(/(?![\n\t])\p{Cc}/u);
    expect(out.includes(shown) || out.includes('A\\u001b]0;owned\\u0007B\uFFFD2K')).toBe(true);
    // Only those characters differ.
    expect(out.split('\n').length).toBe(piped.out.split('\n').length);
  });

  it('are in a file as they are, even if the command runs in a terminal', async () => {
    const file = folder.path('out.csv');
    const line = ['series', 'show', 'GDP', '--store', store, '-o', file];
    expect((await asof(line, { stdoutIsTerminal: true })).code).toBe(0);
    expect(folder.read('out.csv')).toContain(hostile);
  });
});
