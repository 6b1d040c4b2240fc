import type { ServerResponse } from 'node:http';
import { expect, it, vi } from 'vitest';
import { asJsonStat } from '../../support/eurostat.ts';
import { eurostatReply, rates, rateTable } from '../../support/pull/loopback-eurostat.ts';
import { contentOf, newHome } from '../../support/pull/pulling.ts';
import { importFiles, newStorePath } from '../../support/scratch-store.ts';
import { serve } from '../../support/service-double.ts';

// The pace of requests is that of a real pull.
vi.setConfig({ testTimeout: 180_000 });

const key = 'EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.EA';

it('asof pull eurostat in a process of its own stores nothing wrong on bad days, and is whole after them', async () => {
  const months = Array.from(
    { length: 60 },
    (_, i) => `${2016 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`,
  );
  const days = ['2021-01-08', '2021-02-01', '2021-03-04', '2021-04-06', '2021-04-30', '2021-06-01'];
  const tables = {
    EI_LM_M_VTGFIX: rateTable(
      'EI_LM_M_VTGFIX',
      '2025-08-08T11:00:00+0200',
      rates('EA', '2020-12-02', '2020-10 8.4'),
    ),
    EI_LM_M_VTG: rateTable(
      'EI_LM_M_VTG',
      '2025-09-14T23:00:00+0200',
      days.flatMap((day, i) => rates('EA', day, ...months.map((month, at) => `${month} ${i}.${at}`))),
    ),
  };
  type Fault = (response: ServerResponse, body: Buffer) => void;
  /** What goes wrong with the next answers about the table since 2021. */
  const faults: Fault[] = [];
  const { url } = await serve((request, response) => {
    const { what, reply } = eurostatReply(tables, new URL(request.url ?? '', 'http://loopback'));
    const fault = what.startsWith('EI_LM_M_VTG ') ? faults.shift() : undefined;
    if (fault !== undefined) fault(response, Buffer.from(reply.body));
    else response.writeHead(reply.status, { 'content-type': reply.type }).end(reply.body);
  });
  const home = newHome(() => ({ ASOF_EUROSTAT_URL: url }));
  const statements = async (store: string) => (await contentOf(store, `ESTAT:${key}`)).statements;
  const pull = (flags = '') => home.asof(`pull eurostat ${key} --retries 0${flags}`);
  const size = asJsonStat(tables.EI_LM_M_VTG).length;
  expect(size).toBeGreaterThan(6000);
  const cuts = Array.from({ length: Math.ceil(size / 1024) }, (_, kilobytes): Fault => {
    return (response, body) => response.writeHead(200).end(body.subarray(0, kilobytes * 1024));
  });
  const others: readonly (readonly [Fault, number, RegExp])[] = [
    [
      (response, body) =>
        void response
          .writeHead(200, { 'content-length': body.length })
          .write(body.subarray(0, 2048), () => response.destroy()),
      7,
      /broke off|closed|reset/,
    ],
    [
      (response) => response.writeHead(200).end('<!DOCTYPE html><title>Maintenance</title>'),
      8,
      /not JSON or broke off/,
    ],
    [(response) => void setTimeout(() => response.writeHead(504).end(), 1500), 8, /HTTP 504/],
    [(response) => response.writeHead(429, { 'retry-after': '120' }).end(), 6, /try again in 120 s/],
    [
      (response, body) => response.writeHead(200).end(body.toString().replaceAll('"unit"', '"units"')),
      8,
      /a new dimension units and no dimension unit/,
    ],
  ];
  const bad = [...cuts.map((cut) => [cut, 8, /not JSON or broke off/] as const), ...others];
  for (const [fault, exit, reason] of bad) {
    faults.push(fault);
    const { code, err } = await pull();
    expect([code, err]).toEqual([exit, expect.stringMatching(reason)]);
    expect((await statements(home.store)).map(({ asOf }) => asOf)).toEqual(['2020-12-02']);
    home.forgetPause();
  }
  faults.push((response) => response.writeHead(429, { 'retry-after': '1' }).end());
  expect(await pull()).toMatchObject({ code: 0 });
  const imported = newStorePath(home.path);
  const files = Object.entries(tables).map(([name, table]) => [`${name}.json`, asJsonStat(table)]);
  await importFiles(imported, Object.fromEntries(files));
  expect(await statements(home.store)).toEqual(await statements(imported));
});
