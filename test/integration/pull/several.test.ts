import { describe, expect, it } from 'vitest';
import { removeSeries, renameSeries } from '../../../src/maintenance/series.ts';
import type { SourceName } from '../../../src/pull/options.ts';
import { unfollow } from '../../../src/pull/sources.ts';
import { writing } from '../../../src/store/open.ts';
import { loopbackPhiladelphia } from '../../support/pull/loopback-files.ts';
import { puller, worldMakers } from '../../support/pull/pulling.ts';
import { allStatements, importFiles, reading } from '../../support/scratch-store.ts';
import { workbook } from '../../support/source-file.ts';

const march = '2024-03-01T12:00:00Z';
const april = '2024-04-01T12:00:00Z';

const ids = ['RCON', 'RG', 'RINVBF', 'RINVRESID', 'REX', 'RIMP'];

/** The workbook of a variable with a vintage for each quarter of 2023. */
function workbookOf(id: string) {
  const vintages = [1, 2, 3, 4].map((quarter) => `${id}23Q${quarter}`);
  return workbook([
    ['DATE', ...vintages],
    ['2022:Q4', ...vintages.map((_, i) => ({ number: String(i) }))],
  ]);
}

async function philadelphia() {
  const workbooks = ids.map((id) => [`${id.toLowerCase()}qvqd`, workbookOf(id)] as const);
  const server = await loopbackPhiladelphia(Object.fromEntries(workbooks));
  return { server, ...puller(server, { request: { rtdsm: ids } }) };
}

const nameOf = (file: string) => file.replace('QvQd.xlsx', '');

describe('a pull of several items of a source', () => {
  it('goes on after one whose answer breaks off, and names that one', async () => {
    const { server, pull } = await philadelphia();
    server.trouble = (_, file) => (/^(?:RCON|RG)Q/.test(file) ? 'cut' : undefined);
    const bad = await pull(march);
    expect(bad.ends).toEqual([
      ...['RCON left: unreachable', 'RG left: unreachable'],
      ...ids.slice(2).map((id) => `${id} pulled`),
    ]);
    expect(bad.stops).toEqual([]);
    expect(bad.followed.filter(({ left }) => left !== '').map(({ name, left }) => [name, left])).toEqual([
      ['RCON', 'everything'],
      ['RG', 'everything'],
    ]);
    server.trouble = () => undefined;
    const { ends } = await pull(april);
    expect(ends.slice(-2)).toEqual(['RCON pulled', 'RG pulled']);
  });

  it('ends after three in a row that nobody answers, the last two after one try, and begins with the rest next time', async () => {
    const { server, pull } = await philadelphia();
    server.trouble = (_, file) => (/^(?:RCON|RG|RINVBF)Q/.test(file) ? 'cut' : undefined);
    const bad = await pull(march, { retries: 2 });
    expect(bad.asked.map(nameOf)).toEqual(['RCON', 'RCON', 'RCON', 'RG', 'RINVBF']);
    expect(bad.stops).toMatchObject([
      {
        problem: {
          kind: 'unreachable',
          detail:
            'the Philadelphia Fed failed for 3 items in a row: asof left the other 3 items for the next run',
        },
      },
    ]);
    // There is no store that remembers the turn.
    const { asked } = await pull(march, { request: { rtdsm: ['REX'] } });
    expect(asked.map(nameOf)).toEqual(['REX']);
    await pull(march);
    const again = await pull(april, { request: undefined });
    expect(again.asked.map(nameOf)).toEqual(['REX', 'RIMP', 'RINVRESID', 'RCON', 'RG', 'RINVBF']);
  });
});

/** A source with what `whole` of its world pulls. */
async function following(source: SourceName) {
  const world = await worldMakers[source]();
  const names = world.whole
    .split(' ')
    .slice(2)
    .filter((word) => !/^(?:--since|\d{4}-)/.test(word));
  return { ...world, names, ...puller(world.server, { request: { [source]: names }, retries: 3 }) };
}

/** The statements that are news: at the first day of a history, FRED repeats what was known before. */
function changesIn(statements: Awaited<ReturnType<typeof allStatements>>): readonly string[] {
  const known = new Map<string, string | null>();
  return statements.flatMap(({ date, asOf, value }) => {
    if (known.get(date) === value) return [];
    known.set(date, value);
    return [`${date} ${asOf} ${value}`];
  });
}

