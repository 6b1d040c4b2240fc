import { asJsonStat, type EurostatCell, type EurostatTable } from '../eurostat.ts';
import { type Loopback, loopback, type Trouble } from './loopbacks.ts';

const rateDimensions = ['freq', 'unit', 's_adj', 'sex', 'age', 'geo', 'revdate'];

/** The unemployment rates of an area on a revision date: `2020-09 7.9` gives one. */
export function rates(geo: string, revdate: string, ...figures: readonly string[]): readonly EurostatCell[] {
  return figures.map((text) => {
    const [period = '', figure = ''] = text.split(' ');
    return { codes: ['M', 'PC_ACT', 'SA', 'T', 'TOTAL', geo, revdate], period, figure };
  });
}

/** A table of unemployment rates with these cells. */
export function rateTable(name: string, updated: string, cells: readonly EurostatCell[]): EurostatTable {
  return {
    ...{ name, updated, cells, dimensions: rateDimensions },
    title: `Unemployment - monthly data - vintages ${name.endsWith('FIX') ? 'from 2001 to 2020' : 'from 2021 onwards'}`,
    labels: {
      PC_ACT: 'Percentage of population in the labour force',
      EA: 'Euro area (EA20-2023)',
      DE: 'Germany',
    },
  };
}

/** The answers of Eurostat that are no tables. */
export const eurostatReplies = {
  asynchronous: json(
    413,
    413,
    'ASYNCHRONOUS_RESPONSE. Your request will be treated asynchronously. Please try again later.',
  ),
  warned: {
    status: 200,
    body: '{"warning":{"status":413,"label":"ASYNCHRONOUS_RESPONSE. Your request will be treated asynchronously. Please try again later."}}',
    type: 'application/json',
  },
  queued: {
    status: 200,
    body: '<?xml version="1.0" encoding="UTF-8" ?><env:Envelope xmlns:env="http://schemas.xmlsoap.org/soap/envelope/"><env:Body><ns0:syncResponse xmlns:ns0="http://estat.ec.europa.eu/disschain/soap/extraction"><queued><id>a801f1c5</id><status>SUBMITTED</status></queued></ns0:syncResponse></env:Body></env:Envelope>',
    type: 'application/xml',
  },
  tooLarge: json(
    413,
    413,
    'EXTRACTION_TOO_BIG: The requested extraction is too big, estimated 8068608 rows, max authorised is 5000000, please change your filters to reduce the extraction size',
  ),
  noPeriod: json(400, 150, 'INVALID_QUERY_DIMENSION_VALUE: TIME=2025-10 is not allowed'),
  page: { status: 200, body: '<!DOCTYPE html><html><title>European Commission</title></html>' },
} as const satisfies Readonly<Record<string, Trouble>>;

function json(status: number, id: number, label: string) {
  return {
    status,
    body: JSON.stringify({ error: [{ status, id, label }] }),
    type: 'application/json',
  } as const;
}

/** A loopback Eurostat with its tables by name; tests change them between two pulls. */
export type LoopbackEurostat = Loopback & { tables: Record<string, EurostatTable> };

/** Starts a loopback Eurostat. */
export async function loopbackEurostat(...tables: readonly EurostatTable[]): Promise<LoopbackEurostat> {
  const source: LoopbackEurostat = Object.assign(
    await loopback(
      (url) => eurostatReply(source.tables, url),
      (url) => ({ eurostat: { url } }),
    ),
    { tables: Object.fromEntries(tables.map((table) => [table.name, table])) },
  );
  return source;
}

/** What Eurostat answers; what is asked for reads `EI_LM_M_VTG geo=EA time=2020-10`, without the language. */
export function eurostatReply(
  tables: Readonly<Record<string, EurostatTable>>,
  { pathname, searchParams }: URL,
) {
  const name = pathname.replace(/^.*\/statistics\/1\.0\/data\//, '');
  const filters = [...searchParams].filter(([parameter]) => parameter !== 'lang');
  const what = [name, ...filters.map(([parameter, value]) => `${parameter}=${value}`)].join(' ');
  return { what, reply: answer(tables[name], filters) };
}

function answer(table: EurostatTable | undefined, filters: readonly (readonly [string, string])[]) {
  if (table === undefined)
    return json(404, 100, 'ERR_NOT_FOUND_4: The requested resource is not available for dissemination');
  const codeIn = (cell: EurostatCell, id: string) =>
    id === 'time' ? cell.period : cell.codes[table.dimensions.indexOf(id)];
  const ids = [...new Set(filters.map(([id]) => id))].filter((id) => id !== 'lastTimePeriod');
  const unknown = ids.find((id) => id !== 'time' && !table.dimensions.includes(id));
  if (unknown !== undefined) return json(400, 150, `INVALID_QUERY_DIMENSION: ${unknown} is not allowed`);
  const wrong = filters.find(
    ([id, value]) =>
      ids.includes(id) && id !== 'time' && !table.cells.some((cell) => codeIn(cell, id) === value),
  );
  if (wrong !== undefined)
    return json(400, 150, `INVALID_QUERY_DIMENSION_VALUE: ${wrong.join('=').toUpperCase()} is not allowed`);
  const periods = [...new Set(table.cells.map(({ period }) => period))].sort();
  const last = Number(filters.find(([id]) => id === 'lastTimePeriod')?.[1] ?? periods.length);
  const cells = table.cells.filter(
    (cell) =>
      periods.indexOf(cell.period) >= periods.length - last &&
      ids.every((id) => filters.some(([name, value]) => name === id && codeIn(cell, id) === value)),
  );
  const listed = Object.fromEntries(
    table.dimensions.map((id) => {
      const asked = filters.filter(([name]) => name === id).map(([, value]) => value);
      return [id, asked.length > 0 ? asked : table.cells.map((cell) => codeIn(cell, id) ?? '')];
    }),
  );
  return { status: 200, body: asJsonStat({ ...table, cells, listed }), type: 'application/json' };
}
