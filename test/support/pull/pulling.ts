import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { schedule, weekendDay } from '../../../src/domain/values/date.ts';
import { type PullOptions, type SourceName, sourceNames } from '../../../src/pull/options.ts';
import { pull } from '../../../src/pull/pull.ts';
import { followedIn } from '../../../src/pull/sources.ts';
import { runs } from '../arbitrary.ts';
import { asof } from '../command.ts';
import { asJsonStat, type EurostatTable } from '../eurostat.ts';
import { scratchFolder } from '../folders.ts';
import { builtProgram } from '../repository.ts';
import { allStatements, importFiles, newStorePath, reading } from '../scratch-store.ts';
import { workbook } from '../source-file.ts';
import { loopbackCalendar } from './loopback-calendar.ts';
import { type EcbState, ecbKeyOf, loopbackEcb } from './loopback-ecb.ts';
import { loopbackEurostat, rates, rateTable } from './loopback-eurostat.ts';
import {
  archiveOf,
  loopbackPhiladelphia,
  loopbackStLouis,
  panelOf,
  publish,
  quarterlyPanelOf,
} from './loopback-files.ts';
import {
  fredFaults,
  type HistoryRow,
  type LoopbackSeries,
  loopbackFred,
  loopbackKey,
  recordedGdp,
} from './loopback-fred.ts';
import { loopbackOecd, oecdCsv } from './loopback-oecd.ts';
import {
  feedOn,
  filingsIn,
  type Loopback,
  type LoopbackFiling,
  loopbackContact,
  loopbackSec,
  loopbackTreasury,
  recordedList,
  submissionText,
  type Trouble,
  throttlePage,
} from './loopbacks.ts';

const folder = scratchFolder();

/** A store that pulls from a loopback source. */
export type Puller = ReturnType<typeof puller>;

/** What one pull did, and what its store follows then. */
export type Pulled = Awaited<ReturnType<Puller['pull']>>;

/** A new store that pulls from a source with these options. */
export function puller(source: Loopback, fixed: Partial<PullOptions> = {}) {
  const { store = newStorePath(folder) } = fixed;
  return {
    store,
    /** Pulls at an instant, over a time that passes only in waits. */
    async pull(instant: string, options: Partial<PullOptions> = {}) {
      const asked = source.asked.length;
      const waits: number[] = [];
      const waited = () => waits.reduce((sum, wait) => sum + wait, 0);
      const timing = {
        now: () => Date.parse(instant) + waited(),
        sleep: async (milliseconds: number) => void waits.push(milliseconds),
      };
      const { settings } = source;
      const usual = { clock: () => new Date(timing.now()), timing, env: {}, retries: 0, settings };
      const summary = await pull({ ...usual, ...fixed, ...options, store });
      const { subjects, stops } = summary;
      const problems = [...subjects, ...stops].flatMap(({ problem }) => problem ?? []);
      return {
        ...summary,
        /** How each subject ended: `par pulled`, or with the kind of its failure `par failed: bad-answer`. */
        ends: subjects.map(({ name, outcome, problem }) =>
          problem === undefined ? `${name} ${outcome}` : `${name} ${outcome}: ${problem.kind}`,
        ),
        /** The kind, the message and the hints of the first failure. */
        kind: problems[0]?.kind,
        said: problems[0]?.detail ?? '',
        hints: problems[0]?.hints ?? [],
        notes: subjects.flatMap(({ notes }) => notes),
        asked: source.asked.slice(asked),
        waits,
        waited: waited(),
        followed: await followedIn(store),
      };
    },
  };
}

/** The trades of filings in a store. */
export function filingsOf(store: string) {
  return reading(store, (view) => view.filings.page({ limit: 1_000_000 }));
}

/** The accession numbers of the filings whose trades a store has, sorted. */
export async function numbersIn(store: string): Promise<readonly string[]> {
  return [...new Set((await filingsOf(store)).map(({ accessionNumber }) => accessionNumber ?? ''))].sort();
}

