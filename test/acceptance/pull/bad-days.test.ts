import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { type createServer as createHttp, request as forward } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runs } from '../../support/arbitrary.ts';
import { newFolder } from '../../support/folders.ts';
import { ended, type Home, newHome } from '../../support/pull/homes.ts';
import { fredWorld, secWorld, treasuryWorld, type World } from '../../support/pull/worlds.ts';
import { builtProgram } from '../../support/repository.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { serve } from '../../support/service-double.ts';

// The pace of requests is that of a real pull.
vi.setConfig({ testTimeout: 300_000 });

const folder = newFolder();
const opened: World[] = [];

afterEach(async () => {
  for (const world of opened.splice(0)) await world.close();
});

const makers = { fred: fredWorld, treasury: treasuryWorld, sec: secWorld } as const;
type Source = keyof typeof makers;
const sources = Object.keys(makers) as readonly Source[];

async function begin(source: Source, make: () => Promise<World> = () => makers[source]()) {
  const world = await make();
  opened.push(world);
  return { world, home: newHome(() => world.env) };
}

/** Without the pause that a source asked for. */
function forgetPause(home: Home): void {
  rmSync(join(home.path, '.cache'), { recursive: true, force: true });
}

async function expectNothingStored(home: Home): Promise<void> {
  expect((await home.asof(['pull', '--list', '--columns', 'name,up_to', '--no-header', '-q'])).out).toBe('');
}

