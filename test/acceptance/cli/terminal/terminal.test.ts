import { spawn } from 'node-pty';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { importedStore, statements } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import { builtProgram } from '../../../support/repository.ts';

// Processes are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = newFolder();
let store = '';
beforeAll(async () => {
  store = await importedStore(folder);
});

/** What a terminal of `columns` columns shows of a command, stdout and stderr as they arrive. */
function onTerminal(line: readonly string[], columns: number, env: Record<string, string> = {}) {
  // The last output of a process is lost unless another process keeps the pseudo-terminal open a little longer.
  const held = ['-c', '"$@"; code=$?; sleep 0.2; exit $code', 'sh'];
  const pty = spawn('sh', [...held, process.execPath, builtProgram, ...line, '--store', store], {
    cols: columns,
    rows: 40,
    env: { PATH: process.env.PATH ?? '', HOME: folder.path('home'), TERM: 'xterm', ...env },
  });
  const shown: string[] = [];
  pty.onData((data) => shown.push(data));
  return new Promise<{ code: number; text: string; lines: string[] }>((resolve) => {
    pty.onExit(({ exitCode }) => {
      const text = shown.join('');
      resolve({ code: exitCode, text, lines: text.replace(/\r\n$/, '').split('\r\n') });
    });
  });
}

describe('on a terminal', () => {
  it.each<readonly [columns: number, lines: readonly string[]]>([
    [
      40,
      [
        'date          value  as_of_date',
        '2014-10-01  17703.7  2015-03-27',
        '2014-07-01  17599.8  2014-12-23',
        'asof: the terminal is too narrow for series_id, unit, frequency, source; choose with --columns',
      ],
    ],
    [
      80,
      [
        'date          value  as_of_date  series_id  unit  frequency  source',
        '2014-10-01  17703.7  2015-03-27  GDP              Q',
        '2014-07-01  17599.8  2014-12-23  GDP              Q',
      ],
    ],
    [
      200,
      [
        'date          value  as_of_date  series_id  unit  frequency  source',
        '2014-10-01  17703.7  2015-03-27  GDP              Q',
        '2014-07-01  17599.8  2014-12-23  GDP              Q',
      ],
    ],
  ])('a table fits into %i columns', async (columns, lines) => {
    expect(await onTerminal(['obs', 'GDP'], columns, { NO_COLOR: '1' })).toMatchObject({ code: 0, lines });
  });

  it('the header is bold unless colours are turned off', async () => {
    const [heading = ''] = (await onTerminal(['ping'], 120)).lines;
    expect(heading.replace('\u001B[1m', '<').replace('\u001B[22m', '>')).toMatch(
      /^<status .*vintage_access>$/,
    );
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
      expect((await onTerminal(['ping'], 120, env)).text).not.toContain('\u001B');
    expect((await onTerminal(['ping', '--no-color'], 120)).text).not.toContain('\u001B');
  });

  it('an answer without rows reads so, with the reason', async () => {
    const { code, lines } = await onTerminal(['obs', 'GDP', '--to', '1990-01-01'], 80, { NO_COLOR: '1' });
    expect(code).toBe(0);
    expect(lines.slice(1)).toEqual(['asof: no rows: GDP begins on 2014-07-01']);
  });

  it('a plan without a limit reads unlimited', async () => {
    expect((await onTerminal(['ping'], 120)).text).toContain('unlimited');
  });

  it('a table cuts titles before ids, which people copy', async () => {
    const id = 'ANIDOFTWENTYLETTERSX';
    const titles = `series_id,title,units,frequency,seasonal_adjustment,source\n${id},${'Long title '.repeat(9)},,,,\n`;
    const files = [
      folder.write('ids.csv', statements([`${id},2020-01-01,2020-02-01,1`])),
      folder.write('long-titles.csv', titles),
    ];
    await onTerminal(['import', ...files], 80);
    const { lines } = await onTerminal(['series', 'search', id, '--no-color'], 80);
    expect(lines[1]).toContain(`${id}  Long`);
    expect(lines[1]).toContain('…');
  });

  it('the description of a series is a card, with the whole title', async () => {
    const { lines } = await onTerminal(['series', 'show', 'GDP', '--no-color'], 80);
    expect(lines[0]).toMatch(/^id: +GDP$/);
    expect(lines).toContainEqual(expect.stringMatching(/^first_vintage: +2014-10-30$/));
    expect((await onTerminal(['series', 'show', 'GDP', '--csv'], 80)).lines[0]).toMatch(/^id,title,units,/);
  });

  it('a table shows a screenful and says how many more rows there are', async () => {
    const { lines } = await onTerminal(['obs', 'LONG'], 120);
    expect(lines).toHaveLength(102);
    expect(lines.at(-1)).toBe('asof: 2,400 more rows; --all shows all, --limit N at most N');
  });

  it('requested csv has all rows', async () => {
    expect((await onTerminal(['obs', 'LONG', '--csv'], 120)).lines).toHaveLength(2501);
  });

  it('foreign control characters are never printed', async () => {
    const title = folder.write(
      'titles.csv',
      'series_id,title,units,frequency,seasonal_adjustment,source\nEVIL,"a\u001B]0;owned\u0007b",,,,\n',
    );
    const facts = folder.write('evil.csv', statements(['EVIL,2020-01-01,2020-02-01,1']));
    await onTerminal(['import', facts, title], 120);
    const { text } = await onTerminal(['series', 'show', 'EVIL', '--no-color'], 120);
    expect(text).toContain('a␛]0;owned␇b');
    expect(text).not.toContain('\u001B');
  });
});
