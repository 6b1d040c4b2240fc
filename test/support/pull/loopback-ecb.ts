import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readData, testData } from '../repository.ts';
import { type Loopback, loopback } from './loopbacks.ts';

/** The days on which the ECB froze the figures of its files of 2001 and 2002, by the log of the database. */
const freezes = [
  ...['2001-01-03', '2001-01-31', '2001-02-28', '2001-04-10', '2001-05-08', '2001-06-06', '2001-07-04'],
  ...['2001-08-01', '2001-09-13', '2001-10-10', '2001-11-07', '2001-12-05', '2002-01-16', '2002-02-06'],
  ...['2002-03-06', '2002-04-03', '2002-04-30', '2002-06-05', '2002-07-03', '2002-07-31', '2002-09-11'],
  ...['2002-10-09', '2002-11-06', '2002-12-04'],
];

/** The values of a series by period, such as `1991-Q1`. */
type Values = ReadonlyMap<string, string>;

/** A file of the ECB: its name, the day of its freeze, its month's last day, and the values of its columns. */
export type EcbFile = {
  readonly name: string;
  readonly frozenOn: string;
  readonly monthEnd: string;
  readonly columns: ReadonlyMap<string, Values>;
};

/** Reads the monthly files of a folder; of columns with one name, the last counts. */
export function ecbFiles(folder = join(testData, 'recordings/ecb')): readonly EcbFile[] {
  const names = readdirSync(folder).filter((name) => /^quarterly_\d{6}\.csv/.test(name));
  return names.sort().map((packed, index) => {
    const name = packed.replace('.gz', '');
    const lines = readData(folder, name).toString('utf8').split('\n');
    const keys = (lines[1] ?? '').split(',').map((key) => key.trim());
    const columns = new Map(keys.slice(1).map((key) => [key, new Map<string, string>()]));
    for (const line of lines) {
      const [label = '', ...cells] = line.split(',').map((cell) => cell.trim());
      const [, quarter, year] = /^Q(\d)-(\d{4})$/.exec(label) ?? [];
      for (const [place, value] of quarter === undefined ? [] : cells.entries())
        if (/\d/.test(value)) columns.get(keys[place + 1] ?? '')?.set(`${year}-Q${quarter}`, value);
    }
    const [year = '', month = ''] = [name.slice(10, 14), name.slice(14, 16)];
    const monthEnd = new Date(Date.UTC(Number(year), Number(month), 0)).toISOString().slice(0, 10);
    return { name, frozenOn: freezes[index] ?? '', monthEnd, columns };
  });
}

/** How the loopback ECB behaves; tests change it between requests. */
export type EcbState = {
  /** The number of files whose figures it has. */
  published: number;
  /** The freeze before which every figure was removed, to be entered again a second later. */
  resentOn: string;
  /** Changes an answer before it is sent; `copy` is the `Accept` of the request. */
  change: (what: string, body: string, copy: string) => string;
};

/** A server that answers as the Data Portal of the ECB does, of what changed from file to file. */
export type LoopbackEcb = Loopback & {
  readonly state: EcbState;
  readonly files: readonly EcbFile[];
  /** The ids of its series that have figures. */
  readonly ids: readonly string[];
  /** The whole log of a series. */
  readonly log: (id: string) => string;
};

const [header = '', replaceLine = ''] = readData(testData, 'recordings/ecb/rtd-log-excerpt.csv')
  .toString('utf8')
  .split('\n');

const names = header.split(',');

/** The cells of a recorded row as they are written. */
const recordedCells = replaceLine.match(/(?<=^|,)(?:"(?:[^"]|"")*"|[^,]*)/g) ?? [];

/** The time of a freeze in Frankfurt. */
function frozenAt(day: string, second = '00'): string {
  const isSummer = day.slice(5) > '03-28' && day.slice(5) < '10-27';
  return `${day}T15:30:${second}.000+0${isSummer ? 2 : 1}:00`;
}

type Cells = Readonly<Record<string, string>>;

/** A row of an answer: the recorded attributes if it has a value, and the cells of its own. */
function rowOf(columns: readonly string[], own: Cells): string {
  const isValue = own.OBS_VALUE !== undefined;
  return columns
    .map(
      (name) =>
        own[name] ?? (isValue && !/^(?:ACTION|VALID_)/.test(name) ? recordedCells[names.indexOf(name)] : ''),
    )
    .join(',');
}

