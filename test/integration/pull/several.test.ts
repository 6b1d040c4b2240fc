import { describe, expect, it } from 'vitest';
import { loopbackPhiladelphia } from '../../support/pull/loopback-files.ts';
import { puller } from '../../support/pull/pulling.ts';
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
