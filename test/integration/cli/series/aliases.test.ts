import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addAlias, removeAlias } from '../../../../src/maintenance/series.ts';
import { asof, linesOf, statements, transcript } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import { asking, commandModes } from '../../../support/modes.ts';

const ecb = 'ECB:RTD.Q.S0.S.G_GDPM_TO_C.E';
const oecd = 'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T';
const folder = newFolder();
const store = folder.path('store.db');

const asked = asking(store, async () => {
  const facts = folder.write(
    'facts.csv',
    statements([
      `${ecb},2015-01-01,2015-06-02,2430000.12`,
      `${ecb},2015-01-01,2015-09-02,2431000.25`,
      `${ecb},2015-04-01,2015-09-02,2440000.5`,
      `${oecd},2015-01-01,2015-07-01,2279216154000`,
      'GDP,2015-01-01,2015-06-24,17649.3',
    ]),
  );
  const { code, err } = await asof(['import', facts, '--store', store]);
  if (code !== 0) throw new Error(err);
  await addAlias(store, 'EA.GDP', ecb);
  await addAlias(store, 'EU', oecd);
});

/** Command lines with ids of series, which the aliases replace. */
const lines = [
  'obs ECB --as-of 2015-07-01',
  'obs ECB GDP OECD --limit 1',
  'obs ECB --limit 1 --sort asc',
  'obs ECB --units pch',
  'obs ECB OECD --vs latest --as-of 2015-07-01',
  'obs ECB --vintages 2015-07-01,latest',
  'panel GDP ECB OECD --as-of 2015-09-02',
  'panel ECB OECD --as-of-each month-end --from 2015-06-01 --to 2015-08-31',
  'diff GDP ECB 2015-07-01 2015-10-01',
  'revisions ECB --date 2015-01-01',
  'revisions ECB --release 1,final',
  'vintages ECB',
  'series show ECB --columns all',
];

const withIds = (line: string) => line.replace('ECB', ecb).replace('OECD', oecd);
const withAliases = (line: string) => line.replace('ECB', 'ea.GDP').replace('OECD', 'eu');

describe.each(commandModes)('a question with aliases, %s,', (mode) => {
  it.each(lines)('has the answer with the ids: asof %s', async (line) => {
    const [byId, byAlias] = [await asked.run(mode, withIds(line)), await asked.run(mode, withAliases(line))];
    expect([byId.code, byAlias.code, byAlias.out]).toEqual([0, 0, byId.out]);
    const said = [`asof: EA.GDP is ${ecb}\n`, line.includes('OECD') ? `asof: EU is ${oecd}\n` : ''];
    expect(byAlias.err).toBe(said.join('') + byId.err);
  });

  it('names the columns of a wide panel and of a join as typed', async () => {
    const line = 'panel ea.GDP GDP --as-of 2015-09-02 --wide -q';
    expect((await asked.run(mode, line)).out).toBe(
      'date,ea.GDP,GDP\n2015-04-01,2440000.5,\n2015-01-01,2431000.25,17649.3\n',
    );
    const days = 'day\n2015-07-01\n2015-09-02\n';
    expect((await asked.run(mode, 'join - --on day ea.GDP EU -q', days)).out).toBe(
      'day,ea.GDP,EU\n2015-07-01,2430000.12,2279216154000\n2015-09-02,2440000.5,\n',
    );
  });

  it('checks a column with the name of an alias', async () => {
    const table = 'day,EA.GDP\n2015-07-01,2430000.12\n2015-07-02,2440000.5\n';
    const { code, out } = await asked.run(mode, 'check - --on day -q', table);
    expect([code, out]).toEqual([
      1,
      `row,day,column,series_id,value,known,known_date,first_known,value_date,kind\n3,2015-07-02,EA.GDP,${ecb},2440000.5,2430000.12,2015-01-01,2015-09-02,2015-04-01,ahead\n`,
    ]);
  });

  it('says in JSON what the aliases stand for', async () => {
    for (const line of ['obs EU --json', 'panel EU --json'])
      expect(JSON.parse((await asked.run(mode, line)).out).aliases).toEqual({ EU: oecd });
  });

  it('finds the series of an alias first in a search', async () => {
    const { out } = await asked.run(mode, 'series search ea.gdp --columns id,matched --limit 1');
    expect(out).toBe(`id,matched\n${ecb},id\n`);
  });

  it('says that neither an id nor an alias is known', async () => {
    expect(await asked.run(mode, 'obs EA.GDQ')).toMatchObject({
      code: 3,
      err: expect.stringContaining("series 'EA.GDQ' not found"),
    });
    const some = await asked.run(mode, 'panel EU NONE --skip-missing --csv');
    expect([some.code, some.err]).toEqual([0, expect.stringContaining('left out, because not found: NONE')]);
  });
});

describe('a mistyped alias', () => {
  const hint = 'did you mean EA.GDP?';

  it.each(['obs EA.GPD', 'panel GDP ea.gd'])('is followed by the one that it resembles: %s', async (line) => {
    const { code, err } = await asked.run('embedded', line);
    expect([code, err]).toEqual([3, expect.stringContaining(hint)]);
  });

  it('has the hint in the library too', async () => {
    const hints = expect.arrayContaining([hint]);
    await expect(asked.library().observations('EA.GPD')).rejects.toMatchObject({ hints });
  });

  it('is not followed by one whose series was not known on the day', async () => {
    const { err } = await asked.run('embedded', 'obs EA.GPD --as-of 2015-05-01');
    expect(err).toContain('not found');
    expect(err).not.toContain('EA.GDP');
  });
});

