import { cpSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { samplePath } from '../../../src/platform/installation.ts';
import { asof, importedStore } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { digestOf } from '../../support/scratch-store.ts';

const folder = newFolder();
const store = await importedStore(folder);

describe('asof store info', () => {
  it('says what a store holds, in one row', async () => {
    const { code, out } = await asof(['store', 'info', '--json', '--store', store]);
    expect(code).toBe(0);
    // GDP has six statements, GDPC1 and UNRATE one each, LONG 2500.
    expect(JSON.parse(out).results).toEqual([
      expect.objectContaining({
        store,
        engine: 'SQLite',
        sample: false,
        series: 4,
        described: 0,
        facts: 2508,
        first_vintage: '2014-10-30',
        last_vintage: '2020-06-30',
        least_covered_to: '2015-01-09',
        covered_to: '2020-06-30',
        par_rates: 0,
        par_covered_to: null,
        filings: 0,
        imports: 1,
        followed: 0,
      }),
    ]);
  });

  it('is a line for each field on a terminal, whose width does not matter', async () => {
    const { out } = await asof(['store', 'info', '--store', store, '--no-color'], {
      stdoutIsTerminal: true,
      columns: 40,
    });
    const lines = out.split('\n');
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^engine: +SQLite$/)]));
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^last_import: +2026-03-15T/)]));
  });

  it('names the sample where there is no store', async () => {
    const { out } = await asof(['store', 'info', '--csv', '--no-header', '--columns', 'sample']);
    expect(out).toBe('true\n');
  });
});

describe('asof store check', () => {
  it('exits with 0 for a store without a fault, and says what it read', async () => {
    const { code, out, err } = await asof(['store', 'check', '--store', store]);
    expect({ code, out, err }).toEqual({
      code: 0,
      out: '',
      err: 'asof: checked 4 series with 2,508 changes: no fault\n',
    });
  });

  it('exits with 10 where there is no store', async () => {
    const { code, err } = await asof(['store', 'check', '--store', folder.path('none.db')]);
    expect(code).toBe(10);
    expect(err).toContain('no such file');
  });
});

describe('asof store copy', () => {
  it('without a terminal wants --yes', async () => {
    const copy = folder.path('refused.db');
    const { code, err } = await asof(['store', 'copy', store, copy]);
    expect(code).toBe(2);
    expect(err).toContain('--yes goes on without asking');
    expect(folder.has('refused.db')).toBe(false);
  });

  it('says what the copy holds', async () => {
    const copy = folder.path('copy.db');
    const { code, err } = await asof(['store', 'copy', store, copy, '--yes']);
    expect(err).toMatch(
      /copy\.db holds 4 series, 2,508 facts, 0 rates, 0 trades, 1 entry of the log\nasof: read again and compared: sha256 [0-9a-f]{64}\n$/,
    );
    expect(code).toBe(0);
  });

  it('counts in a dry run, and writes nothing', async () => {
    const { code, err } = await asof(['store', 'copy', store, folder.path('dry.db'), '--dry-run']);
    expect(err).toMatch(/^asof: dry run: \S+dry\.db would hold 4 series, 2,508 facts/);
    expect(code).toBe(0);
    expect(folder.has('dry.db')).toBe(false);
  });
});

