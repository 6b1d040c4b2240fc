import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { spawn } from 'node-pty';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, readStore } from '../../../src/store/open.ts';
import { importedStore, statements } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { type Running, startService } from '../../support/modes.ts';
import { builtProgram } from '../../support/repository.ts';
import { proxyOf } from '../../support/service-double.ts';

const folder = newFolder();
let [facts, few, store] = ['', '', ''];
let service: Running;
beforeAll(async () => {
  store = await importedStore(folder);
  service = await startService({ openStore: () => openStore(store) });
  const lines: string[] = [];
  for (let series = 0; series < 60; series += 1)
    for (let day = 0; day < 9000; day += 1) {
      const date = new Date(Date.UTC(2000, 0, 1 + day)).toISOString().slice(0, 10);
      lines.push(`S${series},${date},2025-01-01,${day}.5`);
    }
  facts = folder.write('facts of many days.csv', statements(lines));
  few = folder.write('facts of few days.csv', statements(lines.filter((_, i) => i % 9000 < 4000)));
});

afterAll(() => service.stop());

/** The lines that a terminal of `columns` columns shows after it received a text. */
function screen(text: string, columns: number): string[] {
  const rows = [''];
  let column = 0;
  for (let i = 0; i < text.length; i += 1) {
    const row = rows.at(-1) ?? '';
    if (text.startsWith('\u001B[K', i)) {
      rows[rows.length - 1] = row.slice(0, column);
      i += 2;
    } else if (text[i] === '\r') column = 0;
    else if (text[i] === '\n') rows.push('');
    else if (column === columns) {
      // A terminal starts the next line only when another character follows.
      rows.push(text[i] ?? '');
      column = 1;
    } else {
      rows[rows.length - 1] = row.slice(0, column).padEnd(column) + text[i] + row.slice(column + 1);
      column += 1;
    }
  }
  return rows.filter((row) => row !== '');
}

type Setting = {
  /** How the shell runs the command. */
  readonly script?: string;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Ctrl-C, or `typed`, is typed as soon as this is shown. */
  readonly stopAt?: RegExp;
  readonly typed?: string;
};

/** Runs the built command on a terminal. */
async function onTerminal(line: readonly string[], setting: Setting = {}) {
  const { script = '"$@"', columns = 66, env = {}, stopAt, typed = '\u0003' } = setting;
  // The last output of a process is lost unless something keeps the pseudo-terminal open; the shell outlives Ctrl-C.
  const held = `trap : INT; ${script}; code=$?; sleep 0.2; exit $code`;
  const pty = spawn('sh', ['-c', held, 'sh', process.execPath, builtProgram, ...line], {
    cols: columns,
    rows: 40,
    env: { PATH: process.env.PATH ?? '', HOME: folder.path('home'), TERM: 'xterm', ...env },
  });
  let [text, stopped] = ['', 0];
  pty.onData((data) => {
    text += data;
    if (stopAt === undefined || stopped > 0 || !stopAt.test(text)) return;
    stopped = performance.now();
    pty.write(typed);
  });
  const code = await new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  const soon = stopped > 0 && performance.now() - stopped < 10_000;
  return { code, soon, text, left: screen(text, columns) };
}

/** Exports from a service that is slow, so that progress is shown. */
async function exportSlowly(words: string, file: string, setting: Setting) {
  const { url } = await proxyOf(service, () => delay(250));
  const line = [...words.split(' '), '-o', folder.path(file), '--base-url', url];
  return onTerminal(line, { ...setting, env: { ASOF_API_KEY: service.key } });
}

const drafts = () => readdirSync(folder.path('.')).filter((name) => /\.part$|\.new-|^new\./.test(name));

