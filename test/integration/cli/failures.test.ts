import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { asof, importedStore, statements, transcript } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

const folder = newFolder();
const at = folder.path('.');
const store = await importedStore(folder);
const facts = folder.write('some-facts.csv', statements(['A,2020-01-01,2020-02-01,1']));
folder.write('damaged.db', 'SQLite format 3\0 and then nothing that makes sense');
folder.write('notes.txt', 'no store at all, but a text that is long enough to look at');

describe('a failure', () => {
  transcript(
    `
    # of usage exits 2, says so on stderr, and writes nothing to stdout
    $ asof pnig
    ! asof: unknown command 'pnig'
    !       did you mean ping?
    [exit 2]
    $ asof help nothing-of-the-kind
    ! asof: there is no help on 'nothing-of-the-kind'
    !       asof help lists the commands and topics
    [exit 2]

    # is help on stderr where a group lacks its command
    $ asof series
    ! Usage: asof series …
    …
    [exit 2]

    # is none where help was requested, on stdout
    $ asof
    Usage: asof …
    …
    $ asof -h
    Usage: asof …
    …
    $ asof observations --help
    Usage: asof observations…
    …

    # of an unknown series exits 3, and names up to three near ids, nearest first
    $ asof obs gdpx
    ! asof: series 'GDPX' not found
    !       did you mean GDP or GDPC1?
    [exit 3]
    $ asof obs GDP,UNRATE
    ! asof: series 'GDP,UNRATE' not found
    !       these are 2 ids; name them apart: GDP UNRATE
    [exit 3]
    $ asof obs FEDFUNDS NOPE UNRAT T10Y3M GDP
    ! asof: series 'FEDFUNDS' not found
    !       asof pull fred FEDFUNDS brings it; without a key: asof pull fred-md
    !       also not found: NOPE
    !       also not found: UNRAT; did you mean UNRATE?
    !       also not found: T10Y3M; the sample has it: …; asof pull treasury brings it, without a key
    !       --skip-missing leaves out what is not found
    [exit 3]

    # of an unknown ticker names what pulls its filings
    $ asof insider clusters --ticker MSFT
    ! asof: no filing of ticker 'MSFT' is stored
    !       asof pull sec --ticker MSFT brings its filings
    [exit 3]
    $ asof facts unrat
    ! asof: series 'UNRAT' not found
    !       did you mean UNRATE?
    [exit 3]
    $ asof obs CPIAUCSL
    ! asof: series 'CPIAUCSL' not found
    !       the sample has it: --store sample asks it, and asof store merge sample --skip-known adds it to your store
    !       asof pull fred CPIAUCSL brings it; without a key: asof pull fred-md or asof pull rtdsm PCPI, which has it as PCPI
    [exit 3]
    $ asof obs FEDFUNDS
    ! asof: series 'FEDFUNDS' not found
    !       asof pull fred FEDFUNDS brings it; without a key: asof pull fred-md
    [exit 3]
    $ asof panel ROUTPUT CMRMTSPLX --as-of 2020-01-01
    ! asof: series 'ROUTPUT' not found
    !       the store has it under another id: GDPC1
    !       asof pull rtdsm ROUTPUT brings it, without a key
    !       also not found: CMRMTSPLX; asof pull fred-md brings it, without a key
    [exit 3]
    $ asof obs ZZZZZZ
    ! asof: series 'ZZZZZZ' not found
    !       asof series search finds series by words
    [exit 3]
    $ asof obs ''
    ! asof: series '' not found
    !       asof series search finds series by words
    [exit 3]
    $ asof obs XY*
    ! asof: series 'XY*' not found
    !       no series id matches this pattern
    [exit 3]
    # of a mistyped id is one letter away from UNRATE, though many titles begin like it with United
    $ asof series show unrte
    ! asof: series 'UNRTE' not found
    !       did you mean UNRATE?
    [exit 3]
    `,
    () => ({ env: { ASOF_STORE: store } }),
  );
});

