import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PullOptions } from '../../../src/pull/options.ts';
import { runs } from '../../support/arbitrary.ts';
import { asof } from '../../support/command.ts';
import {
  asJsonStat,
  asSdmxCsv,
  asTsv,
  type EurostatCell,
  recordedGdpCsv,
  recordedGdpTable,
} from '../../support/eurostat.ts';
import { scratchFolder } from '../../support/folders.ts';
import {
  eurostatReplies,
  type LoopbackEurostat,
  loopbackEurostat,
  rates,
  rateTable,
} from '../../support/pull/loopback-eurostat.ts';
import { contentOf, puller } from '../../support/pull/pulling.ts';
import { importFiles, newStorePath, observationsIn, reading } from '../../support/scratch-store.ts';

const folder = scratchFolder();
const now = '2026-10-03T12:00:00Z';
const key = (geo: string) => `EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.${geo}`;
const id = (geo: string) => `ESTAT:${key(geo)}`;
const ofKey = (geo: string) => `freq=M unit=PC_ACT s_adj=SA sex=T age=TOTAL geo=${geo}`;

/** The vintages up to 2020, and those since; in January 2021 the table of that time began. */
const before = [
  ...rates('EA', '2020-11-05', '2000-10 8.5', '2020-09 8.3'),
  ...rates('EA', '2020-12-02', '2020-09 8.5', '2020-10 8.4'),
  ...rates('DE', '2020-12-02', '2000-10 7.7', '2020-10 4.5'),
];
const since = [
  ...rates('EA', '2021-01-08', '2020-10 8.4', '2020-11 8.3'),
  ...rates('EA', '2026-07-30', '2020-10 8.5', '2026-06 6.2'),
  ...rates('DE', '2026-08-14', '2020-10 4.6', '2026-06 3.9'),
  ...rates('US', '2026-08-21', '2020-10 6.9', '2026-07 4.3'),
];
const updated = '2026-09-14T23:00:00+0200';
const fixed = rateTable('EI_LM_M_VTGFIX', '2025-08-08T11:00:00+0200', before);
const table = (cells: readonly EurostatCell[] = since, when = updated) =>
  rateTable('EI_LM_M_VTG', when, cells);

/** The periods of a list of series, as they are asked for. */
const fifthYears = (last: number) =>
  [1995, 2000, 2005, 2010, 2015, 2020, 2025]
    .filter((year) => year <= last)
    .map((year) => `time=${year}-10`)
    .join(' ');

async function eurostat(names: readonly string[] = [key('EA')], options: Partial<PullOptions> = {}) {
  const server = await loopbackEurostat(fixed, table());
  const own = puller(server, { request: { eurostat: names }, ...options });
  return {
    ...own,
    server,
    statements: async (geo = 'EA') => (await contentOf(own.store, id(geo))).statements,
  };
}

/** What imports of files of the tables give. */
async function importedStatements(geo: string, files: Readonly<Record<string, string>>) {
  const store = newStorePath(folder);
  await importFiles(store, files, { latest: '2026-10-03' });
  return (await contentOf(store, id(geo))).statements;
}

