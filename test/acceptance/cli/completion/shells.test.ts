import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { asof, statements } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import { type Prompt, promptOf, type ShellName, shells } from '../../../support/shells.ts';

// Three shells, each of which starts a process at every TAB.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = newFolder();
const store = folder.path('store.db');
const ids = ['GDP', 'GDPC1', 'UNRATE', 'A&B (C):D', 'A&B (C):EFG', 'S P:500', 'NOPE%'];

/** Ids that no store of asof accepts, but that a service may send. */
const hostile = [
  'X1$(touch PWNED)',
  'X2`touch PWNED`',
  'X3;touch PWNED;',
  "X4';touch PWNED;'",
  'X5";touch PWNED;"',
  'X6 !! | touch PWNED',
  'X7\\$(touch PWNED)',
  'X8*?[a]{b,c}~',
  'X9 "a" \'b\' #c',
];

/** A service with a hostile list of series. */
const service = createServer((request, response) => {
  const q = new URL(request.url ?? '', 'http://service').searchParams.get('q') ?? '';
  const results = [...hostile, 'X\u001B[31mRED', 'X\nLINE', 'X\tTAB']
    .filter((id) => id.startsWith(q.toUpperCase()))
    .map((id) => ({
      id,
      title: `${id} \u001B]0;owned\u0007`,
      units: '',
      observation_count: 1,
      last_updated: '2020-01-01T00:00:00Z',
      source: '',
      frequency: 'M',
    }));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      object: 'series_list',
      request_id: 'req_1',
      status: 'ok',
      results,
      results_count: results.length,
      has_more: false,
    }),
  );
});

beforeAll(async () => {
  const facts = folder.write('facts.csv', statements(ids.map((id) => `${id},2020-01-01,2020-02-01,1`)));
  const { code, err } = await asof(['import', facts, '--store', store]);
  if (code !== 0) throw new Error(err);
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  service.close();
});

/** What is typed before TAB, and the words that the command is called with after it. */
const completed: readonly (readonly [typed: string, words: readonly string[]])[] = [
  ['asof rev', ['revisions']],
  ['asof obs', ['observations']],
  ['asof series se', ['series', 'search']],
  ['asof obs gdpc', ['obs', 'GDPC1']],
  ['asof obs GDP unr', ['obs', 'GDP', 'UNRATE']],
  ['asof observations GDP --known-b', ['observations', 'GDP', '--known-before']],
  ['asof obs GDP --as-of to', ['obs', 'GDP', '--as-of', 'today']],
  ['asof obs GDP --format nd', ['obs', 'GDP', '--format', 'ndjson']],
  ['asof obs GDP --format=nd', ['obs', 'GDP', '--format=ndjson']],
  ['asof obs GDP -f nd', ['obs', 'GDP', '-f', 'ndjson']],
  ['asof obs GDP -fnd', ['obs', 'GDP', '-fndjson']],
  ['asof curve --type ti', ['curve', '--type', 'tips']],
  ['asof panel GDP --as-of-each w', ['panel', 'GDP', '--as-of-each', 'week-end']],
  ['asof config set form', ['config', 'set', 'format']],
  ['asof help exit', ['help', 'exit-codes']],
  ['asof help compl', ['help', 'completion']],
  ['asof obs s', ['obs', 'S P:500']],
  ['asof obs "s p:5', ['obs', 'S P:500']],
  ["asof obs 'S P", ['obs', 'S P:500']],
  ['asof obs S\\ P:5', ['obs', 'S P:500']],
  // fish never changes the case of a word with parentheses.
  ['asof obs A\\&B\\ \\(C\\):E', ['obs', 'A&B (C):EFG']],
  ['asof obs "A&B (C):E', ['obs', 'A&B (C):EFG']],
  ['asof import a\\ f', ['import', 'a file.csv']],
  ['asof obs GDP -o a\\ f', ['obs', 'GDP', '-o', 'a file.csv']],
  ['asof obs GDP --output=rep', ['obs', 'GDP', '--output=report.csv']],
  // A word that asof cannot complete stays as it was typed.
  ['asof obs GDP --owner x', ['obs', 'GDP', '--owner', 'x']],
  ['asof obs ZZ', ['obs', 'ZZ']],
];

/**
 * The shells that these tests start: bash, and those that ASOF_SHELLS names, such as `zsh,fish`. A unit test checks the
 * texts of the scripts for the others.
 */
const tested = (Object.keys(shells) as ShellName[]).filter(
  (name) => name === 'bash' || (process.env.ASOF_SHELLS ?? '').split(/[ ,]+/).includes(name),
);

describe.each(tested)('TAB in %s, on a terminal, without settings or packages of completions', (name) => {
  describe('over a store', () => {
    let prompt: Prompt;
    beforeAll(async () => {
      prompt = await promptOf(name, { ASOF_STORE: store }, ['a file.csv', 'report.csv', 'ZZfile', 'xfile']);
    });
    afterAll(() => prompt.close());

    it.each(completed)('%s', async (typed, words) => {
      expect(await prompt.complete(typed)).toEqual(words);
    });

    it('lists the choices, and completes as far as they agree', async () => {
      const list = await prompt.shown('asof obs GDP --format ');
      for (const format of ['table', 'csv', 'tsv', 'json', 'ndjson']) expect(list).toContain(format);
      expect(await prompt.complete('asof obs gd')).toEqual(['obs', 'GDP']);
    });

    it('does not run what is being typed', async () => {
      await prompt.shown('asof obs "$(touch PWNED)" $(touch PWNED) `touch PWNED` GDP');
      expect(prompt.has('PWNED')).toBe(false);
    });
  });
});

describe.each(tested)('TAB in %s, over a hostile service', (name) => {
  describe('the ids that it sends', () => {
    let prompt: Prompt;
    beforeAll(async () => {
      const { port } = service.address() as AddressInfo;
      prompt = await promptOf(name, { ASOF_BASE_URL: `http://127.0.0.1:${port}` });
    });
    afterAll(() => prompt.close());

    it.each(hostile)('%s is one word, and nothing of it runs', async (id) => {
      expect(await prompt.complete(`asof obs ${id.slice(0, 2).toLowerCase()}`)).toEqual(['obs', id]);
      expect(prompt.has('PWNED')).toBe(false);
    });

    it.each(hostile)('%s is one word also after a quote that is open', async (id) => {
      expect(await prompt.complete(`asof obs "${id.slice(0, 2)}`)).toEqual(['obs', id]);
      expect(await prompt.complete(`asof obs '${id.slice(0, 2)}`)).toEqual(['obs', id]);
      expect(prompt.has('PWNED')).toBe(false);
    });

    it('no id or title steers the terminal', async () => {
      const list = await prompt.shown('asof obs X');
      expect(list).toContain('X1');
      for (const foul of ['RED', 'LINE', 'TAB', '\u001B]0;owned']) expect(list).not.toContain(foul);
    });
  });
});