describe('asof store backup', () => {
  it('replaces a file only with --yes, and takes no address of a database', async () => {
    const backup = folder.path('backup.db');
    expect((await asof(['store', 'backup', backup, '--store', store])).code).toBe(0);
    const refused = await asof(['store', 'backup', backup, '--store', store]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(`replace ${backup}`);
    expect((await asof(['store', 'backup', backup, '--store', store, '--yes'])).code).toBe(0);
    const database = await asof(['store', 'backup', 'postgres://localhost/x', '--store', store]);
    expect(database.err).toContain('`asof store copy` copies into a database');
    expect(database.code).toBe(2);
  });
});

describe('asof store backup --keep', () => {
  it('says what the new file holds and what it removed, without a question', async () => {
    const place = folder.path('dated.db');
    const line = ['store', 'backup', place, '--keep', '1', '--store', store];
    expect((await asof(line)).err).toMatch(
      /^asof: \S+dated-2026-03-15T120000Z\.db holds 4 series, .*\nasof: read again .*\n$/,
    );
    expect((await asof([...line, '--dry-run'])).err).toMatch(
      /^asof: dry run: \S+Z-2\.db would hold .*\nasof: would remove \S+dated-2026-03-15T120000Z\.db\n$/,
    );
    const { code, err } = await asof(line);
    expect(err).toMatch(/ holds .*\n.*\nasof: removed \S+dated-2026-03-15T120000Z\.db\n$/);
    expect(code).toBe(0);
    expect(folder.has('dated-2026-03-15T120000Z-2.db')).toBe(true);
  });

  it.each(['0', '-1', 'all', '1.5'])('refuses to keep %s', async (count) => {
    const { code, err } = await asof([
      'store',
      'backup',
      folder.path('x.db'),
      `--keep=${count}`,
      '--store',
      store,
    ]);
    expect(err).toContain(`--keep ${JSON.stringify(count)}: use an integer of at least 1`);
    expect(code).toBe(2);
  });
});

describe('asof store restore', () => {
  const backup = folder.path('whole.db');
  const own = folder.path('restored.db');
  const line = ['store', 'restore', backup, '--store', own];

  it('makes a store where there is none, and replaces one only with --yes', async () => {
    await asof(['store', 'backup', backup, '--store', store]);
    const dry = await asof([...line, '--dry-run']);
    expect([dry.code, dry.err]).toEqual([
      0,
      expect.stringMatching(/^asof: dry run: \S+restored\.db would hold 4 series/),
    ]);
    expect(folder.has('restored.db')).toBe(false);
    expect(await asof(line)).toMatchObject({
      code: 0,
      err: expect.stringContaining('restored.db holds 4 series'),
    });
    expect(await asof(['series', 'rm', 'GDP', '--yes', '--store', own])).toMatchObject({ code: 0 });
    const refused = await asof(line);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(`replace ${own} by ${backup}`)]);
    expect((await asof([...line, '--yes'])).code).toBe(0);
    expect((await asof(['series', 'show', 'GDP', '--store', own])).code).toBe(0);
  });

  it('refuses a damaged backup with exit code 10, and leaves the store alone', async () => {
    const damaged = folder.path('damaged.db');
    cpSync(backup, damaged);
    truncateSync(damaged, 20_480);
    const before = await asof(['facts', 'GDP', '--store', own]);
    const { code, err } = await asof(['store', 'restore', damaged, '--store', own, '--yes']);
    expect([code, err]).toEqual([10, expect.stringMatching(/damaged\.db.* is damaged/)]);
    expect(await asof(['facts', 'GDP', '--store', own])).toEqual(before);
    expect(before.code).toBe(0);
  });

  it('restores no database as a file', async () => {
    const { code, err } = await asof(['store', 'restore', 'postgres://localhost/x', '--store', own, '--yes']);
    expect([code, err]).toEqual([2, expect.stringContaining('`asof store copy` copies from a database')]);
  });
});

