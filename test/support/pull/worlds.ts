import { expect } from 'vitest';
import { addDays, utcDay, weekendDay } from '../../../src/domain/series/date.ts';
import { newFolder } from '../folders.ts';
import { importFiles, reading } from '../scratch-store.ts';
import type { Home } from './homes.ts';
import {
  chicagoToday,
  type Fault,
  type LoopbackSeries,
  loopbackFred,
  loopbackKey,
  recordedGdp,
} from './loopback-fred.ts';
import {
  filingsIn,
  loopbackContact,
  loopbackSec,
  recordedList,
  submissionText,
  throttlePage,
} from './loopback-sec.ts';
import { feedOn, loopbackTreasury, recordedFeed, type Trouble } from './loopback-treasury.ts';

/** What goes wrong with the requests to a source. */
type BadDay = 'throttled' | 'refused with a page' | 'half an answer' | 'a cut answer' | 'silent';

/** A loopback source with real data, a pull of all of it by the built command, and what its store must hold then. */
export type World = {
  readonly source: 'fred' | 'treasury' | 'sec';
  /** The pull of a part of it. */
  readonly part: readonly string[];
  readonly whole: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Its address, which `url` in the environment replaces. */
  readonly url: string;
  readonly urlVariable: string;
  /** When its requests arrived, in milliseconds. */
  readonly times: readonly number[];
  /** The requests that a pull without news takes. */
  readonly least: number;
  /** Lets every request from the n-th on go wrong. */
  spoil(how: BadDay | undefined, from?: number): void;
  /** Answers with another schema from now on. */
  changeSchema(): void;
  /** Says in each answer when it was sent. */
  date(): void;
  /** Expects the store of a home to hold what an import of everything holds. */
  expectWhole(home: Home): Promise<void>;
  close(): Promise<void>;
};

const folder = newFolder();
let stores = 0;
const newStore = () => folder.path(`imported-${stores++}.db`);

/** FRED with GDP, in windows of a few vintages. */
export async function fredWorld(maxVintages = 150): Promise<World> {
  const fred = await loopbackFred({ today: chicagoToday(), maxVintages });
  const gdp = recordedGdp();
  const small: LoopbackSeries = {
    description: { ...gdp.description, id: 'SMALL' },
    rows: gdp.rows.filter(({ date }) => date >= '2024-01-01'),
  };
  fred.state.series.SMALL = small;
  const faults: Readonly<Record<BadDay, Fault>> = {
    throttled: 'throttled',
    'refused with a page': 'forbidden',
    'half an answer': 'half',
    'a cut answer': 'cut',
    silent: 'slow',
  };
  return {
    source: 'fred',
    part: ['pull', 'fred', 'SMALL'],
    whole: ['pull', 'fred', 'GDP'],
    env: { FRED_API_KEY: loopbackKey, ASOF_FRED_URL: fred.url },
    url: fred.url,
    urlVariable: 'ASOF_FRED_URL',
    get times() {
      return fred.requests.map(({ at }) => at);
    },
    least: 1,
    spoil(how, from = 0) {
      const first = fred.requests.length + from;
      fred.state.fault = (number) => (how !== undefined && number >= first ? faults[how] : undefined);
    },
    changeSchema() {
      fred.state.change = (_, answer) =>
        Object.fromEntries(Object.entries(answer).map(([name, value]) => [`new_${name}`, value]));
    },
    date() {
      fred.state.isDated = true;
    },
    async expectWhole(home) {
      const { out } = await home.asof(['facts', 'GDP', '-q']);
      const lines = gdp.rows.map(
        ({ date, realtime_start: asOf, value }) => `${date},${asOf},${value === '.' ? '' : value}`,
      );
      const facts = out.trim().split('\n').slice(1);
      expect(facts.map((line) => line.split(',').slice(1, 4).join(',')).sort()).toEqual(lines.sort());
    },
    close: () => fred.close(),
  };
}