describe('the facts of an alias', () => {
  it('are those of its series', async () => {
    const { out } = await asked.run('embedded', 'facts eu');
    expect(linesOf(out).slice(1)).toEqual([
      `${oecd},2015-01-01,2015-07-01,2279216154000,exact,,,,,,2015-07-01`,
    ]);
    const rows: unknown[] = [];
    for await (const row of asked.library().facts(['EU', oecd])) rows.push(row);
    expect(rows).toHaveLength(1);
  });
});

describe('a method', () => {
  it('takes an alias, and says what it stands for', async () => {
    const { rows, aliases, basis } = await asked.library().observations('ea.gdp', { limit: 1 });
    expect(rows).toMatchObject([{ series_id: ecb, value: '2440000.5' }]);
    expect([aliases, basis.map(({ subject }) => subject)]).toEqual([{ 'EA.GDP': ecb }, [ecb]]);
  });
});

describe('a snapshot', () => {
  it('answers for the same series when its alias came to mean another', async () => {
    const env = { ASOF_STORE: store };
    const out = folder.path('snap');
    const plan = folder.write('plan.txt', 'wide.csv panel EA.GDP --wide\nlong.csv obs EA.GDP\n');
    const made = await asof(['snapshot', plan, '--out', out, '--as-of', '2015-12-01'], { env });
    expect([made.code, made.err]).toEqual([0, expect.stringContaining(`asof: EA.GDP is ${ecb}\n`)]);
    const manifest = JSON.parse(readFileSync(`${out}/manifest.json`, 'utf8'));
    expect(manifest.files.map((file: { readonly aliases: object }) => file.aliases)).toEqual([
      { 'EA.GDP': ecb },
      { 'EA.GDP': ecb },
    ]);
    await removeAlias(store, 'EA.GDP');
    await addAlias(store, 'EA.GDP', oecd);
    expect(await asof(['verify', out], { env })).toEqual({ code: 0, out: '', err: '' });
    await removeAlias(store, 'EA.GDP');
    await addAlias(store, 'EA.GDP', ecb);
  });
});

describe('an id with a colon and dots', () => {
  const env = { ASOF_STORE: store };
  const line = ['panel', 'ecb:*', oecd, '--as-of', '2015-09-02', '--wide', '-q'];

  it('is the name of a column in every table, from which a join and a check read it', async () => {
    const { out } = await asof(line, { env });
    expect(out).toBe(`date,${ecb},${oecd}\n2015-04-01,2440000.5,\n2015-01-01,2431000.25,2279216154000\n`);
    const file = folder.path('wide.parquet');
    expect(await asof([...line, '-o', file], { env })).toEqual({ code: 0, out: '', err: '' });
    const joined = await asof(['join', file, '--on', 'date', 'GDP', '-q', '--csv'], { env });
    expect(linesOf(joined.out)[0]).toBe(`date,${ecb},${oecd},GDP`);
    const checked = await asof(['check', file, '--on', 'date', '--all-rows', '--csv', '-q'], { env });
    const rows = linesOf(checked.out).slice(1);
    expect(new Set(rows.map((row) => row.split(',')[3]))).toEqual(new Set([ecb, oecd]));
  });

  it.each(['xlsx', 'svg', 'md', 'json', 'tex', 'csv.gz'])('can be written as %s', async (ending) => {
    const file = folder.path(`ECB:RTD.Q.${ending}`);
    expect(await asof([...line, '-o', file], { env })).toEqual({ code: 0, out: '', err: '' });
    expect(readFileSync(file).length).toBeGreaterThan(100);
  });

  it('is one word of a plan', async () => {
    const plan = folder.write('ids.txt', `ecb:RTD.csv obs ${ecb} --limit 1\nall.csv panel 'ecb:*' oecd:*\n`);
    const out = folder.path('ids');
    expect((await asof(['snapshot', plan, '--out', out, '--as-of', '2015-12-01', '-q'], { env })).code).toBe(
      0,
    );
    expect(linesOf(readFileSync(`${out}/ecb:RTD.csv`, 'utf8'))[1]).toContain(`2440000.5,2015-09-02,${ecb}`);
    expect((await asof(['verify', out], { env })).code).toBe(0);
  });
});

describe('asof series alias', () => {
  transcript(
    `
    # lists the aliases in every format
    $ asof series alias
    name,id,title
    EA.GDP,${ecb},${ecb}
    EU,${oecd},${oecd}
    $ asof series alias --columns name -f markdown
    | name |
    | --- |
    | EA.GDP |
    | EU |

    # gives a series a name, and takes it away
    $ asof series alias us gdp --dry-run
    ! asof: dry run: US would be GDP
    $ asof series alias us gdp
    ! asof: US is GDP
    $ asof series alias --rm US
    ! asof: US is no longer GDP

    # refuses what it cannot do
    $ asof series alias US
    ! asof: US needs the id of a series
    …
    [exit 2]
    $ asof series alias EU GDP
    ! asof: EU is an alias of ${oecd}
    !       \`asof series alias --rm EU\` removes the alias
    [exit 2]
    $ asof series alias --rm US
    ! asof: the store has no alias US
    !       \`asof series alias\` lists the aliases
    [exit 3]
    $ asof series alias --rm
    ! asof: --rm needs the name of an alias
    [exit 2]
    $ asof series rm EU --yes
    ! asof: series 'EU' not found
    !       EU is an alias of ${oecd}: name the series
    [exit 3]
    `,
    () => asked.as('embedded'),
  );
});