describe('pulling a vintage table of Eurostat', () => {
  it('gives what imports of both tables give, in each of their forms', async () => {
    const { pull, statements, server } = await eurostat();
    expect(await pull(now)).toMatchObject({
      ends: [`${key('EA')} pulled`],
      asked: [`EI_LM_M_VTGFIX ${ofKey('EA')}`, `EI_LM_M_VTG ${ofKey('EA')}`],
      subjects: [{ counts: { new_vintages: 4, new_dates: 5, revised: 2 }, upTo: '2026-08-21', left: '' }],
    });
    const found = await statements();
    expect(found.length).toBe(8);
    const tables = Object.values(server.tables);
    const forms = [
      ['json', asJsonStat],
      ['csv', (one: Parameters<typeof asSdmxCsv>[0]) => asSdmxCsv(one, false)],
      ['tsv', asTsv],
    ] as const;
    for (const [ending, write] of forms) {
      const files = Object.fromEntries(tables.map((one) => [`${one.name}.${ending}`, write(one)]));
      expect(await importedStatements('EA', files)).toEqual(found);
    }
  });

  it('gives of the recorded table what an import of its file gives', async () => {
    const server = await loopbackEurostat(recordedGdpTable);
    const gdp = 'EI_NA_Q_VTG.Q.SCA.CLV05_MEUR.EA';
    const { pull, store } = puller(server, {
      request: { eurostat: ['estat:ei_na_q_vtg.q.sca.clv05_meur.ea'] },
    });
    expect((await pull(now)).ends).toEqual([`${gdp} pulled`]);
    const imported = newStorePath(folder);
    await importFiles(imported, { 'recorded.csv': recordedGdpCsv });
    expect(await contentOf(store, `ESTAT:${gdp}`)).toEqual(await contentOf(imported, `ESTAT:${gdp}`));
  });

  it('joins the table up to 2020 and the one since then without a gap', async () => {
    const { pull, store } = await eurostat();
    await pull(now);
    const on = (asOf: string) =>
      reading(store, async (view) =>
        (await observationsIn(view, { seriesId: id('EA'), asOf, limit: 9 })).map(
          ({ date, value }) => `${date.slice(0, 7)} ${value}`,
        ),
      );
    expect(await on('2021-01-07')).toEqual(['2020-10 8.4', '2020-09 8.5', '2000-10 8.5']);
    expect(await on('2021-01-08')).toEqual(['2020-11 8.3', '2020-10 8.4', '2020-09 8.5', '2000-10 8.5']);
  });

  it('a second time asks once for each table, and changes nothing', async () => {
    const { pull, store } = await eurostat([key('EA'), key('DE')]);
    await pull(now);
    const content = await Promise.all(['EA', 'DE'].map((geo) => contentOf(store, id(geo))));
    expect(await pull(now, { request: undefined })).toMatchObject({
      ends: [`${key('DE')} nothing-new`, `${key('EA')} nothing-new`],
      asked: [`EI_LM_M_VTG ${ofKey('DE')} lastTimePeriod=1`],
    });
    expect(await Promise.all(['EA', 'DE'].map((geo) => contentOf(store, id(geo))))).toEqual(content);
  });

  it('asks for every series of a table that has changed, and takes what is new', async () => {
    const { pull, server, statements } = await eurostat([key('EA'), key('DE')]);
    await pull(now);
    const more = rates('EA', '2026-09-01', '2026-06 6.3', '2026-07 6.2');
    server.tables.EI_LM_M_VTG = table([...since, ...more], '2026-10-02T23:00:00+0200');
    expect(await pull(now, { request: undefined })).toMatchObject({
      ends: [`${key('DE')} nothing-new`, `${key('EA')} pulled`],
      asked: [
        `EI_LM_M_VTG ${ofKey('DE')} lastTimePeriod=1`,
        `EI_LM_M_VTG ${ofKey('DE')}`,
        `EI_LM_M_VTG ${ofKey('EA')}`,
      ],
      subjects: [{}, { counts: { new_vintages: 1, new_dates: 1, revised: 1 }, upTo: '2026-09-01' }],
    });
    expect((await statements()).length).toBe(10);
  });

  it('notes a vintage that ends years before an earlier one, and keeps the earlier figures', async () => {
    const { pull, server, store } = await eurostat();
    server.tables.EI_LM_M_VTG = table([...since, ...rates('EA', '2026-09-01', '1999-12 9.9')]);
    expect((await pull(now)).notes).toEqual([
      `${id('EA')} as of 2026-09-01 ends with 1999-12-01, and an earlier vintage with 2026-06-01: earlier figures stand for the rest`,
    ]);
    const rows = await reading(store, (view) =>
      observationsIn(view, { seriesId: id('EA'), asOf: '2026-09-02', limit: 1 }),
    );
    expect(rows).toMatchObject([{ date: '2026-06-01', value: '6.2' }]);
  });

  it('takes a series that only one of the two tables has', async () => {
    const { pull, server, statements } = await eurostat([key('US')]);
    expect((await pull(now)).ends).toEqual([`${key('US')} pulled`]);
    expect((await statements('US')).length).toBe(2);
    server.tables.EI_LM_M_VTGFIX = {
      ...fixed,
      cells: [...before, ...rates('UK', '2020-12-02', '2020-10 4.9')],
    };
    expect((await pull(now, { request: { eurostat: [key('UK')] } })).ends).toEqual([`${key('UK')} pulled`]);
    expect((await statements('UK')).length).toBe(1);
  });

  it.each([
    [
      'empty places',
      'ei_lm_m_vtg.M.PC_ACT.SA.T.TOTAL.',
      ['DE', 'EA', 'US'],
      'freq=M unit=PC_ACT s_adj=SA sex=T age=TOTAL ',
    ],
    ['some codes', 'estat:EI_LM_M_VTG.....TOTAL.de+us', ['DE', 'US'], 'age=TOTAL geo=DE geo=US '],
    ['the table alone', 'ei_lm_m_vtg', ['DE', 'EA', 'US'], ''],
    ['the table up to 2020', 'ei_lm_m_vtgfix', ['DE', 'EA', 'US'], ''],
  ])('follows the series of a key with %s', async (_, typed, areas, filters) => {
    const { pull, server } = await eurostat([typed]);
    // The table up to 2020 has no such area.
    if (filters.includes('US'))
      server.tables.EI_LM_M_VTGFIX = {
        ...fixed,
        cells: [...before, ...rates('US', '2020-12-02', '2000-10 3.9')],
      };
    const { ends, asked } = await pull(now);
    expect(ends).toEqual(areas.map((geo) => `${key(geo)} pulled`));
    expect(asked.slice(0, 2)).toEqual([
      `EI_LM_M_VTGFIX ${filters}${fifthYears(2020)}`,
      `EI_LM_M_VTG ${filters}${fifthYears(2025)}`,
    ]);
  });

  const times = (last: number) => fifthYears(last).split(' ');

  it('follows a series that ended long ago, and one without a figure in any period of the list', async () => {
    const { pull, server } = await eurostat(['ei_lm_m_vtg']);
    const ended = rates('UK', '2020-12-02', '2009-01 6.4', '2010-10 7.9', '2014-06 6.3');
    server.tables.EI_LM_M_VTGFIX = { ...fixed, cells: [...before, ...ended] };
    const short = rates('TR', '2026-08-14', '2021-01 12.1', '2023-05 9.5');
    server.tables.EI_LM_M_VTG = table([...since, ...short]);
    const { ends, asked } = await pull(now);
    expect(ends).toEqual(['DE', 'EA', 'TR', 'UK', 'US'].map((geo) => `${key(geo)} pulled`));
    expect(asked.slice(0, 3)).toEqual([
      `EI_LM_M_VTGFIX ${fifthYears(2020)}`,
      `EI_LM_M_VTG ${fifthYears(2025)}`,
      'EI_LM_M_VTG geo=TR',
    ]);
  });

  it.each([
    ['finds too large', eurostatReplies.tooLarge],
    ['refuses for a period', eurostatReplies.noPeriod],
  ])('asks for the parts of a list that Eurostat %s', async (_, refusal) => {
    const { pull, server } = await eurostat(['ei_lm_m_vtg.M.PC_ACT.SA.T.TOTAL.']);
    server.trouble = (__, what) => (what.match(/time=/g)?.length === 7 ? refusal : undefined);
    const { ends, asked } = await pull(now);
    expect(ends).toEqual(['DE', 'EA', 'US'].map((geo) => `${key(geo)} pulled`));
    const filters = 'EI_LM_M_VTG freq=M unit=PC_ACT s_adj=SA sex=T age=TOTAL ';
    expect(asked.slice(1, 4)).toEqual([
      filters + times(2025).join(' '),
      filters + times(2025).slice(0, 4).join(' '),
      filters + times(2025).slice(4).join(' '),
    ]);
  });

  it('says in a dry run how many requests it takes, and sends none', async () => {
    const { pull } = await eurostat([key('EA'), 'ei_lm_m_vtg']);
    expect(await pull(now, { dryRun: true })).toMatchObject({
      ...{ asked: [], requests: 4 },
      notes: ['every vintage', 'the list of its series, then 2 requests for each'],
    });
  });

  it.each([
    ['nama_10_gdp.A.EA', /not a vintage table of Eurostat/],
    ['ei_na_q_vtg.Q.SCA.EA', /not a key of EI_NA_Q_VTG/],
    ['ei_na_q_vtg.Q.SCA.CLV05 MEUR.EA', /not a key of EI_NA_Q_VTG/],
  ])('refuses %s before any request', async (typed, reason) => {
    const { pull, server } = await eurostat([typed]);
    await expect(pull(now)).rejects.toThrow(reason);
    expect(server.asked).toEqual([]);
  });

  it.each([
    ['an area that no table has', key('XX')],
    ['a pattern without a series', 'ei_lm_m_vtg.M.PC_ACT.NSA.T.TOTAL.'],
  ])('tells %s from the others', async (_, typed) => {
    const { pull, server } = await eurostat([typed]);
    expect(await pull(now)).toMatchObject({ kind: 'not-found', followed: [] });
    // Some of Eurostat's services answer with an empty table or an error of the status 200.
    server.trouble = () => ({
      status: 200,
      body: '{"error":[{"status":200,"id":100,"label":"No results found"}]}',
    });
    expect(await pull(now)).toMatchObject({ kind: 'not-found', followed: [] });
  });

  it('names a table that is gone', async () => {
    const { pull, server } = await eurostat();
    delete server.tables.EI_LM_M_VTG;
    expect(await pull(now)).toMatchObject({
      kind: 'bad-answer',
      said: expect.stringMatching(/refused the request for EI_LM_M_VTG: ERR_NOT_FOUND_4/),
    });
  });

  it('on random days gives what one run on the last day gives', async () => {
    const cell = fc.tuple(
      fc.constantFrom('2021-01-08', '2021-02-01', '2022-03-03', '2024-08-05', '2026-08-14'),
      fc.constantFrom('2020-10', '2020-11', '2022-02'),
      fc.constantFrom('8.1', '8.10', '8', '-0.5', ':'),
    );
    const history = fc.uniqueArray(cell, {
      minLength: 1,
      maxLength: 12,
      selector: ([revdate, period]) => `${revdate} ${period}`,
    });
    const days = fc.uniqueArray(fc.constantFrom('2021-01-10', '2021-06-01', '2023-01-01', '2025-01-01'), {
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(history, days, async (cells, pulls) => {
        const all = cells.flatMap(([revdate, period, figure]) => rates('EA', revdate, `${period} ${figure}`));
        const { server, pull, statements } = await eurostat();
        for (const day of [...pulls.sort(), '2026-10-03']) {
          const known = all.filter(({ codes }) => (codes.at(-1) ?? '') <= day);
          server.tables.EI_LM_M_VTG = table(
            [...known, ...rates('DE', '2021-01-05', '2020-10 4.5')],
            `${day}T23:00:00+0200`,
          );
          await pull(`${day}T23:30:00Z`);
        }
        expect(await statements()).toEqual(
          await importedStatements('EA', {
            'a.json': asJsonStat(fixed),
            'b.tsv': asTsv(
              table(all.length > 0 ? [...all, ...rates('DE', '2021-01-05', '2020-10 4.5')] : []),
            ),
          }),
        );
      }),
      { numRuns: runs(15) },
    );
  });
});

describe('an answer of Eurostat', () => {
  /** Pulls with a server whose first answer has been replaced. */
  async function with1st(change: (server: LoopbackEurostat) => void, options: Partial<PullOptions> = {}) {
    const own = await eurostat([key('EA')], options);
    change(own.server);
    return { ...own, pulled: await own.pull(now) };
  }

  it('that is cut at any kilobyte is refused, and nothing of it is stored', async () => {
    const own = await eurostat();
    const cells = Array.from({ length: 120 }, (_, i) =>
      rates('EA', `20${21 + (i % 5)}-0${1 + (i % 9)}-1${i % 10}`, `2020-10 8.${i}`),
    ).flat();
    const text = asJsonStat(table(cells));
    expect(text.length).toBeGreaterThan(4096);
    for (let length = 0; length < text.length; length += 1024) {
      own.server.trouble = (_, what) =>
        what.startsWith('EI_LM_M_VTG ') ? { status: 200, body: text.slice(0, length) } : undefined;
      expect(await own.pull(now)).toMatchObject({
        kind: 'bad-answer',
        said: expect.stringMatching(/not JSON or broke off/),
      });
    }
    expect(
      (await own.statements())
        .map(({ asOf }) => asOf)
        .sort()
        .at(-1),
    ).toBe('2020-12-02');
    own.server.trouble = () => undefined;
    expect((await own.pull(now)).ends).toEqual([`${key('EA')} pulled`]);
  });

  it.each([
    ['a page of HTML', eurostatReplies.page, 'bad-answer', /not JSON or broke off/],
    ['too many rows', eurostatReplies.tooLarge, 'bad-answer', /EXTRACTION_TOO_BIG: .*5000000/],
    ['HTTP 429', { status: 429, body: '' }, 'rate-limit-exceeded', /try again in 60 s/],
    ['HTTP 504', { status: 504, body: '' }, 'service-unavailable', /HTTP 504/],
    [
      'an unknown refusal',
      { status: 400, body: '{"error":[{"status":400,"id":150,"label":"INVALID_QUERY_DIMENSION: age"}]}' },
      'bad-answer',
      /INVALID_QUERY_DIMENSION: age/,
    ],
  ])('that is %s is refused, and nothing is stored', async (_, trouble, kind, reason) => {
    const { pulled, store } = await with1st(
      (server) => {
        server.trouble = () => trouble;
      },
      { maxWait: 0 },
    );
    expect(pulled).toMatchObject({ kind, said: expect.stringMatching(reason), stored: false });
    expect(pulled.asked.length).toBe(1);
    expect(store).not.toBe('');
  });

  it.each(['asynchronous', 'warned', 'queued'] as const)(
    'that Eurostat still prepares (%s) is asked for again after a pause',
    async (how) => {
      const { pulled } = await with1st((server) => {
        server.trouble = (number) => (number < 2 ? eurostatReplies[how] : undefined);
      });
      expect(pulled).toMatchObject({ ends: [`${key('EA')} pulled`], stops: [] });
      expect([pulled.asked.length, pulled.waited]).toEqual([4, expect.any(Number)]);
      expect(pulled.waited).toBeGreaterThanOrEqual(40_000);
    },
  );

  it('that Eurostat prepares for too long ends the run with when to come back', async () => {
    const { pulled, pull, server } = await with1st((one) => {
      one.trouble = () => eurostatReplies.asynchronous;
    });
    expect(pulled).toMatchObject({
      kind: 'service-unavailable',
      said: expect.stringMatching(/try again in 20 s/),
    });
    server.trouble = () => undefined;
    expect((await pull('2026-10-03T13:00:00Z')).ends).toEqual([`${key('EA')} pulled`]);
  });

  it('that is an older copy than the store has is refused', async () => {
    const { pull, server } = await eurostat();
    await pull(now);
    const more = rates('EA', '2026-09-01', '2026-07 6.2');
    server.tables.EI_LM_M_VTG = table([...since, ...more], '2026-09-20T23:00:00+0200');
    await pull(now);
    const old = asJsonStat(table());
    server.trouble = () => ({ status: 200, body: old });
    expect(await pull(now)).toMatchObject({
      kind: 'bad-answer',
      said: expect.stringMatching(
        /a copy of 2026-09-14T23:00:00\+0200, older than what the store has, of 2026-09-20/,
      ),
    });
    server.trouble = () => undefined;
    expect((await pull(now)).ends).toEqual([`${key('EA')} nothing-new`]);
  });

  it.each([
    [
      'of another area',
      asJsonStat(
        rateTable('EI_LM_M_VTGFIX', '2025-08-08T11:00:00+0200', rates('FR', '2020-12-02', '2020-10 9.0')),
      ),
      /answered with M\.PC_ACT\.SA\.T\.TOTAL\.FR/,
    ],
    ['of another table', asJsonStat(table()), /answered with EI_LM_M_VTG/],
    [
      'with another dimension',
      asJsonStat(fixed).replaceAll('"age"', '"ages"'),
      /EI_LM_M_VTGFIX|EI_LM_M_VTG has a new dimension ages and no dimension age/,
    ],
    ['without revision dates', asJsonStat(fixed).replaceAll('"revdate"', '"rev"'), /no column revdate/],
    [
      'with a value outside of the table',
      asJsonStat({ ...fixed, cells: rates('EA', '2020-12-02', '2020-10 8.4') }).replace(
        '"value":{',
        '"value":{"999999":1.5,',
      ),
      /999999.*outside of the/,
    ],
  ])('%s is refused by name, and nothing is stored', async (_, body, reason) => {
    const { pulled } = await with1st((server) => {
      server.trouble = () => ({ status: 200, body });
    });
    expect(pulled).toMatchObject({ kind: 'bad-answer', said: expect.stringMatching(reason), stored: false });
  });

  it('that contradicts the store is named, and the rest of it is stored', async () => {
    const { pull, server, statements } = await eurostat();
    await pull(now);
    const changed = since.map((cell) => (cell.figure === '8.3' ? { ...cell, figure: '8.6' } : cell));
    const more = rates('EA', '2026-09-01', '2026-07 6.2');
    server.tables.EI_LM_M_VTG = table([...changed, ...more], '2026-10-02T23:00:00+0200');
    const { ends, said } = await pull(now);
    expect(ends).toEqual([`${key('EA')} conflict: bad-answer`]);
    expect(said).toMatch(/2020-11-01 as of 2021-01-08: 8\.6, against 8\.3/);
    expect((await statements()).filter(({ asOf }) => asOf === '2026-09-01').length).toBe(1);
    // Nothing has changed since then, and the contradiction is still there.
    expect((await pull(now)).ends).toEqual([`${key('EA')} conflict: bad-answer`]);
    expect(await pull(now, { full: true, replace: true })).toMatchObject({
      ends: [`${key('EA')} pulled`],
      subjects: [{ counts: { new_vintages: 0, new_dates: 0, revised: 0, new_or_replaced: 1 } }],
    });
    expect((await pull(now)).ends).toEqual([`${key('EA')} nothing-new`]);
  });

  it('that contradicts the store in the table up to 2020 is named in every run', async () => {
    const { pull, server } = await eurostat();
    await pull(now);
    server.tables.EI_LM_M_VTGFIX = {
      ...fixed,
      cells: before.map((cell) => (cell.figure === '8.3' ? { ...cell, figure: '8.6' } : cell)),
    };
    for (const options of [{ full: true }, {}, {}])
      expect((await pull(now, options)).ends).toEqual([`${key('EA')} conflict: bad-answer`]);
    expect((await pull(now, { full: true, replace: true })).ends).toEqual([`${key('EA')} pulled`]);
    expect((await pull(now)).ends).toEqual([`${key('EA')} nothing-new`]);
  });

  it('that replaces a stored figure is news on the command line', async () => {
    const { pull, store, server } = await eurostat();
    await pull(now);
    const changed = since.map((cell) => (cell.figure === '8.3' ? { ...cell, figure: '8.6' } : cell));
    server.tables.EI_LM_M_VTG = table(changed, '2026-10-02T23:00:00+0200');
    const line = ['pull', 'eurostat', key('EA'), '--full', '--replace', '-v', '--store', store];
    const { code, err } = await asof(line, { env: { HOME: folder, ASOF_EUROSTAT_URL: server.url }, now });
    expect([code, err]).toEqual([0, expect.stringContaining('EA  1 new or replaced figure, 2 requests')]);
    expect(err).not.toContain('nothing new');
  });

  it('without a series that the store has says that the facts stay, and how to unfollow it', async () => {
    const { pull, server, statements } = await eurostat([key('US')]);
    await pull(now);
    const others = since.filter(({ codes }) => !codes.includes('US'));
    server.tables.EI_LM_M_VTG = table(others, '2026-10-02T23:00:00+0200');
    for (const _ of ['first', 'again'])
      expect(await pull(now)).toMatchObject({
        kind: 'not-found',
        said: `Eurostat no longer has the series ${key('US')}, which it gave up to 2026-08-21; the facts stay in the store`,
        hints: [`asof unfollow eurostat ${key('US')} stops following it`],
      });
    expect((await statements('US')).length).toBe(2);
  });

  it('without a vintage that the store has is noted; the store keeps it', async () => {
    const { pull, server, statements } = await eurostat();
    await pull(now);
    server.tables.EI_LM_M_VTG = table(
      [
        ...since.filter(({ codes, period }) => !codes.includes('2021-01-08') || period !== '2020-11'),
        ...rates('EA', '2026-09-01', '2026-07 6.2'),
      ],
      '2026-10-02T23:00:00+0200',
    );
    const { ends, notes } = await pull(now);
    expect([ends, notes]).toEqual([
      [`${key('EA')} pulled`],
      ['as of 2021-01-08, Eurostat no longer has 1 figure; the store keeps them'],
    ]);
    expect((await statements()).length).toBe(9);
  });
});
