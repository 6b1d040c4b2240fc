import { publishers } from '../../../domain/series/publishers.ts';
import type { SeriesMetadata } from '../../../domain/series/series.ts';
import { Statements } from '../../../domain/series/statements.ts';
import { Exact } from '../../../domain/values/arithmetic.ts';
import { type Day, dayOf, type KnownFrequency } from '../../../domain/values/date.ts';
import { sameNumber } from '../../../domain/values/decimal.ts';
import { entryOf } from '../../../domain/values/groups.ts';
import { counted } from '../../../errors/wording.ts';
import type { SourceFile } from '../../files/source-file.ts';
import { readCsvBody } from '../../readers/csv.ts';
import { placesOf, type TableRow, tableRow } from '../../readers/rows.ts';
import { type Batch, type ImportFormat, readNumber, readSeriesId } from '../format.ts';
import { periodIn } from './sdmx.ts';

const keyColumns = ['REF_AREA', 'FREQ', 'MEASURE', 'UNIT_MEASURE', 'ACTIVITY'] as const;
const requiredColumns = [...keyColumns, 'EDITION', 'TIME_PERIOD', 'OBS_VALUE'];
const flow = 'DSD_STES_REVISIONS@DF_STES_REVISIONS';

/** Returns the id of a series of the revisions database by its key without the edition. */
export function oecdId(key: string): string {
  return `OECD:STES_REV.${key}`;
}

/** Returns the day from which an edition such as `202310` was certainly known; undefined for any other text. */
export function editionDay(edition: string): Day | undefined {
  const [, year, month] = /^(\d{4})(\d\d)$/.exec(edition) ?? [];
  if (dayOf(Number(year), Number(month), 1) === undefined) return undefined;
  return month === '12' ? dayOf(Number(year) + 1, 1, 1) : dayOf(Number(year), Number(month) + 1, 1);
}

/**
 * The Original Release Data and Revisions Database of the OECD, as SDMX-CSV with or without labels, in any order of
 * rows. An edition appears at some time in its month: it counts as known from the first day of the next one.
 * A file does not say whether it has all periods of an edition, so a date that is missing stays as it was.
 */
export const oecdRevisions: ImportFormat = {
  kind: 'oecd-revisions',
  summary: [
    'OECD revisions database',
    ' (SDMX-CSV of DF_STES_REVISIONS: REF_AREA … EDITION,TIME_PERIOD,OBS_VALUE)',
  ],
  source: publishers.oecd.name,
  vintageKind: 'sampled',
  whole: true,
  recognise: ({ header }) =>
    /^(?:DATAFLOW|STRUCTURE)$/.test(header[0] ?? '') &&
    requiredColumns.every((name) => header.includes(name)),
  async *read(file, { latest }) {
    for (const series of (await readOecdSeries(file)).values()) yield* oecdBatches(series, latest);
  },
};

/** An edition of a series: its unit, and its values by date. */
type Edition = { readonly units: string; readonly values: Map<Day, OecdValue> };

type OecdValue = { readonly value: string | null; readonly row: number };

/** A series of the database. */
export type OecdSeries = {
  readonly seriesId: string;
  readonly frequency: KnownFrequency;
  readonly title: string | undefined;
  /** The editions by name, such as `202310`. */
  readonly editions: Map<string, Edition>;
};

/** Reads all rows of a file, by the ids of series; throws a refusal for what contradicts itself. */
export async function readOecdSeries(file: SourceFile): Promise<ReadonlyMap<string, OecdSeries>> {
  const found = new Map<string, OecdSeries>();
  const readHeader = ({ row, cells }: { readonly row: number; readonly cells: readonly string[] }) => ({
    places: placesOf(file, { row, cells }, { required: requiredColumns }),
    flowColumn: cells.includes('STRUCTURE_ID') ? 'STRUCTURE_ID' : 'DATAFLOW',
    labels: labelPlaces(cells),
  });
  for await (const { header, rows } of readCsvBody(file, readHeader))
    for (const { row, cells } of rows) {
      const record = tableRow(file, { row, cells }, header.places);
      refuseOther(record, header.flowColumn);
      const label = (column: string) => cells[header.labels.get(column) ?? -1]?.trim() || undefined;
      takeRow(file, record, label, found);
    }
  return found;
}

