import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realTimeVariables } from '../../src/domain/series/real-time-data-set.ts';
import { readSheets } from '../../src/import/readers/xlsx.ts';
import { loopbackPhiladelphia } from '../support/pull/loopback-files.ts';
import { puller } from '../support/pull/pulling.ts';
import { largeData, readData } from '../support/repository.ts';
import { onlyFile } from '../support/source-file.ts';
import { realTimeAnswers } from '../support/suites/series-files.ts';

const names = readdirSync(join(largeData, 'macro/rtdsm')).map((name) => name.replace('.xlsx', ''));

describe('the catalogue of the Real-Time Data Set', () => {
  it('knows all 25 workbooks', () => expect(names.length).toBe(25));

  it.each(names)('states the frequencies that the workbook %s has', async (name) => {
    const [, id = '', vintages = '', data = ''] = /^(\w+)([MQ])v([MQ])d$/.exec(name) ?? [];
    const variable = realTimeVariables.get(id.toUpperCase());
    expect([variable?.frequency, variable?.vintages]).toEqual([data, expect.arrayContaining([vintages])]);
    const [sheet] = await readSheets(await onlyFile(join(largeData, `macro/rtdsm/${name}.xlsx`)), 'heads');
    const [, vintage] = sheet?.rows[0] ?? [];
    expect(vintage).toMatch(new RegExp(`^${id}\\d\\d${vintages}\\d+$`, 'i'));
    expect(sheet?.rows[1]?.[0]).toMatch(data === 'Q' ? /^\d{4}:Q[1-4]$/ : /^\d{4}:\d\d$/);
  });
});

it('asof pull rtdsm gives the 300 true answers about ROUTPUT, CPI and EMPLOY', async () => {
  const workbooks = names.map((name) => [
    name.toLowerCase(),
    readData(largeData, `macro/rtdsm/${name}.xlsx`),
  ]);
  const server = await loopbackPhiladelphia(Object.fromEntries(workbooks));
  const variables = ['ROUTPUT', 'CPI', 'EMPLOY'];
  const { store, pull } = puller(server, { request: { rtdsm: variables } });
  expect((await pull('2024-04-01T12:00:00Z')).ends).toEqual(variables.map((name) => `${name} pulled`));
  const { given, expected } = await realTimeAnswers(store, variables);
  expect(given.length).toBe(300);
  expect(given).toEqual(expected);
});
