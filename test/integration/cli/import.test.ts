import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { asof, linesOf, statements } from '../../support/command.ts';
import { type Folder, newFolder } from '../../support/folders.ts';

// The commands do real work, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let folder: Folder;
let store = '';
let gdp = '';
beforeEach(() => {
  folder = newFolder();
  store = folder.path('store.db');
  gdp = folder.write(
    'gdp.csv',
    statements(['GDP,2014-10-01,2015-01-30,17710.7', 'GDP,2014-10-01,2015-02-27,']),
  );
});

const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

describe('an import', () => {
  it('prints its counts and that it made a store; the second time, that all was known', async () => {
    expect(await asof(['import', gdp, '--store', store])).toEqual({
      code: 0,
      out: '',
      err: `${gdp}: asof-csv, 1 series, 2 vintages, 2 new statements (1 withdrawal), 0 known\nmade a new store: ${store}\n`,
    });
    expect((await asof(['import', gdp, '--store', store])).err).toMatch(
      /, 0 new statements, 2 known\nstore: /,
    );
  });

  it('of a terminal says how to end the input, and of a pipe does not', async () => {
    const said = async (isTTY: boolean) => {
      const stdin = Object.assign(Readable.from([readFileSync(gdp)]), { isTTY });
      return (await asof(['import', '-', '--dry-run', '--store', store], { stdin })).err;
    };
    expect(await said(true)).toMatch(
      /^asof: reading the terminal; end the input with Ctrl-D\nstandard input: /,
    );
    expect(await said(false)).toMatch(/^standard input: /);
  });

  it('is silent with -q', async () => {
    expect(await asof(['import', gdp, '-q', '--store', store])).toEqual({ code: 0, out: '', err: '' });
  });

  it('sums up several files', async () => {
    const other = folder.write('unrate.csv', statements(['UNRATE,2014-12-01,2015-01-09,5.6']));
    const { err } = await asof(['import', gdp, other, '--store', store]);
    expect(linesOf(err).at(-2)).toBe('2 files: 3 new statements (1 withdrawal), 0 known');
  });

  it('into the user’s own place says that the sample no longer answers', async () => {
    const env = { HOME: folder.path('home') };
    const { code, err } = await asof(['import', gdp], { env });
    expect(code).toBe(0);
    expect(err).toContain(`made a new store: ${env.HOME}/.local/share/asof/asof.db\n`);
    expect(err).toContain('it replaces the shipped sample from now on (--with-sample');
    const { out } = await asof(['series', 'search', '--columns', 'id', '--no-header'], { env });
    expect(out).toBe('GDP\n');
    expect((await asof(['import', gdp], { env })).err).not.toContain('sample');
  });

  it('with --dry-run prints its counts, and writes nothing', async () => {
    const { code, err } = await asof(['import', gdp, '--dry-run', '--store', store]);
    expect(code).toBe(0);
    expect(err).toContain('2 new statements');
    expect(err).toContain(`dry run: nothing was written to ${store}\n`);
    expect(readdirSync(folder.path('.'))).toEqual(['gdp.csv']);

    await asof(['import', gdp, '--store', store]);
    const before = hash(store);
    const more = folder.write('more.csv', statements(['GDP,2014-10-01,2015-03-27,17703.7']));
    expect((await asof(['import', more, '--dry-run', '--store', store])).err).toContain('1 new statement');
    expect(hash(store)).toBe(before);
    expect((await asof(['obs', 'GDP', '--store', store, '--no-header'])).out).toBe('');
  });

  it('is listed by --log with its sha256', async () => {
    await asof(['import', gdp, '--store', store]);
    const { out } = await asof(['import', '--log', '--store', store]);
    expect(linesOf(out)).toEqual([
      'imported_at,kind,statements_new,statements_known,withdrawn,sha256,file',
      `2026-03-15T12:00:00.000Z,asof-csv,2,0,1,${hash(gdp)},${gdp}`,
    ]);
  });

  it('with conflicts is refused as a whole, with every conflict listed', async () => {
    await asof(['import', gdp, '--store', store]);
    const before = hash(store);
    const other = folder.write(
      'other.csv',
      statements([
        'GDP,2014-10-01,2015-01-30,1',
        'GDP,2014-10-01,2015-02-27,2',
        'NEW,2014-10-01,2015-02-27,3',
      ]),
    );
    const { code, err } = await asof(['import', other, '--store', store]);
    expect(code).toBe(2);
    expect(err).toMatch(
      /^asof: 2 conflicts; nothing was imported:\n.*2015-01-30: 1, against 17710\.7\n.*2, against withdrawn\n/,
    );
    expect(hash(store)).toBe(before);
    expect((await asof(['import', other, '--replace', '--store', store])).code).toBe(0);
    expect((await asof(['obs', 'GDP', '--columns', 'value', '--no-header', '--store', store])).out).toBe(
      '2\n',
    );
  });

  it.each<readonly [why: string, flags: readonly string[], code: number, said: string]>([
    ['a file that is not there', ['none.csv'], 10, 'none.csv'],
    ['a kind that there is not', ['gdp.csv', '--kind', 'excel'], 2, 'excel'],
    [
      'a day that there is not',
      ['gdp.csv', '--as-of', '2015-02-30'],
      2,
      '--as-of "2015-02-30": there is no such date',
    ],
    [
      'an id that none can be',
      ['gdp.csv', '--series', '='],
      2,
      '--series "=": not a series id: use at most 80 letters, digits',
    ],
    ['half a renaming', ['gdp.csv', '--id', 'GDP'], 2, '--id "GDP": use OLD=NEW'],
    [
      'a flag of another kind of file',
      ['gdp.csv', '--as-of', 'today'],
      2,
      '--as-of does not apply to asof-csv',
    ],
  ])('of %s is refused and makes no store', async (_, [file = '', ...flags], code, said) => {
    const ended = await asof(['import', folder.path(file), ...flags, '--store', store]);
    expect({ code: ended.code, out: ended.out }).toEqual({ code, out: '' });
    expect(ended.err).toContain(said);
    expect(readdirSync(folder.path('.'))).toEqual(['gdp.csv']);
  });

  it('into an impossible path exits with 10, not as a bug', async () => {
    const { code, err } = await asof(['import', gdp, '--store', `${gdp}/store.db`]);
    expect(code).toBe(10);
    expect(err).toMatch(/^asof: /);
    expect(err).not.toContain('bug');
  });

  it('that is stopped before its end leaves the store as it was', async () => {
    await asof(['import', gdp, '--store', store]);
    const before = hash(store);
    const stop = new AbortController();
    mkdirSync(folder.path('many'));
    folder.write('many/a.csv', statements(['GDP,2014-10-01,2015-03-27,17703.7']));
    setImmediate(() => stop.abort('SIGTERM'));
    const { code } = await asof(['import', folder.path('many'), '--store', store], { signal: stop.signal });
    expect(code).toBe(143);
    expect(hash(store)).toBe(before);
    expect(readdirSync(folder.path('.')).sort()).toEqual(['gdp.csv', 'many', 'store.db']);
  });
});