/** Finds the columns of labels: each stands behind its column of codes, which has a name in capitals. */
function labelPlaces(cells: readonly string[]): ReadonlyMap<string, number> {
  const isCode = (name = '') => /^[A-Z_]+$/.test(name.trim());
  return new Map(
    cells.flatMap((name, at) =>
      isCode(name) && cells[at + 1] !== undefined && !isCode(cells[at + 1]) ? [[name.trim(), at + 1]] : [],
    ),
  );
}

function refuseOther(record: TableRow, flowColumn: string): void {
  if (!record.cell(flowColumn).includes(flow))
    throw record.refusal(flowColumn, `not of the dataflow ${flow}`);
  if (record.cell('ACTION') === 'D') throw record.refusal('ACTION', 'asof reads no deletions here');
}

function takeRow(
  file: SourceFile,
  record: TableRow,
  label: (column: string) => string | undefined,
  found: Map<string, OecdSeries>,
): void {
  const { row } = record;
  const codes = keyColumns.map((column) => {
    const value = record.cell(column);
    if (/^\w+$/.test(value)) return value;
    throw record.refusal(column, 'not an SDMX code');
  });
  const { start, frequency } = periodIn(record);
  const seriesId = readSeriesId(file, { row, value: oecdId(codes.join('.')) });
  const edition = record.cell('EDITION');
  if (editionDay(edition) === undefined) throw record.refusal('EDITION', 'not an edition such as 202310');
  const place = { row, column: 'OBS_VALUE', value: record.cell('OBS_VALUE') };
  const value = readNumber(file, place, ['', 'NaN'], 'blank');
  const title = [label('MEASURE'), label('REF_AREA')].flatMap((text) => text ?? []).join(', ');
  const series = entryOf(found, seriesId, () => ({
    ...{ seriesId, frequency, editions: new Map<string, Edition>() },
    title: title || undefined,
  }));
  const units = unitsOf(record, label('UNIT_MEASURE'));
  const own = entryOf(series.editions, edition, () => ({ units, values: new Map<Day, OecdValue>() }));
  if (own.units !== units) {
    const reason = `the unit of this edition is ${JSON.stringify(units)} here, and ${JSON.stringify(own.units)} above`;
    throw record.refusal('EDITION', reason);
  }
  const before = own.values.get(start);
  if (before !== undefined && !sameNumber(before.value, value)) {
    const stated = `${before.value ?? 'no value'} for ${record.cell('TIME_PERIOD')} in the edition ${edition}`;
    throw record.refusal('OBS_VALUE', `row ${before.row} has ${stated}`);
  }
  own.values.set(start, before ?? { value, row });
}

const unitNames: Readonly<Record<string, string>> = { XDC: 'National currency', IX: 'Index', PS: 'Persons' };

const multipliers: Readonly<Record<string, string>> = { 3: 'thousands', 6: 'millions', 9: 'billions' };

/** Writes the unit of a row with its multiplier and base period; the measures that end in _Q are volumes. */
function unitsOf(record: TableRow, label: string | undefined): string {
  const [code = '', power = '', base = ''] = ['UNIT_MEASURE', 'UNIT_MULT', 'BASE_PER'].map((column) =>
    record.cell(column),
  );
  const isIndex = code === 'IX';
  const parts = [
    unitNames[code] ?? label ?? code,
    ...(power === '' || power === '0' ? [] : [multipliers[power] ?? `times 10 to the power of ${power}`]),
    ...(record.cell('MEASURE').endsWith('_Q') && !isIndex ? ['constant prices'] : []),
    ...(base === '' ? [] : [isIndex ? `${base} = 100` : `base period ${base}`]),
  ];
  return parts.join(', ');
}