/** Treasury with the par curves of the recorded years from one on, and of one day in each other year. */
export async function treasuryWorld(firstYear = 2022): Promise<World> {
  const recorded = ['2009', '2010', '2023', '2024'].filter((year) => Number(year) >= firstYear);
  const server = await loopbackTreasury(...recorded.map((year) => `par ${year}`));
  const today = utcDay(new Date());
  const oneDay = feedOn(recordedFeed('par 2009'), '2009-01-02');
  for (let year = firstYear; year <= Number(today.slice(0, 4)); year += 1) {
    // 2 January is a holiday where the first is a Sunday.
    const days = Array.from({ length: 5 }, (_, i) => addDays(`${year}-01-03`, i));
    const day = days.find((one) => weekendDay(one) === undefined && one <= today);
    if (!recorded.includes(String(year)) && day !== undefined)
      server.feeds[`par ${year}`] = oneDay.replace('2009-01-02T', `${day}T`);
  }
  const feed = recordedFeed('par 2009');
  const troubles: Readonly<Record<BadDay, Trouble>> = {
    throttled: { status: 429, body: '' },
    'refused with a page': { status: 403, body: '<!DOCTYPE html><html><title>Access Denied</title></html>' },
    'half an answer': { status: 200, body: feed.slice(0, feed.length / 2), type: 'application/xml' },
    'a cut answer': 'cut',
    silent: 'silent',
  };
  const { spoil, times } = spoiled(server, troubles);
  return {
    source: 'treasury',
    part: ['pull', 'treasury', 'par', '--since', '2024-01-01'],
    whole: ['pull', 'treasury', 'par', '--since', `${firstYear}-01-01`],
    env: { ASOF_TREASURY_URL: server.url },
    url: server.url,
    urlVariable: 'ASOF_TREASURY_URL',
    times,
    least: 1,
    spoil,
    changeSchema() {
      server.feeds = Object.fromEntries(
        Object.entries(server.feeds).map(([name, text]) => [
          name,
          text.replaceAll('BC_10YEAR', 'BC_TENYEARS'),
        ]),
      );
    },
    date() {
      server.isDated = true;
    },
    async expectWhole(home) {
      const store = newStore();
      const feeds = Object.entries(server.feeds).map(([name, text]) => [`${name}.xml`, text]);
      await importFiles(store, Object.fromEntries(feeds));
      const ratesOf = (path: string) =>
        reading(path, (view) => view.rates.yields({ curveType: 'PAR', limit: 100_000 }));
      expect(await ratesOf(home.store)).toEqual(await ratesOf(store));
    },
    close: async () => undefined,
  };
}

/** The SEC with the filings of a company in some months. */
export async function secWorld(since = '2025-12-05'): Promise<World> {
  const server = await loopbackSec();
  const list = recordedList('0000789019-05Mar2026');
  const filings = filingsIn(list, 'UTC').filter(({ filedOn }) => filedOn >= since);
  const path = '/submissions/CIK0000789019.json';
  server.files[path] = list;
  server.addFilings('789019', filings);
  const troubles: Readonly<Record<BadDay, Trouble>> = {
    throttled: { status: 429, body: '' },
    'refused with a page': throttlePage,
    'half an answer': { status: 200, body: list.slice(0, list.length / 2) },
    'a cut answer': 'cut',
    silent: 'silent',
  };
  const { spoil, times } = spoiled(server, troubles);
  return {
    source: 'sec',
    part: ['pull', 'sec', '--cik', '789019', '--since', '2026-03-01'],
    whole: ['pull', 'sec', '--cik', '789019', '--since', since],
    env: { ASOF_SEC_URL: server.url, ASOF_SEC_CONTACT: loopbackContact },
    url: server.url,
    urlVariable: 'ASOF_SEC_URL',
    times,
    least: 1,
    spoil,
    changeSchema() {
      server.files[path] = list.replace('"accessionNumber"', '"accession"');
    },
    date() {
      server.isDated = true;
    },
    async expectWhole(home) {
      const store = newStore();
      const texts = filings.map((filing) => [`${filing.accessionNumber}.txt`, submissionText(filing)]);
      await importFiles(store, Object.fromEntries(texts), { latest: '2099-01-01' });
      const filingsOf = (at: string) => reading(at, (view) => view.filings.page({ limit: 100_000 }));
      expect(await filingsOf(home.store)).toEqual(await filingsOf(store));
    },
    close: async () => undefined,
  };
}

type Server = Pick<Awaited<ReturnType<typeof loopbackTreasury>>, 'asked' | 'trouble'>;

/** What spoils a server's answers from a request on, and the times of all requests. */
function spoiled(
  server: Server,
  troubles: Readonly<Record<BadDay, Trouble>>,
): Pick<World, 'spoil'> & { readonly times: number[] } {
  const times: number[] = [];
  const spoil: World['spoil'] = (how, from = 0) => {
    const first = server.asked.length + from;
    server.trouble = (number) => {
      times.push(Date.now());
      return how !== undefined && number >= first ? troubles[how] : undefined;
    };
  };
  spoil(undefined);
  return { spoil, times };
}