describe.each(sources)('asof pull %s', (source) => {
  it.each([
    ['throttled', 6, /try again in \d+ s, at \d{4}-/],
    ['refused with a page', 6, /try again in \d+ s, at \d{4}-/],
    ['half an answer', 8, /(cannot be read, and nothing of it was stored|not JSON or broke off)/],
    ['a cut answer', 7, /cannot reach http:\/\/127\.0\.0\.1:\d+.*: /],
    ['silent', 7, /no answer within 1 s/],
  ] as const)(
    'that is %s ends with %i, stores nothing, and is whole in the next run',
    async (how, code, reason) => {
      const { world, home } = await begin(source);
      world.spoil(how);
      const limits = ['--retries', '0', '--max-wait', '1', '--timeout', '1'];
      const end = await home.asof([...world.whole, ...limits]);
      expect([end.code, end.err]).toEqual([code, expect.stringMatching(reason)]);
      expect(world.times.length).toBe(1);
      await expectNothingStored(home);
      world.spoil(undefined);
      forgetPause(home);
      expect(await home.asof(world.part)).toMatchObject({ code: 0 });
      expect((await home.asof(['pull', '--list', '--columns', 'left'])).out).toBe('left\n""\n');
    },
  );

  it.each([
    ['without a network', 'http://192.0.2.1', /cannot reach http:\/\/192\.0\.2\.1/],
    [
      'where nobody answers',
      'http://127.0.0.1:9',
      /cannot reach http:\/\/127\.0\.0\.1:9.*connection refused/,
    ],
    [
      'without an address for the name',
      'http://source.invalid',
      /cannot reach http:\/\/source\.invalid.*(no host of that name|cannot be looked up)/,
    ],
  ])('%s ends with 7 and names the address', async (_, url, reason) => {
    const { world, home } = await begin(source);
    const limits = ['--retries', '0', '--timeout', '2'];
    const end = await home.asof([...world.whole, ...limits], { [world.urlVariable]: url });
    expect([end.code, end.err]).toEqual([7, expect.stringMatching(reason)]);
    // Nobody knows whether there is something new, and there is no store to go on from.
    expect(end.err).toMatch(/^pulled 0 of 1; \d+ requests? in /m);
    expect(end.err).toMatch(
      /^left: .* \(everything\); there is no store yet, and the same command begins again$/m,
    );
    expect(end.err).not.toMatch(/nothing new|goes on from there/);
    await expectNothingStored(home);
  });

  it('that failed in a store says under left what is left of it', async () => {
    const { world, home } = await begin(source);
    expect(await home.asof(world.part)).toMatchObject({ code: 0 });
    world.changeSchema();
    const { code, err } = await home.asof(['pull', '--full', '--retries', '0']);
    expect(code).toBe(8);
    expect(err).toMatch(/^left: .* \(.+\); asof pull goes on from there$/m);
    expect(err).not.toContain('nothing new');
  });

  it('whose answers have another schema ends with 8, says so, and stores nothing', async () => {
    const { world, home } = await begin(source);
    world.changeSchema();
    const { code, err } = await home.asof([...world.whole, '--retries', '0']);
    expect([code, err]).toEqual([
      8,
      expect.stringMatching(
        /(cannot be read, and nothing of it was stored|is not as it was)[\s\S]*asof may be older/,
      ),
    ]);
    await expectNothingStored(home);
  });

  it.each([
    ['ahead', 400],
    ['behind', -400],
  ])('by a clock that is 400 days %s ends with 10, and the store stays as it was', async (_, days) => {
    const { world, home } = await begin(source);
    world.date();
    expect(await home.asof(world.part)).toMatchObject({ code: 0 });
    const before = (await home.asof(['pull', '--list', '--csv'])).out;
    const clock = folder.write(
      `clock-${source}-${days}.cjs`,
      `const real = Date;
       const shift = ${days * 86_400_000};
       globalThis.Date = class extends real {
         constructor(...args) { if (args.length > 0) super(...args); else super(real.now() + shift); }
         static now() { return real.now() + shift; }
       };`,
    );
    const { code, err } = await home.asof(['pull', '-v'], { NODE_OPTIONS: `--require=${clock}` });
    expect([code, err]).toEqual([
      10,
      expect.stringMatching(/the clock of this machine says[\s\S]*set the clock/),
    ]);
    const upTo = (list: string) => list.split(',').slice(0, 10)[9];
    expect(upTo((await home.asof(['pull', '--list', '--csv'])).out)).toBe(upTo(before));
    expect(await home.asof(['pull'])).toMatchObject({ code: 0 });
  });

  it('stops on Ctrl-C, says what is left, and goes on in the next run', async () => {
    const { world, home } = await begin(source);
    world.spoil('silent', 3);
    const child = home.start(world.whole);
    const end = ended(child);
    await vi.waitFor(() => expect(world.times.length).toBe(4), 30_000);
    child.kill('SIGINT');
    const { code, err } = await end;
    const next = existsSync(home.store) ? 'asof pull goes on from there' : 'the same command begins again';
    expect([code, err]).toEqual([130, expect.stringContaining(next)]);
    world.spoil(undefined);
    expect(await home.asof(world.whole)).toMatchObject({ code: 0 });
    await world.expectWhole(home);
  });

  it('twice at the same time keeps the pace, and both end well', async () => {
    const { world, home } = await begin(source);
    const ends = await Promise.all([home.asof(world.whole), home.asof(world.whole)]);
    expect(ends.map(({ code, err }) => [code, err])).toEqual([
      [0, expect.any(String)],
      [0, expect.any(String)],
    ]);
    await world.expectWhole(home);
    // FRED allows two a second and the SEC ten; Treasury states no limit.
    const inOneSecond = world.times.map(
      (time) => world.times.filter((other) => other >= time && other < time + 900).length,
    );
    expect(Math.max(...inOneSecond)).toBeLessThanOrEqual({ fred: 2, treasury: 4, sec: 10 }[source]);
  });

  it('on a full disk ends with 10, and goes on when there is room', async () => {
    const { world, home } = await begin(source);
    expect(await home.asof(world.part)).toMatchObject({ code: 0 });
    // A limit of the file size simulates a full disk: the log that a transaction writes before the store has no room.
    const script = `trap '' XFSZ; ulimit -f 40; exec "$0" "$@"`;
    const { env } = world;
    const whole = [...world.whole, '--full'];
    const child = spawn('bash', ['-c', script, process.execPath, builtProgram, ...whole], {
      env: { PATH: process.env.PATH, HOME: home.path, ...env },
    });
    const { code, err } = await ended(child);
    expect([code, err]).toEqual([10, expect.stringMatching(/asof\.db/)]);
    expect(await home.asof(['pull', '--list', '--csv'])).toMatchObject({ code: 0 });
    expect(await home.asof(whole)).toMatchObject({ code: 0 });
    await world.expectWhole(home);
  });
});