/** Yields the records of a series, oldest edition first; an edition that counts as known later is left out by name. */
export function* oecdBatches(
  { seriesId, frequency, title, editions }: OecdSeries,
  latest: Day | undefined,
): Generator<Batch> {
  const isKnown = (name: string) => latest === undefined || (editionDay(name) ?? '') <= latest;
  const all = [...editions].sort(([one], [other]) => (one < other ? -1 : 1));
  const sorted = all.filter(([name]) => isKnown(name));
  const notes = all.flatMap(([name]) =>
    isKnown(name)
      ? []
      : [`${seriesId}: left out the edition ${name}, which counts as known from ${editionDay(name)} on`],
  );
  if (sorted.length === 0) {
    yield { notes };
    return;
  }
  for (const [index, [name, edition]] of sorted.slice(1).entries()) {
    const [nameBefore, before] = sorted[index] ?? [name, edition];
    const times = before.units === edition.units ? rescaling(before, edition) : undefined;
    if (times !== undefined)
      notes.push(
        `${seriesId}: the base seems to have changed with the edition ${name}: ${times} that of the edition ${nameBefore}; compare growth rates, not levels`,
      );
  }
  const metadata: SeriesMetadata = {
    ...{ seriesId, frequency },
    ...(title !== undefined && { title }),
  };
  const units = sorted.map(([name, edition]) => ({
    ...{ seriesId, asOf: editionDay(name) ?? '', units: edition.units },
  }));
  yield { metadata: [metadata], units, renamesUnits: true, notes };
  for (const [name, { values }] of sorted) {
    const asOf = editionDay(name) ?? '';
    const statements = new Statements(seriesId);
    for (const [date, { value }] of values) statements.add(date, asOf, value);
    yield { coverage: [{ seriesId, coveredTo: asOf, whole: true }], statements: [statements] };
  }
}

/** The fewest common dates that prove that every value has the same factor. */
const fewestCommon = 4;

/** Says by which factor all values that two editions have in common changed, if it is one within rounding. */
function rescaling(before: Edition, after: Edition): string | undefined {
  const pairs = [...after.values].flatMap(([date, { value }]) => {
    const old = before.values.get(date)?.value;
    return value === null || old === undefined || old === null || Number(old) === 0
      ? []
      : [[old, value] as const];
  });
  if (pairs.length < fewestCommon) return undefined;
  const bounds = pairs.map(([old, now]) => {
    const [oldValue, nowValue, oldError, nowError] = [
      new Exact(old),
      new Exact(now),
      errorOf(old),
      errorOf(now),
    ];
    const quotients = [-1, 1].flatMap((one) =>
      [-1, 1].map(
        (other) =>
          nowValue.plus(nowError.times(one)).toNumber() / oldValue.plus(oldError.times(other)).toNumber(),
      ),
    );
    return [Math.min(...quotients), Math.max(...quotients)] as const;
  });
  const [least, most] = [
    Math.max(...bounds.map(([low]) => low)),
    Math.min(...bounds.map(([, high]) => high)),
  ];
  if (!(least <= most) || (least <= 1 && most >= 1)) return undefined;
  return `each of ${counted(pairs.length, 'value')} is ${Number(((least + most) / 2).toPrecision(6))} times`;
}

/** Half a unit of the last digit of a number that is not a zero at its end. */
function errorOf(text: string) {
  const digits = text.replace(/^-/, '');
  const [whole = '', decimals = ''] = digits.split('.');
  const zeros = decimals === '' ? (/0*$/.exec(whole)?.[0].length ?? 0) : -decimals.length;
  return new Exact(10).pow(Math.min(zeros, whole.length - 1)).div(2);
}
