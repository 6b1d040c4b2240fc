import { describe, expect, it } from 'vitest';
import { asof, importedStore } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

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