describe('asof store undo', () => {
  const own = folder.path('undo.db');
  const imported = (name: string, line: string) =>
    asof(['import', folder.write(name, `series_id,date,as_of_date,value\n${line}\n`), '--store', own, '-q']);

  it('lists the imports, says what it would take back, and takes it back with --yes', async () => {
    await imported('first.csv', 'GDP,2014-10-01,2015-01-30,1');
    await imported('second.csv', 'GDP,2014-10-01,2015-02-27,2');
    const list = await asof([
      'store',
      'undo',
      '--list',
      '--csv',
      '--columns',
      'import,files',
      '--store',
      own,
    ]);
    expect(list.out).toBe(`import,files\n2,${folder.path('second.csv')}\n1,${folder.path('first.csv')}\n`);
    const refused = await asof(['store', 'undo', '--store', own]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('take back import 2 of 2026-03-15T12:00:00.000Z');
    const dry = await asof(['store', 'undo', '1', '--dry-run', '--store', own]);
    expect(dry.code).toBe(2);
    expect(dry.err).toContain('later imports are about the same:\n  import 2: GDP\n');
    const undone = await asof(['store', 'undo', '--yes', '--store', own]);
    expect(undone.err).toMatch(
      /^asof: took back import 2 of \S+ \(\S+second\.csv\): 1 series of \S+undo\.db\n$/,
    );
    expect(
      (await asof(['obs', 'GDP', '--csv', '--no-header', '--columns', 'value', '--store', own])).out,
    ).toBe('1\n');
  });

  it('of a dry run prints what would change as rows, and writes nothing', async () => {
    await imported('third.csv', 'CPI,2014-10-01,2015-02-27,2');
    const dry = await asof(['store', 'undo', '--dry-run', '--csv', '--store', own]);
    expect(dry.out).toBe(
      'subject,goes,vintages,removed,restored,first_date,last_date\nCPI,true,1,1,0,2014-10-01,2014-10-01\n',
    );
    expect(dry.err).toMatch(/^asof: dry run: would take back import 3 of /);
    expect((await asof(['obs', 'CPI', '--csv', '--store', own])).code).toBe(0);
    const wrong = await asof(['store', 'undo', '--yes', '--columns', 'x', '--store', own]);
    expect(wrong.err).toContain("unknown column 'x'");
    expect((await asof(['obs', 'CPI', '--csv', '--store', own])).code).toBe(0);
    const undone = await asof(['store', 'undo', '--yes', '--csv', '--store', own]);
    expect(undone.out).toBe(dry.out);
    expect((await asof(['obs', 'CPI', '--csv', '--store', own])).code).toBe(3);
  });

  it('says that a store is empty, and how the sample answers again', async () => {
    const env = { HOME: folder.path('emptied') };
    await asof(['import', folder.path('first.csv'), '-q'], { env });
    const path = join(env.HOME, '.local/share/asof/asof.db');
    expect((await asof(['store', 'undo', '--yes'], { env })).err).toMatch(
      new RegExp(
        `: 1 series of ${path}\nasof: ${path} is empty now\nasof: while it exists, the shipped sample does not answer: remove the file`,
      ),
    );
    await asof(['import', folder.path('first.csv'), '--store', own, '-q']);
  });

  it('exits with 3 for an import that is not there, and with 2 for a number that is none', async () => {
    expect((await asof(['store', 'undo', '99', '--yes', '--store', own])).code).toBe(3);
    const wrong = await asof(['store', 'undo', 'last', '--yes', '--store', own]);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('import "last": use the number that `asof store undo --list` shows');
  });
});

describe('without a store', () => {
  const env = { HOME: folder.path('none') };

  it.each([
    [['store', 'undo', '--yes']],
    [['series', 'rm', 'GDP', '--yes']],
    [['series', 'rename', 'GDP', 'X', '--dry-run']],
  ])('%j says that the sample is read-only', async (line) => {
    const { code, err } = await asof(line, { env });
    expect(code).toBe(10);
    expect(err).toContain('asof: you have no store yet');
    expect(err).toContain('the shipped sample, which answers without one, is read-only');
  });

  it('asof store merge makes one, and says that it replaces the sample', async () => {
    const { code, err } = await asof(['store', 'merge', store, '--yes'], { env });
    expect(code).toBe(0);
    expect(err).toContain('it replaces the shipped sample from now on\n');
  });

  it('asof changes the sample by no command that names it', async () => {
    const before = digestOf(samplePath());
    for (const line of [
      ['store', 'undo'],
      ['series', 'rm', 'GDP'],
      ['store', 'merge', store],
    ]) {
      const { code, err } = await asof([...line, '--yes', '--store', samplePath()], { env });
      expect(code).toBe(2);
      expect(err).toContain('is the sample that asof ships, which is read-only');
    }
    expect(digestOf(samplePath())).toBe(before);
  });
});

describe('asof store merge and asof series', () => {
  it('change a store only with --yes where there is no terminal', async () => {
    const other = folder.path('other.db');
    await asof(['store', 'copy', store, other, '--yes', '-q']);
    for (const line of [
      ['store', 'merge', store],
      ['series', 'rename', 'GDP', 'X'],
      ['series', 'rm', 'GDP'],
    ]) {
      const { code, err } = await asof([...line, '--store', other]);
      expect(code).toBe(2);
      expect(err).toContain('--yes goes on without asking');
      expect((await asof([...line, '--store', other, '--dry-run'])).code).toBe(0);
    }
    const merged = await asof(['store', 'merge', store, '--store', other, '--yes']);
    expect(merged.err).toContain('4 series, 9 vintages, 0 new statements, 2,508 known');
    expect((await asof(['series', 'rename', 'gdp', 'x', '--store', other, '--yes'])).err).toContain(
      'asof: renamed GDP, 6 facts in 6 vintages, to X in ',
    );
    expect((await asof(['series', 'rm', 'x', '--store', other, '--yes'])).err).toContain(
      'asof: removed X, 6 facts in 6 vintages, from ',
    );
    expect((await asof(['series', 'rm', 'x', '--store', other, '--yes'])).code).toBe(3);
  });
});
