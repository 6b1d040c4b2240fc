import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { type createServer as createHttp, request as forward } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { utcDay } from '../../../src/domain/values/date.ts';
import { openWriter } from '../../../src/store/open.ts';
import { runs } from '../../support/arbitrary.ts';
import { newSchemaAddress } from '../../support/engines.ts';
import { newFolder } from '../../support/folders.ts';
import { ended, newHome, type Source, worldMakers } from '../../support/pull/pulling.ts';
import { builtProgram } from '../../support/repository.ts';
import { selfSigned, serve } from '../../support/service-double.ts';

// The pace of requests is that of a real pull. Tests that wait for it run side by side.
vi.setConfig({ testTimeout: 180_000 });

async function begin(source: Source, env: Readonly<Record<string, string>> = {}) {
  const world = await worldMakers[source](utcDay(new Date()));
  return { ...world, home: newHome(() => ({ ...world.env, ...env })) };
}

/** Waits until a server has been asked so many times, or the command has ended. */
async function untilAsked(child: ChildProcess, asked: readonly string[], count: number): Promise<void> {
  while (child.exitCode === null && asked.length < count)
    await new Promise((resolve) => setTimeout(resolve, 3));
}

describe.concurrent('asof pull in a process of its own', () => {
  // FRED allows two requests a second and the SEC ten, of which asof takes eight; the Philadelphia Fed states no limit.
  it.each([
    ['fred', 2],
    ['sec', 8],
    ['rtdsm', 1],
  ] as const)('twice at the same time keeps the pace, and both end well: %s', async (source, most) => {
    const { server, home, whole, expectWhole } = await begin(source);
    const ends = await Promise.all([home.asof(whole), home.asof(whole)]);
    expect(ends.map(({ code, err }) => [code, err])).toEqual(Array(2).fill([0, expect.any(String)]));
    await expectWhole(home.store);
    // The processes share a file with the times at which the last requests were allowed to begin.
    const file = join(home.path, `.cache/asof/pace-${source}.json`);
    const begun: readonly number[] = JSON.parse(readFileSync(file, 'utf8')).begun;
    const arrived = server.times.slice(-begun.length);
    const early = arrived.map((time, i) => (begun[i] ?? 0) - time);
    // The machine may set its clock by a few milliseconds between the two.
    expect(Math.max(...early)).toBeLessThanOrEqual(5);
    const inOneSecond = begun.map(
      (time) => begun.filter((other) => other >= time && other < time + 1000).length,
    );
    expect(Math.max(...inOneSecond)).toBeLessThanOrEqual(most);
    // They are the requests of both: others that arrived since the first of them began were on their way then.
    const since = server.times.filter((time) => time >= Math.min(...begun));
    expect(since.length).toBeLessThanOrEqual(begun.length + most);
  });

  it.each(['fred', 'sec'] as const)(
    'stops at SIGINT with 130, and the next run is whole: %s',
    async (source) => {
      const { server, home, whole, answered = 3, spoil, expectWhole } = await begin(source);
      spoil('silent', answered);
      const child = home.start(whole);
      const end = ended(child);
      await untilAsked(child, server.asked, answered + 1);
      child.kill('SIGINT');
      const { code, err } = await end;
      expect([code, err]).toEqual([130, expect.stringMatching(/^not yet pulled: /m)]);
      const next = existsSync(home.store) ? 'asof pull continues from there' : 'run the same command again';
      expect(err).toContain(next);
      spoil(undefined);
      expect(await home.asof(whole)).toMatchObject({ code: 0 });
      await expectWhole(home.store);
      expect(await home.asof('pull --list --columns left --no-header')).toMatchObject({ out: '""\n' });
    },
  );

  it('twice at the same time says once what is new', async () => {
    const { server, home, whole, expectWhole } = await begin('rtdsm');
    const file = newFolder().write('x.csv', 'series_id,date,as_of_date,value\nX,2020-01-01,2020-02-01,1\n');
    expect(await home.asof(`import ${file}`)).toMatchObject({ code: 0 });
    const lock = await openWriter(home.store);
    const children = [home.start(whole), home.start(whole)];
    const ends = Promise.all(children.map(ended));
    for (const child of children) await untilAsked(child, server.asked, 2);
    // Both have their answers, and wait for the lock of the store.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await lock.rollback();
    const said = (await ends).map(({ err }) => /^pulled 1 of 1: ([^;]*);/m.exec(err)?.[1]).sort();
    expect(said).toEqual(['2 new vintages, 2 new dates, 1 revised', 'nothing new']);
    await expectWhole(home.store);
  });

  it('on a full disk ends with 10, and goes on when there is room', async () => {
    const { home, part, whole, env, expectWhole } = await begin('fred');
    expect(await home.asof(part)).toMatchObject({ code: 0 });
    // A limit of the file size simulates a full disk: the log that a transaction writes before the store has no room.
    const script = `trap '' XFSZ; ulimit -f 40; exec "$0" "$@"`;
    const child = spawn('bash', ['-c', script, process.execPath, builtProgram, ...whole.split(' ')], {
      env: { PATH: process.env.PATH, HOME: home.path, ...env },
    });
    const { code, err } = await ended(child);
    expect([code, err]).toEqual([10, expect.stringMatching(/asof\.db/)]);
    expect(await home.asof('pull --list')).toMatchObject({ code: 0 });
    expect(await home.asof(whole)).toMatchObject({ code: 0 });
    await expectWhole(home.store);
  });

  /** A number below `end` that looks random and is the same in each run. */
  const shuffled = (i: number, end: number) => (i * 7919 + 13) % end;

  it.each([
    ['fred', 'a file', 3, 1],
    ['fred-md', 'a file', 5, 2],
    ['sec', 'a database', 20, 1],
  ] as const)(
    'that is killed again and again comes to the same store: %s into %s',
    async (source, place, mostRequests, withoutNews) => {
      const into = place === 'a database' ? { ASOF_STORE: newSchemaAddress() } : undefined;
      const { server, home, whole, expectWhole } = await begin(source, into);
      for (let kill = 0; kill < runs(4); kill += 1) {
        const child = home.start(whole);
        const end = ended(child);
        await untilAsked(child, server.asked, server.asked.length + 1 + shuffled(kill, mostRequests));
        // After an answer comes its transaction.
        await new Promise((resolve) => setTimeout(resolve, shuffled(kill, 40)));
        child.kill('SIGKILL');
        await end;
      }
      expect(await home.asof(whole)).toMatchObject({ code: 0 });
      await expectWhole(home.store);
      const { length: asked } = server.asked;
      expect(await home.asof('pull')).toMatchObject({ code: 0 });
      expect(server.asked.length).toBe(asked + withoutNews);
    },
  );
});

it('asof pull sends all requests to FRED through the tunnels of HTTPS_PROXY', async () => {
  const { server, home, whole, expectWhole } = await begin('fred');
  const front = await serve(
    (request, response) => {
      forward(new URL(request.url ?? '/', server.url), (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      }).end();
    },
    (on) => createHttps(selfSigned, on) as unknown as ReturnType<typeof createHttp>,
  );
  const { port } = new URL(front.url);
  const hosts = new Set<string>();
  const proxy = await serve((_, response) => void response.writeHead(400).end());
  proxy.server.on('connect', (request, socket) => {
    hosts.add(request.url ?? '');
    const far = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      far.pipe(socket).pipe(far);
    });
    for (const end of [far, socket]) end.on('error', () => undefined);
  });
  const end = await home.asof(whole, {
    ASOF_FRED_URL: `https://localhost:${port}/fred`,
    HTTPS_PROXY: proxy.url,
    NODE_EXTRA_CA_CERTS: newFolder().write('self-signed.pem', selfSigned.cert),
  });
  expect(end).toMatchObject({ code: 0 });
  await expectWhole(home.store);
  expect([[...hosts], front.asked.length]).toEqual([[`localhost:${port}`], server.asked.length]);
});