/** The trades that an import of full submissions gives. */
export async function importedFilings(filings: readonly LoopbackFiling[]) {
  const store = newStorePath(folder);
  const texts = filings.map((filing) => [`${filing.accessionNumber}.txt`, submissionText(filing)]);
  await importFiles(store, Object.fromEntries(texts), { latest: '2099-01-01' });
  return filingsOf(store);
}

/** The rates of all curves in a store. */
export function ratesOf(store: string) {
  return reading(store, async (view) => [
    ...(await view.rates.yields({ limit: 1_000_000, curveType: 'PAR' })),
    ...(await view.rates.yields({ limit: 1_000_000, curveType: 'TIPS' })),
  ]);
}

/** The rates that an import of feeds gives. */
export async function importedRates(...feeds: readonly string[]) {
  const store = newStorePath(folder);
  const files = Object.fromEntries(feeds.map((feed, i) => [`${i}.xml`, feed]));
  await importFiles(store, files, { latest: '2099-01-01' });
  return ratesOf(store);
}

/**
 * The part of a history that was published up to a day; `end` is the end of periods that have not ended on that day.
 */
export function historyUpTo(rows: readonly HistoryRow[], day: string, end = day): readonly HistoryRow[] {
  return rows
    .filter((row) => row.realtime_start <= day)
    .map((row) => (row.realtime_end > day ? { ...row, realtime_end: end } : row));
}

/** Imports the whole history of a series from a day on, up to a day, into a store as one recorded answer of FRED. */
export async function importHistory(
  { description, rows }: LoopbackSeries,
  day: string,
  { from = '1776-07-04', store = newStorePath(folder) } = {},
): Promise<string> {
  const observations = historyUpTo(rows, day)
    .filter(({ realtime_end: end }) => end >= from)
    .map((row) => (row.realtime_start < from ? { ...row, realtime_start: from } : row));
  const count = observations.length;
  const head = { units: 'lin', output_type: 1, count, offset: 0, limit: 100_000 };
  const period = { realtime_start: from, realtime_end: day };
  await importFiles(store, {
    [`${description.id}-series.json`]: JSON.stringify({ seriess: [description] }),
    [`${description.id}-observations.json`]: JSON.stringify({ ...head, ...period, observations }),
  });
  return store;
}

/** What a store says about a series, but for its release, which only a pull states: description, vintages, statements. */
export function contentOf(store: string, id: string) {
  return reading(store, async (view) => {
    const found = await view.series.find(id);
    const { version: _version, release: _release, ...series } = found ?? { version: 0, release: '' };
    const vintages = await view.series.vintages({ seriesId: id, limit: 1_000_000 });
    return { series, vintages: vintages?.rows, statements: await allStatements(view, id) };
  });
}

/** A loopback source, a pull from it, and what must hold after a pull without faults. */
type BreakablePull = {
  readonly source: Loopback;
  readonly run: (hour: number) => Promise<unknown>;
  readonly check: () => Promise<void>;
};

/**
 * The property that pulls which break off at up to three random requests, and then one that does not, come to what
 * `check` wants. `begin` starts a source and an empty store; a break is at one of the first `requests` requests of
 * its pull.
 */
export async function checkBreaks(
  faults: readonly Trouble[],
  requests: number,
  begin: () => Promise<BreakablePull>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(requests), fc.constantFrom(...faults)), { minLength: 1, maxLength: 3 }),
      async (breaks) => {
        const { source, run, check } = await begin();
        for (const [hour, [at, fault]] of breaks.entries()) {
          const from = source.asked.length;
          source.trouble = (number) => (number === from + at ? fault : undefined);
          await run(hour);
        }
        source.trouble = () => undefined;
        await run(breaks.length);
        await check();
      },
    ),
    { numRuns: runs(5) },
  );
}

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
  /** The requests of the whole pull that are answered before one that waits for a signal. Default: 3. */
  readonly answered?: number;
  /** The exit code and the message of a pull that is refused with a page. Default: those of a throttle. */
  readonly refusal?: readonly [exit: number, reason: RegExp];
  readonly whole: string;
  readonly env: Environment;
  /** Lets every request from the n-th on go wrong. */
  spoil(how: BadDay | undefined, from?: number): void;
  /** Answers with another schema from now on. */
  changeSchema(): void;
  /** Expects a store to hold what an import of everything holds. */
  expectWhole(store: string): Promise<void>;
};