describe('a pull that is killed', () => {
  /** A number below `end` that looks random and is the same in each run. */
  const shuffled = (i: number, end: number) => (i * 7919 + 13) % end;

  /** Kills pulls of a source some times, each after a number of requests and some milliseconds; then pulls in peace. */
  async function killing(source: Source, kills: number, mostRequests: number, make: () => Promise<World>) {
    const { world, home } = await begin(source, make);
    for (let kill = 0; kill < kills; kill += 1) {
      const from = world.times.length + shuffled(kill, mostRequests);
      const child = home.start(world.whole);
      const end = ended(child);
      const deadline = Date.now() + 10_000;
      while (child.exitCode === null && world.times.length <= from && Date.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 3));
      // After an answer comes its transaction.
      await new Promise((resolve) => setTimeout(resolve, shuffled(kill, 40)));
      child.kill('SIGKILL');
      await end;
    }
    expect(await home.asof(world.whole)).toMatchObject({ code: 0 });
    await world.expectWhole(home);
    const asked = world.times.length;
    expect(await home.asof(['pull'])).toMatchObject({ code: 0 });
    expect(world.times.length - asked).toBe(world.least);
  }

  it('at any moment, again and again, comes to the same store', async () => {
    await Promise.all([
      killing('fred', runs(12), 3, () => fredWorld(10)),
      killing('treasury', runs(12), 2, () => treasuryWorld(2009)),
      killing('sec', runs(6), 32, () => secWorld('2025-06-01')),
    ]);
  });
});

describe('a pull through a proxy', () => {
  /** A proxy that opens tunnels to this machine, and the hosts that it was asked for. */
  async function tunnels() {
    const hosts: string[] = [];
    const { url, server } = await serve((_, response) => void response.writeHead(400).end());
    server.on('connect', (request, socket) => {
      hosts.push(request.url ?? '');
      const [host, port] = (request.url ?? '').split(':');
      if (host !== 'localhost') {
        socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
        return;
      }
      const far = connect(Number(port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        far.pipe(socket).pipe(far);
      });
      for (const end of [far, socket]) end.on('error', () => undefined);
    });
    return { url, hosts };
  }

  it('of HTTPS_PROXY sends all requests of FRED through its tunnels', async () => {
    const { world, home } = await begin('fred');
    const front = await serve(
      (request, response) => {
        const { pathname, search } = new URL(request.url ?? '/', 'https://localhost');
        forward(new URL(pathname + search, world.url), (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        }).end();
      },
      (on) => createHttps(selfSigned, on) as unknown as ReturnType<typeof createHttp>,
    );
    const { url, hosts } = await tunnels();
    const port = new URL(front.url).port;
    const end = await home.asof(world.whole, {
      ASOF_FRED_URL: `https://localhost:${port}/fred`,
      HTTPS_PROXY: url,
      NODE_EXTRA_CA_CERTS: folder.write('self-signed.pem', selfSigned.cert),
    });
    expect(end).toMatchObject({ code: 0 });
    await world.expectWhole(home);
    expect([new Set(hosts), front.asked.length]).toEqual([
      new Set([`localhost:${port}`]),
      world.times.length,
    ]);
  });

  it.each([
    ['fred', 'api.stlouisfed.org:443'],
    ['treasury', 'home.treasury.gov:443'],
    ['sec', 'data.sec.gov:443'],
  ] as const)('of HTTPS_PROXY asks it for the host of %s, %s', async (source, host) => {
    const { world, home } = await begin(source);
    const { url, hosts } = await tunnels();
    const env = { [world.urlVariable]: '', HTTPS_PROXY: url };
    const { code, err } = await home.asof([...world.whole, '--retries', '0'], env);
    expect([code, err, hosts]).toEqual([
      7,
      expect.stringContaining('the proxy refused with status 502'),
      [host],
    ]);
  });

  it.each(sources)('that is down ends with 7 and names it without its password: %s', async (source) => {
    const { world, home } = await begin(source);
    const env = { [world.urlVariable]: '', HTTPS_PROXY: 'http://me:hunter2@127.0.0.1:9' };
    const { code, err } = await home.asof([...world.whole, '--retries', '0', '--debug'], env);
    expect([code, err]).toEqual([7, expect.stringContaining('a proxy, http://127.0.0.1:9 (')]);
    expect(err).not.toContain('hunter2');
  });
});

describe('asof pull --max-duration', () => {
  it('ends a wait that would last longer, with the exit code of its reason', async () => {
    const { world, home } = await begin('fred');
    world.spoil('throttled', 4);
    const started = Date.now();
    const { code, err } = await home.asof([...world.whole, '--max-duration', '20s']);
    expect([code, err]).toEqual([6, expect.stringContaining('--max-duration leaves no time to wait for it')]);
    expect(err).toContain('left: GDP (everything); there is no store yet, and the same command begins again');
    expect(Date.now() - started).toBeLessThan(20_000);
  });
});
