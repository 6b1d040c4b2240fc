import { existsSync, readdirSync } from 'node:fs';
import { spawn } from 'node-pty';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { asof, statements } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { startService } from '../../support/modes.ts';
import { builtProgram } from '../../support/repository.ts';
import { serve } from '../../support/service-double.ts';

// Processes are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = newFolder();
let [facts, store] = ['', ''];
beforeAll(async () => {
  const lines: string[] = [];
  for (let series = 0; series < 60; series += 1)
    for (let day = 0; day < 9000; day += 1) {
      const date = new Date(Date.UTC(2000, 0, 1 + day)).toISOString().slice(0, 10);
      lines.push(`S${series},${date},2025-01-01,${day}.5`);
    }
  facts = folder.write('facts of many days.csv', statements(lines));
  store = folder.path('small.db');
  const few = statements(lines.filter((_, i) => i % 9000 < 3000));
  const { code, err } = await asof(['import', folder.write('few.csv', few), '--store', store]);
  if (code !== 0) throw new Error(err);
});

const columns = 66;

/** The lines that a terminal shows after it received a text. */
function screen(text: string): string[] {
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
  return rows;
}

/** The lines of progress, each as it was when the next one erased it. */
function progressLines(text: string): string[] {
  return text
    .split('\r\u001B[K')
    .slice(1, -1)
    .filter((line) => line !== '' && !line.includes('\n'));
}

/** Runs the built command on a terminal; with `stopAt` Ctrl-C is typed as soon as it is shown. */
async function onTerminal(
  line: readonly string[],
  { stopAt, env = {} }: { readonly stopAt?: RegExp; readonly env?: Record<string, string> } = {},
) {
  // The last output of a process is lost unless something keeps the pseudo-terminal open; the shell outlives Ctrl-C.
  const held = ['-c', 'trap : INT; "$@"; code=$?; sleep 0.2; exit $code', 'sh'];
  const pty = spawn('sh', [...held, process.execPath, builtProgram, ...line], {
    cols: columns,
    rows: 40,
    env: { PATH: process.env.PATH ?? '', HOME: folder.path('home'), TERM: 'xterm', ...env },
  });
  let [text, stopped, soon] = ['', 0, true];
  pty.onData((data) => {
    text += data;
    if (stopAt === undefined || stopped > 0 || !stopAt.test(text)) return;
    stopped = performance.now();
    pty.write('\u0003');
  });
  const code = await new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  if (stopAt !== undefined) soon = stopped > 0 && performance.now() - stopped < 3000;
  return { code, soon, text, left: screen(text).filter((row) => row !== '') };
}

const drafts = () => readdirSync(folder.path('.')).filter((name) => /\.part$|\.new-|^new\./.test(name));

describe('long work on a real terminal', () => {
  it('shows an import within the width, with rate and time left, and leaves only the summary', async () => {
    const { code, text, left } = await onTerminal(['import', facts, '--store', folder.path('whole.db')]);
    expect(code).toBe(0);
    const lines = progressLines(text);
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(line.length).toBeLessThan(columns);
    expect(
      lines.some((line) => /^\[[#.]{20}\] [\d.]+ of 17\.\d MB, [\d.]+ MB\/s, \d+ s left/.test(line)),
    ).toBe(true);
    expect(left.join('')).toMatch(/^\S+ of many days.csv: asof-csv, 60 series, 60 vintages, 540,000 new/);
    expect(left.join('\n')).not.toContain(' left');
  });

  it('Ctrl-C ends an import at once: 130, the line gone, nothing imported', async () => {
    const line = ['import', facts, '--store', folder.path('new.db')];
    const { code, soon, left } = await onTerminal(line, { stopAt: /MB\/s/ });
    expect({ code, soon, left }).toEqual({
      code: 130,
      soon: true,
      left: ['asof: stopped; nothing was imported'],
    });
    expect(drafts()).toEqual([]);
  });

  it.each(['parquet', 'csv'])(
    'Ctrl-C ends an export to %s at once: 130, the line gone, no half file',
    async (format) => {
      const file = folder.path(`export.${format}`);
      // The service is slow, so that the progress is shown.
      const { url, key, stop } = await slowService();
      const line = ['obs', 'S1', 'S2', 'S3', '-o', file, '--base-url', url];
      const { code, soon, left } = await onTerminal(line, {
        stopAt: /of 3 series/,
        env: { ASOF_API_KEY: key },
      });
      await stop();
      expect({ code, soon, left }).toEqual({ code: 130, soon: true, left: [] });
      expect([existsSync(file), drafts()]).toEqual([false, []]);
    },
  );

  it('Ctrl-C ends a panel at once: 130, the line gone, no half file', async () => {
    const { url, key, stop } = await slowService();
    const file = folder.path('panel.csv');
    const line = ['panel', 'S1', 'S2', 'S3', 'S4', 'S5', '-o', file, '--base-url', url];
    const { code, soon, left } = await onTerminal(line, {
      stopAt: /requests\/s/,
      env: { ASOF_API_KEY: key },
    });
    await stop();
    expect({ code, soon, left }).toEqual({ code: 130, soon: true, left: [] });
    expect([existsSync(file), drafts()]).toEqual([false, []]);
  });

  it('says nothing into a pipe', async () => {
    const line = `"$0" "$1" import "$2" --store "$3" 2>&1 >/dev/null | cat`;
    const words = ['sh', '-c', line, process.execPath, builtProgram, facts, folder.path('piped.db')];
    const pty = spawn('/usr/bin/env', words, { cols: 200, env: { PATH: process.env.PATH ?? '' } });
    let text = '';
    pty.onData((data) => {
      text += data;
    });
    await new Promise<void>((resolve) => pty.onExit(() => resolve()));
    expect(text).not.toContain('\u001B');
    expect(text).toMatch(/many days\.csv: asof-csv/);
  });
});

/** The service of the small store, which takes a fifth of a second for each answer. */
async function slowService() {
  const { url, key, stop } = await startService({ openStore: () => openStore(store) });
  const slow = await serve((request, response) => {
    setTimeout(async () => {
      const headers = { 'X-API-Key': key };
      const answer = await fetch(`${url}${request.url}`, { headers });
      response
        .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
        .end(await answer.text());
    }, 200);
  });
  return { url: slow.url, key, stop };
}