/** Makes the function that spoils the answers of a server; `whole` is an answer of which half may come. */
function spoiling(
  server: Loopback,
  whole: { readonly body: string | Buffer; readonly type?: string },
  own: Partial<Record<BadDay, Trouble>> = {},
) {
  const troubles: Readonly<Record<BadDay, Trouble>> = {
    throttled: { status: 429, body: '' },
    'refused with a page': { status: 403, body: '<!DOCTYPE html><html><title>Access Denied</title></html>' },
    'half an answer': { status: 200, ...whole, body: whole.body.slice(0, whole.body.length / 2) },
    ...{ 'a cut answer': 'cut', silent: 'silent' },
    ...own,
  };
  return (how: BadDay | undefined, from = 0) => {
    const first = server.asked.length + from;
    server.trouble = (number) => (how !== undefined && number >= first ? troubles[how] : undefined);
  };
}

/** Expects a store to have of some series what an import of files gives. */
async function expectAsImported(
  store: string,
  ids: readonly string[],
  files: Readonly<Record<string, string>>,
  options: Parameters<typeof importFiles>[2] = {},
): Promise<void> {
  const imported = newStorePath(folder);
  await importFiles(imported, files, { latest: '2099-01-01', ...options });
  for (const id of ids) expect(await contentOf(store, id)).toEqual(await contentOf(imported, id));
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
    spoil: spoiling(server, half, { throttled, 'refused with a page': forbidden, 'half an answer': half }),
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
    spoil: spoiling(server, { body: oneDay, type: 'application/xml' }),
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
    spoil: spoiling(server, { body: recorded }, { 'refused with a page': throttlePage }),
    changeSchema() {
      server.files[path] = recorded.replace('"accessionNumber"', '"accession"');
    },
    async expectWhole(store) {
      expect(await filingsOf(store)).toEqual(await importedFilings(filings));
    },
  };
};

/** The Philadelphia Fed with two small workbooks. */
const rtdsmWorld: WorldMaker = async () => {
  const content = workbook([
    ['DATE', 'ULC23Q4', 'ULC24Q1'],
    ['2023:Q2', { number: '1.5' }, { number: '1.75' }],
    ['2023:Q3', '#N/A', { number: '2' }],
  ]);
  const server = await loopbackPhiladelphia({ ulcqvqd: content });
  return {
    server,
    part: 'pull rtdsm ULC',
    whole: 'pull rtdsm ULC',
    answered: 0,
    env: { ASOF_RTDSM_URL: server.url },
    spoil: spoiling(server, {
      body: content,
      type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    }),
    changeSchema() {
      server.workbooks.ulcqvqd = workbook([
        ['PERIOD', 'ULC24Q1'],
        ['2023:Q2', { number: '1' }],
      ]);
    },
    async expectWhole(store) {
      const { statements } = await contentOf(store, 'ULC');
      expect(statements.map(({ date, asOf, value }) => `${date} ${asOf} ${value}`)).toEqual([
        '2023-04-01 2023-11-15 1.5',
        '2023-04-01 2024-02-15 1.75',
        '2023-07-01 2023-11-15 null',
        '2023-07-01 2024-02-15 2',
      ]);
    },
  };
};