/** The log of a series: what changed from file to file, and at the end what was removed. */
function logOf(key: string, { files, state }: Pick<LoopbackEcb, 'files' | 'state'>): string {
  const [replaced, deleted]: [string[], string[]] = [[], []];
  let before: Values = new Map();
  for (const { frozenOn, columns } of files.slice(0, state.published)) {
    // A column that is no longer in a file says nothing.
    const now = columns.get(key) ?? before;
    const isResent = frozenOn === state.resentOn;
    const own = (period: string) => ({ ...keyCells(key), TIME_PERIOD: period });
    for (const [period, value] of now)
      if (isResent || before.get(period) !== value) {
        const times = { ACTION: 'Replace', VALID_FROM: frozenAt(frozenOn, isResent ? '01' : '00') };
        replaced.push(rowOf(names, { ...own(period), OBS_VALUE: value, ...times }));
      }
    for (const period of before.keys())
      if (isResent || !now.has(period))
        deleted.push(rowOf(names, { ...own(period), ACTION: 'Delete', VALID_TO: frozenAt(frozenOn) }));
    before = now;
  }
  return `${[header, ...replaced, ...deleted].join('\n')}\n`;
}

/** Real GDP of the euro area, by its key in the files and by that in the log. */
const gdp = { inFiles: 'ESA.Q.I2.S.0000.B1QG00.1000.TTTT.Q.U.A', inLog: 'RTD.Q.S0.S.G_GDPM_TO_C.E' };

/** The key of a series at the loopback: the recorded one of GDP, and one made of the key in the files for others. */
export function ecbKeyOf(fileKey: string): string {
  return fileKey === gdp.inFiles ? gdp.inLog : `RTD.Q.S0.N.${fileKey.replaceAll('.', '__')}.X`;
}

/** The key in the files of a series at the loopback. */
export function fileKeyOf(key: string): string {
  return key === gdp.inLog ? gdp.inFiles : key.replace(/^RTD\.Q\.S0\.N\.|\.X$/g, '').replaceAll('__', '.');
}

function keyCells(key: string): Cells {
  return { KEY: ecbKeyOf(key), FREQ: 'Q' };
}

/** The figures of the last file that has a series. */
function latestOf(key: string, { files, state }: Pick<LoopbackEcb, 'files' | 'state'>): string {
  const values = files
    .slice(0, state.published)
    .findLast(({ columns }) => columns.has(key))
    ?.columns.get(key);
  const columns = names.slice(0, names.indexOf('OBS_VALUE') + 1);
  const rows = Array.from(values ?? [], ([period, value]) =>
    rowOf(columns, { ...keyCells(key), TIME_PERIOD: period, OBS_VALUE: value }),
  );
  return `${[columns.join(','), ...rows].join('\n')}\n`;
}

/** Starts a loopback ECB with the figures of files. */
export async function loopbackEcb(files = ecbFiles()): Promise<LoopbackEcb> {
  const state: EcbState = { published: files.length, resentOn: '2002-06-05', change: (_, body) => body };
  const source = await loopback(
    ({ pathname, searchParams }, { headers }) => {
      const asked = decodeURIComponent(pathname.replace('/service/data/', '').replace('/', '.'));
      const key = fileKeyOf(asked);
      const isLog = searchParams.get('includeHistory') === 'true';
      const what = `${isLog ? 'log' : 'latest'} ${asked}`;
      const modified = `${files[state.published - 1]?.frozenOn}T13:30:00Z`;
      const last = new Date(modified).toUTCString();
      if (Date.parse(headers['if-modified-since'] ?? '') >= Date.parse(modified))
        return { what: `${what} unless changed`, reply: { status: 304, body: '' } };
      const held = ecb.files.slice(0, state.published).flatMap(({ columns }) => columns.get(key) ?? []);
      const isKnown = isLog ? held.some(({ size }) => size > 0) : (held.at(-1)?.size ?? 0) > 0;
      const problem = { type: pathname, title: 'Not Found', status: 404, detail: 'No results found.' };
      if (!isKnown) return { what, reply: { status: 404, body: JSON.stringify(problem) } };
      const body = state.change(what, isLog ? logOf(key, ecb) : latestOf(key, ecb), headers.accept ?? '');
      return {
        what,
        reply: { status: 200, body, type: 'text/csv', extraHeaders: { 'last-modified': last } },
      };
    },
    (url) => ({ ecb: { url } }),
  );
  const keys = new Set(
    files.flatMap(({ columns }) => [...columns].flatMap(([key, { size }]) => (size > 0 ? key : []))),
  );
  const ecb: LoopbackEcb = Object.assign(source, {
    ...{ state, files, ids: [...keys].map((key) => `ECB:${ecbKeyOf(key)}`) },
    log: (id: string) => logOf(fileKeyOf(id.replace('ECB:', '')), ecb),
  });
  return ecb;
}