describe('with --json stderr is the problem document', () => {
  const problemOf = async (line: string, expected: number) => {
    const { code, out, err } = await asof([...line.split(' '), '--store', store]);
    expect([code, out]).toEqual([expected, '']);
    return JSON.parse(err);
  };

  it('of an answer, with its request; of several unknown series the first', async () => {
    expect((await problemOf('obs NOPE GDP NIL --json', 3)).detail).toBe("series 'NOPE' not found");
    expect(await problemOf('obs NOPE --json', 3)).toEqual({
      type: 'asof://local/errors/not-found',
      title: 'Not Found',
      status: 404,
      detail: "series 'NOPE' not found",
      instance: '/v1/series/NOPE/observations',
      request_id: expect.stringMatching(/^req_[0-9a-f]{32}$/),
      hints: ['asof series search finds series by words'],
    });
  });

  it('of a usage error, with its flag and without a request', async () => {
    expect(await problemOf('obs GDP --as-of x --json', 2)).toEqual({
      type: 'about:blank',
      title: 'Bad Input',
      detail: '--as-of "x": use YYYY-MM-DD, today, yesterday, or a distance such as -30d or -5y',
      field: '--as-of',
    });
  });

  it.each([['--json'], ['-f json'], ['-fjson'], ['--format json'], ['--format=json']])(
    'of usage, however it was typed: %s',
    async (flags) => {
      const problem = await problemOf(`ping --nonsense ${flags}`, 2);
      expect(problem).toMatchObject({ title: 'Bad Input', detail: "unknown option '--nonsense'" });
    },
  );
});

it('a failure of a store has no id of a request, which nobody could look up', async () => {
  const { err } = await asof(['obs', 'gdpx', '--store', store]);
  expect(err).toBe("asof: series 'GDPX' not found\n      did you mean GDP or GDPC1?\n");
});

describe('a store that cannot be read exits 10 and is named', () => {
  it.each([
    ['missing.db', 'there is no such file or folder'],
    ['.', 'it is not a file'],
    ['damaged.db', ''],
    ['notes.txt', ''],
  ])('%s', async (name, reason) => {
    const path = folder.path(name);
    for (const line of ['obs GDP', 'facts GDP', 'ping', 'import --log']) {
      const { code, out, err } = await asof([...line.split(' '), '--store', path]);
      expect([code, out]).toEqual([10, '']);
      expect(err).toMatch(/^asof: /);
      for (const part of [path, reason]) expect(err).toContain(part);
      expect(err).not.toContain('ASOF_STORE');
    }
  });

  it('also where the damage is found only while rows are read', async () => {
    const path = folder.path('partly.db');
    const bytes = readFileSync(store);
    writeFileSync(path, bytes.fill(0xa5, bytes.length / 2, bytes.length * 0.75));
    const { code, err } = await asof(['obs', '*', '--store', path, '-o', folder.path('never.csv')]);
    expect([code, err.split('\n')[0]]).toEqual([10, `asof: cannot use the store ${path}: it is damaged`]);
  });

  it.each(['obs GDP', 'facts GDP', 'ping'])('and ASOF_STORE, if it set the path: asof %s', async (line) => {
    const { code, err } = await asof(line.split(' '), { env: { ASOF_STORE: `${at}/missing.db` } });
    expect([code, err]).toEqual([10, expect.stringContaining('ASOF_STORE names this store')]);
  });
});

describe('a place where no folder can be made', () => {
  transcript(
    `
    # exits 10 at once and is named
    $ asof import ${facts} --store /proc/nope/x/y/z.db
    ! asof: cannot create the store /proc/nope/x/y/z.db: there is no such folder
    [exit 10]
    $ asof keys create --name ann --access /proc/nope/x
    ! asof: cannot create the access store /proc/nope/x: there is no such folder
    [exit 10]
    $ asof config set format csv
    ! asof: cannot write to /proc/nope/x/config.json: there is no such folder
    [exit 10]
    `,
    () => ({ env: { ASOF_CONFIG_DIR: '/proc/nope/x' } }),
  );
});
