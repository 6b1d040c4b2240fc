import { readData, testData } from './repository.ts';

/** A figure of a vintage table: its codes in the order of the table, `revdate` among them, its period and its cell. */
export type EurostatCell = {
  readonly codes: readonly string[];
  readonly period: string;
  /** As published: `1234.5`, or `:` for none. */
  readonly figure: string;
  /** An observation flag, such as `p`, and a confidentiality status, such as `C`. */
  readonly flag?: string;
  readonly conf?: string;
};

/** A vintage table, or a part of it, to be written as Eurostat does. */
export type EurostatTable = {
  readonly name: string;
  readonly title: string;
  readonly dimensions: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly updated: string;
  readonly cells: readonly EurostatCell[];
  /** The codes of the table by dimension, which JSON-stat lists in answers about a part of it too. */
  readonly listed?: Readonly<Record<string, readonly string[]>>;
};

const quoted = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A table as SDMX-CSV 2.0, with labels or without. */
export function asSdmxCsv({ name, title, dimensions, labels, cells }: EurostatTable, withLabels: boolean) {
  const pair = (code: string, label: string) => (withLabels ? [code, label] : [code]);
  const head = [
    ...['STRUCTURE', 'STRUCTURE_ID'],
    ...(withLabels ? ['STRUCTURE_NAME'] : []),
    ...dimensions.flatMap((dimension) => pair(dimension, `About ${dimension}`)),
    ...pair('TIME_PERIOD', 'Time'),
    ...pair('OBS_VALUE', 'Observation value'),
    ...pair('OBS_FLAG', 'Observation status (Flag) V2 structure'),
    ...pair('CONF_STATUS', 'Confidentiality status (flag)'),
  ];
  const rows = cells.map(({ codes, period, figure, flag = '', conf = '' }) => [
    ...['dataflow', `ESTAT:${name}(1.0)`, ...(withLabels ? [title] : [])],
    ...codes.flatMap((code) => pair(code, labels[code] ?? code)),
    ...[...pair(period, ''), ...pair(figure === ':' ? '' : figure, ''), ...pair(flag, ''), ...pair(conf, '')],
  ]);
  return [head, ...rows].map((row) => `${row.map(quoted).join(',')}\n`).join('');
}

/** A table as SDMX-CSV 1.0, which has no labels and writes the time of the last update into every row. */
export function asSdmxCsv1({ name, dimensions, cells }: EurostatTable) {
  const head = [
    'DATAFLOW',
    'LAST UPDATE',
    ...dimensions,
    'TIME_PERIOD',
    'OBS_VALUE',
    'OBS_FLAG',
    'CONF_STATUS',
  ];
  const rows = cells.map(({ codes, period, figure, flag = '', conf = '' }) => [
    `ESTAT:${name}(1.0)`,
    '14/09/26 23:00:00',
    ...codes,
    period,
    figure === ':' ? '' : figure,
    flag,
    conf,
  ]);
  return [head, ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

/** A table as TSV: a row for each key, a column for each period, a blank after each cell, and `: ` for none. */
export function asTsv({ dimensions, cells }: EurostatTable) {
  const periods = [...new Set(cells.map(({ period }) => period))].sort();
  const keys = [...new Set(cells.map(({ codes }) => codes.join(',')))].sort();
  const written = new Map(
    cells.map(({ codes, period, figure, flag = '', conf = '' }) => [
      `${codes.join(',')} ${period}`,
      `${figure} ${flag}${conf === '' ? '' : `@${conf}`}`,
    ]),
  );
  const head = [`${dimensions.join(',')}\\TIME_PERIOD`, ...periods.map((period) => `${period} `)];
  const rows = keys.map((key) => [key, ...periods.map((period) => written.get(`${key} ${period}`) ?? ': ')]);
  return [head, ...rows].map((row) => `${row.join('\t')}\r\n`).join('');
}

/** A table as JSON-stat 2.0, newest revision first, with numbers as Eurostat writes them: `1785938.0` and `1785938`. */
export function asJsonStat(table: EurostatTable): string {
  const { name, title, dimensions, labels, updated, cells, listed = {} } = table;
  const ids = [...dimensions, 'time'];
  const lists = ids.map((id, at) => {
    const own = cells.map((cell) => cell.codes[at] ?? cell.period);
    const codes = [...new Set([...own, ...(listed[id] ?? [])])].sort();
    return id === 'revdate' ? codes.reverse() : codes;
  });
  const size = lists.map(({ length }) => length);
  const places = lists.map((codes) => new Map(codes.map((code, at) => [code, at])));
  const indexOf = ({ codes, period }: EurostatCell) =>
    [...codes, period].reduce((index, code, at) => index * (size[at] ?? 0) + (places[at]?.get(code) ?? 0), 0);
  const values = cells.flatMap((cell) => (cell.figure === ':' ? [] : [`"${indexOf(cell)}":${cell.figure}`]));
  const status = cells.flatMap((cell) => {
    const { flag = '', conf = '' } = cell;
    return flag + conf === '' ? [] : [[indexOf(cell), conf === '' ? flag : `${flag}|${conf}`]];
  });
  const dimension = ids.map((id, at) => {
    const codes = lists[at] ?? [];
    const index = Object.fromEntries(codes.map((code, place) => [code, place]));
    const label = Object.fromEntries(codes.map((code) => [code, labels[code] ?? code]));
    return [id, { label: `About ${id}`, category: { index, label } }];
  });
  const head = { version: '2.0', class: 'dataset', label: title, source: 'ESTAT', updated };
  const tail = {
    ...(status.length > 0 && { status: Object.fromEntries(status) }),
    ...{ id: ids, size, dimension: Object.fromEntries(dimension) },
    extension: { lang: 'EN', id: name, agencyId: 'ESTAT', version: '1.0' },
  };
  return `${JSON.stringify(head).slice(0, -1)},"value":{${values.join(',')}},${JSON.stringify(tail).slice(1)}`;
}

/** The recorded table of euro-area GDP as SDMX-CSV with labels. */
export const recordedGdpCsv = readData(
  testData,
  'recordings/eurostat/ei_na_q_vtg_filtered_en.csv',
).toString();

/** The recorded table, read without asof: the quoted cells of a row stand before its period. */
export const recordedGdpTable: EurostatTable = {
  ...{ name: 'EI_NA_Q_VTG', updated: '2025-04-16T23:00:00+0200' },
  title: 'Gross domestic product (GDP) - quarterly data - vintages based on ESA 2010',
  labels: { CLV05_MEUR: 'Chain linked volumes (2005), million euro', EA: 'Euro area (EA11-1999, EA21-2026)' },
  dimensions: ['freq', 'revdate', 's_adj', 'unit', 'geo'],
  cells: Array.from(
    recordedGdpCsv.matchAll(/,(\d{4}-\d\d-\d\d),\1,.*",(\d{4}-Q\d),,([\d.]+),/g),
    ([, revdate = '', period = '', figure = '']): EurostatCell => {
      return { codes: ['Q', revdate, 'SCA', 'CLV05_MEUR', 'EA'], period, figure };
    },
  ),
};