describe('a first day of histories', () => {
  it('that is earlier than the one of a followed item brings the part before', async () => {
    const { store, pull } = await philadelphia();
    const request = { rtdsm: ['RCON'] };
    const vintages = () =>
      reading(store, async (view) => [
        ...new Set((await allStatements(view, 'RCON')).map(({ asOf }) => asOf)),
      ]);
    await pull(march, { request, since: '2023-08-01' });
    expect(await vintages()).toEqual(['2023-08-15', '2023-11-15']);
    await pull(march, { request, since: '2023-10-01' });
    await pull(march, { request });
    expect(await vintages()).toEqual(['2023-08-15', '2023-11-15']);
    await pull(march, { request, since: '2023-05-01' });
    expect(await vintages()).toEqual(['2023-05-15', '2023-08-15', '2023-11-15']);
    await pull(april, { since: '2023-01-01', request: undefined });
    expect(await vintages()).toEqual(['2023-02-15', '2023-05-15', '2023-08-15', '2023-11-15']);
  });

  it.each([
    ['fred', '2025-06-01', '2024-06-01'],
    ['treasury', '2025-01-01', '2024-01-01'],
    ['oecd', '2025-12-01', '2025-01-01'],
    ['fred-md', '2025-12-01', '2025-01-01'],
  ] as const)('that is earlier brings what a first pull with it brings: %s', async (source, late, early) => {
    const { server, names, ...twice } = await following(source);
    const once = puller(server, { request: { [source]: names } });
    const [first, then] = ['2026-02-03T18:00:00Z', '2026-02-03T20:00:00Z'];
    await twice.pull(first, { since: late });
    const before = await twice.pull(first);
    const dry = await twice.pull(first, { since: early, dryRun: true });
    expect(dry.requests).toBeGreaterThanOrEqual(before.requests);
    expect((await twice.pull(then, { since: early })).stops).toEqual([]);
    await once.pull(then, { since: early });
    const content = (store: string) =>
      reading(store, async (view) => {
        const series = await view.series.search({ text: '', limit: 1000 });
        return {
          changes: await Promise.all(series.map(async ({ id }) => changesIn(await allStatements(view, id)))),
          rates: await view.rates.yields({ limit: 1_000_000, curveType: 'PAR' }),
        };
      });
    const found = await content(twice.store);
    expect(found).toEqual(await content(once.store));
    expect(found.rates.length + found.changes.flat().length).toBeGreaterThan(0);
    // Now nothing earlier is left to ask for.
    const { length: asked } = server.asked;
    await twice.pull(then, { since: early });
    const usual = server.asked.length - asked;
    expect((await twice.pull(then)).asked.length).toBe(usual);
  });

  it.each(['ecb', 'eurostat'] as const)('is refused for %s, whose histories come whole', async (source) => {
    const { server } = await worldMakers[source]();
    const { pull } = puller(server, { request: { [source as SourceName]: ['X'] } });
    await expect(pull(march, { since: '2020-01-01' })).rejects.toMatchObject({
      kind: 'bad-input',
      detail: `--since does not apply to ${source}: it is for fred, treasury, sec, rtdsm, fred-md, fred-qd and oecd`,
    });
    expect(server.asked).toEqual([]);
  });
});

describe('a series that a followed item brings', () => {
  it.each([
    ['fred', 'GDP'],
    ['rtdsm', 'ULC'],
    ['ecb', 'ECB:RTD.Q.S0.S.G_GDPM_TO_C.E'],
    ['eurostat', 'ESTAT:EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.EA'],
    ['oecd', 'OECD:STES_REV.DEU.Q.B1GQ_Q.XDC._T'],
  ] as const)('comes again whole if it was removed from the store: %s %s', async (source, id) => {
    const { store, pull, expectWhole } = await following(source);
    await pull('2026-02-03T18:00:00Z');
    await writing(store, async (writer) => {
      await writer.removeSeries(id);
      await writer.commit();
    });
    expect((await pull('2026-02-03T20:00:00Z')).subjects).toMatchObject([{ outcome: 'pulled' }]);
    await expectWhole(store);
  });

  it.each([
    ['fred-md', 'INDPRO', 'FRED-MD'],
    ['fred-qd', 'GDPC1', 'FRED-QD'],
    ['rtdsm', 'ULC', 'ULC'],
    ['oecd', 'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T', 'DEU+EA20.Q.B1GQ_Q.XDC._T'],
  ] as const)('is neither removed nor renamed while the store follows that: %s', async (source, id, name) => {
    const { server } = await worldMakers[source]();
    const { store, pull } = puller(server, { request: { [source]: [name] } });
    expect((await pull('2026-02-03T18:00:00Z')).ends).toEqual([`${name} pulled`]);
    const refusal = {
      detail: `the store follows ${name} at ${source}`,
      hints: [`asof unfollow ${source} ${name} stops that; the facts stay`],
    };
    await expect(removeSeries(store, id)).rejects.toMatchObject(refusal);
    await expect(renameSeries(store, id, 'MINE')).rejects.toMatchObject(refusal);
    await importFiles(store, { 'x.csv': 'series_id,date,as_of_date,value\nX,2020-01-01,2020-02-01,1\n' });
    await removeSeries(store, 'X');
    await unfollow(store, source, [name]);
    await removeSeries(store, id);
    // Followed again, it comes again.
    await pull('2026-02-03T20:00:00Z');
    expect(await reading(store, async (view) => (await view.series.find(id))?.id)).toBe(id);
  });
});