/** FRED-MD or FRED-QD with an archive and the files of the three months before this one. */
const databaseWorld = async (
  name: 'fred-md' | 'fred-qd',
  contentFor: (month: string) => string,
  ids: readonly string[],
  today = worldDay,
): Promise<World> => {
  const suffix = name.slice(-2);
  const own = suffix === 'md' ? 'monthly' : 'quarterly';
  const server = await loopbackStLouis();
  const months = [...schedule('month-end', '2025-01-01', today)].map((day) => day.slice(0, 7));
  const recent = months.filter((month) => month < today.slice(0, 7)).slice(-6);
  const [archived, single] = [recent.slice(0, 3), recent.slice(3)];
  const members = archived.map((month) => [`${name}_${month.replace('-', 'm')}.csv`, contentFor(month)]);
  const archive = `historical-vintages-of-${name}-${archived[0]}-to-${archived[2]}.zip`;
  publish(server, archive, archiveOf(Object.fromEntries(members)), 'Historical Vintages (.zip)');
  for (const [i, month] of single.entries())
    publish(server, `${own}/${month}-${suffix}.csv`, contentFor(month), i === 2 ? 'current.csv' : month);
  const half = contentFor(single[2] ?? '').slice(0, -20);
  return {
    server,
    part: `pull ${name} --since ${single[1]}-01`,
    whole: `pull ${name}`,
    env: { [`ASOF_FRED_${suffix.toUpperCase()}_URL`]: server.url },
    // Half a file without its last figures.
    spoil: spoiling(
      server,
      { body: '' },
      { 'half an answer': { status: 200, body: half, type: 'text/csv' } },
    ),
    changeSchema() {
      server.links = {};
    },
    async expectWhole(store) {
      const files = Object.fromEntries(recent.map((month) => [`${month}.csv`, contentFor(month)]));
      await expectAsImported(store, ids, files);
    },
  };
};

/** Eurostat with unemployment rates of two areas, each in two tables. */
const eurostatWorld: WorldMaker = async () => {
  const areas = ['DE', 'EA'];
  const months = [10, 11, 12].map((month) => `2020-${month} ${month}.5`);
  const before = areas.flatMap((geo) => rates(geo, '2020-12-02', ...months.slice(0, 1)));
  const since = areas.flatMap((geo) => [
    ...rates(geo, '2021-01-08', ...months.slice(0, 2)),
    ...rates(geo, '2021-02-01', ...months),
  ]);
  const tables = [
    rateTable('EI_LM_M_VTGFIX', '2025-08-08T11:00:00+0200', before),
    rateTable('EI_LM_M_VTG', '2025-09-14T23:00:00+0200', since),
  ];
  const server = await loopbackEurostat(...tables);
  const key = 'EI_LM_M_VTG.M.PC_ACT.SA.T.TOTAL.EA';
  const answer = asJsonStat(tables[0] as EurostatTable);
  return {
    server,
    part: `pull eurostat ${key}`,
    whole: `pull eurostat ${key}`,
    answered: 1,
    env: { ASOF_EUROSTAT_URL: server.url },
    spoil: spoiling(server, { body: answer, type: 'application/json' }),
    changeSchema() {
      for (const [name, table] of Object.entries(server.tables))
        server.tables[name] = {
          ...table,
          dimensions: table.dimensions.map((id) => (id === 'revdate' ? 'rev_date' : id)),
        };
    },
    async expectWhole(store) {
      const imported = newStorePath(folder);
      await importFiles(
        imported,
        Object.fromEntries(tables.map((table) => [`${table.name}.json`, asJsonStat(table)])),
        {
          latest: '2099-01-01',
        },
      );
      const statementsIn = async (path: string) => (await contentOf(path, `ESTAT:${key}`)).statements;
      expect(await statementsIn(store)).toEqual(await statementsIn(imported));
    },
  };
};

/** The ECB with series of its files of 2001 and 2002; one of the copies of a log in its cache lacks the last lines. */
const ecbWorld: WorldMaker = async () => {
  const gdp = 'ECB:RTD.Q.S0.S.G_GDPM_TO_C.E';
  const lacking = (body: string) => `${body.split('\n').slice(0, -4).join('\n')}\n`;
  const change: EcbState['change'] = (what, body, copy) =>
    what.startsWith('log') && copy === 'text/csv' ? lacking(body) : body;
  const server = await loopbackEcb();
  server.state.change = change;
  const log = server.log(gdp);
  return {
    server,
    part: `pull ecb ${ecbKeyOf('QRHGAJP01')}`,
    whole: `pull ecb ${gdp}`,
    answered: 2,
    env: { ASOF_ECB_URL: server.url },
    spoil: spoiling(server, { body: log, type: 'text/csv' }),
    changeSchema() {
      server.state.change = (what, body, copy) => change(what, body, copy).replace('TIME_PERIOD', 'PERIOD');
    },
    async expectWhole(store) {
      await expectAsImported(store, [gdp], { 'log.csv': log });
    },
  };
};

