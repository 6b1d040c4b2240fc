import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { weekendDay } from '../../../src/domain/values/date.ts';
import { asof } from '../command.ts';
import { scratchFolder } from '../folders.ts';
import { builtProgram } from '../repository.ts';
import { fredFaults, loopbackFred, loopbackKey, recordedGdp } from './loopback-fred.ts';
import {
  feedOn,
  filingsIn,
  type Loopback,
  loopbackContact,
  loopbackSec,
  loopbackTreasury,
  recordedList,
  type Trouble,
  throttlePage,
} from './loopbacks.ts';
import { contentOf, filingsOf, importedFilings, importedRates, ratesOf } from './pulling.ts';

type Environment = Readonly<Record<string, string>>;

/** The day of worlds unless a test wants another one. */
const worldDay = '2026-02-03';
/** When commands run that run in the process of a test. */
export const worldNow = `${worldDay}T18:00:00Z`;

/** The home folder of a user, and asof there. */
export type Home = ReturnType<typeof newHome>;

/** A new empty home; `fixed` is the environment of every command in it. */
export function newHome(fixed: () => Environment = () => ({})) {
  const path = scratchFolder();
  const own = (env: Environment) => ({ HOME: path, ...fixed(), ...env });
  /** Starts the built asof in a child process. */
  const start = (line: string, env: Environment = {}) =>
    spawn(process.execPath, [builtProgram, ...line.split(' ')], {
      env: { PATH: process.env.PATH, ...own(env) },
    });
  return {
    path,
    /** The store that commands use. */
    store: fixed().ASOF_STORE ?? join(path, '.local/share/asof/asof.db'),
    start,
    /** Runs the built asof in a child process. */
    asof: (line: string, env?: Environment) => ended(start(line, env)),
    /** Runs a command in this process, on the day of the worlds. */
    run: (line: string, env: Environment = {}, signal = new AbortController().signal) =>
      asof(line.split(' '), { env: own(env), now: worldNow, signal }),
    /** Forgets the pause that a source asked for. */
    forgetPause: () => rmSync(join(path, '.cache'), { recursive: true, force: true }),
    /** Every file in it, as text byte by byte. */
    contents: () =>
      readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'))
        .join('\n'),
  };
}

/** Waits for the end of a command, and gives what it wrote. */
export function ended(child: ChildProcess) {
  const [out, err]: [string[], string[]] = [[], []];
  child.stdout?.on('data', (data) => out.push(String(data)));
  child.stderr?.on('data', (data) => err.push(String(data)));
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out: out.join(''), err: err.join('') }));
  });
}

/** What goes wrong with the requests to a source. */
type BadDay = 'throttled' | 'refused with a page' | 'half an answer' | 'a cut answer' | 'silent';

/** A loopback source with real data, a command that pulls all of it, and what a store must hold then. */
export type World = {
  readonly server: Loopback;
  /** The pull of a part of it. */
  readonly part: string;
  readonly whole: string;
  readonly env: Environment;
  /** Lets every request from the n-th on go wrong. */
  spoil(how: BadDay | undefined, from?: number): void;
  /** Answers with another schema from now on. */
  changeSchema(): void;
  /** Expects a store to hold what an import of everything holds. */
  expectWhole(store: string): Promise<void>;
};

/** Makes the function that spoils the answers of a server. */
function spoiling(
  server: Loopback,
  own: Pick<Record<BadDay, Trouble>, 'throttled' | 'refused with a page' | 'half an answer'>,
) {
  const troubles = { ...own, 'a cut answer': 'cut', silent: 'silent' } as const;
  return (how: BadDay | undefined, from = 0) => {
    const first = server.asked.length + from;
    server.trouble = (number) => (how !== undefined && number >= first ? troubles[how] : undefined);
  };
}

/** Makes a world on a day. */
type WorldMaker = (today?: string) => Promise<World>;