describe('a terminal', () => {
  it('gets a table that fits into its width', async () => {
    const setting = { columns: 40, env: { NO_COLOR: '1' } };
    const { code, text } = await onTerminal(['obs', 'GDP', '--store', store], setting);
    const lines = [
      'series_id: GDP  frequency: Q',
      'date          value  as_of_date  unit',
      '2014-10-01  17703.7  2015-03-27',
      '2014-07-01  17599.8  2014-12-23',
      'asof: the terminal is too narrow for',
      '      source; choose with --columns',
      'asof: GDP is covered to 2015-03-27',
    ];
    expect([code, text]).toEqual([0, lines.map((line) => `${line}\r\n`).join('')]);
  });

  it('gets messages whose lines are broken between words, but no word is broken', async () => {
    const path = `/nowhere/${'long-'.repeat(12)}name.db`;
    const { code, left } = await onTerminal(['obs', 'GDP', '--columns', 'date,vale', '--store', store]);
    expect([code, left]).toEqual([
      2,
      [
        "asof: unknown column 'vale': the columns are date, value,",
        '      as_of_date, series_id, unit, frequency, source',
        '      did you mean value?',
      ],
    ]);
    const { text } = await onTerminal(['obs', 'GDP', '--store', path]);
    expect(text).toContain(path);
  });

  it('shows an import within its width, with rate and time left, and is left with the summary', async () => {
    const { code, text, left } = await onTerminal(['import', few, '--store', folder.path('whole.db')]);
    expect(code).toBe(0);
    const shown = text.split('\r\u001B[K').slice(1, -1);
    const lines = shown.filter((line) => line !== '' && !line.includes('\n'));
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(line.length).toBeLessThan(66);
    expect(
      lines.some((line) => /^\[[#.]{20}\] [\d.]+ of \d\.\d MB, [\d.]+ MB\/s, \d+ s left/.test(line)),
    ).toBe(true);
    expect(left.join('').replace(/ +/g, ' ')).toMatch(
      /^\S+ of few days.csv: asof-csv, 60 series, 60 vintages, 240,000 new/,
    );
    expect(left.join('\n')).not.toContain(' left');
  });
});

describe('a pager', () => {
  const show = (words: string, env: Readonly<Record<string, string>>, more: Setting = {}) =>
    onTerminal([...words.split(' '), '--store', store], { ...more, env: { NO_COLOR: '1', ...env } });

  it('shows every row of a query, and the notes follow when the user has left it', async () => {
    const { code, left } = await show('obs LONG', { PAGER: 'sed s/^/page:/; sleep 0.3' });
    expect([code, left.length]).toEqual([0, 2503]);
    expect(left.slice(0, 3)).toEqual([
      'page:as_of_date: 2020-06-30  series_id: LONG  frequency: D',
      'page:date          value  unit  source',
      'page:2016-11-04  2499.25',
    ]);
    expect(left.at(-1)).toBe('asof: LONG is covered to 2020-06-30');
  });

  it.each<readonly [title: string, env: Readonly<Record<string, string>>]>([
    ['named by no variable', {}],
    ['of the name cat', { PAGER: 'cat' }],
    ['cat of asof itself', { PAGER: 'echo paged', ASOF_PAGER: 'cat' }],
  ])('%s shows nothing: the screen has the first and the last rows', async (_, env) => {
    const { code, left } = await show('obs LONG', env);
    // The terminal has 40 lines.
    expect([code, left.length]).toEqual([0, 35]);
    expect(left.join('\n')).toContain('\n2010-01-01     0.25\nasof: 2,470 more rows; --all shows all');
  });

  it('gets what less needs to end by itself, unless the user has chosen', async () => {
    const pager = { PAGER: 'cat >/dev/null; echo "[$LESS]"' };
    expect((await show('obs GDP -q', pager)).left).toEqual(['[FRX]']);
    expect((await show('obs GDP -q', { ...pager, LESS: '-S' })).left).toEqual(['[-S]']);
    expect((await show('obs GDP -q', { PAGER: 'less' })).text).toContain('2014-07-01  17599.8');
  });

  it('may be left early, like any reader', async () => {
    const { code, left } = await show('obs LONG -q --json', { PAGER: 'head -n 1' });
    expect([code, left]).toEqual([0, ['{']]);
  });

  it.each(['obs LONG --plot', 'series show LONG --columns id -o -', 'obs NOPE'])(
    'starts only for rows: asof %s',
    async (words) => {
      const { text } = await show(words, { PAGER: 'sed s/^/page:/' });
      expect(text.includes('page:')).toBe(words.includes('show'));
    },
  );

  it('does not start where stdout is no terminal', async () => {
    const { left } = await show('obs GDP -q', { PAGER: 'echo paged' }, { script: '"$@" | cat' });
    expect(left[0]).toBe('date,value,as_of_date,series_id,unit,frequency,source');
  });

  it.each(['no-such-pager -R', '/no/such/pager', '/'])(
    'that cannot be started, %s, is said once, before the whole table',
    async (pager) => {
      const { code, left } = await show('obs LONG', { PAGER: pager }, { columns: 100 });
      expect([code, left.length]).toEqual([0, 2504]);
      expect(left.slice(0, 3)).toEqual([
        `asof: the pager '${pager}' cannot be started; ASOF_PAGER or PAGER names it`,
        'as_of_date: 2020-06-30  series_id: LONG  frequency: D',
        'date          value  unit  source',
      ]);
      expect(left.at(-1)).toBe('asof: LONG is covered to 2020-06-30');
    },
  );

  it('that a shell cannot start leaves the table to stdout', async () => {
    const { code, left } = await show(
      'obs GDP -q --csv',
      { PAGER: 'LESS=R no-such-pager' },
      { columns: 100 },
    );
    expect([code, left[0]]).toEqual([0, expect.stringContaining('no-such-pager')]);
    expect(left[1]).toBe('date,value,as_of_date,series_id,unit,frequency,source');
  });

  it('stays when Ctrl-C is typed, which is for what it shows', async () => {
    const pager = 'trap "" INT; echo shown; cat >/dev/null; sleep 0.5; echo left';
    const { code, left } = await show('obs GDP -q', { PAGER: pager }, { stopAt: /shown/ });
    // 130 if the text was not yet complete.
    expect([0, 130]).toContain(code);
    expect([left[0], left.at(-1)]).toEqual(['shown', expect.stringMatching(/left$/)]);
  });
});

describe('the first import on a terminal', () => {
  /** What the store in a home of that name holds after the import, if the question got this answer. */
  const answered = async (name: string, typed: string, { script = '"$@"', more = [''] } = {}) => {
    const env = { HOME: folder.path(name) };
    const setting = {
      columns: 120,
      script,
      env,
      stopAt: /Begin with a copy of the sample\? \[Y\/n\] /,
      typed,
    };
    const { code, text } = await onTerminal(['import', few, ...more.filter(Boolean)], setting);
    const own = folder.path(`${name}/.local/share/asof/asof.db`);
    const ids = existsSync(own) ? await readStore(own, (view) => view.contents.seriesIds()) : [];
    return {
      code,
      asked: text.includes('[Y/n]'),
      series: ids.length,
      hasSample: ids.includes('GDPC1'),
      text,
    };
  };

  it('asks whether to begin with a copy of the sample, and takes Enter as yes', async () => {
    const yes = await answered('yes', '\r');
    expect(yes).toMatchObject({ code: 0, asked: true, series: 50 + 60, hasSample: true });
    expect(yes.text).not.toContain('instead of the sample');
    const again = await answered('yes', '\r');
    expect(again).toMatchObject({ code: 0, asked: false, series: 50 + 60 });
  });

  it('makes a store of its own after n, and says how to have both', async () => {
    const no = await answered('no', 'n\r');
    expect(no).toMatchObject({ code: 0, asked: true, series: 60, hasSample: false });
    expect(no.text).toContain('asof store merge sample --skip-known adds');
  });

  it('asks again after another answer', async () => {
    const { text, ...again } = await answered('again', 'clear; ls\rn\r');
    expect(again).toMatchObject({ code: 0, asked: true, series: 60, hasSample: false });
    expect(text.match(/\[Y\/n\]/g)).toHaveLength(2);
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('writes nothing after %s', async (key, typed) => {
    const { text, ...stopped } = await answered(key, typed);
    expect(stopped).toMatchObject({ code: 130, asked: true, series: 0 });
    expect(text).toContain('nothing was imported');
  });

  it('does not ask about a file that is missing', async () => {
    const env = { HOME: folder.path('missing') };
    const { code, text } = await onTerminal(['import', 'nope.csv'], { columns: 120, env });
    expect([code, text.includes('[Y/n]')]).toEqual([10, false]);
    expect(text).toContain('nope.csv');
  });

  it.each([
    ['with a pipe', { script: ': | "$@"' }],
    ['into a pipe', { script: '"$@" 2>&1 | cat' }],
    ['with --quiet', { more: ['-q'] }],
    ['in a dry run', { more: ['--dry-run'] }],
    ['for another store', { more: ['--store', folder.path('named.db')] }],
  ])('does not ask %s', async (name, how) => {
    expect(await answered(name, 'n\r', how)).toMatchObject({ code: 0, asked: false, hasSample: false });
  });
});

describe('Ctrl-C on a terminal ends at once with 130, and leaves neither a line nor half a file:', () => {
  it('an import, of which nothing is imported', async () => {
    const line = ['import', facts, '--store', folder.path('new.db')];
    const { code, soon, left } = await onTerminal(line, { stopAt: /MB\/s/ });
    const expected = { code: 130, soon: true, left: ['asof: stopped; nothing was imported'] };
    expect({ code, soon, left }).toEqual(expected);
    expect(drafts()).toEqual([]);
  });

  it('an export to Parquet or CSV, and a panel', async () => {
    const [rows, panel] = ['obs LONG GDP UNRATE', 'panel LONG GDP UNRATE GDPC1'];
    const ended = await Promise.all([
      exportSlowly(rows, 'export.parquet', { stopAt: /of 3 series/ }),
      exportSlowly(rows, 'export.csv', { stopAt: /of 3 series/ }),
      exportSlowly(panel, 'panel.csv', { stopAt: /requests\/s/ }),
    ]);
    for (const one of ended) expect(one).toMatchObject({ code: 130, soon: true, left: [] });
    for (const name of ['export.parquet', 'export.csv', 'panel.csv']) expect(folder.has(name)).toBe(false);
    expect(drafts()).toEqual([]);
  });
});

it('a pipe on a terminal gets no line of progress', async () => {
  const { code, text } = await exportSlowly('obs LONG GDP UNRATE', 'piped.csv', {
    script: '"$@" 2>&1 | cat',
  });
  expect([code, text, folder.has('piped.csv')]).toEqual([0, '', true]);
});