/** The OECD with three editions of two areas. */
const oecdWorld: WorldMaker = async () => {
  const editions = {
    '202510': { '2025-Q1': '100.5', '2025-Q2': '101' },
    '202511': { '2025-Q1': '100.5', '2025-Q2': '101.5', '2025-Q3': '102' },
    '202512': { '2025-Q1': '90.5', '2025-Q2': '91.5', '2025-Q3': '92' },
  };
  const rowsOf = (area: string) =>
    Object.entries(editions).flatMap(([edition, values]) =>
      Object.entries(values).map(([period, value]) => ({ area, edition, period, value })),
    );
  const rows = ['DEU', 'EA20'].flatMap(rowsOf);
  const server = await loopbackOecd({ DEU: editions, EA20: editions });
  const answer = oecdCsv(rows, true);
  return {
    server,
    part: 'pull oecd EA20.Q.B1GQ_Q.XDC._T',
    whole: 'pull oecd DEU+EA20.Q.B1GQ_Q.XDC._T',
    answered: 1,
    env: { ASOF_OECD_URL: server.url },
    spoil: spoiling(server, { body: answer, type: 'text/csv' }),
    changeSchema() {
      server.change = (text) => text.replace('EDITION', 'VINTAGE');
    },
    async expectWhole(store) {
      const ids = ['DEU', 'EA20'].map((area) => `OECD:STES_REV.${area}.Q.B1GQ_Q.XDC._T`);
      await expectAsImported(store, ids, { 'oecd.csv': answer }, { complete: true });
    },
  };
};

/** The BLS and the BEA with their calendars; both send pages to programs that they refuse. */
const calendarWorld: WorldMaker = async () => {
  const server = await loopbackCalendar();
  const { bea, json } = server.calendars;
  return {
    server,
    part: 'pull calendar BLS',
    whole: 'pull calendar BEA',
    answered: 1,
    refusal: [8, /the BEA sent a web page in place of .*\(HTTP 403\)[\s\S]*asof import .* --as-of/],
    env: { ASOF_CALENDAR_URL: server.url },
    spoil: spoiling(server, { body: bea.body, type: 'text/plain' }),
    changeSchema() {
      for (const [name, served] of Object.entries(server.calendars))
        Object.assign(server.calendars, {
          [name]: { ...served, body: served.body.replaceAll('DTSTART', 'DTBEGIN') },
        });
    },
    async expectWhole(store) {
      const imported = newStorePath(folder);
      const files = { 'bea-2026-02-03.ics': bea.body, 'release_dates.json': json.body };
      await importFiles(imported, files, { latest: '2099-01-01' });
      const contents = (path: string) =>
        reading(path, async (view) =>
          (await view.calendar.sightings()).map(({ seenAt: _, ...sighting }) => JSON.stringify(sighting)),
        );
      expect(new Set(await contents(store))).toEqual(new Set(await contents(imported)));
    },
  };
};

/** The live sources, each with what makes its world. */
export const worldMakers = {
  ...{ fred: fredWorld, treasury: treasuryWorld, sec: secWorld },
  ...{ ecb: ecbWorld, eurostat: eurostatWorld, oecd: oecdWorld },
  ...{ rtdsm: rtdsmWorld, calendar: calendarWorld },
  'fred-md': (today?: string) => databaseWorld('fred-md', panelOf, ['INDPRO', 'PAYEMS'], today),
  'fred-qd': (today?: string) => databaseWorld('fred-qd', quarterlyPanelOf, ['GDPC1'], today),
} as const satisfies Readonly<Record<SourceName, WorldMaker>>;

/** The name of a live source. */
export type Source = SourceName;

/** The names of the live sources. */
export const sources = sourceNames;