/** FRED with GDP, in windows of a few vintages, and with the small series SMALL. */
const fredWorld: WorldMaker = async (today = worldDay) => {
  const gdp = recordedGdp();
  const small = recordedGdp('2024-01-01');
  const description = { ...gdp.description, id: 'SMALL' };
  const server = await loopbackFred({
    ...{ today, maxVintages: 150 },
    series: { GDP: gdp, SMALL: { ...small, description } },
  });
  const { throttled, forbidden, half } = fredFaults;
  return {
    server,
    part: 'pull fred SMALL',
    whole: 'pull fred GDP',
    env: { FRED_API_KEY: loopbackKey, ASOF_FRED_URL: server.url },
    spoil: spoiling(server, { throttled, 'refused with a page': forbidden, 'half an answer': half }),
    changeSchema() {
      server.state.change = (_, answer) =>
        Object.fromEntries(Object.entries(answer).map(([name, value]) => [`new_${name}`, value]));
    },
    async expectWhole(store) {
      const { statements } = await contentOf(store, 'GDP');
      const lines = gdp.rows.map(
        ({ date, realtime_start: asOf, value }) => `${date} ${asOf} ${value === '.' ? null : value}`,
      );
      expect(statements.map(({ date, asOf, value }) => `${date} ${asOf} ${value}`).sort()).toEqual(
        lines.sort(),
      );
    },
  };
};

/** Treasury with the par curves of two Januaries, and of one day in each year after them. */
const treasuryWorld: WorldMaker = async (today = worldDay) => {
  const server = await loopbackTreasury();
  const oneDay = feedOn('par 2024', '2024-01-02');
  for (let year = 2023; year <= Number(today.slice(0, 4)); year += 1) {
    // 2 January is a holiday where the first is a Sunday.
    const days = [3, 4, 5].map((day) => `${year}-01-0${day}`);
    const day = days.find((one) => weekendDay(one) === undefined && one <= today);
    if (year < 2025) server.feeds[`par ${year}`] = feedOn(`par ${year}`, `${year}-01-31`);
    else if (day !== undefined) server.feeds[`par ${year}`] = oneDay.replace('2024-01-02T', `${day}T`);
  }
  const feeds = Object.values(server.feeds);
  return {
    server,
    part: 'pull treasury par --since 2024-01-01',
    whole: 'pull treasury par --since 2023-01-01',
    env: { ASOF_TREASURY_URL: server.url },
    spoil: spoiling(server, {
      throttled: { status: 429, body: '' },
      'refused with a page': {
        status: 403,
        body: '<!DOCTYPE html><html><title>Access Denied</title></html>',
      },
      'half an answer': { status: 200, body: oneDay.slice(0, oneDay.length / 2), type: 'application/xml' },
    }),
    changeSchema() {
      for (const [name, text] of Object.entries(server.feeds))
        server.feeds[name] = text.replaceAll('BC_10YEAR', 'BC_TENYEARS');
    },
    async expectWhole(store) {
      expect(await ratesOf(store)).toEqual(await importedRates(...feeds));
    },
  };
};

/** The SEC with the filings of a company in some months. */
const secWorld: WorldMaker = async () => {
  const server = await loopbackSec();
  const recorded = recordedList('0000789019-03Feb2026');
  const filings = filingsIn(recorded, '2025-12-01');
  const path = '/submissions/CIK0000789019.json';
  server.files[path] = recorded;
  server.addFilings('789019', filings);
  return {
    server,
    part: 'pull sec --cik 789019 --since 2026-01-01',
    whole: 'pull sec --cik 789019 --since 2025-12-01',
    env: { ASOF_SEC_URL: server.url, ASOF_SEC_CONTACT: loopbackContact },
    spoil: spoiling(server, {
      throttled: { status: 429, body: '' },
      'refused with a page': throttlePage,
      'half an answer': { status: 200, body: recorded.slice(0, recorded.length / 2) },
    }),
    changeSchema() {
      server.files[path] = recorded.replace('"accessionNumber"', '"accession"');
    },
    async expectWhole(store) {
      expect(await filingsOf(store)).toEqual(await importedFilings(filings));
    },
  };
};

/** The live sources, each with what makes its world. */
export const worldMakers = { fred: fredWorld, treasury: treasuryWorld, sec: secWorld } as const;

/** The name of a live source. */
export type Source = keyof typeof worldMakers;

/** The names of the live sources. */
export const sources: readonly Source[] = ['fred', 'treasury', 'sec'];
